#pragma once

#include "core/base/result.h"
#include "core/plan/planspec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

// In which order every rank of a pipeline does its work (manual: pipelines 1). An order is a pure function of five numbers and knows no time;
// what runs when comes from dependencies alone (pipelineTimes() of timing.h, or a simulation).

/// What decides a schedule.
struct PipelineShape {
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    std::int32_t ranks = 1;        ///< p, 1 or more.
    std::int64_t microBatches = 1; ///< m, 1 or more; bidirectional schedules: of both directions together.
    std::int32_t chunks = 1;       ///< v of interleaved, 2 or more; the schedules of fixed chunks take 1 (not said) or their own number.
    std::int64_t group = 0;        ///< Interleaved: micro-batches that pass a chunk before the next one; 0: p.

    /// Stages a rank holds: v of interleaved, 2 of zb_v, dualpipe and dualpipe_v, else 1.
    std::int32_t stagesPerRank() const;
    /// Stages a micro-batch passes: ranks * stagesPerRank(), but ranks for dualpipe, whose two directions are two copies.
    std::int32_t stages() const;
    /// 2 for dualpipe, else 1.
    std::int32_t directions() const { return schedule == PipelineSchedule::DualPipe ? 2 : 1; }
    /// Micro-batches of one direction.
    std::int64_t perDirection() const { return microBatches / directions(); }
    /// The rank of a stage. \pre 0 <= stage < stages(), 0 <= direction < directions()
    std::int32_t rankOf(std::int32_t stage, std::int32_t direction = 0) const;
    /// Its place among the stages of that rank: the chunk, or for dualpipe the direction.
    std::int32_t chunkOf(std::int32_t stage, std::int32_t direction = 0) const;

    friend bool operator==(const PipelineShape&, const PipelineShape&) = default;
};

/// A forward or backward pass of one micro-batch through one stage.
struct PipelinePass {
    std::int32_t stage = 0;      ///< 0 is where its direction starts.
    std::int32_t microBatch = 0; ///< Within its direction.
    std::int32_t direction = 0;

    friend bool operator==(const PipelinePass&, const PipelinePass&) = default;
};

struct PipelineOperation {
    enum class Kind : std::uint8_t {
        Forward,
        Backward,     ///< Gradient of the input only.
        Weight,       ///< Gradient of the weights only.
        FullBackward, ///< Both in one.
        Pair          ///< A forward pass and a full backward pass as one overlapped operation: needs both inputs, gives both outputs at its end.
    };
    Kind kind = Kind::Forward;
    PipelinePass pass;  ///< Pair: the forward one.
    PipelinePass other; ///< Pair: the backward one.

    bool isForward() const { return kind == Kind::Forward || kind == Kind::Pair; }
    /// Makes the gradient of its input.
    bool isBackward() const { return kind == Kind::Backward || kind == Kind::FullBackward || kind == Kind::Pair; }
    /// Frees what the forward pass kept.
    bool frees() const { return kind == Kind::Weight || kind == Kind::FullBackward || kind == Kind::Pair; }
    const PipelinePass& backward() const { return kind == Kind::Pair ? other : pass; }

    friend bool operator==(const PipelineOperation&, const PipelineOperation&) = default;
};

/// The order of each rank.
struct PipelineOrders {
    PipelineShape shape;
    std::vector<std::vector<PipelineOperation>> ranks; ///< By rank of the pipeline.
};

/// Operations of all ranks at most; more are refused.
inline constexpr std::int64_t kMaxPipelineOperations = std::int64_t{1} << 23;

/// Whether the schedule exists. Refusals name the nearest numbers that can. The place is left to the caller; `Place::field` is "schedule",
/// "virtual", "micro_batches" or "axis". O(1).
Status checkPipeline(const PipelineShape& shape);

/// The orders. Errors: those of checkPipeline(). O(operations).
Result<PipelineOrders> pipelineOrders(const PipelineShape& shape);

/// Micro-batches (chunks, where a rank holds several) that are kept at once on each rank: one more at the start of a forward pass, one less at the end of the
/// weight gradient. Known from the orders alone. O(operations).
std::vector<std::int64_t> peakInFlight(const PipelineOrders& orders);

/// "F0 F1 B0 W0": F forward, B input gradient, W weight gradient, BW both, then the micro-batch. Where a rank holds several stages "F3.0" is stage 3,
/// micro-batch 0. Dualpipe: "Fa0" is of the direction that starts nearer to this rank, "Fb0" of the other; dualpipe_v: a is the rank's first stage, b its second;
/// "[Fa3|BWb1]" is an overlapped pair.
std::string operationText(const PipelineShape& shape, const PipelineOperation& operation);
/// The operations of a rank with blanks between. \pre 0 <= rank < orders.ranks.size()
std::string orderText(const PipelineOrders& orders, std::int32_t rank);

} // namespace fabricscope
