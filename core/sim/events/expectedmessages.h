#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <stop_token>

namespace fabricscope::events {

/// Pieces all members of one instance of a program inject, as a measure of work. Exact where the members of a phase send alike, else
/// an estimate from position 0. O(phases * messages of one member), explicit bodies O(operations). Told to stop: not to be used.
std::int64_t expectedPieces(const Program& program, std::int64_t bytes, std::int64_t pieceBytes, const std::stop_token& stop = {});

/// The sum over all collectives of a scenario, of which each rank that has tasks stands for `copies`, and over the messages of its tasks; 0 when stopped.
/// `wholeMessages`: nothing is cut in pieces.
std::int64_t expectedPieces(const Scenario& scenario, bool wholeMessages, std::int32_t copies, const std::stop_token& stop);

} // namespace fabricscope::events
