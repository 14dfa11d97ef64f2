#pragma once

#include "core/design/design.h"
#include "core/design/schedulingconfig.h"
#include "core/scenario/scenario.h"

#include <memory>

namespace fabricscope {

/// What the engine follows of section `scheduling`; orders between dimensions are part of the programs (chunkorders.h). Additions to
/// physical/1, none of which counts unless the design asks for it:
///
/// * units.compute = k: an NPU runs up to k computations at once. Units share nothing: each runs at the full rate of the NPU.
/// * units.communication = m: an NPU has at most m collectives and sends at once, from their issue (a collective that waits for its turn in
///   its group holds its unit, too) to their end. Receives need no unit: they only wait. Ready tasks wait for a unit as for a slot.
/// * streams = s: a rank may be in s collectives of one group at once: it enters the next of the run order when it has entered all before and
///   fewer than s of them are unfinished on it. They stay one stream at the links.
/// * order of the ready tasks of a slot: standard: lowest id; fifo: the instant of readiness, then id; lifo: the latest instant first, then
///   lowest id; explicit: higher priority first, then lowest id. A task that has begun goes on to its end.
/// * order of the collectives of a group: standard, fifo: issue order. With lifo and explicit, a collective that all members have issued moves
///   forward in the run order, past those that no member has entered: lifo past all of them, explicit past those of lower priority.
///   Those that become complete in one instant do so in descending order of their sequence numbers. (One that somebody has not issued stays
///   where it is: moving it could make ranks wait for each other.)
/// * explicit, at the links: (1) the own link picks from the streams whose first message has the highest priority, in their round-robin order;
///   (2) in the tie rule higher priority is first. Priorities are comm_priority of a trace and `priority` of steps; a send has that of its task.
///   Otherwise comm_priority is only the first field of the tie rule, lower first (manual: models 3.6).
/// * inside = smallest_first: a stream sends its message of fewest bytes first, of equal ones the one that was ready first. A message whose
///   first piece has been picked goes on to its end.
struct TaskScheduling {
    InsideScheduler inside = InsideScheduler::Fifo;
    TaskOrder order = TaskOrder::Standard;
    std::int32_t computeUnits = 1;
    std::int32_t communicationUnits = 0; ///< 0: any number.
    std::int32_t streams = 1;
};

/// Absent when the design says nothing of it. Adds what it used to `params.list`; \pre the rest of `params` is complete.
std::shared_ptr<const TaskScheduling> makeTaskScheduling(const Design& design, const Structure& structure, Params& params, Diagnostics& diagnostics);

/// Section `scheduling`, or its defaults.
SchedulingConfig schedulingOf(const Design& design);

} // namespace fabricscope
