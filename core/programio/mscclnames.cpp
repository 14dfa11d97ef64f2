#include "core/programio/mscclnames.h"

#include <utility>

namespace fabricscope {

namespace {

constexpr std::array<std::pair<std::string_view, MscclStep>, 9> kSteps{{{"s", MscclStep::Send}, {"r", MscclStep::Receive}, {"rcs", MscclStep::ReceiveCopySend},
    {"rrc", MscclStep::ReceiveReduceCopy}, {"rrcs", MscclStep::ReceiveReduceCopySend}, {"rrs", MscclStep::ReceiveReduceSend}, {"cpy", MscclStep::Copy},
    {"re", MscclStep::Reduce}, {"nop", MscclStep::Nop}}};


constexpr std::array<std::pair<std::string_view, CollectiveOp>, 13> kCollectives{{{"allreduce", CollectiveOp::AllReduce}, {"allgather", CollectiveOp::AllGather},
    {"reduce_scatter", CollectiveOp::ReduceScatter}, {"reducescatter", CollectiveOp::ReduceScatter}, {"alltoall", CollectiveOp::AllToAll},
    {"broadcast", CollectiveOp::Broadcast}, {"reduce", CollectiveOp::Reduce}, {"gather", CollectiveOp::Gather}, {"scatter", CollectiveOp::Scatter},
    {"custom", CollectiveOp::Custom}, {"alltoallv", CollectiveOp::Custom}, {"send", CollectiveOp::Custom}, {"recv", CollectiveOp::Custom}}};

constexpr std::array<std::pair<std::string_view, WireProtocol>, 3> kProtocols{{{"Simple", WireProtocol::Simple}, {"LL", WireProtocol::LL}, {"LL128", WireProtocol::LL128}}};

template <typename Table, typename Value>
std::string_view nameIn(const Table& table, Value value)
{
    for (const auto& [name, entry] : table) {
        if (entry == value)
            return name;
    }
    return {};
}

template <typename Value, std::size_t size>
std::optional<Value> valueIn(const std::array<std::pair<std::string_view, Value>, size>& table, std::string_view wanted)
{
    for (const auto& [name, entry] : table) {
        if (name == wanted)
            return entry;
    }
    return {};
}

} // namespace

std::string_view mscclStepName(MscclStep step)
{
    return nameIn(kSteps, step);
}

std::optional<MscclStep> mscclStepOf(std::string_view name)
{
    return valueIn(kSteps, name);
}

std::optional<CollectiveOp> mscclCollective(std::string_view name)
{
    return valueIn(kCollectives, name);
}

std::string_view mscclCollectiveName(CollectiveOp op)
{
    return op == CollectiveOp::ReduceScatter ? std::string_view("reducescatter") : nameIn(kCollectives, op);
}

std::optional<WireProtocol> mscclProtocol(std::string_view name)
{
    return valueIn(kProtocols, name);
}

std::string_view mscclProtocolName(WireProtocol protocol)
{
    return protocol == WireProtocol::Any ? std::string_view("Simple") : nameIn(kProtocols, protocol);
}

} // namespace fabricscope
