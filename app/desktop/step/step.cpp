// Joins the Step workspace to the rest of the window.
#include "app/desktop/resulthistory.h"
#include "app/desktop/workspace.h"
#include "widgets/step/chunkworkspace.h"

#include <utility>

namespace fabricscope {

namespace {

class StepPage : public Workspace
{
public:
    explicit StepPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_step(new StepWorkspace)
    {
        connect(m_step, &StepWorkspace::runRequested, this, [this] { m_desk.startRun(); });
        connect(m_step, &StepWorkspace::linksModelRequested, this, [this] { m_desk.setModel(Model::Links); });
        connect(m_step, &StepWorkspace::nodeSelected, this, [this](int node) { m_desk.selectNpu(node, m_step); });
        connect(m_step, &StepWorkspace::showOnTimelineRequested, this, [this](qint64 begin, qint64 end) { m_desk.showOnTimeline(begin, end); });
        connect(m_step, &StepWorkspace::statusText, this, [this](const QString& text) { m_desk.say(text); });
        connect(&desk, &Desk::stepThroughRequested, this, [this](qint64 instance) {
            m_desk.setWorkspace(QStringLiteral("step"));
            if (instance >= 0)
                m_step->selectInstance(static_cast<int>(instance));
        });
    }

    QWidget* page() override { return m_step; }

    void activate() override
    {
        m_shown = true;
        takeRun();
        m_step->setFocus();
    }

    void deactivate() override { m_shown = false; }

    void showRun() override
    {
        m_stale = true;
        // What a run has so far is not stepped through; what was stepped through of a design that was closed is given back at once.
        if ((m_shown && !m_desk.isRunning()) || !m_desk.history().current())
            takeRun();
    }

    void giveBack() override { m_step->loader()->forget(); }

    void showFreshness() override { m_step->setOutdated(m_desk.isOutdated()); }

private:
    void takeRun()
    {
        if (std::exchange(m_stale, false))
            m_step->setRun(m_desk.history().current());
    }

    Desk& m_desk;
    StepWorkspace* m_step;
    bool m_stale = true;
    bool m_shown = false;
};

} // namespace

WorkspaceRow stepWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.step", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Step"), "Ctrl+3", QT_TRANSLATE_NOOP("fabricscope::Commands", "Follow one collective move by move"), "chunk", true},
    };
    return {"step", [](Desk& desk) -> Workspace* { return new StepPage(desk); }, kShow, {}};
}

} // namespace fabricscope
