#pragma once

#include "core/record/runrecord.h"

#include <string>

namespace fabricscope::test {

/// The first field in which two records differ, in words; empty: all the same. `events` and `engines` are not compared.
std::string difference(const RunRecord& a, const RunRecord& b);

} // namespace fabricscope::test
