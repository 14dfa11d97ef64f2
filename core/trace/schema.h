#pragma once

#include <cstdint>

namespace fabricscope {

/// Node types and collective types of the current Chakra schema (chakra_et.proto), as numbers in the file.
enum class EtNodeType : std::int32_t { Invalid = 0, Metadata = 1, MemLoad = 2, MemStore = 3, Comp = 4, Send = 5, Receive = 6, Collective = 7 };
enum class EtCommType : std::int32_t {
    AllReduce = 0, Reduce = 1, AllGather = 2, Gather = 3, Scatter = 4, Broadcast = 5, AllToAll = 6, ReduceScatter = 7, ReduceScatterBlock = 8, Barrier = 9
};

} // namespace fabricscope
