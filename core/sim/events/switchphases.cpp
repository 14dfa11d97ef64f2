// Phases done by switches, and messages to and from them: part of Engine (engine.h). The rules are innetwork.h.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// The line of an in-network phase that a position is in.
std::int32_t Engine::switchLine(Plan& plan, PhasePlan& phase, std::int32_t position)
{
    if (phase.lines.empty())
        phase.lines.assign(plan.nodes.size(), kNone);
    const std::int32_t lead = phase.at(position, 0);
    std::int32_t& known = phase.lines[static_cast<std::size_t>(lead)];
    if (known != kNone)
        return known;

    std::vector<std::int32_t> positions;
    for (std::int32_t r = 0; r < phase.extent; ++r)
        positions.push_back(phase.at(lead, r));
    known = m_switches.addLine(plan, std::move(positions));
    return known;
}

/// The rank's own part of an in-network phase is there: copies of it start, sums when it was the last.
void Engine::ownInNetwork(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    PhasePlan& plan = run.plan->at(chunk, phase);
    if (plan.kind == PhaseKind::Broadcast && !plan.takesPart(position))
        return;
    SwitchWork work;
    work.run = number;
    work.chunk = chunk;
    work.phase = phase;
    work.stream = run.def->stream;
    work.line = switchLine(*run.plan, plan, position);
    const std::int32_t coordinate = plan.coordinate(position);
    const std::int64_t bytes = held(run, position, chunk, phase);
    if (plan.kind == PhaseKind::AllGather || plan.kind == PhaseKind::Broadcast) {
        if (plan.kind == PhaseKind::Broadcast && coordinate != 0)
            return;
        work.sender = coordinate;
        work.copies = true;
        work.slot = plan.kind == PhaseKind::AllGather ? coordinate : 0;
        work.bytes = plan.kind == PhaseKind::AllGather ? blockBytes(bytes, plan.extent, coordinate) : bytes;
        m_switches.start(work);
        return;
    }

    if (bytes == 0)
        return;
    ++run.members[static_cast<std::size_t>(position)].outstanding; // Until the sum starts: who receives nothing is not done before.
    PhaseState& counter = phaseState(run, plan.at(position, 0), chunk, phase); // `sent` of the first member counts those that are ready.
    if (++counter.sent < static_cast<std::uint32_t>(plan.extent))
        return;
    const auto started = [&] {
        for (std::int32_t r = 0; r < plan.extent; ++r) {
            const std::int32_t member = plan.at(position, r);
            if (--run.members[static_cast<std::size_t>(member)].outstanding == 0)
                finishIfDone(number, member);
        }
    };
    work.reduces = true;
    if (plan.kind == PhaseKind::AllReduce) {
        work.copies = true;
        work.bytes = bytes;
        m_switches.start(work);
        started();
        return;
    }
    for (std::int32_t block = 0; block < plan.extent; ++block) {
        SwitchWork part = work;
        part.slot = block;
        part.receiver = block;
        part.bytes = blockBytes(bytes, plan.extent, block);
        m_switches.start(part);
    }
    started();
}

/// A piece on its way up or down: true when it is at the switch, and is handled there.
bool Engine::crossedSwitch(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop)
{
    Message& message = m_messages[number];
    if (hop > 1) {
        message.left = tail - links[static_cast<std::size_t>(routes.link(routes[message.route], 1))].latency;
        return false;
    }
    m_switches.contribute(message, index, head, tail, m_order);
    if (index + 1 == message.pieces)
        agenda.push(tail, EventKind::Delivered, number);
    return true;
}

/// `ideal`: the message as one piece over one link that is never busy; the down-link is the last.
void Engine::passLink(std::int32_t number, Link& link, std::int64_t head, std::int64_t tail)
{
    Message& message = m_messages[number];
    const std::int64_t duration = costs.occupancy(link.resource, message.bytes);
    addBusy(link, head, head + duration);
    ++link.messages;
    link.bytes += message.bytes;
    link.busy += duration;
    message.left = std::max(head + duration, tail);
    tail = message.left + link.latency;
    head += link.latency;
    if (message.way == SwitchWay::Up) {
        ++m_order;
        leftOwnLink(number);
        crossedSwitch(number, 0, head, tail, 1);
    } else {
        land(number, 0, head, tail, kNone);
    }
}

std::int32_t Engine::sendDown(const Message& message)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    ++messages;
    return number;
}

void Engine::passDown(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail)
{
    if (ideal) {
        passLink(number, links[static_cast<std::size_t>(routes.link(routes[m_messages[number].route], 1))], head, tail);
        return;
    }
    ++m_order;
    const std::int32_t piece = keepPiece(kNone, number, index, head, tail);
    m_pieces[piece].hop = 1;
    agenda.push(head, EventKind::HeadAtLink, piece);
}

/// A message of an in-network collective has been delivered, at the switch or at a receiver.
void Engine::switchDelivered(const Message& message)
{
    if (message.way == SwitchWay::Up)
        return;
    const Switches::Receipt receipt = m_switches.received(message);
    if (receipt.operation == kNone)
        phaseMessageArrived(message);
    else
        teamDelivered(message, receipt);
}

/// Messages a position receives in a phase of a broadcast, or in a phase done by switches.
std::int64_t Engine::expectedReceives(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    PhasePlan& plan = run.plan->at(chunk, phase);
    const std::int64_t bytes = held(run, position, chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    if (plan.kind == PhaseKind::Broadcast && (!plan.takesPart(position) || bytes == 0))
        return 0;
    if (plan.algorithm != Algorithm::InNetwork)
        return coordinate == 0 ? 0 : 1;
    const std::int32_t line = switchLine(*run.plan, plan, position);
    const std::int64_t each = bytes / plan.extent;
    const std::int64_t larger = bytes % plan.extent; // So many blocks have one byte more.
    switch (plan.kind) {
    case PhaseKind::ReduceScatter:
        return m_switches.segments(line, blockBytes(bytes, plan.extent, coordinate));
    case PhaseKind::AllGather:
        return m_switches.segments(line, each) * (plan.extent - larger) + m_switches.segments(line, each + 1) * larger;
    case PhaseKind::AllReduce:
    case PhaseKind::Broadcast:
    case PhaseKind::AllToAll:
        break;
    }
    return m_switches.segments(line, bytes);
}

} // namespace fabricscope::events
