#pragma once

#include "core/report/runsummary.h"

namespace fabricscope::test {

/// A finished run of two classes of ranks on one dimension, with figures that are easy to check by eye:
/// finish 41179.698 ns on ranks 0-3 and 6, 40000 ns on ranks 4-5; Ring(7) 14 links, each busy a quarter of the run.
RunSummary smallRun();

/// A run in which ranks 0 and 1 wait for each other.
RunSummary stuckRun();

} // namespace fabricscope::test
