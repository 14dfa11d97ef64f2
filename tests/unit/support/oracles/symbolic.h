#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <string>

namespace fabricscope::test {

/// Runs an explicit program on multisets of contributions, one operation at a time, and says what is wrong in the end; empty: nothing.
/// Operations that are ready run in an order drawn from `seed`, so that a missing dependency shows for some seed. Shares no code with the verifier.
/// \pre inPlace: input and output are one memory (conditions.h). Slots are unlimited.
std::string runSymbolically(const Program& program, bool inPlace, std::uint64_t seed);

} // namespace fabricscope::test
