// The part of MainWindow that follows the document and its runs: what is edited, what runs, what is on show.
#include "app/desktop/changetext.h"
#include "app/desktop/exploreview.h"
#include "app/desktop/exports/traceexport.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/maintoolbar.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/modelcomparison.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "widgets/base/files/sharedfile.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/results/explainrunner.h"
#include "widgets/results/inspector.h"
#include "widgets/results/logmodel.h"
#include "widgets/results/reconcileview.h"
#include "widgets/results/statusstrip.h"
#include "widgets/results/words.h"
#include "widgets/start/recentfiles.h"
#include "widgets/timeline/view.h"

#include <QFileInfo>
#include <QTimer>

#include <utility>

namespace fabricscope {

namespace {

constexpr int kQuietMs = 500; ///< Shorter runs show no progress.

QString firstError(const Diagnostics& issues)
{
    for (const Diagnostic& issue : issues)
        if (issue.severity == Severity::Error)
            return QString::fromStdString(toError(issue).text());
    return {};
}

} // namespace

void MainWindow::connectDocument()
{
    connect(m_document, &DesignDocument::changed, this, &MainWindow::documentChanged);
    connect(m_document, &DesignDocument::replaced, this, [this] {
        m_runs->cancel();
        m_comparison->cancel();
        m_tables->models().setReconciliation(nullptr);
        m_history.clear();
        m_registry->action(QStringLiteral("run.pin"))->setChecked(false);
        m_inspector->clearSelection();
        restoreView();
        m_selections.start({Selected::Kind::Nothing, -1, 0, m_workspace});
        showResult();
    });
    const QUndoStack& stack = m_document->undoStack();
    connect(&stack, &QUndoStack::indexChanged, this, [this, &stack, last = 0](int index) mutable {
        m_history.named(m_document->gesture(), index >= last ? stack.undoText() : tr("undoing %1").arg(stack.redoText()));
        last = index;
    });
    connect(m_document, &DesignDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(m_document, &DesignDocument::fileChanged, this, [this] {
        m_viewOf = m_document->file();
        updateTitle();
    });
    connect(m_files, &FileCommands::opened, this, [this] {
        m_hint->setText({});
        if (m_workspace != QStringLiteral("explore"))
            setWorkspace(QStringLiteral("explore"));
        // Opening always shows a result, also with live switched off.
        if (!m_runs->isBusy())
            startRun();
    });
    connect(m_files, &FileCommands::failed, this, &MainWindow::showFailure);
    connect(m_files, &FileCommands::noticed, this, [this](const QString& text) { showProblem(Severity::Warning, text); });
    connect(m_files, &FileCommands::saved, this, [this](const QString& path) {
        if (m_hint->severity() != Severity::Note)
            m_hint->setText({}); // What kept it from being saved is over.
        m_status->setMessage(tr("Saved %1").arg(path));
    });
    connect(&m_files->shared(), &SharedFile::sharingChanged, this, &MainWindow::updateTitle);
    connect(&m_files->shared(), &SharedFile::diskChanged, this, [this](DiskState state) { showDiskState(state, QStringLiteral("design"), m_document->displayName()); });
    connect(m_files, &FileCommands::runOpened, this, &MainWindow::showRun);
    connect(m_files, &FileCommands::reading, this, [this](const QString& what) {
        m_hint->setReading(what);
        placeHint();
    });
}

void MainWindow::documentChanged()
{
    m_history.edited(m_document->gesture());
    m_explore->setPlatform(m_document->platform());
    for (const Page& page : m_workspaces)
        page.workspace->showDesign();
    m_toolBar->setModel(m_document->design()->model.model);
    const bool errors = m_document->hasErrors();
    m_toolBar->setRunnable(!errors && m_document->platform().has_value());
    m_explore->setProblem(errors ? firstError(m_document->issues()) : QString());
    for (const ModelTraits& known : kModelRows)
        m_registry->action(QStringLiteral("run.") + QString::fromStdString(std::string(known.name)))->setChecked(m_document->design()->model.model == known.model);
    updateTitle();
    if (m_registry->action(QStringLiteral("run.live"))->isChecked())
        startRun();
    showFreshness();
}

void MainWindow::startRun()
{
    if (m_holdRuns || m_document->hasErrors() || !m_document->platform())
        return;
    m_history.requested(m_runs->newest() + 1, m_document->text());
    m_runs->start(m_document->design(), m_document->issues());
}

/// A saved run is shown with its design and without running anything; the first edit runs it again.
void MainWindow::showRun(const std::shared_ptr<OpenedRun>& run)
{
    m_holdRuns = true;
    m_document->take(std::move(run->design));
    m_holdRuns = false;
    endProblem();
    setWorkspace(QStringLiteral("explore"));
    m_history.adopt(run->result, run->result->summary.designText);
    showResult();
    emit resultShown();
}

void MainWindow::connectRuns()
{
    connect(m_runs, &RunController::started, this, [this] {
        if (!m_runClock.isValid())
            m_runClock.start();
        // Views say "Updating" only when a run takes longer than an eye notices.
        QTimer::singleShot(150, this, [this] {
            if (!m_runs->isBusy())
                return;
            m_slowRun = true;
            showFreshness();
            m_inspector->setUpdating(true);
            m_explore->setUpdating(m_history.shown() != nullptr);
        });
        updateStop();
        m_toolBar->setBusy(true);
    });
    connect(m_runs, &RunController::progressed, this, &MainWindow::showProgress);
    connect(m_runs, &RunController::partial, this, [this](const RunResultPtr& part) {
        if (m_history.show(part))
            showResult();
    });
    connect(m_runs, &RunController::finished, this, [this](const RunResultPtr& result) {
        if (!m_history.add(result))
            return; // Of a document that is gone.
        if (m_document->hasFile())
            m_files->recent().setResult(m_document->file(), texts::time(result->record().finish));
        m_tables->log().append(Severity::Note, tr("Run"), tr("%1 in %2 ms").arg(texts::time(result->record().finish)).arg(static_cast<double>(result->cost.wallMicroseconds) / 1000, 0, 'f', 1));
        if (m_runFailed)
            endProblem();
        showResult();
        emit resultShown();
    });
    connect(m_runs, &RunController::failed, this, [this](const Error& error) {
        m_history.dropPart();
        if (error.code == ErrorCode::MemoryLimit)
            for (const Page& page : m_workspaces)
                page.workspace->giveBack();
        showRunFailure(error);
    });
    connect(m_runs, &RunController::cancelled, this, [this](const RunResultPtr& part) {
        if (part)
            m_history.show(part);
        m_tables->log().append(Severity::Note, tr("Run"), tr("Stopped"));
        showResult();
    });
    connect(m_runs, &RunController::gone, this, [this](qint64 number) { m_history.forget(number); });
    connect(m_runs, &RunController::idle, this, &MainWindow::runEnded);

    connect(m_comparison, &ModelComparison::busyChanged, this, [this](bool busy) {
        m_status->setMessage(busy ? tr("Running rule by rule") : QString());
        updateStop();
    });
    connect(m_comparison, &ModelComparison::failed, this, &MainWindow::showFailure);
    connect(m_comparison, &ModelComparison::finished, this, [this](const std::shared_ptr<const Reconciliation>& found) {
        m_tables->models().setReconciliation(found);
        m_tables->showTab(TablesPanel::Models);
    });

    connect(m_traces, &TraceExport::busyChanged, this, [this](bool busy) {
        m_status->setMessage(busy ? tr("Writing traces; %1 stops it").arg(m_registry->action(QStringLiteral("run.stop"))->shortcut().toString(QKeySequence::NativeText)) : QString());
        updateStop();
        updateExports();
    });
    connect(m_traces, &TraceExport::failed, this, [this](const Error& error) { error.code == ErrorCode::Cancelled ? say(tr("No traces written: stopped")) : showFailure(error); });
    connect(m_traces, &TraceExport::finished, this, [this](const QString& said) {
        endProblem();
        say(said);
    });
}

void MainWindow::updateStop()
{
    m_registry->action(QStringLiteral("run.stop"))->setEnabled(m_runs->isBusy() || m_comparison->isBusy() || m_explainer->isBusy() || m_traces->isBusy());
}

void MainWindow::updateExports()
{
    const RunResultPtr current = m_history.current();
    for (const char* id : {"file.exportReport", "file.saveRun"})
        m_registry->action(QString::fromLatin1(id))->setEnabled(current != nullptr);
    m_registry->action(QStringLiteral("file.exportTraces"))->setEnabled(current && current->scenario && current->timeline && !m_traces->isBusy());
}

void MainWindow::showProgress(const RunProgress& progress)
{
    if (!m_runClock.isValid() || m_runClock.elapsed() < kQuietMs)
        return;
    m_toolBar->setBusy(true, progress.share);
    m_status->setProgress(progress);
}

void MainWindow::runEnded()
{
    m_runClock.invalidate();
    m_toolBar->setBusy(false);
    m_toolBar->setRunnable(!m_document->hasErrors() && m_document->platform().has_value());
    m_status->setProgress(std::nullopt);
    updateStop();
    m_inspector->setUpdating(false);
    m_explore->setUpdating(false);
    m_slowRun = false;
    showFreshness();
}

/// Does the result on show belong to a design that is no more? An edit that was taken back, or that says the same in other words, makes
/// no other design.
bool MainWindow::isOutdated() const
{
    const RunResultPtr shown = m_history.shown();
    if (!shown || m_history.isOfNewestInputs())
        return false;
    if (m_document->hasErrors() || !shown->design)
        return true;
    return changetext::isOther(*shown->design, *m_document->design());
}

/// Says everywhere whether the result on show is of the design on show. While a run is quick nothing flickers.
void MainWindow::showFreshness()
{
    if (m_runs->isBusy() && !m_slowRun)
        return;
    const bool outdated = isOutdated();
    m_explore->setOutdated(outdated);
    m_inspector->setOutdated(outdated);
    m_tables->setOutdated(outdated);
    m_tables->setModelsOutdated(m_modelsOf && changetext::isOther(*m_modelsOf, *m_document->design()));
    m_status->setOutdated(outdated);
    for (const Page& page : m_workspaces)
        page.workspace->showFreshness();
}

void MainWindow::showResult()
{
    const RunResultPtr shown = m_history.shown();
    const RunResultPtr previous = m_history.previous();
    dropExplanation();
    m_explore->setResult(shown, previous);
    if (shown && !shown->isPartial() && m_wantedRange)
        m_explore->timeline().setVisibleRange(*std::exchange(m_wantedRange, std::nullopt));
    if (shown && !shown->isPartial() && m_wantedCursor)
        m_explore->timeline().setTimeCursor(std::exchange(m_wantedCursor, std::nullopt));
    m_inspector->setResult(shown, previous, m_history.since());
    m_tables->setResult(shown);
    m_status->setResult(shown);
    showFreshness();
    if (shown && m_document->hasErrors() == false)
        m_explore->setProblem({});
    const bool any = m_history.current() != nullptr;
    for (const char* id : {"run.pin", "run.stepThrough", "run.compareModels"})
        m_registry->action(QString::fromLatin1(id))->setEnabled(any);
    updateExports();
    for (const Page& page : m_workspaces)
        page.workspace->showRun();
}

/// Something that was asked for was not done: said under the toolbar until it is dismissed, whatever is shown meanwhile.
void MainWindow::showFailure(const Error& error)
{
    showFailureText(QString::fromStdString(error.text()));
}

void MainWindow::showFailureText(const QString& message)
{
    showProblem(Severity::Error, message);
}

void MainWindow::say(const QString& text)
{
    m_status->setMessage(text);
}

/// What is worth knowing, and no error, stays until it is dismissed.
void MainWindow::endProblem()
{
    if (m_hint->severity() != Severity::Error || m_problemIsNew)
        return;
    m_hint->setText({});
    m_runFailed = false;
    placeHint();
}

void MainWindow::warn(const QString& text)
{
    m_status->setWarning(text);
}

bool MainWindow::isRunning() const
{
    return m_runs->isBusy();
}

/// A file is not what was read: said at once, with what can be done, and asked about when saving. `what`: "design", "program".
void MainWindow::showDiskState(DiskState state, const QString& what, const QString& displayName)
{
    const QString name = texts::shown(displayName).toHtmlEscaped();
    QString text;
    switch (state) {
    case DiskState::Same: break;
    case DiskState::Changed:
        text = tr("<b>%1</b> has changed on disk. <a href=\"%2:reload\">Reload</a> (can be undone), or <a href=\"%2:keep\">keep what is here</a>.").arg(name, what);
        break;
    case DiskState::Gone: text = tr("<b>%1</b> was deleted or moved. What is here exists nowhere else: <a href=\"%2:save\">save it</a>.").arg(name, what); break;
    case DiskState::Unreadable: text = tr("<b>%1</b> can no longer be read. What is here is kept.").arg(name); break;
    case DiskState::NotAFile: text = tr("<b>%1</b> is no ordinary file any more. What is here is kept: <a href=\"%2:save\">save it</a> elsewhere.").arg(name, what); break;
    }
    if (!text.isEmpty())
        m_hint->setNotice(text);
    else if (m_diskNotice == what)
        m_hint->setText({});
    else
        return; // What is on show is about something else.
    m_diskNotice = text.isEmpty() ? QString() : what;
    placeHint();
}

void MainWindow::showProblem(Severity severity, const QString& text)
{
    m_tables->log().append(severity, severity == Severity::Error ? tr("Error") : tr("Warning"), text);
    m_status->setMessage({}); // "Writing ..." is over.
    m_diskNotice.clear();
    m_runFailed = false;
    m_problemIsNew = true;
    QTimer::singleShot(0, this, [this] { m_problemIsNew = false; });
    m_hint->setProblem(severity, text);
    placeHint();
}

/// Why there is no newer result: said over the platform until there is one.
void MainWindow::showRunFailure(const Error& error)
{
    const QString text = QString::fromStdString(error.text());
    m_tables->log().append(Severity::Error, tr("Run"), text);
    m_explore->setProblem(text);
    if (m_workspace != QStringLiteral("explore")) {
        m_hint->setProblem(Severity::Error, text);
        m_runFailed = true;
    }
    m_explore->setUpdating(false);
    m_inspector->setUpdating(false);
}

} // namespace fabricscope
