#pragma once

#include "core/base/result.h"
#include "core/program/program.h"
#include "core/step/chunkvalues.h"
#include "core/step/programorder.h"
#include "core/step/programplaces.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// When a send of a run read its data, and when the message was there. Both 0: it took no time, as one without bytes.
struct SendTimes {
    static constexpr std::int64_t kNever = INT64_MAX;
    std::int64_t sentPs = 0;
    std::int64_t donePs = 0; ///< kNever: the run ended before.
};

struct ProgramReplayOptions {
    std::int32_t receiveSlots = -1;             ///< Receive slots per connection; 0: unlimited, -1: what the program says.
    std::span<const SendTimes> times;      ///< By operation, of a run; empty: logically, step by step.
    std::int64_t memoryLimit = 0;          ///< Bytes; 0: none.
    std::stop_token stop{};
};

/// An explicit program gone through operation by operation: who holds what after each, what is under way, who waits for what. Logically,
/// without any run and platform, in steps that count messages (ProgramOrder), or in the order and at the times of a run.
/// An operation takes effect in one moment: a send reads when it begins, a receive, copy or reduction writes when it ends.
/// Immutable, shared; states are looked at through ProgramCursor. Where the program has no places, only the order is known.
class ProgramReplay {
public:
    /// O(operations * count). Memory about 90 bytes per transfer of one chunk, 4 per place and 24 per sum that is formed.
    /// Errors: Unsupported (no explicit program; too many places or operations, see kMostOperations), MemoryLimit, Cancelled.
    static Result<std::shared_ptr<const ProgramReplay>> create(ProgramPtr program, const ProgramReplayOptions& options = {});
    /// A program of more operations, or chunks handled by them, is refused: 32-bit numbers, with room for every place.
    static constexpr std::int64_t kMostOperations = std::int64_t{1} << 31;

    const Program& program() const { return *m_program; }
    const ProgramPtr& shared() const { return m_program; }
    const ExplicitBody& body() const { return m_program->asExplicit(); }
    const ProgramOrder& order() const { return m_order; }
    bool hasPlaces() const { return m_places.has_value(); }
    /// \pre hasPlaces().
    const ProgramPlaces& places() const { return *m_places; }
    const ChunkValues& values() const { return m_values; }

    /// Operations in the order in which they take effect; fewer than the program has where it cannot finish, or the run did not.
    std::span<const std::uint32_t> sequence() const { return m_sequence; }
    bool finishes() const { return m_sequence.size() == body().size(); }
    /// Position in sequence(); kNoOperation: never done.
    std::uint32_t positionOf(std::uint32_t operation) const { return m_position[operation]; }
    /// When an operation takes effect: ps of the run, or logically its level. SendTimes::kNever: never.
    std::int64_t when(std::uint32_t operation) const;
    /// Operations that have taken effect at a time. O(log operations).
    std::size_t positionAt(std::int64_t time) const;

    /// Steps of the program: messages on the longest chain, and one more where local operations follow the last.
    std::int32_t steps() const { return static_cast<std::int32_t>(m_transferBegin.size()) - 1; }
    std::int32_t stepOf(std::uint32_t operation) const { return m_order.levelOf(operation) / 2; }
    /// \pre not timed. Operations that have taken effect when a step is over; -1: 0.
    std::size_t endOf(std::int32_t step) const { return positionAt(std::int64_t{2} * step + 1); }
    /// Sends, puts and switch operations of a step, in the order of the columns.
    std::span<const std::uint32_t> transfersOf(std::int32_t step) const;
    std::size_t transfers() const { return m_transfers.size(); }

    /// Values an operation makes, one per chunk (a multicast: for every rank of its team): what a send sends, a receive or copy writes.
    /// Empty where the program has no places. O(count).
    std::vector<ValueIndex> valuesOf(std::uint32_t operation) const;
    /// Places it writes, as valuesOf(); kNoPlace: nowhere.
    std::vector<PlaceIndex> placesOf(std::uint32_t operation) const;
    ValueIndex initial(PlaceIndex place) const { return m_writes[place].value; }
    /// Is a value what the collective asks for at this place? False where it asks for nothing. O(log of the conditions).
    bool isAsked(PlaceIndex place, ValueIndex value) const;

private:
    friend class ProgramCursor;
    /// A value that comes to a place. The first count() of them are the initial ones, in the order of places.
    struct Write {
        ValueIndex value = ChunkValues::kUndefined;
        PlaceIndex place = kNoPlace;   ///< kNoPlace: only made, as by a send.
        std::uint32_t before = 0;      ///< Write that this one replaces.
    };

    ProgramReplay() = default;
    Status sequenceByLevel(const std::stop_token& stop);
    Status sequenceByTime(std::span<const SendTimes> times, const std::stop_token& stop);
    void listTransfers();
    Status countWrites();
    void putIn();
    Status follow(const std::stop_token& stop);
    void markComplete();
    std::uint64_t sumOfAll(std::int32_t index) const;

    ProgramPtr m_program;
    ProgramOrder m_order;
    std::optional<ProgramPlaces> m_places;
    ChunkValues m_values;
    bool m_timed = false;
    std::vector<std::uint64_t> m_sums;          // Reducing collectives: fingerprint of the sum over all ranks, by index.
    std::vector<std::uint32_t> m_sequence;
    std::vector<std::uint32_t> m_position;
    std::vector<std::int64_t> m_when;           // Timed only, by operation.
    std::vector<std::uint32_t> m_transferBegin; // By step.
    std::vector<std::uint32_t> m_transfers;
    std::vector<Write> m_writes;
    std::vector<std::uint32_t> m_writeBegin;    // By position in the sequence; the first is places().count().
};

using ProgramReplayPtr = std::shared_ptr<const ProgramReplay>;

/// Where a program is after some of its operations. Goes forward and back in O(changes), and back means exactly the state that was there:
/// a state is which write every place saw last, and a write knows the one before it. Memory 4 bytes per place and per operation. In programcursor.cpp.
class ProgramCursor {
public:
    /// Stands before the first operation.
    explicit ProgramCursor(ProgramReplayPtr replay);

    const ProgramReplay& replay() const { return *m_replay; }
    /// Operations that have taken effect: the first of sequence().
    std::size_t position() const { return m_position; }
    /// Goes there. `changed`: gets the places that were written on the way, as often as they were.
    void seek(std::size_t position, std::vector<PlaceIndex>* changed = nullptr);
    void setTime(std::int64_t time, std::vector<PlaceIndex>* changed = nullptr) { seek(m_replay->positionAt(time), changed); }

    /// \pre the program has places.
    ValueIndex value(PlaceIndex place) const { return m_replay->m_writes[m_state[place]].value; }
    std::int32_t contributions(PlaceIndex place) const { return m_replay->values().contributions(value(place)); }
    bool isComplete(PlaceIndex place) const { return m_replay->values().isComplete(value(place)); }
    /// Does it hold what the collective asks for right there?
    bool isAsAsked(PlaceIndex place) const { return m_replay->isAsked(place, value(place)); }

    bool isDone(std::uint32_t operation) const { return m_replay->positionOf(operation) < m_position; }
    /// Sends that have begun and whose receive has not ended, ascending. O(n log n) of their number.
    std::vector<std::uint32_t> underWay() const;
    /// What a rank does next: the first operation of each of its lanes that is not done, and those without a lane. O(operations of the rank).
    std::vector<std::uint32_t> next(std::int32_t rank) const;
    /// What an operation waits for here: its reasons() that are not done. Empty: it may begin, or has.
    std::vector<WaitReason> waitsFor(std::uint32_t operation) const;

private:
    static constexpr std::uint32_t kNotThere = UINT32_MAX;
    void enter(std::uint32_t send);
    void leave(std::uint32_t send);

    ProgramReplayPtr m_replay;
    std::size_t m_position = 0;
    std::vector<std::uint32_t> m_state;   // By place: index into m_writes.
    std::vector<std::uint32_t> m_under;   // Sends under way, in no order ...
    std::vector<std::uint32_t> m_underAt; // ... and where each stands.
};

/// When all is done, does every output hold what the collective asks for there? Nothing: it has no places, or asks for nothing that is known.
/// O(operations + places).
std::optional<bool> endsAsAsked(const ProgramReplayPtr& replay, const std::stop_token& stop = {});

} // namespace fabricscope
