#include "core/sim/events/fastforward.h"

#include "core/base/index.h"
#include "core/sim/events/collectives.h"
#include "core/sim/common/foldedbusy.h"
#include "core/sim/events/tasks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricscope::events {

std::int32_t FastForward::skipSteps(const Message& message)
{
    const bool alone = isAlone();
    const QuietStep step{message.run(), message.chunk, static_cast<std::int32_t>(message.phase), message.step};
    QuietStep begun = m_quiet; // The step this message was sent after, if that ended in quiet too.
    ++begun.step;
    m_quiet = alone ? step : QuietStep{};
    const PhasePlan& plan = m_collectives.m_runs[at(message.run())].plan->at(message.chunk, static_cast<std::int32_t>(message.phase));
    const std::int32_t skipped = plan.extent - 3 - message.step;
    if (!alone || begun != step || skipped < 1 || !m_shortcuts.quietSteps)
        return 0;

    const std::int64_t period = m_agenda.now() - (message.ready - m_given.endpointDelay);
    if (period > (Agenda::kClockEnd - m_agenda.now()) / (std::int64_t{skipped} + 1))
        return 0; // Step by step it is found where the clock ends.
    const Route& route = m_routes[message.route];
    std::int64_t head = message.ready + period;
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        Link& link = m_network.m_links[at(m_routes.link(route, hop))];
        const std::int64_t duration = m_given.costs.occupancy(link.resource, message.bytes);
        link.messages += skipped;
        link.bytes += skipped * message.bytes;
        link.busy += skipped * duration;
        if (m_given.options.busyOverTime)
            addRepeated(m_network.m_busy[at(link.dimension)], head, duration, period, skipped);
        head += link.latency;
    }
    m_network.m_messageCount += skipped;
    m_network.m_pieceCount += std::int64_t{skipped} * message.pieces;
    m_agenda.passTo(m_agenda.now() + skipped * period);
    return skipped;
}

std::int32_t FastForward::skipShrinkingSteps(const Message& message, std::int64_t whole, const std::function<bool()>& stopped)
{
    const Route& route = m_routes[message.route];
    if (route.hops != 1 || m_given.costs.hasInjection() || m_given.costs.hasEjection() || !m_shortcuts.shrinkingSteps)
        return 0;
    const PhasePlan& plan = m_collectives.m_runs[at(message.run())].plan->at(message.chunk, static_cast<std::int32_t>(message.phase));
    const std::int32_t coordinate = plan.coordinate(message.target);
    Link& link = m_network.m_links[at(m_routes.link(route, 0))];
    std::int32_t skipped = 0;
    for (std::int32_t step = message.step + 1; step < plan.extent - 2 && !stopped(); ++step, ++skipped) {
        const std::int64_t bytes = plan.rules.send(coordinate, step, whole).bytes;
        if (bytes <= 0)
            break;
        const std::int64_t begin = m_agenda.now() + m_given.endpointDelay;
        const std::int64_t duration = m_given.costs.occupancy(link.resource, bytes);
        if (m_network.pastClock(link, bytes, begin, duration))
            break;
        if (m_given.ideal) {
            m_network.addBusy(link, begin, begin + duration);
            ++link.messages;
            link.bytes += bytes;
            link.busy += duration;
        } else {
            m_network.commit(link, begin, duration, bytes, true);
        }
        ++m_network.m_messageCount;
        m_network.m_pieceCount += m_given.ideal ? 1 : (bytes + m_given.pieceBytes - 1) / m_given.pieceBytes;
        m_agenda.passTo(begin + duration + link.latency);
    }
    return skipped;
}

void FastForward::watchPeriod(const Message& message, const PhasePlan& plan)
{
    constexpr std::int32_t kLeastSteps = 16; // Fewer are not worth it.
    const auto phase = static_cast<std::int32_t>(message.phase);
    if (m_watch.run == kNone) {
        if (m_given.options.message || plan.extent - message.step < kLeastSteps || !m_shortcuts.periods)
            return;
        m_watch.run = message.run();
        m_watch.chunk = message.chunk;
        m_watch.phase = phase;
        m_watch.seen = 0;
        m_watch.known = false;
    } else if (m_watch.run != message.run() || m_watch.chunk != message.chunk || m_watch.phase != phase) {
        return;
    }
    if (plan.extent - message.step < kLeastSteps) {
        m_watch.run = kNone;
        m_watch.due = false;
        m_network.m_busyLog = nullptr;
        return;
    }
    ++m_watch.seen;
    m_watch.due = m_watch.looks();
}

/// Takes the state of an engine apart. Every type says which of its fields count by naming all of them: a new field does not compile before somebody
/// has decided whether it belongs to the state.
class FastForward::Recorder {
public:
    Recorder(FastForward& owner, PeriodState& state)
        : m_owner(owner), m_network(owner.m_network), m_collectives(owner.m_collectives), m_taken(state), m_messageNumber(m_network.m_messages.capacity(), kNone),
          m_pieceNumber(m_network.m_pieces.capacity(), kNone), m_plain(m_collectives.m_early.used() == 0 && m_collectives.m_parked.used() == 0)
    {
        m_taken = {};
        m_taken.now = m_owner.m_agenda.now();
    }

    /// False when something is to come that does not belong to rings. `pending` is moved with the state.
    bool addEvents(std::vector<Event>& pending);
    void addLinks();
    void addEndpoints();
    /// \pre `open` are all runs that are not released, ascending
    void addRuns(const std::vector<std::int32_t>& open);
    void addTotals();
    /// False when something is under way that does not belong to rings.
    bool isPlain() const { return m_plain && m_messagesSeen == m_network.m_messages.used() && m_piecesSeen == m_network.m_pieces.used(); }

private:
    void word(std::int64_t value) { m_taken.equal.push_back(value); }
    void words(std::initializer_list<std::int64_t> values) { m_taken.equal.insert(m_taken.equal.end(), values); }
    void time(std::int64_t& value)
    {
        m_taken.times.push_back(value);
        m_taken.timePlaces.push_back(&value);
    }
    void count(std::int64_t& value)
    {
        m_taken.counts.push_back(value);
        m_taken.countPlaces.push_back(&value);
    }
    void addMessage(std::int32_t number);
    void addPiece(std::int32_t number);
    void addQueue(std::int32_t number);
    void addLink(Link& link);
    void addPhase(const Run& run, std::size_t index, PhaseState& phase);
    bool keyOf(const Event& event, std::array<std::int64_t, 7>& key) const;

    FastForward& m_owner;
    Network& m_network;
    Collectives& m_collectives;
    PeriodState& m_taken;
    std::vector<std::int32_t> m_messageNumber; ///< By message: the how manieth that was met; kNone.
    std::vector<std::int32_t> m_pieceNumber;
    std::size_t m_messagesSeen = 0;
    std::size_t m_piecesSeen = 0;
    bool m_plain;
};

void FastForward::Recorder::addMessage(std::int32_t number)
{
    std::int32_t& known = m_messageNumber[at(number)];
    if (known != kNone) {
        word(known);
        return;
    }
    known = static_cast<std::int32_t>(m_messagesSeen++);
    // Not parts, not of a protocol, not of a switch: folded runs have none. Where it is queued, its queue says.
    auto& [bytes, ready, left, of, source, target, chunk, phase, step, slot, stream, route, next, sent, pieces, reduceBuffers, parent, arrived, offset,
           tellLeft, kind, protocol, controls] = m_network.m_messages[number];
    const auto* const ofPhase = std::get_if<OfPhase>(&of);
    if (!ofPhase) {
        m_plain = false;
        return;
    }
    words({bytes, ofPhase->run, source, target, chunk, phase, slot, stream, route, sent, pieces, reduceBuffers, tellLeft});
    time(ready);
    time(left);
    m_taken.steps.push_back(step);
    m_taken.stepPlaces.push_back(&step);
    const PhasePlan& plan = m_collectives.m_runs[at(ofPhase->run)].plan->at(chunk, static_cast<std::int32_t>(phase));
    m_plain = m_plain && plan.sequence == Sequence::PassedOn && plan.kind != PhaseKind::AllToAll;
}

void FastForward::Recorder::addPiece(std::int32_t number)
{
    std::int32_t& known = m_pieceNumber[at(number)];
    if (known != kNone) {
        word(known);
        return;
    }
    known = static_cast<std::int32_t>(m_piecesSeen++);
    auto& [head, tail, order, work, message, index, hop, next, processed] = m_network.m_pieces[number];
    words({m_network.m_order - order, work, index, hop, processed});
    time(head);
    time(tail);
    addMessage(message);
}

void FastForward::Recorder::addQueue(std::int32_t number)
{
    auto& [served, stream, head, tail, next] = m_network.m_queues[number];
    word(stream);
    time(served);
    for (std::int32_t message = head; message != kNone; message = m_network.m_messages[message].next)
        addMessage(message);
}

/// What orders the event whatever the queue does: its time, then what it is about. False when it does not belong to rings.
bool FastForward::Recorder::keyOf(const Event& event, std::array<std::int64_t, 7>& key) const
{
    const auto kind = static_cast<EventKind>(event.kind);
    const Message* message = nullptr;
    std::int64_t index = 0;
    if (kind == EventKind::HeadAtLink || kind == EventKind::HeadAtEnd || kind == EventKind::Reduced) {
        message = &m_network.m_messages[m_network.m_pieces[event.object].message];
        index = m_network.m_pieces[event.object].index;
    } else if (kind == EventKind::Ready || kind == EventKind::Delivered || kind == EventKind::Left) {
        message = &m_network.m_messages[event.object];
    } else if (kind != EventKind::Wake && kind != EventKind::MemberDone && kind != EventKind::TaskEnd) {
        return false;
    }
    key = {event.time, event.kind, message ? 0 : event.object, 0, 0, 0, index};
    if (message) {
        key[3] = message->chunk;
        key[4] = message->phase;
        key[5] = message->step;
    }
    return true;
}

bool FastForward::Recorder::addEvents(std::vector<Event>& pending)
{
    pending.clear();
    m_owner.m_agenda.copyPending(pending);
    using Key = std::array<std::int64_t, 7>;
    std::vector<std::pair<Key, std::size_t>> order;
    for (std::size_t i = 0; i < pending.size(); ++i) {
        Key key;
        if (!keyOf(pending[i], key))
            return false;
        order.emplace_back(key, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, i] : order) {
        const Event& event = pending[i];
        const auto kind = static_cast<EventKind>(event.kind);
        word(event.kind);
        word(event.detail);
        if (kind == EventKind::TaskEnd) {
            m_taken.fixed.push_back(event.time);
            word(event.object);
            continue;
        }
        word(event.time - m_taken.now);
        if (kind == EventKind::HeadAtLink || kind == EventKind::HeadAtEnd || kind == EventKind::Reduced)
            addPiece(event.object);
        else if (kind == EventKind::Ready || kind == EventKind::Delivered || kind == EventKind::Left)
            addMessage(event.object);
        else
            word(event.object);
    }
    return true;
}

void FastForward::Recorder::addLink(Link& link)
{
    // What is new in an instant (arrivals, heads, dirty, several) has gone at its end; folded links are as the platform says, and
    // no run is folded where crossbars limit anything (eventsonly.h).
    auto& [committed, wakeAt, latency, resource, dimension, roundHead, roundTail, deferred, arrivals, heads, lastStream, dirty, several, down, crossbar, messages,
           bytes, busy, busyFrom] = link;
    word(lastStream);
    word(wakeAt > m_taken.now);
    if (wakeAt > m_taken.now)
        time(wakeAt);
    time(committed);
    m_taken.begins.push_back(busyFrom);
    m_taken.beginPlaces.push_back(&busyFrom);
    word(deferred != kNone);
    if (deferred != kNone)
        addQueue(deferred);
    for (std::int32_t queue = roundHead; queue != kNone; queue = m_network.m_queues[queue].next)
        addQueue(queue);
    word(kNone);
    count(messages);
    count(bytes);
    count(busy);
}

void FastForward::Recorder::addLinks()
{
    for (Link& link : m_network.m_links)
        addLink(link);
}

void FastForward::Recorder::addEndpoints()
{
    for (Endpoint& endpoint : m_network.m_endpoints) {
        auto& [reducerFree, injection, ejection, reducerRate, firstArrival, pendingHead, pendingTail] = endpoint;
        time(reducerFree);
        time(injection);
        time(ejection);
        for (std::int32_t piece = pendingHead; piece != kNone; piece = m_network.m_pieces[piece].next)
            addPiece(piece);
        word(kNone);
    }
}

void FastForward::Recorder::addPhase(const Run& run, std::size_t index, PhaseState& phase)
{
    auto& [received, sent, waiting, own, complete] = phase;
    m_plain = m_plain && waiting == kNone;
    words({sent, own, complete});
    m_taken.received.push_back(received);
    m_taken.receivedPlaces.push_back(&received);
    const auto phases = static_cast<std::size_t>(run.plan->phaseCount);
    m_taken.mostReceived.push_back(run.plan->at(static_cast<std::int32_t>(index / phases), static_cast<std::int32_t>(index % phases)).extent);
}

void FastForward::Recorder::addRuns(const std::vector<std::int32_t>& open)
{
    // Of all that came before only how many there are: a run of many collectives would go over them again for every one of them.
    word(static_cast<std::int64_t>(m_collectives.m_runs.size()));
    for (const std::int32_t number : open) {
        Run& run = m_collectives.m_runs[at(number)];
        // While its one member is inside, only what the member, its phases and its windows say changes.
        auto& [instance, def, layout, plan, group, place, size, active, kept, membersDone, issued, begun, uniform, released, boxed, entered, members, phases,
               shapeOfChunk, shapeBytes, held, windows, operations, waitingSums, sizes] = run;
        word(number);
        if (!plan)
            continue;
        m_plain = m_plain && members.size() == 1 && operations.empty();
        for (Member& member : members) {
            auto& [lastLeft, outstanding, chunksLeft, task, state, early] = member; // A task under way stays what it is.
            time(lastLeft);
            words({outstanding, chunksLeft, static_cast<std::int64_t>(state)});
        }
        for (std::size_t i = 0; i < phases.size(); ++i)
            addPhase(run, i, phases[i]);
        for (const WindowPlace& window : windows) {
            const auto& [inside, turn, dirty, waiting] = window;
            m_plain = m_plain && waiting.empty();
            words({inside, turn});
        }
    }
}

void FastForward::Recorder::addTotals()
{
    word(m_owner.m_tasks.left());
    count(m_network.m_messageCount);
    count(m_network.m_pieceCount);
    count(m_network.m_orderSensitive);
}

/// Periods from the state kept to this one that lie ahead; 0: it has not repeated.
std::int64_t FastForward::periodsToPass(const PeriodState& state, std::int64_t& steps) const
{
    if (!m_watch.known)
        return 0;
    const std::int64_t ahead = periodsAhead(m_watch.before, state, steps);
    const std::int64_t period = state.now - m_watch.before.now;
    const auto lasts = [period](const LoggedBusy& interval) { return interval.end - interval.begin > period; }; // Does not come once a period.
    // Step by step it is found where the clock ends.
    const bool ends = period > (Agenda::kClockEnd - m_agenda.now()) / (ahead + 1);
    return ends || std::any_of(m_busyLog.begin(), m_busyLog.end(), lasts) ? 0 : ahead;
}

void FastForward::lookForPeriod()
{
    m_watch.due = false;
    for (; m_runsListed < m_collectives.m_runs.size(); ++m_runsListed)
        m_openRuns.push_back(static_cast<std::int32_t>(m_runsListed));
    std::erase_if(m_openRuns, [this](std::int32_t number) { return m_collectives.m_runs[at(number)].released; });
    PeriodState state;
    Recorder recorder(*this, state);
    bool plain = recorder.addEvents(m_pending);
    if (plain) {
        recorder.addLinks();
        recorder.addEndpoints();
        recorder.addRuns(m_openRuns);
        recorder.addTotals();
        plain = recorder.isPlain();
    }
    if (!plain) {
        m_watch.known = false;
        m_network.m_busyLog = nullptr;
        return;
    }
    std::int64_t steps = 0;
    if (const std::int64_t ahead = periodsToPass(state, steps); ahead > 0) {
        pass(state, ahead, steps);
    } else if (m_watch.keeps()) {
        m_watch.before = std::move(state);
        m_watch.known = true;
        m_busyLog.clear();
        m_network.m_busyLog = &m_busyLog;
    }
}

/// Makes the engine one that has gone through so many periods more, each of so many steps.
void FastForward::pass(PeriodState& state, std::int64_t ahead, std::int64_t steps)
{
    const PeriodState& before = m_watch.before;
    const std::int64_t period = state.now - before.now;
    const std::int64_t shift = ahead * period;
    for (std::size_t i = 0; i < state.times.size(); ++i) {
        if (state.times[i] != before.times[i])
            *state.timePlaces[i] += shift;
    }
    for (std::size_t i = 0; i < state.begins.size(); ++i) {
        if (state.begins[i] != before.begins[i])
            *state.beginPlaces[i] += shift;
    }
    for (std::int32_t* const step : state.stepPlaces)
        *step += static_cast<std::int32_t>(ahead * steps);
    for (std::size_t i = 0; i < state.received.size(); ++i) {
        if (state.received[i] != before.received[i])
            *state.receivedPlaces[i] += static_cast<std::uint32_t>(ahead * steps);
    }
    for (std::size_t i = 0; i < state.counts.size(); ++i)
        *state.countPlaces[i] += ahead * (state.counts[i] - before.counts[i]);
    m_network.m_busyLog = nullptr;
    for (const LoggedBusy& interval : m_busyLog) // Empty without busyOverTime.
        addRepeated(m_network.m_busy[interval.dimension], interval.begin + period, interval.end - interval.begin, period, ahead);
    for (Event& event : m_pending) {
        if (static_cast<EventKind>(event.kind) != EventKind::TaskEnd)
            event.time += shift;
    }
    m_agenda.restart(m_agenda.now() + shift, m_pending);
    m_watch.known = false;
    m_watch.seen = 0;
}

} // namespace fabricscope::events
