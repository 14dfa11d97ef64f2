#pragma once

#include "core/transform/programtimes.h"
#include "core/transform/rewrites.h"
#include "core/transform/tensorfile.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// A step that is not legal.
struct RefusedStep {
    std::size_t step = 0; ///< From 1.
    ScheduleStep words;
    Refusal refusal;
};

/// "step 2 "reorder s.ag {d, w1}" is refused (no_local): d reads g, which is local", at the place of the step.
Error refusalError(const RefusedStep& refused);

/// A file, and what a schedule makes of its program.
struct Transformed {
    TensorProgram before;
    TensorProgram after;
    ProgramTimes beforeTimes;
    ProgramTimes afterTimes;
    Schedule applied;
    std::optional<RefusedStep> refused; ///< Then `after` is what the steps before it made.
    std::optional<bool> equal;          ///< Both were executed.
    std::string difference;             ///< The first one, where they were not equal.
};

/// In appliedschedule.cpp, as refusalError(). Takes the steps one after the other and times the program before and after. A step that is refused is no error. Errors: those of timing.
Result<Transformed> transformed(const TransformFile& file, const Schedule& schedule, const std::stop_token& stop = {});

/// Executes both programs on small sizes and sets `equal`. Errors: those of compareRuns().
Status execute(Transformed& made, const std::stop_token& stop = {});

} // namespace fabricscope::transform
