#pragma once

#include "core/platform/platform.h"
#include "core/synthesis/methods.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Larger programs are not simulated by default: that would take much longer than making them.
constexpr std::uint32_t kMostSimulatedOperations = 4'000'000;

/// Time of the program, run alone under `links` by `members` (rank r on members[r]; empty: by all NPUs that are left): endpoint delay 0,
/// reductions at the platform's memory bandwidth.
Result<SimTime> simulatedTime(const PlatformSpec& platform, const ProgramPtr& program, std::int64_t bytes, int threads, const std::stop_token& stop,
                              std::span<const NodeId> members = {});

/// Least time under `links` of any program that gives every member of `members` what this one does (core/bounds); never above what
/// simulatedTime() says. 0: none known. Errors: Cancelled.
Result<SimTime> leastTime(const Platform& platform, std::span<const NodeId> members, const Program& program, std::int64_t bytes, const std::stop_token& stop);

} // namespace fabricscope
