// What a run of the astra-* engine leaves behind: times, statistics (manual: astra 8), and who waits for whom.
#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/sim/astra/ranks.h"

#include "core/sim/common/runpace.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace fabricscope {

namespace {

/// Everything of a rank's result as words, so that equal ranks have equal digests.
void addTimes(std::vector<std::int64_t>& words, const RankTimes& times)
{
    words.insert(words.end(), {times.finished ? 1 : 0, times.finish.ps, times.exposedComm.ps, times.compute.ps, times.comm.ps, times.host.ps,
                               times.memory.ps});
    for (const double value : {times.computeBoundShare, times.computeUtilisation, times.memoryUtilisation, times.operationIntensity})
        words.push_back(std::bit_cast<std::int64_t>(value));
}

/// Ranks that rank 0 stands for.
std::int32_t copiesOf(const std::vector<std::int32_t>* symmetric)
{
    return symmetric ? std::accumulate(symmetric->begin(), symmetric->end(), 1, std::multiplies<>()) : 1;
}

std::string idText(std::uint64_t id)
{
    return "node " + std::to_string(id);
}

} // namespace

RankTimes AstraRanks::timesOf(const Rank& state, bool cut) const
{
    const std::int64_t now = m_queue.now();
    const std::int64_t finish = cut && !state.finished ? now : state.finish;
    const auto length = [&](Type type) {
        const Union& use = state.use[at(static_cast<int>(type))];
        return nanoseconds(use.total + (cut && use.open > 0 ? now - use.since : 0));
    };
    RankTimes times;
    times.finished = state.finished;
    times.finish = nanoseconds(finish);
    // Durations of compute count from their start, so what is left of a running one is not covered yet.
    times.exposedComm = nanoseconds(cut ? std::max<std::int64_t>(finish - state.computeSum, 0) : finish - state.computeSum);
    times.host = length(Type::Host);
    times.compute = length(Type::Compute);
    times.comm = length(Type::Communication);
    times.memory = length(Type::Memory);
    if (m_system.roofline) {
        const double all = 1.0 + static_cast<double>(state.countedNs);
        times.computeBoundShare = state.boundNs / all;
        times.computeUtilisation = state.computeNs / all;
        times.memoryUtilisation = state.memoryNs / all;
        times.operationIntensity = state.intensityNs / all;
    }
    return times;
}

std::vector<std::int32_t> AstraRanks::finishOrder(const std::vector<std::int32_t>* symmetric) const
{
    if (!symmetric || m_finishOrder.empty())
        return m_finishOrder;
    std::vector<std::int32_t> order;
    for (std::int32_t rank = 0; rank < copiesOf(symmetric); ++rank)
        order.push_back(movedAlong(rank, m_finishShift, *symmetric));
    return order;
}

Result<Digest> AstraRanks::report(RecordBuilder& builder, bool taskTimes, const std::vector<std::int32_t>* symmetric, bool cut) const
{
    const std::int32_t copies = copiesOf(symmetric);
    builder.setFinishOrder(finishOrder(symmetric));
    CommutativeDigest fingerprint;
    std::map<Digest, std::size_t> classes;
    std::vector<std::int64_t> words;
    for (std::int32_t rank = 0; rank < m_npus; ++rank) {
        const Rank& state = m_ranks[at(rank)];
        if (m_stop.stop_requested() && !cut)
            return stoppedRun();
        const RankTimes times = timesOf(state, cut);
        words.clear();
        addTimes(words, times);
        const std::shared_ptr<TaskTimes> told = cut ? std::make_shared<TaskTimes>(*state.times) : state.times;
        TaskTimes& own = *told;
        for (TaskIndex task = 0; task < state.graph->size(); ++task) {
            std::int64_t& issued = own.issuePs[at(task)];
            std::int64_t& ended = own.endPs[at(task)];
            issued = issued < 0 ? -1 : issued * kPsPerNs;
            ended = ended < 0 ? -1 : ended * kPsPerNs;
            for (std::int32_t copy = 0; copy < copies && !cut; ++copy) {
                const std::int64_t row[] = {rank + copy, static_cast<std::int64_t>(state.graph->sourceId[at(task)]), issued, ended};
                fingerprint.add(row);
            }
        }
        words.insert(words.end(), own.issuePs.begin(), own.issuePs.end());
        words.insert(words.end(), own.endPs.begin(), own.endPs.end());
        const auto [known, fresh] = classes.try_emplace(digestOf(words), 0);
        if (fresh)
            known->second = builder.addClass(0, times, taskTimes ? told : nullptr);
        for (std::int32_t copy = 0; copy < copies; ++copy)
            builder.addRank(known->second, rank + copy);
    }
    return fingerprint.value();
}

std::string AstraRanks::taskText(std::int32_t rank, TaskIndex task) const
{
    const RankGraph& graph = *m_ranks[at(rank)].graph;
    static constexpr const char* kKinds[] = {"COMP", "MEM_LOAD", "MEM_STORE", "SEND", "RECV", "", "METADATA", "INVALID"};
    std::string text;
    if (graph.kind[at(task)] == TaskKind::Collective) {
        for (const char letter : collectiveKey(graph.op[at(task)]))
            text += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    } else {
        text = kKinds[at(graph.kind[at(task)])];
    }
    if (const std::string_view name = graph.name(task); !name.empty())
        text += " '" + std::string(name) + '\'';
    if (graph.kind[at(task)] == TaskKind::Collective) {
        const GroupFamily& family = m_workload.families[at(graph.family[at(task)])];
        text += family.isWorld() ? " of all ranks" : " in group " + family.name();
    }
    return text;
}

/// "it is in ALL_GATHER node 4", for a rank somebody waits for.
std::string AstraRanks::doingText(std::int32_t rank) const
{
    const Rank& state = m_ranks[at(rank)];
    if (state.finished)
        return "it has finished";
    const TaskIndex task = blockingTask(state);
    if (task < 0)
        return "it waits for nodes of its own that depend on one another";
    return "it is in " + taskText(rank, task) + " (" + idText(state.graph->sourceId[at(task)]) + ')';
}

/// What keeps a rank from going on: what it has issued and not ended. A collective or send in the way says more than the
/// receives that wait beside it.
TaskIndex AstraRanks::blockingTask(const Rank& state) const
{
    const RankGraph& graph = *state.graph;
    TaskIndex first = -1;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (state.times->issuePs[at(task)] < 0 || state.times->endPs[at(task)] >= 0)
            continue;
        if (first < 0 || (graph.kind[at(first)] == TaskKind::Receive && graph.kind[at(task)] != TaskKind::Receive))
            first = task;
    }
    return first;
}

Wait AstraRanks::waitOf(std::int32_t rank) const
{
    const Rank& state = m_ranks[at(rank)];
    const RankGraph& graph = *state.graph;
    Wait wait;
    wait.rank = rank;
    TaskIndex first = blockingTask(state);
    if (first < 0) {
        for (TaskIndex task = 0; task < graph.size() && first < 0; ++task) {
            if (state.times->endPs[at(task)] < 0)
                first = task;
        }
        wait.node = graph.sourceId[at(first)];
        wait.task = taskText(rank, first);
        wait.onRanks = {rank};
        for (const TaskIndex on : graph.dependencies(first)) {
            if (state.times->endPs[at(on)] < 0) {
                wait.reason = "depends on " + idText(graph.sourceId[at(on)]) + " of the same rank, which never starts";
                break;
            }
        }
        return wait;
    }
    wait.node = graph.sourceId[at(first)];
    wait.task = taskText(rank, first);
    const TaskKind kind = graph.kind[at(first)];
    if (kind == TaskKind::Collective) {
        AstraCollectives::Standstill found = m_collectives->explain(rank, first);
        wait.onRanks = std::move(found.onRanks);
        wait.reason = std::move(found.reason);
        if (found.tellWhere)
            wait.reason += "; rank " + std::to_string(wait.onRanks.front()) + ": " + doingText(wait.onRanks.front());
    } else if (kind == TaskKind::Send || kind == TaskKind::Receive) {
        const std::int32_t peer = graph.peerRank(first, rank);
        wait.onRanks = {peer};
        wait.reason = "no matching " + std::string(kind == TaskKind::Receive ? "SEND from" : "RECV on") + " rank " + std::to_string(peer) + " with tag "
            + std::to_string(graph.tag[at(first)]) + " and " + std::to_string(graph.bytes[at(first)]) + " bytes; " + doingText(peer);
    }
    return wait;
}

std::vector<Wait> AstraRanks::waits() const
{
    std::map<std::int32_t, Wait> all;
    for (std::int32_t rank = 0; rank < m_npus; ++rank) {
        if (!m_ranks[at(rank)].finished)
            all.emplace(rank, waitOf(rank));
    }
    // Follow the first rank each one waits for: the walk ends in a ring or at a rank that has finished.
    std::vector<std::int32_t> ring;
    std::set<std::int32_t> seen;
    for (const auto& [start, ignored] : all) {
        std::vector<std::int32_t> path;
        std::int32_t here = start;
        while (true) {
            const auto wait = all.find(here);
            if (wait == all.end() || wait->second.onRanks.empty())
                break;
            if (const auto back = std::find(path.begin(), path.end(), here); back != path.end()) {
                ring.assign(back, path.end());
                break;
            }
            if (!seen.insert(here).second)
                break;
            path.push_back(here);
            const auto next = std::find_if(wait->second.onRanks.begin(), wait->second.onRanks.end(), [&](std::int32_t rank) { return all.contains(rank); });
            if (next == wait->second.onRanks.end())
                break;
            here = *next;
        }
        if (!ring.empty())
            break;
    }
    std::vector<Wait> result;
    for (const std::int32_t rank : ring) {
        result.push_back(std::move(all.at(rank)));
        all.erase(rank);
    }
    for (auto& [rank, wait] : all)
        result.push_back(std::move(wait));
    return result;
}

} // namespace fabricscope
