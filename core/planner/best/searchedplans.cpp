#include "core/planner/best/searchedplans.h"

#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/plan/layout.h"
#include "core/plan/spreadmodel.h"
#include "core/plan/statebytes.h"
#include "core/plan/steptime.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace fabricscope {

namespace {

std::int64_t picoseconds(double seconds)
{
    return static_cast<std::int64_t>(std::llround(std::clamp(seconds * 1e12, 0.0, 1e18)));
}

/// What is compared first, then in the order of the space.
double valueOfPlan(const SearchedPlan& plan, PlanObjective objective)
{
    switch (objective) {
    case PlanObjective::StepTime:
        return static_cast<double>(plan.step());
    case PlanObjective::TokensPerNpu:
        // As many ranks and tokens everywhere but where batches differ.
        return plan.tokensPerSecond ? -*plan.tokensPerSecond * static_cast<double>(plan.parts.step()) / static_cast<double>(std::max<std::int64_t>(1, plan.step())) : 0;
    case PlanObjective::Memory:
        return static_cast<double>(plan.memory);
    }
    return 0;
}

/// A block of the space and what its plans compute at least.
struct BoundedBlock {
    const PlanBlock* block = nullptr;
    std::size_t place = 0;      ///< In the space.
    std::int64_t choices = 0;
    ComputingTimes computing;   ///< Seconds.
    std::string refused;        ///< The field that says why none of its plans can be; empty: some may.
};

/// What became of the plans of one block.
struct BlockOutcome {
    PlanSearchCounts counts;
    std::vector<SearchedPlan> best; ///< Ranked, as many as are asked for at most.
};

/// Bounds are sums of doubles, estimates are rounded to picoseconds.
constexpr double kRounded = 1 - 1e-9;

class Searcher {
public:
    Searcher(const ModelSpec& model, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const PlanSpace& space) : m_model(model), m_ranks(ranks), m_npu(npu), m_search(search), m_space(space) {}

    BoundedBlock bounded(std::size_t place) const
    {
        BoundedBlock out{&m_space.blocks()[place], place, 0, {}, {}};
        const std::vector<PlanChoice> choices = m_space.choicesOf(*out.block);
        out.choices = static_cast<std::int64_t>(choices.size());
        if (choices.empty())
            return out;
        // The schedule, ZeRO and the order of axes change nothing of what all places compute together, though of what each does.
        PlanChoice plainest = choices.front();
        plainest.schedule = PipelineSchedule::OneForwardOneBackward;
        plainest.chunks = 1;
        plainest.zero = 0;
        const ModelSpec model = modelOf(*out.block);
        const Result<PlanLayout> layout = layoutOf(&model, m_space.planOf(plainest), m_ranks);
        if (!layout) {
            out.refused = layout.error().place.field;
            return out;
        }
        const Result<SpreadModel> spread = spreadModel(model, layout.value());
        if (!spread)
            out.refused = spread.error().place.field;
        else
            out.computing = computingTimes(spread.value(), m_npu);
        return out;
    }

    /// `longest`: plans whose step takes surely longer are left out, in picoseconds.
    BlockOutcome evaluate(const BoundedBlock& bounded, double longest) const
    {
        BlockOutcome out;
        const ModelSpec model = modelOf(*bounded.block);
        std::map<Staging, Staged> stagings;
        for (const PlanChoice& choice : m_space.choicesOf(*bounded.block)) {
            Staged& staged = stagings[{choice.schedule, choice.chunks}];
            if (const auto held = staged.memory.find(choice.zero); held != staged.memory.end() && isTooMuch(held->second)) {
                ++out.counts.overMemory; // In any order of axes.
                continue;
            }
            const PlanSpec plan = m_space.planOf(choice);
            const Result<PlanLayout> layout = layoutOf(&model, plan, m_ranks);
            if (!layout) {
                ++out.counts.refused[layout.error().place.field];
                continue;
            }
            if (!staged.spread)
                staged.spread.emplace(spreadModel(model, layout.value()));
            if (!*staged.spread) {
                ++out.counts.refused[staged.spread->error().place.field];
                continue;
            }
            // Sizes alone decide the rest of it, and those are the same in every layout of the block.
            SpreadModel& spread = staged.spread->value();
            spread.layout = &layout.value();
            if (const std::optional<std::string> field = evaluateOne(choice, plan, staged, bounded.computing.mean, longest, out))
                ++out.counts.refused[*field];
        }
        trim(out.best);
        return out;
    }

    /// The plan of the design, whatever memory it takes.
    std::optional<SearchedPlan> own(const PlanSpec& plan) const
    {
        const Result<PlanLayout> layout = layoutOf(&m_model, plan, m_ranks);
        if (!layout)
            return std::nullopt;
        const Result<PipelineOrders> order = pipelineOrders(layout.value().shape);
        const Result<SpreadModel> spread = spreadModel(m_model, layout.value());
        if (!order || !spread)
            return std::nullopt;
        return estimated(m_space.own(), plan, spread.value(), order.value(), computingTimes(spread.value(), m_npu).mean, fullest(plan, spread.value(), order.value()));
    }

    void trim(std::vector<SearchedPlan>& plans) const
    {
        std::stable_sort(plans.begin(), plans.end(), [this](const SearchedPlan& a, const SearchedPlan& b) { return valueOfPlan(a, m_search.objectives.front()) < valueOfPlan(b, m_search.objectives.front()); });
        if (m_search.objectives.size() > 1)
            keepFront(plans);
        else if (plans.size() > static_cast<std::size_t>(m_search.top))
            plans.erase(plans.begin() + m_search.top, plans.end());
    }

private:
    ModelSpec modelOf(const PlanBlock& block) const
    {
        ModelSpec model = m_model;
        model.train.micro = block.microBatch;
        return model;
    }

    /// Of several objectives the front may lie behind the best of the first.
    void keepFront(std::vector<SearchedPlan>& plans) const
    {
        const std::vector<std::size_t> front = frontOf(plans, m_search.objectives);
        std::vector<SearchedPlan> kept;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (i < static_cast<std::size_t>(m_search.top) || std::binary_search(front.begin(), front.end(), i))
                kept.push_back(std::move(plans[i]));
        }
        plans = std::move(kept);
    }

    using Staging = std::pair<PipelineSchedule, std::int32_t>;

    /// What the plans of a block with the same stages share.
    struct Staged {
        std::optional<Result<SpreadModel>> spread; ///< Its layout is that of the plan at hand.
        std::optional<Result<PipelineOrders>> orders;
        std::map<std::int32_t, std::int64_t> memory; ///< Of the fullest rank by stage of ZeRO; no order of axes changes it. At least so much, where that is too much.
    };

    const Result<PipelineOrders>& ordersOf(Staged& staged) const
    {
        if (!staged.orders)
            staged.orders.emplace(pipelineOrders(staged.spread->value().layout->shape));
        return *staged.orders;
    }

    bool isTooMuch(std::int64_t memory) const { return m_npu.memory && memory > *m_npu.memory; }

    /// Returns the field that says why it cannot be.
    std::optional<std::string> evaluateOne(const PlanChoice& choice, const PlanSpec& plan, Staged& staged, double computing, double longest, BlockOutcome& out) const
    {
        const SpreadModel& spread = staged.spread->value();
        const auto [held, isNew] = staged.memory.try_emplace(choice.zero, 0);
        if (isNew) {
            held->second = fullest(plan, spread, oneForward(*spread.layout));
            if (!isTooMuch(held->second) && ordersOf(staged))
                held->second = fullest(plan, spread, ordersOf(staged).value());
        }
        if (isTooMuch(held->second)) {
            ++out.counts.overMemory;
            return std::nullopt;
        }
        if (leastStepTime(spread, m_npu) * 1e12 * kRounded > longest) {
            ++out.counts.pruned;
            return std::nullopt;
        }
        if (!ordersOf(staged))
            return "workload.plan.pipeline.schedule";
        std::optional<SearchedPlan> found = estimated(choice, plan, spread, ordersOf(staged).value(), computing, held->second);
        if (!found)
            return "workload.plan.pipeline";
        ++out.counts.estimated;
        out.best.push_back(std::move(*found));
        return std::nullopt;
    }

    /// Orders that keep no more than any others: one micro-batch.
    static PipelineOrders oneForward(const PlanLayout& layout)
    {
        PipelineOrders orders;
        for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
            PipelineOperation operation;
            operation.pass.stage = static_cast<std::int32_t>(layout.stagesOfRank(place).front());
            orders.ranks.push_back({operation});
        }
        return orders;
    }

    static std::int64_t fullest(const PlanSpec& plan, const SpreadModel& spread, const PipelineOrders& orders)
    {
        std::int64_t most = 0;
        for (const PlanMemory& row : memoryOfPlaces(spread, orders, toBytes(plan.framework).value))
            most = std::max(most, row.peak());
        return most;
    }

    std::optional<SearchedPlan> estimated(const PlanChoice& choice, const PlanSpec& plan, const SpreadModel& spread, const PipelineOrders& orders, double computing, std::int64_t memory) const
    {
        const Result<PlanTimes> times = stepTimes(spread, orders, m_npu);
        if (!times)
            return std::nullopt;
        SearchedPlan found{choice, plan, spread.layout->microBatches, partsOf(times.value(), computing), memory, std::nullopt, std::nullopt, {}};
        const PlanLayout& layout = *spread.layout;
        const double step = static_cast<double>(found.parts.step()) * 1e-12;
        if (step > 0)
            found.tokensPerSecond = static_cast<double>(layout.microBatch) * static_cast<double>(layout.microBatches) * static_cast<double>(layout.replicas) * static_cast<double>(spread.seq()) / step;
        return found;
    }

    static PlanParts partsOf(const PlanTimes& times, double computing)
    {
        PlanParts parts;
        parts.gradients = picoseconds(times.exposedData);
        parts.optimizer = picoseconds(times.optimizer);
        parts.waiting = picoseconds(times.bubbleShare * times.step);
        parts.computing = picoseconds(computing);
        // Whole picoseconds of each; what the pipeline takes beyond the two is communication.
        parts.communication = std::max<std::int64_t>(0, picoseconds(times.step) - parts.gradients - parts.optimizer - parts.waiting - parts.computing);
        return parts;
    }

    const ModelSpec& m_model;
    std::int64_t m_ranks;
    const PlanNpu& m_npu;
    const PlanSearchSpec& m_search;
    const PlanSpace& m_space;
};

/// Blocks that may hold a plan, those that compute least first; the others are counted.
std::vector<BoundedBlock> boundedBlocks(const Searcher& searcher, const PlanSpace& space, const PlanSearchOptions& options, PlanSearchCounts& counts)
{
    std::vector<BoundedBlock> blocks(space.blocks().size());
    forEachItem(blocks.size(), options.threads, [&](std::size_t place) {
        if (options.stop.stop_requested())
            return false;
        blocks[place] = searcher.bounded(place);
        return true;
    });
    for (const BoundedBlock& block : blocks) {
        counts.considered += block.choices;
        if (!block.refused.empty())
            counts.refused[block.refused] += block.choices;
    }
    std::erase_if(blocks, [](const BoundedBlock& block) { return !block.refused.empty() || block.choices == 0; });
    std::stable_sort(blocks.begin(), blocks.end(), [](const BoundedBlock& a, const BoundedBlock& b) { return a.computing.mean < b.computing.mean; });
    return blocks;
}

void addCounts(const PlanSearchCounts& part, PlanSearchCounts& counts)
{
    counts.overMemory += part.overMemory;
    counts.pruned += part.pruned;
    counts.estimated += part.estimated;
    for (const auto& [field, count] : part.refused)
        counts.refused[field] += count;
}

} // namespace

std::int64_t PlanSearchCounts::refusedPlans() const
{
    return std::accumulate(refused.begin(), refused.end(), std::int64_t{0}, [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
}

Result<PlanSearchResult> searchPlans(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const PlanSearchOptions& options)
{
    if (!npu.peak && !npu.seconds)
        return invalidInput("nothing says how fast the NPU computes", {"", 0, 0, -1, "platform.npu.peak", -1, -1, false}, "peak: N TFLOP/s");
    const Result<PlanSpace> space = PlanSpace::create(model, own, ranks, search);
    if (!space)
        return space.error();
    const Searcher searcher(model, ranks, npu, search, space.value());
    PlanSearchResult result;
    result.space = static_cast<std::int64_t>(space.value().blocks().size());
    const std::vector<BoundedBlock> blocks = boundedBlocks(searcher, space.value(), options, result.counts);
    const bool prunes = std::find(search.objectives.begin(), search.objectives.end(), PlanObjective::Memory) == search.objectives.end() && search.objectives.size() == 1;
    // The same rounds on any number of threads, so that the same blocks are left out.
    constexpr std::size_t kRound = 16;
    for (std::size_t begin = 0; begin < blocks.size(); begin += kRound) {
        const double longest = prunes && result.plans.size() == static_cast<std::size_t>(search.top) ? static_cast<double>(result.plans.back().parts.step()) : std::numeric_limits<double>::infinity();
        if (blocks[begin].computing.mean * 1e12 * kRounded > longest) {
            for (std::size_t i = begin; i < blocks.size(); ++i)
                result.counts.pruned += blocks[i].choices;
            break;
        }
        std::vector<BlockOutcome> outcomes(std::min(kRound, blocks.size() - begin));
        forEachItem(outcomes.size(), options.threads, [&](std::size_t i) {
            if (options.stop.stop_requested())
                return false;
            outcomes[i] = searcher.evaluate(blocks[begin + i], longest);
            return true;
        });
        if (options.stop.stop_requested())
            return Error{ErrorCode::Cancelled, "stopped", {}, {}};
        for (BlockOutcome& outcome : outcomes) {
            addCounts(outcome.counts, result.counts);
            std::move(outcome.best.begin(), outcome.best.end(), std::back_inserter(result.plans));
        }
        searcher.trim(result.plans);
        if (options.progress)
            options.progress({begin + outcomes.size(), blocks.size(), result.plans.empty() ? 0 : result.plans.front().parts.step()});
    }
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    if (space.value().hasOwn())
        result.own = searcher.own(own);
    result.front = frontOf(result.plans, search.objectives);
    return result;
}

std::vector<std::size_t> frontOf(const std::vector<SearchedPlan>& plans, const std::vector<PlanObjective>& objectives)
{
    const auto beats = [&](const SearchedPlan& a, const SearchedPlan& b) {
        bool better = false;
        for (const PlanObjective objective : objectives) {
            const double own = valueOfPlan(a, objective);
            const double other = valueOfPlan(b, objective);
            if (own > other)
                return false;
            better = better || own < other;
        }
        return better;
    };
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (std::none_of(plans.begin(), plans.end(), [&](const SearchedPlan& other) { return beats(other, plans[i]); }))
            front.push_back(i);
    }
    return front;
}

std::optional<double> rankAgreement(const std::vector<SearchedPlan>& plans)
{
    double agreeing = 0;
    double first = 0;
    double second = 0;
    const auto sign = [](std::int64_t value) { return value > 0 ? 1 : value < 0 ? -1 : 0; };
    for (std::size_t i = 0; i < plans.size(); ++i) {
        for (std::size_t j = 0; plans[i].simulated && j < i; ++j) {
            if (!plans[j].simulated)
                continue;
            const int estimated = sign(plans[i].parts.step() - plans[j].parts.step());
            const int simulated = sign(plans[i].simulated->ps - plans[j].simulated->ps);
            agreeing += estimated * simulated;
            first += estimated != 0;
            second += simulated != 0;
        }
    }
    if (first == 0 || second == 0)
        return std::nullopt;
    return agreeing / std::sqrt(first * second);
}

} // namespace fabricscope
