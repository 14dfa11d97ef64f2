#pragma once

#include <QMimeData>
#include <QPlainTextEdit>
#include <QTextDocument>

namespace fabricscope {

/// The base of every field of several lines. An empty clipboard, and a drag of nothing, are data without formats: Qt 6.4 reads the first
/// format all the same and ends the program. Here they insert nothing, whichever way they come: keys, menu, middle button, drop.
class PlainTextEdit : public QPlainTextEdit
{
public:
    using QPlainTextEdit::QPlainTextEdit;

    /// The text with lines ended by \n. Unlike toPlainText() this keeps no-break spaces.
    QString typedText() const { return document()->toRawText().replace(QChar::ParagraphSeparator, QLatin1Char('\n')); }

protected:
    void insertFromMimeData(const QMimeData* source) override
    {
        if (source && !source->formats().isEmpty())
            QPlainTextEdit::insertFromMimeData(source);
    }
};

} // namespace fabricscope
