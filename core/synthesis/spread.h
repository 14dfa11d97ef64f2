#pragma once

#include "core/synthesis/transferplan.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace fabricscope {

/// Time-expanded matching for any graph (after TACOS, manual: synthesis 4, with sets of bits per rank): at each moment the links that
/// may have brought something to a rank by then are matched with as many distinct chunks that it lacks as possible. Which chunk a link
/// brings is decided at its end, among those its start had when it left, so a slow link never brings what a faster way has brought before.
/// No rank gets a chunk twice. Absent: halted, longer than `cutoffPs`, or some rank cannot be reached.
/// O(transfers * (items / 64 + candidates looked at)) time, O(ranks * items) memory.
std::optional<TransferPlan> planSpread(const SpreadTask& task, std::uint64_t seed, std::uint32_t attempt, const std::atomic<std::int64_t>& cutoffPs,
                                       const Halt& halt);

} // namespace fabricscope
