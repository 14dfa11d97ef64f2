#include "widgets/programs/codeeditor.h"

#include "core/formats/programform.h"
#include "core/step/replaychecks.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/programs/scripthighlighter.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kIndent = 2;

class LineNumbers : public QWidget
{
public:
    explicit LineNumbers(CodeEditor* editor) : QWidget(editor), m_editor(editor) {}
    QSize sizeHint() const override { return {m_editor->numberWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintNumbers(event); }

private:
    CodeEditor* m_editor;
};

} // namespace

CodeEditor::CodeEditor(QWidget* parent) : PlainTextEdit(parent), m_numbers(new LineNumbers(this)), m_highlighter(new ScriptHighlighter(document()))
{
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setAccessibleName(tr("Text of the program"));
    setFrameShape(QFrame::NoFrame);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::placeNumbers);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_numbers->scroll(0, dy);
        else
            m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::textChanged, this, [this] { m_highlighter->setXml(programFormOfText(document()->firstBlock().text().toStdString()) == ProgramForm::Xml); });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        showMarks();
        m_numbers->update();
        if (m_line == currentLine())
            return;
        m_line = currentLine();
        emit lineChanged(m_line);
    });
    followTheme(this, &CodeEditor::setTheme);
}

void CodeEditor::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Mono));
    setStyleSheet(QStringLiteral("QPlainTextEdit { border: 0; border-radius: 0; padding: 0; background: %1; } QPlainTextEdit:focus { border: 0; }")
                      .arg(theme.color(Role::View).name()));
    setTabStopDistance(kIndent * QFontMetricsF(font()).horizontalAdvance(QLatin1Char(' ')));
    placeNumbers();
    showMarks();
    m_numbers->update();
}

void CodeEditor::replaceText(const QString& text)
{
    QTextCursor cursor(document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(text);
    cursor.setPosition(0);
    setTextCursor(cursor);
}

void CodeEditor::setMarks(std::vector<LineMark> marks)
{
    m_marks = std::move(marks);
    showMarks();
    m_numbers->update();
}

void CodeEditor::showMarks()
{
    QList<QTextEdit::ExtraSelection> shown;
    QTextEdit::ExtraSelection current;
    current.format.setBackground(m_theme.color(Role::Stripe));
    current.format.setProperty(QTextFormat::FullWidthSelection, true);
    current.cursor = textCursor();
    current.cursor.clearSelection();
    shown.push_back(current);
    for (const LineMark& mark : m_marks) {
        const QTextBlock block = document()->findBlockByNumber(mark.line - 1);
        if (!block.isValid())
            continue;
        QTextEdit::ExtraSelection selection;
        const QColor color = m_theme.color(mark.isError ? Role::Err : Role::Warn);
        selection.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        selection.format.setUnderlineColor(color);
        selection.format.setToolTip(texts::toolTip(mark.text));
        if (mark.isError)
            selection.format.setBackground(m_theme.color(Role::ErrBg));
        selection.format.setProperty(QTextFormat::FullWidthSelection, mark.isError);
        const QString text = block.text();
        const auto first = std::find_if(text.begin(), text.end(), [](QChar c) { return !c.isSpace(); });
        selection.cursor = QTextCursor(block);
        selection.cursor.setPosition(block.position() + static_cast<int>(first - text.begin()));
        selection.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        shown.push_back(selection);
    }
    setExtraSelections(shown);
}

void CodeEditor::goTo(int line)
{
    const QTextBlock block = document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
    setTextCursor(QTextCursor(block));
    centerCursor();
}

int CodeEditor::currentLine() const
{
    return textCursor().blockNumber() + 1;
}

int CodeEditor::numberWidth() const
{
    const int digits = std::max(3, static_cast<int>(QString::number(std::max(1, blockCount())).size()));
    return QFontMetrics(m_theme.font(TextStyle::Mono)).horizontalAdvance(QLatin1Char('0')) * digits + 2 * m_theme.scaled(8);
}

void CodeEditor::placeNumbers()
{
    setViewportMargins(numberWidth(), 0, 0, 0);
    const QRect rect = contentsRect();
    m_numbers->setGeometry(QRect(rect.left(), rect.top(), numberWidth(), rect.height()));
}

void CodeEditor::paintNumbers(QPaintEvent* event)
{
    QPainter painter(m_numbers);
    painter.fillRect(event->rect(), m_theme.color(Role::Panel));
    painter.setFont(m_theme.font(TextStyle::Mono));
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const int line = block.blockNumber() + 1;
        const auto mark = std::find_if(m_marks.begin(), m_marks.end(), [line](const LineMark& each) { return each.line == line; });
        const bool marked = mark != m_marks.end();
        if (marked) // Not by colour alone: a bar at the edge.
            painter.fillRect(QRectF(0, top, m_theme.scaled(3), height), m_theme.color(mark->isError ? Role::Err : Role::Warn));
        painter.setPen(m_theme.color(marked ? (mark->isError ? Role::Err : Role::Warn) : line == currentLine() ? Role::Text : Role::Text3));
        painter.drawText(QRectF(0, top, m_numbers->width() - m_theme.scaled(8), height), Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        top += height;
        block = block.next();
    }
}

void CodeEditor::resizeEvent(QResizeEvent* event)
{
    PlainTextEdit::resizeEvent(event);
    placeNumbers();
}

/// Indents the lines of the selection, or puts spaces at the cursor. False: nothing to take away.
bool CodeEditor::indent(bool more)
{
    QTextCursor cursor = textCursor();
    if (more && !cursor.hasSelection()) {
        cursor.insertText(QString(kIndent - cursor.positionInBlock() % kIndent, QLatin1Char(' ')));
        return true;
    }
    const int first = document()->findBlock(cursor.selectionStart()).blockNumber();
    const int last = document()->findBlock(std::max(cursor.selectionStart(), cursor.selectionEnd() - (cursor.hasSelection() ? 1 : 0))).blockNumber();
    bool changed = false;
    cursor.beginEditBlock();
    for (int number = first; number <= last; ++number) {
        const QTextBlock block = document()->findBlockByNumber(number);
        QTextCursor line(block);
        if (more) {
            line.insertText(QString(kIndent, QLatin1Char(' ')));
            changed = true;
            continue;
        }
        for (int i = 0; i < kIndent && block.text().startsWith(QLatin1Char(' ')); ++i) {
            line.deleteChar();
            changed = true;
        }
    }
    cursor.endEditBlock();
    return changed;
}

void CodeEditor::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier) {
        indent(true);
        return;
    }
    if (event->key() == Qt::Key_Backtab) {
        if (!indent(false))
            focusNextPrevChild(false);
        return;
    }
    if (event->key() == Qt::Key_Tab && event->modifiers().testFlag(Qt::ControlModifier)) {
        focusNextPrevChild(true);
        return;
    }
    if (event->key() == Qt::Key_Return && event->modifiers() == Qt::NoModifier) {
        const QString line = textCursor().block().text().left(textCursor().positionInBlock());
        const auto first = std::find_if(line.begin(), line.end(), [](QChar c) { return c != QLatin1Char(' '); });
        textCursor().insertText(QLatin1Char('\n') + QString(first - line.begin(), QLatin1Char(' ')));
        ensureCursorVisible();
        return;
    }
    PlainTextEdit::keyPressEvent(event);
}

bool CodeEditor::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return PlainTextEdit::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int line = cursorForPosition(viewport()->mapFrom(this, help->pos())).blockNumber() + 1;
    QStringList said;
    for (const LineMark& mark : m_marks)
        if (mark.line == line && said.size() < 6)
            said.append(mark.text);
    if (said.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), texts::toolTip(said.join(QLatin1Char('\n'))), this);
    return true;
}

} // namespace fabricscope
