#pragma once

#include "core/run/designplans.h"
#include "widgets/base/backgroundthreads.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <stop_token>
#include <string>

namespace fabricscope {

/// What is searched: plans for the model of a design.
struct PlanQuestion {
    std::shared_ptr<const Design> design;
    PlanSearchSpec search;
    bool simulate = true; ///< Those that are listed.
    int threads = 1;
};

struct PlanAnswer : DesignPlans {
    PlanQuestion question;
    bool stopped = false; ///< Before they were simulated.
};
using PlanAnswerPtr = std::shared_ptr<const PlanAnswer>;

/// How far a search is.
struct PlanSearchMoment {
    bool simulating = false;
    std::size_t done = 0;  ///< Mixes of degrees that were looked at, or plans that were simulated.
    std::size_t of = 0;
    std::int64_t best = 0; ///< Picoseconds of the best step so far, as estimated; 0: none yet.
    friend bool operator==(const PlanSearchMoment&, const PlanSearchMoment&) = default;
};

/// The model and the plan to start from; null: the design has none.
const PlannedWorkload* searchedWorkload(const Design& design);
/// What a design says but for its plan and its micro-batch.
std::string hashBesidePlan(const Design& design, const SearchedPlan& plan, const std::stop_token& stop);

/// Searches plans on threads of its own, one search at a time; how far it is is looked at 30 times a second.
class PlanSearchRunner : public QObject
{
    Q_OBJECT
public:
    explicit PlanSearchRunner(QObject* parent = nullptr);
    /// Stops a search and waits for its end.
    ~PlanSearchRunner() override;

    /// \pre !isBusy()
    void start(PlanQuestion question);
    /// finished() with the estimate follows where the search was through, else failed() with Cancelled.
    void stop();
    bool isBusy() const { return m_busy; }

    static constexpr int kPollMs = 33;

signals:
    void progressed(const fabricscope::PlanSearchMoment& moment);
    /// All plans are estimated; the best are going to be simulated.
    void ranked(const fabricscope::PlanAnswerPtr& answer);
    void finished(const fabricscope::PlanAnswerPtr& answer);
    void failed(const fabricscope::Error& error);

private:
    struct Between;
    static Result<PlanAnswerPtr> answerOf(PlanQuestion question, Between& between, const std::stop_token& stop);
    void poll();

    BackgroundThreads m_thread{1};
    QTimer m_timer;
    std::stop_source m_stop;
    std::shared_ptr<Between> m_between;
    PlanSearchMoment m_seen;
    bool m_busy = false;
};

} // namespace fabricscope
