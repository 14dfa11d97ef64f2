#pragma once

#include "widgets/base/plaintextedit.h"
#include "widgets/base/theme.h"

#include <vector>

namespace fabricscope {

class ScriptHighlighter;

/// What is said about a line of the text.
struct LineMark {
    int line = 1;        ///< From 1.
    bool isError = true; ///< Else a warning.
    QString text;
};

/// A text editor for programs: numbered lines, marks with their text in the tooltip, undo of its own. Tab indents by two spaces, a new line
/// starts where the one before did; Ctrl+Tab and Shift+Tab at the start of a line leave the editor, so the keyboard is not caught.
class CodeEditor : public PlainTextEdit
{
    Q_OBJECT
public:
    explicit CodeEditor(QWidget* parent = nullptr);

    /// Replaces the text as one step that can be undone.
    void replaceText(const QString& text);
    void setMarks(std::vector<LineMark> marks);
    const std::vector<LineMark>& marks() const { return m_marks; }
    /// Cursor to a line (from 1), which is shown.
    void goTo(int line);
    int currentLine() const;

    int numberWidth() const;
    void paintNumbers(QPaintEvent* event);

signals:
    /// The cursor went to another line.
    void lineChanged(int line);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void showMarks();
    void placeNumbers();
    bool indent(bool more);

    Theme m_theme;
    QWidget* m_numbers;
    ScriptHighlighter* m_highlighter;
    std::vector<LineMark> m_marks;
    int m_line = 1;
};

} // namespace fabricscope
