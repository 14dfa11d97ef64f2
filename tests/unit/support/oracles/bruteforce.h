#pragma once

#include "core/base/digest.h"
#include "core/record/messagerecord.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// What the oracle says about a scenario.
struct OracleResult {
    struct Task {
        std::int64_t issuePs = -1; ///< Slot tasks: when the slot took it; others: when ready. -1: never.
        std::int64_t endPs = -1;   ///< -1: never.
        friend bool operator==(const Task&, const Task&) = default;
    };
    bool complete = true;
    std::int64_t finishPs = 0;             ///< Largest end.
    std::vector<std::vector<Task>> tasks;  ///< [rank][task].
    std::vector<MessageRecord> messages;   ///< In the order they were done.
    CommutativeDigest digest;
};

/// Runs a scenario of model links or ideal straight from the rules (manual: models 1 to 4), with no thought of speed: every message is an object with
/// explicit dependencies, every instant is worked off in the order the document gives. Shares no code with the engines.
/// \pre no rendezvous. Durations of remote memory tasks: latency + ceil(bytes / rate) where the remote memory is per NPU.
OracleResult bruteForce(const Scenario& scenario);

} // namespace fabricscope::test
