// The part of MainWindow that follows the document and its runs: what is edited, what runs, what is on show.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/maintoolbar.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/modelcomparison.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "core/report/reportcontent.h"
#include "core/run/savedresult.h"
#include "widgets/background.h"
#include "widgets/designdocument.h"
#include "widgets/designpanel.h"
#include "widgets/inspector.h"
#include "widgets/logmodel.h"
#include "widgets/platformcanvas.h"
#include "widgets/programworkspace.h"
#include "widgets/recentfiles.h"
#include "widgets/reconcileview.h"
#include "widgets/reportworkspace.h"
#include "widgets/statusstrip.h"
#include "widgets/stepworkspace.h"
#include "widgets/synthesispanel.h"
#include "widgets/texts.h"

#include <QFileInfo>
#include <QTimer>

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
        m_change.clear();
        m_registry->action(QStringLiteral("run.pin"))->setChecked(false);
        m_inspector->clearSelection();
        showResult();
    });
    const QUndoStack& stack = m_document->undoStack();
    connect(&stack, &QUndoStack::indexChanged, this, [this, &stack, last = 0](int index) mutable {
        m_change = index >= last ? stack.undoText() : tr("undoing %1").arg(stack.redoText());
        last = index;
    });
    connect(m_document, &DesignDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(m_document, &DesignDocument::fileChanged, this, &MainWindow::updateTitle);
    connect(m_files, &FileCommands::opened, this, [this] {
        m_hint->setText({});
        if (m_workspace != Workspace::Explore)
            setWorkspace(Workspace::Explore);
        // Opening always shows a result, also with live switched off.
        if (!m_runs->isBusy())
            startRun();
    });
    connect(m_files, &FileCommands::failed, this, &MainWindow::showFailure);
    connect(m_files, &FileCommands::runOpened, this, &MainWindow::openRun);
}

void MainWindow::documentChanged()
{
    m_explore->setPlatform(m_document->platform());
    const std::optional<Platform>& platform = m_document->platform();
    m_programs->synthesis()->setPlatform(platform ? m_document->design()->platform : nullptr, platform ? platform->npuCount() : 0, m_document->displayName());
    m_toolBar->setModel(m_document->design()->model.model);
    const bool errors = m_document->hasErrors();
    m_toolBar->setRunnable(!errors && m_document->platform().has_value());
    m_explore->setProblem(errors ? firstError(m_document->issues()) : QString());
    for (const char* model : {"links", "ideal", "flow", "astra-unaware", "astra-aware"})
        m_registry->action(QStringLiteral("run.") + QString::fromLatin1(model))->setChecked(m_document->design()->model.model == parseModel(model));
    updateTitle();
    if (m_registry->action(QStringLiteral("run.live"))->isChecked())
        startRun();
    else
        m_inspector->setUpdating(m_history.current() != nullptr);
}

void MainWindow::startRun()
{
    if (m_holdRuns || m_document->hasErrors() || !m_document->platform())
        return;
    m_runs->start(m_document->design(), m_document->issues());
}

/// A saved run is shown with its design and without running anything; the first edit runs it again.
void MainWindow::openRun(const QString& path)
{
    inBackground(
        this,
        [path = path.toStdString()]() -> Result<RunResultPtr> {
            Result<SavedRun> saved = readRun(path);
            if (!saved)
                return std::move(saved).error();
            return resultOfSavedRun(std::move(saved).value());
        },
        [this, path](const Result<RunResultPtr>& result) {
            if (!result)
                return showFailure(result.error());
            const RunSummary& summary = result.value()->summary;
            const QString name = QFileInfo(path).completeBaseName() + QStringLiteral(".yaml");
            const QString folder = summary.designFile.empty() ? QString() : QFileInfo(QString::fromStdString(summary.designFile)).absolutePath();
            m_holdRuns = true;
            const Status taken = m_document->setText(summary.designText, name, folder);
            m_holdRuns = false;
            if (!taken)
                return showFailure(taken.error());
            setWorkspace(Workspace::Explore);
            m_history.add(result.value(), {});
            showResult();
            emit resultShown();
        });
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
            m_inspector->setUpdating(true);
            m_explore->setUpdating(m_history.shown() != nullptr);
        });
        m_registry->action(QStringLiteral("run.stop"))->setEnabled(true);
        m_toolBar->setBusy(true);
    });
    connect(m_runs, &RunController::progressed, this, &MainWindow::showProgress);
    connect(m_runs, &RunController::partial, this, [this](const RunResultPtr& part) {
        m_history.show(part);
        showResult();
    });
    connect(m_runs, &RunController::finished, this, [this](const RunResultPtr& result) {
        m_history.add(result, m_change);
        if (m_document->hasFile())
            m_files->recent().setResult(m_document->file(), texts::time(result->record().finish));
        m_tables->log().append(Severity::Note, tr("Run"), tr("%1 in %2 ms").arg(texts::time(result->record().finish)).arg(static_cast<double>(result->cost.wallMicroseconds) / 1000, 0, 'f', 1));
        showResult();
        emit resultShown();
    });
    connect(m_runs, &RunController::failed, this, [this](const Error& error) {
        m_history.dropPart();
        showFailure(error);
    });
    connect(m_runs, &RunController::cancelled, this, [this](const RunResultPtr& part) {
        if (part)
            m_history.show(part);
        m_tables->log().append(Severity::Note, tr("Run"), tr("Stopped"));
        showResult();
    });
    connect(m_runs, &RunController::idle, this, &MainWindow::runEnded);

    connect(m_comparison, &ModelComparison::busyChanged, this, [this](bool busy) {
        m_status->setMessage(busy ? tr("Running rule by rule") : QString());
        m_registry->action(QStringLiteral("run.stop"))->setEnabled(busy || m_runs->isBusy());
    });
    connect(m_comparison, &ModelComparison::failed, this, &MainWindow::showFailure);
    connect(m_comparison, &ModelComparison::finished, this, [this](const std::shared_ptr<const Reconciliation>& found) {
        m_tables->models().setReconciliation(found);
        m_tables->showTab(TablesPanel::Models);
    });
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
    m_registry->action(QStringLiteral("run.stop"))->setEnabled(false);
    m_inspector->setUpdating(false);
    m_explore->setUpdating(false);
}

void MainWindow::showResult()
{
    const RunResultPtr shown = m_history.shown();
    const RunResultPtr previous = m_history.previous();
    m_explore->setResult(shown, previous);
    m_inspector->setResult(shown, previous, m_history.since());
    m_tables->setResult(shown);
    m_status->setResult(shown);
    if (shown && m_document->hasErrors() == false)
        m_explore->setProblem({});
    m_reportStale = true;
    m_stepStale = true;
    const bool any = m_history.current() != nullptr;
    for (const char* id : {"file.exportReport", "file.saveRun", "run.pin", "run.stepThrough", "run.compareModels"})
        m_registry->action(QString::fromLatin1(id))->setEnabled(any);
    if (m_workspace == Workspace::Step && !m_runs->isBusy()) {
        m_stepStale = false;
        m_step->setRun(m_history.current());
    }
    if (m_workspace == Workspace::Report)
        refreshReport();
}

void MainWindow::showFailure(const Error& error)
{
    const QString text = QString::fromStdString(error.text());
    m_tables->log().append(Severity::Error, tr("Error"), text);
    if (m_workspace == Workspace::Explore) {
        m_explore->setProblem(text);
    } else {
        m_hint->setText(text.toHtmlEscaped());
    }
    m_explore->setUpdating(false);
    m_inspector->setUpdating(false);
}

void MainWindow::refreshReport()
{
    if (!m_reportStale || !m_history.current())
        return;
    m_reportStale = false;
    const RunResultPtr result = m_history.current();
    const RunResultPtr before = m_history.previous();
    ReportSource source;
    source.summary = &result->summary;
    source.scenario = result->scenario;
    source.timeline = result->timeline;
    source.before = before ? &before->summary : nullptr;
    source.beforeName = m_history.isPinned() ? tr("baseline").toStdString() : std::string();
    source.designText = m_document->text();
    m_report->setContent(reportContent(source));
}

} // namespace fabricscope
