#include "core/plan/pipeline/orders.h"

#include "core/base/index.h"
#include "core/plan/pipeline/orderbuilder.h"

#include <algorithm>

namespace fabricscope {

std::int32_t PipelineShape::stagesPerRank() const
{
    switch (schedule) {
    case PipelineSchedule::Interleaved: return chunks;
    case PipelineSchedule::ZeroBubbleV:
    case PipelineSchedule::DualPipe:
    case PipelineSchedule::DualPipeV: return 2;
    default: return 1;
    }
}

std::int32_t PipelineShape::stages() const
{
    return schedule == PipelineSchedule::DualPipe ? ranks : ranks * stagesPerRank();
}

std::int32_t PipelineShape::rankOf(std::int32_t stage, std::int32_t direction) const
{
    const bool vee = schedule == PipelineSchedule::ZeroBubbleV || schedule == PipelineSchedule::DualPipeV;
    if (vee && stage >= ranks)
        return 2 * ranks - 1 - stage;
    return direction == 1 ? ranks - 1 - stage : stage % ranks;
}

std::int32_t PipelineShape::chunkOf(std::int32_t stage, std::int32_t direction) const
{
    return schedule == PipelineSchedule::DualPipe ? direction : stage / ranks;
}

namespace {

Error refused(std::string message, const char* field, std::string expected)
{
    Error error = invalidInput(std::move(message), {}, std::move(expected));
    error.place.field = field;
    return error;
}

std::string counted(std::int64_t number, const char* what)
{
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

/// "8" or "8 or 10": the even numbers next to m that are at least `least`.
std::string nearestEven(std::int64_t m, std::int64_t least)
{
    if (m < least)
        return std::to_string(least);
    if (m % 2 == 0)
        return std::to_string(m);
    return m - 1 >= least ? std::to_string(m - 1) + " or " + std::to_string(m + 1) : std::to_string(m + 1);
}

Status checkDualPipe(const PipelineShape& shape)
{
    const std::int64_t p = shape.ranks;
    const std::int64_t m = shape.microBatches;
    if (p % 2 != 0) {
        const auto with = [&](std::int64_t ranks) { return std::to_string(ranks) + " ranks with " + nearestEven(m, 2 * ranks) + " micro-batches"; };
        return refused("dualpipe needs an even number of ranks, not " + std::to_string(p), "axis", (p > 1 ? with(p - 1) + ", or " : "") + with(p + 1));
    }
    if (m >= 2 * p && m % 2 == 0)
        return {};
    return refused("dualpipe of " + std::to_string(p) + " ranks needs " + (m < 2 * p ? "at least twice as many micro-batches as ranks" : "an even number of micro-batches") + ", not "
                       + std::to_string(m),
                   "micro_batches", nearestEven(m, 2 * p) + " micro-batches");
}

Status checkInterleaved(const PipelineShape& shape)
{
    const std::int64_t p = shape.ranks;
    const std::int64_t m = shape.microBatches;
    const std::int64_t group = shape.group > 0 ? shape.group : p;
    if (shape.chunks < 2)
        return refused("interleaved needs several chunks of layers per rank, not " + std::to_string(shape.chunks), "virtual", "2 or more, or the schedule 1f1b");
    if (group < p)
        return refused("groups of " + std::to_string(group) + " micro-batches are too small for " + std::to_string(p) + " ranks", "group", std::to_string(p) + " or more");
    const std::int64_t last = m % group;
    if (last == 0 || last >= p)
        return {};
    // Whole groups, or so many that the last group reaches every rank.
    const std::int64_t above = m - last + std::min(p, group);
    const std::int64_t below = m - last;
    return refused("interleaved of " + std::to_string(p) + " ranks in groups of " + std::to_string(group) + " cannot run " + std::to_string(m) + " micro-batches: the last group has "
                       + std::to_string(last),
                   "micro_batches", (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(above) + " micro-batches");
}

/// The rules of the schedule itself.
Status checkRules(const PipelineShape& shape)
{
    const std::int64_t p = shape.ranks;
    const std::int64_t m = shape.microBatches;
    switch (shape.schedule) {
    case PipelineSchedule::Interleaved: return checkInterleaved(shape);
    case PipelineSchedule::DualPipe: return checkDualPipe(shape);
    case PipelineSchedule::ZeroBubbleH2:
        if (m < 2 * p - 1)
            return refused("zb_h2 of " + counted(p, "rank") + " needs at least " + std::to_string(2 * p - 1) + " micro-batches, not " + std::to_string(m), "micro_batches",
                           std::to_string(2 * p - 1) + " micro-batches, or " + counted((m + 1) / 2, "rank"));
        return {};
    case PipelineSchedule::DualPipeV:
        if (m < 2 * p)
            return refused("dualpipe_v of " + counted(p, "rank") + " needs at least " + std::to_string(2 * p) + " micro-batches, not " + std::to_string(m), "micro_batches",
                           std::to_string(2 * p) + " micro-batches" + (m >= 2 ? ", or " + counted(m / 2, "rank") : std::string()));
        return {};
    default: return {};
    }
}

} // namespace

Status checkPipeline(const PipelineShape& shape)
{
    if (shape.ranks < 1)
        return refused("a pipeline of " + std::to_string(shape.ranks) + " ranks", "axis", "1 or more");
    if (shape.microBatches < 1)
        return refused(std::to_string(shape.microBatches) + " micro-batches", "micro_batches", "1 or more");
    if (shape.chunks < 1)
        return refused(std::to_string(shape.chunks) + " chunks per rank", "virtual", "1 or more");
    const std::string_view word = keyOf(kPipelineSchedules, shape.schedule);
    const std::int32_t own = shape.stagesPerRank();
    if (shape.schedule != PipelineSchedule::Interleaved && shape.chunks != 1 && (shape.chunks != own || shape.schedule == PipelineSchedule::DualPipe))
        return refused(std::string(word) + " has no " + std::to_string(shape.chunks) + " chunks of layers per rank", "virtual",
                       own == 2 && shape.schedule != PipelineSchedule::DualPipe ? "2, or nothing" : "1, or the schedule interleaved");
    if (shape.group < 0 || (shape.group > 0 && shape.schedule != PipelineSchedule::Interleaved))
        return refused("groups of micro-batches belong to the schedule interleaved", "group", "no group");
    // The longest order has three operations per micro-batch and chunk; zb_v is made for 2p - 1 micro-batches at least.
    __extension__ using Wide = __int128;
    const Wide filled = std::max<std::int64_t>(shape.microBatches, 2 * std::int64_t{shape.ranks});
    if (Wide{shape.ranks} * own * 3 * (shape.schedule == PipelineSchedule::ZeroBubbleV ? filled : Wide{shape.microBatches}) > kMaxPipelineOperations)
        return refused("a pipeline of " + std::to_string(shape.ranks) + " ranks and " + std::to_string(shape.microBatches) + " micro-batches has too many operations", "micro_batches",
                       "at most " + std::to_string(kMaxPipelineOperations) + " operations");
    return checkRules(shape);
}

Result<PipelineOrders> pipelineOrders(const PipelineShape& shape)
{
    if (Status status = checkPipeline(shape); !status)
        return std::move(status).error();
    PipelineOrders orders{shape, {}};
    for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
        switch (shape.schedule) {
        case PipelineSchedule::Interleaved: orders.ranks.push_back(interleavedOrder(shape, rank)); break;
        case PipelineSchedule::ZeroBubbleV: orders.ranks.push_back(veeOrder(shape, rank)); break;
        case PipelineSchedule::DualPipe:
        case PipelineSchedule::DualPipeV: orders.ranks.push_back(dualOrder(shape, rank)); break;
        default: orders.ranks.push_back(singleStageOrder(shape, rank));
        }
    }
    return orders;
}

std::vector<std::int64_t> peakInFlight(const PipelineOrders& orders)
{
    std::vector<std::int64_t> peaks;
    for (const auto& operations : orders.ranks) {
        std::int64_t kept = 0;
        std::int64_t peak = 0;
        for (const PipelineOperation& operation : operations) {
            kept += operation.isForward() ? 1 : 0;
            peak = std::max(peak, kept);
            kept -= operation.frees() ? 1 : 0;
        }
        peaks.push_back(peak);
    }
    return peaks;
}

namespace {

std::string passText(const PipelineShape& shape, const PipelinePass& pass)
{
    const std::string microBatch = std::to_string(pass.microBatch);
    switch (shape.schedule) {
    case PipelineSchedule::DualPipe: return (2 * pass.stage < shape.ranks ? "a" : "b") + microBatch;
    case PipelineSchedule::DualPipeV: return (pass.stage < shape.ranks ? "a" : "b") + microBatch;
    default: return shape.stagesPerRank() > 1 ? std::to_string(pass.stage) + '.' + microBatch : microBatch;
    }
}

} // namespace

std::string operationText(const PipelineShape& shape, const PipelineOperation& operation)
{
    switch (operation.kind) {
    case PipelineOperation::Kind::Forward: return "F" + passText(shape, operation.pass);
    case PipelineOperation::Kind::Backward: return "B" + passText(shape, operation.pass);
    case PipelineOperation::Kind::Weight: return "W" + passText(shape, operation.pass);
    case PipelineOperation::Kind::FullBackward: return "BW" + passText(shape, operation.pass);
    case PipelineOperation::Kind::Pair: return "[F" + passText(shape, operation.pass) + "|BW" + passText(shape, operation.other) + ']';
    }
    return {};
}

std::string orderText(const PipelineOrders& orders, std::int32_t rank)
{
    std::string text;
    for (const PipelineOperation& operation : orders.ranks[at(rank)])
        text += (text.empty() ? "" : " ") + operationText(orders.shape, operation);
    return text;
}

} // namespace fabricscope
