#include "widgets/workload/planpage.h"

#include "core/base/stop.h"
#include "core/design/design.h"
#include "core/model/presetmodels.h"
#include "core/plan/analysis.h"
#include "core/plan/planspec.h"
#include "core/report/planfigures.h"
#include "core/scenario/designplan.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/design/document.h"
#include "widgets/results/planrows.h"
#include "widgets/results/table.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/placedtables.h"
#include "widgets/workload/placementview.h"
#include "widgets/workload/planform.h"
#include "widgets/workload/plantables.h"
#include "widgets/workload/pagechoice.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kPlanSide = 270;
constexpr int kMiddleWidth = 800;
constexpr int kChartHeight = 420;
constexpr int kTablesHeight = 320;

/// Scrolls up and down only: it is never narrower than what it holds.
class UprightScroll : public QScrollArea
{
public:
    QSize minimumSizeHint() const override
    {
        const int room = (widget() ? widget()->minimumSizeHint().width() : 0) + verticalScrollBar()->sizeHint().width();
        return {room, QScrollArea::minimumSizeHint().height()};
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

QScrollArea* scrolled(QWidget* content, const QString& name, QScrollArea* area = new QScrollArea)
{
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(content);
    area->setAccessibleName(name);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}

QString scheduleTitle(PipelineSchedule schedule)
{
    switch (schedule) {
    case PipelineSchedule::GPipe: return QStringLiteral("GPipe");
    case PipelineSchedule::OneForwardOneBackward: return QStringLiteral("1F1B");
    case PipelineSchedule::Interleaved: return QCoreApplication::translate("Plan", "interleaved");
    case PipelineSchedule::ZeroBubbleH1: return QStringLiteral("ZB-H1");
    case PipelineSchedule::ZeroBubbleH2: return QStringLiteral("ZB-H2");
    case PipelineSchedule::ZeroBubbleV: return QStringLiteral("ZB-V");
    case PipelineSchedule::DualPipe: return QStringLiteral("DualPipe");
    case PipelineSchedule::DualPipeV: break;
    }
    return QStringLiteral("DualPipeV");
}

} // namespace

PlanPage::PlanPage(QWidget* parent)
    : QWidget(parent), m_split(new QSplitter(Qt::Horizontal)), m_middle(new QStackedWidget), m_placement(new PlacementView), m_form(new PlanForm), m_chart(new PipelineChart), m_tabs(new QTabWidget), m_communicationModel(new TableModel(this)),
      m_memoryModel(new TableModel(this)), m_communications(new ResultTable), m_memory(new ResultTable), m_figures(new ValueRows), m_simulated(new ValueRows), m_simulatedTitle(new QLabel), m_title(new QLabel), m_estimate(new QLabel),
      m_problem(new QLabel), m_search(new QPushButton(tr("Best plans\u2026")))
{
    setAccessibleName(tr("Workload"));
    QStringList presets;
    for (const ModelPreset& preset : modelPresets())
        presets.append(QString::fromUtf8(preset.name.data(), static_cast<qsizetype>(preset.name.size())));
    m_form->setPresets(presets);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(scrolled(m_form, tr("Model and plan"), new UprightScroll));
    m_split->addWidget(makeMiddle());
    m_split->addWidget(makeRight());
    m_split->setStretchFactor(0, 0);
    m_split->setStretchFactor(1, 1);
    m_split->setStretchFactor(2, 0);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_split);
    connect(m_form, &PlanForm::refused, this, &PlanPage::refused);
    connect(m_placement, &PlacementView::problemFound, this, &PlanPage::showProblem);
    connect(m_placement, &PlacementView::settled, this, [this] {
        showPlacement();
        emit settled();
    });
    setRun(nullptr);
    followTheme(this, &PlanPage::setTheme);
}

PlanPage::~PlanPage()
{
    m_stop.request_stop();
}

QWidget* PlanPage::makeMiddle()
{
    m_communications->setModel(m_communicationModel, tr("Communications"));
    m_memory->setModel(m_memoryModel, tr("Memory"));
    m_tabs->setAccessibleName(tr("What ranks send and hold"));
    m_tabs->addTab(m_communications, tr("Communications"));
    m_tabs->addTab(m_memory, tr("Memory"));
    auto* const split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(scrolled(m_chart, tr("Pipeline and memory")));
    split->addWidget(m_tabs);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({kChartHeight, kTablesHeight});
    m_middle->addWidget(split);
    m_middle->addWidget(m_placement);
    return m_middle;
}

QWidget* PlanPage::makeRight()
{
    auto* const panel = new QWidget;
    auto* const column = new QVBoxLayout(panel);
    for (QLabel* label : {m_simulatedTitle, m_title, m_estimate, m_problem})
        label->setWordWrap(true);
    m_title->setText(tr("Step, estimated"));
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_problem->hide();
    m_search->setToolTip(tr("Search the fastest plans for this model on this platform"));
    connect(m_search, &QPushButton::clicked, this, &PlanPage::searchRequested);
    column->addWidget(m_search, 0, Qt::AlignLeft);
    column->addWidget(m_simulatedTitle);
    column->addWidget(m_simulated);
    column->addWidget(m_title);
    column->addWidget(m_problem);
    column->addWidget(m_figures);
    column->addWidget(m_estimate);
    column->addStretch();
    return scrolled(panel, tr("What the plan comes to"), new UprightScroll);
}

void PlanPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font(TextStyle::Title));
    m_simulatedTitle->setFont(theme.font(TextStyle::Title));
    m_estimate->setFont(theme.font(TextStyle::Hint));
    m_split->setSizes({theme.scaled(kPlanSide), kMiddleWidth, theme.scaled(kPlanSide)});
}

void PlanPage::setDocument(DesignDocument* document)
{
    if (document && document != m_document)
        connect(document, &DesignDocument::replaced, this, [this] { clear({}, {}); });
    m_document = document;
    m_form->setDocument(document);
    showDesign();
}

void PlanPage::setRun(const RunResultPtr& run)
{
    const bool planned = run && run->summary.plan && run->record().complete;
    std::vector<ValueRow> rows;
    if (planned) {
        rows = simulatedPlanRows(*run->summary.plan, run->record().finish.ps);
        rows.insert(rows.begin(), ValueRow{run->summary.plan->served ? tr("Simulated time") : tr("Step"), texts::time(run->record().finish)});
    }
    m_simulatedTitle->setText(planned && run->summary.plan->served ? tr("Inference, simulated") : tr("Step, simulated"));
    m_simulatedTitle->setVisible(planned);
    m_simulated->setVisible(planned);
    m_simulated->setRows(std::move(rows));
}

void PlanPage::showDesign()
{
    m_stop.request_stop();
    ++m_number;
    m_working = false;
    m_stale = true;
    if (isVisible())
        look();
    else
        m_placement->abandon();
}

void PlanPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        look();
}

void PlanPage::look()
{
    work();
    if (isSettled())
        emit settled();
}

bool PlanPage::isSettled() const
{
    return !m_working && !m_stale && !(showsPlacement() && m_placement->isWorking());
}

bool PlanPage::showsPlacement() const
{
    return m_middle->currentWidget() == m_placement;
}

QString PlanPage::problemText() const
{
    return m_problem->isHidden() ? QString() : m_problem->text();
}

void PlanPage::showProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    QPalette colors = m_problem->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(Role::Err));
    m_problem->setPalette(colors);
}

void PlanPage::work()
{
    m_stale = false;
    m_stop = std::stop_source();
    const int number = ++m_number;
    const std::shared_ptr<const Design> design = m_document ? m_document->design() : nullptr;
    const auto* const planned = design && design->workload ? std::get_if<PlannedWorkload>(design->workload.get()) : nullptr;
    const bool isPlanned = planned && !planned->plan->graph;
    if (!isPlanned && m_document && workloadtext::saysPlan(*m_document)) {
        // What was on show stays, as below.
        if (m_chart->rowCount() == 0 && !showsPlacement())
            clear(tr("The model or the plan of this design has an error."), {});
        m_placement->abandon();
        return showProblem(workloadtext::firstProblem(*m_document));
    }
    if (!isPlanned)
        return clear(tr("This design has no plan: its workload is a trace, a list of steps or one collective.\nTake a model at the left."), tr("There is no plan."));
    if (planned->plan->placement == PlanPlacement::Hap)
        return showPlacement();
    m_middle->setCurrentIndex(0);
    m_placement->clear();
    m_title->show();
    m_title->setText(planned->plan->inference ? tr("Inference, estimated") : tr("Step, estimated"));
    m_communications->setEmptyText(tr("Ranks of this plan send each other nothing."));
    m_memory->setEmptyText(tr("Without a model nothing is known of the memory."));
    m_working = true;
    const std::optional<Quantity>& memory = design->platform ? design->platform->npu.memory : std::nullopt;
    m_capacity = memory ? toBytes(*memory).value : 0;
    inBackground(
        this, [design, stop = m_stop.get_token()] { return untilStopped([&] { return analyseDesign(*design, stop); }); },
        [this, number](Result<DesignPlan> plan) {
            if (number != m_number)
                return;
            take(std::move(plan));
            emit settled();
        });
}

/// Shows no plan; `why` and `ofRanks`: instead of the chart and of the tables.
void PlanPage::clear(const QString& why, const QString& ofRanks)
{
    m_middle->setCurrentIndex(0);
    m_placement->clear();
    m_title->hide();
    m_communications->setEmptyText(ofRanks);
    m_memory->setEmptyText(ofRanks);
    m_chart->setDrawing(nullptr, why);
    m_communicationModel->setContent(nullptr);
    m_memoryModel->setContent(nullptr);
    m_figures->setRows({});
    m_estimate->clear();
    showProblem({});
}

void PlanPage::take(Result<DesignPlan> plan)
{
    m_working = false;
    if (!plan) {
        // What was on show stays, as it may be what the user compares with.
        if (m_chart->rowCount() == 0)
            clear(tr("The stages are not known: the right says what is wrong."), {});
        showProblem(texts::shown(plan.error().message) + (plan.error().expected.empty() ? QString() : tr("\nExpected: %1").arg(texts::shown(plan.error().expected))));
        m_figures->setRows({});
        return;
    }
    const PlanAnalysis& analysis = plan.value().analysis;
    m_communicationModel->setContent(planned::communicationTable(analysis));
    m_memoryModel->setContent(planned::memoryTable(analysis));
    m_figures->setRows(planned::figureRows(analysis));
    QStringList problems;
    for (const Diagnostic& finding : analysis.findings)
        problems.append(texts::shown(finding.message) + (finding.expected.empty() ? QString() : QStringLiteral("\n") + texts::shown(finding.expected)));
    showProblem(problems.join(QStringLiteral("\n\n")));
    m_estimate->setText(texts::shown(plan.value().estimate));
    showChart(plan.value());
}

/// What a search decides: it goes on beside the window.
void PlanPage::showPlacement()
{
    const auto* const planned = m_document && m_document->design() && m_document->design()->workload ? std::get_if<PlannedWorkload>(m_document->design()->workload.get()) : nullptr;
    if (!planned || planned->plan->placement != PlanPlacement::Hap)
        return;
    if (!showsPlacement()) {
        clear({}, {});
        m_middle->setCurrentWidget(m_placement);
    }
    m_placement->setDesign(m_document->design());
    m_title->setText(tr("Step, placed by speed"));
    m_title->show();
    const PlacementFigures* const figures = m_placement->figures().get();
    m_figures->setRows(figures ? planned::placementRows(*figures) : std::vector<ValueRow>());
    QString note = figures ? texts::shown(figures->note) : QString();
    if (figures && !figures->proved)
        note += (note.isEmpty() ? QString() : QStringLiteral("\n")) + tr("There were too many states to look at all: the program need not be the best.");
    m_estimate->setText(note);
}

/// Rows of the chart are places of the pipeline; memory is that of the first rank of each.
void PlanPage::showChart(const DesignPlan& plan)
{
    const PlanAnalysis& analysis = plan.analysis;
    if (!analysis.batches.empty())
        return m_chart->setDrawing(nullptr, tr("This plan generates text: the stages of inference are not drawn."));
    if (!analysis.times)
        return m_chart->setDrawing(nullptr, tr("How long the stages take is not known: the NPU has no peak rate, and the plan no times."));
    if (!analysis.times->operations)
        return m_chart->setDrawing(nullptr, tr("Too many operations to draw: more than %1.").arg(texts::count(kMostShownOperations)));
    auto drawing = std::make_shared<PipelineDrawing>();
    drawing->orders = *analysis.orders;
    drawing->times = *analysis.times->operations;
    for (const PlanStage& stage : analysis.stages) {
        drawing->names.append(tr("Stage %1").arg(stage.stage));
        const auto holds = [&](const PlanMemory& row) { return !stage.ranks.empty() && row.ranks.contains(stage.ranks.intervals().front().first); };
        const auto memory = std::find_if(analysis.memory.begin(), analysis.memory.end(), holds);
        if (memory != analysis.memory.end())
            drawing->memory.push_back({memory->parameters, memory->gradients, memory->optimizer, memory->activations, memory->buffers + memory->kvCache, memory->peak()});
    }
    if (drawing->memory.size() != analysis.stages.size())
        drawing->memory.clear();
    drawing->capacity = m_capacity;
    drawing->title = tr("Pipeline, %1").arg(scheduleTitle(drawing->orders.shape.schedule));
    const std::int64_t batches = drawing->orders.shape.microBatches;
    const std::int64_t stages = drawing->orders.shape.stages();
    drawing->foot = tr("%1 through %2: %3").arg(batches == 1 ? tr("1 micro-batch") : tr("%1 micro-batches").arg(texts::count(batches)), stages == 1 ? tr("1 stage") : tr("%1 stages").arg(texts::count(stages)),
                                                texts::time({drawing->times.makespan}));
    m_chart->setDrawing(std::move(drawing));
}

} // namespace fabricscope
