#include "widgets/design/yamlview.h"

#include "widgets/base/apptheme.h"
#include "core/design/file/fieldguide.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/yamlhighlighter.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kPauseMs = 1000; ///< Typing after a longer pause is another step.

class Numbers : public QWidget
{
public:
    explicit Numbers(YamlView* view) : QWidget(view), m_view(view) {}
    QSize sizeHint() const override { return {m_view->numberWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_view->paintNumbers(event); }

private:
    YamlView* m_view;
};

QString shownForm(const std::string& text)
{
    QString form = QString::fromStdString(text);
    return form.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
}

/// First difference and what differs before and after.
struct Difference {
    qsizetype at = 0;
    qsizetype removed = 0;
    QString inserted;
};

Difference compare(const QString& before, const QString& after)
{
    const qsizetype shorter = std::min(before.size(), after.size());
    Difference result;
    while (result.at < shorter && before[result.at] == after[result.at])
        ++result.at;
    qsizetype tail = 0;
    while (tail < shorter - result.at && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    // Never between the halves of a pair.
    if (result.at > 0 && before.size() > result.at && before[result.at - 1].isHighSurrogate())
        --result.at;
    if (tail > 0 && before[before.size() - tail].isLowSurrogate())
        --tail;
    result.removed = before.size() - result.at - tail;
    result.inserted = after.mid(result.at, after.size() - result.at - tail);
    return result;
}

/// Byte of the character `position` of the shown form.
std::size_t byteOf(const std::string& text, const QString& shown, qsizetype position)
{
    std::size_t byte = 0;
    for (qsizetype i = 0; i < position; ++i) {
        const QChar c = shown[i];
        if (c == QLatin1Char('\n') && byte + 1 < text.size() && text[byte] == '\r' && text[byte + 1] == '\n')
            byte += 2;
        else
            byte += c.unicode() < 0x80 ? 1 : c.unicode() < 0x800 ? 2 : c.isSurrogate() ? 2 : 3;
    }
    return byte;
}

/// What the line behind another one begins with: as that does, deeper below a key without a value and within an item that is a mapping.
QString indentBehind(const QString& line)
{
    qsizetype spaces = 0;
    while (spaces < line.size() && line[spaces] == QLatin1Char(' '))
        ++spaces;
    const QString said = line.mid(spaces).trimmed();
    const bool isItem = said.startsWith(QStringLiteral("- "));
    const QString inItem = isItem ? said.mid(2).trimmed() : said;
    const bool isMapping = isItem && !inItem.startsWith(QLatin1Char('{')) && !inItem.startsWith(QLatin1Char('[')) && inItem.contains(QLatin1Char(':'));
    const bool opens = inItem.endsWith(QLatin1Char(':')) && !inItem.startsWith(QLatin1Char('#'));
    return QString(spaces + (isMapping ? 2 : 0) + (opens ? 2 : 0), QLatin1Char(' '));
}

} // namespace

std::string carriedOver(const std::string& text, const QString& shown, const QString& typed)
{
    const Difference change = compare(shown, typed);
    QString inserted = change.inserted;
    const std::size_t firstEnd = text.find('\n');
    if (firstEnd != std::string::npos && firstEnd > 0 && text[firstEnd - 1] == '\r')
        inserted.replace(QStringLiteral("\n"), QStringLiteral("\r\n"));
    const std::size_t begin = byteOf(text, shown, change.at);
    const std::size_t end = byteOf(text, shown, change.at + change.removed);
    std::string result = text;
    return result.replace(begin, end - begin, inserted.toStdString());
}

YamlView::YamlView(QWidget* parent) : PlainTextEdit(parent), m_numbers(new Numbers(this)), m_completer(new FieldCompleter(this))
{
    new YamlHighlighter(QPlainTextEdit::document()); // It is owned by the document.
    setUndoRedoEnabled(false); // the document has the undo
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabChangesFocus(true);
    setAccessibleName(tr("Design as YAML"));
    setFrameShape(QFrame::NoFrame);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        if (m_document)
            m_document->endMerge();
    });
    connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(numberWidth(), 0, 0, 0); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_numbers->scroll(0, dy);
        else
            m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::textChanged, this, &YamlView::takeText);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] { m_numbers->update(); });
    followTheme(this, &YamlView::setTheme);
}

void YamlView::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (document)
        connect(document, &DesignDocument::changed, this, &YamlView::show);
    show();
}

void YamlView::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Mono));
    setStyleSheet(QStringLiteral("QPlainTextEdit { border: 0; border-radius: 0; padding: 0; background: %1; } QPlainTextEdit:focus { border: 0; }").arg(theme.color(Role::View).name()));
    setTabStopDistance(2 * QFontMetricsF(font()).horizontalAdvance(QLatin1Char(' ')));
    setViewportMargins(numberWidth(), 0, 0, 0);
    mark();
    m_numbers->update();
}

void YamlView::show()
{
    const QString now = m_document ? shownForm(m_document->text()) : QString();
    setReadOnly(!m_document);
    const QString before = typedText();
    if (now != before) {
        const Difference change = compare(before, now);
        m_busy = true;
        QTextCursor cursor(QPlainTextEdit::document());
        cursor.setPosition(static_cast<int>(change.at));
        cursor.setPosition(static_cast<int>(change.at + change.removed), QTextCursor::KeepAnchor);
        cursor.insertText(change.inserted);
        m_busy = false;
    }
    mark();
}

void YamlView::takeText()
{
    if (m_busy || !m_document)
        return;
    const QString shown = shownForm(m_document->text());
    const QString typed = typedText();
    if (shown == typed)
        return;
    m_busy = true;
    const Status status = m_document->editText(tr("Typing"), carriedOver(m_document->text(), shown, typed), QStringLiteral("yaml typing"));
    m_busy = false;
    if (!status)
        show(); // more than a design may be: the text as it was
    m_pause.start();
}

void YamlView::mark()
{
    QList<QTextEdit::ExtraSelection> marks;
    if (m_document) {
        for (const Diagnostic& issue : m_document->issues()) {
            if (issue.place.line < 1 || issue.severity == Severity::Note)
                continue;
            const QTextBlock block = QPlainTextEdit::document()->findBlockByNumber(issue.place.line - 1);
            if (!block.isValid())
                continue;
            QTextEdit::ExtraSelection selection;
            selection.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
            selection.format.setUnderlineColor(m_theme.color(issue.severity == Severity::Error ? Role::Err : Role::Warn));
            selection.format.setToolTip(texts::toolTip(texts::shownMessage(issue.message + (issue.expected.empty() ? "" : " (" + issue.expected + ")"))));
            selection.cursor = QTextCursor(block);
            const int column = std::clamp(issue.place.column - 1, 0, std::max(0, block.length() - 1));
            selection.cursor.setPosition(block.position() + column);
            selection.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            if (!selection.cursor.hasSelection())
                selection.cursor.movePosition(QTextCursor::StartOfBlock, QTextCursor::KeepAnchor);
            marks.push_back(selection);
        }
    }
    setExtraSelections(marks);
    m_numbers->update();
}

void YamlView::goTo(int line, int column)
{
    const QTextBlock block = QPlainTextEdit::document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::clamp(column - 1, 0, std::max(0, block.length() - 1)));
    setTextCursor(cursor);
    centerCursor();
}

int YamlView::currentLine() const
{
    return textCursor().blockNumber() + 1;
}

int YamlView::numberWidth() const
{
    const int digits = std::max(2, static_cast<int>(QString::number(std::max(1, blockCount())).size()));
    return QFontMetrics(m_theme.font(TextStyle::Mono)).horizontalAdvance(QLatin1Char('0')) * digits + 2 * m_theme.scaled(8);
}

void YamlView::paintNumbers(QPaintEvent* event)
{
    QPainter painter(m_numbers);
    painter.fillRect(event->rect(), m_theme.color(Role::Panel));
    painter.setFont(m_theme.font(TextStyle::Mono));
    std::vector<int> errors;
    if (m_document) {
        for (const Diagnostic& issue : m_document->issues()) {
            if (issue.severity == Severity::Error)
                errors.push_back(issue.place.line);
        }
    }
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const int line = block.blockNumber() + 1;
        const bool wrong = std::find(errors.begin(), errors.end(), line) != errors.end();
        painter.setPen(m_theme.color(wrong ? Role::Err : line == currentLine() ? Role::Text : Role::Text3));
        painter.drawText(QRectF(0, top, m_numbers->width() - m_theme.scaled(8), height), Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        top += height;
        block = block.next();
    }
}

void YamlView::resizeEvent(QResizeEvent* event)
{
    PlainTextEdit::resizeEvent(event);
    const QRect rect = contentsRect();
    m_numbers->setGeometry(QRect(rect.left(), rect.top(), numberWidth(), rect.height()));
}

void YamlView::keyPressEvent(QKeyEvent* event)
{
    if (m_document && event->matches(QKeySequence::Undo)) {
        m_document->undoStack().undo();
        return;
    }
    if (m_document && event->matches(QKeySequence::Redo)) {
        m_document->undoStack().redo();
        return;
    }
    const bool isReturn = (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && !isReadOnly();
    if (isReturn && m_document)
        m_document->endMerge(); // a line is a step
    if (isReturn && event->modifiers() == Qt::NoModifier) {
        const QTextCursor cursor = textCursor();
        insertPlainText(QLatin1Char('\n') + indentBehind(cursor.block().text().left(cursor.positionInBlock())));
        ensureCursorVisible();
        return;
    }
    PlainTextEdit::keyPressEvent(event);
    m_completer->typed(event->text());
}

void YamlView::focusOutEvent(QFocusEvent* event)
{
    PlainTextEdit::focusOutEvent(event);
    if (m_document)
        m_document->endMerge();
}

/// What is wrong in the line, else what the field there means.
QString YamlView::toolTipAt(const QPoint& position) const
{
    const QTextCursor cursor = cursorForPosition(position);
    for (const QTextEdit::ExtraSelection& selection : extraSelections()) {
        if (selection.cursor.blockNumber() == cursor.blockNumber())
            return selection.format.toolTip();
    }
    // Behind the end of a line there is none.
    if (!cursorRect(cursor).adjusted(-m_theme.scaled(12), 0, m_theme.scaled(12), 0).contains(position))
        return {};
    const QString text = typedText();
    const std::optional<FieldMeaning> meaning = meaningAt(text.toStdString(), static_cast<std::size_t>(text.left(cursor.position()).toUtf8().size()));
    if (!meaning)
        return {};
    QStringList lines{texts::shown(meaning->path)};
    if (!meaning->text.empty())
        lines << texts::shown(meaning->text);
    if (!meaning->expected.empty())
        lines << tr("Expected: %1").arg(texts::shown(meaning->expected));
    return texts::toolTip(lines.join(QLatin1Char('\n')));
}

bool YamlView::event(QEvent* event)
{
    // Before Tab leaves the field.
    if (event->type() == QEvent::KeyPress && m_completer->takes(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(viewport()->mapFrom(this, help->pos()));
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return PlainTextEdit::event(event);
}

} // namespace fabricscope
