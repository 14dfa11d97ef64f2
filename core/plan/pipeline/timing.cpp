#include "core/plan/pipeline/timing.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

StageTicks chunkTicks(const StageTicks& whole, std::int32_t chunk, std::int32_t chunks)
{
    __extension__ using Wide = __int128;
    const auto share = [&](std::int64_t ticks) {
        return ticks < 0 ? ticks : static_cast<std::int64_t>(Wide{ticks} * (chunk + 1) / chunks - Wide{ticks} * chunk / chunks);
    };
    return {share(whole.forward), share(whole.backward), share(whole.weight), share(whole.pair)};
}

std::int64_t operationTicks(const PipelineOperation& operation, const std::vector<StageTicks>& stages)
{
    const StageTicks& stage = stages[at(operation.pass.stage)];
    switch (operation.kind) {
    case PipelineOperation::Kind::Forward: return stage.forward;
    case PipelineOperation::Kind::Backward: return stage.backward;
    case PipelineOperation::Kind::Weight: return stage.weight;
    case PipelineOperation::Kind::FullBackward: return stage.backward + stage.weight;
    case PipelineOperation::Kind::Pair: break;
    }
    const StageTicks& other = stages[at(operation.other.stage)];
    if (stage.pair < 0 && other.pair < 0)
        return stage.forward + other.backward + other.weight;
    return stage.paired() / 2 + other.paired() / 2 + (stage.paired() % 2 + other.paired() % 2 + 1) / 2;
}

std::int64_t PipelineTimes::longestSpan() const
{
    return span.empty() ? 0 : *std::max_element(span.begin(), span.end());
}

PipelineNeeds::PipelineNeeds(const PipelineOrders& orders)
    : m_orders(orders)
    , m_where(at(2 * std::int64_t{orders.shape.directions()} * orders.shape.stages() * orders.shape.perDirection()))
{
    for (std::int32_t rank = 0; rank < orders.shape.ranks; ++rank) {
        const auto& operations = orders.ranks[at(rank)];
        for (std::size_t place = 0; place < operations.size(); ++place) {
            const PipelineOperation& operation = operations[place];
            const Where here{rank, static_cast<std::int32_t>(place)};
            if (operation.isForward())
                m_where[slot(Part::Forward, operation.pass.direction, operation.pass.stage, operation.pass.microBatch)] = here;
            if (operation.isBackward())
                m_where[slot(Part::Backward, operation.backward().direction, operation.backward().stage, operation.backward().microBatch)] = here;
        }
    }
}

std::size_t PipelineNeeds::slot(Part part, std::int32_t direction, std::int32_t stage, std::int32_t microBatch) const
{
    const PipelineShape& shape = m_orders.shape;
    return at(((std::int64_t{static_cast<std::int64_t>(part)} * shape.directions() + direction) * shape.stages() + stage) * shape.perDirection() + microBatch);
}

void PipelineNeeds::add(std::vector<PipelineNeed>& needs, std::int32_t rank, std::size_t slot) const
{
    const Where& from = m_where[slot];
    if (std::none_of(needs.begin(), needs.end(), [&](const PipelineNeed& need) { return need.rank == from.rank && need.place == from.place; }))
        needs.push_back({from.rank, from.place, from.rank != rank});
}

std::vector<PipelineNeed> PipelineNeeds::of(std::int32_t rank, std::int32_t place) const
{
    const PipelineOperation& operation = m_orders.ranks[at(rank)][at(place)];
    std::vector<PipelineNeed> needs;
    const PipelinePass& forward = operation.pass;
    if (operation.isForward() && forward.stage > 0)
        add(needs, rank, slot(Part::Forward, forward.direction, forward.stage - 1, forward.microBatch));
    if (operation.isBackward()) {
        const PipelinePass& back = operation.backward();
        add(needs, rank, slot(Part::Forward, back.direction, back.stage, back.microBatch));
        if (back.stage + 1 < m_orders.shape.stages())
            add(needs, rank, slot(Part::Backward, back.direction, back.stage + 1, back.microBatch));
    }
    if (operation.kind == PipelineOperation::Kind::Weight)
        add(needs, rank, slot(Part::Backward, forward.direction, forward.stage, forward.microBatch));
    return needs;
}

namespace {

/// Runs ranks as far as they get; a rank that waits is woken by the operation it waits for.
class OrderRun {
public:
    OrderRun(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency)
        : m_orders(orders)
        , m_stages(stages)
        , m_latency(latency)
        , m_needs(orders)
        , m_next(orders.ranks.size())
        , m_waiting(orders.ranks.size())
    {
        m_times.operations.resize(orders.ranks.size());
        m_times.busy.resize(orders.ranks.size());
        m_times.span.resize(orders.ranks.size());
    }

    Result<PipelineTimes> run()
    {
        for (std::size_t rank = m_orders.ranks.size(); rank-- > 0;)
            m_ready.push_back(static_cast<std::int32_t>(rank));
        while (!m_ready.empty()) {
            const std::int32_t rank = m_ready.back();
            m_ready.pop_back();
            advance(rank);
        }
        for (std::size_t rank = 0; rank < m_next.size(); ++rank) {
            const auto& operations = m_orders.ranks[rank];
            if (m_next[rank] < operations.size())
                return Error{ErrorCode::Stuck, "rank " + std::to_string(rank) + " of the pipeline waits for ever before " + operationText(m_orders.shape, operations[m_next[rank]]), {}, {}};
            const auto& spans = m_times.operations[rank];
            m_times.span[rank] = spans.empty() ? 0 : spans.back().end - spans.front().start;
        }
        return std::move(m_times);
    }

private:
    void advance(std::int32_t rank)
    {
        const auto& operations = m_orders.ranks[at(rank)];
        auto& spans = m_times.operations[at(rank)];
        for (std::size_t& place = m_next[at(rank)]; place < operations.size(); ++place) {
            std::int64_t start = spans.empty() ? 0 : spans.back().end;
            for (const PipelineNeed& need : m_needs.of(rank, static_cast<std::int32_t>(place))) {
                const auto& made = m_times.operations[at(need.rank)];
                if (made.size() <= at(need.place)) {
                    m_waiting[at(need.rank)].push_back({need.place, rank});
                    return;
                }
                start = std::max(start, made[at(need.place)].end + (need.crosses ? m_latency : 0));
            }
            const std::int64_t ticks = operationTicks(operations[place], m_stages);
            spans.push_back({start, start + ticks});
            m_times.busy[at(rank)] += ticks;
            m_times.makespan = std::max(m_times.makespan, start + ticks);
            wake(rank, static_cast<std::int32_t>(place));
        }
    }

    void wake(std::int32_t rank, std::int32_t place)
    {
        std::erase_if(m_waiting[at(rank)], [&](const Waiting& entry) {
            if (entry.place != place)
                return false;
            m_ready.push_back(entry.rank);
            return true;
        });
    }

    struct Waiting {
        std::int32_t place = 0; ///< Waited for.
        std::int32_t rank = 0;  ///< Waits.
    };
    const PipelineOrders& m_orders;
    const std::vector<StageTicks>& m_stages;
    std::int64_t m_latency;
    PipelineNeeds m_needs;
    std::vector<std::size_t> m_next;             ///< By rank: the operation to run.
    std::vector<std::vector<Waiting>> m_waiting; ///< By rank that is waited for; each rank waits once, for a neighbour.
    std::vector<std::int32_t> m_ready;
    PipelineTimes m_times;
};

} // namespace

Result<PipelineTimes> pipelineTimes(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (stages.size() != at(orders.shape.stages()))
        return invalidInput("times of " + std::to_string(stages.size()) + " stages", {}, std::to_string(orders.shape.stages()) + " stages");
    __extension__ using Wide = __int128;
    Wide longest = latency;
    bool negative = latency < 0;
    for (const StageTicks& stage : stages) {
        negative |= stage.forward < 0 || stage.backward < 0 || stage.weight < 0;
        longest = std::max({longest, Wide{stage.forward} + stage.backward + stage.weight, Wide{stage.pair}});
    }
    Wide operations = 0;
    for (const auto& rank : orders.ranks)
        operations += rank.size();
    if (negative || 2 * longest * (operations + 1) > kMost)
        return invalidInput("times of a pipeline are below 0 or too long");
    return OrderRun(orders, stages, latency).run();
}

} // namespace fabricscope
