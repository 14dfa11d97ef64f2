#include "core/base/index.h"
#include "core/transform/boundarytasks.h"
#include "core/transform/partinstep.h"
#include "core/transform/stepgraphs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fabricscope::transform {

namespace {

constexpr std::string_view kSend = "send"; // Names of core/plan/lower: of activations, not of gradients.
constexpr std::string_view kReceive = "receive";

/// A sum and the message of what was summed, in the group that sends.
struct SentSum {
    TaskIndex sum = -1;
    TaskIndex send = -1;
    TaskIndex product = -1;
    std::int64_t layer = -1;
};

bool isMessage(const RankGraph& graph, TaskIndex task, TaskKind kind, std::string_view name)
{
    return graph.kind[at(task)] == kind && graph.name(task) == name;
}

/// Whether something between the two waits for the sum. What comes behind finds the tasks that stand for it.
bool isNeededBetween(const RankGraph& graph, TaskIndex sum, TaskIndex send)
{
    for (TaskIndex task = sum + 1; task < send; ++task) {
        const auto before = graph.dependencies(task);
        if (std::find(before.begin(), before.end(), sum) != before.end())
            return true;
    }
    return false;
}

std::vector<SentSum> sentSums(const RankGraph& graph, const WorkOfLayer& workOf)
{
    std::vector<SentSum> list;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (!isMessage(graph, task, TaskKind::Send, kSend))
            continue;
        for (const TaskIndex sum : graph.dependencies(task)) {
            const auto of = layerTask(graph.name(sum));
            if (of && of->rest == " sum" && graph.kind[at(sum)] == TaskKind::Collective && workOf(of->layer) && !isNeededBetween(graph, sum, task))
                list.push_back({sum, task, computationBefore(graph, sum), of->layer});
        }
    }
    return list;
}

/// The tasks of a boundary on the two sides of its message.
class BoundaryWriter {
public:
    BoundaryWriter(const RankGraph& graph, const std::vector<BoundaryTask>& tasks, FamilyId family, std::uint32_t tags) : m_graph(graph), m_tasks(tasks), m_family(family), m_tags(tags), m_copy(graph) {}

    GraphCopy& copy() { return m_copy; }

    /// In the place of the message, so that all that it waits for is there.
    void send(const SentSum& place)
    {
        std::vector<TaskIndex> others;
        for (const TaskIndex task : m_graph.dependencies(place.send)) {
            const auto& ends = m_copy.endsOf(task);
            others.insert(others.end(), ends.begin(), ends.end());
        }
        const std::string_view name = m_graph.name(place.sum);
        const std::vector<TaskIndex> begin = m_copy.before(place.sum);
        write(place.send, false, begin, others, std::string(name.substr(0, name.size() - std::string_view("sum").size())));
        auto ends = endsOf([](const BoundaryTask& task) { return !task.behind && !task.part.message; });
        m_copy.setEnds(place.sum, ends.empty() ? begin : std::move(ends));
        m_copy.setEnds(place.send, endsOf([](const BoundaryTask& task) { return task.part.message; }));
    }

    void receive(TaskIndex task)
    {
        write(task, true, m_copy.before(task), {}, "receive ");
        m_copy.setEnds(task, endsOf([](const BoundaryTask& other) { return other.behind || other.part.message; }));
    }

private:
    /// `others`: what the message waits for beside the part.
    void write(TaskIndex message, bool behind, const std::vector<TaskIndex>& begin, const std::vector<TaskIndex>& others, const std::string& prefix)
    {
        m_made.assign(m_tasks.size(), -1);
        std::uint32_t piece = 0;
        for (std::size_t i = 0; i < m_tasks.size(); ++i) {
            const BoundaryTask& task = m_tasks[i];
            const std::uint32_t tag = m_graph.tag[at(message)] + (task.part.message ? piece++ : 0) * m_tags;
            if (!task.part.message && task.behind != behind)
                continue;
            const std::string name = prefix + task.part.name;
            TaskWriter& writer = m_copy.writer();
            if (task.part.message && behind) {
                m_made[i] = writer.message(TaskKind::Receive, name, task.part.bytes, m_graph.peer[at(message)], tag, begin);
                continue;
            }
            std::vector<TaskIndex> after = task.after.empty() ? begin : std::vector<TaskIndex>();
            for (const std::int32_t number : task.after)
                after.push_back(m_made[at(number)]);
            if (task.part.message) {
                after.insert(after.end(), others.begin(), others.end());
                m_made[i] = writer.message(TaskKind::Send, name, task.part.bytes, m_graph.peer[at(message)], tag, after);
            } else if (task.part.communicates) {
                m_made[i] = writer.collective(name, task.part.op, task.part.bytes, m_family, after);
            } else {
                m_made[i] = task.beside ? writer.host(name, task.part.time.ps, after) : writer.compute(name, {task.part.time.ps, 0, 0, false}, after);
            }
        }
    }

    /// Tasks of this kind that none of this kind waits for.
    template <typename Kind>
    std::vector<TaskIndex> endsOf(const Kind& isOfKind) const
    {
        std::vector<bool> waitedFor(m_tasks.size(), false);
        for (const BoundaryTask& task : m_tasks) {
            for (const std::int32_t number : isOfKind(task) ? task.after : std::vector<std::int32_t>())
                waitedFor[at(number)] = true;
        }
        std::vector<TaskIndex> ends;
        for (std::size_t i = 0; i < m_tasks.size(); ++i) {
            if (isOfKind(m_tasks[i]) && !waitedFor[i])
                ends.push_back(m_made[i]);
        }
        return ends;
    }

    const RankGraph& m_graph;
    const std::vector<BoundaryTask>& m_tasks;
    FamilyId m_family;
    std::uint32_t m_tags; ///< Pieces of a message have tags so far apart; tags are fewer than tasks, of which a plan has kMaxPlanTasks.
    GraphCopy m_copy;
    std::vector<TaskIndex> m_made; ///< By task of the part; -1: of the other side.
};

/// What all graphs of a step have in common.
struct BoundaryStep {
    std::vector<std::vector<SentSum>> places; ///< By graph.
    std::set<std::uint32_t> tags;             ///< Of the messages that are replaced: both sides know them.
    std::uint32_t tagsEnd = 0;                ///< Above all of them.
    FamilyId family = 0;
};

BoundaryStep boundaryStep(const Workload& workload, const WorkOfLayer& workOf)
{
    BoundaryStep step;
    for (const auto& graph : workload.graphs) {
        step.places.push_back(sentSums(*graph, workOf));
        for (const SentSum& place : step.places.back()) {
            step.tags.insert(graph->tag[at(place.send)]);
            step.family = graph->family[at(place.sum)];
        }
        for (const std::uint32_t tag : graph->tag)
            step.tagsEnd = std::max(step.tagsEnd, tag + 1);
    }
    return step;
}

std::shared_ptr<const RankGraph> boundariesReplaced(const RankGraph& graph, const std::vector<SentSum>& places, const BoundaryStep& step, const WorkOfLayer& workOf, const std::vector<BoundaryTask>& tasks)
{
    std::map<TaskIndex, const BlockWork*> less;
    std::map<TaskIndex, const SentSum*> sends;
    std::set<TaskIndex> sums;
    for (const SentSum& place : places) {
        less[place.product] = workOf(place.layer);
        sends[place.send] = &place;
        sums.insert(place.sum);
    }
    BoundaryWriter writer(graph, tasks, step.family, step.tagsEnd);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (sums.contains(task))
            continue;
        if (const auto sent = sends.find(task); sent != sends.end())
            writer.send(*sent->second);
        else if (isMessage(graph, task, TaskKind::Receive, kReceive) && step.tags.contains(graph.tag[at(task)]))
            writer.receive(task);
        else if (const auto found = less.find(task); found != less.end())
            writer.copy().keep(task, found->second->behindOperations, found->second->behindBytes);
        else
            writer.copy().keep(task);
    }
    return writer.copy().take();
}

} // namespace

ReplacedPart withBoundary(const Workload& workload, const WorkOfLayer& workOf, const std::vector<BoundaryTask>& tasks)
{
    const BoundaryStep step = boundaryStep(workload, workOf);
    ReplacedPart replaced;
    auto made = std::make_shared<Workload>(workload);
    for (std::size_t i = 0; i < workload.graphs.size(); ++i) {
        const auto places = static_cast<std::int64_t>(step.places[i].size());
        replaced.places = std::max(replaced.places, places);
        made->graphs[i] = boundariesReplaced(*workload.graphs[i], step.places[i], step, workOf, tasks);
    }
    replaced.workload = std::move(made);
    return replaced;
}

} // namespace fabricscope::transform
