#include "widgets/start/manualwindow.h"

#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextList>
#include <QVBoxLayout>

static void initManualResources() // a static library's resources are not found otherwise; the macro wants to stand outside namespaces
{
    Q_INIT_RESOURCE(manual);
}

namespace fabricscope {

namespace {

QString textOf(const QString& name)
{
    QFile file(QStringLiteral(":/manual/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Room between paragraphs, above headings, and none between the lines of one example.
void spread(QTextDocument& page)
{
    const double line = QFontMetricsF(page.defaultFont()).lineSpacing();
    QTextCursor cursor(&page);
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool code = format.hasProperty(QTextFormat::BlockCodeLanguage) || format.hasProperty(QTextFormat::BlockCodeFence);
        const QTextBlockFormat next = block.next().blockFormat();
        const bool codeGoesOn = code && (next.hasProperty(QTextFormat::BlockCodeLanguage) || next.hasProperty(QTextFormat::BlockCodeFence));
        const bool heading = format.headingLevel() > 0;
        format.setTopMargin(heading && block != page.begin() ? line : 0);
        format.setBottomMargin(codeGoesOn || (format.objectIndex() >= 0 && block.textList()) ? 0 : line / 2);
        cursor.setPosition(block.position());
        cursor.setBlockFormat(format);
    }
}

/// What a topic is called where it is cited: its file without number and ending.
QString wordOf(const QString& name)
{
    return name.section(QLatin1Char('-'), 1).chopped(3);
}

/// "3.2" of "### 3.2 Links" and "3" of "## 3. A message"; empty: not the line of a section.
QString sectionOf(const QString& heading)
{
    static const QRegularExpression number(QStringLiteral("^#+ (\\d+(?:\\.\\d+)?)\\.?(?: |$)"));
    return number.match(heading).captured(1);
}

/// Parts of a text by turns outside and inside of examples: blocks between lines of ``` and words between `.
QStringList partsByCode(const QString& markdown)
{
    static const QRegularExpression code(QStringLiteral("```.*?```|`[^`]*`"), QRegularExpression::DotMatchesEverythingOption);
    QStringList parts;
    qsizetype at = 0;
    for (auto match = code.globalMatch(markdown); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        parts << markdown.mid(at, found.capturedStart() - at) << found.captured();
        at = found.capturedEnd();
    }
    return parts << markdown.mid(at);
}

} // namespace

const std::vector<ManualPlace>& manualPlaces()
{
    static const std::vector<ManualPlace> places = [] {
        initManualResources();
        static const QRegularExpression mark(QStringLiteral("^#+ (?:\\d+(?:\\.\\d+)?\\.? )?"));
        std::vector<ManualPlace> found;
        for (const QString& name : QDir(QStringLiteral(":/manual")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
            const QStringList parts = partsByCode(textOf(name));
            for (qsizetype i = 0; i < parts.size(); i += 2) {
                for (const QString& line : parts[i].split(QLatin1Char('\n'))) {
                    const QString section = sectionOf(line);
                    if (!section.isEmpty() || line.startsWith(QStringLiteral("# ")))
                        found.push_back({QString(line).remove(mark), wordOf(name), section});
                }
            }
        }
        return found;
    }();
    return places;
}

/// The text with a link around what cites a section that there is.
QString ManualWindow::linked(const QString& markdown, const QString& topic) const
{
    static const QRegularExpression citation(QStringLiteral("\\b([a-z]+)\\s(\\d+(?:\\.\\d+)?)(?![\\w.]*\\w)"));
    QStringList parts = partsByCode(markdown);
    for (qsizetype i = 0; i < parts.size(); i += 2) {
        QString text;
        qsizetype at = 0;
        for (auto match = citation.globalMatch(parts[i]); match.hasNext();) {
            const QRegularExpressionMatch found = match.next();
            const QString word = found.captured(1) == QStringLiteral("section") ? topic : found.captured(1);
            if (!m_named.value(word).sections.contains(found.captured(2)))
                continue;
            text += parts[i].mid(at, found.capturedStart() - at) + QStringLiteral("[%1](#%2-%3)").arg(found.captured(), word, found.captured(2));
            at = found.capturedEnd();
        }
        parts[i] = text + parts[i].mid(at);
    }
    return parts.join(QString());
}

ManualWindow::ManualWindow(QWidget* parent)
    : QDialog(parent)
    , m_topics(new QListWidget(this))
    , m_page(new QTextBrowser(this))
    , m_field(new QLineEdit(this))
    , m_message(new QLabel(this))
{
    initManualResources();
    setWindowTitle(tr("Manual"));
    setAccessibleName(windowTitle());
    m_topics->setAccessibleName(tr("Topics"));
    m_page->setAccessibleName(tr("Text of the topic"));
    m_page->setOpenLinks(false);
    m_page->setSearchPaths({QStringLiteral(":/manual")}); // Pictures.
    m_field->setAccessibleName(tr("Find in the manual"));
    m_field->setPlaceholderText(tr("Find in the manual (Ctrl+F)"));
    m_field->setClearButtonEnabled(true);
    m_message->setObjectName(QStringLiteral("message"));
    m_message->setTextFormat(Qt::PlainText);

    for (const QString& name : QDir(QStringLiteral(":/manual")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
        auto* item = new QListWidgetItem(textOf(name).section(QLatin1Char('\n'), 0, 0).mid(2), m_topics);
        item->setData(Qt::UserRole, name);
        Topic& topic = m_named[wordOf(name)];
        topic.row = m_topics->row(item);
        const QStringList parts = partsByCode(textOf(name));
        for (qsizetype i = 0; i < parts.size(); i += 2) { // A heading begins outside of code.
            for (const QString& line : parts[i].split(QLatin1Char('\n')))
                topic.sections << sectionOf(line);
        }
        topic.sections.removeAll(QString());
    }

    auto* top = new QHBoxLayout;
    top->addWidget(m_field, 1);
    top->addWidget(m_message);
    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(top);
    column->addWidget(m_page, 1);
    auto* splitter = new QSplitter(this);
    splitter->addWidget(m_topics);
    splitter->addWidget(right);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(splitter);
    const int letter = fontMetrics().horizontalAdvance(QLatin1Char('n'));
    splitter->setSizes({34 * letter, 106 * letter});
    resize(140 * letter, 45 * fontMetrics().lineSpacing());

    connect(m_topics, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0)
            return;
        const QString name = m_topics->item(row)->data(Qt::UserRole).toString();
        m_page->setMarkdown(linked(textOf(name), wordOf(name)));
        spread(*m_page->document());
    });
    connect(m_page, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        const QString cited = link.fragment();
        showSection(cited.section(QLatin1Char('-'), 0, 0), cited.section(QLatin1Char('-'), 1));
    });
    connect(m_field, &QLineEdit::textChanged, m_message, &QLabel::clear);
    connect(m_field, &QLineEdit::returnPressed, this, [this] { findNext(); });
    const auto key = [this](const QKeySequence& keys, auto&& does) { connect(new QShortcut(keys, this), &QShortcut::activated, this, does); };
    key(QKeySequence::Find, [this] {
        m_field->setFocus(Qt::ShortcutFocusReason);
        m_field->selectAll();
    });
    key(QKeySequence(Qt::Key_F3), [this] { findNext(); });
    key(QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { findNext(true); });
    showTopic(0);
    m_topics->setFocus();
}

ManualWindow& ManualWindow::open(QWidget* parent)
{
    auto* window = parent->findChild<ManualWindow*>(QString(), Qt::FindDirectChildrenOnly);
    if (!window)
        window = new ManualWindow(parent);
    window->show();
    window->raise();
    window->activateWindow();
    return *window;
}

void ManualWindow::showTopic(int row)
{
    m_topics->setCurrentRow(row);
}

bool ManualWindow::showSection(const QString& topic, const QString& number)
{
    const auto found = m_named.constFind(topic);
    if (found == m_named.constEnd() || !found->sections.contains(number))
        return false;
    showTopic(found->row);
    for (QTextBlock block = m_page->document()->begin(); block.isValid(); block = block.next()) {
        const QString heading = QString(block.blockFormat().headingLevel(), QLatin1Char('#')) + QLatin1Char(' ') + block.text();
        if (block.blockFormat().headingLevel() < 2 || sectionOf(heading) != number)
            continue;
        m_page->setTextCursor(QTextCursor(block));
        m_page->verticalScrollBar()->setValue(static_cast<int>(m_page->document()->documentLayout()->blockBoundingRect(block).top()));
        return true;
    }
    return false;
}

void ManualWindow::showPlace(const ManualPlace& place)
{
    if (place.section.isEmpty())
        showTopic(m_named.value(place.topic).row);
    else
        showSection(place.topic, place.section);
}

bool ManualWindow::findNext(bool backwards)
{
    const QString text = m_field->text();
    const int count = m_topics->count();
    if (text.isEmpty() || count == 0)
        return false;
    const QTextDocument::FindFlags flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    const int first = m_topics->currentRow();
    // Once round, and at last the part of the first topic before the place where it began.
    for (int step = 0; step <= count; ++step) {
        if (step > 0) {
            showTopic((first + (backwards ? count - step : step)) % count);
            m_page->moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);
        }
        if (m_page->find(text, flags)) {
            m_message->clear();
            return true;
        }
    }
    m_message->setText(tr("Not found"));
    return false;
}

} // namespace fabricscope
