#pragma once

#include "core/scenario/scenario.h"
#include "tests/unit/support/cases/linkscase.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace fabricscope::test {

/// What one axis of a program runs.
struct AxisRule {
    Algorithm algorithm = Algorithm::Ring;
    std::int32_t window = 0; ///< Direct.
    bool minus = false;      ///< Ring.
};

/// A program of phases over axes of which each has its own rule: all-reduce RS up and AG down, with a double binary tree only on the last
/// axis; all-gather down; the others up.
ProgramPtr mixedProgram(CollectiveOp op, const std::vector<std::int32_t>& axes, const std::vector<AxisRule>& rules, std::int32_t chunks = 1,
                        std::int32_t window = 0);

/// A scenario of model links or ideal with one to three collectives of random operations, algorithms, groups and sizes, beside
/// computations and point-to-point messages, on a random fabric of up to 24 NPUs. The same seed gives the same.
std::shared_ptr<const Scenario> randomStepScenario(std::uint64_t seed);

/// An all-reduce on a ring as a custom algorithm says it: in every step each rank sends chunk r - t - 1 (mod n) on, and receives another.
/// Without `named` the messages have `bytes` absolute bytes instead of a chunk.
ProgramPtr customRing(std::int32_t ranks, bool named, std::int64_t bytes = 0);

/// One message from position 0 to position 1 of two, reduced there or not.
ProgramPtr oneMessage(std::int64_t bytes, bool reduces);

} // namespace fabricscope::test
