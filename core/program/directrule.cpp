// Direct: every position sends every other its message at once, or `window` at a time (rows direct of the table in phaserules.h).
#include "core/base/integers.h"
#include "core/program/nativerule.h"

namespace fabricscope {

namespace {

using Message = PhaseRules::Message;

std::int32_t directSends(const PhaseRules& rules, std::int32_t r)
{
    return rules.phase().kind == PhaseKind::Broadcast && r != 0 ? 0 : rules.extent() - 1;
}

std::int32_t directReceives(const PhaseRules& rules, std::int32_t r)
{
    if (rules.phase().kind == PhaseKind::Broadcast)
        return r == 0 ? 0 : 1;
    return rules.extent() - 1;
}

Message directMessage(const PhaseRules& rules, std::int32_t sender, std::int32_t slot, std::int64_t held)
{
    const std::int32_t n = rules.extent();
    const PhaseKind kind = rules.phase().kind;
    Message message;
    message.peer = modulo(sender + slot, n);
    message.slot = slot;
    message.bytes = kind == PhaseKind::Broadcast ? held : blockBytes(held, n, kind == PhaseKind::AllGather ? sender : message.peer);
    message.reduces = kind == PhaseKind::ReduceScatter;
    message.k = message.reduces ? n - 1 : 1;
    message.needsOwn = true;
    return message;
}

Message directSend(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    return directMessage(rules, r, index + 1, held);
}

Message directReceive(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    const std::int32_t n = rules.extent();
    const std::int32_t sender = rules.phase().kind == PhaseKind::Broadcast ? 0 : modulo(r - index - 1, n);
    Message message = directMessage(rules, sender, modulo(r - sender, n), held);
    message.peer = sender;
    return message;
}

std::int32_t directReceiveIndex(const PhaseRules& rules, std::int32_t, std::int32_t, std::int32_t slot)
{
    return rules.phase().kind == PhaseKind::Broadcast ? 0 : slot - 1;
}

PhaseRules::Needs directNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t)
{
    // Of a broadcast only position 0 sends, and receives nothing.
    return rules.phase().kind == PhaseKind::Broadcast && r != 0 ? PhaseRules::Needs{0, 1} : PhaseRules::Needs{};
}

BlockRange directBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t, std::int32_t slot)
{
    return {rules.phase().kind == PhaseKind::ReduceScatter ? modulo(sender + slot, rules.extent()) : sender, 1};
}

} // namespace

constinit const NativeRule nativerows::kDirect{
    .algorithm = Algorithm::Direct,
    .key = "direct",
    .reduceScatter = true,
    .allGather = true,
    .allToAll = true,
    .broadcast = true,
    .inReference = true,
    .tried = true,
    .fansIn = true,
    .windowed = true,
    .sequence = Sequence::AtOnce,
    .alike = Likeness::Turned,
    .messages = [](std::int32_t n) { return std::int64_t{n} * (n - 1); },
    .blocks = directBlocks,
    .reduces = [](const PhaseTemplate& phase, std::int32_t, std::int32_t) { return phase.kind == PhaseKind::ReduceScatter; },
    .sendCount = directSends,
    .send = directSend,
    .receiveCount = directReceives,
    .receive = directReceive,
    .receiveIndex = directReceiveIndex,
    .needs = directNeeds,
};

} // namespace fabricscope
