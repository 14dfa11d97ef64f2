// All-gather by Bruck (manual: collectives 4.3): after round k a position has the 2^(k+1) blocks from its own on, of whatever many positions. Circulant gathers so, and reduces and
// scatters by the same rounds backwards.
#include "core/base/integers.h"
#include "core/program/nativerule.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Blocks of a message of round k: all there are, in the last round no more than are missing.
std::int32_t blockCount(std::int32_t n, std::int32_t k)
{
    const std::int32_t have = std::int32_t{1} << k;
    return std::min(have, n - have);
}

PhaseRules::Message messageOf(const PhaseRules& rules, std::int32_t sender, std::int32_t k, std::int64_t held)
{
    const std::int32_t n = rules.extent();
    PhaseRules::Message message;
    message.peer = (sender + n - (std::int32_t{1} << k)) % n;
    message.step = k;
    message.bytes = blockRangeBytes(held, n, sender, blockCount(n, k));
    message.needsOwn = true;
    return message;
}

PhaseRules::Message receiveOf(const PhaseRules& rules, std::int32_t r, std::int32_t k, std::int64_t held)
{
    const std::int32_t sender = (r + (std::int32_t{1} << k)) % rules.extent();
    PhaseRules::Message message = messageOf(rules, sender, k, held);
    message.peer = sender;
    return message;
}

/// Round j brings the blocks 2^j .. 2^(j+1)-1 behind the own one: those below the count are needed.
PhaseRules::Needs needsOf(const PhaseRules& rules, std::int32_t, std::int32_t k)
{
    return {0, ceilLog(blockCount(rules.extent(), k))};
}

bool scatters(const PhaseRules& rules)
{
    return rules.phase().kind == PhaseKind::ReduceScatter;
}

/// The round of the gather that a step of circulant is, or undoes.
std::int32_t roundOf(const PhaseRules& rules, std::int32_t step)
{
    return scatters(rules) ? ceilLog(rules.extent()) - 1 - step : step;
}

std::int32_t circulantSender(const PhaseRules& rules, std::int32_t r, std::int32_t step)
{
    const std::int32_t n = rules.extent();
    const std::int32_t distance = std::int32_t{1} << roundOf(rules, step);
    return (r + (scatters(rules) ? n - distance : distance)) % n;
}

/// The first of the blocks of a message: what its receiver has sent in that round of the gather.
std::int32_t circulantFirst(const PhaseRules& rules, std::int32_t sender, std::int32_t step)
{
    return scatters(rules) ? (sender + (std::int32_t{1} << roundOf(rules, step))) % rules.extent() : sender;
}

PhaseRules::Message circulantSend(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int64_t held)
{
    if (!scatters(rules))
        return messageOf(rules, sender, step, held);
    PhaseRules::Message message;
    message.peer = circulantFirst(rules, sender, step);
    message.step = step;
    message.bytes = blockRangeBytes(held, rules.extent(), message.peer, blockCount(rules.extent(), roundOf(rules, step)));
    message.reduces = true;
    message.needsOwn = true;
    return message;
}

PhaseRules::Message circulantReceive(const PhaseRules& rules, std::int32_t r, std::int32_t step, std::int64_t held)
{
    const std::int32_t sender = circulantSender(rules, r, step);
    PhaseRules::Message message = circulantSend(rules, sender, step, held);
    message.peer = sender;
    return message;
}

/// Step 0 brings as many blocks as the last round of a gather lacks, the others all there are up to twice the distance: of what is 2^k or more ahead.
PhaseRules::Needs circulantNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t step)
{
    if (!scatters(rules))
        return needsOf(rules, r, step);
    const std::int32_t n = rules.extent();
    const std::int32_t brought = blockCount(n, roundOf(rules, 0));
    const bool ofFirst = step > 0 && brought > std::int32_t{1} << roundOf(rules, step);
    return {ofFirst || step == 0 ? 0 : 1, ofFirst || step == 0 ? step : step - 1};
}

} // namespace

constinit const NativeRule nativerows::kBruckGather{
    .algorithm = Algorithm::Bruck,
    .key = "bruck_gather",
    .allGather = true,
    .tried = false, // The generator bruck is: the same messages.
    .manyBlocks = true,
    .alike = Likeness::Turned,
    .messages = [](std::int32_t n) { return std::int64_t{n} * ceilLog(n); },
    .mostSends = [](std::int32_t n) { return ceilLog(n); },
    .blocks = [](const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t) { return BlockRange{sender, blockCount(rules.extent(), step)}; },
    .reduces = [](const PhaseTemplate&, std::int32_t, std::int32_t) { return false; },
    .sendCount = [](const PhaseRules& rules, std::int32_t) { return ceilLog(rules.extent()); },
    .send = messageOf,
    .receiveCount = [](const PhaseRules& rules, std::int32_t) { return ceilLog(rules.extent()); },
    .receive = receiveOf,
    .receiveIndex = [](const PhaseRules&, std::int32_t, std::int32_t step, std::int32_t) { return step; },
    .needs = needsOf,
};

constinit const NativeRule nativerows::kCirculant{
    .algorithm = Algorithm::Circulant,
    .key = "circulant",
    .reduceScatter = true,
    .allGather = true,
    .tried = false, // Where it is better than halving-doubling it is the standard.
    .manyBlocks = true,
    .alike = Likeness::Turned,
    .messages = [](std::int32_t n) { return std::int64_t{n} * ceilLog(n); },
    .mostSends = [](std::int32_t n) { return ceilLog(n); },
    .blocks = [](const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t) { return BlockRange{circulantFirst(rules, sender, step), blockCount(rules.extent(), roundOf(rules, step))}; },
    .reduces = [](const PhaseTemplate& phase, std::int32_t, std::int32_t) { return phase.kind == PhaseKind::ReduceScatter; },
    .sendCount = [](const PhaseRules& rules, std::int32_t) { return ceilLog(rules.extent()); },
    .send = circulantSend,
    .receiveCount = [](const PhaseRules& rules, std::int32_t) { return ceilLog(rules.extent()); },
    .receive = circulantReceive,
    .receiveIndex = [](const PhaseRules&, std::int32_t, std::int32_t step, std::int32_t) { return step; },
    .needs = circulantNeeds,
};

} // namespace fabricscope
