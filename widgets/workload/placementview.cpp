#include "widgets/workload/placementview.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/planner/designplacement.h"
#include "core/report/placedfigures.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/results/table.h"
#include "widgets/workload/placedtables.h"
#include "widgets/workload/placementchart.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <utility>

namespace fabricscope {

namespace {

constexpr int kChartsHeight = 470;
constexpr int kStagesHeight = 260;
constexpr int kLookMs = 100;

Result<PlacementFigures> figuresOfDesign(const Design& design, const std::stop_token& stop, PlacementWatch& watch)
{
    return untilStopped([&]() -> Result<PlacementFigures> {
        for (const Diagnostic& problem : validate(design, stop)) {
            if (problem.severity == Severity::Error)
                return toError(problem);
        }
        const Result<DesignPlacement> placed = placeDesign(design, stop, &watch);
        return placed ? Result<PlacementFigures>(figuresOf(placed.value())) : placed.error();
    });
}

} // namespace

PlacementView::PlacementView(QWidget* parent)
    : QWidget(parent), m_ratios(new PlacementChart(PlacementChart::Kind::Ratios)), m_stages(new PlacementChart(PlacementChart::Kind::Stages)), m_programs(new PlacementChart(PlacementChart::Kind::Programs)),
      m_charts(new QScrollArea), m_stageModel(new TableModel(this)), m_instructionModel(new TableModel(this)), m_stageTable(new ResultTable), m_instructionTable(new ResultTable), m_state(makeState())
{
    setAccessibleName(tr("Placement"));
    auto* const charts = new QWidget;
    auto* const column = new QVBoxLayout(charts);
    column->setContentsMargins(0, 0, 0, 0);
    for (PlacementChart* chart : {m_ratios, m_programs, m_stages})
        column->addWidget(chart);
    column->addStretch();
    m_charts->setWidgetResizable(true);
    m_charts->setFrameShape(QFrame::NoFrame);
    m_charts->setWidget(charts);
    m_charts->setAccessibleName(tr("Ratios, baselines and stages"));
    m_charts->setFocusPolicy(Qt::NoFocus);
    m_stageTable->setModel(m_stageModel, tr("Stages"));
    m_instructionTable->setModel(m_instructionModel, tr("Instructions"));
    auto* const tabs = new QTabWidget;
    tabs->setAccessibleName(tr("The program"));
    tabs->addTab(m_stageTable, tr("Stages"));
    tabs->addTab(m_instructionTable, tr("Instructions"));
    auto* const split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(m_charts);
    split->addWidget(tabs);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({kChartsHeight, kStagesHeight});
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_state);
    all->addWidget(split, 1);
    connect(m_stages, &PlacementChart::stageChosen, this, &PlacementView::showStage);
    connect(m_stageTable, &ResultTable::rowSelected, this, [this](qint64 number) { m_stages->setCurrentStage(static_cast<int>(number) - 1); });
    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlowMs);
    m_look.setInterval(kLookMs);
    connect(&m_slow, &QTimer::timeout, this, [this] {
        m_look.start();
        showState();
    });
    connect(&m_look, &QTimer::timeout, this, &PlacementView::showState);
    followTheme(this, &PlacementView::setTheme);
}

PlacementView::~PlacementView()
{
    m_stop.request_stop();
}

QWidget* PlacementView::makeState()
{
    auto* const panel = new QWidget;
    auto* const rows = new QVBoxLayout(panel);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto* const line = new QWidget;
    auto* const row = new QHBoxLayout(line);
    m_stateText = new QLabel;
    m_stateText->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_stopButton = new QPushButton;
    m_stopButton->setObjectName(QStringLiteral("stopPlacement"));
    row->addWidget(m_stateText, 1);
    row->addWidget(m_stopButton);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Placement under way"));
    rows->addWidget(line);
    rows->addWidget(m_progress);
    panel->hide();
    connect(m_stopButton, &QPushButton::clicked, this, [this] { m_working ? stop() : search(); });
    return panel;
}

void PlacementView::setTheme(const Theme& theme)
{
    m_stateText->setFont(theme.font(TextStyle::Body));
}

QString PlacementView::stateText() const
{
    return m_state->isHidden() ? QString() : m_stateText->text();
}

void PlacementView::setDesign(std::shared_ptr<const Design> design)
{
    if (design == m_design && (m_working || m_answered || m_stopped))
        return;
    m_design = std::move(design);
    search();
}

void PlacementView::clear()
{
    m_stop.request_stop();
    ++m_number;
    m_design.reset();
    m_working = m_stopped = m_answered = false;
    showState();
    showFigures(nullptr);
}

void PlacementView::stop()
{
    if (!m_working)
        return;
    m_stop.request_stop();
    ++m_number;
    m_working = false;
    m_stopped = true;
    showState();
    emit settled();
}

void PlacementView::abandon()
{
    if (!m_working)
        return;
    m_stop.request_stop();
    ++m_number;
    m_working = false;
    m_design.reset();
    showState();
}

void PlacementView::search()
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_watch = std::make_shared<PlacementWatch>();
    m_working = true;
    m_stopped = m_answered = false;
    const int number = ++m_number;
    m_slow.start();
    m_look.stop();
    showState();
    emit problemFound({});
    inBackground(
        this, [design = m_design, stop = m_stop.get_token(), watch = m_watch] { return figuresOfDesign(*design, stop, *watch); },
        [this, number](Result<PlacementFigures> figures) {
            if (number == m_number)
                take(std::move(figures));
        },
        m_thread);
}

void PlacementView::take(Result<PlacementFigures> figures)
{
    m_working = false;
    m_answered = true;
    showState();
    if (figures) {
        showFigures(std::make_shared<const PlacementFigures>(std::move(figures).value()));
        emit problemFound({});
    } else {
        // Of another design nothing is left to be taken for this one's.
        showFigures(nullptr);
        const Error& error = figures.error();
        emit problemFound(texts::shown(error.message) + (error.expected.empty() ? QString() : tr("\nExpected: %1").arg(texts::shown(error.expected))));
    }
    emit settled();
}

void PlacementView::showFigures(std::shared_ptr<const PlacementFigures> figures)
{
    m_figures = std::move(figures);
    for (PlacementChart* chart : {m_ratios, m_stages, m_programs})
        chart->setFigures(m_figures);
    m_stageTable->setEmptyText(tr("There is no program."));
    m_instructionTable->setEmptyText(tr("There is no program."));
    m_stageModel->setContent(m_figures ? planned::stageTable(*m_figures) : nullptr);
    m_instructionModel->setContent(m_figures ? planned::instructionTable(*m_figures) : nullptr);
}

/// What is on show stays while it is searched again.
void PlacementView::showState()
{
    if (!m_working) {
        m_slow.stop();
        m_look.stop();
    }
    const bool slow = m_working && !m_slow.isActive();
    m_state->setVisible(slow || m_stopped);
    m_progress->setVisible(slow);
    m_stopButton->setText(m_working ? tr("Stop") : tr("Search"));
    m_stopButton->setToolTip(m_working ? tr("Stop the search for program and ratios") : tr("Search for program and ratios"));
    if (m_stopped)
        return m_stateText->setText(m_figures ? tr("Stopped; what is shown is of the design before") : tr("Stopped"));
    if (!m_watch)
        return;
    switch (m_watch->stage.load()) {
    case PlacementWatch::Stage::Collectives:
        return m_stateText->setText(tr("Timing collectives on the platform"));
    case PlacementWatch::Stage::Searching:
        return m_stateText->setText(tr("Search %1, %2 states before").arg(texts::count(m_watch->searches.load()), texts::count(m_watch->states.load())));
    case PlacementWatch::Stage::Simulating:
        return m_stateText->setText(tr("Simulating what was found and the baselines"));
    }
}

void PlacementView::showStage(int stage)
{
    m_stageTable->selectId(stage < 0 ? -1 : stage + 1);
}

} // namespace fabricscope
