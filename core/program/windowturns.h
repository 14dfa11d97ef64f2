#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// A chunk about to enter one of its phases.
struct WindowTurn {
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    friend bool operator==(const WindowTurn&, const WindowTurn&) = default;
};

/// Where Program::window counts a phase: twice its axis, and 1 more when it spreads (all-gather, broadcast).
constexpr std::int32_t windowPlace(const PhaseTemplate& phase)
{
    return 2 * phase.axis + (phase.kind == PhaseKind::AllGather || phase.kind == PhaseKind::Broadcast ? 1 : 0);
}

/// In which order chunks that have sizes of their own, or go through the axes in orders of their own, enter the places of a window; the
/// same on every rank.
///
/// Why there is one: where every rank let in what comes first there, one rank could give its last place to one chunk and its peer to another,
/// and both would wait for ever. The order is that in which phases begin when every axis does one at a time, the one that has waited longest
/// first (ties: lower chunk), and all axes have as much to do, which is what such chunks are made for: of S = 2^40 bytes the phase of
/// a chunk takes 1 + floor(2^20 w / W), where w is floor(H (n - 1) / n) of position 0 (phaserules.h) and W the sum of w over the axis.
/// Nobody waits for ever: phases begin later than those before them, both of their chunk and of their place, so of all phases that are not
/// complete everywhere the earliest is let in on every rank and has nothing to wait for.
///
/// By windowPlace(); empty: chunks enter as they come, where they are all alike or all fit in the window. O(chunks * phases * (axes + log chunks)).
/// \pre a template
std::vector<std::vector<WindowTurn>> windowTurns(const Program& program);

} // namespace fabricscope
