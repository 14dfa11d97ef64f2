#pragma once

#include "core/program/program.h"
#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <string>

namespace fabricscope::test {

/// Runs an explicit program with places on multisets of contributions, ready operations in a random order of their own: an oracle that shares
/// nothing with the verifier. `inPlace`: input and output are one memory. Returns what is wrong first; empty: the postcondition holds.
std::string runProgram(const Program& program, bool inPlace, std::uint32_t seed);

/// Checks the planned starts against the graph: every send is on a link of its ranks (parallel links by connection), no two overlap on one,
/// nothing leaves before it has arrived, and the last arrival is `plannedPs`. `bytes`: the large side. Empty: all is well.
std::string checkSchedule(const Program& program, const SynthesisGraph& graph, std::int64_t bytes, std::int64_t plannedPs);

} // namespace fabricscope::test
