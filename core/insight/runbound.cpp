#include "core/insight/runbound.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/insight/pathtasks.h"
#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/taskscheduling.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostTasks = std::int64_t{1} << 21;

/// Chains of tasks, in the order in which they ended; what has not been seen counts nothing, so the sums stay below any run.
class Chains {
public:
    Chains(const RunResult& run, const std::stop_token& stop)
        : m_scenario(*run.scenario)
        , m_structure(*m_scenario.structure)
        , m_stop(stop)
        , m_tasks(m_scenario, run.record())
    {
        const Workload& workload = *m_structure.workload;
        for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
            m_first.push_back(m_least.size());
            m_least.resize(m_least.size() + at(workload.graph(rank).size()), 0);
        }
        for (const CollectiveBoundRow& row : run.summary.collectiveBounds) {
            const auto [entry, fresh] = m_bounds.try_emplace({row.op, row.group, row.ranks, row.bytes}, row.bound.ps);
            entry->second = std::min(entry->second, row.bound.ps);
        }
    }

    RunBound longest()
    {
        noteSpans();
        notePairs();
        RunBound bound;
        for (const auto& [end, issue, rank, task] : order()) {
            checkStop(m_stop);
            std::int64_t& least = m_least[m_first[at(rank)] + at(task)];
            least = endOf(rank, task, begin(rank, task));
            if (least > bound.ps)
                bound = {least, "a chain of tasks that ends on rank " + std::to_string(rank)};
        }
        addComputations(bound);
        return bound;
    }

private:
    using Entry = std::tuple<std::int64_t, std::int64_t, std::int32_t, TaskIndex>;
    struct Span {
        std::int64_t firstIssue = INT64_MAX;
        std::int64_t lastIssue = -1;
        std::int64_t firstEnd = INT64_MAX;
        std::int64_t lastEnd = -1;
        bool together() const { return firstIssue == lastIssue && firstEnd == lastEnd; }
    };

    std::vector<Entry> order()
    {
        std::vector<Entry> entries;
        for (std::int32_t rank = 0; rank < m_structure.workload->rankCount; ++rank) {
            for (const TaskIndex task : m_tasks.byEnd(rank))
                entries.emplace_back(m_tasks.end(rank, task), m_tasks.issue(rank, task), rank, task);
        }
        std::sort(entries.begin(), entries.end());
        return entries;
    }

    void noteSpans()
    {
        m_spans.resize(m_structure.instances.size());
        for (std::int32_t rank = 0; rank < m_structure.workload->rankCount; ++rank) {
            const RankGraph& graph = m_tasks.graph(rank);
            for (const TaskIndex task : m_tasks.byEnd(rank)) {
                const std::int32_t instance = graph.kind[at(task)] == TaskKind::Collective ? m_structure.instanceOf(rank, task) : -1;
                if (instance < 0)
                    continue;
                Span& span = m_spans[at(instance)];
                span.firstIssue = std::min(span.firstIssue, m_tasks.issue(rank, task));
                span.lastIssue = std::max(span.lastIssue, m_tasks.issue(rank, task));
                span.firstEnd = std::min(span.firstEnd, m_tasks.end(rank, task));
                span.lastEnd = std::max(span.lastEnd, m_tasks.end(rank, task));
            }
        }
    }

    /// The n-th receive between two ranks with a tag gets the n-th send.
    void notePairs()
    {
        std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::size_t> received;
        for (std::int32_t rank = 0; rank < m_structure.workload->rankCount; ++rank) {
            const RankGraph& graph = m_tasks.graph(rank);
            for (const TaskIndex task : m_tasks.byIssue(rank)) {
                if (graph.kind[at(task)] == TaskKind::Send)
                    m_sends[{rank, graph.peerRank(task, rank), graph.tag[at(task)]}].push_back(task);
                else if (graph.kind[at(task)] == TaskKind::Receive)
                    m_numbers[{rank, task}] = received[{graph.peerRank(task, rank), rank, graph.tag[at(task)]}]++;
            }
        }
    }

    std::int64_t begin(std::int32_t rank, TaskIndex task) const
    {
        std::int64_t begin = 0;
        for (const TaskIndex producer : m_tasks.graph(rank).dependencies(task))
            begin = std::max(begin, m_least[m_first[at(rank)] + at(producer)]);
        return begin;
    }

    std::int64_t endOf(std::int32_t rank, TaskIndex task, std::int64_t begin)
    {
        const RankGraph& graph = m_tasks.graph(rank);
        switch (graph.kind[at(task)]) {
        case TaskKind::Compute:
            return begin + computeWork(m_structure, *m_scenario.params, rank, task).duration();
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore: {
            const RemoteMemory& memory = m_scenario.params->remoteMemory;
            if (m_scenario.params->replayOnly || memory.kind == RemoteMemory::Kind::Hierarchical || memory.bytesPerNs <= 0)
                return begin;
            return begin + memory.latencyNs * kPsPerNs + mulDivCeil(graph.bytes[at(task)], kPsPerNs, memory.bytesPerNs);
        }
        case TaskKind::Receive:
            return std::max(begin, arrival(rank, task));
        case TaskKind::Collective: {
            const std::int32_t instance = m_structure.instanceOf(rank, task);
            return instance >= 0 && m_spans[at(instance)].together() ? begin + boundOf(instance) : begin;
        }
        case TaskKind::Send:
        case TaskKind::Metadata:
        case TaskKind::Invalid:
            break;
        }
        return begin;
    }

    /// From when its send can begin at the earliest, over idle links.
    std::int64_t arrival(std::int32_t rank, TaskIndex task)
    {
        const RankGraph& graph = m_tasks.graph(rank);
        const std::int32_t source = graph.peerRank(task, rank);
        const auto sends = m_sends.find({source, rank, graph.tag[at(task)]});
        const auto number = m_numbers.find({rank, task});
        if (sends == m_sends.end() || number == m_numbers.end() || number->second >= sends->second.size())
            return 0;
        const TaskIndex send = sends->second[number->second];
        std::vector<LinkId> links;
        m_structure.platform.route(m_structure.placement.nodeOf(source), m_structure.placement.nodeOf(rank), links);
        if (m_structure.platform.isExplicit())
            return begin(source, send); // By which of several ways it went is not known.
        std::int64_t latency = 0;
        std::int64_t slowest = 0;
        for (const LinkId link : links) {
            const ResourceClass resource = m_structure.classOf(link);
            latency += m_scenario.costs->latency(resource);
            slowest = std::max(slowest, m_scenario.costs->occupancy(resource, graph.bytes[at(task)]));
        }
        return begin(source, send) + m_scenario.params->endpointDelay.ps + latency + slowest;
    }

    std::int64_t boundOf(std::int32_t instance) const
    {
        const CollectiveInstance& of = m_structure.instances[at(instance)];
        const GroupFamily& family = m_structure.workload->families[at(of.family)];
        const auto found = m_bounds.find({std::string(collectiveKey(of.op)), family.name(), static_cast<std::int32_t>(family.groupSize(of.group)), of.bytes});
        return found == m_bounds.end() ? 0 : found->second;
    }

    void addComputations(RunBound& bound)
    {
        const bool one = !m_scenario.params->scheduling || m_scenario.params->scheduling->computeUnits <= 1;
        for (std::int32_t rank = 0; one && rank < m_structure.workload->rankCount; ++rank) {
            const RankGraph& graph = m_tasks.graph(rank);
            std::int64_t sum = 0;
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                if (graph.kind[at(task)] == TaskKind::Compute && !graph.has(task, TaskFlag::kHost))
                    sum += computeWork(m_structure, *m_scenario.params, rank, task).duration();
            }
            if (sum > bound.ps)
                bound = {sum, "the computations of rank " + std::to_string(rank)};
        }
    }

    const Scenario& m_scenario;
    const Structure& m_structure;
    const std::stop_token& m_stop;
    PathTasks m_tasks;
    std::vector<std::size_t> m_first;  ///< Of a rank in m_least.
    std::vector<std::int64_t> m_least; ///< End of every task at the earliest.
    std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::vector<TaskIndex>> m_sends; ///< By source, target and tag.
    std::map<std::pair<std::int32_t, TaskIndex>, std::size_t> m_numbers;                              ///< Of receives.
    std::vector<Span> m_spans;         ///< By instance.
    std::map<std::tuple<std::string, std::string, std::int32_t, std::int64_t>, std::int64_t> m_bounds; ///< By operation, group, its size and bytes.
};

} // namespace

std::optional<RunBound> runBound(const RunResult& run, const std::stop_token& stop)
{
    const Scenario& scenario = *run.scenario;
    const RunRecord& record = run.record();
    std::optional<RunBound> bound;
    if (record.lowerBound)
        bound = RunBound{record.lowerBound->ps, "the collective"};
    const NetworkParams* const network = scenario.params ? scenario.params->network.get() : nullptr;
    if (traitsOf(scenario.model).wholeNanoseconds || !scenario.params || (network && (network->draws() || !network->changes.empty())) || scenario.structure->workload->taskCount() > kMostTasks)
        return bound;
    const RunBound chain = Chains(run, stop).longest();
    return !bound || chain.ps > bound->ps ? chain : bound;
}

} // namespace fabricscope
