#include "app/desktop/tablespanel.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/design/issuesmodel.h"
#include "widgets/results/boundstable.h"
#include "widgets/results/collectivetable.h"
#include "widgets/results/linktable.h"
#include "widgets/results/logmodel.h"
#include "widgets/results/ranktable.h"
#include "widgets/results/reconcileview.h"
#include "widgets/results/rooflineview.h"
#include "widgets/results/table.h"
#include "widgets/results/timecharts.h"
#include "widgets/results/utilisationcharts.h"
#include "widgets/results/words.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <tuple>

namespace fabricscope {

TablesPanel::TablesPanel(QWidget* parent)
    : QWidget(parent), m_tabs(new QTabBar), m_bars(new QStackedWidget), m_notice(new QLabel), m_pages(new QStackedWidget), m_ranks(new RanksModel(this)),
      m_links(new LinksModel(this)), m_collectives(new CollectivesModel(this)), m_bounds(new TableModel(this)), m_candidates(new TableModel(this)), m_log(new LogModel(this)),
      m_issuesView(new IssuesView), m_charts(new UtilisationCharts), m_timeCharts(new TimeCharts),
      m_rooflines(new RooflineView), m_chartPages(new QStackedWidget), m_models(new ReconcileView)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(m_tabs);
    row->addWidget(m_bars, 1);
    column->addLayout(row);
    column->addWidget(m_notice);
    column->addWidget(m_pages, 1);
    m_notice->setProperty("banner", QStringLiteral("warn"));
    m_notice->setWordWrap(true);
    m_notice->hide();
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    m_tabs->setAccessibleName(tr("Tables"));
    m_bars->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);

    const QString nothing = tr("Nothing has run yet.");
    ResultTable* ranks = addTable(Ranks, tr("Ranks"), nothing);
    ranks->setModel(m_ranks, tr("Ranks"));
    connect(addToggle(ranks, tr("Each rank"), tr("Ranks with the same times are one row; this lists each"), false), &QToolButton::toggled, m_ranks, &RanksModel::setPerRank);
    connect(ranks, &ResultTable::rowSelected, this, &TablesPanel::rankSelected);
    ResultTable* links = addTable(Links, tr("Links"), nothing);
    links->setModel(m_links, tr("Links"));
    connect(addToggle(links, tr("Each link"), tr("Links with the same figures are one row; this lists each"), false), &QToolButton::toggled, m_links, [this](bool each) { m_links->setFolded(!each); });
    connect(links, &ResultTable::rowSelected, this, &TablesPanel::linkSelected);
    addCollectives();
    addCharts();
    auto* models = new QScrollArea;
    models->setWidget(m_models);
    models->setWidgetResizable(true);
    models->setFrameShape(QFrame::NoFrame);
    models->setFocusPolicy(Qt::NoFocus);
    addPage(Models, tr("Models"), models, new QWidget);
    addPage(Issues, tr("Issues"), m_issuesView, new QWidget);
    connect(m_issuesView, &IssuesView::issueActivated, this, &TablesPanel::issueActivated);
    connect(m_issuesView->issues(), &IssuesModel::countChanged, this, [this](int count) {
        m_tabs->setTabText(Issues, count > 0 ? tr("Issues  %1").arg(count) : tr("Issues"));
        m_nextIssue = 0;
    });
    addLog();
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_pages->setCurrentIndex(index);
        m_bars->setCurrentIndex(index);
        fitTabs();
        showNotice();
    });
    followTheme(this, &TablesPanel::setTheme);
}

void TablesPanel::addCollectives()
{
    ResultTable* table = addTable(Collectives, tr("Collectives"), {});
    m_eachGroup = addToggle(table, tr("Each group"), tr("The same collective of all groups is one row; this lists each"), false);
    connect(m_eachGroup, &QToolButton::toggled, m_collectives, [this](bool each) { m_collectives->setFolded(!each); });
    m_collectiveViews = new QComboBox;
    m_collectiveViews->addItem(tr("Times"));
    m_collectiveViews->setItemData(Times, tr("When every collective ran and how long it took"), Qt::ToolTipRole);
    m_collectiveViews->addItem(tr("Bounds"));
    m_collectiveViews->setItemData(Bounds, tr("The least time any algorithm needs, and the share of it that was reached"), Qt::ToolTipRole);
    m_collectiveViews->addItem(tr("Candidates"));
    m_collectiveViews->setItemData(Candidates, tr("What algorithm: auto looked at, and which it took"), Qt::ToolTipRole);
    m_collectiveViews->setAccessibleName(tr("What to list of the collectives"));
    m_collectiveViews->setToolTip(tr("Times, lower bounds, or the candidates of algorithm: auto"));
    static_cast<QHBoxLayout*>(m_barOfTab[Collectives]->layout())->insertWidget(0, m_collectiveViews);
    connect(m_collectiveViews, &QComboBox::currentIndexChanged, this, [this](int index) { showCollectives(static_cast<CollectiveView>(index)); });
    // Rows of bounds and candidates stand for no single collective.
    connect(table, &ResultTable::rowActivated, this, [this](qint64 instance) {
        if (instance >= 0)
            emit collectiveActivated(instance);
    });
    showCollectives(Times);
}

void TablesPanel::addCharts()
{
    m_chartPages->addWidget(m_charts);
    m_chartPages->addWidget(m_timeCharts);
    m_chartPages->addWidget(m_rooflines);
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const auto& [kind, text, place, tip] : {std::tuple{Totals, tr("Totals"), "first", tr("Sums over the whole run")}, {OverTime, tr("Over time"), "true", tr("Shares over time; a click goes to that time")},
                                                 {Rooflines, tr("Roofline"), "last", tr("What computations and collectives reach of what NPUs and network allow")}}) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setProperty("segment", QString::fromLatin1(place));
        connect(button, &QToolButton::clicked, this, [this, view = kind] { showCharts(view); });
        row->addWidget(button);
        m_chartKinds[static_cast<std::size_t>(kind)] = button;
    }
    row->addSpacing(8);
    row->addWidget(m_timeCharts->classChoice());
    row->addWidget(m_rooflines->tableButton());
    row->addWidget(m_rooflines->tableBar(), 1);
    row->addStretch(1);
    connect(m_timeCharts, &TimeCharts::timeActivated, this, &TablesPanel::timeActivated);
    connect(m_rooflines, &RooflineView::taskChosen, this, &TablesPanel::taskSelected);
    connect(m_rooflines, &RooflineView::collectiveChosen, this, &TablesPanel::collectiveSelected);
    connect(m_rooflines, &RooflineView::collectiveActivated, this, &TablesPanel::collectiveActivated);
    connect(m_rooflines, &RooflineView::tableShown, this, &TablesPanel::showChartControls);
    connect(&m_rooflines->table(), &ResultTable::exportDone, this, &TablesPanel::exported);
    addPage(Charts, tr("Charts"), m_chartPages, bar);
    showCharts(Totals);
}

void TablesPanel::addLog()
{
    static constexpr std::array kLeast{Severity::Note, Severity::Warning, Severity::Error};
    ResultTable* const log = addTable(Log, tr("Log"), tr("Nothing to tell."));
    log->setModel(m_log, tr("Log"));
    auto* level = new QComboBox;
    level->addItems({tr("All levels"), tr("Warnings and errors"), tr("Errors")});
    level->setAccessibleName(tr("Level of the log"));
    level->setToolTip(tr("Messages below this level are not shown"));
    connect(level, &QComboBox::currentIndexChanged, m_log, [this](int index) { m_log->setLevel(kLeast[static_cast<std::size_t>(index)]); });
    auto* clear = new QToolButton;
    clear->setText(tr("Clear"));
    clear->setToolTip(tr("Forget all messages"));
    clear->setAccessibleName(tr("Clear the log"));
    connect(clear, &QToolButton::clicked, m_log, &LogModel::clear);
    auto* const row = static_cast<QHBoxLayout*>(m_barOfTab[Log]->layout());
    row->insertWidget(0, level);
    row->insertWidget(1, clear);
}

void TablesPanel::showCharts(ChartView view)
{
    m_chartKinds[static_cast<std::size_t>(view)]->setChecked(true);
    m_chartPages->setCurrentIndex(view);
    showChartControls();
}

/// Those of the charts on show.
void TablesPanel::showChartControls()
{
    const int view = m_chartPages->currentIndex();
    m_timeCharts->classChoice()->setVisible(view == OverTime);
    m_rooflines->tableButton()->setVisible(view == Rooflines);
    m_rooflines->tableBar()->setVisible(view == Rooflines && m_rooflines->isTableShown());
}

void TablesPanel::showCollectives(CollectiveView view)
{
    TableModel* const models[] = {m_collectives, m_bounds, m_candidates};
    const QString names[] = {tr("Collectives"), tr("Lower bounds"), tr("Candidates")};
    m_collectiveViews->setCurrentIndex(view);
    m_eachGroup->setVisible(view == Times);
    sayWhyEmpty();
    m_tables[Collectives]->setModel(models[view], names[view]);
}

void TablesPanel::sayWhyEmpty()
{
    QString text = tr("Nothing has run yet.");
    if (m_hasResult && m_collectiveViews->currentIndex() == Bounds)
        text = tr("No lower bounds: they are known for collectives under the models links and flow.");
    else if (m_hasResult && m_collectiveViews->currentIndex() == Candidates)
        text = tr("Nothing was chosen: no collective of the design says algorithm: auto.");
    m_tables[Collectives]->setEmptyText(text);
}

ResultTable* TablesPanel::addTable(Tab tab, const QString& title, const QString& empty)
{
    auto* table = new ResultTable;
    table->setEmptyText(empty);
    connect(table, &ResultTable::exportDone, this, &TablesPanel::exported);
    addPage(tab, title, table, table->bar());
    m_tables[tab] = table;
    return table;
}

void TablesPanel::addPage(Tab tab, const QString& title, QWidget* page, QWidget* bar)
{
    Q_ASSERT(m_tabs->count() == tab);
    m_tabs->addTab(title);
    m_pages->addWidget(page);
    auto* holder = new QWidget;
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(bar, 1);
    m_bars->addWidget(holder);
    m_tables.push_back(nullptr);
    m_barOfTab.push_back(holder);
}

QToolButton* TablesPanel::addToggle(ResultTable* table, const QString& text, const QString& tip, bool on)
{
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setChecked(on);
    const auto tabOf = static_cast<std::size_t>(std::find(m_tables.begin(), m_tables.end(), table) - m_tables.begin());
    static_cast<QHBoxLayout*>(m_barOfTab[tabOf]->layout())->insertWidget(0, button);
    return button;
}

void TablesPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_bars->setFixedHeight(theme.scaled(34));
    m_notice->setContentsMargins(theme.scaled(12), theme.scaled(3), theme.scaled(12), theme.scaled(3));
    m_notice->setFont(theme.font(TextStyle::Hint));
    fitBars();
}

void TablesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitBars();
}

bool TablesPanel::event(QEvent* event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) // Of a bar, once its controls have the new text or style.
        fitTabs();
    return done;
}

/// Where tabs and bar share little room, the export button is an icon and the filter gives way.
void TablesPanel::fitBars()
{
    const bool narrow = width() < m_theme.scaled(860);
    const int filter = width() < m_theme.scaled(340) ? 36 : narrow ? 52 : 120;
    for (std::size_t tab = 0; tab < m_tables.size(); ++tab) {
        ResultTable* const table = tab == Charts ? &m_rooflines->table() : m_tables[tab];
        auto* button = m_barOfTab[tab]->findChild<QPushButton*>();
        if (!table || !button)
            continue;
        table->filterField()->setMinimumWidth(m_theme.scaled(filter));
        button->setText(narrow ? QString() : tr("Export CSV…"));
        button->setIcon(narrow ? icon("export", m_theme) : QIcon());
        button->setToolTip(tr("Export the table as CSV"));
        button->setAccessibleName(button->toolTip());
    }
    fitTabs();
}

/// Where even that is too much, the bar stands below the tabs; tabs that are wider than all there is scroll beside it, as rows are few then.
void TablesPanel::fitTabs()
{
    auto* row = static_cast<QBoxLayout*>(layout()->itemAt(0)->layout());
    const int leastBar = m_bars->currentWidget()->minimumSizeHint().width() + row->spacing() + row->contentsMargins().right(); // Others may be longer.
    const int leastTabs = m_theme.scaled(100);
    const int wanted = m_tabs->sizeHint().width();
    const bool below = leastTabs + leastBar > width() || (wanted + leastBar > width() && wanted <= width());
    const auto direction = below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (row->direction() != direction) // Setting what is set asks for a new layout each time.
        row->setDirection(direction);
    const QMargins margins(below ? m_theme.scaled(12) : 0, 0, 0, 0);
    for (const QWidget* bar : m_barOfTab) {
        if (bar->layout()->contentsMargins() != margins)
            bar->layout()->setContentsMargins(margins);
    }
    const int room = below ? width() : width() - leastBar;
    const bool crowded = wanted > room;
    if (m_tabs->usesScrollButtons() != crowded)
        m_tabs->setUsesScrollButtons(crowded);
    m_tabs->setSizePolicy(crowded ? QSizePolicy::Preferred : QSizePolicy::Minimum, QSizePolicy::Fixed);
    m_tabs->setMaximumWidth(crowded ? std::max(leastTabs, room) : QWIDGETSIZE_MAX);
    m_tabs->setMinimumWidth(crowded ? std::min(std::max(leastTabs, room), wanted) : 0); // The filter would take what they need.
}

void TablesPanel::setResult(const RunResultPtr& result)
{
    m_ranks->setResult(result);
    m_links->setResult(result);
    m_collectives->setResult(result);
    m_bounds->setContent(result ? boundsContent(result->summary) : nullptr);
    m_candidates->setContent(result ? candidatesContent(result->summary) : nullptr);
    m_hasResult = result != nullptr;
    showNotice();
    sayWhyEmpty();
    m_charts->setResult(result);
    m_timeCharts->setResult(result);
    m_rooflines->setResult(result);
    // Notes are assumptions, which have their own place.
    Diagnostics found = result ? result->summary.diagnostics : Diagnostics();
    std::erase_if(found, [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Note; });
    m_issuesView->issues()->setRunDiagnostics(std::move(found));
}

void TablesPanel::setOutdated(bool outdated)
{
    m_outdated = outdated;
    for (const Tab tab : {Ranks, Links, Collectives})
        m_tables[tab]->setFileMark(outdated ? QStringLiteral("-earlier-inputs") : QString());
    m_rooflines->table().setFileMark(outdated ? QStringLiteral("-earlier-inputs") : QString());
    showNotice();
}

void TablesPanel::setModelsOutdated(bool outdated)
{
    m_modelsOutdated = outdated;
    showNotice();
}

void TablesPanel::showNotice()
{
    const Tab shown = tab();
    const bool ofResult = shown == Ranks || shown == Links || shown == Collectives || shown == Charts;
    const bool earlier = ofResult ? m_outdated && m_hasResult : shown == Models && m_modelsOutdated && m_models->reconciliation();
    m_notice->setText(earlier ? texts::earlierInputs() + QStringLiteral(". ") + texts::earlierInputsExplained() : QString());
    m_notice->setVisible(earlier);
}

QString TablesPanel::notice() const
{
    return m_notice->text();
}

void TablesPanel::setDocument(DesignDocument* document)
{
    m_issuesView->issues()->setDocument(document);
}

void TablesPanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

TablesPanel::Tab TablesPanel::tab() const
{
    return static_cast<Tab>(m_tabs->currentIndex());
}

ResultTable& TablesPanel::table(Tab tab) const
{
    return *m_tables[tab];
}

void TablesPanel::selectLink(LinkId link)
{
    m_tables[Links]->selectId(link);
}

bool TablesPanel::activateNextIssue()
{
    const IssuesModel& model = *m_issuesView->issues();
    const int rows = model.rowCount();
    if (rows == 0)
        return false;
    showTab(Issues);
    const QModelIndex issue = model.index(m_nextIssue++ % rows, 0);
    m_issuesView->setCurrentIndex(issue);
    emit issueActivated(issue.data(IssuesModel::FieldRole).toString(), issue.data(IssuesModel::LineRole).toInt());
    return true;
}

} // namespace fabricscope
