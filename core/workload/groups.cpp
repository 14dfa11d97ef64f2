#include "core/workload/groups.h"

#include "core/base/index.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fabricscope {

namespace {

Error groupError(const std::string& name, std::string message, std::string expected)
{
    Place place;
    place.field = name.empty() ? "group" : "group \"" + name + '"';
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

} // namespace

GroupFamily GroupFamily::world(std::int64_t ranks)
{
    GroupFamily family;
    family.m_name = "world";
    family.m_world = true;
    family.m_ranks = ranks;
    family.m_axes.push_back({ranks, 1});
    return family;
}

Result<GroupFamily> GroupFamily::strided(std::string name, std::vector<Axis> axes, std::int64_t ranks)
{
    if (ranks < 1)
        return groupError(name, std::to_string(ranks) + " ranks", "at least 1");
    GroupFamily family;
    family.m_ranks = ranks;
    std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });

    // In ascending stride order the axes of the group and the gaps between them must divide each other up to the number of ranks;
    // each gap is an axis of the group number.
    std::vector<Axis> ascending = axes;
    std::sort(ascending.begin(), ascending.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    std::int64_t covered = 1;
    const auto addGap = [&family, &covered](std::int64_t upTo) {
        if (upTo == covered)
            return;
        family.m_fixedSizes.push_back(upTo / covered);
        family.m_fixedStrides.push_back(covered);
    };
    for (const Axis& axis : ascending) {
        if (axis.size < 1 || axis.stride < 1)
            return groupError(name, "an axis of size " + std::to_string(axis.size) + " and stride " + std::to_string(axis.stride), "both at least 1");
        if (axis.stride % covered != 0 || axis.stride > ranks || axis.size > ranks / axis.stride) {
            return groupError(name, "axis of size " + std::to_string(axis.size) + " and stride " + std::to_string(axis.stride) + " does not tile "
                                        + std::to_string(ranks) + " ranks",
                              "strides that are multiples of what the smaller axes cover, inside the ranks");
        }
        addGap(axis.stride);
        covered = axis.stride * axis.size;
    }
    if (ranks % covered != 0)
        return groupError(name, "groups that cover " + std::to_string(covered) + " ranks do not tile " + std::to_string(ranks), "a divisor");
    addGap(ranks);
    if (axes.empty())
        axes.push_back({1, 1});
    family.m_name = std::move(name);
    family.m_axes = std::move(axes);
    return family;
}

Result<GroupFamily> GroupFamily::listed(std::string name, std::vector<std::vector<std::int64_t>> groups, std::int64_t ranks)
{
    if (groups.empty())
        return groupError(name, "no groups", "at least one list of ranks");
    GroupFamily family;
    family.m_ranks = ranks;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].empty())
            return groupError(name, "a group without members", "at least one rank");
        for (std::size_t i = 0; i < groups[g].size(); ++i) {
            const std::int64_t rank = groups[g][i];
            if (rank < 0 || rank >= ranks)
                return groupError(name, "rank " + std::to_string(rank) + " does not exist", "0 to " + std::to_string(ranks - 1));
            family.m_index.push_back({rank, {static_cast<std::int64_t>(g), static_cast<std::int64_t>(i)}});
        }
    }
    std::sort(family.m_index.begin(), family.m_index.end());
    const auto twice = std::adjacent_find(family.m_index.begin(), family.m_index.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != family.m_index.end())
        return groupError(name, "rank " + std::to_string(twice->first) + " is listed twice", "each rank at most once");
    family.m_name = std::move(name);
    family.m_lists = std::move(groups);
    return family;
}

std::int64_t GroupFamily::groupCount() const
{
    if (!isStrided())
        return static_cast<std::int64_t>(m_lists.size());
    std::int64_t count = 1;
    for (const std::int64_t size : m_fixedSizes)
        count *= size;
    return count;
}

std::int64_t GroupFamily::groupSize(std::int64_t group) const
{
    if (!isStrided())
        return static_cast<std::int64_t>(m_lists[at(group)].size());
    std::int64_t size = 1;
    for (const Axis& axis : m_axes)
        size *= axis.size;
    return size;
}

GroupFamily::Membership GroupFamily::membership(std::int64_t rank) const
{
    if (!isStrided()) {
        const auto found = std::lower_bound(m_index.begin(), m_index.end(), rank, [](const auto& entry, std::int64_t r) { return entry.first < r; });
        if (found == m_index.end() || found->first != rank)
            return {0, 0, 0};
        return {found->second.first, found->second.second, groupSize(found->second.first)};
    }
    if (rank < 0 || rank >= m_ranks)
        return {0, 0, 0};
    Membership membership;
    std::int64_t groups = 1;
    for (std::size_t i = 0; i < m_fixedSizes.size(); ++i) {
        membership.group += rank / m_fixedStrides[i] % m_fixedSizes[i] * groups;
        groups *= m_fixedSizes[i];
    }
    for (const Axis& axis : m_axes) {
        membership.position += rank / axis.stride % axis.size * membership.size;
        membership.size *= axis.size;
    }
    return membership;
}

std::int64_t GroupFamily::member(std::int64_t group, std::int64_t position) const
{
    assert(group >= 0 && group < groupCount() && position >= 0 && position < groupSize(group));
    if (!isStrided())
        return m_lists[at(group)][at(position)];
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < m_fixedSizes.size(); ++i) {
        rank += group % m_fixedSizes[i] * m_fixedStrides[i];
        group /= m_fixedSizes[i];
    }
    for (const Axis& axis : m_axes) {
        rank += position % axis.size * axis.stride;
        position /= axis.size;
    }
    return rank;
}

} // namespace fabricscope
