// The part of MainWindow that answers commands and joins the selections of its views.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/maintoolbar.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/modelchoice.h"
#include "app/desktop/modelcomparison.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "app/version.h"
#include "core/design/edits/edits.h"
#include "core/design/linknames.h"
#include "core/report/runfile.h"
#include "widgets/base/apptheme.h"
#include "widgets/start/commandpalette.h"
#include "widgets/canvas/editing.h"
#include "widgets/design/editactions.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/results/inspector.h"
#include "widgets/results/logmodel.h"
#include "widgets/start/manualwindow.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/results/table.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/start/shortcutsheet.h"
#include "widgets/base/showntexts.h"
#include "widgets/results/statusstrip.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/view.h"
#include "widgets/report/viewexport.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>

namespace fabricscope {

namespace {

constexpr double kSmallestText = 10;
constexpr double kLargestText = 26;

} // namespace

void MainWindow::connectCommands()
{
    const auto on = [this](const char* id, auto what) { connect(m_registry->action(QString::fromLatin1(id)), &QAction::triggered, this, what); };
    on("file.new", [this] { setWorkspace(QStringLiteral("start")); });
    on("file.open", [this] { m_files->openDialog(); });
    on("file.save", [this] {
        if (!current() || !current()->save())
            m_files->save();
    });
    on("file.saveAs", [this] {
        if (!current() || !current()->saveAs())
            m_files->saveAs();
    });
    on("file.saveRun", [this] { saveRunFile(); });
    on("file.exportPicture", [this] { exportPicture(); });
    on("file.quit", [this] { close(); });

    QUndoStack& stack = m_document->undoStack();
    const auto target = [this] { return current() ? current()->undoTarget() : std::nullopt; };
    on("edit.undo", [&stack, target] {
        const auto own = target();
        own ? own->undo() : stack.undo();
    });
    on("edit.redo", [&stack, target] {
        const auto own = target();
        own ? own->redo() : stack.redo();
    });
    for (const auto signal : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
        connect(&stack, signal, this, &MainWindow::updateUndo);
    for (const auto signal : {&QUndoStack::undoTextChanged, &QUndoStack::redoTextChanged})
        connect(&stack, signal, this, &MainWindow::updateUndo);
    updateUndo();
    on("edit.find", [this] { m_palette->open(CommandPalette::Scope::Elements); });
    on("edit.command", [this] { m_palette->open(CommandPalette::Scope::All); });

    on("view.explore", [this] { setWorkspace(QStringLiteral("explore")); });
    for (const auto& [id, dock] : {std::pair{"view.design", m_designDock}, {"view.inspector", m_inspectorDock}, {"view.tables", m_tablesDock}}) {
        QAction* action = m_registry->action(QString::fromLatin1(id));
        action->setChecked(true);
        connect(action, &QAction::toggled, this, [this, shown = dock](bool open) {
            if (m_workspace == QStringLiteral("explore"))
                shown->setVisible(open);
        });
    }
    on("view.fitPlatform", [this] { m_explore->canvas().fit(); });
    on("view.fitTimeline", [this] { m_explore->timeline().fitRun(); });
    on("view.dark", [this](bool dark) {
        Theme theme(dark ? Theme::Mode::Dark : Theme::Mode::Light, m_theme.basePixels());
        theme.setPatterns(m_theme.patterns());
        AppTheme::global().set(theme);
    });
    on("view.patterns", [this](bool patterns) {
        Theme theme = m_theme;
        theme.setPatterns(patterns);
        AppTheme::global().set(theme);
    });
    const auto resize = [this](double by) {
        Theme theme(m_theme.mode(), std::clamp(m_theme.basePixels() + by, kSmallestText, kLargestText));
        theme.setPatterns(m_theme.patterns());
        AppTheme::global().set(theme);
    };
    on("view.larger", [resize] { resize(1); });
    on("view.smaller", [resize] { resize(-1); });
    on("view.reset", [this] { resetLayout(); });

    on("design.addDimension", [this] {
        if (const Status status = DesignActions::addDimension(*m_document, static_cast<int>(m_document->design()->platform->dimensions.size())); !status)
            showFailure(status.error());
    });
    on("design.yaml", [this](bool yaml) { m_designPanel->showText(yaml); });
    on("design.issues", [this] {
        if (!m_tables->activateNextIssue())
            m_status->setMessage(tr("There are no issues."));
    });

    on("run.start", [this] {
        // With live switched off the person says when to compare.
        if (!m_registry->action(QStringLiteral("run.live"))->isChecked())
            m_document->endMerge();
        startRun();
    });
    on("run.stop", [this] {
        m_runs->cancel();
        m_comparison->cancel();
    });
    m_registry->action(QStringLiteral("run.stop"))->setEnabled(false);
    on("run.pin", [this](bool pin) {
        m_history.pin(pin);
        showResult();
    });
    for (const ModelTraits& known : kModelRows) {
        QAction* action = m_registry->action(QStringLiteral("run.") + QString::fromStdString(std::string(known.name)));
        connect(action, &QAction::triggered, this, [this, model = known.model] { setModel(model); });
    }
    connect(m_toolBar, &MainToolBar::modelChosen, this, &MainWindow::setModel);
    on("run.compareModels", [this] { compareModels(); });
    on("run.stepThrough", [this] { emit stepThroughRequested(m_tables->table(TablesPanel::Collectives).selectedId()); });

    on("help.shortcuts", [this] {
        ShortcutSheet sheet(*m_registry, this);
        sheet.exec();
    });
    on("help.manual", [this] { ManualWindow::open(this); });
    on("help.tour", [this] { m_files->openExample(QStringLiteral("two-level-hgx")); });
    on("help.about", [this] { showAbout(); });
}

/// Undo and redo act on what the workspace on show edits itself, else on the design.
void MainWindow::updateUndo()
{
    const QUndoStack& stack = m_document->undoStack();
    const std::optional<Workspace::UndoTarget> own = current() ? current()->undoTarget() : std::nullopt;
    QAction* undo = m_registry->action(QStringLiteral("edit.undo"));
    QAction* redo = m_registry->action(QStringLiteral("edit.redo"));
    undo->setEnabled(own ? own->canUndo : stack.canUndo());
    redo->setEnabled(own ? own->canRedo : stack.canRedo());
    undo->setToolTip(own || stack.undoText().isEmpty() ? tr("Undo") : texts::toolTip(tr("Undo: %1").arg(stack.undoText())));
    redo->setToolTip(own || stack.redoText().isEmpty() ? tr("Redo") : texts::toolTip(tr("Redo: %1").arg(stack.redoText())));
}

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
        }
    });
    connect(m_tables, &TablesPanel::linkSelected, this, [this](qint64 link) { selectLink(link, m_tables); });
    connect(m_tables, &TablesPanel::rankSelected, this, [this](qint64 rank) {
        if (const RunResultPtr result = m_history.shown(); result && rank >= 0 && rank < result->record().rankCount)
            selectNpu(result->scenario->structure->placement.nodeOf(static_cast<std::int32_t>(rank)), m_tables);
    });
    connect(m_tables, &TablesPanel::collectiveActivated, this, [this](qint64 instance) { emit stepThroughRequested(instance); });
    connect(m_tables, &TablesPanel::exported, this, [this](const QString& path, const QString& error) {
        if (error.isEmpty())
            m_status->setMessage(tr("Table written: %1").arg(path));
        else
            showFailure(Error{ErrorCode::NotWritable, error.toStdString(), {}, {}});
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
        else
            m_inspector->clearSelection();
    });
    connect(&timeline, &TimelineView::rangeSelected, m_inspector, &Inspector::showRange);
    connect(&timeline, &TimelineView::rangeCleared, m_inspector, &Inspector::clearSelection);
    connect(&timeline, &TimelineView::pointerMoved, this, [this](qint64 ps) { m_status->setCoordinates(ps < 0 ? QString() : texts::time(SimTime{ps})); });
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
    connect(m_inspector, &Inspector::tryEdit, this, [this](const QString& field, const QString& value) {
        const auto change = [&](YamlDocument& yaml) { return yaml.set(field.toStdString(), value.toStdString()); };
        if (const Status status = m_document->edit(tr("%1 %2").arg(field, value), change); !status)
            showFailure(status.error());
    });
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

    m_palette->setElements([this](const QString& typed) {
        std::vector<PaletteEntry> found;
        const PlatformLayout* layout = m_explore->canvas().layoutOfPlatform();
        if (!layout || typed.isEmpty())
            return found;
        bool isNumber = false;
        QString digits = typed;
        const int number = digits.remove(QStringLiteral("NPU"), Qt::CaseInsensitive).trimmed().toInt(&isNumber);
        if (isNumber && number >= 0 && number < layout->platform().npuCount())
            found.push_back({tr("NPU %1").arg(number), {}, QStringLiteral("npu"), [this, number] { selectNpu(number, nullptr); }});
        if (const auto link = findLink(layout->platform(), typed.trimmed().toStdString()))
            found.push_back({typed.trimmed(), tr("link"), QStringLiteral("link"), [this, id = *link] { selectLink(id, nullptr); }});
        return found;
    });
}

void MainWindow::showTimelineSelection()
{
    const TimelineView& timeline = m_explore->timeline();
    const TimelineSource& source = *timeline.source();
    const TimelineSelection at = *timeline.selection();
    m_inspector->showEvent(source.event(at.track, at.index), source.tracks()[at.track].rankClass);
}

void MainWindow::selectLink(LinkId link, QObject* from)
{
    if (link < 0)
        return;
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

void MainWindow::showOnTimeline(qint64 begin, qint64 end)
{
    setWorkspace(QStringLiteral("explore"));
    // It in the middle, with as much before and behind it.
    m_explore->timeline().setVisibleRange({begin - (end - begin), end + (end - begin)});
    m_explore->timeline().setFocus();
}

void MainWindow::setModel(Model model)
{
    if (m_document->design()->model.model == model) {
        m_toolBar->setModel(model);
        return;
    }
    const QString title = tr("model %1").arg(QString::fromStdString(std::string(modelName(model))));
    if (const Status status = m_document->edit(title, [model](YamlDocument& yaml) { return edits::setModel(yaml, model); }); !status) {
        m_toolBar->setModel(m_document->design()->model.model);
        showFailure(status.error());
    }
}

void MainWindow::compareModels()
{
    const Model here = m_document->design()->model.model;
    const std::optional<Model> other = chooseModel(here, this);
    if (!other)
        return;
    setWorkspace(QStringLiteral("explore"));
    m_tables->showTab(TablesPanel::Models);
    m_modelsOf = m_document->design();
    m_comparison->start(m_document->design(), *other, here);
}

void MainWindow::exportPicture()
{
    QString filter;
    const QString platform = tr("Platform as PNG (*.png)");
    const QString platformSvg = tr("Platform as SVG (*.svg)");
    const QString timeline = tr("Timeline as PNG (*.png)");
    const QString timelineSvg = tr("Timeline as SVG (*.svg)");
    const QString path = QFileDialog::getSaveFileName(this, tr("Export picture"), {}, QStringList{platform, platformSvg, timeline, timelineSvg}.join(QStringLiteral(";;")), &filter);
    if (path.isEmpty())
        return;
    const bool ofTimeline = filter == timeline || filter == timelineSvg;
    const Status status = ofTimeline ? exportView(m_explore->timeline(), path) : exportView(m_explore->canvas(), path);
    if (!status)
        showFailure(status.error());
    else
        m_status->setMessage(tr("Picture written: %1").arg(path));
}

void MainWindow::saveRunFile()
{
    const RunResultPtr result = m_history.current();
    if (!result)
        return;
    const std::string text = m_history.currentText(); // While the dialog is open the window goes on to other results.
    const QString path = QFileDialog::getSaveFileName(this, tr("Save run"), QFileInfo(m_document->displayName()).completeBaseName() + QStringLiteral(".run"), tr("Runs (*.run)"));
    if (path.isEmpty())
        return;
    if (const Status target = checkExportTarget(path); !target)
        return showFailure(target.error());
    RunSummary summary = result->summary;
    summary.designText = text;
    if (const Status status = saveRun(path.toStdString(), summary, result->cost); !status)
        showFailure(status.error());
}

void MainWindow::showAbout()
{
    QMessageBox box(QMessageBox::NoIcon, tr("About Fabricscope"),
                       tr("<b>Fabricscope %1</b> (%2)<p>Design-space explorer for distributed machine-learning platforms.<p>GPL-3.0-or-later. Qt %3.")
                           .arg(QString::fromUtf8(kVersion), QString::fromUtf8(kCommit), QString::fromLatin1(qVersion())), QMessageBox::Ok, this);
    box.setTextFormat(Qt::RichText);
    box.setIconPixmap(windowIcon().pixmap(QSize(64, 64)));
    box.exec();
}

} // namespace fabricscope
