#pragma once

#include "core/program/collectiveop.h"

#include <cstdint>

namespace fabricscope {

/// Share of the large side that every member must send, at least, where none sends more than others. Times bytes over time it is what nccl-tests calls bus
/// bandwidth: the rate of all collectives on one scale, that of the links of an NPU.
struct BusFactor {
    std::int64_t over = 1;
    std::int64_t under = 1;

    double value() const { return static_cast<double>(over) / static_cast<double>(under); }
};

/// 0 of what moves no bytes, or any. \pre members > 0
constexpr BusFactor busFactorOf(CollectiveOp op, std::int32_t members)
{
    switch (op) {
    case CollectiveOp::AllReduce: return {2 * (std::int64_t{members} - 1), members};
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter:
    case CollectiveOp::AllToAll:
    case CollectiveOp::Gather:
    case CollectiveOp::Scatter: return {std::int64_t{members} - 1, members};
    case CollectiveOp::Broadcast:
    case CollectiveOp::Reduce: return {};
    case CollectiveOp::Barrier:
    case CollectiveOp::Custom: break;
    }
    return {0, 1};
}

} // namespace fabricscope
