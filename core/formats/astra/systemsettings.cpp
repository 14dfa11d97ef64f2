#include "core/formats/astra/systemsettings.h"

namespace fabricscope {

std::optional<AstraCollective> configuredCollective(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return AstraCollective::AllReduce;
    case CollectiveOp::AllGather:
        return AstraCollective::AllGather;
    case CollectiveOp::ReduceScatter:
        return AstraCollective::ReduceScatter;
    case CollectiveOp::AllToAll:
        return AstraCollective::AllToAll;
    default:
        return std::nullopt;
    }
}

} // namespace fabricscope
