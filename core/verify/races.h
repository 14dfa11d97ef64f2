#pragma once

#include "core/verify/happensbefore.h"
#include "core/verify/valuerun.h"

namespace fabricscope {

/// V15: any two accesses to one chunk of memory, at least one of which writes, must be ordered. Goes through the accesses in the order of the
/// schedule and compares each with the last write before it, a write also with the reads since: if all those are ordered, so are all pairs.
/// Also V19: scratch that nothing touches. 8 bytes per cell, 8 per read beyond the first since a write. Throws StopRequested.
void checkRaces(const ValueContext& context, const MemoryLayout& layout, HappensBefore& order, bool hints, VerifyFindings& findings,
                const ProgressShare& progress);

} // namespace fabricscope
