#pragma once

#include "core/plan/pipeline/orders.h"

namespace fabricscope {

// When every operation of a pipeline runs if each takes a fixed time: from orders and dependencies alone, independent of the simulator, which
// gives the same where messages take nothing but a latency (manual: pipelines 2).

/// How long one micro-batch takes in one stage, in ticks of any kind (the lowering: picoseconds); 0 or more.
struct StageTicks {
    std::int64_t forward = 0;
    std::int64_t backward = 0; ///< Gradient of the input.
    std::int64_t weight = 0;   ///< Gradient of the weights.
    std::int64_t pair = -1;    ///< A forward pass and a full backward pass overlapped, where this stage's is the forward one; -1: the sum of its three parts.

    std::int64_t paired() const { return pair >= 0 ? pair : forward + backward + weight; }
};

/// The times of the chunks of a rank that needs `whole` for all its layers: equal shares, the last ones one tick longer where it does not divide. O(1).
/// \pre 0 <= chunk < chunks
StageTicks chunkTicks(const StageTicks& whole, std::int32_t chunk, std::int32_t chunks);

/// How long an operation takes. `stages`: by stage. A pair: the mean of the two stages' pairs, rounded up. \pre stages for every stage of the operation
std::int64_t operationTicks(const PipelineOperation& operation, const std::vector<StageTicks>& stages);

struct PipelineTimes {
    struct Span {
        std::int64_t start = 0;
        std::int64_t end = 0;
    };
    std::int64_t makespan = 0;                ///< The end of the last operation.
    std::vector<std::vector<Span>> operations; ///< By rank and place in its order.
    std::vector<std::int64_t> busy;           ///< Sum of the operations of each rank.
    std::vector<std::int64_t> span;           ///< From the start of its first to the end of its last.

    std::int64_t longestSpan() const;
    /// What the rank waits in all. \pre 0 <= rank
    std::int64_t bubble(std::int32_t rank) const { return makespan - busy[static_cast<std::size_t>(rank)]; }
};

/// What one operation waits for, besides the one before it on its rank.
struct PipelineNeed {
    std::int32_t rank = 0;
    std::int32_t place = 0; ///< In the order of that rank.
    bool crosses = false;   ///< From another rank: a message.
};

/// Who makes what: places of the passes in the orders. O(operations) to build, O(1) to ask.
class PipelineNeeds {
public:
    explicit PipelineNeeds(const PipelineOrders& orders);
    /// At most four, without repetition: F of stage s needs F of s-1; B of s needs F of s and B of s+1; W its B.
    std::vector<PipelineNeed> of(std::int32_t rank, std::int32_t place) const;

private:
    enum class Part : std::uint8_t { Forward, Backward };
    struct Where {
        std::int32_t rank = -1;
        std::int32_t place = -1;
    };
    std::size_t slot(Part part, std::int32_t direction, std::int32_t stage, std::int32_t microBatch) const;
    void add(std::vector<PipelineNeed>& needs, std::int32_t rank, std::size_t slot) const;

    const PipelineOrders& m_orders;
    std::vector<Where> m_where;
};

/// Executes the orders: an operation starts when the one before it on its rank has ended and what it needs is there, `latency` later when it comes from another
/// rank. `stages`: by stage, of shape.stages() entries. Errors (Stuck): operations that wait for each other, naming the first; (InvalidInput) a wrong number of
/// stages, ticks below 0, or a sum above 2^62. O(operations).
Result<PipelineTimes> pipelineTimes(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency);

} // namespace fabricscope
