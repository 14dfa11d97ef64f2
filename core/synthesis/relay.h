#pragma once

#include "core/synthesis/transferplan.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace fabricscope {

/// All-to-all: every item takes a way of its own, balanced over the links by rerouting rank by rank at prices that grow with use; then
/// every free link takes the waiting item that has farthest to go. Absent: halted, or longer than `cutoffPs`.
/// O(rounds * ranks * links log ranks + transfers log transfers).
std::optional<TransferPlan> planAllToAll(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed,
                                         const std::atomic<std::int64_t>& cutoffPs, const Halt& halt);

} // namespace fabricscope
