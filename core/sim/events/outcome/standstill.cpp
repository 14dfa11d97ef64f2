#include "core/sim/events/outcome/standstill.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope::events {

namespace {

constexpr std::size_t kNamedRanks = 4;

std::string upper(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
}

std::string ranksText(const std::vector<std::int32_t>& ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < kNamedRanks; ++i)
        text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
    if (ranks.size() > kNamedRanks)
        text += " and " + std::to_string(ranks.size() - kNamedRanks) + " more";
    return text;
}

std::string taskText(const EngineState& state, std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = state.workload.graph(rank);
    const auto i = static_cast<std::size_t>(task);
    std::string text;
    switch (graph.kind[i]) {
    case TaskKind::Send:
        text = "send to rank " + std::to_string(graph.peerRank(task, rank)) + ", tag " + std::to_string(graph.tag[i]);
        break;
    case TaskKind::Receive:
        text = "receive from rank " + std::to_string(graph.peerRank(task, rank)) + ", tag " + std::to_string(graph.tag[i]);
        break;
    case TaskKind::Collective:
        text = upper(collectiveKey(graph.op[i]));
        break;
    default:
        text = "task";
    }
    if (const std::string_view name = graph.name(task); !name.empty())
        text += " '" + std::string(name) + "'";
    return text;
}

/// The message a task of `rank` waits for that has no way; null: there is none.
const Transfers::Blocked* blockedMessage(const EngineState& state, std::int32_t run, std::int32_t rank, std::int32_t peer)
{
    const Transfers::Blocked* found = nullptr;
    if (!state.transfers)
        return found;
    for (const Transfers::Blocked& blocked : state.transfers->blocked()) {
        const bool own = blocked.source == rank || blocked.target == rank;
        const bool pair = own && (blocked.source == peer || blocked.target == peer);
        // Of a collective, the messages of the rank itself before those of others.
        if (blocked.run == run && (run == kNone ? pair : (own || !found)))
            found = &blocked;
        if (found && own && blocked.run == run)
            break;
    }
    return found;
}

std::string noWayText(const EngineState& state, const Transfers::Blocked& blocked)
{
    return "there is no way from rank " + std::to_string(blocked.source) + " to rank " + std::to_string(blocked.target) + ": link "
        + state.structure.platform.linkName(blocked.link) + " failed at " + showTime(SimTime{blocked.since});
}

/// First task of a rank that was issued and has not ended; else the first that has not ended.
TaskIndex stuckTask(const EngineState& state, std::int32_t rank)
{
    TaskIndex first = kNone;
    for (TaskIndex task = 0; task < state.workload.graph(rank).size(); ++task) {
        if (state.tasks.ends(rank)[at(task)] >= 0)
            continue;
        if (state.tasks.issues(rank)[at(task)] >= 0)
            return task;
        if (first == kNone)
            first = task;
    }
    return first;
}

std::int32_t memberRank(const EngineState& state, const Run& run, std::int32_t position)
{
    if (run.plan)
        return run.plan->ranks[at(position)];
    return static_cast<std::int32_t>(state.workload.families[at(run.def->family)].member(run.def->group, position));
}

std::string nodeText(const EngineState& state, std::int32_t rank, TaskIndex task)
{
    return taskText(state, rank, task) + " (node " + std::to_string(state.workload.graph(rank).sourceId[at(task)]) + ")";
}

void explainCollective(const EngineState& state, std::int32_t rank, TaskIndex task, Wait& wait)
{
    const std::int32_t instance = state.structure.instanceOf(rank, task);
    const std::int32_t number = instance < 0 ? kNone : state.collectives.runOfInstance(instance);
    if (number == kNone)
        return;
    const Run& run = state.collectives.runs()[at(number)];
    wait.task += " in group " + std::to_string(run.def->group);
    std::vector<std::int32_t> missing;
    for (std::int32_t position = 0; position < run.kept; ++position) {
        const MemberState member = run.members[at(position)].state;
        if (member == MemberState::Absent || member == MemberState::Issued) {
            const std::int32_t other = memberRank(state, run, position);
            if (other != rank)
                missing.push_back(other);
        }
    }
    std::sort(missing.begin(), missing.end());

    if (const Run* const first = state.collectives.before(run, rank)) { // Behind another collective of the group.
        const Run& before = *first;
        std::vector<std::int32_t> holders;
        for (std::int32_t position = 0; !before.released && position < before.kept; ++position) {
            const std::int32_t other = memberRank(state, before, position);
            if (other != rank && before.members[at(position)].state == MemberState::Entered)
                holders.push_back(other);
        }
        wait.onRanks = holders;
        wait.reason = "the group runs another collective first (its number " + std::to_string(before.def->sequence) + ")";
        if (!holders.empty())
            wait.reason += ", which " + ranksText(holders) + " entered";
        return;
    }
    if (const Transfers::Blocked* const blocked = blockedMessage(state, number, rank, kNone)) {
        wait.reason = noWayText(state, *blocked);
        return;
    }
    if (missing.empty()) {
        wait.reason = "messages of this collective that never come";
        return;
    }
    wait.onRanks = missing;
    wait.reason = ranksText(missing) + (missing.size() == 1 ? " has" : " have") + " not entered";
    const std::int32_t first = missing.front();
    const TaskIndex busy = stuckTask(state, first);
    if (busy == kNone)
        wait.reason += "; rank " + std::to_string(first) + " has finished";
    else
        wait.reason += "; rank " + std::to_string(first) + " is in " + nodeText(state, first, busy);
}

Wait waitOf(const EngineState& state, std::int32_t rank)
{
    Wait wait;
    wait.rank = rank;
    const TaskIndex task = stuckTask(state, rank);
    if (task == kNone)
        return wait;
    const RankGraph& graph = state.workload.graph(rank);
    wait.node = graph.sourceId[at(task)];
    wait.task = taskText(state, rank, task);
    if (state.tasks.issues(rank)[at(task)] < 0) {
        wait.reason = state.tasks.waitsFor(rank, task) == 0 ? "all units of the NPU are taken" : "its dependencies form a cycle";
        return wait;
    }
    if (graph.kind[at(task)] == TaskKind::Collective) {
        explainCollective(state, rank, task, wait);
        return wait;
    }
    const TaskKind kind = graph.kind[at(task)];
    if (kind == TaskKind::MemoryLoad || kind == TaskKind::MemoryStore) {
        wait.onRanks = state.tasks.missing(rank, task);
        wait.reason = wait.onRanks.empty() ? std::string("an access to remote memory that never ends")
                                           : ranksText(wait.onRanks) + (wait.onRanks.size() == 1 ? " has" : " have") + " not loaded the own shard";
        return wait;
    }
    if (kind != TaskKind::Send && kind != TaskKind::Receive) {
        wait.reason = "it never ends";
        return wait;
    }
    const std::int32_t peer = graph.peerRank(task, rank);
    const bool sends = graph.kind[at(task)] == TaskKind::Send;
    if (const Transfers::Blocked* const blocked = blockedMessage(state, kNone, rank, peer)) {
        wait.reason = noWayText(state, *blocked);
        return wait;
    }
    wait.onRanks.push_back(peer);
    wait.reason = "rank " + std::to_string(peer) + (sends ? " has not posted the receive" : " has not sent");
    const TaskIndex busy = stuckTask(state, peer);
    if (busy == kNone)
        wait.reason += "; it has finished";
    else
        wait.reason += "; it is in " + nodeText(state, peer, busy);
    return wait;
}

/// Ranks of a ring of waits, found by following the first rank each one waits for.
std::vector<std::int32_t> findRing(const std::vector<Wait>& waits, std::int32_t rankCount)
{
    std::vector<std::int32_t> next(static_cast<std::size_t>(rankCount), kNone);
    std::vector<std::int32_t> seen(static_cast<std::size_t>(rankCount), kNone);
    for (const Wait& wait : waits) {
        if (!wait.onRanks.empty())
            next[at(wait.rank)] = wait.onRanks.front();
    }
    for (const Wait& wait : waits) {
        std::int32_t rank = wait.rank;
        while (rank != kNone && seen[at(rank)] == kNone) {
            seen[at(rank)] = wait.rank;
            rank = next[at(rank)];
        }
        if (rank == kNone || seen[at(rank)] != wait.rank)
            continue;
        std::vector<std::int32_t> ring{rank};
        for (std::int32_t other = next[at(rank)]; other != rank; other = next[at(other)])
            ring.push_back(other);
        return ring;
    }
    return {};
}

} // namespace

std::vector<Wait> findWaits(const EngineState& state)
{
    std::vector<Wait> waits;
    for (std::int32_t rank = 0; rank < state.workload.rankCount; ++rank) {
        if (state.tasks.left(rank) > 0)
            waits.push_back(waitOf(state, rank));
    }
    const std::vector<std::int32_t> ring = findRing(waits, state.workload.rankCount);
    std::vector<std::int32_t> place(static_cast<std::size_t>(state.workload.rankCount), state.workload.rankCount);
    for (std::size_t i = 0; i < ring.size(); ++i)
        place[at(ring[i])] = static_cast<std::int32_t>(i);
    std::stable_sort(waits.begin(), waits.end(), [&place](const Wait& a, const Wait& b) {
        return place[at(a.rank)] < place[at(b.rank)];
    });
    return waits;
}

} // namespace fabricscope::events
