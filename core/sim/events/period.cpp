// Steady states of folded rings: part of Engine (engine.h).
//
// A ring whose chunks follow one another through its links soon repeats itself: after `period` picoseconds everything is as before, only
// that every message is some steps further. What the engine does next depends only on differences of times, never on a time or a step
// as such, as long as no message reaches the last steps of its phase. So when the whole state has repeated once, it goes on repeating,
// and as many periods as there are steps left are passed over at once.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// Folded: an all-to-all that is alone on a ring of neighbours. Its messages grow smaller step by step, so there is no period, but each
/// step takes the overhead, its own bytes and the latency. Passes over all but the last ones and returns how many.
std::int32_t Engine::skipShrinkingSteps(const Message& message)
{
    const bool alone = agenda.isAlone() && m_messages.used() == 0 && !options.message;
    const Route& route = routes[message.route];
    if (!alone || route.hops != 1 || costs.hasInjection() || costs.hasEjection())
        return 0;
    Run& run = runs[static_cast<std::size_t>(message.run)];
    const auto phase = static_cast<std::int32_t>(message.phase);
    const PhasePlan& plan = run.plan->at(message.chunk, phase);
    const std::int64_t whole = held(run, message.target, message.chunk, phase);
    const std::int32_t coordinate = plan.coordinate(message.target);
    Link& link = links[static_cast<std::size_t>(routes.link(route, 0))];
    std::int32_t skipped = 0;
    for (std::int32_t step = message.step + 1; step < plan.extent - 2 && !look(); ++step, ++skipped) {
        const std::int64_t bytes = plan.rules.send(coordinate, step, whole).bytes;
        if (bytes <= 0)
            break;
        const std::int64_t begin = agenda.now() + endpointDelay;
        const std::int64_t duration = costs.occupancy(link.resource, bytes);
        if (ideal) {
            addBusy(link, begin, begin + duration);
            ++link.messages;
            link.bytes += bytes;
            link.busy += duration;
        } else {
            commit(link, begin, duration, bytes, true);
        }
        ++messages;
        pieces += ideal ? 1 : (bytes + pieceBytes - 1) / pieceBytes;
        agenda.passTo(begin + duration + link.latency);
    }
    return skipped;
}

/// Folded: a message of a ring has come; decides whether to look for a period at the end of this instant.
void Engine::watchPeriod(const Message& message, const PhasePlan& plan)
{
    constexpr std::int32_t kLeastSteps = 16; // Fewer are not worth it.
    PeriodWatch& watch = m_watch;
    const auto phase = static_cast<std::int32_t>(message.phase);
    if (watch.run == kNone) {
        if (options.message || plan.extent - message.step < kLeastSteps)
            return;
        watch.run = message.run;
        watch.chunk = message.chunk;
        watch.phase = phase;
        watch.seen = 0;
        watch.known = false;
    } else if (watch.run != message.run || watch.chunk != message.chunk || watch.phase != phase) {
        return;
    }
    if (plan.extent - message.step < kLeastSteps) {
        watch.run = kNone;
        watch.due = false;
        busyLog = nullptr;
        return;
    }
    ++watch.seen;
    watch.due = watch.looks();
}

/// Takes the state apart. False when something is under way that does not belong to rings. O(what is under way + links).
bool Engine::takeState(PeriodState& state)
{
    state = {};
    state.now = agenda.now();
    bool plain = m_early.used() == 0 && m_parked.used() == 0;
    std::vector<std::int32_t> messageNumber(m_messages.capacity(), kNone);
    std::vector<std::int32_t> pieceNumber(m_pieces.capacity(), kNone);
    std::size_t messagesSeen = 0;
    std::size_t piecesSeen = 0;
    const auto word = [&](std::int64_t value) { state.equal.push_back(value); };
    const auto time = [&](std::int64_t& value) {
        state.times.push_back(value);
        state.timePlaces.push_back(&value);
    };
    const auto count = [&](std::int64_t& value) {
        state.counts.push_back(value);
        state.countPlaces.push_back(&value);
    };
    const auto addMessage = [&](std::int32_t number) {
        std::int32_t& known = messageNumber[static_cast<std::size_t>(number)];
        if (known != kNone) {
            word(known);
            return;
        }
        known = static_cast<std::int32_t>(messagesSeen++);
        Message& message = m_messages[number];
        for (const std::int64_t value : {message.bytes, std::int64_t{message.run}, std::int64_t{message.source}, std::int64_t{message.target}, std::int64_t{message.chunk},
                                         std::int64_t{message.phase}, std::int64_t{message.slot}, std::int64_t{message.item}, std::int64_t{message.stream},
                                         std::int64_t{message.route}, std::int64_t{message.sent}, std::int64_t{message.pieces}, std::int64_t{message.reduceBuffers},
                                         std::int64_t{message.tellLeft}}) {
            word(value);
        }
        time(message.ready);
        time(message.left);
        state.steps.push_back(message.step);
        state.stepPlaces.push_back(&message.step);
        if (message.run == kNone) {
            plain = false;
            return;
        }
        const PhasePlan& plan = runs[static_cast<std::size_t>(message.run)].plan->at(message.chunk, static_cast<std::int32_t>(message.phase));
        plain = plain && plan.algorithm == Algorithm::Ring && plan.kind != PhaseKind::AllToAll;
    };
    const auto addPiece = [&](std::int32_t number) {
        std::int32_t& known = pieceNumber[static_cast<std::size_t>(number)];
        if (known != kNone) {
            word(known);
            return;
        }
        known = static_cast<std::int32_t>(piecesSeen++);
        Piece& piece = m_pieces[number];
        for (const std::int64_t value : {m_order - piece.order, piece.work, std::int64_t{piece.index}, std::int64_t{piece.hop}, std::int64_t{piece.processed}})
            word(value);
        time(piece.head);
        time(piece.tail);
        addMessage(piece.message);
    };
    const auto addQueue = [&](std::int32_t number) {
        StreamQueue& queue = m_queues[number];
        word(queue.stream);
        time(queue.served);
        for (std::int32_t message = queue.head; message != kNone; message = m_messages[message].next)
            addMessage(message);
    };

    m_pending.clear();
    agenda.copyPending(m_pending);
    // Events in an order that does not depend on the queue: by time, then by what they are about.
    using Key = std::array<std::int64_t, 7>;
    std::vector<std::pair<Key, std::size_t>> order;
    for (std::size_t i = 0; i < m_pending.size(); ++i) {
        const Event& event = m_pending[i];
        const auto kind = static_cast<EventKind>(event.kind);
        const Message* message = nullptr;
        std::int64_t index = 0;
        if (kind == EventKind::HeadAtLink || kind == EventKind::HeadAtEnd || kind == EventKind::Reduced) {
            message = &m_messages[m_pieces[event.object].message];
            index = m_pieces[event.object].index;
        } else if (kind == EventKind::Ready || kind == EventKind::Delivered || kind == EventKind::Left) {
            message = &m_messages[event.object];
        } else if (kind != EventKind::Wake && kind != EventKind::MemberDone && kind != EventKind::TaskEnd) {
            return false;
        }
        Key key{event.time, event.kind, message ? 0 : event.object, 0, 0, 0, index};
        if (message) {
            key[3] = message->chunk;
            key[4] = message->phase;
            key[5] = message->step;
        }
        order.emplace_back(key, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, i] : order) {
        const Event& event = m_pending[i];
        const auto kind = static_cast<EventKind>(event.kind);
        word(event.kind);
        word(event.detail);
        if (kind == EventKind::TaskEnd) {
            state.fixed.push_back(event.time);
            word(event.object);
            continue;
        }
        word(event.time - agenda.now());
        if (kind == EventKind::HeadAtLink || kind == EventKind::HeadAtEnd || kind == EventKind::Reduced)
            addPiece(event.object);
        else if (kind == EventKind::Ready || kind == EventKind::Delivered || kind == EventKind::Left)
            addMessage(event.object);
        else
            word(event.object);
    }

    for (Link& link : links) {
        word(link.lastStream);
        word(link.wakeAt > agenda.now());
        if (link.wakeAt > agenda.now())
            time(link.wakeAt);
        time(link.committed);
        state.begins.push_back(link.busyFrom);
        state.beginPlaces.push_back(&link.busyFrom);
        word(link.deferred != kNone);
        if (link.deferred != kNone)
            addQueue(link.deferred);
        for (std::int32_t queue = link.roundHead; queue != kNone; queue = m_queues[queue].next)
            addQueue(queue);
        word(kNone);
        count(link.messages);
        count(link.bytes);
        count(link.busy);
    }
    for (Endpoint& endpoint : endpoints) {
        time(endpoint.reducerFree);
        time(endpoint.injection);
        time(endpoint.ejection);
        for (std::int32_t piece = endpoint.pendingHead; piece != kNone; piece = m_pieces[piece].next)
            addPiece(piece);
        word(kNone);
    }
    // Of all that came before only how many there are: a run of many collectives would go over them again for every one of them.
    word(static_cast<std::int64_t>(runs.size()));
    for (; m_runsListed < runs.size(); ++m_runsListed)
        m_openRuns.push_back(static_cast<std::int32_t>(m_runsListed));
    std::erase_if(m_openRuns, [this](std::int32_t number) { return runs[static_cast<std::size_t>(number)].released; });
    for (const std::int32_t number : m_openRuns) {
        Run& run = runs[static_cast<std::size_t>(number)];
        word(number);
        if (!run.plan)
            continue;
        plain = plain && run.members.size() == 1 && run.operations.empty();
        for (Member& member : run.members) {
            time(member.lastLeft);
            word(member.outstanding);
            word(member.chunksLeft);
            word(static_cast<std::int64_t>(member.state));
        }
        for (std::size_t i = 0; i < run.phases.size(); ++i) {
            PhaseState& phase = run.phases[i];
            plain = plain && phase.waiting == kNone;
            word(phase.sent);
            word(phase.own);
            word(phase.complete);
            state.received.push_back(phase.received);
            state.receivedPlaces.push_back(&phase.received);
            const auto chunk = static_cast<std::int32_t>(i / static_cast<std::size_t>(run.plan->phaseCount));
            state.mostReceived.push_back(run.plan->at(chunk, static_cast<std::int32_t>(i % static_cast<std::size_t>(run.plan->phaseCount))).extent);
        }
        for (const WindowPlace& window : run.windows) {
            plain = plain && window.waiting.empty();
            word(window.inside);
            word(window.turn);
        }
    }
    word(tasksLeft);
    count(messages);
    count(pieces);
    count(orderSensitive);
    return plain && messagesSeen == m_messages.used() && piecesSeen == m_pieces.used();
}

/// Compares the state with the one kept, and passes over the periods ahead when it has repeated.
void Engine::lookForPeriod()
{
    PeriodWatch& watch = m_watch;
    watch.due = false;
    PeriodState state;
    if (!takeState(state)) {
        watch.known = false;
        busyLog = nullptr;
        return;
    }
    std::int64_t steps = 0;
    std::int64_t ahead = watch.known ? periodsAhead(watch.before, state, steps) : 0;
    const std::int64_t period = watch.known ? state.now - watch.before.now : 0;
    for (const LoggedBusy& interval : m_busyLog) {
        if (interval.end - interval.begin > period) // Does not come once a period.
            ahead = 0;
    }
    if (ahead == 0) {
        if (watch.keeps()) {
            watch.before = std::move(state);
            watch.known = true;
            m_busyLog.clear();
            busyLog = &m_busyLog;
        }
        return;
    }

    const std::int64_t shift = ahead * period;
    for (std::size_t i = 0; i < state.times.size(); ++i) {
        if (state.times[i] != watch.before.times[i])
            *state.timePlaces[i] += shift;
    }
    for (std::size_t i = 0; i < state.begins.size(); ++i) {
        if (state.begins[i] != watch.before.begins[i])
            *state.beginPlaces[i] += shift;
    }
    for (std::int32_t* const step : state.stepPlaces)
        *step += static_cast<std::int32_t>(ahead * steps);
    for (std::size_t i = 0; i < state.received.size(); ++i) {
        if (state.received[i] != watch.before.received[i])
            *state.receivedPlaces[i] += static_cast<std::uint32_t>(ahead * steps);
    }
    for (std::size_t i = 0; i < state.counts.size(); ++i)
        *state.countPlaces[i] += ahead * (state.counts[i] - watch.before.counts[i]);
    busyLog = nullptr;
    for (const LoggedBusy& interval : m_busyLog) // Empty without busyOverTime.
        addRepeated(busy[interval.dimension], interval.begin + period, interval.end - interval.begin, period, ahead);
    for (Event& event : m_pending) {
        if (static_cast<EventKind>(event.kind) != EventKind::TaskEnd)
            event.time += shift;
    }
    agenda.restart(agenda.now() + shift, m_pending);
    watch.known = false;
    watch.seen = 0;
}

} // namespace fabricscope::events
