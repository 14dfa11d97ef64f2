#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// A family of disjoint communicator groups of equal shape: "tensor parallel", "data parallel", or one listed group.
/// Either strided (any number of ranks in O(1) memory) or listed.
class GroupFamily {
public:
    /// One axis of a strided family: `size` members, `stride` ranks apart.
    struct Axis {
        std::int64_t size = 1;
        std::int64_t stride = 1;
        friend bool operator==(const Axis&, const Axis&) = default;
    };
    /// Where a rank stands in its group.
    struct Membership {
        std::int64_t group = 0;    ///< Number of the group inside the family.
        std::int64_t position = 0; ///< 0..size-1; the order of the ring.
        std::int64_t size = 1;
    };

    /// All ranks 0..ranks-1 in one group.
    static GroupFamily world(std::int64_t ranks);
    /// Groups spanned by the axes (axis 0 fastest in the position); together they cover 0..ranks-1 exactly once.
    /// Refused when the axes do not tile the ranks.
    static Result<GroupFamily> strided(std::string name, std::vector<Axis> axes, std::int64_t ranks);
    /// Listed groups, members in ring order. Refuses repeated members and ranks outside 0..ranks-1.
    static Result<GroupFamily> listed(std::string name, std::vector<std::vector<std::int64_t>> groups, std::int64_t ranks);

    const std::string& name() const { return m_name; }
    bool isWorld() const { return m_world; }
    bool isStrided() const { return m_lists.empty(); }
    const std::vector<Axis>& axes() const { return m_axes; }
    const std::vector<std::vector<std::int64_t>>& lists() const { return m_lists; }
    std::int64_t groupCount() const;
    std::int64_t groupSize(std::int64_t group) const;
    /// Absent (size 0) when the rank is in no group of the family.
    Membership membership(std::int64_t rank) const;
    std::int64_t member(std::int64_t group, std::int64_t position) const;

private:
    std::string m_name;
    bool m_world = false;
    std::int64_t m_ranks = 0;
    std::vector<Axis> m_axes;              // strided
    std::vector<std::int64_t> m_fixedSizes;   // axes of the group number: sizes
    std::vector<std::int64_t> m_fixedStrides; // and strides
    std::vector<std::vector<std::int64_t>> m_lists;
    std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> m_index; // sorted by rank: group, position
};

/// Index into Workload::families.
using FamilyId = std::int32_t;

} // namespace fabricscope
