// Schedules whose ranks hold one stage near the start and one near the end of the way of a micro-batch: zb_v, dualpipe, dualpipe_v.
#include "core/plan/pipeline/orderbuilder.h"

#include <algorithm>

namespace fabricscope {

std::vector<PipelineOperation> veeOrder(const PipelineShape& shape, std::int32_t rank)
{
    // Made for enough micro-batches to fill the pipeline; OrderBuilder leaves out those that do not exist.
    const std::int64_t p = shape.ranks;
    const std::int64_t n = std::max<std::int64_t>(shape.microBatches, 2 * p - 1);
    OrderBuilder order(shape, rank);
    const auto back = [&](std::int32_t chunk) {
        order.backward(chunk);
        order.weight(chunk);
    };
    for (std::int64_t i = 0; i < 2 * (p - rank) - 1; ++i)
        order.forward(0);
    for (std::int64_t i = 0; i < rank; ++i) {
        order.forward(1);
        order.forward(0);
    }
    for (std::int64_t i = 0; i < p - rank; ++i) {
        order.forward(1);
        back(1);
    }
    while (order.forwards(1) < order.forwards(0) || order.forwards(0) < n) {
        if (order.forwards(0) < n)
            order.forward(0);
        back(0);
        order.forward(1);
        back(1);
    }
    for (std::int64_t i = 0; i < rank; ++i) {
        order.backward(0);
        order.backward(1);
    }
    for (std::int64_t i = 0; i < p - rank; ++i)
        back(0);
    for (const std::int32_t chunk : {1, 0}) {
        while (order.weights(chunk) < n)
            order.weight(chunk);
    }
    return order.take();
}

namespace {

/// The end of a bidirectional schedule: backward passes alone, first whole, then without their weight gradients, which fill the last gaps.
void drain(OrderBuilder& order, std::int64_t half, std::int64_t h)
{
    const std::int64_t from = (h + 1) / 2;
    for (std::int64_t i = 0; i <= h; ++i) {
        const auto back = [&](std::int32_t chunk, bool split) { split ? order.backward(chunk) : order.full(chunk); };
        back(1, i > from || (i == from && h % 2 == 1));
        back(0, i >= from);
    }
    for (std::int64_t i = 0; i < half - h - 1; ++i) {
        order.oldestWeight();
        order.backward(0);
    }
    for (std::int64_t i = 0; i <= h; ++i)
        order.oldestWeight();
}

} // namespace

std::vector<PipelineOperation> dualOrder(const PipelineShape& shape, std::int32_t rank)
{
    const bool vee = shape.schedule == PipelineSchedule::DualPipeV;
    const std::int64_t p = shape.ranks;
    const std::int64_t half = vee ? p : p / 2;
    const std::int64_t h = vee ? rank : std::min<std::int64_t>(rank, p - 1 - rank);
    const bool middle = h == half - 1;
    OrderBuilder order(shape, rank);
    for (std::int64_t i = 0; i < 2 * (half - h - 1); ++i)
        order.forward(0);
    for (std::int64_t i = 0; i <= h; ++i) {
        order.forward(0);
        order.forward(1);
    }
    for (std::int64_t i = 0; i < half - h - 1; ++i) {
        order.backward(1);
        order.oldestWeight();
        order.forward(1);
    }
    for (std::int64_t i = 0; i < shape.perDirection() - 2 * half + h + 1; ++i) {
        if (middle && i == 0) { // The two ways meet here: the forward pass would wait for itself.
            order.forward(0);
            order.full(1);
        } else {
            order.pair(0, 1);
        }
        order.pair(1, 0);
    }
    for (std::int64_t i = 0; i < half - h - 1; ++i) {
        order.full(1);
        order.pair(1, 0);
    }
    drain(order, half, h);
    return order.take();
}

} // namespace fabricscope
