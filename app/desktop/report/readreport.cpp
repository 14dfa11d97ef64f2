// Joins the Report workspace to the rest of the window.
#include "app/desktop/reportexport.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/workspace.h"
#include "core/report/reportcontent.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/results/words.h"

#include <QFileDialog>
#include <QFileInfo>

namespace fabricscope {

namespace {

class ReportPage : public Workspace
{
public:
    explicit ReportPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_report(new ReportWorkspace)
    {
        connect(m_report, &ReportWorkspace::exported, this, [this](const QString& path) { m_desk.say(tr("Report written: %1").arg(path)); });
        connect(m_report, &ReportWorkspace::exportFailed, this, [this](const QString& message) { m_desk.showFailureText(message); });
        connect(desk.commands().action(QStringLiteral("file.exportReport")), &QAction::triggered, this, [this] { exportReport(); });
    }

    QWidget* page() override { return m_report; }

    void activate() override
    {
        m_shown = true;
        refresh();
    }

    void deactivate() override { m_shown = false; }

    void showRun() override
    {
        m_stale = true;
        showFreshness();
    }

    void showFreshness() override
    {
        if (m_shown)
            refresh();
    }

private:
    void refresh()
    {
        const ResultHistory& history = m_desk.history();
        const RunResultPtr result = history.current();
        if (!result)
            return m_report->clear();
        const bool outdated = m_desk.isOutdated();
        if (!m_stale && outdated == m_outdated)
            return;
        m_stale = false;
        m_outdated = outdated;
        const RunResultPtr before = history.previous();
        ReportSource source;
        source.summary = &result->summary;
        source.scenario = result->scenario;
        source.timeline = result->timeline;
        source.before = before ? &before->summary : nullptr;
        source.beforeName = history.isPinned() ? tr("baseline").toStdString() : history.oldValue().toStdString();
        source.designText = history.currentText();
        if (outdated)
            source.notice = (texts::earlierInputs() + QStringLiteral(". ") + texts::earlierInputsExplained()).toStdString();
        m_report->setContent(reportContent(source));
    }

    void exportReport()
    {
        refresh();
        const QString name = QFileInfo(m_desk.document().displayName()).completeBaseName() + QStringLiteral(".pdf");
        const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Export report"), name, tr("PDF (*.pdf);;HTML (*.html)"));
        if (path.isEmpty())
            return;
        if (const Status target = checkExportTarget(path); !target)
            m_desk.showFailure(target.error());
        else if (const Status status = writeReportFile(path, m_report->content()); !status)
            m_desk.showFailure(status.error());
        else
            m_desk.say(tr("Report written: %1").arg(path));
    }

    Desk& m_desk;
    ReportWorkspace* m_report;
    bool m_stale = true;
    bool m_outdated = false; ///< The report on show says so.
    bool m_shown = false;
};

} // namespace

WorkspaceRow reportWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.report", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Report"), "Ctrl+5", QT_TRANSLATE_NOOP("fabricscope::Commands", "Read the report and choose its sections"), "report", true},
    };
    return {"report", [](Desk& desk) -> Workspace* { return new ReportPage(desk); }, kShow, {}};
}

} // namespace fabricscope
