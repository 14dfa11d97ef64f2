// Schedules whose ranks hold stages of one direction, each rank the same share of every round: gpipe, 1f1b, interleaved, zb_h1, zb_h2.
#include "core/plan/pipeline/orderbuilder.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// `warmUp` forward passes; then every round a backward pass with a forward pass before it (`forwardFirst`) or at its end, and from round `delay` on the weight
/// gradient of `delay` rounds ago.
std::vector<PipelineOperation> splitOrder(const PipelineShape& shape, std::int32_t rank, std::int64_t warmUp, std::int64_t delay, bool forwardFirst)
{
    OrderBuilder order(shape, rank);
    const std::int64_t m = shape.microBatches;
    for (std::int64_t i = 0; i < std::min(m, warmUp); ++i)
        order.forward(0);
    for (std::int64_t i = 0; i < m; ++i) {
        if (forwardFirst && order.forwards(0) < m)
            order.forward(0);
        order.backward(0);
        if (i >= delay)
            order.weight(0);
        if (!forwardFirst && order.forwards(0) < m)
            order.forward(0);
    }
    while (order.weights(0) < m)
        order.weight(0);
    return order.take();
}

/// `warmUp` forward passes, then pairs of a forward and a full backward pass.
std::vector<PipelineOperation> fullOrder(const PipelineShape& shape, std::int32_t rank, std::int64_t warmUp)
{
    OrderBuilder order(shape, rank);
    const std::int64_t m = shape.microBatches;
    for (std::int64_t i = 0; i < std::min(m, warmUp); ++i)
        order.forward(0);
    for (std::int64_t i = 0; i < m; ++i) {
        if (order.forwards(0) < m)
            order.forward(0);
        order.full(0);
    }
    return order.take();
}

} // namespace

std::vector<PipelineOperation> singleStageOrder(const PipelineShape& shape, std::int32_t rank)
{
    const std::int64_t left = shape.ranks - rank; // stages from here to the last
    switch (shape.schedule) {
    case PipelineSchedule::GPipe: return fullOrder(shape, rank, shape.microBatches);
    case PipelineSchedule::ZeroBubbleH1: return splitOrder(shape, rank, left - 1, rank, true);
    case PipelineSchedule::ZeroBubbleH2: return splitOrder(shape, rank, 2 * left - 1, 2 * std::int64_t{rank}, false);
    default: return fullOrder(shape, rank, left - 1);
    }
}

std::vector<PipelineOperation> interleavedOrder(const PipelineShape& shape, std::int32_t rank)
{
    const std::int64_t p = shape.ranks;
    const std::int64_t v = shape.chunks;
    const std::int64_t m = shape.microBatches;
    const std::int64_t group = shape.group > 0 ? shape.group : p;
    struct Turn {
        std::int32_t chunk = 0;
        std::int64_t microBatch = 0;
    };
    std::vector<Turn> turns; // the table of virtual micro-batches
    turns.reserve(static_cast<std::size_t>(m * v));
    for (std::int64_t first = 0; first < m; first += group) {
        for (std::int32_t chunk = 0; chunk < v; ++chunk) {
            for (std::int64_t i = first; i < std::min(m, first + group); ++i)
                turns.push_back({chunk, i});
        }
    }
    OrderBuilder order(shape, rank);
    const auto stage = [&](std::int64_t chunk) { return static_cast<std::int32_t>(chunk * p + rank); };
    const auto total = turns.size();
    const auto warmUp = std::min(total, static_cast<std::size_t>(2 * (p - rank - 1) + (v - 1) * group));
    std::size_t next = 0;
    for (; next < warmUp; ++next)
        order.add(PipelineOperation::Kind::Forward, stage(turns[next].chunk), turns[next].microBatch);
    for (const Turn& turn : turns) {
        if (next < total) {
            order.add(PipelineOperation::Kind::Forward, stage(turns[next].chunk), turns[next].microBatch);
            ++next;
        }
        order.add(PipelineOperation::Kind::FullBackward, stage(v - 1 - turn.chunk), turn.microBatch);
    }
    return order.take();
}

} // namespace fabricscope
