#pragma once

#include "core/transform/refusal.h"
#include "core/transform/schedulewords.h"
#include "core/transform/tensorprogram.h"

#include <set>
#include <string>
#include <variant>
#include <vector>

namespace fabricscope::transform {

inline constexpr std::size_t kMostInChain = 16; ///< Kernels of one overlap.

/// Conditions that are not looked at: only to show by execution that each is needed.
using LeftOut = std::set<Condition>;

/// The program after one legal step: equivalent to the one before (manual: transform 3). Layouts are inferred. O(stages^2) at most.
Rewritten applyStep(const TensorProgram& program, const ScheduleStep& step, const LeftOut& leftOut = {});

// The same for each step; names as in a schedule. In splitreorder.cpp, storagesteps.cpp, fusekernels.cpp and overlapsteps.cpp.
Rewritten splitAllReduce(const TensorProgram& program, const std::string& name, const LeftOut& leftOut);
Rewritten reorderStages(const TensorProgram& program, const std::string& collective, const std::vector<std::string>& computations, const LeftOut& leftOut);
Rewritten storeSliced(const TensorProgram& program, const std::string& tensor, const LeftOut& leftOut);
Rewritten removeDead(const TensorProgram& program, const std::string& name, const LeftOut& leftOut);
Rewritten fuseStages(const TensorProgram& program, const std::vector<std::string>& names, const LeftOut& leftOut);
Rewritten overlapKernels(const TensorProgram& program, const std::vector<std::string>& names, const LeftOut& leftOut);

/// Steps taken one after the other; every one can be undone.
class StepHistory {
public:
    explicit StepHistory(TensorProgram program) : m_programs{std::move(program)} {}

    const TensorProgram& first() const { return m_programs.front(); }
    const TensorProgram& program() const { return m_programs.back(); }
    const Schedule& applied() const { return m_applied; }
    /// Takes the step; nothing changes where it is refused.
    std::optional<Refusal> apply(const ScheduleStep& step);
    /// Takes the last step back; false: there is none.
    bool undo();

private:
    std::vector<TensorProgram> m_programs;
    Schedule m_applied;
};

} // namespace fabricscope::transform
