#include "widgets/workload/plansearchrunner.h"

#include "core/base/stop.h"
#include "core/design/file/costsection.h"
#include "core/run/plansimulation.h"

#include <mutex>
#include <utility>

namespace fabricscope {

/// Between the threads of the search and the one of the window.
struct PlanSearchRunner::Between {
    std::mutex mutex;
    PlanSearchMoment moment;
    PlanAnswerPtr ranked; ///< Until it was told.

    void set(const PlanSearchMoment& now)
    {
        const std::lock_guard lock(mutex);
        moment = now;
    }
};

Result<PlanAnswerPtr> PlanSearchRunner::answerOf(PlanQuestion question, Between& between, const std::stop_token& stop)
{
    const Design& design = *question.design;
    std::int64_t best = 0;
    PlanSearchOptions options;
    options.threads = question.threads;
    options.stop = stop;
    options.progress = [&](const PlanSearchProgress& progress) {
        best = progress.best;
        between.set({false, progress.done, progress.of, progress.best});
    };
    Result<DesignPlans> found = plansOfDesign(design, question.search, question.costs ? &*question.costs : nullptr, options);
    if (!found)
        return std::move(found).error();
    const PlanAnswer ranked{std::move(found).value(), question, false};
    auto answer = std::make_shared<PlanAnswer>(ranked);
    if (!question.simulate || ranked.result.plans.empty())
        return PlanAnswerPtr(answer);
    {
        const std::lock_guard lock(between.mutex);
        between.ranked = std::make_shared<const PlanAnswer>(ranked);
        between.moment = {true, 0, ranked.result.plans.size(), best};
    }
    const Status simulated = simulateListed(design, question.search, options, *answer, [&](std::size_t done, std::size_t of) { between.set({true, done, of, best}); });
    if (!simulated && simulated.error().code != ErrorCode::Cancelled)
        return simulated.error();
    answer->stopped = !simulated;
    return PlanAnswerPtr(answer);
}

const PlannedWorkload* searchedWorkload(const Design& design)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    return planned && planned->model && planned->plan && !planned->plan->graph ? planned : nullptr;
}

std::optional<CostConfig> costsOf(const YamlDocument* yaml)
{
    const Result<std::optional<CostConfig>> costs = yaml ? readCosts(*yaml) : Result<std::optional<CostConfig>>(std::optional<CostConfig>());
    return costs ? costs.value() : std::nullopt;
}

std::string hashBesidePlan(const Design& design, const SearchedPlan& plan, const std::stop_token& stop)
{
    const PlannedWorkload* planned = searchedWorkload(design);
    return planned ? designHash(designWith(design, *planned->model, plan), stop).hex() : std::string();
}

PlanSearchRunner::PlanSearchRunner(QObject* parent) : SearchRunner(parent) {}

PlanSearchRunner::~PlanSearchRunner() = default;

void PlanSearchRunner::start(PlanQuestion question)
{
    Q_ASSERT(!isBusy());
    m_between = std::make_shared<Between>();
    m_seen = {};
    begin([question = std::move(question), between = m_between](const std::stop_token& stop) { return untilStopped([&] { return answerOf(question, *between, stop); }); },
          [this](const PlanAnswerPtr& answer) { emit finished(answer); });
}

void PlanSearchRunner::poll()
{
    PlanSearchMoment moment;
    PlanAnswerPtr answer;
    {
        const std::lock_guard lock(m_between->mutex);
        moment = m_between->moment;
        answer = std::move(m_between->ranked);
        m_between->ranked = nullptr;
    }
    if (answer)
        emit ranked(answer);
    if (moment != std::exchange(m_seen, moment))
        emit progressed(moment);
}

} // namespace fabricscope
