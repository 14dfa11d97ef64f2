#pragma once

#include "core/workload/taskgraph.h"

#include <cstdint>

namespace fabricscope {

/// What a stretch of time was spent on, as far as colours and sums tell it apart.
enum class Activity : std::uint8_t {
    Compute,
    Memory,
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    SendReceive,
    Broadcast, ///< Also reduce, gather, scatter and imported programs.
    Barrier,
    Waiting    ///< Communication in flight and neither compute nor memory running.
};
constexpr std::size_t kActivityCount = 10;

constexpr Activity activityOf(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce: return Activity::AllReduce;
    case CollectiveOp::AllGather: return Activity::AllGather;
    case CollectiveOp::ReduceScatter: return Activity::ReduceScatter;
    case CollectiveOp::AllToAll: return Activity::AllToAll;
    case CollectiveOp::Barrier: return Activity::Barrier;
    case CollectiveOp::Reduce:
    case CollectiveOp::Gather:
    case CollectiveOp::Scatter:
    case CollectiveOp::Broadcast:
    case CollectiveOp::Custom: break;
    }
    return Activity::Broadcast;
}

} // namespace fabricscope
