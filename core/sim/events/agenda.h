#pragma once

#include "core/sim/events/eventqueue.h"

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope::events {

/// What an event is about; `object` and `detail` of Event as said.
enum class EventKind : std::uint8_t {
    Ready,       ///< message: endpoint overhead paid.
    Wake,        ///< link: its committed work has ended.
    HeadAtLink,  ///< piece: head reaches the next link.
    HeadAtSwitch, ///< head of Switches: the last contribution's head reaches a switch that reduces or copies.
    HeadAtEnd,   ///< piece: head reaches the destination (ejection budget).
    Reduced,     ///< piece: earliest end of its reduction.
    Delivered,   ///< message.
    Left,        ///< message: its last piece has left its own link (only where somebody waits for that).
    MemberDone,  ///< run, position: the last send has left.
    OperationReady, ///< run, position; the operation is parked in Collectives.
    OperationDone,  ///< run, operation of an explicit body parked in Collectives.
    TaskEnd,     ///< task, rank.
    FlowsEnd,    ///< Model flow: flows may end.
    FlowHead,    ///< message: its first byte is there.
    FlowArrived, ///< message: its last byte is there.
    Change,      ///< Links change.
    Remote,      ///< RemotePool: object and detail of take().
    SlotFree     ///< connection: the word that a slot is free has travelled back.
};

/// What happens when. Owns the present instant, its events, and the queue of those to come; nobody else moves time.
///
/// An instant is gone through in rounds: the first are the events that were due, each further one those that handling the round before
/// brought about without time going by. Inside a round events come in no defined order.
class Agenda {
public:
    /// Times end here, after 106 days: what a latency or an endpoint delay adds still is a number.
    static constexpr std::int64_t kClockEnd = INT64_MAX - (std::int64_t{1} << 54);

    std::int64_t now() const { return m_now; }
    /// Was anything to happen after kClockEnd? It is left out.
    bool isPastClock() const { return m_pastClock; }
    /// Events handed over so far.
    std::int64_t handled() const { return m_handled; }

    /// \pre time >= now(), or a sum that is beyond the clock. An event of the present instant comes in its next round.
    void push(std::int64_t time, EventKind kind, std::int32_t object, std::uint32_t detail = 0)
    {
        if (time > kClockEnd || time < m_now) { // Sums beyond the clock are negative.
            assert(time > kClockEnd || time < 0);
            m_pastClock = true;
            return;
        }
        Event event;
        event.time = time;
        event.object = object;
        event.detail = detail & 0xffffffu;
        event.kind = static_cast<std::uint8_t>(kind);
        if (time == m_now)
            m_again.push_back(event);
        else
            m_queue.push(event);
    }

    /// Is nothing left to happen after the present instant?
    bool isEmpty() const { return m_queue.empty(); }
    std::size_t pending() const { return m_queue.size(); }
    /// Goes to the earliest instant to come. \pre !isEmpty()
    void nextInstant();

    /// Events of the present round, until endRound().
    std::span<const Event> round() const { return m_round; }
    void endRound() { m_round.clear(); }
    /// Has handling this round brought about nothing more in this instant?
    bool isSettled() const { return m_again.empty(); }
    /// Begins the next round of the instant. \pre !isSettled()
    void nextRound();
    /// Is this not the first round of the instant?
    bool isRepeated() const { return m_repeated; }
    /// Is the event being handled the only one of a first round, and nothing to come?
    bool isAlone() const { return m_queue.empty() && m_round.size() == 1 && !m_repeated; }

    // For those who pass over what would repeat itself.
    /// Lets time go by while nothing is to come. \pre isEmpty(), time >= now()
    void passTo(std::int64_t time);
    /// Appends the events to come, in no defined order.
    void copyPending(std::vector<Event>& events) const { m_queue.copy(events); }
    /// Goes on from another instant with other events to come. \pre all are later than `now`
    void restart(std::int64_t now, std::span<const Event> events);

    /// From now on the events of a round come in an order drawn from this seed: what a run gives must not depend on it.
    void shuffle(std::uint64_t seed) { m_shuffle = seed | 1; }

private:
    void shuffleRound();

    WheelQueue<6> m_queue;
    std::int64_t m_now = 0;
    std::int64_t m_handled = 0;
    std::vector<Event> m_round;
    std::vector<Event> m_again;  ///< Events of this instant found while handling it.
    bool m_repeated = false;
    bool m_pastClock = false;
    std::uint64_t m_shuffle = 0; ///< State of the random numbers; 0: as the queue hands them over.
};

} // namespace fabricscope::events
