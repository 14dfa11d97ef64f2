#pragma once

#include "core/plan/layout.h"
#include "core/workload/taskgraph.h"

namespace fabricscope {

/// The communicator groups of a plan as families of a workload, each once, numbered as they are asked for; 0 is all ranks.
class GroupFamilies {
public:
    explicit GroupFamilies(const PlanGrid& grid) : m_grid(grid) { m_families.push_back(GroupFamily::world(grid.ranks())); }

    /// -1: groups of one rank. \pre the axes are of the grid
    Result<FamilyId> of(const PlanGroup& group);
    /// Pairs of ranks that differ in their coordinate along an axis alone: first[i] with second[i]. Ranks elsewhere are in no group. O(ranks).
    Result<FamilyId> pairsAlong(const std::string& name, std::int32_t axis, const std::vector<std::pair<std::int64_t, std::int64_t>>& coordinates);
    std::vector<GroupFamily> take() { return std::move(m_families); }

private:
    const PlanGrid& m_grid;
    std::vector<PlanGroup> m_groups; ///< By family - 1; of pairs without axes.
    std::vector<GroupFamily> m_families;
};

} // namespace fabricscope
