#pragma once

#include "core/base/keytable.h"

#include <cstdint>
#include <string_view>

namespace fabricscope {

enum class CollectiveOp : std::uint8_t { AllReduce, Reduce, AllGather, Gather, Scatter, Broadcast, AllToAll, ReduceScatter, Barrier, Custom };

/// The spelling of our files and results.
inline constexpr KeyTable<CollectiveOp, 10> kCollectiveKeys{{{"all_reduce", CollectiveOp::AllReduce}, {"reduce", CollectiveOp::Reduce},
    {"all_gather", CollectiveOp::AllGather}, {"gather", CollectiveOp::Gather}, {"scatter", CollectiveOp::Scatter}, {"broadcast", CollectiveOp::Broadcast},
    {"all_to_all", CollectiveOp::AllToAll}, {"reduce_scatter", CollectiveOp::ReduceScatter}, {"barrier", CollectiveOp::Barrier}, {"custom", CollectiveOp::Custom}}};

constexpr std::string_view collectiveKey(CollectiveOp op) { return keyOf(kCollectiveKeys, op); }

} // namespace fabricscope
