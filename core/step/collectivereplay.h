#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/simulate.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What one chunk of a collective is cut into for showing who holds what: parts 0..parts()-1. In an all-reduce over n ranks a chunk has n
/// parts, part p being the one that the rank at position p owns after the reduce-scatter. See CollectiveReplay::parts().
using PartIndex = std::int32_t;

/// One message of a collective as it happened in a run. Positions are places in the group, 0..size-1.
struct ReplayMove {
    std::int32_t source = 0;       ///< Position.
    std::int32_t target = 0;       ///< Position.
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t step = 0;
    std::int32_t slot = 0;
    std::int64_t bytes = 0;
    std::int64_t readyPs = 0;      ///< It could leave: data there, connection free, endpoint overhead paid.
    std::int64_t leftPs = 0;       ///< The last byte left the link of its source.
    std::int64_t donePs = 0;       ///< Delivered and, where it reduces, reduced.
    std::uint32_t firstPart = 0;   ///< Into CollectiveReplay::partsOf: parts it carries.
    std::uint32_t partCount = 0;
    bool reduces = false;          ///< The target adds it to what it holds; else it replaces.
};

/// One step of one chunk: the moves with the same phase and step number.
struct ReplayStep {
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t step = 0;         ///< Inside the phase.
    PhaseKind kind = PhaseKind::AllReduce; ///< Of the phase; ReduceScatter or AllGather colour it.
    std::int32_t dimension = -1;   ///< Platform dimension its moves run in; -1: several, or an explicit graph.
    std::uint32_t firstMove = 0;   ///< Moves of the step are moves()[firstMove, firstMove + moveCount).
    std::uint32_t moveCount = 0;
    std::int64_t bytesEach = 0;    ///< Of the largest move.
    std::int64_t beginPs = 0;      ///< Earliest readyPs.
    std::int64_t endPs = 0;        ///< Latest donePs.
};

/// What the time of one move consists of; the parts add up to the duration exactly, all >= 0. In ps.
struct MoveWhy {
    std::int64_t waiting = 0;       ///< For links, ports and the reducer busy with other messages.
    std::int64_t serialisation = 0; ///< Bytes over the slowest link of the route, on an idle path.
    std::int64_t latency = 0;       ///< Sum over the hops.
    std::int64_t reduction = 0;     ///< What reduction adds behind the arrival, on an idle path.
    std::int64_t duration() const { return waiting + serialisation + latency + reduction; }
    std::int32_t hops = 0;
    std::int64_t slowestRate = 0;   ///< bytes/s of the slowest link of the route.
    std::vector<LinkId> route;
    /// Move that held the source's link for the longest part of the wait; -1: none.
    std::int64_t waitedFor = -1;
};

/// What a rank holds of a part.
struct PartState {
    std::int32_t contributions = 0; ///< How many ranks' data are summed in it; all-gather, all-to-all: 1 when it is there. 0: nothing.
    bool passedOn = false;          ///< It held something that it has sent away for good (a reduce-scatter's other parts).
    friend bool operator==(const PartState&, const PartState&) = default;
};

/// A collective of a run, move by move. Made by running the scenario again and keeping the messages of one instance: the same run to the
/// picosecond. Immutable, shared.
class CollectiveReplay {
public:
    /// `instance`: index into Structure::instances. O(run); memory about 64 bytes per move of the instance.
    /// Errors: Cancelled, Unsupported (a replayed duration without messages, more than kMaxMoves moves), those of simulate().
    static Result<std::shared_ptr<const CollectiveReplay>> create(ScenarioPtr scenario, std::int32_t instance, std::int64_t memoryLimit = 0,
                                                                  std::stop_token stop = {});
    static constexpr std::size_t kMaxMoves = 4'000'000;

    const Scenario& scenario() const { return *m_scenario; }
    std::int32_t instance() const { return m_instance; }
    CollectiveOp op() const;
    std::int64_t bytes() const;          ///< Large side.
    std::int32_t size() const;           ///< Members of the group.
    std::int32_t rankAt(std::int32_t position) const;
    NodeId nodeAt(std::int32_t position) const;
    std::int32_t chunks() const;
    std::int32_t parts() const;          ///< Of a chunk.
    std::int32_t complete() const;       ///< Contributions of a complete part: the group's size when it reduces, else 1.
    /// Position that owns the part after the reducing half (all-reduce, reduce-scatter) or that held it at the start (all-gather); -1: nobody special.
    std::int32_t ownerOf(PartIndex part) const;
    std::int64_t beginPs() const;        ///< First readyPs of any move.
    std::int64_t endPs() const;          ///< Last donePs.
    std::string algorithmText() const;   ///< "ring on D1, direct on D2".

    /// All moves by (chunk, phase, step, readyPs, source, slot).
    std::span<const ReplayMove> moves() const { return m_moves; }
    std::span<const PartIndex> partsOf(const ReplayMove& move) const;
    /// Steps of a chunk in order.
    std::span<const ReplayStep> steps(std::int32_t chunk) const;
    /// Moves of a chunk by (donePs, readyPs, source, slot): the order in which a cursor goes over them.
    std::span<const std::uint32_t> completionOrder(std::int32_t chunk) const;

    /// What every rank holds of a chunk before its first move: row-major, position * parts() + part.
    std::vector<PartState> initialState(std::int32_t chunk) const;
    /// Takes its time apart, against the same message on an idle path. O(route + moves of the source).
    MoveWhy why(std::uint32_t move) const;

private:
    ScenarioPtr m_scenario;
    std::int32_t m_instance = 0;
    std::vector<ReplayMove> m_moves;
};

using CollectiveReplayPtr = std::shared_ptr<const CollectiveReplay>;

/// Where one chunk is at one time; goes forward and back in O(changes).
class ReplayCursor {
public:
    ReplayCursor(CollectiveReplayPtr replay, std::int32_t chunk);

    std::int32_t chunk() const { return m_chunk; }
    std::int64_t timePs() const { return m_time; }
    /// Moves to a time: every move with donePs <= time has arrived. O(moves in between).
    void setTime(std::int64_t ps);
    const PartState& part(std::int32_t position, PartIndex part) const;
    /// The whole state, row-major.
    std::span<const PartState> state() const { return m_state; }
    /// Moves under way: readyPs <= time < donePs. O(moves of the chunk in time order near it).
    std::vector<std::uint32_t> underWay() const;
    /// Step that is shown at this time: the last whose beginPs <= time. -1: before the first.
    std::int32_t currentStep() const;

private:
    CollectiveReplayPtr m_replay;
    std::int32_t m_chunk = 0;
    std::int64_t m_time = 0;
    std::vector<PartState> m_state;
};

} // namespace fabricscope
