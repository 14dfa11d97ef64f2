#include "core/planner/best/servedplans.h"

#include "core/base/workers.h"
#include "core/plan/inference/analyseinference.h"

#include <algorithm>
#include <mutex>

namespace fabricscope {

namespace {

/// What became of one plan.
struct ServedOutcome {
    std::string refused;
    bool fits = false;
    std::optional<ServedPlan> plan;
};

class ServedSearch {
public:
    ServedSearch(const ModelSpec& model, std::int64_t ranks, const PlanNpu& npu, const ServedBounds& bounds) : m_model(model), m_ranks(ranks), m_npu(npu), m_bounds(bounds) {}

    ServedOutcome evaluate(const PlanChoice& choice, PlanSpec plan) const
    {
        ServedOutcome out;
        const std::int64_t step = plan.pipeline && plan.pipeline->microBatches ? *plan.pipeline->microBatches : 1;
        plan.inference->batch = step;
        const Result<PlanAnalysis> analysis = analysePlan(&m_model, plan, m_ranks, m_npu);
        if (!analysis) {
            out.refused = analysis.error().place.field;
            return out;
        }
        // The smallest batch first, then doubled ones up to the largest that fits.
        const std::vector<ServedBatch>& rows = analysis.value().batches;
        out.fits = !m_npu.memory || rows.front().peak <= *m_npu.memory;
        if (!out.fits || !isWithin(rows.front()))
            return out;
        ServedBatch best = rows.front();
        std::int64_t beyond = 0; // A batch that is too slow; 0: none.
        for (const ServedBatch& row : rows) {
            if (!isWithin(row)) {
                beyond = row.batch;
                break;
            }
            best = row;
        }
        // Without a memory the rows end before anything does.
        const std::int64_t most = kMostServedBatch / step * step;
        while (!m_npu.memory && beyond == 0 && best.batch < most) {
            const std::int64_t next = std::min(2 * best.batch, most);
            if (const std::optional<ServedBatch> row = within(plan, next))
                best = *row;
            else
                beyond = next;
        }
        while (beyond - best.batch > step) {
            const std::int64_t between = best.batch + (beyond - best.batch) / step / 2 * step;
            if (const std::optional<ServedBatch> row = within(plan, between))
                best = *row;
            else
                beyond = between;
        }
        plan.inference->batch = best.batch;
        out.plan = ServedPlan{choice, std::move(plan), best};
        return out;
    }

private:
    /// Of the plan with that batch; nothing where it cannot be or is too slow.
    std::optional<ServedBatch> within(PlanSpec& plan, std::int64_t batch) const
    {
        plan.inference->batch = batch;
        const Result<PlanAnalysis> there = analysePlan(&m_model, plan, m_ranks, m_npu);
        return there && isWithin(there.value().batches.front()) ? std::optional(there.value().batches.front()) : std::nullopt;
    }

    bool isWithin(const ServedBatch& row) const
    {
        const auto keeps = [](const std::optional<double>& bound, const std::optional<double>& value) { return !bound || (value && *value <= *bound); };
        return row.tokensPerSecond && keeps(m_bounds.firstToken, row.firstToken) && keeps(m_bounds.perToken, row.perToken);
    }

    const ModelSpec& m_model;
    std::int64_t m_ranks;
    const PlanNpu& m_npu;
    const ServedBounds& m_bounds;
};

/// The space of a plan of training as long as the ranks can be divided: batches are not its own to choose.
struct AsTrained {
    ModelSpec model;
    PlanSpec plan;
    PlanSearchSpec search;
};

AsTrained asTrained(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search)
{
    AsTrained out{model, own, search};
    out.model.train.global = ranks;
    out.model.train.micro = 1;
    out.plan.inference.reset();
    if (out.plan.pipeline)
        out.plan.pipeline->microBatches.reset();
    out.search.fixed.microBatch = 1;
    out.search.fixed.recompute = own.recompute;
    out.search.fixed.zero = own.data ? own.data->zero : 0;
    out.search.fixed.schedule = own.pipeline ? own.pipeline->schedule : PipelineSchedule::OneForwardOneBackward;
    return out;
}

} // namespace

Result<ServedPlans> searchServedPlans(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const ServedBounds& bounds, const PlanSearchOptions& options)
{
    if (!npu.peak && !npu.seconds)
        return invalidInput("nothing says how fast the NPU computes", {"", 0, 0, -1, "platform.npu.peak", -1, -1, false}, "peak: N TFLOP/s");
    if (!npu.memory && !bounds.firstToken && !bounds.perToken)
        return invalidInput("nothing says how large a batch may be", {"", 0, 0, -1, "platform.npu.memory", -1, -1, false}, "memory: N GiB, or a bound of the latency");
    const AsTrained trained = asTrained(model, own, ranks, search);
    const Result<PlanSpace> space = PlanSpace::create(trained.model, trained.plan, ranks, trained.search, ranks);
    if (!space)
        return space.error();
    std::vector<PlanChoice> choices;
    for (const PlanBlock& block : space.value().blocks()) {
        const auto schedules = space.value().schedules(block);
        for (const auto& order : space.value().orders(block)) {
            if (!schedules.empty())
                choices.push_back({block, trained.search.fixed.zero.value_or(0), schedules.front().first, schedules.front().second, order});
        }
    }
    const ServedSearch searcher(model, ranks, npu, bounds);
    std::vector<ServedOutcome> outcomes(choices.size());
    std::mutex telling;
    std::size_t done = 0;
    forEachItem(choices.size(), options.threads, [&](std::size_t i) {
        if (options.stop.stop_requested())
            return false;
        PlanSpec plan = space.value().planOf(choices[i]);
        plan.inference = own.inference;
        if (plan.pipeline && own.pipeline)
            plan.pipeline->microBatches = own.pipeline->microBatches;
        outcomes[i] = searcher.evaluate(choices[i], std::move(plan));
        if (options.progress) {
            const std::lock_guard lock(telling);
            options.progress({++done, choices.size(), 0});
        }
        return true;
    });
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    ServedPlans found;
    found.considered = static_cast<std::int64_t>(choices.size());
    for (ServedOutcome& outcome : outcomes) {
        if (!outcome.refused.empty())
            ++found.refused[outcome.refused];
        else if (!outcome.fits)
            ++found.overMemory;
        else if (!outcome.plan)
            ++found.tooSlow;
        else
            found.plans.push_back(std::move(*outcome.plan));
    }
    std::stable_sort(found.plans.begin(), found.plans.end(), [](const ServedPlan& a, const ServedPlan& b) { return *a.figures.tokensPerSecond > *b.figures.tokensPerSecond; });
    if (found.plans.size() > static_cast<std::size_t>(search.top))
        found.plans.erase(found.plans.begin() + search.top, found.plans.end());
    return found;
}

} // namespace fabricscope
