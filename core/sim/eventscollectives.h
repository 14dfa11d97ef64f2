#pragma once

// Collectives of one group in issue order: part of Engine (eventsengine.h), physical_semantics section 4.

namespace fabricscope::events {

template <typename Queue>
void Engine<Queue>::issueCollective(std::int32_t rank, TaskIndex task)
{
    const std::int32_t instance = structure.instanceOf(rank, task);
    if (instance < 0) {
        taskEnd(rank, task);
        return;
    }
    std::int32_t number = runOfInstance[static_cast<std::size_t>(instance)];
    if (number == kNone)
        number = makeRun(instance);
    Run& run = runs[static_cast<std::size_t>(number)];
    const std::int64_t position = run.plan ? run.plan->positionOf(rank)
                                           : workload.families[static_cast<std::size_t>(run.def->family)].membership(rank).position;
    assert(position >= 0 && position < run.size);
    Member& member = run.members[static_cast<std::size_t>(position)];
    assert(member.state == MemberState::Absent);
    member.state = MemberState::Issued;
    member.task = task;

    Group& group = groups[static_cast<std::size_t>(run.group)];
    if (run.place == kNone) {
        if (std::find(group.fresh.begin(), group.fresh.end(), number) == group.fresh.end())
            group.fresh.push_back(number);
        if (!group.dirty) {
            group.dirty = true;
            m_dirtyGroups.push_back(run.group);
        }
    }
    m_entrants.emplace_back(number, static_cast<std::int32_t>(position));
}

template <typename Queue>
std::int32_t Engine<Queue>::makeRun(std::int32_t instance)
{
    const auto number = static_cast<std::int32_t>(runs.size());
    runOfInstance[static_cast<std::size_t>(instance)] = number;
    Run& run = runs.emplace_back();
    run.instance = instance;
    run.def = &structure.instances[static_cast<std::size_t>(instance)];
    run.group = groupBase[static_cast<std::size_t>(run.def->family)] + static_cast<std::int32_t>(run.def->group);
    const bool moves = run.def->program && run.def->replayPs < 0;
    run.plan = moves ? &plans.of(*run.def) : nullptr;
    run.size = moves ? run.plan->size()
                     : static_cast<std::int32_t>(workload.families[static_cast<std::size_t>(run.def->family)].groupSize(run.def->group));
    run.members.resize(static_cast<std::size_t>(run.size));
    if (moves && run.plan->operations) {
        const std::size_t count = run.plan->operations->partner.size();
        run.operations.resize(count);
        for (std::size_t operation = 0; operation < count; ++operation)
            run.operations[operation].waitsFor = run.plan->operations->waitsFor[operation];
    } else if (moves) {
        const Program& program = *run.plan->program;
        const std::size_t phases = run.plan->phases.size();
        const auto members = static_cast<std::size_t>(run.size);
        run.phases.resize(members * static_cast<std::size_t>(program.chunks) * phases);
        run.smallChunk = run.def->bytes / program.chunks;
        for (std::size_t size = 0; size < 2; ++size)
            run.uniform[size] = (run.smallChunk + static_cast<std::int64_t>(size)) % run.plan->cells == 0;
        const bool uniform = run.uniform[0] && (run.uniform[1] || run.def->bytes % program.chunks == 0);
        run.held.assign(2 * phases * (uniform ? 1 : members), -1);
        run.uniform[0] = run.uniform[1] = uniform;
        if (program.window > 0)
            run.windows.resize(members * 2 * program.asTemplate().axes.size());
    }
    runBytes += static_cast<std::int64_t>(run.members.size() * sizeof(Member) + run.phases.size() * sizeof(PhaseState)
                                          + run.held.size() * sizeof(std::int64_t) + run.operations.size() * sizeof(OperationState)
                                          + run.windows.size() * sizeof(WindowPlace));
    return number;
}

/// Appends what was issued in this instant to the run orders and lets ranks enter.
template <typename Queue>
void Engine<Queue>::settleGroups()
{
    for (const std::int32_t number : m_dirtyGroups) {
        Group& group = groups[static_cast<std::size_t>(number)];
        std::sort(group.fresh.begin(), group.fresh.end(), [this](std::int32_t a, std::int32_t b) {
            return runs[static_cast<std::size_t>(a)].def->sequence < runs[static_cast<std::size_t>(b)].def->sequence;
        });
        for (const std::int32_t run : group.fresh) {
            runs[static_cast<std::size_t>(run)].place = static_cast<std::int32_t>(group.order.size());
            group.order.push_back(run);
        }
        group.fresh.clear();
        group.dirty = false;
    }
    m_dirtyGroups.clear();
    // Until no rank can enter another one; the run orders grow again only after that.
    std::vector<std::pair<std::int32_t, std::int32_t>> entrants;
    while (!m_entrants.empty()) {
        entrants.clear();
        entrants.swap(m_entrants);
        for (const auto& [run, position] : entrants) {
            if (look())
                return;
            tryEnter(run, position);
        }
    }
}

template <typename Queue>
void Engine<Queue>::tryEnter(std::int32_t number, std::int32_t position)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    if (run.released || run.place == kNone)
        return;
    const Member& member = run.members[static_cast<std::size_t>(position)];
    if (member.state != MemberState::Issued)
        return;
    const auto family = static_cast<std::size_t>(run.def->family);
    const std::int32_t rank = run.plan ? run.plan->ranks[static_cast<std::size_t>(position)]
                                       : static_cast<std::int32_t>(workload.families[family].member(run.def->group, position));
    if (progress[family][static_cast<std::size_t>(rank)] == run.place)
        enter(number, position);
}

template <typename Queue>
void Engine<Queue>::enter(std::int32_t number, std::int32_t position)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    Member& member = run.members[static_cast<std::size_t>(position)];
    member.state = MemberState::Entered;
    if (!run.plan) {
        if (run.def->replayPs > 0)
            push(now + run.def->replayPs, EventKind::MemberDone, number, static_cast<std::uint32_t>(position));
        else
            memberDone(number, position);
        return;
    }
    if (run.plan->operations) {
        enterOperations(number, position);
        return;
    }

    const auto chunks = static_cast<std::int32_t>(run.plan->program->chunks);
    std::int32_t filled = 0;
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
        filled += blockBytes(run.def->bytes, chunks, chunk) > 0 ? 1 : 0;
    member.chunksLeft = filled;
    forwardEarly(number, position); // First: with these sent, the member may be done as soon as it has entered.
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
        if (blockBytes(run.def->bytes, chunks, chunk) == 0)
            continue;
        enterPhase(number, position, chunk, 0);
    }
    if (filled == 0)
        memberDone(number, position);
}

template <typename Queue>
void Engine<Queue>::finishIfDone(std::int32_t number, std::int32_t position)
{
    const Member& member = runs[static_cast<std::size_t>(number)].members[static_cast<std::size_t>(position)];
    if (member.chunksLeft > 0 || member.outstanding > 0)
        return;
    if (member.lastLeft > now)
        push(member.lastLeft, EventKind::MemberDone, number, static_cast<std::uint32_t>(position));
    else
        memberDone(number, position);
}

/// The rank is done with the collective and may enter the next one of the group.
template <typename Queue>
void Engine<Queue>::memberDone(std::int32_t number, std::int32_t position)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    Member& member = run.members[static_cast<std::size_t>(position)];
    assert(member.state == MemberState::Entered);
    member.state = MemberState::Done;
    const auto family = static_cast<std::size_t>(run.def->family);
    const std::int32_t rank = run.plan ? run.plan->ranks[static_cast<std::size_t>(position)]
                                       : static_cast<std::int32_t>(workload.families[family].member(run.def->group, position));
    taskEnd(rank, member.task);

    const Group& group = groups[static_cast<std::size_t>(run.group)];
    const auto next = static_cast<std::size_t>(++progress[family][static_cast<std::size_t>(rank)]);
    if (next < group.order.size()) {
        const std::int32_t follower = group.order[next];
        const Run& other = runs[static_cast<std::size_t>(follower)];
        const std::int64_t place = other.plan ? other.plan->positionOf(rank) : workload.families[family].membership(rank).position;
        m_entrants.emplace_back(follower, static_cast<std::int32_t>(place));
    }
    if (++run.membersDone == run.size) {
        runBytes -= static_cast<std::int64_t>(run.members.size() * sizeof(Member) + run.phases.size() * sizeof(PhaseState)
                                              + run.held.size() * sizeof(std::int64_t) + run.operations.size() * sizeof(OperationState)
                                              + run.windows.size() * sizeof(WindowPlace));
        run.released = true;
        run.members = {};
        run.phases = {};
        run.held = {};
        run.operations = {};
        run.windows = {};
    }
}

} // namespace fabricscope::events
