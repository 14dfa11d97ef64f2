#pragma once

#include "core/base/result.h"
#include "core/platform/platform.h"
#include "core/program/program.h"

#include <cstdint>
#include <span>

namespace fabricscope {

// What is done to an explicit program before a group runs it.

/// The program on `slices` parts of the data, one after another: every rank does its operations for the first part, then for the next, and
/// a lane goes through them in this order, so parts follow each other as in the loop of MSCCL's executor. A chunk becomes `slices` chunks;
/// part s of chunk i is chunk i * slices + s, or s * chunks + i where operations move several chunks at once (then the op is Custom unless
/// every rank holds everything). Absolute sizes are cut as chunks are, durations are not.
/// Errors: more than 2^28 operations, more than 2^30 chunks. O(operations * slices). \pre an explicit body, slices >= 1.
Result<ProgramPtr> slicedProgram(const ProgramPtr& program, std::int32_t slices);

/// The program `instances` times side by side, each on its part of every chunk (as slicedProgram() cuts them), on channels and in lanes of its own:
/// instance i has those of the program plus i times as many as it has. Errors: those of slicedProgram(); operations on several chunks in a
/// collective where ranks hold different chunks, as parts cannot be neighbours there. O(operations * instances). \pre an explicit body, instances >= 1.
Result<ProgramPtr> withInstances(const ProgramPtr& program, std::int32_t instances);

/// Receive slots per connection the executor of this wire protocol has: messages in flight (manual: formats 4.4); 0: not known.
std::int32_t slotsOf(WireProtocol protocol);

/// The same program with so many receive slots per connection; 0: unlimited.
ProgramPtr withSlots(const ProgramPtr& program, std::int32_t receiveSlots);

/// Can these members run it? Position i of the program is members[i]. Errors: routes that are not on the platform, do not lead from sender to
/// receiver, cross a link twice or a removed one; one-sided operations; operations of teams without a switch of their own that can do them; templates with phases in switches. O(operations + links of routes).
Status checkRunnable(const Program& program, const Platform& platform, std::span<const NodeId> members);

} // namespace fabricscope
