#include "core/program/nativerule.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace fabricscope {

// Each in a file of its own.
extern const NativeRule kRing;
extern const NativeRule kDirect;
extern const NativeRule kHalvingDoubling;
extern const NativeRule kDoubleBinaryTree;
extern const NativeRule kInNetwork;
extern const NativeRule kBruckGather;

namespace {

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
