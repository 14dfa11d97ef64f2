#pragma once

#include "core/program/program.h"

namespace fabricscope::test {

/// The ring all-reduce as a graph per rank, as ASTRA-sim's example gives it: one chain per rank of send, receive, compute
/// (reduce-scatter, `ranks`-1 times) and send, receive (all-gather). Every message has tag 0.
ProgramPtr chainedRing(std::int32_t ranks, std::int64_t messageBytes, std::int64_t computeMicros);

} // namespace fabricscope::test
