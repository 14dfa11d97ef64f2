#pragma once

#include "core/base/result.h"
#include "core/record/messagerecord.h"
#include "core/scenario/scenario.h"
#include "core/step/replaymove.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Messages the collective sends over all its ranks, those of zero bytes left out; counting ends when there are more than `most`.
/// \pre it has a program. O(messages).
std::int64_t messagesOf(const CollectiveInstance& instance, std::int64_t most, const std::stop_token& stop);

/// Messages of a run.
struct RecordedMoves {
    std::vector<ReplayMove> moves;
    std::vector<std::vector<TakenWay>> ways; ///< Those that are not Platform::route(), by ReplayMove::ways.
};

/// Runs the scenario until the last message of the instance has been delivered and keeps its messages between positions of the group, in the order of
/// delivery; what they carry is left open.
/// A run that gets stuck gives those there were. Errors: Cancelled, Unsupported, MemoryLimit and those of simulate().
/// \pre the instance has a program and is not replayed, and the model is links or ideal. O(run up to there).
Result<RecordedMoves> recordMoves(const Scenario& scenario, std::int32_t instance, std::int64_t messages, std::int64_t memoryLimit,
                                  const std::stop_token& stop);

} // namespace fabricscope
