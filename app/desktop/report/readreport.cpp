// Joins the Report workspace to the rest of the window.
#include "app/desktop/exports/reportexport.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/workspace.h"
#include "core/base/stop.h"
#include "core/insight/comparisonsection.h"
#include "core/report/reportchoice.h"
#include "widgets/base/actions.h"
#include "widgets/base/background.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/results/words.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace fabricscope {

namespace {

const QString kPaper = QStringLiteral("report/paper");

/// The paper that the user chose the last time; what cannot be read is as if nothing had been chosen. Sections are of one design, as the question is: those
/// that were left out of one report would be missing unseen in the next.
ReportChoice rememberedChoice()
{
    const auto settings = openSettings();
    ReportChoice choice;
    if (const Result<ReportPaper> paper = reportPaperOf(settings->value(kPaper).toString().toStdString()))
        choice.paper = paper.value();
    return choice;
}

void remember(const ReportChoice& choice)
{
    const auto settings = openSettings();
    settings->remove(QStringLiteral("report/sections")); // Written by versions before.
    settings->setValue(kPaper, QString::fromUtf8(reportPaperKey(choice.paper)));
}

class ReportPage : public Workspace
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::ReportPage)
public:
    explicit ReportPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_report(new ReportWorkspace)
    {
        m_report->setChoice(rememberedChoice());
        connect(m_report, &ReportWorkspace::choiceChanged, this, [this] { remember(m_report->choice()); });
        connect(m_report, &ReportWorkspace::exported, this, [this](const QString& path) { sayWritten(tr("Report written: %1").arg(path)); });
        connect(m_report, &ReportWorkspace::exportFailed, this, [this](const QString& message) { m_desk.showFailureText(message); });
        connect(&desk, &Desk::comparisonChanged, this, [this] {
            m_otherComparison = true;
            if (m_shown)
                refresh();
        });
        connect(desk.commands().action(QStringLiteral("file.exportReport")), &QAction::triggered, this, [this] { exportReport(); });
    }

    ~ReportPage() override { m_stop.request_stop(); }

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
        // Another document: what was asked of the one before is forgotten at once, shown or not.
        if (m_shown || !m_desk.history().current())
            refresh();
    }

    void showFreshness() override
    {
        if (m_shown)
            refresh();
    }

    void finish() override { writePending(); }

private:
    void refresh()
    {
        const ResultHistory& history = m_desk.history();
        const RunResultPtr result = history.current();
        if (!result) {
            writePending();
            m_stop.request_stop();
            ++m_number;
            m_isWhole = true;
            m_alone = {};
            return m_report->clear();
        }
        const bool outdated = m_desk.isOutdated();
        if (!m_stale && outdated == m_outdated) {
            if (m_otherComparison)
                showContent();
            return;
        }
        writePending();
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
        source.withoutStoryboard = true;
        m_alone = reportContent(source);
        m_isWhole = false;
        showContent();
        source.withoutStoryboard = false;
        makeWhole(source, result, before);
    }

    /// The report beside what Compare has run, where that holds the result on show. Nothing is simulated.
    void showContent()
    {
        m_otherComparison = false;
        ReportContent content = m_alone;
        const RunResultPtr result = m_desk.history().current();
        if (const auto set = m_desk.comparison(); set && result) {
            const auto& designs = set->designs;
            const auto at = std::find_if(designs.begin(), designs.end(), [&](const ComparedDesign& design) { return design.summary.record == result->summary.record; });
            if (at != designs.end())
                addComparison(content, *set, static_cast<std::size_t>(at - designs.begin()));
        }
        m_report->setContent(std::move(content), m_isWhole);
    }

    /// The same with the storyboard, for which the scenario runs once more, on another thread. The runs are kept as long as it takes.
    void makeWhole(const ReportSource& source, const RunResultPtr& result, const RunResultPtr& before)
    {
        m_stop.request_stop();
        m_stop = std::stop_source();
        const std::int64_t number = ++m_number;
        inBackground(
            this, [source, result, before, stop = m_stop.get_token()] { return untilStopped([&]() -> Result<ReportContent> { return reportContent(source, stop); }); },
            [this, number](Result<ReportContent> content) {
                if (number != m_number)
                    return; // Another result is on show.
                m_isWhole = true;
                if (content) {
                    m_alone = std::move(content).value();
                    showContent();
                } else {
                    giveUpSteps(content.error());
                }
                writePending();
            });
    }

    /// In place of the steps, here and wherever the report is shown again.
    void leaveOutSteps(const std::string& why)
    {
        for (ReportSection& section : m_alone.sections) {
            if (section.part == ReportPart::Storyboard)
                section.blocks = {ReportText{why}};
        }
        m_report->leaveOut(ReportPart::Storyboard, why);
    }

    /// The report on show stays without its steps.
    void giveUpSteps(const Error& error)
    {
        leaveOutSteps(tr("The steps could not be collected: %1.").arg(QString::fromStdString(error.message)).toStdString());
        if (error.code != ErrorCode::Cancelled)
            m_desk.showFailure(error);
    }

    /// Writes the report on show to the files that wait for it: when it is whole, and as it is before it goes.
    void writePending()
    {
        if (m_targets.isEmpty())
            return;
        if (!m_isWhole)
            leaveOutSteps(tr("The report was written before the steps were collected.").toStdString());
        const QStringList targets = std::exchange(m_targets, QStringList());
        for (const QString& path : targets)
            write(path);
    }

    void write(const QString& path)
    {
        if (const Status target = checkExportTarget(path); !target)
            m_desk.showFailure(target.error());
        else if (const Status status = writeReportFile(path, m_report->content()); !status)
            m_desk.showFailure(status.error());
        else
            sayWritten(m_isWhole ? tr("Report written: %1").arg(path) : tr("Report written without its steps: %1").arg(path));
    }

    void sayWritten(const QString& text)
    {
        m_desk.endProblem();
        m_desk.say(text);
    }

    void exportReport()
    {
        refresh();
        const QString name = QFileInfo(m_desk.document().displayName()).completeBaseName() + QStringLiteral(".pdf");
        const QString path = QFileDialog::getSaveFileName(&m_desk, tr("Export report"), name, tr("PDF (*.pdf);;HTML (*.html)"));
        if (path.isEmpty())
            return;
        if (m_isWhole)
            return write(path);
        if (!m_targets.contains(path))
            m_targets.append(path); // Written as soon as the rest of it is there.
        m_desk.say(tr("The report is written when its steps are collected."));
    }

    Desk& m_desk;
    ReportWorkspace* m_report;
    ReportContent m_alone;    ///< The report on show without what it is compared with.
    std::stop_source m_stop;
    std::int64_t m_number = 0;
    QStringList m_targets;    ///< To be written when the report on show is whole.
    bool m_isWhole = true;    ///< Nothing of the report on show is still being made.
    bool m_stale = true;
    bool m_otherComparison = false; ///< What is compared has changed since the report was shown.
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
