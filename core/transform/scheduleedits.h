#pragma once

#include "core/base/result.h"
#include "core/transform/transformed.h"

#include <string>
#include <variant>
#include <vector>

/// Schedules as somebody edits them by hand: a step taken, taken away or moved, and written back to where it came from.
namespace fabricscope::transform {

/// The schedule after an edit, or the first of its steps that is not legal.
using EditedSchedule = std::variant<Schedule, RefusedStep>;

/// A step more, behind the others. O(steps * stages^2), as the others.
EditedSchedule withStep(const TensorProgram& program, const Schedule& schedule, const ScheduleStep& step);

/// Without a step and without those behind it that are not legal any more, as they depend on it. \pre step < schedule.size()
Schedule withoutStep(const TensorProgram& program, const Schedule& schedule, std::size_t step);

/// Step `from` at the place `to` of the others. Refused where a step is not legal then. \pre both < schedule.size()
EditedSchedule withMovedStep(const TensorProgram& program, const Schedule& schedule, std::size_t from, std::size_t to);

/// The text of a file of `transform` with this schedule in place of its own; everything else stays as it is. In a list of a line per step the lines of steps that stay move with
/// their comments; the comment behind a step that goes, goes with it. Errors: those of YamlDocument. O(bytes), times the steps that change where the list is in []. In schedulelines.cpp.
Result<std::string> withScheduleText(const std::string& text, const std::string& file, const Schedule& schedule);

/// As a schedule file, that `--apply` and parseSchedule() read: a line per step.
std::string scheduleText(const Schedule& schedule);

} // namespace fabricscope::transform
