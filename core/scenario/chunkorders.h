#pragma once

#include "core/base/result.h"
#include "core/design/schedulingconfig.h"
#include "core/platform/platform.h"
#include "core/program/program.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

// Between dimensions: in which order the chunks of a hierarchical collective go through them (manual: collectives 5.1 and 5.3).
//
// The first dimension of a reduce-scatter carries n-1/n of the chunk, every further one the n-th part of what the one before carried; an
// all-gather runs the other way round. A "cut order" lists the axes as a reduce-scatter goes through them; the all-gather goes through it
// backwards. The load of an axis is the time its busiest link is busy: bytes of the phase over that link by the rule of the algorithm, at the
// bandwidth of the dimension without its overridden links. Switches: the sum of what an NPU sends; FullyConnected: the most to one peer;
// Ring: by hops and direction.
//
// * local_bw: the cut order by ascending time per byte.
// * themis: loads start at the latency of all steps of an axis; a chunk takes the axes by ascending load (ties: lower axis), or in the
//   baseline's order while the loads differ by less than what a sixteenth of the chunk takes on the least loaded axis; what it takes is added.
// * exact: shares of the cut orders that make the largest load smallest, a linear program (minimax.h). Every order used gets at least one
//   chunk; chunks of an order share its part equally (TemplateBody::chunkWeights), and the orders take turns in proportion.
// All-to-all moves the whole chunk along every axis: its order changes no load, and it keeps that of the baseline. A double binary tree stays
// on top.

/// What an axis of a group costs.
struct AxisLoad {
    std::int64_t bytes = 1;    ///< A phase of this many bytes ...
    std::int64_t ps = 0;       ///< ... keeps the busiest link busy for so long.
    std::int64_t latency = 0;  ///< Sum over the steps of the phase, ps.
    std::int32_t extent = 2;

    std::int64_t of(std::int64_t held) const; ///< ps.
};

/// Links along an axis.
struct AxisLinks {
    Shape shape = Shape::Switch;
    std::int64_t rate = 0;       ///< Bytes/s of one; 0: 1 B/ps.
    std::int64_t hopLatency = 0; ///< Of one, ps.
};
AxisLoad axisLoad(const PhaseTemplate& phase, std::int32_t extent, const AxisLinks& links);
/// Load of one phase along a dimension. `dimension` -1: links as of a switch, 1 B/ps and no latency (nothing is known about the shape).
AxisLoad axisLoad(const PhaseTemplate& phase, std::int32_t extent, const Platform& platform, std::int32_t dimension);

/// Cut orders of the chunks of a collective.
struct ChunkOrders {
    std::vector<std::vector<std::int32_t>> orders; ///< Each a permutation of the axes.
    std::vector<std::uint16_t> orderOfChunk;       ///< Empty: all take orders[0].
    std::vector<std::int64_t> weights;             ///< By chunk; empty: equal.
};

/// Most axes `exact` looks at: all their orders are tried.
constexpr std::size_t kMostExactAxes = 6;

/// `chunkBytes`: of a chunk when all are equal. Errors: Unsupported, more than kMostExactAxes axes for `exact`.
/// O(chunks * axes log axes); exact O(axes! * axes) per step of the simplex method.
Result<ChunkOrders> orderChunks(DimensionScheduler scheduler, const std::vector<AxisLoad>& axes, std::int64_t chunkBytes, std::int32_t chunks);

/// Load of every axis when a chunk of `bytes` bytes takes this cut order.
std::vector<std::int64_t> loadsOf(const std::vector<AxisLoad>& axes, const std::vector<std::int32_t>& order, std::int64_t bytes);

} // namespace fabricscope
