#include "core/program/nativerule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace fabricscope {

// Rules in files of their own.
extern const NativeRule kBruckGather;

namespace {

std::int32_t wrapped(std::int32_t value, std::int32_t n)
{
    value %= n;
    return value < 0 ? value + n : value;
}

std::int32_t floorLog(std::int32_t value)
{
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(value))) - 1;
}

bool always(const PhaseTemplate& phase, std::int32_t, std::int32_t)
{
    return phase.kind == PhaseKind::ReduceScatter;
}

std::int64_t pairs(std::int32_t extent)
{
    return std::int64_t{extent} * (extent - 1);
}

void ringBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t, std::vector<BlockRange>& out)
{
    const PhaseTemplate& phase = rules.phase();
    const std::int32_t behind = step + (phase.kind == PhaseKind::ReduceScatter ? 1 : 0);
    out.push_back({wrapped(sender - (phase.minus ? -1 : 1) * behind, rules.extent()), 1});
}

void directBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t, std::int32_t slot, std::vector<BlockRange>& out)
{
    out.push_back({rules.phase().kind == PhaseKind::ReduceScatter ? wrapped(sender + slot, rules.extent()) : sender, 1});
}

/// Row halving-doubling of the table in phaserules.h.
void halvingBlocks(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t, std::vector<BlockRange>& out)
{
    const std::int32_t n = rules.extent();
    const std::int32_t log = floorLog(n);
    const std::int32_t core = std::int32_t{1} << log;
    const bool folded = core != n;
    const bool scatters = rules.phase().kind == PhaseKind::ReduceScatter;
    if (folded && step == 0) { // An extra hands over what it has.
        out.push_back(scatters ? BlockRange{0, n} : BlockRange{sender, 1});
        return;
    }
    if (folded && step == log + 1) { // ... and gets its result back.
        out.push_back(scatters ? BlockRange{sender + core, 1} : BlockRange{wrapped(sender + core + 1, n), n - 1});
        return;
    }
    const std::int32_t round = folded ? step - 1 : step;
    const std::int32_t stride = std::int32_t{1} << (scatters ? round + 1 : log - round);
    const std::int32_t first = (scatters ? sender ^ (std::int32_t{1} << round) : sender) & (stride - 1);
    for (const std::int32_t part : {0, core}) {
        for (std::int32_t block = part + first; block < std::min(n, part + core); block += stride)
            out.push_back({block, 1});
    }
}

/// Folded, the last step gives a result back.
bool halvingReduces(const PhaseTemplate& phase, std::int32_t extent, std::int32_t step)
{
    const std::int32_t log = floorLog(extent);
    return phase.kind == PhaseKind::ReduceScatter && (extent == std::int32_t{1} << log || step <= log);
}

/// Up in the tree before down: the deepest member is as deep as there are bits in extent - 1.
bool treeReduces(const PhaseTemplate&, std::int32_t extent, std::int32_t step)
{
    return step < static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(extent - 1)));
}

/// What comes from a switch is reduced already.
bool never(const PhaseTemplate&, std::int32_t, std::int32_t)
{
    return false;
}

constinit const NativeRule kRing{.algorithm = Algorithm::Ring, .key = "ring", .reduceScatter = true, .allGather = true, .allToAll = true, .broadcast = true,
                       .inReference = true, .tried = true, .messages = pairs, .blocks = ringBlocks, .reduces = always};
constinit const NativeRule kDirect{.algorithm = Algorithm::Direct, .key = "direct", .reduceScatter = true, .allGather = true, .allToAll = true, .broadcast = true,
                         .inReference = true, .tried = true, .fansIn = true, .messages = pairs, .blocks = directBlocks, .reduces = always};
constinit const NativeRule kHalvingDoubling{.algorithm = Algorithm::HalvingDoubling, .key = "halving_doubling", .reduceScatter = true, .allGather = true, .inReference = true,
                                  .tried = true, .manyBlocks = true, .messages = [](std::int32_t n) { return std::int64_t{n} * (floorLog(n) + 2); },
                                  .blocks = halvingBlocks, .reduces = halvingReduces};
constinit const NativeRule kDoubleBinaryTree{.algorithm = Algorithm::DoubleBinaryTree, .key = "double_binary_tree", .allReduce = true, .inReference = true, .tried = true,
                                   .messages = [](std::int32_t n) { return std::int64_t{4} * (n - 1); }, .reduces = treeReduces};
constinit const NativeRule kInNetwork{.algorithm = Algorithm::InNetwork, .key = "in_network", .reduceScatter = true, .allGather = true, .allReduce = true, .broadcast = true,
                            .tried = true, .messages = [](std::int32_t n) { return std::int64_t{n}; }, .reduces = never};

constexpr std::array kRules{&kRing, &kDirect, &kHalvingDoubling, &kDoubleBinaryTree, &kInNetwork, &kBruckGather};

} // namespace

bool NativeRule::does(PhaseKind kind) const
{
    switch (kind) {
    case PhaseKind::ReduceScatter:
        return reduceScatter;
    case PhaseKind::AllGather:
        return allGather;
    case PhaseKind::AllReduce:
        return allReduce;
    case PhaseKind::AllToAll:
        return allToAll;
    case PhaseKind::Broadcast:
        break;
    }
    return broadcast;
}

bool NativeRule::does(CollectiveOp op, bool last) const
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return (allReduce && last) || (reduceScatter && allGather);
    case CollectiveOp::ReduceScatter:
        return reduceScatter;
    case CollectiveOp::AllGather:
        return allGather;
    case CollectiveOp::AllToAll:
        return allToAll;
    case CollectiveOp::Broadcast:
        return broadcast;
    default:
        return false;
    }
}

std::span<const NativeRule* const> nativeRules()
{
    return kRules;
}

const NativeRule& nativeRule(Algorithm algorithm)
{
    const auto row = std::find_if(kRules.begin(), kRules.end(), [&](const NativeRule* rule) { return rule->algorithm == algorithm; });
    assert(row != kRules.end());
    return **row;
}

std::string_view algorithmKey(Algorithm algorithm)
{
    return nativeRule(algorithm).key;
}

std::optional<Algorithm> parseAlgorithm(std::string_view key)
{
    for (const NativeRule* const rule : kRules) {
        if (rule->key == key)
            return rule->algorithm;
    }
    return std::nullopt;
}

std::optional<Algorithm> algorithmMeant(std::string_view word)
{
    for (const NativeRule* const rule : kRules) {
        if (plainWord(rule->key) == plainWord(word))
            return rule->algorithm;
    }
    return std::nullopt;
}

std::string algorithmList(std::string_view conjunction)
{
    std::vector<std::string_view> keys;
    for (const NativeRule* const rule : kRules)
        keys.push_back(rule->key);
    return listedWords(keys, conjunction);
}

std::int32_t reduceBuffers(const PhaseTemplate& phase, std::int32_t extent)
{
    if (phase.kind == PhaseKind::ReduceScatter)
        return nativeRule(phase.algorithm).fansIn ? extent - 1 : 1;
    return phase.kind == PhaseKind::AllReduce ? 1 : 0;
}

} // namespace fabricscope
