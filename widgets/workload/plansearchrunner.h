#pragma once

#include "core/run/designplans.h"
#include "widgets/base/searchrunner.h"

#include <memory>
#include <stop_token>
#include <string>

namespace fabricscope {

/// What is searched: plans for the model of a design.
struct PlanQuestion {
    std::shared_ptr<const Design> design;
    PlanSearchSpec search;
    std::optional<CostConfig> costs; ///< Of the design.
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
/// Section `costs` of a text, where it has one that can be read: a mistake in it is shown where the design is written.
std::optional<CostConfig> costsOf(const YamlDocument* yaml);
/// What a design says but for its plan and its micro-batch.
std::string hashBesidePlan(const Design& design, const SearchedPlan& plan, const std::stop_token& stop);

/// Searches plans beside the window; stopped, finished() with the estimate follows where the search was through, else failed() with Cancelled.
class PlanSearchRunner : public SearchRunner
{
    Q_OBJECT
public:
    explicit PlanSearchRunner(QObject* parent = nullptr);
    ~PlanSearchRunner() override;

    /// \pre !isBusy()
    void start(PlanQuestion question);

signals:
    void progressed(const fabricscope::PlanSearchMoment& moment);
    /// All plans are estimated; the best are going to be simulated.
    void ranked(const fabricscope::PlanAnswerPtr& answer);
    void finished(const fabricscope::PlanAnswerPtr& answer);

private:
    struct Between;
    static Result<PlanAnswerPtr> answerOf(PlanQuestion question, Between& between, const std::stop_token& stop);
    void poll() override;

    std::shared_ptr<Between> m_between;
    PlanSearchMoment m_seen;
};

} // namespace fabricscope
