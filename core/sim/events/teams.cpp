// SwitchReduce and SwitchMulticast of explicit bodies: part of Collectives (collectives.h). What switches do is innetwork.h.
#include "core/base/index.h"
#include "core/sim/events/collectives.h"

#include <algorithm>
#include <utility>

namespace fabricscope::events {

/// The line of a team of the program.
std::int32_t Collectives::teamLine(Plan& plan, std::int32_t team)
{
    const std::vector<std::vector<std::int32_t>>& teams = plan.program->asExplicit().teams;
    plan.lineOfTeam.resize(teams.size(), kNone);
    std::int32_t& known = plan.lineOfTeam[at(team)];
    if (known == kNone)
        known = m_switches.addLine(plan, teams[at(team)]);
    return known;
}

/// A sum starts when all members have entered: what it reads is there then. A copy starts at once.
void Collectives::startTeamOperation(std::int32_t number, std::int32_t index)
{
    Run& run = m_runs[at(number)];
    const auto op = static_cast<std::size_t>(index);
    const ExplicitBody& body = run.plan->program->asExplicit();
    if (body.sourceBuffer[op] == BufferKind::Fused) { // It went with the sum before it.
        m_doneOperations.push_back({number, index});
        return;
    }
    const bool sums = body.kind[op] == OpKind::SwitchReduce;
    const std::vector<std::int32_t>& team = body.teams[at(body.peer[op])];
    if (sums && std::any_of(team.begin(), team.end(), [&run](std::int32_t member) { return run.members[at(member)].state < MemberState::Entered; })) {
        run.waitingSums.push_back(index);
        return;
    }
    const std::int32_t owner = run.plan->operations->rank[op];
    const OpTags tags = body.tagsOf(op);
    SwitchWork work;
    work.run = number;
    work.stream = run.def->stream;
    work.operation = index;
    work.owner = static_cast<std::int32_t>(std::lower_bound(team.begin(), team.end(), owner) - team.begin());
    work.chunk = std::max<std::int32_t>(body.tags.empty() ? body.chunk[op] : tags.instance, 0);
    work.phase = std::max<std::int32_t>(tags.phase, 0);
    work.step = body.step[op];
    work.slot = body.slotOf(op);
    work.bytes = run.sizes->of(op);
    work.reduces = sums;
    work.copies = !sums || body.passesSumOn(op);
    work.sender = sums ? -1 : work.owner;
    work.receiver = work.copies ? -1 : work.owner;
    work.line = teamLine(*run.plan, body.peer[op]);
    const bool empty = work.bytes == 0;
    if (!empty) {
        m_switches.start(work);
        if (m_halt.isDue())
            return;
    }
    for (const std::int32_t member : team) { // From here on what a member sends is counted as outstanding.
        if (sums || member == owner)
            partOfTeamDone(number, member);
        if (empty && work.copies)
            partOfTeamDone(number, member);
    }
    if (empty)
        m_doneOperations.push_back({number, index});
}

/// A contribution of the member has started, or a copy for it has come (ExplicitPlan::teamParts).
void Collectives::partOfTeamDone(std::int32_t number, std::int32_t position)
{
    Member& member = m_runs[at(number)].members[at(position)];
    if (--member.chunksLeft == 0 && member.state == MemberState::Entered)
        finishIfDone(number, position);
}

/// A member has entered: sums that waited for it may start.
void Collectives::startWaitingSums(std::int32_t number)
{
    const std::vector<std::int32_t> waiting = std::exchange(m_runs[at(number)].waitingSums, {});
    for (const std::int32_t operation : waiting)
        startTeamOperation(number, operation);
}

/// A message of the operation has come to a receiver.
void Collectives::teamDelivered(const Message& message, const Switches::Receipt& receipt)
{
    if (!receipt.isWhole)
        return;
    if (receipt.copies)
        partOfTeamDone(message.run(), message.target);
    if (receipt.atOwner)
        operationDone(message.run(), receipt.operation);
}

} // namespace fabricscope::events
