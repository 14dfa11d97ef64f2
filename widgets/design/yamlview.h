#pragma once

#include "widgets/base/plaintextedit.h"
#include "widgets/base/theme.h"
#include "widgets/design/fieldcompleter.h"
#include "widgets/design/document.h"

#include <QPointer>
#include <QTimer>

namespace fabricscope {

/// The text of a design: typing edits the document, changes of the document show here. Lines are numbered, what is wrong is underlined
/// and told in the tooltip, as is what a field means; keys, words and units are offered while they are typed. Undo is the document's. Line ends of the file stay as they are.
class YamlView : public PlainTextEdit
{
    Q_OBJECT
public:
    explicit YamlView(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// Cursor to a line (from 1) and, when known, its column; the line is shown.
    void goTo(int line, int column = 0);
    int currentLine() const;

    int numberWidth() const;
    void paintNumbers(QPaintEvent* event);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void show();
    void takeText();
    void mark();
    QString toolTipAt(const QPoint& position) const;

    QPointer<DesignDocument> m_document;
    Theme m_theme;
    QWidget* m_numbers;
    QTimer m_pause;
    FieldCompleter* m_completer;
    bool m_busy = false;
};

/// The change from `shown` to `typed` (line ends \n) carried over to `text`, whose line ends may be \r\n: everything outside the
/// difference keeps its bytes.
std::string carriedOver(const std::string& text, const QString& shown, const QString& typed);

} // namespace fabricscope
