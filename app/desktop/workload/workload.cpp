// Joins the Workload workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/placementchart.h"
#include "widgets/workload/placementview.h"
#include "widgets/workload/planform.h"
#include "widgets/workload/planpage.h"
#include "widgets/workload/plansearchpanel.h"
#include "widgets/workload/shardpage.h"
#include "widgets/workload/shardview.h"
#include "widgets/workload/pagechoice.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>

#include <optional>
#include <utility>

namespace fabricscope {

namespace {

class WorkloadPage : public Workspace
{
public:
    explicit WorkloadPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_pages(new QStackedWidget), m_plan(new PlanPage), m_search(new PlanSearchPanel), m_shard(new ShardPage)
    {
        for (QWidget* page : {static_cast<QWidget*>(m_plan), static_cast<QWidget*>(m_search), static_cast<QWidget*>(m_shard)})
            m_pages->addWidget(page);
        m_plan->setDocument(&desk.document());
        m_shard->setDocument(&desk.document());
        connect(m_plan, &PlanPage::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_shard, &ShardPage::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_shard, &ShardPage::settled, this, &Workspace::ready);
        connect(m_plan, &PlanPage::settled, this, &Workspace::ready);
        connectSearch();
        choosePage();
    }

    QWidget* page() override { return m_pages; }
    void activate() override
    {
        if (m_pages->currentWidget() == m_search) {
            m_search->startButton()->setFocus();
            if (m_search->isSettled())
                QTimer::singleShot(0, this, &Workspace::ready);
            return;
        }
        if (m_pages->currentWidget() == m_shard) {
            m_shard->view()->setFocus();
            if (m_shard->isSettled())
                QTimer::singleShot(0, this, &Workspace::ready);
            return;
        }
        if (m_plan->showsPlacement())
            m_plan->placement()->stages()->setFocus();
        else
            m_plan->chart()->setFocus();
        if (m_plan->isSettled()) // Else it says when it is.
            QTimer::singleShot(0, this, &Workspace::ready);
    }
    void showDesign() override
    {
        choosePage();
        m_plan->showDesign();
        m_shard->showDesign();
    }
    void showRun() override { showFreshness(); }
    /// An earlier result says nothing of the plan on show.
    void showFreshness() override { m_plan->setRun(m_desk.isOutdated() ? nullptr : m_desk.history().current()); }
    bool needsRun() const override { return false; }
    bool isSettled() const override { return m_pages->currentWidget() != m_plan || m_plan->isSettled(); }

    void restoreSession() override
    {
        m_keeps = true;
        m_last = QJsonDocument::fromJson(openSettings()->value(kSearchKept).toByteArray()).object();
        restoreSearch();
    }
    void finish() override { keepSearch(); }
    void keepForRecovery() override { keepSearch(); }

private:
    inline static const QString kSearchKept = QStringLiteral("workload/search");

    /// A sharded graph has a page of its own, also while it has an error.
    void choosePage()
    {
        const bool isGraph = workloadtext::saysGraph(m_desk.document());
        m_pages->setCurrentWidget(isGraph ? static_cast<QWidget*>(m_shard) : m_searching ? static_cast<QWidget*>(m_search) : m_plan);
    }

    void connectSearch()
    {
        m_search->setDocument(&m_desk.document());
        connect(m_plan, &PlanPage::searchRequested, this, [this] { showSearch(true); });
        connect(m_search, &PlanSearchPanel::backRequested, this, [this] { showSearch(false); });
        connect(m_search, &PlanSearchPanel::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_search, &PlanSearchPanel::said, this, [this](const QString& text) { m_desk.say(text); });
        connect(m_search, &PlanSearchPanel::settled, this, &Workspace::ready);
        connect(m_search, &PlanSearchPanel::openRequested, this, [this](const QByteArray& text, const QString& name, const QString& folder) { m_desk.files().openText(text, name, folder); });
        connect(m_search, &PlanSearchPanel::pinRequested, &m_desk, &Desk::designPinned);
        connect(m_desk.commands().action(QStringLiteral("workload.search")), &QAction::triggered, this, [this] {
            m_desk.setWorkspace(QStringLiteral("workload"));
            showSearch(true);
        });
        connect(&m_desk.document(), &DesignDocument::replaced, this, [this] { restoreSearch(); });
    }

    void showSearch(bool on)
    {
        m_searching = on;
        choosePage();
        if (m_pages->currentWidget() == m_search)
            m_search->startButton()->setFocus();
        else if (m_pages->currentWidget() == m_plan)
            m_plan->searchButton()->setFocus();
    }

    /// Of the session before, once the design it was for is open again.
    void restoreSearch()
    {
        if (!m_last || m_desk.document().file().isEmpty() || m_last->value(QStringLiteral("file")).toString() != QFileInfo(m_desk.document().file()).absoluteFilePath())
            return;
        const QJsonObject last = *std::exchange(m_last, std::nullopt);
        m_search->restore(last);
        m_searching = last.value(QStringLiteral("shown")).toBool();
        choosePage();
    }

    void keepSearch()
    {
        if (!m_keeps || m_desk.document().file().isEmpty())
            return;
        QJsonObject kept = m_search->kept();
        kept.insert(QStringLiteral("file"), QFileInfo(m_desk.document().file()).absoluteFilePath());
        kept.insert(QStringLiteral("shown"), m_searching);
        openSettings()->setValue(kSearchKept, QJsonDocument(kept).toJson(QJsonDocument::Compact));
    }

    Desk& m_desk;
    QStackedWidget* m_pages;
    PlanPage* m_plan;
    PlanSearchPanel* m_search;
    ShardPage* m_shard;
    bool m_searching = false;            ///< The search is on show where there is a plan.
    bool m_keeps = false;                ///< What is searched at the end is kept for the next start.
    std::optional<QJsonObject> m_last{}; ///< Of the session before.
};

} // namespace

WorkspaceRow workloadWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.workload", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "W&orkload"), "Ctrl+2", QT_TRANSLATE_NOOP("fabricscope::Commands", "Spread a model over the ranks: memory, pipeline and communications"), "workload", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"workload.search", QT_TRANSLATE_NOOP("fabricscope::Commands", "Design"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Best plans\u2026"), "Ctrl+Shift+B", QT_TRANSLATE_NOOP("fabricscope::Commands", "Search the fastest plans for the model on this platform"), "search"},
    };
    return {"workload", [](Desk& desk) -> Workspace* { return new WorkloadPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
