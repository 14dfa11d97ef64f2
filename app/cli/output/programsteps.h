#pragma once

#include "core/step/programreplay.h"

#include <string>

namespace fabricscope::cli {

/// A program step by step: transfers with what they carry, the state after step `at` (from 1; 0: at the start; -1: not wanted), and who waits
/// for what where it cannot finish. Of long steps the first transfers.
std::string programStepsText(const ProgramReplayPtr& replay, std::int32_t at);
/// The same with every transfer and exact multisets.
std::string programStepsJson(const ProgramReplayPtr& replay, std::int32_t at);

} // namespace fabricscope::cli
