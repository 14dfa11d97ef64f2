#pragma once

#include "core/base/index.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/simulate.h"
#include "core/step/partmap.h"
#include "core/step/programreplay.h"
#include "core/step/replaymove.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

// A chunk of a collective is cut into parts for showing who holds what: parts 0..parts()-1 (PartIndex, partmap.h). In an all-reduce over n
// ranks a chunk has n parts, part p being the one that the rank at position p owns after the reduce-scatter. See CollectiveReplay::parts().

/// A collective of a run, move by move. Made by running the scenario again and keeping the messages of one instance: the same run to the
/// picosecond. Immutable, shared.
class CollectiveReplay {
public:
    /// `instance`: index into Structure::instances. O(run); memory about 72 bytes per move of the instance.
    /// The run ends with the last message of the instance. Moves that did not go the way of Platform::route() say which, ways of their own one time each.
    /// Errors: Cancelled, MemoryLimit, Unsupported (a collective without messages, more than kMaxMoves moves, and the astra-* models,
    /// which report no messages: "Stepping shows the models links and ideal; run this design under links"), those of simulate().
    static Result<std::shared_ptr<const CollectiveReplay>> create(ScenarioPtr scenario, std::int32_t instance, std::int64_t memoryLimit = 0,
                                                                  std::stop_token stop = {});
    /// 64 million moves take about 12 GB; the memory limit is looked at before.
    static constexpr std::size_t kMaxMoves = std::size_t{1} << 26;

    const Scenario& scenario() const { return *m_scenario; }
    std::int32_t instance() const { return m_instance; }
    CollectiveOp op() const;
    std::int64_t bytes() const;          ///< Large side.
    std::int32_t size() const;           ///< Members of the group.
    std::int32_t rankAt(std::int32_t position) const;
    NodeId nodeAt(std::int32_t position) const;
    std::int32_t chunks() const;
    std::int32_t positionOf(std::int32_t rank) const; ///< -1: not a member. O(log size).
    /// Of a chunk, see PartMap. 0: who holds what cannot be shown (partsNote() says why): no move carries parts and states are empty.
    std::int32_t parts() const;
    const std::string& partsNote() const;
    std::int32_t complete() const;       ///< Contributions of a complete part: the group's size when it reduces, else 1.
    /// Position that owns the part after the reducing half (all-reduce, reduce-scatter), that held it at the start (all-gather) or that
    /// gets it (all-to-all); -1: nobody special.
    std::int32_t ownerOf(PartIndex part) const;
    std::int64_t partBytes(std::int32_t chunk, PartIndex part) const; ///< A part of 0 bytes is complete everywhere from the start.
    std::string partName(PartIndex part) const; ///< "3"; in an all-to-all "0>3": what position 0 has for position 3.
    std::int64_t chunkBytes(std::int32_t chunk) const;
    std::int64_t beginPs() const;        ///< First readyPs of any move.
    std::int64_t endPs() const;          ///< Last donePs.
    std::string algorithmText() const;   ///< "ring on D0, direct on D1".

    /// All moves by (chunk, phase, step, readyPs, source, slot).
    std::span<const ReplayMove> moves() const { return m_moves; }
    /// In no particular order; shared by all moves that carry the same.
    std::span<const PartIndex> partsOf(const ReplayMove& move) const;
    /// \pre the effect is Joins. Contributions the target then holds of the `index`-th part of partsOf().
    std::int32_t heldAfter(const ReplayMove& move, std::size_t index) const;
    /// "D1", or "unit" of a level; empty: neither. Of a step of this replay.
    std::string lineName(const ReplayStep& step) const;
    /// The ways of its bytes; none: all took that of Platform::route(). Shared by all moves that went the same.
    std::span<const TakenWay> waysOf(const ReplayMove& move) const;
    /// Steps of a chunk in order.
    std::span<const ReplayStep> steps(std::int32_t chunk) const;
    /// Moves of a chunk by (donePs, readyPs, source, slot): the order in which a cursor goes over them.
    std::span<const std::uint32_t> completionOrder(std::int32_t chunk) const;

    /// Of an explicit program with places: the program operation by operation, at the times of this run. Parts are then the columns of its
    /// places and states follow every copy and reduction, not only messages. Else null.
    const ProgramReplayPtr& program() const { return m_program; }
    /// \pre program(). The send of a move.
    std::uint32_t operationOf(std::uint32_t move) const { return m_operations[move]; }

    /// What every rank holds of a chunk before its first move: row-major, position * parts() + part.
    std::vector<PartState> initialState(std::int32_t chunk) const;
    /// The longest donePs - readyPs of a chunk's moves.
    std::int64_t longestMovePs(std::int32_t chunk) const { return m_longest[at(chunk)]; }
    /// Bytes it takes, about; without the scenario.
    std::int64_t memory() const;
    /// Takes its time apart, against the same message on an idle path (idlepath.h).
    /// O(route * pieces of the message + log moves of the source + those that overlap with its wait). In movewhy.cpp.
    MoveWhy why(std::uint32_t move) const;

private:
    CollectiveReplay() = default;
    const CollectiveInstance& definition() const;
    const GroupLayout& layout() const;
    // Told to stop, all these throw StopRequested (stop.h) or say Cancelled. Most are in replaybuild.cpp.
    static Result<std::shared_ptr<const CollectiveReplay>> createOrStop(ScenarioPtr scenario, std::int32_t instance, std::int64_t memoryLimit,
                                                                        const std::stop_token& stop);
    Status sortMoves(const std::stop_token& stop);
    Status orderCompletions(const std::stop_token& stop);
    void addSteps(const std::stop_token& stop);
    Status addTemplateParts(const std::stop_token& stop);
    Status assignOperations(const std::stop_token& stop);
    void addExplicitParts(const std::stop_token& stop);
    Status addPlaces(const std::stop_token& stop);
    void findDimensions();
    std::int32_t dimensionOf(std::span<const ReplayMove> moves) const;
    std::int64_t bytesOver(const ReplayMove& move, LinkId link) const;
    std::int64_t heldByOthers(const ReplayMove& move, LinkId link, std::int64_t until) const;

    ScenarioPtr m_scenario;
    std::int32_t m_instance = 0;
    std::vector<ReplayMove> m_moves;
    std::vector<std::vector<TakenWay>> m_ways;   // By ReplayMove::ways.
    std::vector<std::size_t> m_moveBegin;        // By chunk, chunks() + 1 entries.
    std::vector<ReplayStep> m_steps;
    std::vector<std::size_t> m_stepBegin;        // By chunk.
    std::vector<std::uint32_t> m_completion;     // Chunk after chunk, as m_moves.
    std::vector<std::uint32_t> m_bySource;       // Moves of a source after another, by leftPs.
    std::vector<std::size_t> m_sourceBegin;
    std::vector<std::int64_t> m_longest;
    std::vector<std::int32_t> m_dimensionOfAxis; // -1: several.
    std::vector<std::pair<std::int32_t, std::int32_t>> m_byRank; // (rank, position), ascending.
    std::int64_t m_begin = 0;
    std::int64_t m_end = 0;
    std::shared_ptr<const PartMap> m_parts;
    ProgramReplayPtr m_program;
    std::vector<std::uint32_t> m_operations;     // By move; with m_program only.
};

using CollectiveReplayPtr = std::shared_ptr<const CollectiveReplay>;

/// Where one chunk is at one time; goes forward and back in O(changes), and back means exactly the state that was there.
/// Memory 8 bytes per cell (parts * members) and 16 per move gone over; with CollectiveReplay::program() that of a ProgramCursor besides. In replaycursor.cpp.
class ReplayCursor {
public:
    /// Stands one picosecond before the collective begins.
    ReplayCursor(CollectiveReplayPtr replay, std::int32_t chunk);

    std::int32_t chunk() const { return m_chunk; }
    std::int64_t timePs() const { return m_time; }
    /// Moves to a time: every move with donePs <= time has arrived. O(parts of the moves in between).
    void setTime(std::int64_t ps);
    /// Moves that have arrived: the first of completionOrder().
    std::size_t arrived() const { return m_undo.size(); }
    /// \pre parts() > 0.
    const PartState& part(std::int32_t position, PartIndex part) const;
    /// The whole state, row-major. Empty when parts() is 0.
    std::span<const PartState> state() const { return m_state; }
    /// Moves under way: readyPs <= time < donePs, in completion order. O(moves that end within the longest duration from now).
    std::vector<std::uint32_t> underWay() const;
    /// Step that is shown at this time: the last whose beginPs <= time. -1: before the first. O(steps).
    std::int32_t currentStep() const;
    /// Null without CollectiveReplay::program().
    const ProgramCursor* program() const { return m_program ? &*m_program : nullptr; }

private:
    /// What a move found at both ends. Where it was not the same for all its parts, source.contributions is kSpilled and m_spill has an
    /// entry per part.
    struct Undo {
        PartState source;
        PartState target;
    };
    static constexpr std::int32_t kSpilled = -1;

    PartState& cell(std::int32_t position, PartIndex part)
    {
        return m_state[static_cast<std::size_t>(position) * static_cast<std::size_t>(m_partCount) + static_cast<std::size_t>(part)];
    }
    void followProgram();
    bool skips(PartIndex part) const { return !m_empty.empty() && m_empty[at(part)]; }
    void apply(const ReplayMove& move);
    void takeBack(const ReplayMove& move);

    CollectiveReplayPtr m_replay;
    std::int32_t m_chunk = 0;
    std::int32_t m_partCount = 0;
    std::int64_t m_time = 0;
    std::vector<PartState> m_state;
    std::vector<bool> m_empty; // Parts without bytes; no entries: there are none.
    std::vector<Undo> m_undo;  // One per move gone over.
    std::vector<Undo> m_spill;
    std::optional<ProgramCursor> m_program;
    std::vector<PlaceIndex> m_changed;
};

} // namespace fabricscope
