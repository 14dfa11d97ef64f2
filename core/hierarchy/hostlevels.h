#pragma once

#include "core/hierarchy/grouplevels.h"
#include "core/hierarchy/levelgraph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Members of a group by hosts: row h holds places among the members, column j is rail j. Private to core/hierarchy.
struct HostRows {
    std::vector<std::vector<std::int32_t>> rows;
    std::int64_t hostRate = INT64_MAX; ///< Links inside of hosts have at least this rate; without hosts INT64_MAX.
    bool equal = true;                 ///< False: hosts of different size, which have no levels.
    bool hasRails = false;             ///< NPUs of some hosts are nearest to one of another host each, one to one.
    bool noRails = false;

    std::int32_t size() const { return static_cast<std::int32_t>(rows.front().size()); }
};

/// Steps 1 and 2 of the rule: without hosts every member is a row of its own.
HostRows findHosts(const LevelGraph& graph, std::span<const NodeId> members);
/// Step 3: hosts in one unit of each size, rising, the sizes alone; `rows` are put in the order of units.
std::vector<std::int32_t> findUnits(const LevelGraph& graph, std::span<const NodeId> members, HostRows& hosts);

/// Most classes of NPUs with the same switches that units are looked for among; beyond there are none.
constexpr std::int32_t kMostUnitClasses = 4096;

} // namespace fabricscope
