#pragma once

#include <cstdint>
#include <string_view>

namespace fabricscope {

/// Node types and collective types of the current Chakra schema (chakra_et.proto), as numbers in the file.
enum class EtNodeType : std::int32_t { Invalid = 0, Metadata = 1, MemLoad = 2, MemStore = 3, Comp = 4, Send = 5, Receive = 6, Collective = 7 };
enum class EtCommType : std::int32_t {
    AllReduce = 0, Reduce = 1, AllGather = 2, Gather = 3, Scatter = 4, Broadcast = 5, AllToAll = 6, ReduceScatter = 7, ReduceScatterBlock = 8, Barrier = 9
};

constexpr std::int32_t kEtNodeTypes = 8;
constexpr std::int64_t kEtCommTypes = 10;

/// "COMP_NODE", ...; "type 42" has no name: empty.
std::string_view etNodeTypeName(std::int32_t type);
/// "ALL_REDUCE", ...; empty when unknown.
std::string_view etCommTypeName(std::int64_t type);

/// How control dependencies are taken: `Auto` drops references to themselves, to absent nodes and those that close a cycle
/// (real traces have all three), `Use` refuses them, `Ignore` uses none.
enum class CtrlDeps : std::uint8_t { Auto, Use, Ignore };

} // namespace fabricscope
