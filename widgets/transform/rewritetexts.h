#pragma once

#include "core/transform/stepsearch.h"
#include "core/transform/timedschedule.h"
#include "widgets/base/tablecontent.h"
#include "widgets/transform/rewriterows.h"

#include <memory>
#include <vector>

/// What the views of a program say: rows of lists and tables, made of values of core.
namespace fabricscope::rewritten {

/// Stages in their order, those of a kernel or a chain in brackets. A kernel's time stands at its first stage; in an overlap it is what the kernel takes beyond those
/// before it, so that the column adds up to the time of the program.
std::vector<RewriteRow> stageRows(const transform::TensorProgram& program, const transform::ProgramTimes& times);
/// Name of the stage in a row of stageRows().
std::vector<std::string> stageNames(const transform::TensorProgram& program, const transform::ProgramTimes& times);

/// Steps that were taken, with what each brings.
std::vector<RewriteRow> appliedRows(const transform::TracedSchedule& traced);

/// Steps that could be taken and those that are refused, at a stage or at all; `numbers`: which offers they are. `now`: time of the program.
std::vector<RewriteRow> offerRows(const std::vector<transform::StepOffer>& offers, SimTime now, const std::string& stage, std::vector<std::size_t>& numbers);

/// Declared tensors with layouts and bytes per rank before and after, and what storing slices saved.
std::shared_ptr<StoredTable> tensorTable(const transform::TensorProgram& before, const transform::TensorProgram& after);

/// "split the all-reduce s", and what the step does in a sentence.
QString stepTitle(const transform::ScheduleStep& step);
QString stepIcon(transform::StepKind kind);
/// Below 0 shorter, above 0 longer; less than a nanosecond is rounding and no change.
int signOfChange(SimTime change);
/// "▼ 1.510 ms"; no change: "0".
QString changeText(SimTime change);

} // namespace fabricscope::rewritten
