#include "core/plan/lower/groupfamilies.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

Result<FamilyId> GroupFamilies::of(const PlanGroup& group)
{
    if (group.size() < 2)
        return FamilyId{-1};
    const auto known = std::find_if(m_groups.begin(), m_groups.end(), [&](const PlanGroup& other) { return other.axes == group.axes; });
    if (known != m_groups.end())
        return static_cast<FamilyId>(known - m_groups.begin()) + 1;
    auto family = m_grid.family(group);
    if (!family)
        return std::move(family).error();
    m_groups.push_back(group);
    m_families.push_back(std::move(family).value());
    return static_cast<FamilyId>(m_groups.size());
}

Result<FamilyId> GroupFamilies::pairsAlong(const std::string& name, std::int32_t axis, const std::vector<std::pair<std::int64_t, std::int64_t>>& coordinates)
{
    const PlanGrid::Axis& along = m_grid.axes()[at(axis)];
    std::vector<std::vector<std::int64_t>> lists;
    for (std::int64_t place = 0; place < m_grid.ranks(); ++place) {
        const std::int64_t coordinate = place / along.stride % along.size;
        for (const auto& [first, second] : coordinates) {
            if (coordinate == first)
                lists.push_back({m_grid.rankAt(place), m_grid.rankAt(place + (second - first) * along.stride)});
        }
    }
    auto family = GroupFamily::listed(name, std::move(lists), m_grid.ranks());
    if (!family)
        return std::move(family).error();
    m_groups.push_back({name, {}});
    m_families.push_back(std::move(family).value());
    return static_cast<FamilyId>(m_groups.size());
}

} // namespace fabricscope
