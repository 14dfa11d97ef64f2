#include "core/trace/schema.h"

namespace fabricscope {

std::string_view etNodeTypeName(std::int32_t type)
{
    static constexpr std::string_view kNames[kEtNodeTypes] = {"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE",
        "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    return type >= 0 && type < kEtNodeTypes ? kNames[type] : std::string_view{};
}

std::string_view etCommTypeName(std::int64_t type)
{
    static constexpr std::string_view kNames[kEtCommTypes] = {"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST",
        "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
    return type >= 0 && type < kEtCommTypes ? kNames[type] : std::string_view{};
}

} // namespace fabricscope
