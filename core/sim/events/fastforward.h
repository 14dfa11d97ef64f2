#pragma once

#include "core/sim/events/enginestate.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace fabricscope::events {

/// Passes over what would only repeat itself in a folded run (symmetricrun.h): three shortcuts, each of which gives what following every step
/// gives. Owns what it has seen so far; reads and moves the state of the engine only while nothing else happens: when the one event of the run is
/// being handled, or at the end of an instant.
class FastForward {
public:
    /// What is under way, as the engine keeps it.
    struct UnderWay {
        Pool<Message>& messages;
        Pool<Piece>& pieces;
        Pool<StreamQueue>& queues;
        const Pool<EarlyMessage>& early;
        const Pool<std::int32_t>& parked;
        const std::int64_t& order; ///< Pieces processed so far.
    };

    FastForward(EngineState& state, const UnderWay& underWay) : m_state(state), m_underWay(underWay) {}

    /// Is the message being handled all there is, and nobody asks for every message?
    bool isAlone() const { return m_state.agenda.isAlone() && m_underWay.messages.used() == 0 && !m_state.options.message; }

    /// Quiet steps: a ring that is alone begins every step with all resources idle, so all its steps last as long as the one that has just ended.
    /// Passes over all of them but the last and returns how many.
    std::int32_t skipSteps(const Message& message);

    /// Shrinking steps: an all-to-all that is alone on a ring of neighbours. Its messages grow smaller step by step, so there is no period, but each
    /// step takes the overhead, its own bytes and the latency. Passes over all but the last ones and returns how many. `whole`: bytes its sender
    /// holds in the phase; `stopped`: asked once a step. \pre isAlone()
    std::int32_t skipShrinkingSteps(const Message& message, std::int64_t whole, const std::function<bool()>& stopped);

    /// Periods: a ring whose chunks follow one another through its links soon repeats itself: after `period` picoseconds everything is as before,
    /// only that every message is some steps further. What the engine does next depends only on differences of times, never on a time or a step as
    /// such, as long as no message reaches the last steps of its phase. So when the whole state has repeated once, it goes on repeating, and as many
    /// periods as there are steps left are passed over at once.
    /// A message of a ring has come: decides whether to look for a period at the end of this instant.
    void watchPeriod(const Message& message, const PhasePlan& plan);
    bool isDue() const { return m_watch.due; }
    /// Compares the state with the one kept, and passes over the periods ahead when it has repeated. \pre isDue(), the instant has ended
    void lookForPeriod();

private:
    class Recorder;
    /// A step of a ring after which nothing was under way.
    struct QuietStep {
        std::int32_t run = kNone;
        std::int32_t chunk = 0;
        std::int32_t phase = 0;
        std::int32_t step = 0;
        friend bool operator==(const QuietStep&, const QuietStep&) = default;
    };

    std::int64_t periodsToPass(const PeriodState& state, std::int64_t& steps) const;
    void pass(PeriodState& state, std::int64_t ahead, std::int64_t steps);

    EngineState& m_state;
    UnderWay m_underWay;
    QuietStep m_quiet;
    PeriodWatch m_watch;
    std::vector<Event> m_pending;         ///< Of the state taken last: what is to come.
    std::vector<LoggedBusy> m_busyLog;    ///< Since the state it compares with.
    std::vector<std::int32_t> m_openRuns; ///< Runs that were not released when it last looked, ascending.
    std::size_t m_runsListed = 0;         ///< Runs that have come into m_openRuns.
};

} // namespace fabricscope::events
