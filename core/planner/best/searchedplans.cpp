#include "core/planner/best/searchedplans.h"

#include "core/base/kendall.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/plan/layout.h"
#include "core/plan/spreadmodel.h"
#include "core/plan/statebytes.h"
#include "core/planner/best/planbounds.h"
#include "core/planner/best/plancut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kInPicoseconds = 1e12;

std::int64_t picoseconds(double seconds)
{
    return static_cast<std::int64_t>(std::llround(std::clamp(seconds * kInPicoseconds, 0.0, 1e18)));
}

PlanParts partsOf(const PlanTimes& times, double computing)
{
    PlanParts parts;
    parts.gradients = picoseconds(times.exposedData);
    parts.optimizer = picoseconds(times.optimizer);
    parts.waiting = picoseconds(times.bubbleShare * times.step);
    // Schedules may run gradients of the weights with the others, which takes no longer.
    parts.computing = std::min(picoseconds(computing), std::max<std::int64_t>(0, picoseconds(times.step) - parts.gradients - parts.optimizer - parts.waiting));
    // Whole picoseconds of each; what the pipeline takes beyond the two is communication.
    parts.communication = std::max<std::int64_t>(0, picoseconds(times.step) - parts.gradients - parts.optimizer - parts.waiting - parts.computing);
    return parts;
}

/// A schedule and its chunks.
using PlanStages = std::pair<PipelineSchedule, std::int32_t>;

/// A block of the space and what its plans take at least.
struct BoundedBlock {
    std::size_t place = 0;    ///< In the space.
    std::int64_t choices = 0;
    double least = 0;         ///< Seconds.
    double leastApart = 0;    ///< Of schedules that do not have two passes as one operation.
    double computing = 0;     ///< Of that.
    std::int64_t memory = 0;  ///< Bytes.
    PlanStages plainest{PipelineSchedule::OneForwardOneBackward, 1}; ///< Whose sums are those of all its plans.
    std::string refused;      ///< The field that says why none of its plans can be; empty: some may.
};

/// What became of the plans of one block.
struct BlockOutcome {
    PlanSearchCounts counts;
    std::vector<RankedPlan> best; ///< As keepBest() leaves them.
};

/// What the plans of a mix of degrees have in common.
struct MixedPlans {
    std::vector<std::int32_t> zeros;
    std::vector<PlanStages> schedules;
    std::vector<std::vector<std::string>> orders;
    std::size_t count() const { return zeros.size() * schedules.size() * orders.size(); }
};

class Searcher {
public:
    Searcher(const ModelSpec& model, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const PlanSpace& space) : m_model(model), m_ranks(ranks), m_npu(npu), m_search(search), m_space(space) {}

    /// Bounds of blocks of the same degrees, from `first` to before `last`.
    void bound(std::vector<BoundedBlock>& blocks, std::size_t first, std::size_t last) const
    {
        const MixedPlans mix = mixOf(m_space.blocks()[first]);
        std::optional<MessageTimes> messages;
        for (std::size_t place = first; place < last; ++place) {
            BoundedBlock& out = blocks[place];
            out.place = place;
            out.choices = static_cast<std::int64_t>(mix.count());
            if (mix.count() > 0)
                boundOne(m_space.blocks()[place], mix, messages, out);
        }
    }

    /// `cut`: plans that are surely out are left out.
    BlockOutcome evaluate(const BoundedBlock& bounded, PlanCut cut) const
    {
        BlockOutcome out;
        if (isTooMuch(bounded.memory)) {
            out.counts.overMemory = bounded.choices;
            return out;
        }
        if (cut.isOut(bounded.least * kInPicoseconds, static_cast<double>(bounded.memory))) {
            out.counts.pruned = bounded.choices;
            return out;
        }
        BlockSearch(*this, bounded, cut, out).run();
        keepBest(out.best, m_search);
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
        PipelineMemo memo;
        return estimated(m_space.own(), plan, spread.value(), order.value(), memo, computingSeconds(spread.value(), partSeconds(spread.value(), m_npu)), fullest(plan, spread.value(), order.value()));
    }

private:
    /// What the plans of a block with the same stages share.
    struct Staged {
        SpreadModel* spread = nullptr; ///< Its layout is that of the plan at hand.
        std::optional<Result<PipelineOrders>> orders;
        PipelineMemo memo;
        std::vector<double> passes; ///< Of StepBounds::leastPasses(), by order of the axes.
    };

    /// The plans of one block, those with the same stages together.
    class BlockSearch {
    public:
        BlockSearch(const Searcher& searcher, const BoundedBlock& bounded, PlanCut& cut, BlockOutcome& out)
            : m_searcher(searcher), m_bounded(bounded), m_block(searcher.m_space.blocks()[bounded.place]), m_mix(searcher.mixOf(m_block)), m_cut(cut), m_out(out), m_model(searcher.modelOf(m_block))
        {
        }

        void run()
        {
            for (std::size_t i = 0; i < m_mix.schedules.size(); ++i)
                runStaged(i);
        }

    private:
        PlanChoice choiceOf(std::size_t zero, std::size_t schedule, std::size_t order) const { return {m_block, m_mix.zeros[zero], m_mix.schedules[schedule].first, m_mix.schedules[schedule].second, m_mix.orders[order]}; }
        Result<PlanLayout> layoutOfChoice(const PlanChoice& choice) const { return layoutOf(&m_model, m_searcher.m_space.planOf(choice), m_searcher.m_ranks); }

        void runStaged(std::size_t schedule)
        {
            const auto count = static_cast<std::int64_t>(m_mix.zeros.size() * m_mix.orders.size());
            if (const auto& [word, chunks] = m_mix.schedules[schedule]; word == PipelineSchedule::Interleaved && chunks == 1) {
                m_out.counts.refused["workload.plan.pipeline.virtual"] += count;
                return;
            }
            if (!hasPairs(m_mix.schedules[schedule].first) && m_cut.isOut(m_bounded.leastApart * kInPicoseconds, static_cast<double>(m_bounded.memory))) {
                m_out.counts.pruned += count;
                return;
            }
            const Result<PlanLayout> layout = layoutOfChoice(choiceOf(0, schedule, 0));
            if (!layout) {
                m_out.counts.refused[layout.error().place.field] += count;
                return;
            }
            if (!m_spread) {
                m_spread.emplace(spreadModel(m_model, layout.value()));
                if (*m_spread)
                    m_parts = partSeconds(m_spread->value(), m_searcher.m_npu);
            }
            if (!*m_spread) {
                m_out.counts.refused[m_spread->error().place.field] += count;
                return;
            }
            Staged staged;
            staged.spread = &m_spread->value();
            restage(*staged.spread, layout.value());
            if (!m_messages)
                m_messages.emplace(m_searcher.messagesOf(m_block, m_mix, m_model, m_bounded.plainest));
            if (!boundStaged(staged)) {
                m_out.counts.pruned += count;
                return;
            }
            for (std::size_t zero = 0; zero < m_mix.zeros.size(); ++zero)
                runShared(staged, zero, schedule);
        }

        /// Whether any order of the axes may be among the best, however states are shared.
        bool boundStaged(Staged& staged)
        {
            StepBounds bounds(*staged.spread, m_parts, m_searcher.m_npu, *m_messages);
            const auto isOut = [this](double seconds) { return m_cut.isOut(seconds * kInPicoseconds, static_cast<double>(m_bounded.memory)); };
            if (isOut(bounds.leastComputing()))
                return false;
            for (std::size_t order = 0; order < m_mix.orders.size(); ++order)
                staged.passes.push_back(bounds.leastPasses(order));
            return !std::all_of(staged.passes.begin(), staged.passes.end(), isOut);
        }

        /// With one stage of ZeRO: all orders of the axes.
        void runShared(Staged& staged, std::size_t zero, std::size_t schedule)
        {
            const auto count = static_cast<std::int64_t>(m_mix.orders.size());
            const PlanChoice first = choiceOf(zero, schedule, 0);
            const PlanSpec plan = m_searcher.m_space.planOf(first);
            const Result<PlanLayout> layout = layoutOf(&m_model, plan, m_searcher.m_ranks);
            if (!layout) {
                m_out.counts.refused[layout.error().place.field] += count;
                return;
            }
            staged.spread->layout = &layout.value();
            const std::int64_t atLeast = fullest(plan, *staged.spread, oneForward(layout.value())); // In any order of axes.
            if (m_searcher.isTooMuch(atLeast)) {
                m_out.counts.overMemory += count;
                return;
            }
            StepBounds bounds(*staged.spread, m_parts, m_searcher.m_npu, *m_messages);
            std::optional<std::int64_t> memory;
            for (std::size_t order = 0; order < m_mix.orders.size(); ++order) {
                const double passes = staged.passes[order] * kInPicoseconds;
                const bool out = m_cut.isOut(passes, static_cast<double>(memory.value_or(atLeast)));
                const double least = out ? passes : bounds.least(order) * kInPicoseconds;
                if (out || m_cut.isOut(least, static_cast<double>(memory.value_or(atLeast)))) {
                    ++m_out.counts.pruned;
                    continue;
                }
                staged.spread->layout = &layout.value();
                if (!staged.orders)
                    staged.orders.emplace(pipelineOrders(layout.value().shape));
                if (!*staged.orders) {
                    ++m_out.counts.refused["workload.plan.pipeline.schedule"];
                    continue;
                }
                if (!memory)
                    memory = fullest(plan, *staged.spread, staged.orders->value());
                if (m_searcher.isTooMuch(*memory))
                    ++m_out.counts.overMemory;
                else if (m_cut.isOut(least, static_cast<double>(*memory)))
                    ++m_out.counts.pruned;
                else
                    estimate(staged, choiceOf(zero, schedule, order), (zero * m_mix.schedules.size() + schedule) * m_mix.orders.size() + order, *memory);
            }
        }

        void estimate(Staged& staged, const PlanChoice& choice, std::size_t index, std::int64_t memory)
        {
            const PlanSpec plan = m_searcher.m_space.planOf(choice);
            const Result<PlanLayout> layout = layoutOf(&m_model, plan, m_searcher.m_ranks);
            if (!layout) {
                ++m_out.counts.refused[layout.error().place.field];
                return;
            }
            staged.spread->layout = &layout.value();
            std::optional<SearchedPlan> found = m_searcher.estimated(choice, plan, *staged.spread, staged.orders->value(), staged.memo, computingSeconds(*staged.spread, m_parts), memory);
            if (!found) {
                ++m_out.counts.refused["workload.plan.pipeline"];
                return;
            }
            ++m_out.counts.estimated;
            if (m_cut.isOut(static_cast<double>(found->parts.step()), static_cast<double>(memory)))
                return;
            if (m_cut.isByStep()) {
                m_steps.push(found->parts.step());
                if (m_steps.size() > static_cast<std::size_t>(m_searcher.m_search.top))
                    m_steps.pop();
                if (m_steps.size() == static_cast<std::size_t>(m_searcher.m_search.top))
                    m_cut.lower(static_cast<double>(m_steps.top()));
            }
            m_out.best.push_back({std::move(*found), m_bounded.place, index});
        }

        const Searcher& m_searcher;
        const BoundedBlock& m_bounded;
        const PlanBlock& m_block;
        MixedPlans m_mix;
        PlanCut& m_cut;
        BlockOutcome& m_out;
        ModelSpec m_model;
        std::optional<Result<SpreadModel>> m_spread;
        std::vector<WorkSeconds> m_parts;
        std::optional<MessageTimes> m_messages;
        std::priority_queue<std::int64_t> m_steps; ///< The shortest of this block, as many as are asked for.
    };

    MixedPlans mixOf(const PlanBlock& block) const { return {m_space.zeros(block), m_space.schedules(block), m_space.orders(block)}; }

    ModelSpec modelOf(const PlanBlock& block) const
    {
        ModelSpec model = m_model;
        model.train.micro = block.microBatch;
        return model;
    }

    /// The schedule and the order of axes change nothing of what all places compute and send together, though of what each does.
    static PlanChoice plainest(const PlanBlock& block, const MixedPlans& mix, const PlanStages& stages, std::int32_t zero, std::size_t order) { return {block, zero, stages.first, stages.second, mix.orders[order]}; }

    /// With 1F1B, also where that is not asked for; where it cannot be, as with more places than layers that are spread by hand for another schedule: with the first that can. None: the error of the first that is asked for.
    Result<PlanLayout> plainestLayout(const PlanBlock& block, const MixedPlans& mix, const ModelSpec& model, PlanStages& stages) const
    {
        const auto laid = [&](const PlanStages& with) { return layoutOf(&model, m_space.planOf(plainest(block, mix, with, mix.zeros.front(), 0)), m_ranks); };
        Result<PlanLayout> plain = laid(stages);
        if (plain || !plain.error().place.field.starts_with("workload.plan.pipeline")) // What else is wrong is wrong with every schedule.
            return plain;
        std::optional<Error> first;
        for (const PlanStages& other : mix.schedules) {
            Result<PlanLayout> layout = laid(other);
            if (layout) {
                stages = other;
                return layout;
            }
            if (!first)
                first = layout.error();
        }
        return *first;
    }

    /// `block`, `mix` outlive it.
    MessageTimes messagesOf(const PlanBlock& block, const MixedPlans& mix, const ModelSpec& model, const PlanStages& stages) const
    {
        return {m_npu, mix.orders.size(), [this, &block, &mix, model, stages](std::size_t order) {
                    MessageTimes::OfOrder groups;
                    for (const std::int32_t zero : {mix.zeros.front(), mix.zeros.back()}) {
                        std::optional<PlanGroups>& of = groups[zero > 0 ? 1 : 0];
                        const Result<PlanLayout> layout = of ? Result<PlanLayout>(PlanLayout{}) : layoutOf(&model, m_space.planOf(plainest(block, mix, stages, zero, order)), m_ranks);
                        if (!of && layout)
                            of = groupsOf(layout.value());
                    }
                    return groups;
                }};
    }

    void boundOne(const PlanBlock& block, const MixedPlans& mix, std::optional<MessageTimes>& messages, BoundedBlock& out) const
    {
        const ModelSpec model = modelOf(block);
        const Result<PlanLayout> layout = plainestLayout(block, mix, model, out.plainest);
        if (!layout) {
            out.refused = layout.error().place.field;
            return;
        }
        Result<SpreadModel> spread = spreadModel(model, layout.value());
        if (!spread) {
            out.refused = spread.error().place.field;
            return;
        }
        if (!messages)
            messages.emplace(messagesOf(block, mix, model, out.plainest));
        const std::vector<WorkSeconds> parts = leastSeconds(partSeconds(spread.value(), m_npu));
        out.computing = computingSeconds(spread.value(), parts);
        StepBounds bounds(spread.value(), parts, m_npu, *messages);
        out.least = out.leastApart = std::numeric_limits<double>::infinity();
        const bool pairs = std::any_of(mix.schedules.begin(), mix.schedules.end(), [](const PlanStages& stages) { return hasPairs(stages.first); });
        for (std::size_t order = 0; order < mix.orders.size(); ++order)
            out.leastApart = std::min(out.leastApart, bounds.leastOnAverage(out.computing, order, false));
        for (std::size_t order = 0; pairs && order < mix.orders.size(); ++order)
            out.least = std::min(out.least, bounds.leastOnAverage(out.computing, order, true));
        out.least = std::min(out.least, out.leastApart);
        const Result<PlanLayout> shared = layoutOf(&model, m_space.planOf(plainest(block, mix, out.plainest, mix.zeros.back(), 0)), m_ranks);
        if (shared) {
            spread.value().layout = &shared.value();
            out.memory = leastMemory(spread.value(), toBytes(m_space.planOf(plainest(block, mix, out.plainest, 0, 0)).framework).value);
        }
    }

    bool isTooMuch(std::int64_t memory) const { return m_npu.memory && memory > *m_npu.memory; }

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

    std::optional<SearchedPlan> estimated(const PlanChoice& choice, const PlanSpec& plan, const SpreadModel& spread, const PipelineOrders& orders, PipelineMemo& memo, double computing,
                                          std::int64_t memory) const
    {
        const Result<PlanTimes> times = stepTimes(spread, orders, m_npu, memo);
        if (!times)
            return std::nullopt;
        SearchedPlan found{choice, plan, spread.layout->microBatches, partsOf(times.value(), computing), memory, std::nullopt, std::nullopt, {}};
        const PlanLayout& layout = *spread.layout;
        const double step = static_cast<double>(found.parts.step()) * 1e-12;
        if (step > 0)
            found.tokensPerSecond = static_cast<double>(layout.microBatch) * static_cast<double>(layout.microBatches) * static_cast<double>(layout.replicas) * static_cast<double>(spread.seq()) / step;
        return found;
    }

    const ModelSpec& m_model;
    std::int64_t m_ranks;
    const PlanNpu& m_npu;
    const PlanSearchSpec& m_search;
    const PlanSpace& m_space;
};

bool isSameMix(const PlanBlock& a, const PlanBlock& b)
{
    return a.tensor == b.tensor && a.pipeline == b.pipeline && a.data == b.data && a.expert == b.expert && a.context == b.context;
}

/// Blocks that may hold a plan, those that take least first; the others are counted.
std::vector<BoundedBlock> boundedBlocks(const Searcher& searcher, const PlanSpace& space, const PlanSearchSpec& search, const PlanSearchOptions& options, PlanSearchCounts& counts)
{
    std::vector<BoundedBlock> blocks(space.blocks().size());
    std::vector<std::size_t> begins; // Of mixes of degrees.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i == 0 || !isSameMix(space.blocks()[i - 1], space.blocks()[i]))
            begins.push_back(i);
    }
    begins.push_back(blocks.size());
    forEachItem(begins.size() - 1, options.threads, [&](std::size_t i) {
        if (options.stop.stop_requested())
            return false;
        searcher.bound(blocks, begins[i], begins[i + 1]);
        return true;
    });
    for (const BoundedBlock& block : blocks) {
        counts.considered += block.choices;
        if (!block.refused.empty())
            counts.refused[block.refused] += block.choices;
    }
    std::erase_if(blocks, [](const BoundedBlock& block) { return !block.refused.empty() || block.choices == 0; });
    const bool byMemory = search.objectives.front() == PlanObjective::Memory;
    std::stable_sort(blocks.begin(), blocks.end(), [&](const BoundedBlock& a, const BoundedBlock& b) { return byMemory ? a.memory < b.memory : a.leastApart < b.leastApart; });
    return blocks;
}

} // namespace

double SearchedPlan::tokensPerSecondOfStep() const
{
    return tokensPerSecond && step() > 0 ? *tokensPerSecond * static_cast<double>(parts.step()) / static_cast<double>(step()) : 0;
}

std::optional<double> SearchedPlan::dollarsPerToken() const
{
    const double tokens = tokensPerSecondOfStep();
    return rates.dollars && tokens > 0 ? std::optional(*rates.dollars / tokens) : std::nullopt;
}

std::optional<double> SearchedPlan::joulesPerToken() const
{
    const double tokens = tokensPerSecondOfStep();
    return rates.watts && tokens > 0 ? std::optional(*rates.watts / tokens) : std::nullopt;
}

void PlanSearchCounts::add(const PlanSearchCounts& part)
{
    considered += part.considered;
    overMemory += part.overMemory;
    pruned += part.pruned;
    estimated += part.estimated;
    for (const auto& [field, count] : part.refused)
        refused[field] += count;
}

std::int64_t PlanSearchCounts::refusedPlans() const
{
    return std::accumulate(refused.begin(), refused.end(), std::int64_t{0}, [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
}

Result<PlanSearchResult> searchPlans(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const PlanSearchOptions& options)
{
    if (!npu.peak && !npu.seconds)
        return invalidInput("nothing says how fast the NPU computes", {"", 0, 0, -1, "platform.npu.peak", -1, -1, false}, "peak: N TFLOP/s");
    const std::int64_t used = options.used.value_or(ranks);
    const Result<PlanSpace> space = PlanSpace::create(model, own, ranks, search, used);
    if (!space)
        return space.error();
    const Searcher searcher(model, used, npu, search, space.value());
    PlanSearchResult result;
    result.space = static_cast<std::int64_t>(space.value().blocks().size());
    const std::vector<BoundedBlock> blocks = boundedBlocks(searcher, space.value(), search, options, result.counts);
    std::vector<RankedPlan> best;
    // The same rounds on any number of threads, so that the same plans are left out; the first ones are short, as nothing is left out before some are known.
    constexpr std::size_t kFirstRound = 8;
    constexpr std::size_t kLongestRound = 256;
    std::size_t round = kFirstRound;
    for (std::size_t begin = 0; begin < blocks.size(); begin += round, round = std::min(kLongestRound, round * 2)) {
        const PlanCut cut(best, search, options.shorterThan);
        std::vector<BlockOutcome> outcomes(std::min(round, blocks.size() - begin));
        forEachItem(outcomes.size(), options.threads, [&](std::size_t i) {
            if (options.stop.stop_requested())
                return false;
            outcomes[i] = searcher.evaluate(blocks[begin + i], cut);
            return true;
        });
        if (options.stop.stop_requested())
            break;
        for (BlockOutcome& outcome : outcomes) {
            result.counts.add(outcome.counts);
            std::move(outcome.best.begin(), outcome.best.end(), std::back_inserter(best));
        }
        keepBest(best, search);
        if (options.progress)
            options.progress({begin + outcomes.size(), blocks.size(), best.empty() ? 0 : best.front().plan.parts.step()});
    }
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    for (RankedPlan& ranked : best) {
        ranked.plan.isPart = used != ranks;
        result.plans.push_back(std::move(ranked.plan));
    }
    if (space.value().hasOwn())
        result.own = searcher.own(own);
    result.front = frontOf(result.plans, search.objectives);
    return result;
}

std::optional<std::int64_t> estimatedStep(const ModelSpec& model, const SearchedPlan& plan, std::int64_t ranks, const PlanNpu& npu)
{
    ModelSpec changed = model;
    changed.train.micro = plan.choice.block.microBatch;
    const Result<PlanLayout> layout = layoutOf(&changed, plan.plan, ranks);
    if (!layout)
        return std::nullopt;
    const Result<PipelineOrders> orders = pipelineOrders(layout.value().shape);
    const Result<SpreadModel> spread = spreadModel(changed, layout.value());
    if (!orders || !spread)
        return std::nullopt;
    PipelineMemo memo;
    const Result<PlanTimes> times = stepTimes(spread.value(), orders.value(), npu, memo);
    return times ? std::optional(partsOf(times.value(), computingSeconds(spread.value(), partSeconds(spread.value(), npu))).step()) : std::nullopt;
}

std::optional<double> rankAgreement(const std::vector<SearchedPlan>& plans)
{
    std::vector<std::pair<double, double>> pairs;
    for (const SearchedPlan& plan : plans) {
        if (plan.simulated)
            pairs.emplace_back(static_cast<double>(plan.parts.step()), static_cast<double>(plan.simulated->ps));
    }
    return kendallTau(pairs);
}

std::optional<double> rankRegret(const std::vector<SearchedPlan>& plans)
{
    const SearchedPlan* first = nullptr;
    const SearchedPlan* best = nullptr;
    for (const SearchedPlan& plan : plans) {
        if (!plan.simulated)
            continue;
        first = !first || plan.parts.step() < first->parts.step() ? &plan : first;
        best = !best || *plan.simulated < *best->simulated ? &plan : best;
    }
    return best && best->simulated->ps > 0 ? std::optional(static_cast<double>(first->simulated->ps) / static_cast<double>(best->simulated->ps) - 1) : std::nullopt;
}

} // namespace fabricscope
