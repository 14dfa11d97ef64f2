// The part of MainWindow that asks why the run on show takes as long as it takes.
#include "app/desktop/exploreview.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "widgets/base/actions.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/results/explainrunner.h"
#include "widgets/results/explanationview.h"
#include "widgets/results/inspector.h"
#include "widgets/results/logmodel.h"
#include "widgets/timeline/timetext.h"
#include "widgets/timeline/view.h"

namespace fabricscope {

void MainWindow::connectExplanation()
{
    ExplanationView& view = m_inspector->explanationView();
    connect(m_explore, &ExploreView::explanationWanted, this, &MainWindow::explain);
    connect(&view, &ExplanationView::explainWanted, this, &MainWindow::explain);
    connect(&view, &ExplanationView::stopWanted, m_explainer, &ExplainRunner::cancel);
    connect(&view, &ExplanationView::showPiece, m_explore, &ExploreView::showPathPiece);
    connect(m_explainer, &ExplainRunner::progressed, &view, &ExplanationView::setProgress);
    connect(m_explainer, &ExplainRunner::busyChanged, this, [this, &view](bool busy) {
        view.setBusy(busy);
        updateStop();
    });
    connect(m_explainer, &ExplainRunner::explained, this, [this](const ExplainedRunPtr& explained) {
        m_explore->setExplanation(explained);
        m_inspector->setExplanation(explained);
    });
    connect(m_explainer, &ExplainRunner::failed, this, [this, &view](const Error& error) {
        const QString text = QString::fromStdString(error.text());
        m_tables->log().append(Severity::Error, tr("Why"), text);
        view.setProblem(text);
    });
    connect(m_registry->action(QStringLiteral("run.stop")), &QAction::triggered, m_explainer, &ExplainRunner::cancel);

    TimelineView& timeline = m_explore->timeline();
    connect(&timeline, &TimelineView::pathStepReached, this, [this, &timeline](qint64 number) {
        const PathStep& step = (*timeline.criticalPath())[static_cast<std::size_t>(number)];
        const QString what = step.place ? eventTitle(timeline.source()->event(step.place->track, step.place->index)) : tr("nothing runs");
        say(tr("Step %1 of %2 of the critical path, rank %3: %4, %5 from %6")
                .arg(number + 1).arg(timeline.criticalPath()->size()).arg(step.rank).arg(what, texts::time({step.ps()}), texts::time({step.beginPs})));
    });
}

/// Nothing happens where the run on show has not ended, or is being explained.
void MainWindow::explain()
{
    const RunResultPtr shown = m_history.shown();
    if (!shown || shown->isPartial() || !shown->record().complete || m_explainer->isBusy())
        return;
    m_explainer->explain(shown, m_document->text(), m_document->file().toStdString());
}

/// Another result comes on show.
void MainWindow::dropExplanation()
{
    const ExplainedRunPtr& known = m_inspector->explanationView().explanation();
    if (m_history.shown() != m_explainer->run() && m_explainer->isBusy())
        m_explainer->cancel();
    if (known && known->of != m_history.shown())
        m_inspector->setExplanation(nullptr);
}

/// One field, as one step that can be undone.
void MainWindow::tryEdit(const QString& field, const QString& value)
{
    const auto change = [&](YamlDocument& yaml) { return yaml.set(field.toStdString(), value.toStdString()); };
    if (const Status status = m_document->edit(tr("%1 %2").arg(field, value), change); !status)
        showFailure(status.error());
}

} // namespace fabricscope
