#include "core/program/nativerule.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

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
    return nativerows::kRules;
}

const NativeRule& nativeRule(Algorithm algorithm)
{
    const auto row = std::find_if(nativerows::kRules.begin(), nativerows::kRules.end(), [&](const NativeRule* rule) { return rule->algorithm == algorithm; });
    assert(row != nativerows::kRules.end());
    return **row;
}

std::string_view algorithmKey(Algorithm algorithm)
{
    return nativeRule(algorithm).key;
}

std::optional<Algorithm> parseAlgorithm(std::string_view key)
{
    for (const NativeRule* const rule : nativerows::kRules) {
        if (rule->key == key)
            return rule->algorithm;
    }
    return std::nullopt;
}

std::optional<Algorithm> algorithmMeant(std::string_view word)
{
    for (const NativeRule* const rule : nativerows::kRules) {
        if (plainWord(rule->key) == plainWord(word))
            return rule->algorithm;
    }
    return std::nullopt;
}

std::string algorithmList(std::string_view conjunction)
{
    std::vector<std::string_view> keys;
    for (const NativeRule* const rule : nativerows::kRules)
        keys.push_back(rule->key);
    return listedWords(keys, conjunction);
}

std::int32_t windowOf(const PhaseTemplate& phase)
{
    return nativeRule(phase.algorithm).windowed ? phase.window : 0;
}

std::int32_t reduceBuffers(const PhaseTemplate& phase, std::int32_t extent)
{
    if (phase.kind == PhaseKind::ReduceScatter)
        return nativeRule(phase.algorithm).fansIn ? extent - 1 : 1;
    return phase.kind == PhaseKind::AllReduce ? 1 : 0;
}

} // namespace fabricscope
