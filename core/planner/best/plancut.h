#pragma once

#include "core/planner/best/searchedplans.h"

#include <limits>

namespace fabricscope {

/// A plan and where it stands in the space, which decides among equals.
struct RankedPlan {
    SearchedPlan plan;
    std::size_t block = 0;  ///< Of PlanSpace::blocks().
    std::size_t choice = 0; ///< Of its plans.
};

/// What is compared: less is better.
double valueOfPlan(const SearchedPlan& plan, PlanObjective objective);

/// Sorts, and leaves the best by the first objective and those that no other beats in every objective, where there are several. O(n log n + n x front).
void keepBest(std::vector<RankedPlan>& plans, const PlanSearchSpec& search);

/// Which plans cannot be among the best any more, as they take at least so long and so much memory.
class PlanCut {
public:
    /// `plans`: as keepBest() leaves them. `shorterThan`: of PlanSearchOptions.
    PlanCut(const std::vector<RankedPlan>& plans, const PlanSearchSpec& search, const std::optional<std::int64_t>& shorterThan);

    /// `step` in picoseconds, `memory` in bytes: no more than those of the plan.
    bool isOut(double step, double memory) const;
    bool isByStep() const { return m_byStep && !m_several; }
    /// A step of a plan that is found: where steps alone rank, the cut comes down.
    void lower(double step) { m_worst = isByStep() ? std::min(m_worst, step) : m_worst; }

private:
    struct Corner {
        double step = 0;
        double memory = 0;
    };
    bool m_byStep = true;     ///< The first objective is a time, else memory.
    bool m_several = false;
    bool m_hasMemory = false; ///< Among the objectives.
    double m_worst = std::numeric_limits<double>::infinity(); ///< The last of the best by the first objective.
    double m_end = std::numeric_limits<double>::infinity();   ///< No plan is so long.
    std::vector<Corner> m_front; ///< By ascending step and descending memory.
};

} // namespace fabricscope
