#pragma once

#include "core/verify/valuerun.h"

namespace fabricscope {

/// V19: goes over the program backwards from what must hold at the end, and names local writes and transfers whose result nobody uses.
/// An operation of several chunks counts as used when one of them is. Returns those transfers (receives, puts, multicasts), ascending.
/// \pre context.hasPostcondition(). O(operations * count + cells). Throws StopRequested.
std::vector<OpIndex> findUnused(const ValueContext& context, const MemoryLayout& layout, VerifyFindings& findings);

} // namespace fabricscope
