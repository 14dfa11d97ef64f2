#pragma once

#include "core/base/rankset.h"
#include "core/plan/planspec.h"
#include "core/workload/groups.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// Some axes of a grid, or parts of them: a family of groups of equal size. Without axes: every rank alone.
struct PlanGroup {
    std::string name;                     ///< Names of the axes, "dp+cp".
    std::vector<GroupFamily::Axis> axes;  ///< Size and stride in places of the grid, smallest stride first.
    std::int64_t size() const;            ///< Members of one group.
    friend bool operator==(const PlanGroup&, const PlanGroup&) = default;
};

/// The ranks of a plan as a grid (manual: plans 2). Places are numbered 0..ranks-1; place = sum of coordinate x stride.
class PlanGrid {
public:
    struct Axis {
        std::string name;
        std::int64_t size = 1;
        std::int64_t stride = 1; ///< Places between neighbours along it.
        friend bool operator==(const Axis&, const Axis&) = default;
    };

    /// Refuses, with the field below "workload.plan.mesh": names that are empty or double, as many sizes as there are not names, a product that is not
    /// `ranks` (saying which one axis could be so that it is), orders that do not name every axis once, device orders that are no permutation. O(ranks) with a device order, else O(axes).
    static Result<PlanGrid> create(const PlanMesh& mesh, std::int64_t ranks);

    std::int64_t ranks() const { return m_ranks; }
    const std::vector<Axis>& axes() const { return m_axes; } ///< As in the plan.
    /// Its index; -1: there is none.
    std::int32_t find(std::string_view name) const;

    std::int64_t placeOf(std::int64_t rank) const { return m_placeOfRank.empty() ? rank : m_placeOfRank[static_cast<std::size_t>(rank)]; }
    std::int64_t rankAt(std::int64_t place) const { return m_rankAtPlace.empty() ? place : m_rankAtPlace[static_cast<std::size_t>(place)]; }
    /// \pre 0 <= axis < axes().size(); 0 <= rank < ranks().
    std::int64_t coordinate(std::int64_t rank, std::int32_t axis) const;

    /// The groups of a family as those of a workload: strided, with a device order listed (O(ranks) memory). \pre the axes are of this grid.
    Result<GroupFamily> family(const PlanGroup& group) const;
    /// Ranks whose coordinate along an axis (-1: none, everybody has 0) is wanted. `wanted`: one flag per coordinate. O(ranks).
    RankSet ranksWith(std::int32_t axis, const std::vector<bool>& wanted) const;

private:
    std::int64_t m_ranks = 1;
    std::vector<Axis> m_axes;
    std::vector<std::int64_t> m_rankAtPlace; // Empty: place p is rank p.
    std::vector<std::int64_t> m_placeOfRank;
};

/// The axes of both, smallest stride first, neighbouring ones joined.
PlanGroup joinedGroup(const PlanGroup& a, const PlanGroup& b);
/// The `size` members next to each other, and what of the group is across them. Refused (nothing) where no such part has equal strides.
struct SplitGroup {
    PlanGroup inner;
    PlanGroup outer;
};
std::optional<SplitGroup> splitGroup(const PlanGroup& group, std::int64_t size);

/// The divisors of `whole` next to `wanted`, "4 or 8"; of at most `most`.
std::string nearestDivisors(std::int64_t whole, std::int64_t wanted, std::int64_t most = INT64_MAX);

} // namespace fabricscope
