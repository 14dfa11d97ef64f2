// Collectives of one group in issue order: part of Collectives (collectives.h), manual: models 4.
#include "core/sim/events/collectives.h"

#include "core/base/index.h"
#include "core/sim/common/runpace.h"
#include "core/sim/events/network.h"
#include "core/sim/events/tasks.h"

#include <algorithm>

namespace fabricscope::events {

void Collectives::build()
{
    m_runOfInstance.assign(m_given.structure.instances.size(), kNone);
    std::int32_t groupCount = 0;
    for (const GroupFamily& family : m_given.workload.families) {
        m_groupBase.push_back(groupCount);
        groupCount += static_cast<std::int32_t>(family.groupCount());
        m_progress.emplace_back(static_cast<std::size_t>(m_given.workload.rankCount), 0);
        if (m_given.scheduling && m_given.scheduling->streams > 1)
            m_begunByRank.emplace_back(static_cast<std::size_t>(m_given.workload.rankCount), 0);
    }
    m_groups.resize(static_cast<std::size_t>(groupCount));
}

void Collectives::issue(std::int32_t rank, TaskIndex task)
{
    const std::int32_t instance = m_given.structure.instanceOf(rank, task);
    if (instance < 0) {
        m_tasks.end(rank, task);
        return;
    }
    std::int32_t number = m_runOfInstance[at(instance)];
    if (number == kNone)
        number = makeRun(instance);
    Run& run = m_runs[at(number)];
    const std::int64_t position = run.plan ? run.plan->positionOf(rank)
                                           : m_given.workload.families[at(run.def->family)].membership(rank).position;
    assert(position >= 0 && position < run.kept);
    Member& member = run.members[at(position)];
    assert(member.state == MemberState::Absent);
    member.state = MemberState::Issued;
    member.task = task;

    Group& group = m_groups[at(run.group)];
    const bool mayOvertake = m_given.scheduling && (m_given.byPriority || m_given.scheduling->order == TaskOrder::Lifo) && ++run.issued == run.active;
    if (mayOvertake)
        group.complete.push_back(number);
    if (run.place == kNone || mayOvertake) {
        if (run.place == kNone && std::find(group.fresh.begin(), group.fresh.end(), number) == group.fresh.end())
            group.fresh.push_back(number);
        if (!group.dirty) {
            group.dirty = true;
            m_dirtyGroups.push_back(run.group);
        }
    }
    m_entrants.emplace_back(number, static_cast<std::int32_t>(position));
}

/// Sizes of the chunks, and which of them hold the same in every phase.
void Collectives::shapeChunks(Run& run)
{
    const Program& program = *run.plan->program;
    const TemplateBody& body = program.asTemplate();
    const std::int64_t each = run.def->bytes / program.chunks;
    if (body.orderOfChunk.empty() && body.chunkWeights.empty() && each * program.chunks == run.def->bytes) {
        run.shapeBytes = {each};
        run.uniform = each % run.plan->cells == 0;
        return;
    }
    std::map<std::pair<std::int64_t, std::int32_t>, std::int32_t> shapes;
    const std::vector<std::int64_t> sizes = chunkSizes(program, run.def->bytes);
    for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk) {
        const std::int32_t order = body.orderOfChunk.empty() ? 0 : body.orderOfChunk[chunk];
        const auto [shape, added] = shapes.try_emplace({sizes[chunk], order}, static_cast<std::int32_t>(run.shapeBytes.size()));
        if (added) {
            run.shapeBytes.push_back(sizes[chunk]);
            run.uniform = run.uniform && sizes[chunk] % run.plan->cells == 0;
        }
        run.shapeOfChunk.push_back(shape->second);
    }
}

std::int32_t Collectives::activeOf(const Run& run) const
{
    if (run.plan)
        return run.plan->active;
    std::int32_t active = 0;
    for (std::int32_t position = 0; m_folding && position < run.size; ++position) {
        const std::int64_t rank = m_given.workload.families[at(run.def->family)].member(run.def->group, position);
        active += m_folding->rankFor[at(rank)] == rank ? 1 : 0;
    }
    return m_folding ? active : run.size;
}

std::int32_t Collectives::makeRun(std::int32_t instance)
{
    const auto number = static_cast<std::int32_t>(m_runs.size());
    m_runOfInstance[at(instance)] = number;
    Run& run = m_runs.emplace_back();
    run.instance = instance;
    run.def = &m_given.structure.instances[at(instance)];
    run.group = m_groupBase[at(run.def->family)] + static_cast<std::int32_t>(run.def->group);
    const bool moves = run.def->program && run.def->replayPs < 0;
    run.plan = moves ? &m_plans.of(*run.def) : nullptr;
    run.size = moves ? run.plan->size()
                     : static_cast<std::int32_t>(m_given.workload.families[at(run.def->family)].groupSize(run.def->group));
    run.active = activeOf(run);
    run.kept = run.plan ? run.plan->kept : run.size;
    run.members.resize(static_cast<std::size_t>(run.kept));
    run.boxed = moves && m_boxes && m_boxes->takes(run);
    if (moves && !run.boxed) // Else its inside is somebody else's.
        open(run);
    m_runBytes += bytesOf(run);
    return number;
}

std::int64_t Collectives::bytesOf(const Run& run)
{
    return static_cast<std::int64_t>(run.members.size() * sizeof(Member) + run.phases.size() * sizeof(PhaseState) + run.held.size() * sizeof(std::int64_t) + run.operations.size() * sizeof(OperationState)
                                     + run.windows.size() * sizeof(WindowPlace));
}

/// What is kept of the inside of a run that moves something.
void Collectives::open(Run& run)
{
    if (run.plan->operations) {
        const std::size_t count = run.plan->operations->partner.size();
        run.operations.resize(count);
        for (std::size_t operation = 0; operation < count; ++operation)
            run.operations[operation].waitsFor = run.plan->operations->waitsFor[operation];
        const ExplicitPlan& operations = *run.plan->operations;
        const std::vector<std::uint32_t>& begin = run.plan->program->asExplicit().rankBegin;
        for (std::size_t member = 0; member < run.members.size(); ++member)
            run.members[member].chunksLeft = static_cast<std::int32_t>(begin[member + 1] - begin[member]) + (operations.teamParts.empty() ? 0 : operations.teamParts[member]);
        run.sizes = m_plans.sizesOf(*run.def, m_halt.token());
        if (m_halt.token().stop_requested())
            m_halt.fail(stoppedRun());
        return;
    }
    const Program& program = *run.plan->program;
    const auto phases = static_cast<std::size_t>(run.plan->phaseCount);
    const auto members = static_cast<std::size_t>(run.kept);
    run.phases.resize(members * static_cast<std::size_t>(program.chunks) * phases);
    shapeChunks(run);
    run.held.assign(run.shapeBytes.size() * phases * (run.uniform ? 1 : members), -1);
    if (program.window > 0)
        run.windows.resize(members * 2 * program.asTemplate().axes.size());
}

/// Appends what was issued in this instant to the run orders and lets ranks enter.
void Collectives::settleGroups()
{
    for (const std::int32_t number : m_dirtyGroups) {
        Group& group = m_groups[at(number)];
        std::sort(group.fresh.begin(), group.fresh.end(), [this](std::int32_t a, std::int32_t b) {
            return m_runs[at(a)].def->sequence < m_runs[at(b)].def->sequence;
        });
        for (const std::int32_t run : group.fresh) {
            m_runs[at(run)].place = static_cast<std::int32_t>(group.order.size());
            group.order.push_back(run);
        }
        group.fresh.clear();
        group.dirty = false;
        if (!group.complete.empty())
            overtake(group);
    }
    m_dirtyGroups.clear();
    // Until no rank can enter another one; the run orders grow again only after that.
    std::vector<std::pair<std::int32_t, std::int32_t>> entrants;
    while (!m_entrants.empty()) {
        entrants.clear();
        entrants.swap(m_entrants);
        for (const auto& [run, position] : entrants) {
            if (m_halt.look())
                return;
            tryEnter(run, position);
        }
    }
}

void Collectives::tryEnter(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    if (run.released || run.place == kNone)
        return;
    const Member& member = run.members[at(position)];
    if (member.state != MemberState::Issued)
        return;
    const auto family = static_cast<std::size_t>(run.def->family);
    const std::int32_t rank = run.plan ? run.plan->ranks[at(position)]
                                       : static_cast<std::int32_t>(m_given.workload.families[family].member(run.def->group, position));
    const auto place = static_cast<std::size_t>(rank);
    if (nextPlace(family, place) != run.place)
        return;
    if (!m_begunByRank.empty()) {
        if (m_begunByRank[family][place] - m_progress[family][place] >= m_given.scheduling->streams)
            return;
        ++m_begunByRank[family][place];
    }
    m_tasks.collectivesUnderWay(rank, 1);
    const std::int32_t group = run.group;
    run.begun = true;
    enter(number, position);
    if (!m_begunByRank.empty())
        enterNext(group, family, place);
}

/// The rank may enter what comes next in the run order of the group, if it is there and issued.
void Collectives::enterNext(std::int32_t number, std::size_t family, std::size_t rank)
{
    const Group& group = m_groups[at(number)];
    const auto next = static_cast<std::size_t>(nextPlace(family, rank));
    if (next >= group.order.size())
        return;
    const std::int32_t follower = group.order[next];
    const Run& other = m_runs[at(follower)];
    const std::int64_t place = other.plan ? other.plan->positionOf(static_cast<std::int32_t>(rank))
                                          : m_given.workload.families[family].membership(static_cast<std::int64_t>(rank)).position;
    m_entrants.emplace_back(follower, static_cast<std::int32_t>(place));
}

/// Collectives that all members have issued pass those before them that nobody has entered (taskscheduling.h).
void Collectives::overtake(Group& group)
{
    std::sort(group.complete.begin(), group.complete.end(), [this](std::int32_t a, std::int32_t b) {
        return m_runs[at(a)].def->sequence > m_runs[at(b)].def->sequence;
    });
    for (const std::int32_t number : std::exchange(group.complete, {})) {
        Run& run = m_runs[at(number)];
        if (run.begun)
            continue;
        while (run.place > 0) {
            const std::int32_t before = group.order[static_cast<std::size_t>(run.place) - 1];
            Run& other = m_runs[at(before)];
            if (other.begun || (m_given.byPriority && other.def->priority <= run.def->priority))
                break;
            group.order[at(run.place)] = before;
            other.place = run.place--;
            group.order[at(run.place)] = number;
        }
        for (std::int32_t position = 0; position < run.kept; ++position)
            m_entrants.emplace_back(number, position);
    }
}

void Collectives::enter(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    Member& member = run.members[at(position)];
    member.state = MemberState::Entered;
    if (!run.plan) {
        if (run.def->replayPs > 0)
            m_agenda.push(m_agenda.now() + run.def->replayPs, EventKind::MemberDone, number, static_cast<std::uint32_t>(position));
        else
            memberDone(number, position);
        return;
    }
    if (run.boxed)
        enterBox(number, position);
    else
        enterOpen(number, position);
}

/// A member of a collective that goes message by message.
void Collectives::enterOpen(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    Member& member = run.members[at(position)];
    if (run.plan->operations) {
        enterOperations(number, position);
        return;
    }

    const auto chunks = static_cast<std::int32_t>(run.plan->program->chunks);
    std::int32_t filled = 0;
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
        filled += run.isFilled(chunk) ? 1 : 0;
    member.chunksLeft = filled;
    forwardEarly(number, position); // First: with these sent, the member may be done as soon as it has entered.
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
        if (run.isFilled(chunk))
            enterPhase(number, position, chunk, 0);
    }
    if (filled == 0)
        memberDone(number, position);
}

/// A member of a collective that is answered as a whole.
void Collectives::enterBox(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    run.members[at(position)].lastLeft = m_agenda.now();
    const bool all = ++run.entered == run.active;
    const auto forEachMember = [&](auto&& act) {
        for (std::int32_t other = 0; other < run.kept; ++other) {
            if (run.plan->placeOf(other) == other)
                act(other);
        }
    };
    if (all && m_boxes->leaves(run)) {
        run.boxed = false;
        m_runBytes -= bytesOf(run);
        open(run);
        m_runBytes += bytesOf(run);
        forEachMember([&](std::int32_t other) {
            m_runs[at(number)].members[at(other)].lastLeft = Member().lastLeft;
            enterOpen(number, other);
        });
        return;
    }
    if (m_agenda.isRepeated()) {
        m_halt.fail(Error{ErrorCode::Unsupported, "a rank enters a collective after work that takes no time", {}, {}});
        return;
    }
    if (!all)
        return;
    if (Status status = m_boxes->answer(run); !status) {
        m_halt.fail(std::move(status).error());
        return;
    }
    forEachMember([&](std::int32_t other) { m_agenda.push(run.members[at(other)].lastLeft, EventKind::MemberDone, number, static_cast<std::uint32_t>(other)); });
}

void Collectives::finishIfDone(std::int32_t number, std::int32_t position)
{
    const Member& member = m_runs[at(number)].members[at(position)];
    if (member.chunksLeft > 0 || member.outstanding > 0)
        return;
    if (member.lastLeft > m_agenda.now())
        m_agenda.push(member.lastLeft, EventKind::MemberDone, number, static_cast<std::uint32_t>(position));
    else
        memberDone(number, position);
}

/// The rank is done with the collective and may enter the next one of the group.
void Collectives::memberDone(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    Member& member = run.members[at(position)];
    assert(member.state == MemberState::Entered);
    member.state = MemberState::Done;
    m_lateMembers = m_lateMembers || m_agenda.isRepeated();
    const auto family = static_cast<std::size_t>(run.def->family);
    const std::int32_t rank = run.plan ? run.plan->ranks[at(position)]
                                       : static_cast<std::int32_t>(m_given.workload.families[family].member(run.def->group, position));
    m_tasks.collectivesUnderWay(rank, -1);
    m_tasks.end(rank, member.task);

    ++m_progress[family][at(rank)];
    enterNext(run.group, family, static_cast<std::size_t>(rank));
    if (++run.membersDone == run.active) {
        m_runBytes -= bytesOf(run);
        run.released = true;
        run.members = {};
        run.phases = {};
        run.held = {};
        run.shapeOfChunk = {};
        run.shapeBytes = {};
        run.operations = {};
        run.waitingSums = {};
        run.windows = {};
    }
}

void Collectives::left(const Message& message)
{
    if (const auto* const send = std::get_if<OfOperation>(&message.of))
        operationDone(send->run, send->operation);
    else
        phaseMessageLeft(message);
}

const Run* Collectives::before(const Run& run, std::int32_t rank) const
{
    const auto family = static_cast<std::size_t>(run.def->family);
    const auto place = static_cast<std::size_t>(rank);
    // With several streams the latest it has entered stands for all it is in.
    const std::int32_t done = m_begunByRank.empty() ? m_progress[family][place] : std::max(m_begunByRank[family][place] - 1, 0);
    if (run.place == kNone || done >= run.place)
        return nullptr;
    return &m_runs[at(m_groups[at(run.group)].order[at(done)])];
}

} // namespace fabricscope::events
