#pragma once

#include "core/sim/events/agenda.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/network.h"
#include "core/sim/events/periodstate.h"
#include "core/sim/events/runplan.h"
#include "core/sim/events/setting.h"
#include "core/sim/events/shortcuts.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace fabricscope::events {

class Collectives;
class Tasks;

/// Passes over what would only repeat itself in a folded run (symmetricrun.h): three shortcuts, each of which gives what following every step
/// gives. Owns what it has seen so far; reads and moves the state of the engine only while nothing else happens: when the one event of the run is
/// being handled, or at the end of an instant.
class FastForward {
public:
    FastForward(const Setting& given, Agenda& agenda, const Routes& routes, const Tasks& tasks, Network& network, Collectives& collectives)
        : m_given(given), m_agenda(agenda), m_routes(routes), m_tasks(tasks), m_network(network), m_collectives(collectives)
    {
    }

    /// Takes only these shortcuts. Before the run.
    void take(const Shortcuts& shortcuts) { m_shortcuts = shortcuts; }

    /// Is the message being handled all there is, and nobody asks for every message?
    bool isAlone() const { return m_agenda.isAlone() && m_network.underWayCount() == 0 && !m_given.options.message; }

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

    const Setting m_given;
    Agenda& m_agenda;
    const Routes& m_routes;
    const Tasks& m_tasks;
    Network& m_network;
    Collectives& m_collectives;
    Shortcuts m_shortcuts;
    QuietStep m_quiet;
    PeriodWatch m_watch;
    std::vector<Event> m_pending;         ///< Of the state taken last: what is to come.
    std::vector<LoggedBusy> m_busyLog;    ///< Since the state it compares with.
    std::vector<std::int32_t> m_openRuns; ///< Runs that were not released when it last looked, ascending.
    std::size_t m_runsListed = 0;         ///< Runs that have come into m_openRuns.
};

} // namespace fabricscope::events
