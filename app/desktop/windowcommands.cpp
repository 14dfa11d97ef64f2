// The part of MainWindow that answers commands.
#include "app/desktop/exploreview.h"
#include "app/desktop/exports/traceexport.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/maintoolbar.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/modelchoice.h"
#include "app/desktop/modelcomparison.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/settingplaces.h"
#include "app/desktop/start/guidedtour.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/viewdrags.h"
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
#include "widgets/base/files/usersettings.h"
#include "widgets/start/shortcutsheet.h"
#include "widgets/base/showntexts.h"
#include "widgets/results/statusstrip.h"
#include "widgets/base/texts.h"
#include "widgets/timeline/view.h"
#include "widgets/report/viewexport.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>

#include <algorithm>

namespace fabricscope {

namespace {

/// PREFIX of traces, of which the dialog names the first; empty: none is wanted.
QString askForTraces(const QString& name, QWidget* parent)
{
    QString path = QFileDialog::getSaveFileName(parent, MainWindow::tr("Export traces"), name + QStringLiteral(".0.et"), MainWindow::tr("Chakra traces (*.0.et)"));
    for (const QString& ending : {QStringLiteral(".et"), QStringLiteral(".0")}) {
        if (path.endsWith(ending))
            path.chop(ending.size());
    }
    return path;
}

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
    on("file.exportTraces", [this] { exportTraces(); });
    auto* const drags = new ViewDrags(this);
    on("edit.copyPicture", [this, drags] {
        QWidget* const view = viewAround(QApplication::focusWidget());
        if (!view)
            return say(tr("No view has the focus: click one, or go there with Tab."));
        QApplication::clipboard()->setMimeData(drags->mimeOf(*view, false));
        say(tr("Picture copied: %1").arg(view->accessibleName()));
    });
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
    on("edit.back", [this] { walkSelection(true); });
    on("edit.forward", [this] { walkSelection(false); });
    m_explore->connectCommands(*m_registry);
    on("edit.find", [this] { m_palette->open(CommandPalette::Scope::Elements); });
    on("edit.command", [this] { m_palette->open(CommandPalette::Scope::All); });

    on("edit.settings", [this] { openSettingsDialog(*m_registry, this); });

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
        Theme theme(m_theme.mode(), std::clamp<double>(m_theme.basePixels() + by, UserSettings::kTextPixels.least, UserSettings::kTextPixels.most));
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
        m_traces->cancel();
    });
    updateStop();
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
    on("run.stepThrough", [this] {
        // The collective that is selected in the timeline goes before that of the table.
        const bool ofTimeline = m_selections.current().kind == Selected::Kind::Interval && m_inspector->selection() && m_inspector->selection()->instance >= 0;
        emit stepThroughRequested(ofTimeline ? m_inspector->selection()->instance : m_tables->table(TablesPanel::Collectives).selectedId());
    });

    on("help.shortcuts", [this] {
        ShortcutSheet sheet(*m_registry, this);
        sheet.exec();
    });
    on("help.manual", [this] { ManualWindow::open(this); });
    on("help.tour", [this] { m_files->openExample(QStringLiteral("two-level-hgx")); });
    on("help.guide", [this] { startGuidedTour(*this); });
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

/// Of the view that has the focus first, where one has.
void MainWindow::exportPicture()
{
    std::vector<QWidget*> views{&m_explore->canvas(), &m_explore->timeline()};
    if (QWidget* const view = viewAround(QApplication::focusWidget())) {
        std::erase(views, view);
        views.insert(views.begin(), view);
    }
    QStringList filters;
    for (const QWidget* view : views)
        filters << tr("%1 as PNG (*.png)").arg(view->accessibleName()) << tr("%1 as SVG (*.svg)").arg(view->accessibleName());
    QString filter;
    const QString path = QFileDialog::getSaveFileName(this, tr("Export picture"), {}, filters.join(QStringLiteral(";;")), &filter);
    if (path.isEmpty())
        return;
    const qsizetype chosen = std::max<qsizetype>(filters.indexOf(filter), 0);
    if (const Status status = exportAnyView(*views[static_cast<std::size_t>(chosen / 2)], path); !status)
        return showFailure(status.error());
    endProblem();
    say(tr("Picture written: %1").arg(path));
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

void MainWindow::exportTraces()
{
    const RunResultPtr run = m_history.current(); // While the dialog is open the window goes on to other results.
    const QString prefix = run ? askForTraces(QFileInfo(m_document->displayName()).completeBaseName(), this) : QString();
    if (prefix.isEmpty())
        return;
    if (const Status target = checkTracesTarget(prefix); !target)
        return showFailure(target.error());
    m_traces->start(run, prefix);
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
