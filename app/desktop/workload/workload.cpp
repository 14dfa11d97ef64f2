// Joins the Workload workspace to the rest of the window.
#include "app/desktop/workspace.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/planform.h"
#include "widgets/workload/planpage.h"

#include <QTimer>

namespace fabricscope {

namespace {

class WorkloadPage : public Workspace
{
public:
    explicit WorkloadPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_plan(new PlanPage)
    {
        m_plan->setDocument(&desk.document());
        connect(m_plan, &PlanPage::refused, this, [this](const QString& text) { m_desk.warn(text); });
    }

    QWidget* page() override { return m_plan; }
    void activate() override
    {
        m_plan->chart()->setFocus();
        QTimer::singleShot(0, this, &Workspace::ready);
    }
    void showDesign() override { m_plan->showDesign(); }
    bool needsRun() const override { return false; }

private:
    Desk& m_desk;
    PlanPage* m_plan;
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
