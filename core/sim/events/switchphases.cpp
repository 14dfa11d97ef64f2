// Phases done by switches: part of Collectives (collectives.h). The rules are innetwork.h.
#include "core/base/index.h"
#include "core/sim/events/collectives.h"

namespace fabricscope::events {

/// The line of an in-network phase that a position is in.
std::int32_t Collectives::switchLine(Plan& plan, PhasePlan& phase, std::int32_t position)
{
    if (phase.lines.empty())
        phase.lines.assign(plan.nodes.size(), kNone);
    const std::int32_t lead = phase.at(position, 0);
    std::int32_t& known = phase.lines[at(lead)];
    if (known != kNone)
        return known;

    std::vector<std::int32_t> positions;
    for (std::int32_t r = 0; r < phase.extent; ++r)
        positions.push_back(phase.at(lead, r));
    known = m_switches.addLine(plan, std::move(positions));
    return known;
}

/// The rank's own part of an in-network phase is there: copies of it start, sums when it was the last.
void Collectives::ownInNetwork(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = m_runs[at(number)];
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
    ++run.members[at(position)].outstanding; // Until the sum starts: who receives nothing is not done before.
    PhaseState& counter = phaseState(run, plan.at(position, 0), chunk, phase); // `sent` of the first member counts those that are ready.
    if (++counter.sent < static_cast<std::uint32_t>(plan.extent))
        return;
    const auto started = [&] {
        for (std::int32_t r = 0; r < plan.extent; ++r) {
            const std::int32_t member = plan.at(position, r);
            if (--run.members[at(member)].outstanding == 0)
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

/// A message from a switch has been delivered.
void Collectives::switchDelivered(const Message& message)
{
    const Switches::Receipt receipt = m_switches.received(message);
    if (receipt.operation == kNone)
        phaseMessageArrived(message.run(), message);
    else
        teamDelivered(message, receipt);
}

/// Messages a position receives in a phase of a broadcast, or in a phase done by switches.
std::int64_t Collectives::expectedReceives(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    PhasePlan& plan = run.plan->at(chunk, phase);
    const std::int64_t bytes = held(run, position, chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    if (plan.kind == PhaseKind::Broadcast && (!plan.takesPart(position) || bytes == 0))
        return 0;
    if (plan.sequence != Sequence::InSwitch)
        return coordinate == 0 ? 0 : 1;
    const std::int32_t line = switchLine(*run.plan, plan, position);
    const std::int64_t each = bytes / plan.extent;
    const std::int64_t larger = bytes % plan.extent; // So many blocks have one byte more.
    switch (plan.kind) {
    case PhaseKind::ReduceScatter:
        return m_switches.segments(line, blockBytes(bytes, plan.extent, coordinate), false);
    case PhaseKind::AllGather:
        return m_switches.segments(line, each, false) * (plan.extent - larger) + m_switches.segments(line, each + 1, false) * larger;
    case PhaseKind::AllReduce:
    case PhaseKind::Broadcast:
    case PhaseKind::AllToAll:
        break;
    }
    return m_switches.segments(line, bytes, plan.kind == PhaseKind::AllReduce);
}

} // namespace fabricscope::events
