// The part of MainWindow that joins the selections of its views, goes back and forth among them, and goes to things by name.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/goto.h"
#include "app/desktop/hintline.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/settingplaces.h"
#include "app/desktop/tablespanel.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/sharedfile.h"
#include "widgets/base/texts.h"
#include "widgets/canvas/editing.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/results/inspector.h"
#include "widgets/results/statusstrip.h"
#include "widgets/results/table.h"
#include "widgets/start/commandpalette.h"
#include "widgets/start/manualwindow.h"
#include "widgets/timeline/taskflow.h"
#include "widgets/timeline/view.h"

#include <QSignalBlocker>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricscope {

void MainWindow::connectSelection()
{
    connect(&m_explore->canvas(), &PlatformCanvas::selectionChanged, this, [this](const CanvasElement& element) {
        if (element.kind == CanvasElement::Kind::Link)
            selectLink(element.link, &m_explore->canvas());
        else if (element.kind == CanvasElement::Kind::Node || element.kind == CanvasElement::Kind::Group)
            selectNpu(element.node, &m_explore->canvas());
        else {
            m_inspector->clearSelection();
            m_designPanel->clearElement();
            noteSelection({});
        }
    });
    connect(m_tables, &TablesPanel::linkSelected, this, [this](qint64 link) { selectLink(link, m_tables); });
    connect(m_tables, &TablesPanel::rankSelected, this, [this](qint64 rank) {
        if (const RunResultPtr result = m_history.shown(); result && rank >= 0 && rank < result->record().rankCount)
            selectNpu(result->scenario->structure->placement.nodeOf(static_cast<std::int32_t>(rank)), m_tables);
    });
    connect(m_tables, &TablesPanel::taskSelected, this, &MainWindow::selectTask);
    connect(m_tables, &TablesPanel::collectiveSelected, this, &MainWindow::selectCollective);
    connect(m_tables, &TablesPanel::collectiveActivated, this, [this](qint64 instance) { emit stepThroughRequested(instance); });
    connect(m_tables, &TablesPanel::timeActivated, this, [this](qint64 ps) { m_explore->timeline().goToTime(ps); });
    connect(m_tables, &TablesPanel::exported, this, [this](const QString& path, const QString& error) {
        if (!error.isEmpty())
            return showFailure(Error{ErrorCode::NotWritable, error.toStdString(), {}, {}});
        endProblem();
        say(tr("Table written: %1").arg(path));
    });
    connect(m_tables, &TablesPanel::issueActivated, m_designPanel, &DesignPanel::focusField);
    connect(m_designPanel, &DesignPanel::dimensionSelected, m_inspector, &Inspector::showDimension);
    connect(m_designPanel, &DesignPanel::dimensionSelected, m_editing, &CanvasEditing::setDimension);
    connect(m_designPanel, &DesignPanel::elementSelected, this, [this](NodeId npu, LinkId link) {
        selectNpu(npu, m_designPanel);
        selectLink(link, m_designPanel);
    });
    connect(m_editing, &CanvasEditing::dimensionChosen, m_designPanel, &DesignPanel::selectDimension);
    connect(m_editing, &CanvasEditing::refused, m_status, &StatusStrip::setError);

    TimelineView& timeline = m_explore->timeline();
    connect(&timeline, &TimelineView::selectionChanged, this, [this, &timeline] {
        if (timeline.selection() && timeline.source())
            showTimelineSelection();
        else {
            m_inspector->clearSelection();
            noteSelection({});
        }
    });
    connect(&timeline, &TimelineView::rangeSelected, m_inspector, &Inspector::showRange);
    connect(&timeline, &TimelineView::rangeCleared, m_inspector, &Inspector::clearSelection);
    for (const auto reached : {&TimelineView::pointerMoved, &TimelineView::bookmarkReached})
        connect(&timeline, reached, this, [this](qint64 ps) { m_status->setCoordinates(ps < 0 ? QString() : texts::time(SimTime{ps})); });
    connect(&m_explore->canvas(), &PlatformCanvas::hoverChanged, this, [this](const CanvasElement& element) {
        const PlatformLayout* layout = m_explore->canvas().layoutOfPlatform();
        QString text;
        if (layout && element.kind == CanvasElement::Kind::Link)
            text = QString::fromStdString(layout->platform().linkName(element.link));
        else if (element.kind == CanvasElement::Kind::Node)
            text = tr("NPU %1").arg(element.node);
        m_status->setCoordinates(text);
    });

    connect(m_inspector, &Inspector::stepThrough, this, &Desk::stepThroughRequested);
    connect(m_inspector, &Inspector::selectLink, this, [this](qint64 link) { selectLink(link, m_inspector); });
    connect(m_inspector, &Inspector::showOnTimeline, this, [this](qint64 rank) { m_explore->showRank(rank); });
    connect(m_inspector, &Inspector::tryEdit, this, &MainWindow::tryEdit);
    connect(m_status, &StatusStrip::assumedClicked, this, [this] { setWorkspace(QStringLiteral("report")); });
    connect(m_hint, &HintLine::linkActivated, this, [this](const QString& link) {
        if (link == QStringLiteral("reading:cancel"))
            m_files->cancelReading();
        else if (link == QStringLiteral("design:reload"))
            m_files->reload();
        else if (link == QStringLiteral("design:keep"))
            m_files->shared().keepMine();
        else if (link == QStringLiteral("design:save"))
            m_files->save();
        else if (link == QStringLiteral("start"))
            setWorkspace(QStringLiteral("start"));
        else if (link == QStringLiteral("shortcuts"))
            m_registry->action(QStringLiteral("help.shortcuts"))->trigger();
        else
            std::any_of(m_workspaces.begin(), m_workspaces.end(), [&link](const Page& page) { return page.workspace->followLink(link); });
    });

    connectPalette();
}

void MainWindow::showTimelineSelection()
{
    const TimelineView& timeline = m_explore->timeline();
    const TimelineSource& source = *timeline.source();
    const TimelineSelection at = *timeline.selection();
    const std::int32_t rankClass = source.tracks()[at.track].rankClass;
    const TimelineEvent event = source.event(at.track, at.index);
    m_inspector->showEvent(event, rankClass);
    noteSelection({Selected::Kind::Interval, static_cast<std::int64_t>(at.track), at.index, {}, event.name});
    // The platform marks the first of the NPUs that do this.
    const RunResultPtr result = m_history.shown();
    const PlatformLayout* layout = m_explore->canvas().layoutOfPlatform();
    if (!result || !layout || rankClass < 0 || source.classes()[static_cast<std::size_t>(rankClass)].ranks.empty())
        return;
    CanvasElement element;
    element.kind = CanvasElement::Kind::Node;
    element.node = result->scenario->structure->placement.nodeOf(static_cast<std::int32_t>(source.classes()[static_cast<std::size_t>(rankClass)].ranks.intervals().front().first));
    if (element.node >= layout->platform().npuCount())
        return;
    const QSignalBlocker inspectorStays(m_explore->canvas());
    m_explore->canvas().setSelection(element);
}

/// It is selected in the workspace on show.
void MainWindow::noteSelection(Selected selected)
{
    if (m_walking)
        return;
    selected.workspace = m_workspace;
    m_selections.visit(std::move(selected));
}

bool MainWindow::isThere(const Selected& selected) const
{
    const PlatformLayout* layout = m_explore->canvas().layoutOfPlatform();
    const TimelineSourcePtr& source = m_explore->timeline().source();
    switch (selected.kind) {
    case Selected::Kind::Nothing: return true;
    case Selected::Kind::Npu: return layout && selected.id < layout->platform().npuCount();
    case Selected::Kind::Link: return layout && selected.id < layout->platform().linkCount();
    case Selected::Kind::Interval:
        if (!source || selected.id >= static_cast<std::int64_t>(source->tracks().size()) || selected.index >= source->intervalCount(static_cast<std::size_t>(selected.id)))
            return false;
        return source->event(static_cast<std::size_t>(selected.id), selected.index).name == selected.name;
    }
    return false;
}

void MainWindow::apply(const Selected& selected)
{
    setWorkspace(selected.workspace);
    switch (selected.kind) {
    case Selected::Kind::Nothing:
        m_explore->timeline().setSelection(std::nullopt);
        m_explore->canvas().setSelection({});
        break;
    case Selected::Kind::Npu: selectNpu(static_cast<NodeId>(selected.id), nullptr); break;
    case Selected::Kind::Link: selectLink(selected.id, nullptr); break;
    case Selected::Kind::Interval: {
        const TimelineSelection at{static_cast<std::size_t>(selected.id), selected.index};
        const bool same = m_explore->timeline().selection() == at;
        m_explore->timeline().reveal(at);
        if (same)
            showTimelineSelection(); // Something else was on show since.
        break;
    }
    }
}

/// What the design or the run no longer has is passed over; where nothing else comes one stays: an undo may bring it back.
void MainWindow::walkSelection(bool back)
{
    m_walking = true;
    int passed = 0;
    while (back ? m_selections.canBack() : m_selections.canForward()) {
        const Selected selected = back ? m_selections.back() : m_selections.forward();
        ++passed;
        if (!isThere(selected))
            continue;
        apply(selected);
        passed = 0;
        break;
    }
    for (; passed > 0; --passed)
        back ? m_selections.forward() : m_selections.back();
    m_walking = false;
}

void MainWindow::connectPalette()
{
    m_palette->setElements([this](const QString& typed) {
        GoToTargets targets;
        const PlatformLayout* layout = m_explore->canvas().layoutOfPlatform();
        const RunResultPtr result = m_history.shown();
        const std::shared_ptr<const Design> design = m_document->design();
        targets.platform = layout ? &layout->platform() : nullptr;
        targets.timeline = m_explore->timeline().source();
        targets.workload = result && targets.timeline == result->timeline ? result->scenario->structure->workload : nullptr;
        targets.design = design.get();
        targets.recent = &m_files->recent();
        targets.registry = m_registry;
        targets.npu = [this](NodeId npu) { selectNpu(npu, nullptr); };
        targets.link = [this](LinkId link) { selectLink(link, nullptr); };
        targets.dimension = [this](int dimension) {
            setWorkspace(QStringLiteral("explore"));
            m_designPanel->selectDimension(dimension);
            m_inspector->showDimension(dimension);
        };
        targets.task = [this](TimelineSelection at) {
            setWorkspace(QStringLiteral("explore"));
            m_explore->timeline().reveal(at);
            m_explore->timeline().setFocus();
        };
        targets.file = [this](const QString& path) { m_files->openPaths({path}); };
        targets.example = [this](const QString& id) { m_files->openExample(id); };
        targets.manual = [this](const ManualPlace& place) { ManualWindow::open(this).showPlace(place); };
        targets.settings = findSettings();
        return goToEntries(targets, typed);
    });
}

std::vector<GoToSetting> MainWindow::findSettings()
{
    const QString explore = QStringLiteral("explore");
    const auto nameOf = [this](const QString& key) {
        const QAction* const show = m_registry->action(QStringLiteral("view.") + key);
        return show ? ActionRegistry::plainText(*show) : key;
    };
    std::vector<GoToSetting> settings = settingsOfDialog(*m_registry, ActionRegistry::plainText(*m_registry->action(QStringLiteral("edit.settings"))), this);
    const auto add = [&settings](std::vector<GoToSetting> more) { settings.insert(settings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())); };
    add(settingsOfPage(*m_explore, nameOf(explore), [this, explore] { setWorkspace(explore); }));
    for (const Page& page : m_workspaces)
        add(settingsOfPage(*page.workspace->page(), nameOf(page.key), [this, key = page.key] { setWorkspace(key); }));
    if (m_document->platform())
        add(settingsOfDesign(tr("the design"), [this, explore](const QString& field) {
            setWorkspace(explore);
            QAction* const panel = m_registry->action(QStringLiteral("view.design"));
            if (!panel->isChecked())
                panel->trigger();
            m_designPanel->focusField(field);
        }));
    return settings;
}

void MainWindow::selectLink(LinkId link, QObject* from)
{
    if (link < 0)
        return;
    noteSelection({Selected::Kind::Link, link, 0, {}});
    if (from != &m_explore->canvas()) {
        CanvasElement element;
        element.kind = CanvasElement::Kind::Link;
        element.link = link;
        m_explore->canvas().setSelection(element);
    }
    if (from != m_tables)
        m_tables->selectLink(link);
    if (from != m_designPanel)
        m_designPanel->selectLink(link);
    m_inspector->showLink(link);
}

void MainWindow::selectNpu(NodeId npu, QObject* from)
{
    if (npu < 0)
        return;
    noteSelection({Selected::Kind::Npu, npu, 0, {}});
    if (from != &m_explore->canvas()) {
        CanvasElement element;
        element.kind = CanvasElement::Kind::Node;
        element.node = npu;
        m_explore->canvas().setSelection(element);
    }
    if (from != m_designPanel)
        m_designPanel->selectNpu(npu);
    m_inspector->showNpu(npu);
}

/// Its interval on the timeline.
void MainWindow::selectTask(std::int32_t rank, std::int32_t task)
{
    TimelineView& timeline = m_explore->timeline();
    const std::int32_t rankClass = timeline.source() ? timeline.source()->classOf(rank) : -1;
    if (rankClass < 0)
        return;
    if (const std::optional<TimelineSelection> place = intervalOfTask(*timeline.source(), rankClass, task))
        timeline.reveal(*place);
}

/// On the first of its members.
void MainWindow::selectCollective(qint64 number)
{
    const RunResultPtr result = m_history.shown();
    const auto instance = static_cast<std::size_t>(number);
    if (!result || !result->scenario || number < 0 || instance >= result->scenario->structure->instances.size())
        return;
    const Structure& structure = *result->scenario->structure;
    const CollectiveInstance& collective = structure.instances[instance];
    const auto rank = static_cast<std::int32_t>(structure.workload->families[static_cast<std::size_t>(collective.family)].member(collective.group, 0));
    const RankGraph& graph = structure.workload->graph(rank);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Collective && structure.instanceOf(rank, task) == static_cast<std::int32_t>(number))
            return selectTask(rank, task);
    }
}

void MainWindow::showOnTimeline(qint64 begin, qint64 end)
{
    setWorkspace(QStringLiteral("explore"));
    // It in the middle, with as much before and behind it.
    m_explore->timeline().setVisibleRange({begin - (end - begin), end + (end - begin)});
    m_explore->timeline().setFocus();
}

} // namespace fabricscope
