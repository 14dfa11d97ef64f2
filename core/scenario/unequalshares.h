#pragma once

#include "core/scenario/lowering.h"

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <tuple>
#include <vector>

namespace fabricscope {

/// Unequal shares that the members of a group have of a collective, by position; empty: equal ones. Those of the group's first member count. O(log).
std::span<const std::int64_t> sharesOf(const RankGraph& tasks, TaskIndex task);

/// Programs of collectives whose members have parts of different size (manual: placement 6). With weights w and the large side S, part i of an all-gather or
/// reduce-scatter ends at floor(S * sum(w_0..w_i) / sum(w)); a part may be empty. It goes along the axes of the group (on a graph its levels, with `finder`) as with equal parts: every message is as
/// long as the parts it carries, nothing is padded. In an all-to-all member i has w_i of members * S, and each other member j gets w_j of that directly.
class UnequalPrograms {
public:
    /// \pre no share is negative, their sum is from 1 to 2^56.
    /// Errors: InvalidInput (not one share for each member), Unsupported (another collective; an algorithm other than ring, direct, halving_doubling, or with a window; too many transfers), Cancelled.
    /// The same once more: remembered. O(transfers log).
    Result<PlannedCollective> plan(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op, std::int64_t bytes,
                                   const CollectiveSetting& setting, std::span<const std::int64_t> shares, const LevelFinder* finder, const std::stop_token& stop);

private:
    Result<PlannedCollective> alongAxes(const Platform& platform, const GroupShape& shape, const GroupFamily& family, CollectiveOp op, const CollectiveSetting& setting,
                                        std::span<const std::int64_t> shares, const std::stop_token& stop);

    /// Collective, extents, algorithms, chunks, shares by place.
    using Key = std::tuple<CollectiveOp, std::vector<std::int32_t>, std::vector<Algorithm>, std::int32_t, std::vector<std::int64_t>>;
    std::map<Key, ProgramPtr> m_alongAxes;
    std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, ProgramPtr> m_allToAll; ///< By size and shares.
};

} // namespace fabricscope
