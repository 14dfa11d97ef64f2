#pragma once

#include "core/step/collectivereplay.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// How far a move is at one time.
struct MoveProgress {
    enum class State { NotReady, Waiting, Sending, Arriving, Done };
    State state = State::NotReady;
    double sent = 0;  ///< Share of its bytes that have left the source, 0..1.
    double along = 0; ///< Place of its middle between source and target, 0..1, linear in time.
};

/// What views ask about the moves of a replay again and again: their links, when they began to leave, who sends what. Fills itself as asked;
/// for one thread.
class StepRoutes {
public:
    explicit StepRoutes(CollectiveReplayPtr replay);

    /// Links a move crosses, in order. Moves of a phase between the same two places share one.
    const std::vector<LinkId>& route(std::uint32_t move);
    /// Links of all moves of a step, ascending, each once. O(moves of the step).
    std::vector<LinkId> linksOf(const ReplayStep& step);
    /// When its first byte went on the link of its source: its time on that link before the last byte left. Not before readyPs.
    std::int64_t sendBegin(std::uint32_t move);
    MoveProgress progress(std::uint32_t move, std::int64_t ps);
    /// Moves that leave a position, of all chunks, in the order of moves().
    std::span<const std::uint32_t> movesFrom(std::int32_t position);
    /// Moves of a chunk that arrive at a position, in the order of moves(). O(moves of the chunk).
    std::vector<std::uint32_t> movesTo(std::int32_t position, std::int32_t chunk) const;

private:
    CollectiveReplayPtr m_replay;
    std::unordered_map<std::uint64_t, std::vector<LinkId>> m_routes;
    std::vector<std::uint32_t> m_fromBegin; ///< Empty until asked for.
    std::vector<std::uint32_t> m_from;
};

} // namespace fabricscope
