#include "widgets/workload/shardpage.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/design/document.h"
#include "widgets/results/table.h"
#include "widgets/workload/shardedits.h"
#include "widgets/workload/shardview.h"
#include "widgets/workload/pagechoice.h"

#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kSideWidth = 250;
constexpr int kLeastSide = 190;
constexpr int kShardMiddle = 760;
constexpr int kViewHeight = 430;
constexpr int kTableHeight = 280;
constexpr std::size_t kMostOffers = 5;
constexpr int kCellSurround = 6; ///< Seen of what is around the current cell.

QScrollArea* scrolledPart(QWidget* content, const QString& name, bool sideways = false)
{
    auto* const area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(content);
    area->setAccessibleName(name);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(sideways ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    return area;
}

const PlanGraph* graphOf(const Design& design)
{
    return shardProblemOf(design) ? std::get<PlannedWorkload>(*design.workload).plan->graph.get() : nullptr;
}

} // namespace

ShardPage::ShardPage(QWidget* parent)
    : QWidget(parent), m_split(new QSplitter(Qt::Horizontal)), m_view(new ShardView), m_model(new TableModel(this)), m_collectives(new ResultTable), m_mesh(new ValueRows), m_notes(new ValueRows), m_figures(new ValueRows),
      m_state(new QLabel(tr("Working \u2026"))), m_time(new QLabel), m_timeNote(new QLabel), m_problem(new QLabel), m_path(new QLabel), m_hint(new QLabel), m_bring(new QPushButton), m_offers(new QVBoxLayout)
{
    setAccessibleName(tr("Sharding"));
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(makeLeft());
    m_split->addWidget(makeMiddle());
    m_split->addWidget(makeRight());
    m_split->setStretchFactor(0, 0);
    m_split->setStretchFactor(1, 1);
    m_split->setStretchFactor(2, 0);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_split);
    connect(m_view, &ShardView::axesWanted, this, &ShardPage::chooseAxes);
    connect(m_view, &ShardView::dropWanted, this, &ShardPage::drop);
    connect(m_view, &ShardView::currentChanged, this, &ShardPage::showPath);
    connect(m_collectives, &ResultTable::rowSelected, this, &ShardPage::showOffers);
    connect(m_bring, &QPushButton::clicked, this, &ShardPage::bringIn);
    followTheme(this, &ShardPage::setTheme);
}

ShardPage::~ShardPage()
{
    m_stop.request_stop();
}

QWidget* ShardPage::makeLeft()
{
    auto* const panel = new QWidget;
    auto* const column = new QVBoxLayout(panel);
    const auto title = [&](const QString& text) {
        m_titles.push_back(new QLabel(text));
        column->addWidget(m_titles.back());
    };
    title(tr("Mesh"));
    column->addWidget(m_mesh);
    title(tr("Annotations"));
    column->addWidget(m_notes);
    m_hint->setWordWrap(true);
    column->addWidget(m_hint);
    m_bring->setObjectName(QStringLiteral("bringGraph"));
    m_bring->setText(tr("Copy the graph into the design"));
    column->addWidget(m_bring);
    column->addStretch();
    return scrolledPart(panel, tr("Mesh and annotations"));
}

QWidget* ShardPage::makeMiddle()
{
    m_collectives->setModel(m_model, tr("Communications"));
    auto* const tabs = new QTabWidget;
    tabs->setAccessibleName(tr("What devices send"));
    tabs->addTab(m_collectives, tr("Communications"));
    auto* const split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    QScrollArea* const area = scrolledPart(m_view, tr("Tensors"), true);
    connect(m_view, &ShardView::moved, this, [this, area] {
        const QRect cell = m_view->cellRect(m_view->currentRow(), std::max(0, m_view->currentDim())).toRect();
        area->ensureVisible(cell.center().x(), cell.center().y(), cell.width() / 2 + m_theme.scaled(kCellSurround), cell.height() / 2 + m_theme.scaled(kCellSurround));
    });
    split->addWidget(area);
    split->addWidget(tabs);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({kViewHeight, kTableHeight});
    return split;
}

QWidget* ShardPage::makeRight()
{
    auto* const panel = new QWidget;
    auto* const column = new QVBoxLayout(panel);
    for (QLabel* label : {m_time, m_timeNote, m_problem, m_path})
        label->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_problem->hide();
    // Its room stays, so that nothing below jumps with every edit.
    QSizePolicy keeps = m_state->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    m_state->setSizePolicy(keeps);
    m_state->setObjectName(QStringLiteral("shardState"));
    m_state->hide();
    column->addWidget(m_state);
    column->addWidget(m_problem);
    column->addWidget(m_time);
    column->addWidget(m_timeNote);
    column->addWidget(m_figures);
    m_titles.push_back(new QLabel(tr("How the axes came")));
    column->addWidget(m_titles.back());
    column->addWidget(m_path);
    m_titles.push_back(new QLabel(tr("What would remove it")));
    column->addWidget(m_titles.back());
    column->addLayout(m_offers);
    column->addStretch();
    return scrolledPart(panel, tr("Times and what would remove a communication"));
}

void ShardPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (QLabel* title : m_titles)
        title->setFont(theme.font(TextStyle::Section));
    m_time->setFont(theme.font(TextStyle::Headline));
    for (QLabel* label : {m_state, m_timeNote, m_hint, m_path})
        label->setFont(theme.font(TextStyle::Hint));
    // No part of the sides is out of sight, whatever the size of the letters.
    for (const int side : {0, 2})
        m_split->widget(side)->setMinimumWidth(theme.scaled(kLeastSide));
    m_split->setSizes({theme.scaled(kSideWidth), kShardMiddle, theme.scaled(kSideWidth)});
    showOffers();
}

void ShardPage::setDocument(DesignDocument* document)
{
    if (document && document != m_document) {
        // Of the design before nothing may be seen, or get into the new one.
        connect(document, &DesignDocument::replaced, this, [this] {
            m_stop.request_stop();
            ++m_number;
            setWorking(false);
            m_stale = true;
            clear({});
        });
    }
    m_document = document;
    showDesign();
}

void ShardPage::showDesign()
{
    m_stop.request_stop();
    ++m_number;
    setWorking(false);
    m_stale = true;
    if (isVisible())
        work();
}

void ShardPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        work();
}

QString ShardPage::problemText() const
{
    return m_problem->isHidden() ? QString() : m_problem->text();
}

QString ShardPage::pathText() const
{
    return m_path->text();
}

void ShardPage::showProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    QPalette colors = m_problem->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(Role::Err));
    m_problem->setPalette(colors);
}

void ShardPage::setWorking(bool working)
{
    m_working = working;
    m_state->setVisible(working);
}

void ShardPage::work()
{
    m_stale = false;
    m_stop = std::stop_source();
    const int number = ++m_number;
    std::shared_ptr<const Design> design = m_document ? m_document->design() : nullptr;
    if (!design || !workloadtext::saysGraph(*m_document))
        return clear(tr("The workload of this design is no sharded graph."));
    if (!shardProblemOf(*design)) {
        // What was on show stays here, too.
        if (!m_shard)
            clear(tr("The graph of this design has an error."));
        showProblem(workloadtext::firstProblem(*m_document));
        emit settled();
        return;
    }
    setWorking(true);
    if (!m_shard)
        m_view->setShard(nullptr, m_state->text());
    inBackground(
        this, [design, stop = m_stop.get_token()] { return untilStopped([&] { return analyseShard(design, stop); }); },
        [this, number](Result<ShardDesignPtr> shard) {
            if (number == m_number)
                showShard(std::move(shard));
        });
}

void ShardPage::showShard(Result<ShardDesignPtr> shard)
{
    setWorking(false);
    if (!shard) {
        // What was on show stays, as it may be what the user compares with.
        showProblem(texts::shown(shard.error().message) + (shard.error().expected.empty() ? QString() : tr("\nExpected: %1").arg(texts::shown(shard.error().expected))));
        emit settled();
        return;
    }
    showProblem({});
    m_shard = std::move(shard).value();
    m_view->setShard(m_shard);
    m_collectives->setEmptyText(tr("Devices send each other nothing."));
    m_model->setContent(sharded::collectiveTable(*m_shard));
    const ShardProblem& problem = *m_shard->problem;
    std::vector<ValueRow> axes;
    for (const MeshAxis& axis : problem.mesh.axes)
        axes.push_back({texts::shown(axis.name), texts::count(axis.size)});
    ValueRow sum{tr("Devices"), texts::count(problem.mesh.devices())};
    sum.strong = true;
    axes.push_back(std::move(sum));
    m_mesh->setRows(std::move(axes));
    std::vector<ValueRow> notes;
    for (const TensorAnnotation& note : problem.annotations)
        notes.push_back({texts::shown(problem.graph.tensor(note.tensor).name), texts::shown(layoutText(problem.mesh, {note.dims.value_or(std::vector<AxisList>()), note.unreduced, ReduceKind::Sum}))});
    for (const WantedLayout& wanted : problem.wanted)
        notes.push_back({tr("%1, wanted").arg(texts::shown(problem.graph.tensor(wanted.tensor).name)), texts::shown(layoutText(problem.mesh, {wanted.dims, {}, ReduceKind::Sum}))});
    m_notes->setRows(std::move(notes));
    const PlanGraph* const graph = graphOf(*m_shard->design);
    m_bring->setVisible(!graph->file.empty());
    m_hint->setText(graph->file.empty() ? tr("Solid frame: annotation. Dashed: propagated. Click a cell to set its axes, or press Return; Delete drops the annotation of its tensor.")
                                        : tr("The graph is in %1. Annotations can be edited here when it is in the design.").arg(texts::shown(graph->file)));
    showTimes();
    showOffers();
    showPath();
    emit settled();
}

void ShardPage::showTimes()
{
    const ShardTimes* const times = m_shard && m_shard->times ? &*m_shard->times : nullptr;
    m_time->setText(times ? texts::time({times->finishPs}) : QString());
    m_time->setVisible(times != nullptr);
    if (!times) {
        m_figures->setRows({});
        return m_timeNote->setText(m_shard ? tr("Not simulated: %1").arg(texts::shown(m_shard->whyNotTimed)) : QString());
    }
    m_timeNote->setText(tr("all steps one after another, simulated on the platform of the design"));
    const auto share = [&](std::int64_t ps) { return times->finishPs > 0 ? texts::percent(static_cast<double>(ps) / static_cast<double>(times->finishPs)) : QString(); };
    m_figures->setRows({{tr("Computing"), texts::time({times->computePs}), share(times->computePs), Activity::Compute}, {tr("Exposed communication"), texts::time({times->exposedPs}), share(times->exposedPs)}});
}

/// Shows no graph; `why`: instead of it.
void ShardPage::clear(const QString& why)
{
    m_shard.reset();
    m_view->setShard(nullptr, why);
    m_collectives->setEmptyText({});
    m_model->setContent(nullptr);
    m_mesh->setRows({});
    m_notes->setRows({});
    m_bring->hide();
    m_hint->clear();
    showTimes();
    showOffers();
    showPath();
    showProblem({});
}

/// Of the selected collective; else of all, the best first.
void ShardPage::showOffers()
{
    while (QLayoutItem* const item = m_offers->takeAt(0)) {
        if (QWidget* const widget = item->widget())
            widget->deleteLater();
        delete item;
    }
    m_offered.clear();
    const qint64 selected = m_collectives->selectedId();
    for (const ShardRemoval& removal : m_shard ? m_shard->removals : std::vector<ShardRemoval>()) {
        const bool again = std::ranges::any_of(m_offered, [&](const ShardRemoval& other) { return selected < 0 && other.text == removal.text; });
        if ((selected < 0 || removal.step == static_cast<std::size_t>(selected)) && !again)
            m_offered.push_back(removal);
    }
    std::ranges::stable_sort(m_offered, {}, [](const ShardRemoval& removal) { return removal.finishPs < 0 ? INT64_MAX : removal.finishPs; });
    m_offered.resize(std::min(m_offered.size(), kMostOffers));
    std::vector<TensorId> marked;
    if (m_shard && selected >= 0 && at(selected) < m_shard->plan.program.steps.size()) {
        const PartitionedProgram& program = m_shard->plan.program;
        if (const auto tensor = m_shard->problem->graph.find(program.value(program.steps[at(selected)].out).name))
            marked.push_back(*tensor);
    }
    m_view->setMarked(std::move(marked));
    for (std::size_t i = 0; i < m_offered.size(); ++i) {
        const ShardRemoval& removal = m_offered[i];
        const ProgramStep& step = m_shard->plan.program.steps[removal.step];
        const std::int64_t gain = m_shard->times->finishPs - removal.finishPs;
        const QString time = removal.finishPs < 0 ? texts::shown(removal.problem) : gain == 0 ? tr("as now") : gain > 0 ? tr("\u25bc %1").arg(texts::time({gain})) : tr("\u25b2 %1").arg(texts::time({-gain}));
        addOffer(i, time, tr("instead of the %1 of %2").arg(sharded::kindName(step.kind), texts::shown(m_shard->plan.program.value(step.out).name)));
    }
    if (m_offered.empty()) {
        auto* const label = new QLabel(!m_shard ? QString() : !m_shard->times ? tr("Nothing is simulated.") : selected >= 0 ? tr("Only the five slowest communications are tried, and no change of one annotation removes this one, or it is not among them.") : tr("No change of one annotation removes one of the slowest communications."));
        label->setWordWrap(true);
        label->setFont(m_theme.font(TextStyle::Hint));
        m_offers->addWidget(label);
    }
}

/// Change and gain in one line, below it what goes away and a link.
void ShardPage::addOffer(std::size_t offer, const QString& gain, const QString& instead)
{
    auto* const row = new QWidget;
    auto* const grid = new QGridLayout(row);
    grid->setContentsMargins(0, 0, 0, m_theme.scaled(6));
    grid->setVerticalSpacing(m_theme.scaled(2));
    auto* const change = new QLabel(texts::shown(m_offered[offer].text));
    change->setWordWrap(true);
    change->setFont(m_theme.font(TextStyle::Body));
    auto* const time = new QLabel(gain);
    time->setFont(m_theme.font(TextStyle::BodyStrong));
    time->setAlignment(Qt::AlignRight | Qt::AlignTop);
    auto* const below = new QLabel;
    below->setTextFormat(Qt::RichText);
    below->setText(QStringLiteral("%1 &nbsp;<a href=\"%2\">%3</a>").arg(instead.toHtmlEscaped()).arg(offer).arg(tr("Try")));
    below->setWordWrap(true);
    below->setFont(m_theme.font(TextStyle::Hint));
    below->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    below->setAccessibleName(tr("%1, %2: try it").arg(change->text(), gain));
    connect(below, &QLabel::linkActivated, this, [this, offer] { take(offer); });
    grid->addWidget(change, 0, 0);
    grid->addWidget(time, 0, 1);
    grid->addWidget(below, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    m_offers->addWidget(row);
}

void ShardPage::showPath()
{
    const QString path = m_view->pathText();
    m_path->setText(!path.isEmpty() ? path : m_view->currentRow() < 0 ? tr("Point at a cell that is cut.") : tr("Nothing is cut there, or it follows what it is the gradient of."));
}

/// Is what is on show the design of the document? If not, says why nothing can be edited.
bool ShardPage::isOfDocument()
{
    if (!m_document || !m_shard)
        return false;
    if (!m_working && !m_stale && m_shard->design == m_document->design())
        return true;
    emit refused(m_working || m_stale ? tr("The change before this one is still being worked out: try again in a moment") : tr("The graph on show is that before the error in the design: mend the error first"));
    return false;
}

bool ShardPage::mayEdit()
{
    if (!isOfDocument())
        return false;
    const PlanGraph* const graph = graphOf(*m_shard->design);
    if (graph->file.empty())
        return true;
    emit refused(tr("The graph is in %1: copy it into the design to edit it here").arg(texts::shown(graph->file)));
    return false;
}

void ShardPage::edited(const Status& done)
{
    if (!done)
        emit refused(texts::shown(done.error().message));
}

void ShardPage::setAxes(int row, int dim, const AxisList& axes)
{
    if (!mayEdit())
        return;
    const ShardRow& shown = m_view->rows()[at(row)];
    const ShardProblem& problem = *m_shard->problem;
    const TensorAnnotation* const note = problem.annotationOf(shown.tensor);
    const std::vector<AxisList>& now = note && note->dims ? *note->dims : m_shard->plan.propagated[at(shown.inProgram)];
    const std::vector<AxisList> dims = sharded::withAxes(now, at(dim), axes);
    edited(m_document->edit(tr("Annotate %1").arg(shown.name), [&](YamlDocument& yaml) { return sharded::setAnnotation(yaml, problem, shown.tensor, dims); }));
}

void ShardPage::drop(int row)
{
    if (!mayEdit())
        return;
    const ShardRow& shown = m_view->rows()[at(row)];
    if (!m_shard->problem->annotationOf(shown.tensor))
        return;
    edited(m_document->edit(tr("Drop the annotation of %1").arg(shown.name), [&](YamlDocument& yaml) { return sharded::dropAnnotation(yaml, *m_shard->problem, shown.tensor); }));
}

void ShardPage::take(std::size_t offer)
{
    if (!mayEdit() || offer >= m_offered.size())
        return;
    const ShardRemoval removal = m_offered[offer];
    const ShardProblem& problem = *m_shard->problem;
    edited(m_document->edit(texts::shown(removal.text), [&](YamlDocument& yaml) {
        return removal.note ? sharded::setAnnotation(yaml, problem, removal.tensor, *removal.note->dims, removal.note->closed) : sharded::dropAnnotation(yaml, problem, removal.tensor);
    }));
}

void ShardPage::bringIn()
{
    if (!isOfDocument())
        return;
    const PlanGraph* const graph = graphOf(*m_shard->design);
    edited(m_document->edit(tr("Copy the graph into the design"), [&](YamlDocument& yaml) { return yaml.set("workload.shard", graph->section); }));
}

/// Whole, or one axis or two in either order, as far as the dim has so many elements.
void ShardPage::chooseAxes(int row, int dim, const QPoint& place)
{
    if (!mayEdit())
        return;
    const ShardRow& shown = m_view->rows()[at(row)];
    const ShardProblem& problem = *m_shard->problem;
    const AxisList& now = m_shard->plan.propagated[at(shown.inProgram)][at(dim)];
    std::vector<AxisList> choices = {{}};
    const auto count = static_cast<std::int32_t>(problem.mesh.axes.size());
    for (std::int32_t a = 0; a < count; ++a)
        choices.push_back({wholeAxis(problem.mesh, a)});
    for (std::int32_t a = 0; a < count; ++a) {
        for (std::int32_t b = 0; b < count; ++b) {
            if (a != b)
                choices.push_back({wholeAxis(problem.mesh, a), wholeAxis(problem.mesh, b)});
        }
    }
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const AxisList& axes : choices) {
        QAction* const action = menu->addAction(axes.empty() ? tr("whole") : texts::shown(axesText(problem.mesh, axes)));
        action->setCheckable(true);
        action->setChecked(axes == now);
        action->setEnabled(problem.graph.tensor(shown.tensor).shape[at(dim)] >= shardsOf(axes));
        connect(action, &QAction::triggered, this, [this, row, dim, axes, of = m_shard] {
            if (of == m_shard) // Else the row is another's.
                setAxes(row, dim, axes);
        });
    }
    if (problem.annotationOf(shown.tensor)) {
        menu->addSeparator();
        connect(menu->addAction(tr("Drop the annotation of %1").arg(shown.name)), &QAction::triggered, this, [this, row, of = m_shard] {
            if (of == m_shard)
                drop(row);
        });
    }
    menu->popup(place);
}

} // namespace fabricscope
