// Joins the Workload workspace to the rest of the window.
#include "app/desktop/workspace.h"
#include "widgets/design/document.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/placementchart.h"
#include "widgets/workload/placementview.h"
#include "widgets/workload/planform.h"
#include "widgets/workload/planpage.h"
#include "widgets/workload/shardpage.h"
#include "widgets/workload/shardview.h"
#include "widgets/workload/pagechoice.h"

#include <QStackedWidget>
#include <QTimer>

namespace fabricscope {

namespace {

class WorkloadPage : public Workspace
{
public:
    explicit WorkloadPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_pages(new QStackedWidget), m_plan(new PlanPage), m_shard(new ShardPage)
    {
        m_pages->addWidget(m_plan);
        m_pages->addWidget(m_shard);
        m_plan->setDocument(&desk.document());
        m_shard->setDocument(&desk.document());
        connect(m_plan, &PlanPage::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_shard, &ShardPage::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_shard, &ShardPage::settled, this, &Workspace::ready);
        connect(m_plan, &PlanPage::settled, this, &Workspace::ready);
        choosePage();
    }

    QWidget* page() override { return m_pages; }
    void activate() override
    {
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
        // Its work begins when it is seen; a placement says itself when it is there.
        QTimer::singleShot(0, this, [this] {
            if (m_plan->isSettled() || !m_plan->showsPlacement())
                emit ready();
        });
    }
    void showDesign() override
    {
        choosePage();
        m_plan->showDesign();
        m_shard->showDesign();
    }
    bool needsRun() const override { return false; }

private:
    /// A sharded graph has a page of its own, also while it has an error.
    void choosePage() { m_pages->setCurrentWidget(workloadtext::saysGraph(m_desk.document()) ? static_cast<QWidget*>(m_shard) : m_plan); }

    Desk& m_desk;
    QStackedWidget* m_pages;
    PlanPage* m_plan;
    ShardPage* m_shard;
};

} // namespace

WorkspaceRow workloadWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.workload", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Workload"), "Ctrl+2", QT_TRANSLATE_NOOP("fabricscope::Commands", "Spread a model over the ranks: memory, pipeline and communications"), "workload", true},
    };
    return {"workload", [](Desk& desk) -> Workspace* { return new WorkloadPage(desk); }, kShow, {}};
}

} // namespace fabricscope
