#include "widgets/start/page.h"

#include "widgets/base/apptheme.h"
#include "widgets/start/cards.h"
#include "widgets/start/recentfiles.h"

#include <QAbstractButton>
#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>

namespace fabricscope {

namespace {

constexpr int kColumn = 880;
constexpr int kGap = 20;
constexpr int kCard = 160;

QString age(const QDateTime& opened)
{
    const qint64 days = opened.toLocalTime().date().daysTo(QDate::currentDate());
    if (!opened.isValid())
        return {};
    if (days <= 0)
        return StartPage::tr("today");
    if (days == 1)
        return StartPage::tr("yesterday");
    if (days < 30)
        return StartPage::tr("%1 days ago").arg(days);
    return QLocale().toString(opened.toLocalTime().date(), QLocale::ShortFormat);
}

} // namespace

StartPage::StartPage(RecentFiles* recent, QWidget* parent)
    : QScrollArea(parent)
    , m_recent(recent)
    , m_page(new QWidget)
    , m_column(new QWidget(m_page))
    , m_title(new QLabel(tr("Fabricscope"), m_column))
    , m_cards(new QGridLayout)
    , m_presets(new QGridLayout)
    , m_recentRows(new QVBoxLayout)
    , m_noRecent(new QLabel(tr("Files you open appear here. Drop files anywhere to open them."), m_column))
{
    setAccessibleName(tr("Start page"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* outer = new QHBoxLayout(m_page);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addStretch(1);
    outer->addWidget(m_column, 1000);
    outer->addStretch(1);
    auto* column = new QVBoxLayout(m_column);
    column->setSpacing(0);
    column->addWidget(m_title);

    column->addWidget(head(tr("New")));
    m_cards->setSpacing(kGap);
    column->addLayout(m_cards);
    for (const ShippedDesign& design : designTemplates()) {
        auto* card = new TemplateCard(design, m_column);
        offer(*card, design);
        m_templates += card;
    }

    m_recentHead = head(tr("Recent"));
    column->addWidget(m_recentHead);
    m_recentRows->setSpacing(0);
    column->addLayout(m_recentRows);
    column->addWidget(m_noRecent);

    column->addWidget(head(tr("Examples")));
    for (const ShippedDesign& design : exampleDesigns()) {
        StartRow* line = row(design.title, design.detail);
        offer(*line, design);
        m_examples.insert(design.id, line);
        column->addWidget(line);
    }

    column->addWidget(head(tr("Case studies")));
    for (const ShippedCase& shipped : shippedCases()) {
        StartRow* line = row(shipped.title, {});
        connect(line, &QAbstractButton::clicked, this, [this, line, &shipped] { showDesigns(*line, shipped); });
        column->addWidget(line);
        m_answers += new QLabel(shipped.question + QLatin1Char('\n') + shipped.answer, m_column);
        column->addWidget(m_answers.last());
    }

    column->addWidget(head(tr("Presets")));
    m_presets->setSpacing(0);
    m_presets->setHorizontalSpacing(kGap);
    column->addLayout(m_presets);
    for (const ShippedDesign& design : presetDesigns()) {
        StartRow* line = row(design.title, design.detail);
        offer(*line, design);
        m_presetRows += line;
    }
    column->addStretch(1);
    setWidget(m_page);

    if (m_recent) {
        connect(m_recent, &QAbstractItemModel::modelReset, this, [this] { fillRecent(); });
        connect(m_recent, &QAbstractItemModel::dataChanged, this, [this] { fillRecent(); });
    }
    followTheme(this, &StartPage::setTheme);
}

QLabel* StartPage::head(const QString& text)
{
    auto* label = new QLabel(text, m_column);
    m_heads += label;
    return label;
}

StartRow* StartPage::row(const QString& title, const QString& detail)
{
    auto* made = new StartRow(title, detail, m_column);
    m_rows += made;
    return made;
}

void StartPage::offer(QAbstractButton& button, const ShippedDesign& design)
{
    connect(&button, &QAbstractButton::clicked, this, [this, design] { emit openText(QString::fromStdString(design.text), design.id + QStringLiteral(".yaml")); });
}

void StartPage::showDesigns(StartRow& line, const ShippedCase& shipped)
{
    auto* menu = new QMenu(&line);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const ShippedDesign& design : shipped.designs) {
        const QAction* open = menu->addAction(design.title);
        connect(open, &QAction::triggered, this, [this, design] { emit openText(QString::fromStdString(design.text), design.id + QStringLiteral(".yaml")); });
    }
    menu->popup(line.mapToGlobal(QPoint(0, line.height())));
}

void StartPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    QPalette back = theme.palette();
    back.setColor(QPalette::Window, theme.color(Role::Panel));
    m_page->setPalette(back);
    m_page->setAutoFillBackground(true);
    const auto style = [&](QLabel& label, TextStyle text, Role role) {
        label.setFont(theme.font(text));
        QPalette own = back;
        own.setColor(QPalette::WindowText, theme.color(role));
        label.setPalette(own);
    };
    style(*m_title, TextStyle::Title, Role::Text);
    for (QLabel* label : m_answers + QList<QLabel*>{m_noRecent}) {
        style(*label, TextStyle::Table, Role::Text3);
        label->setContentsMargins(theme.scaled(8), 0, 0, label == m_noRecent ? 0 : theme.scaled(8));
        label->setWordWrap(true);
    }
    for (QLabel* label : m_heads) {
        style(*label, TextStyle::Section, Role::Text2);
        label->setContentsMargins(0, theme.scaled(24), 0, theme.scaled(8));
    }
    m_column->setMaximumWidth(theme.scaled(kColumn) + 2 * kGap);
    m_column->layout()->setContentsMargins(kGap, theme.scaled(32), kGap, theme.scaled(32));
    fillRecent();
    arrange();
}

void StartPage::setExampleResult(const QString& id, const QString& result)
{
    if (StartRow* line = m_examples.value(id))
        line->setRight(result);
}

void StartPage::fillRecent()
{
    // One of them may be what was clicked to get here.
    for (StartRow* line : m_recentList) {
        line->hide();
        line->deleteLater();
    }
    m_recentList.clear();
    const int count = m_recent ? m_recent->rowCount() : 0;
    for (int at = 0; at < count; ++at) {
        const QModelIndex index = m_recent->index(at, 0);
        auto* line = new StartRow(index.data().toString(), index.data(RecentFiles::FolderRole).toString(), m_column);
        const bool exists = index.data(RecentFiles::ExistsRole).toBool();
        const QString result = index.data(RecentFiles::ResultRole).toString();
        const QString opened = age(index.data(RecentFiles::OpenedRole).toDateTime());
        line->setRight(!exists ? tr("no longer there") : result.isEmpty() ? opened : result + QStringLiteral(" · ") + opened);
        line->setEnabled(exists);
        const QString path = index.data(RecentFiles::PathRole).toString();
        connect(line, &QAbstractButton::clicked, this, [this, path] { emit openPath(path); });
        m_recentRows->addWidget(line);
        m_recentList += line;
    }
    m_noRecent->setVisible(count == 0);
}

void StartPage::arrange()
{
    const int room = std::min(viewport()->width(), m_theme.scaled(kColumn) + 2 * kGap) - 2 * kGap;
    const int perRow = std::clamp((room + kGap) / (m_theme.scaled(kCard) + kGap), 1, 5);
    for (int at = 0; at < static_cast<int>(m_templates.size()); ++at)
        m_cards->addWidget(m_templates[at], at / perRow, at % perRow, Qt::AlignLeft | Qt::AlignTop);
    for (int at = 0; at < 6; ++at)
        m_cards->setColumnStretch(at, at == perRow ? 1 : 0);
    const int columns = room >= m_theme.scaled(640) ? 2 : 1;
    const int rows = (static_cast<int>(m_presetRows.size()) + columns - 1) / columns;
    for (int at = 0; at < static_cast<int>(m_presetRows.size()); ++at)
        m_presets->addWidget(m_presetRows[at], at % rows, at / rows);
}

void StartPage::showEvent(QShowEvent* event)
{
    // Files may have gone or come back since.
    if (m_recent)
        m_recent->refresh();
    QScrollArea::showEvent(event);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

} // namespace fabricscope
