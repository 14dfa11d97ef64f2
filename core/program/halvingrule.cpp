// Halving and doubling: with peers 1, 2, 4, ... positions off; extents that are no power of two fold the rest onto partners (rows halving-doubling
// of the table in phaserules.h).
#include "core/base/integers.h"
#include "core/program/nativerule.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

using Message = PhaseRules::Message;

__extension__ using Wide = __int128;

/// What follows from an extent.
struct Halving {
    explicit Halving(const PhaseRules& rules)
        : n(rules.extent())
        , log(floorLog(n))
        , core(std::int32_t{1} << log)
        , scatters(rules.phase().kind == PhaseKind::ReduceScatter)
    {
    }
    explicit Halving(std::int32_t extent)
        : n(extent)
        , log(floorLog(n))
        , core(std::int32_t{1} << log)
    {
    }
    bool folded() const { return core != n; }
    bool isExtra(std::int32_t r) const { return r >= core; }
    bool hasExtra(std::int32_t r) const { return r < n - core; }

    std::int32_t n;
    std::int32_t log;
    std::int32_t core; // 2^log
    bool scatters = false;
};

/// Sum of floor((a*i + b) / m) for i = 0..count-1 by exchanging the roles of a and m, as in Euclid's algorithm: O(log m).
Wide floorSum(Wide count, Wide m, Wide a, Wide b)
{
    Wide sum = 0;
    while (count > 0) {
        sum += a / m * (count * (count - 1) / 2) + b / m * count;
        a %= m;
        b %= m;
        const Wide top = a * count + b;
        count = top / m;
        b = top % m;
        std::swap(m, a);
    }
    return sum;
}

/// Bytes of the blocks first, first + stride, ... (`count` of them).
std::int64_t stridedBytes(std::int64_t held, std::int32_t n, std::int32_t first, std::int32_t stride, std::int32_t count)
{
    if (count <= 0)
        return 0;
    if (held % n == 0)
        return held / n * count;
    const Wide slope = Wide{held} * stride;
    const Wide ends = floorSum(count, n, slope, Wide{held} * (first + 1));
    const Wide begins = floorSum(count, n, slope, Wide{held} * first);
    return static_cast<std::int64_t>(ends - begins);
}

/// Bytes of the (super) blocks that agree with `position` in the low `bits` bits.
std::int64_t agreeingBytes(const Halving& line, std::int64_t held, std::int32_t position, std::int32_t bits)
{
    const std::int32_t stride = std::int32_t{1} << bits;
    const std::int32_t first = position & (stride - 1);
    std::int64_t bytes = stridedBytes(held, line.n, first, stride, line.core / stride);
    if (line.folded()) {
        const std::int32_t extras = line.n - line.core;
        const std::int32_t count = extras > first ? (extras - first - 1) / stride + 1 : 0;
        bytes += stridedBytes(held, line.n, line.core + first, stride, count);
    }
    return bytes;
}

std::int32_t peerIn(const Halving& line, std::int32_t r, std::int32_t step)
{
    if (line.folded()) {
        if (step == 0 || step == line.log + 1)
            return line.isExtra(r) ? r - line.core : r + line.core;
        --step;
    }
    const std::int32_t bit = line.scatters ? step : line.log - 1 - step;
    return r ^ (std::int32_t{1} << bit);
}

Message halvingMessage(const Halving& line, std::int32_t sender, std::int32_t step, std::int64_t held)
{
    Message message;
    message.peer = peerIn(line, sender, step);
    message.step = step;
    message.needsOwn = true;
    if (line.folded() && step == 0) { // An extra hands over what it has.
        message.bytes = line.scatters ? held : blockBytes(held, line.n, sender);
        message.reduces = line.scatters;
    } else if (line.folded() && step == line.log + 1) { // ... and gets its result back.
        const std::int64_t block = blockBytes(held, line.n, message.peer);
        message.bytes = line.scatters ? block : held - block;
    } else {
        const std::int32_t round = line.folded() ? step - 1 : step;
        const std::int32_t bits = line.scatters ? round + 1 : line.log - round;
        message.bytes = agreeingBytes(line, held, line.scatters ? message.peer : sender, bits);
        message.reduces = line.scatters;
    }
    return message;
}

/// As many messages as are received.
std::int32_t halvingCount(const PhaseRules& rules, std::int32_t r)
{
    const Halving line(rules);
    return line.isExtra(r) ? 1 : line.log + (line.hasExtra(r) ? 1 : 0);
}

Message halvingSend(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    const Halving line(rules);
    return halvingMessage(line, r, line.folded() && !line.isExtra(r) ? index + 1 : index, held);
}

Message halvingReceive(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held)
{
    const Halving line(rules);
    std::int32_t step = index;
    if (line.folded())
        step = line.isExtra(r) ? line.log + 1 : index + (line.hasExtra(r) ? 0 : 1);
    const std::int32_t sender = peerIn(line, r, step);
    Message message = halvingMessage(line, sender, step, held);
    message.peer = sender;
    return message;
}

std::int32_t halvingReceiveIndex(const PhaseRules& rules, std::int32_t r, std::int32_t step, std::int32_t)
{
    const Halving line(rules);
    if (!line.folded())
        return step;
    return line.isExtra(r) ? 0 : step - (line.hasExtra(r) ? 0 : 1);
}

PhaseRules::Needs halvingNeeds(const PhaseRules& rules, std::int32_t r, std::int32_t index)
{
    const Halving line(rules);
    if (line.isExtra(r))
        return {};
    return {0, index + (line.folded() && line.hasExtra(r) ? 1 : 0)};
}

std::int32_t reversed(std::int32_t value, std::int32_t bits)
{
    std::int32_t out = 0;
    for (std::int32_t bit = 0; bit < bits; ++bit)
        out |= (value >> bit & 1) << (bits - 1 - bit);
    return out;
}

/// Super blocks that stand before the k-th and have an extra: super blocks stand by reversed bits. O(log extent).
std::int32_t extrasBefore(const Halving& line, std::int32_t k)
{
    const std::int32_t extras = line.n - line.core;
    std::int32_t count = 0;
    for (std::int32_t free = 0; free < line.log; ++free) { // Those that agree with k above bit `free`, and have 0 there where k has 1.
        if ((k >> free & 1) == 0)
            continue;
        const std::int32_t stride = std::int32_t{1} << (line.log - free);
        const std::int32_t first = reversed((k >> free << free) ^ (std::int32_t{1} << free), line.log);
        count += extras > first ? (extras - first - 1) / stride + 1 : 0;
    }
    return count;
}

/// Where the k-th super block begins. \pre k <= core
std::int32_t superPlace(const Halving& line, std::int32_t k)
{
    return k == line.core ? line.n : k + extrasBefore(line, k);
}

/// Every message is a run: what agrees in the low bits stands together once these are the high ones, an extra's block behind its partner's.
std::int32_t blockPlace(const Halving& line, std::int32_t block)
{
    return superPlace(line, reversed(block % line.core, line.log)) + (line.isExtra(block) ? 1 : 0);
}

BlockRange halvingBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t)
{
    const Halving line(rules);
    if (line.folded() && step == 0)
        return line.scatters ? BlockRange{0, line.n} : BlockRange{blockPlace(line, sender), 1};
    if (line.folded() && step == line.log + 1) {
        const std::int32_t extra = blockPlace(line, sender + line.core);
        return line.scatters ? BlockRange{extra, 1} : BlockRange{(extra + 1) % line.n, line.n - 1};
    }
    const std::int32_t round = line.folded() ? step - 1 : step;
    const std::int32_t bits = line.scatters ? round + 1 : line.log - round;
    const std::int32_t like = line.scatters ? sender ^ (std::int32_t{1} << round) : sender;
    const std::int32_t free = line.log - bits;
    const std::int32_t first = reversed(like & ((std::int32_t{1} << bits) - 1), bits) << free;
    const std::int32_t begin = superPlace(line, first);
    return {begin, superPlace(line, first + (std::int32_t{1} << free)) - begin};
}

/// A partner gives all but its extra's block back only when that block has come too.
std::int32_t halvingAwaits(const PhaseRules& rules, std::int32_t sender, std::int32_t index)
{
    const Halving line(rules);
    return !line.scatters && line.hasExtra(sender) && index == line.log ? 0 : -1;
}

/// Folded, the last step gives a result back.
bool halvingReduces(const PhaseTemplate& phase, std::int32_t extent, std::int32_t step)
{
    const std::int32_t log = floorLog(extent);
    return phase.kind == PhaseKind::ReduceScatter && (extent == std::int32_t{1} << log || step <= log);
}

} // namespace

constinit const NativeRule nativerows::kHalvingDoubling{
    .algorithm = Algorithm::HalvingDoubling,
    .key = "halving_doubling",
    .reduceScatter = true,
    .allGather = true,
    .inReference = true,
    .tried = true,
    .manyBlocks = true,
    .alike = Likeness::ExclusiveOr,
    .messages = [](std::int32_t n) { return std::int64_t{n} * (floorLog(n) + 2); },
    .mostSends = [](std::int32_t n) { return floorLog(n) + 1; },
    .place = [](std::int32_t n, std::int32_t block) { return blockPlace(Halving(n), block); },
    .blocks = halvingBlocks,
    .awaits = halvingAwaits,
    .reduces = halvingReduces,
    .sendCount = halvingCount,
    .send = halvingSend,
    .receiveCount = halvingCount,
    .receive = halvingReceive,
    .receiveIndex = halvingReceiveIndex,
    .needs = halvingNeeds,
};

} // namespace fabricscope
