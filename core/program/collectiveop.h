#pragma once

#include <cstdint>
#include <string_view>

namespace fabricscope {

enum class CollectiveOp : std::uint8_t { AllReduce, Reduce, AllGather, Gather, Scatter, Broadcast, AllToAll, ReduceScatter, Barrier, Custom };

/// "all_reduce", ...: the spelling of our files and results.
std::string_view collectiveKey(CollectiveOp op);

} // namespace fabricscope
