#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <utility>

namespace fabricscope::test {

/// Number of the turn in which a (chunk, phase) of a program begins when every axis does one at a time (rule in core/program/windowturns.h),
/// straight from the words: every step looks at all that is left. Empty: chunks of a window enter as they come.
std::map<std::pair<std::int32_t, std::int32_t>, int> oracleTurns(const Program& program);

} // namespace fabricscope::test
