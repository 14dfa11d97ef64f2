// All-gather by Bruck (manual: collectives 4.3): after round k a position has the 2^(k+1) blocks from its own on, of whatever many positions.
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

} // namespace fabricscope
