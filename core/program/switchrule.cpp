// The switches of a dimension reduce and copy (manual: models 4; the table in innetwork.h): members only send to them and receive from them.
#include "core/program/nativerule.h"

namespace fabricscope {

namespace {

using Message = PhaseRules::Message;

std::int32_t switchSends(const PhaseRules& rules, std::int32_t r)
{
    if (rules.phase().kind == PhaseKind::ReduceScatter)
        return rules.extent();
    return rules.phase().kind == PhaseKind::Broadcast && r != 0 ? 0 : 1;
}

std::int32_t switchReceives(const PhaseRules& rules, std::int32_t)
{
    return rules.phase().kind == PhaseKind::AllGather ? rules.extent() : 1;
}

/// The message of the operation of a block, or of the only one.
Message switchMessage(const PhaseRules& rules, std::int32_t block, std::int64_t held)
{
    const PhaseKind kind = rules.phase().kind;
    Message message;
    message.peer = -1;
    message.slot = block;
    message.bytes = kind == PhaseKind::ReduceScatter || kind == PhaseKind::AllGather ? blockBytes(held, rules.extent(), block) : held;
    return message;
}

Message switchSend(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    Message message = switchMessage(rules, rules.phase().kind == PhaseKind::AllGather ? r : index, held);
    message.needsOwn = true;
    return message;
}

Message switchReceive(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    const PhaseKind kind = rules.phase().kind;
    return switchMessage(rules, kind == PhaseKind::AllGather ? index : (kind == PhaseKind::ReduceScatter ? r : 0), held);
}

std::int32_t switchReceiveIndex(const PhaseRules& rules, std::int32_t, std::int32_t, std::int32_t slot)
{
    return rules.phase().kind == PhaseKind::AllGather ? slot : 0;
}

/// Of a broadcast only position 0 sends.
PhaseRules::Needs switchNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t)
{
    return rules.phase().kind == PhaseKind::Broadcast && r != 0 ? PhaseRules::Needs{0, 1} : PhaseRules::Needs{};
}

} // namespace

constinit const NativeRule nativerows::kInNetwork{
    .algorithm = Algorithm::InNetwork,
    .key = "in_network",
    .reduceScatter = true,
    .allGather = true,
    .allReduce = true,
    .broadcast = true,
    .tried = true,
    .sequence = Sequence::InSwitch,
    .limit = "switches reduce and copy",
    .messages = [](std::int32_t n) { return std::int64_t{n}; },
    .reduces = [](const PhaseTemplate&, std::int32_t, std::int32_t) { return false; }, // What comes from a switch is reduced already.
    .sendCount = switchSends,
    .send = switchSend,
    .receiveCount = switchReceives,
    .receive = switchReceive,
    .receiveIndex = switchReceiveIndex,
    .needs = switchNeeds,
};

} // namespace fabricscope
