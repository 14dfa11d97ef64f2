#pragma once

#include "core/hierarchy/grouplevels.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// Levels of a group whose blocks differ in size: a box with gaps (manual: collectives 5.6). Plain value.
struct UnevenLevels {
    /// A block that is made of fewer blocks than the largest of its level.
    struct Small {
        std::string level;      ///< "host".
        std::int32_t size = 0;  ///< Blocks below in it.
        std::int32_t full = 0;  ///< In the largest.
        std::int32_t first = 0; ///< Place among the members of its first NPU.
    };
    std::vector<GroupLevels::Used> used; ///< From below; extents are those of the largest blocks.
    std::vector<std::int32_t> order;     ///< Place among the members, by position.
    std::vector<std::int32_t> places;    ///< Slots by position, ascending: digits of the levels, that of the highest fastest (UnevenRequest::places).
    std::vector<Small> small;            ///< By level, then as listed.

    /// "7 to 8 x 12 (host, all)".
    std::string text() const;
};

/// The levels of a group that is no box: by the axes where it is one with gaps, else by hosts of different size (steps 1 and 2 of the rule, units are not looked for).
/// More than three quarters of the slots must be taken, NPUs joined by switches, and a border must stay where the largest blocks have less cut for each NPU. `tiers`: without
/// a border too, where the box has 2^k slots, so that distances double. Null: none of that. The cost of LevelFinder::find(). \pre different NPUs, at least two.
std::shared_ptr<const UnevenLevels> findUnevenLevels(const LevelGraph& graph, std::span<const NpuAxis> axes, std::span<const NodeId> members, bool tiers);

} // namespace fabricscope
