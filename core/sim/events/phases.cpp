// Template programs, phase by phase: part of Collectives (collectives.h). The rules are phaserules.h.
#include "core/base/index.h"
#include "core/sim/events/collectives.h"

#include "core/base/axes.h"
#include "core/sim/events/fastforward.h"
#include "core/sim/events/network.h"

#include <algorithm>
#include <tuple>

namespace fabricscope::events {

/// H of phaserules.h.
std::int64_t Collectives::held(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    const std::size_t shape = run.shapeOfChunk.empty() ? 0 : static_cast<std::size_t>(run.shapeOfChunk[at(chunk)]);
    const std::size_t row = shape * static_cast<std::size_t>(run.plan->phaseCount) + static_cast<std::size_t>(phase);
    std::int64_t& known = run.held[run.uniform ? row : row * static_cast<std::size_t>(run.kept) + static_cast<std::size_t>(position)];
    if (known < 0) {
        const TemplateBody& body = run.plan->program->asTemplate();
        std::vector<std::int32_t> coordinates;
        coordinatesOf(position, body.axes, coordinates);
        known = heldBytes(body.axes, body.phasesOf(chunk), static_cast<std::size_t>(phase), run.shapeBytes[shape], coordinates);
    }
    return known;
}

/// The previous phase is complete; with a window the chunk may have to wait for a place.
void Collectives::enterPhase(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = m_runs[at(number)];
    if (run.windows.empty()) {
        own(number, position, chunk, phase);
        return;
    }
    const std::size_t places = run.windows.size() / static_cast<std::size_t>(run.kept);
    const std::size_t index = static_cast<std::size_t>(position) * places
                              + static_cast<std::size_t>(run.plan->at(chunk, phase).windowPlace);
    WindowPlace& place = run.windows[index];
    place.waiting.push_back({m_agenda.now(), chunk, phase});
    if (!place.dirty) {
        place.dirty = true;
        m_dirtyWindows.emplace_back(number, static_cast<std::int32_t>(index));
    }
}

/// Who takes the next place of a window: who waits longest, or where chunks differ whose turn it is; end(): nobody yet.
auto Collectives::nextInWindow(const Run& run, WindowPlace& place, std::size_t number) -> std::vector<WindowPlace::Waiting>::iterator
{
    if (run.plan->turns.empty()) {
        return std::min_element(place.waiting.begin(), place.waiting.end(),
                                [](const auto& a, const auto& b) { return std::tie(a.since, a.chunk, a.phase) < std::tie(b.since, b.chunk, b.phase); });
    }
    const std::vector<WindowTurn>& turns = run.plan->turns[number];
    while (!run.isFilled(turns[at(place.turn)].chunk)) // Somebody waits, so a chunk that comes is left.
        ++place.turn;
    const WindowTurn& next = turns[at(place.turn)];
    const auto found = std::find_if(place.waiting.begin(), place.waiting.end(), [&](const auto& each) { return each.chunk == next.chunk && each.phase == next.phase; });
    place.turn += found != place.waiting.end() ? 1 : 0;
    return found;
}

/// Gives out all free places at once; what the chunks do there comes after. So it does not matter which window is looked at first, also
/// where chunks go through the axes in different orders.
void Collectives::settleWindows()
{
    struct Entering {
        std::int32_t run;
        std::int32_t position;
        std::int32_t chunk;
        std::int32_t phase;
    };
    std::vector<Entering> entering;
    for (const auto& [number, index] : m_dirtyWindows) {
        Run& run = m_runs[at(number)];
        if (run.released)
            continue;
        const std::size_t places = run.windows.size() / static_cast<std::size_t>(run.kept);
        WindowPlace& place = run.windows[at(index)];
        place.dirty = false;
        while (place.inside < run.plan->program->window && !place.waiting.empty()) {
            const auto first = nextInWindow(run, place, static_cast<std::size_t>(index) % places);
            if (first == place.waiting.end())
                break;
            entering.push_back({number, static_cast<std::int32_t>(static_cast<std::size_t>(index) / places), first->chunk, first->phase});
            place.waiting.erase(first);
            ++place.inside;
        }
    }
    m_dirtyWindows.clear();
    for (const Entering& each : entering)
        own(each.run, each.position, each.chunk, each.phase);
}

/// The rank's own part of a phase is there.
void Collectives::own(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = m_runs[at(number)];
    PhaseState& state = phaseState(run, position, chunk, phase);
    const PhasePlan& plan = run.plan->at(chunk, phase);
    assert(!state.own);
    state.own = true;
    if (state.waiting != kNone && plan.kind != PhaseKind::AllToAll)
        m_network.releaseWaiting(state.waiting);

    if (plan.kind == PhaseKind::Broadcast && plan.sequence != Sequence::InSwitch && (!plan.takesPart(position) || plan.coordinate(position) != 0)) {
        completeIfDone(number, position, chunk, phase); // Others only pass on.
        return;
    }
    switch (plan.sequence) {
    case Sequence::PassedOn: {
        const PhaseRules::Message first = plan.rules.send(plan.coordinate(position), 0, held(run, position, chunk, phase));
        if (first.bytes > 0)
            sendPhase(number, position, plan.at(position, first.peer), chunk, phase, 0, 0, first.bytes, plan.reduceBuffers, 0);
        while (plan.kind == PhaseKind::AllToAll && state.waiting != kNone) {
            const EarlyMessage early = m_early[state.waiting];
            m_early.give(state.waiting);
            state.waiting = early.next;
            forwardRest(number, position, chunk, phase, early.step);
        }
        break;
    }
    case Sequence::AtOnce:
        for (std::int32_t slot = 1; slot < plan.extent; ++slot)
            sendDirect(number, position, chunk, phase, slot);
        break;
    case Sequence::InSwitch:
        ownInNetwork(number, position, chunk, phase);
        break;
    case Sequence::ByNeeds:
        sendReady(number, position, chunk, phase);
    }
    completeIfDone(number, position, chunk, phase);
}

/// Direct: sends a message when the phase begins, unless the phase's window holds it back until an earlier one has left.
void Collectives::sendDirect(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t slot)
{
    Run& run = m_runs[at(number)];
    const PhasePlan& plan = run.plan->at(chunk, phase);
    const std::int64_t bytes = held(run, position, chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    const PhaseRules::Message message = plan.rules.send(coordinate, slot - 1, bytes);
    if (message.bytes == 0)
        return;
    if (plan.window > 0 && slot > plan.window && plan.rules.send(coordinate, slot - 1 - plan.window, bytes).bytes > 0) {
        ++run.members[at(position)].outstanding; // Until phaseMessageLeft() sends it.
        return;
    }
    sendPhase(number, position, plan.at(position, message.peer), chunk, phase, 0, slot, message.bytes, plan.reduceBuffers, slot - 1);
}

/// Rules by needs: sends every message whose needs are met.
void Collectives::sendReady(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = m_runs[at(number)];
    PhaseState& state = phaseState(run, position, chunk, phase);
    const PhasePlan& plan = run.plan->at(chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    const std::int64_t bytes = held(run, position, chunk, phase);
    const std::int32_t count = plan.sendCount(coordinate);
    for (std::int32_t index = 0; index < count; ++index) {
        if ((state.sent >> index & 1u) != 0)
            continue;
        const PhaseRules::Needs needs = plan.needs(coordinate, index);
        bool met = true;
        for (std::int32_t i = 0; i < needs.count && met; ++i) {
            const std::int32_t receive = needs.first + i * needs.stride;
            met = (state.received >> receive & 1u) != 0 || plan.receive(coordinate, receive, bytes).bytes == 0;
        }
        const PhaseRules::Message message = plan.send(coordinate, index, bytes);
        if (!met || (message.needsOwn && !state.own))
            continue;
        state.sent |= 1u << index;
        if (message.bytes > 0) {
            sendPhase(number, position, plan.at(position, message.peer), chunk, phase, message.step, message.slot, message.bytes,
                      message.reduces ? message.k : 0, index);
        }
    }
}

/// Passes on the message of `step` that `position` has received: the same block goes to the next position of the ring.
void Collectives::forward(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t step, std::int64_t bytes)
{
    const PhasePlan& plan = m_runs[at(number)].plan->at(chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    std::int32_t next = coordinate + plan.forward;
    next = next == plan.extent ? 0 : (next < 0 ? plan.extent - 1 : next);
    sendPhase(number, position, position + (next - coordinate) * plan.stride, chunk, phase, step + 1, 0, bytes, plan.reduceBuffers, 0);
}

/// All-to-all on a ring: passes on what of the message of `step` goes further.
void Collectives::forwardRest(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t step)
{
    Run& run = m_runs[at(number)];
    const PhasePlan& plan = run.plan->at(chunk, phase);
    const PhaseRules::Message rest = plan.rules.send(plan.coordinate(position), step + 1, held(run, position, chunk, phase));
    if (rest.bytes > 0)
        forward(number, position, chunk, phase, step, rest.bytes);
}

/// All-gather on a ring: messages that came before the rank entered are passed on when it does.
void Collectives::forwardEarly(std::int32_t number, std::int32_t position)
{
    std::int32_t item = m_runs[at(number)].members[at(position)].early;
    while (item != kNone) {
        const EarlyMessage early = m_early[item];
        m_early.give(item);
        forward(number, position, early.chunk, early.phase, early.step, early.bytes);
        item = early.next;
    }
}

void Collectives::sendPhase(std::int32_t number, std::int32_t position, std::int32_t target, std::int32_t chunk, std::int32_t phase,
                              std::int32_t step, std::int32_t slot, std::int64_t bytes, std::int32_t reduceBuffers, std::int32_t routeKey)
{
    Run& run = m_runs[at(number)];
    PhasePlan& plan = run.plan->at(chunk, phase);
    const auto source = static_cast<std::size_t>(position);
    std::int32_t route = kNone;
    if (plan.routes.empty()) {
        route = m_network.wayBetween(run.plan->nodes[source], run.plan->nodeOf(target));
    } else {
        std::int32_t& kept = plan.routes[source * static_cast<std::size_t>(plan.routesPerPosition) + static_cast<std::size_t>(routeKey)];
        if (kept == kNone)
            kept = m_network.wayBetween(run.plan->nodes[source], run.plan->nodeOf(target));
        route = kept;
    }
    ++run.members[source].outstanding;

    const std::int32_t item = m_network.take();
    Message& message = m_network.message(item);
    message.bytes = bytes;
    message.of.emplace<OfPhase>(OfPhase{number});
    message.source = position;
    message.target = run.plan->placeOf(target);
    message.chunk = chunk;
    message.phase = static_cast<std::uint32_t>(phase);
    message.step = step;
    message.slot = slot;
    message.stream = run.def->stream;
    message.route = route;
    message.sent = 0;
    message.reduceBuffers = reduceBuffers;
    message.tellLeft = plan.window > 0 && slot + plan.window < plan.extent;
    m_network.start(item, m_agenda.now() + m_given.endpointDelay);
}

void Collectives::phaseMessageArrived(std::int32_t number, const Message& message)
{
    Run& run = m_runs[at(number)];
    const auto phase = static_cast<std::int32_t>(message.phase);
    const std::int32_t position = message.target;
    PhaseState& state = phaseState(run, position, message.chunk, phase);
    const PhasePlan& plan = run.plan->at(message.chunk, phase);
    Member& member = run.members[at(position)];
    const bool entered = member.state == MemberState::Entered;

    switch (plan.sequence) {
    case Sequence::PassedOn: {
        ++state.received;
        const std::int32_t step = message.step + 1;
        if (step == plan.extent - 1)
            break;
        if (plan.kind == PhaseKind::AllToAll && state.own) {
            std::int32_t skipped = 0;
            if (m_routes.isFolded() && m_fastForward.isAlone())
                skipped = m_fastForward.skipShrinkingSteps(message, held(run, position, message.chunk, phase), [this] { return m_halt.look(); });
            state.received += static_cast<std::uint32_t>(skipped);
            forwardRest(number, position, message.chunk, phase, message.step + skipped);
        } else if (plan.kind != PhaseKind::AllToAll && entered) {
            const std::int32_t skipped = m_routes.isFolded() ? m_fastForward.skipSteps(message) : 0;
            if (m_routes.isFolded())
                m_fastForward.watchPeriod(message, plan);
            state.received += static_cast<std::uint32_t>(skipped);
            forward(number, position, message.chunk, phase, message.step + skipped, message.bytes);
        } else {
            std::int32_t& list = plan.kind == PhaseKind::AllToAll ? state.waiting : member.early;
            const std::int32_t item = m_early.take();
            m_early[item] = {message.bytes, message.chunk, phase, message.step, list};
            list = item;
        }
        break;
    }
    case Sequence::AtOnce:
    case Sequence::InSwitch:
        ++state.received;
        break;
    case Sequence::ByNeeds:
        state.received |= 1u << plan.receiveIndex(plan.coordinate(position), message.step, message.slot);
        if (entered)
            sendReady(number, position, message.chunk, phase);
        break;
    }
    if (state.own)
        completeIfDone(number, position, message.chunk, phase);
}

/// Direct with a window: the message `window` slots later may go.
void Collectives::phaseMessageLeft(const Message& message)
{
    const std::int32_t number = message.run();
    Run& run = m_runs[at(number)];
    const auto phase = static_cast<std::int32_t>(message.phase);
    const PhasePlan& plan = run.plan->at(message.chunk, phase);
    const std::int32_t slot = message.slot + plan.window;
    const PhaseRules::Message next = plan.rules.send(plan.coordinate(message.source), slot - 1, held(run, message.source, message.chunk, phase));
    if (next.bytes == 0)
        return;
    --run.members[at(message.source)].outstanding; // Counted by sendDirect(); sendPhase() counts it again.
    sendPhase(number, message.source, plan.at(message.source, next.peer), message.chunk, phase, 0, slot, next.bytes, plan.reduceBuffers, slot - 1);
}

/// Where pieces of a reduced message wait for the own part of the receiver; null: it is there.
std::int32_t* Collectives::waitingPlace(const Message& message)
{
    Run& run = m_runs[at(message.run())];
    if (const auto* const send = std::get_if<OfOperation>(&message.of)) {
        OperationState& receive = run.operations[at(run.plan->operations->partner[at(send->operation)])];
        return receive.started ? nullptr : &receive.waiting;
    }
    PhaseState& state = phaseState(run, message.target, message.chunk, static_cast<std::int32_t>(message.phase));
    return state.own ? nullptr : &state.waiting;
}

/// Has the member received all of the phase that exists (zero-byte messages do not)?
bool Collectives::receivedAll(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    const PhaseState& state = phaseState(run, position, chunk, phase);
    const PhasePlan& plan = run.plan->at(chunk, phase);
    if (plan.sequence == Sequence::InSwitch || plan.kind == PhaseKind::Broadcast)
        return std::int64_t{state.received} == expectedReceives(run, position, chunk, phase);
    const std::int32_t n = plan.extent;
    const bool counted = plan.sequence != Sequence::ByNeeds;
    if (counted && state.received == static_cast<std::uint32_t>(n - 1))
        return true;
    const std::int64_t bytes = held(run, position, chunk, phase);
    if (counted && bytes >= n)
        return false;

    const std::int32_t coordinate = plan.coordinate(position);
    const std::int32_t count = plan.receiveCount(coordinate);
    if (!counted) {
        for (std::int32_t index = 0; index < count; ++index) {
            if ((state.received >> index & 1u) == 0 && plan.receive(coordinate, index, bytes).bytes > 0)
                return false;
        }
        return true;
    }
    // Fewer bytes than members: every block has one byte or none, `bytes` of them have one.
    std::int64_t expected = 0;
    if (plan.kind == PhaseKind::AllGather) {
        expected = bytes - blockBytes(bytes, n, coordinate);
    } else if (plan.sequence == Sequence::AtOnce) {
        expected = blockBytes(bytes, n, coordinate) * (n - 1);
    } else if (plan.kind == PhaseKind::ReduceScatter) {
        expected = bytes - blockBytes(bytes, n, (coordinate + n - plan.forward) % n);
    } else {
        while (expected < count && plan.receive(coordinate, static_cast<std::int32_t>(expected), bytes).bytes > 0)
            ++expected;
    }
    return state.received == expected;
}

void Collectives::completeIfDone(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = m_runs[at(number)];
    PhaseState& state = phaseState(run, position, chunk, phase);
    if (!state.own || state.complete || !receivedAll(run, position, chunk, phase))
        return;
    state.complete = true;
    if (!run.windows.empty()) {
        const std::size_t places = run.windows.size() / static_cast<std::size_t>(run.kept);
        const std::size_t index = static_cast<std::size_t>(position) * places
                                  + static_cast<std::size_t>(run.plan->at(chunk, phase).windowPlace);
        WindowPlace& place = run.windows[index];
        --place.inside;
        if (!place.dirty) {
            place.dirty = true;
            m_dirtyWindows.emplace_back(number, static_cast<std::int32_t>(index));
        }
    }
    if (phase + 1 < run.plan->phaseCount) {
        enterPhase(number, position, chunk, phase + 1);
        return;
    }
    --run.members[at(position)].chunksLeft;
    finishIfDone(number, position);
}

} // namespace fabricscope::events
