#pragma once

#include <QObject>
#include <QString>

#include <string_view>

namespace fabricscope {

/// Text from inputs (names, file names, messages) on its way to the window: nothing in it does anything, as in the terminal.
namespace texts {

/// shownText(): hidden and reordering characters are visible escapes. UTF-8; bytes that are none become escapes, too.
QString shown(std::string_view utf8);
QString shown(const QString& text);
/// shownMessage(): also cut to a length that people read.
QString shownMessage(std::string_view utf8);
/// shownLines(): ends of lines stay.
QString shownLines(std::string_view utf8);
/// For setToolTip() and Qt::ToolTipRole, which take what looks like HTML for HTML: text that is shown as it is, ends of lines included.
QString toolTip(const QString& plain);

} // namespace texts

/// Makes every QLabel of the program plain text when it is first shown, message boxes included. Labels that are rich on purpose say so: setTextFormat(Qt::RichText).
/// Qt would guess from the text, and names may look like HTML. Tooltips are not touched: texts::toolTip().
class PlainLabels : public QObject
{
    Q_OBJECT
public:
    /// Once per program, however often called.
    static void install();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace fabricscope
