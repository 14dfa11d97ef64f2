#include "core/insight/limits/roofline.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/busfactor.h"
#include "core/report/collectivebounds.h"
#include "core/report/flowpairs.h"
#include "core/scenario/networkparams.h"
#include "core/step/collectivelist.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

bool isWordPart(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || static_cast<unsigned char>(letter) >= 0x80;
}

bool isDigit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/// "FW3 layer 12 mlp" is "FW layer mlp": words lose the number they end in, and what joins them with it where nothing is left. "2d" and "1x1" stay.
std::string kindOfName(std::string_view name, const char* unnamed)
{
    std::string kind;
    std::size_t place = 0;
    while (place < name.size()) {
        const std::size_t joined = place;
        while (place < name.size() && !isWordPart(name[place]))
            ++place;
        const std::size_t begin = place;
        while (place < name.size() && isWordPart(name[place]))
            ++place;
        std::size_t end = place;
        while (end > begin && isDigit(name[end - 1]))
            --end;
        const bool numbered = std::none_of(name.begin() + static_cast<std::ptrdiff_t>(begin), name.begin() + static_cast<std::ptrdiff_t>(end), isDigit);
        const std::string_view word = name.substr(begin, (numbered ? end : place) - begin);
        if (word.empty())
            continue;
        if (!kind.empty())
            kind += name.substr(joined, begin - joined);
        kind += word;
    }
    return kind.empty() ? unnamed : kind;
}

/// What an NPU does at most.
struct NpuRoof {
    double peak = 0;
    double memory = 0;
    friend auto operator<=>(const NpuRoof&, const NpuRoof&) = default;
};

class KernelPoints {
public:
    KernelPoints(const Scenario& scenario, const std::stop_token& stop) : m_scenario(scenario), m_structure(*scenario.structure), m_stop(stop)
    {
        for (const NpuOverride& entry : m_structure.platform.spec().npuOverrides)
            m_overrides.emplace(entry.node, &entry);
    }

    void add(const RankClass& entry)
    {
        std::map<std::pair<const RankGraph*, NpuRoof>, RankSet> alike;
        for (const RankSet::Interval& interval : entry.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                alike[{&m_structure.workload->graph(static_cast<std::int32_t>(rank)), roofOf(static_cast<std::int32_t>(rank))}].add(rank);
        }
        // In the order of ranks: addresses of graphs say nothing.
        std::vector<std::tuple<std::int64_t, const RankGraph*, NpuRoof, const RankSet*>> parts;
        for (const auto& [key, ranks] : alike)
            parts.emplace_back(ranks.intervals().front().first, key.first, key.second, &ranks);
        std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
        for (const auto& [first, graph, roof, ranks] : parts)
            addTasks(*graph, roof, *ranks, *entry.tasks);
    }

    std::vector<RooflineKernel> take()
    {
        std::vector<RooflineKernel> kernels;
        for (Counted& counted : m_kernels)
            kernels.push_back(std::move(counted.kernel));
        std::stable_sort(kernels.begin(), kernels.end(), [](const RooflineKernel& a, const RooflineKernel& b) { return a.busyPs > b.busyPs; });
        return kernels;
    }

    std::int64_t withoutOperations() const { return m_without; }

private:
    struct Counted {
        RooflineKernel kernel;
        std::int64_t longestPs = 0;
        std::int64_t lastRanks = 0; ///< Number of the set of ranks that was added last.
    };

    NpuRoof roofOf(std::int32_t rank) const
    {
        const NodeId node = m_structure.placement.nodeOf(rank);
        std::optional<ComputeRate> peak = m_scenario.params->peak;
        std::optional<Bandwidth> memory = m_scenario.params->memoryRate;
        if (const auto entry = m_overrides.find(node); entry != m_overrides.end()) {
            if (entry->second->peak)
                peak = toComputeRate(*entry->second->peak);
            if (entry->second->memoryBandwidth)
                memory = toBandwidth(*entry->second->memoryBandwidth);
        }
        const double speed = m_structure.platform.speed(node);
        return {peak ? static_cast<double>(peak->flopsPerSecond) * speed : 0, memory ? static_cast<double>(memory->bytesPerSecond) * speed : 0};
    }

    /// Does its time follow from something else than FLOP and bytes? (As computeWork() has it.)
    bool isRecorded(const RankGraph& graph, TaskIndex task, const NpuRoof& roof) const
    {
        const Params& params = *m_scenario.params;
        if (params.network && !params.network->compute.empty())
            return true;
        if ((!graph.durationPs.empty() && graph.durationPs[at(task)] >= 0) || params.replayOnly || !params.roofline)
            return true;
        return roof.peak <= 0 && (roof.memory <= 0 || !graph.has(task, TaskFlag::kHasBytes));
    }

    /// By task the number of its kind.
    const std::vector<std::int32_t>& kindsOf(const RankGraph& graph)
    {
        std::vector<std::int32_t>& kinds = m_kindsOf[&graph];
        if (!kinds.empty() || graph.size() == 0)
            return kinds;
        kinds.assign(at(graph.size()), -1);
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            if (graph.kind[at(task)] == TaskKind::Compute && !graph.has(task, TaskFlag::kHost))
                kinds[at(task)] = m_names.try_emplace(kindOfName(graph.name(task), "compute"), static_cast<std::int32_t>(m_names.size())).first->second;
        }
        return kinds;
    }

    Counted& kernelOf(const RankGraph& graph, TaskIndex task, std::int32_t kind, const NpuRoof& roof)
    {
        const bool recorded = isRecorded(graph, task, roof);
        const auto [entry, fresh] = m_kernelOf.try_emplace({kind, recorded, roof}, m_kernels.size());
        if (fresh) {
            RooflineKernel& kernel = m_kernels.emplace_back().kernel;
            kernel.name = kindOfName(graph.name(task), "compute");
            kernel.recorded = recorded;
            kernel.peak = roof.peak;
            kernel.memoryRate = roof.memory;
        }
        return m_kernels[entry->second];
    }

    void addTasks(const RankGraph& graph, const NpuRoof& roof, const RankSet& ranks, const TaskTimes& times)
    {
        const std::vector<std::int32_t>& kinds = kindsOf(graph);
        const auto count = static_cast<double>(ranks.count());
        ++m_rankSets;
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            checkStop(m_stop);
            const std::int64_t ps = times.endPs[at(task)] - times.issuePs[at(task)];
            if (kinds[at(task)] < 0 || times.issuePs[at(task)] < 0 || ps <= 0)
                continue;
            if (graph.operations[at(task)] <= 0) {
                m_without += ranks.count();
                continue;
            }
            Counted& counted = kernelOf(graph, task, kinds[at(task)], roof);
            RooflineKernel& kernel = counted.kernel;
            if (std::exchange(counted.lastRanks, m_rankSets) != m_rankSets)
                addRanks(ranks, kernel.ranks);
            if (ps > counted.longestPs) {
                counted.longestPs = ps;
                kernel.rank = static_cast<std::int32_t>(ranks.intervals().front().first);
                kernel.task = task;
            }
            kernel.count += ranks.count();
            kernel.operations += static_cast<double>(graph.operations[at(task)]) * count;
            kernel.bytes += graph.has(task, TaskFlag::kHasBytes) ? static_cast<double>(graph.bytes[at(task)]) * count : 0;
            kernel.busyPs += static_cast<double>(ps) * count;
        }
    }

    static void addRanks(const RankSet& from, RankSet& to)
    {
        for (const RankSet::Interval& interval : from.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                to.add(rank);
        }
    }

    const Scenario& m_scenario;
    const Structure& m_structure;
    const std::stop_token& m_stop;
    std::map<NodeId, const NpuOverride*> m_overrides;
    std::map<std::string, std::int32_t> m_names;
    std::map<const RankGraph*, std::vector<std::int32_t>> m_kindsOf;
    std::map<std::tuple<std::int32_t, bool, NpuRoof>, std::size_t> m_kernelOf;
    std::vector<Counted> m_kernels;
    std::int64_t m_rankSets = 0;
    std::int64_t m_without = 0;
};

void addKernels(const RunResult& run, const std::stop_token& stop, Roofline& roofline)
{
    KernelPoints points(*run.scenario, stop);
    bool timed = true;
    for (const RankClass& entry : run.record().classes) {
        if (entry.tasks && !entry.ranks.empty())
            points.add(entry);
        else
            timed = timed && entry.ranks.empty();
    }
    if (!timed)
        roofline.notes.emplace_back("computations: the run was kept without the times of its tasks");
    if (points.withoutOperations() > 0)
        roofline.notes.push_back("computations that say no FLOP: " + std::to_string(points.withoutOperations()));
    roofline.kernels = points.take();
    if (std::any_of(roofline.kernels.begin(), roofline.kernels.end(), [](const RooflineKernel& kernel) { return kernel.roof() <= 0; }))
        roofline.notes.emplace_back("the design says no peak of its NPUs: computations have no roof");
}

/// Messages between ranks, by kind, size and what their ways allow.
class MessagePoints {
public:
    MessagePoints(const RunResult& run, const std::stop_token& stop)
        : m_scenario(*run.scenario), m_structure(*m_scenario.structure), m_record(run.record()), m_stop(stop), m_times(at(m_structure.workload->rankCount))
    {
        for (const RankClass& entry : m_record.classes) {
            for (const RankSet::Interval& interval : entry.ranks.intervals()) {
                for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                    m_times[at(rank)] = entry.tasks.get();
            }
        }
    }

    void run(Roofline& roofline)
    {
        const Workload& workload = *m_structure.workload;
        MessagePairs pairs(m_record, workload);
        std::int32_t rank = 0;
        for (; rank < workload.rankCount && m_looked < kMostMessages; ++rank) {
            if (!sends(workload.graph(rank)))
                continue;
            for (const MessagePair& pair : pairs.ofRank(rank, m_stop))
                add(pair);
        }
        if (m_early > 0)
            roofline.notes.push_back("messages that were there before their receive began: " + std::to_string(m_early));
        if (rank < workload.rankCount)
            roofline.notes.push_back("messages: those of the first " + std::to_string(rank) + " ranks only");
        for (auto& [key, point] : m_points)
            roofline.messages.push_back(std::move(point));
        std::ranges::stable_sort(roofline.messages, std::ranges::greater{}, [](const RooflineMessages& one) { return static_cast<double>(one.worst.ps) * static_cast<double>(one.count); });
    }

private:
    static constexpr std::int64_t kMostMessages = 65'536;
    struct Way {
        std::int64_t latencyPs = 0;
        std::int64_t slowestPs = 0;
    };

    bool sends(const RankGraph& graph)
    {
        const auto [known, fresh] = m_sends.try_emplace(&graph, false);
        if (fresh)
            known->second = std::ranges::find(graph.kind, TaskKind::Send) != graph.kind.end();
        return known->second;
    }

    /// The shortest way, or that of the balanced rule: as many links as any that a message takes.
    Way wayOf(std::int32_t from, std::int32_t to, std::int64_t bytes)
    {
        const auto [known, fresh] = m_ways.try_emplace({from, to, bytes});
        if (!fresh)
            return known->second;
        const NodeId source = m_structure.placement.nodeOf(from);
        const NodeId target = m_structure.placement.nodeOf(to);
        const NetworkParams* const network = m_scenario.params->network.get();
        std::vector<LinkId> links;
        if (!network || !network->ways || !network->ways->route(source, target, links))
            m_structure.platform.route(source, target, links);
        for (const LinkId link : links) {
            const ResourceClass resource = m_structure.classOf(link);
            known->second.latencyPs += m_scenario.costs->latency(resource);
            known->second.slowestPs = std::max(known->second.slowestPs, m_scenario.costs->occupancy(resource, bytes));
        }
        return known->second;
    }

    void add(const MessagePair& pair)
    {
        checkStop(m_stop);
        ++m_looked;
        const RankGraph& graph = m_structure.workload->graph(pair.from);
        const std::int64_t bytes = graph.bytes[at(pair.send)];
        const TaskTimes& theirs = *m_times[at(pair.to)];
        const std::int64_t posted = theirs.issuePs[at(pair.receive)];
        const std::int64_t done = theirs.endPs[at(pair.receive)];
        std::int64_t begin = m_times[at(pair.from)]->issuePs[at(pair.send)];
        if (bytes <= 0 || pair.from == pair.to || done < 0)
            return;
        if (done <= posted) { // When it came is not on the record.
            ++m_early;
            return;
        }
        if (m_scenario.params->rendezvous)
            begin = std::max(begin, posted);
        const Way way = wayOf(pair.from, pair.to, bytes);
        if (way.slowestPs <= 0 || done <= begin)
            return;
        const SimTime time{done - begin};
        const auto [entry, fresh] = m_points.try_emplace({kindOfName(graph.name(pair.send), "send"), bytes, way.latencyPs, way.slowestPs});
        RooflineMessages& point = entry->second;
        if (fresh)
            point = {.name = std::get<0>(entry->first), .bytes = bytes, .best = time, .latency = {way.latencyPs}, .bandwidth = {way.slowestPs}};
        if (time > point.worst) {
            point.worst = time;
            point.rank = pair.from;
            point.task = pair.send;
        }
        point.best = std::min(point.best, time);
        ++point.count;
    }

    const Scenario& m_scenario;
    const Structure& m_structure;
    const RunRecord& m_record;
    const std::stop_token& m_stop;
    std::vector<const TaskTimes*> m_times; ///< By rank.
    std::map<const RankGraph*, bool> m_sends;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, Way> m_ways;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>, RooflineMessages> m_points;
    std::int64_t m_looked = 0;
    std::int64_t m_early = 0;
};

/// Are there tasks that use the network?
bool communicates(const Workload& workload, TaskKind kind)
{
    return std::ranges::any_of(workload.graphs, [kind](const auto& graph) { return std::ranges::find(graph->kind, kind) != graph->kind.end(); });
}

void addMessages(const RunResult& run, const std::stop_token& stop, Roofline& roofline)
{
    const Workload& workload = *run.scenario->structure->workload;
    const bool sends = communicates(workload, TaskKind::Send);
    const RunRecord& record = run.record();
    if (!traitsOf(record.model).keepsRates && (sends || communicates(workload, TaskKind::Collective))) {
        roofline.noNetworkRoof = "collectives and messages have no roof under " + std::string(modelName(record.model)) + ", which does not keep all traffic to the rates of the links as links and flow do";
        roofline.notes.push_back(roofline.noNetworkRoof);
        return;
    }
    if (!sends || std::ranges::any_of(record.classes, [](const RankClass& entry) { return !entry.tasks && !entry.ranks.empty(); }))
        return;
    const std::size_t before = roofline.notes.size();
    if (isFasterThanItsPlatform(*run.scenario))
        roofline.notes.emplace_back("messages have no roof: rates or latencies vary in this run");
    else
        MessagePoints(run, stop).run(roofline);
    if (roofline.messages.empty() && roofline.collectives.empty() && roofline.notes.size() > before)
        roofline.noNetworkRoof = roofline.notes.back();
}

void addCollectives(const RunResult& run, const std::stop_token& stop, Roofline& roofline)
{
    using Key = std::tuple<std::string, std::string, std::int32_t, std::int64_t, std::string, std::int64_t>;
    std::map<Key, std::int32_t> instances;
    if (!run.summary.collectiveBounds.empty()) {
        for (const InstanceRun& instance : collectivesOf(*run.scenario, run.record(), stop)) {
            if (instance.beginPs >= 0 && instance.endPs >= instance.beginPs)
                instances.try_emplace({std::string(collectiveKey(instance.op)), instance.familyName, instance.size, instance.bytes, instance.algorithm, instance.endPs - instance.beginPs}, instance.instance);
        }
    }
    for (const CollectiveBoundRow& row : run.summary.collectiveBounds) {
        const std::optional<CollectiveOp> op = valueOf(kCollectiveKeys, row.op);
        const double bytes = op && row.ranks > 0 ? static_cast<double>(row.bytes) * busFactorOf(*op, row.ranks).value() : 0;
        if (bytes <= 0 || row.best.ps <= 0)
            continue;
        const auto found = instances.find({row.op, row.group, row.ranks, row.bytes, row.algorithm, row.best.ps});
        RooflineCollective collective{row, found == instances.end() ? -1 : found->second, bytes};
        if (collective.roof() > 0)
            roofline.collectives.push_back(std::move(collective));
    }
    if (!run.summary.boundsNote.empty())
        roofline.notes.push_back(run.summary.boundsNote);
}

} // namespace

Roofline rooflineOf(const RunResult& run, const std::stop_token& stop)
{
    Roofline roofline;
    if (!run.scenario || !run.scenario->params)
        return roofline;
    addKernels(run, stop, roofline);
    addCollectives(run, stop, roofline);
    addMessages(run, stop, roofline);
    return roofline;
}

} // namespace fabricscope
