// Ring: blocks go round in steps, from every position to its neighbour (rows ring of the table in phaserules.h).
#include "core/base/integers.h"
#include "core/program/nativerule.h"

namespace fabricscope {

namespace {

using Message = PhaseRules::Message;

/// Broadcast: steps until the data from position 0 have come.
std::int32_t stepsBehind(const PhaseRules& rules, std::int32_t r)
{
    return rules.phase().minus && r > 0 ? rules.extent() - r : r;
}

std::int32_t ringSends(const PhaseRules& rules, std::int32_t r)
{
    if (rules.phase().kind == PhaseKind::Broadcast)
        return stepsBehind(rules, r) == rules.extent() - 1 ? 0 : 1; // The last passes nothing on.
    return rules.extent() - 1;
}

std::int32_t ringReceives(const PhaseRules& rules, std::int32_t r)
{
    if (rules.phase().kind == PhaseKind::Broadcast)
        return r == 0 ? 0 : 1;
    return rules.extent() - 1;
}

Message ringMessage(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int64_t held)
{
    const std::int32_t n = rules.extent();
    const std::int32_t sign = rules.phase().minus ? -1 : 1;
    Message message;
    message.peer = modulo(sender + sign, n);
    message.step = step;
    switch (rules.phase().kind) {
    case PhaseKind::ReduceScatter:
        message.bytes = blockBytes(held, n, modulo(sender - sign * (step + 1), n));
        message.reduces = true;
        message.needsOwn = true;
        break;
    case PhaseKind::AllGather:
        message.bytes = blockBytes(held, n, modulo(sender - sign * step, n));
        message.needsOwn = step == 0;
        message.forwardOnly = step > 0;
        break;
    case PhaseKind::Broadcast:
        message.bytes = held;
        message.needsOwn = step == 0;
        message.forwardOnly = step > 0;
        break;
    default: {
        const std::int32_t count = n - 1 - step;
        message.bytes = blockRangeBytes(held, n, rules.phase().minus ? modulo(sender - count, n) : modulo(sender + 1, n), count);
        message.needsOwn = true;
    }
    }
    return message;
}

Message ringSend(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    return ringMessage(rules, r, rules.phase().kind == PhaseKind::Broadcast ? stepsBehind(rules, r) : index, held);
}

Message ringReceive(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    const std::int32_t sender = modulo(rules.phase().minus ? r + 1 : r - 1, rules.extent());
    Message message = ringSend(rules, sender, index, held);
    message.peer = sender;
    return message;
}

std::int32_t ringReceiveIndex(const PhaseRules& rules, std::int32_t, std::int32_t step, std::int32_t)
{
    return rules.phase().kind == PhaseKind::Broadcast ? 0 : step;
}

PhaseRules::Needs ringNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t index)
{
    if (rules.phase().kind == PhaseKind::Broadcast)
        return r == 0 ? PhaseRules::Needs{} : PhaseRules::Needs{0, 1};
    return index == 0 ? PhaseRules::Needs{} : PhaseRules::Needs{index - 1, 1};
}

BlockRange ringBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t)
{
    const PhaseTemplate& phase = rules.phase();
    const std::int32_t behind = step + (phase.kind == PhaseKind::ReduceScatter ? 1 : 0);
    return {modulo(sender - (phase.minus ? -1 : 1) * behind, rules.extent()), 1};
}

} // namespace

constinit const NativeRule nativerows::kRing{
    .algorithm = Algorithm::Ring,
    .key = "ring",
    .reduceScatter = true,
    .allGather = true,
    .allToAll = true,
    .broadcast = true,
    .inReference = true,
    .tried = true,
    .sequence = Sequence::PassedOn,
    .alike = Likeness::Turned,
    .messages = [](std::int32_t n) { return std::int64_t{n} * (n - 1); },
    .blocks = ringBlocks,
    .reduces = [](const PhaseTemplate& phase, std::int32_t, std::int32_t) { return phase.kind == PhaseKind::ReduceScatter; },
    .sendCount = ringSends,
    .send = ringSend,
    .receiveCount = ringReceives,
    .receive = ringReceive,
    .receiveIndex = ringReceiveIndex,
    .needs = ringNeeds,
};

} // namespace fabricscope
