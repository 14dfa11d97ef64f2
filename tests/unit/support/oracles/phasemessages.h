#pragma once

#include "core/program/program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// One message of a phase, written out from the tables of phaserules.h for the brute-force oracle.
struct PhaseMessage {
    std::int32_t from = 0; ///< Positions on the axis.
    std::int32_t to = 0;
    std::int32_t step = 0;
    std::int32_t slot = 0;
    std::int64_t bytes = 0; ///< May be 0: such a message does not exist.
    bool reduces = false;
    std::int32_t k = 1;
    bool needsOwn = false;
    std::vector<std::size_t> needsDone; ///< Messages of the same phase, received by `from`.
    std::vector<std::size_t> needsLeft; ///< Messages of the same phase, sent by `from`.
};

/// All messages of all positions of an axis of `n` holding `held` bytes, by the table, without sharing code with PhaseRules.
std::vector<PhaseMessage> expandPhase(const PhaseTemplate& phase, std::int32_t n, std::int64_t held);

/// Bytes the member at `coordinates` holds in phase `phase` of a chunk (H of the table).
std::int64_t expandHeld(const TemplateBody& body, std::size_t phase, std::int64_t chunk, const std::vector<std::int32_t>& coordinates);

/// floor((b+1)total/n) - floor(b total/n).
std::int64_t evenShare(std::int64_t total, std::int64_t n, std::int64_t b);

} // namespace fabricscope::test
