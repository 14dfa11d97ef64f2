#include "core/sim/events/outcome/runresult.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/record/recordbuilder.h"
#include "core/scenario/usedversion.h"
#include "core/sim/common/dimensionuses.h"
#include "core/sim/common/runpace.h"
#include "core/sim/events/outcome/idleways.h"
#include "core/sim/events/outcome/standstill.h"

#include <algorithm>
#include <functional>
#include <map>

namespace fabricscope::events {

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

/// Sorts and merges; returns the total length. Throws StopRequested.
std::int64_t merge(std::vector<Interval>& intervals, const std::stop_token& stop)
{
    sortUntilStopped(intervals, std::less<>(), stop);
    std::size_t used = 0;
    std::int64_t total = 0;
    for (const Interval& next : intervals) {
        if (next.first >= next.second)
            continue;
        if (used > 0 && next.first <= intervals[used - 1].second)
            intervals[used - 1].second = std::max(intervals[used - 1].second, next.second);
        else
            intervals[used++] = next;
    }
    intervals.resize(used);
    for (const Interval& interval : intervals)
        total += interval.second - interval.first;
    return total;
}

/// Length of what two merged lists have in common.
std::int64_t overlap(const std::vector<Interval>& a, const std::vector<Interval>& b)
{
    std::int64_t total = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::int64_t begin = std::max(a[i].first, b[j].first);
        const std::int64_t end = std::min(a[i].second, b[j].second);
        total += std::max<std::int64_t>(end - begin, 0);
        if (a[i].second < b[j].second)
            ++i;
        else
            ++j;
    }
    return total;
}

/// Throws StopRequested.
RankTimes timesOf(const EngineState& state, std::int32_t rank, bool cut, const std::stop_token& stop)
{
    const RankGraph& graph = state.workload.graph(rank);
    std::vector<Interval> compute;
    std::vector<Interval> host;
    std::vector<Interval> memory;
    std::vector<Interval> comm;
    RankTimes times;
    times.finished = state.tasks.left(rank) == 0;
    times.finish = SimTime{cut && !times.finished ? state.agenda.now() : state.tasks.lastEvent(rank)};
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        const std::int64_t issue = state.tasks.issues(rank)[at(task)];
        if (issue < 0)
            continue;
        std::int64_t end = state.tasks.ends(rank)[at(task)];
        if (end < 0)
            end = std::max(times.finish.ps, issue);
        switch (graph.kind[at(task)]) {
        case TaskKind::Compute:
            (graph.has(task, TaskFlag::kHost) ? host : compute).emplace_back(issue, end);
            break;
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore:
            memory.emplace_back(issue, end);
            break;
        case TaskKind::Send:
        case TaskKind::Receive:
        case TaskKind::Collective:
            comm.emplace_back(issue, end);
            break;
        case TaskKind::Metadata:
        case TaskKind::Invalid:
            break;
        }
    }
    times.compute = SimTime{merge(compute, stop)};
    times.host = SimTime{merge(host, stop)};
    times.memory = SimTime{merge(memory, stop)};
    times.comm = SimTime{merge(comm, stop)};
    times.exposedComm = SimTime{times.comm.ps - overlap(comm, compute)};
    return times;
}

/// Ranks of one job whose task times and totals agree form a class. Totals are worked out once per graph and times. Throws StopRequested.
void addClasses(const EngineState& state, bool cut, const std::stop_token& stop, RecordBuilder& builder)
{
    using Key = std::pair<std::int32_t, Digest>;
    std::map<std::pair<std::int32_t, Key>, std::size_t> classOfGraph;
    std::map<Key, std::vector<std::size_t>> classesOfTimes;
    std::vector<std::int64_t> words;
    std::vector<std::size_t> classOfSimulated(state.folding ? static_cast<std::size_t>(state.workload.rankCount) : 0);
    for (std::int32_t rank = 0; rank < state.workload.rankCount; ++rank) {
        checkStop(stop);
        if (const std::int32_t other = state.simulated(rank); other != rank) { // A lower one.
            builder.addRank(classOfSimulated[at(other)], rank);
            continue;
        }
        const std::span<const std::int64_t> issues = state.tasks.issues(rank);
        const std::span<const std::int64_t> ends = state.tasks.ends(rank);
        words.assign(issues.begin(), issues.end());
        words.insert(words.end(), ends.begin(), ends.end());
        const std::int32_t graph = state.workload.graphOfRank.empty() ? 0 : state.workload.graphOfRank[at(rank)];
        const Key key{state.structure.placement.jobOf(rank), digestOf(words)};
        const auto [entry, added] = classOfGraph.emplace(std::make_pair(graph, key), 0);
        if (added) {
            const RankTimes times = timesOf(state, rank, cut, stop);
            std::vector<std::size_t>& alike = classesOfTimes[key];
            const auto found = std::find_if(alike.begin(), alike.end(), [&](std::size_t other) { return builder.timesOf(other) == times; });
            if (found != alike.end()) {
                entry->second = *found;
            } else {
                std::shared_ptr<TaskTimes> tasks;
                if (state.options.taskTimes)
                    tasks = std::make_shared<TaskTimes>(TaskTimes{{issues.begin(), issues.end()}, {ends.begin(), ends.end()}});
                entry->second = builder.addClass(key.first, times, std::move(tasks));
                alike.push_back(entry->second);
            }
        }
        builder.addRank(entry->second, rank);
        if (state.folding)
            classOfSimulated[at(rank)] = entry->second;
    }
}

/// Throws StopRequested.
Digest fingerprintOf(const EngineState& state, const std::stop_token& stop)
{
    CommutativeDigest digest;
    for (std::int32_t rank = 0; rank < state.workload.rankCount; ++rank) {
        const std::int32_t simulated = state.simulated(rank);
        const RankGraph& graph = state.workload.graph(simulated);
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            checkStop(stop);
            const auto i = static_cast<std::size_t>(task);
            const std::int64_t words[] = {rank, static_cast<std::int64_t>(graph.sourceId[i]), state.tasks.issues(simulated)[i], state.tasks.ends(simulated)[i]};
            digest.add(words);
        }
    }
    return digest.value();
}

void multiply(BusyPyramid& busy, std::int64_t copies)
{
    std::vector<std::int64_t> parts = busy.busyPs();
    for (std::int64_t& part : parts)
        part = part > INT64_MAX / copies ? INT64_MAX : part * copies; // As the sum over links.
    busy = BusyPyramid::restored(busy.bucketPs(), std::move(parts));
}

void addUse(const EngineState& state, bool cut, RecordBuilder& builder)
{
    std::vector<DimensionUse> uses = dimensionUses(state.structure.platform);
    for (std::size_t d = 0; d < uses.size(); ++d)
        uses[d].busy = state.network.busy()[d];
    builder.setDimensions(std::move(uses));
    std::vector<LinkId> used;
    for (std::size_t number = 0; number < state.network.links().size(); ++number) {
        const Link& link = state.network.links()[number];
        const auto dimension = static_cast<std::size_t>(link.dimension);
        LinkUse use{state.routes.linkIds()[number], link.messages, link.bytes, link.busy};
        if (!state.ideal) {
            // The interval that ends at `committed` is not in the pyramid yet; it never begins in the future.
            const std::int64_t end = cut ? std::min(link.committed, state.agenda.now()) : link.committed;
            builder.dimension(dimension).busy.add(link.busyFrom, end);
            use.busyPs -= link.committed - end;
        }
        for (std::int32_t copy = 0; copy < state.copies(); ++copy) {
            if (state.folding)
                use.link = state.folding->copiesOfLink(state.routes.linkIds()[number])[at(copy)];
            builder.addToDimension(dimension, use);
            if (link.messages > 0)
                builder.addLink(use);
        }
        if (link.messages > 0)
            used.push_back(state.routes.linkIds()[number]);
    }
    for (std::size_t d = 0; state.folding && d < state.network.busy().size(); ++d)
        multiply(builder.dimension(d).busy, state.copies());
    for (std::size_t d = 0; cut && state.ideal && d < state.network.busy().size(); ++d)
        cutBusy(builder.dimension(d), SimTime{state.agenda.now()});
    if (!cut) {
        if (auto idle = idleWays(state.scenario, state.routes, used))
            builder.addDiagnostic(*std::move(idle));
    }
    builder.setLinksAdded();
}

/// Names the crossbar that pieces waited for most, if any did.
void addCrossbars(const EngineState& state, RecordBuilder& builder)
{
    const std::vector<Crossbar>& crossbars = state.network.crossbars();
    const auto most = std::max_element(crossbars.begin(), crossbars.end(), [](const Crossbar& a, const Crossbar& b) { return a.delayed < b.delayed; });
    if (most == crossbars.end() || most->delayed == 0)
        return;
    const auto& [of, rate] = state.params.crossbars[at(most->limit)];
    const Platform& platform = state.structure.platform;
    const std::string which = platform.isExplicit() ? '"' + platform.spec().nodes.name(at(of)) + '"' : "a switch of dimension " + std::to_string(of);
    builder.addDiagnostic(warning("crossbar-bound", "the crossbar of " + which + " (" + showBandwidth(rate) + ") held back "
        + std::to_string(most->delayed) + (most->delayed == 1 ? " piece of a message" : " pieces of messages") + ": less passes through than its links could carry"));
}

std::vector<std::int32_t> finishOrder(const EngineState& state)
{
    std::vector<std::int32_t> order;
    for (std::int32_t rank = 0; rank < state.workload.rankCount; ++rank) {
        if (state.tasks.left(state.simulated(rank)) == 0)
            order.push_back(rank);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return state.tasks.lastEvent(state.simulated(a)) < state.tasks.lastEvent(state.simulated(b));
    });
    return order;
}

/// Throws StopRequested.
RunRecord wholeRecord(const EngineState& state, bool cut, const std::stop_token& stop)
{
    RecordBuilder builder(state.scenario.model, usedVersion(state.scenario), state.workload.rankCount, state.scenario.diagnostics, state.options.record);
    addClasses(state, cut, stop, builder);
    builder.setFinishOrder(finishOrder(state));
    addUse(state, cut, builder);
    builder.setEngine(state.folding ? "symmetry" : "events", state.network.messages() * state.copies(), state.agenda.handled());
    if (const std::int64_t pieces = state.network.orderSensitive() * state.copies(); pieces > 0) {
        builder.addDiagnostic(warning("order-sensitive", std::to_string(pieces)
            + (pieces == 1 ? " piece of a message" : " pieces of messages")
            + " waited more than 10 times the unloaded time behind other traffic: the result depends on the order of service; compare with flow"));
    }
    addCrossbars(state, builder);
    if (cut)
        return std::move(builder).cut(SimTime{state.agenda.now()});
    std::vector<Wait> waits = builder.isComplete() ? std::vector<Wait>() : findWaits(state);
    return std::move(builder).finished(fingerprintOf(state, stop), state.network.digest(), std::move(waits));
}

} // namespace

Result<RunRecord> recordOf(const EngineState& state, bool cut, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<RunRecord> { return wholeRecord(state, cut, stop); });
}

} // namespace fabricscope::events
