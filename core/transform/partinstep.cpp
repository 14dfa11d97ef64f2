#include "core/transform/partinstep.h"

#include "core/base/index.h"
#include "core/transform/stepgraphs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace fabricscope::transform {

namespace {

constexpr std::string_view kGradients = "gradients"; // Names of core/plan/lower.
constexpr std::string_view kOptimizer = "optimizer";

bool isGradients(const RankGraph& graph, TaskIndex task)
{
    return graph.kind[at(task)] == TaskKind::Collective && graph.op[at(task)] == CollectiveOp::AllReduce && graph.name(task) == kGradients;
}

std::int64_t shareUp(std::int64_t whole, std::int64_t part, std::int64_t parts)
{
    return parts == 0 ? 0 : mulDivCeil(whole, part, parts);
}

std::shared_ptr<const RankGraph> optimizerReplaced(const RankGraph& graph, std::int64_t gradients, FamilyId family, const std::vector<PartTask>& tasks)
{
    std::vector<PartTask> first;
    std::vector<PartTask> rest;
    for (const PartTask& task : tasks)
        (task.inBuckets ? first : rest).push_back(task);
    GraphCopy copy(graph);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (isGradients(graph, task)) {
            std::vector<PartTask> bucket = first;
            for (PartTask& part : bucket)
                part.bytes = shareUp(part.bytes, graph.bytes[at(task)], gradients);
            copy.replace(task, bucket, "gradients ", graph.family[at(task)], copy.before(task));
        } else if (graph.kind[at(task)] == TaskKind::Compute && graph.name(task) == kOptimizer) {
            copy.replace(task, rest, "optimizer ", family, copy.before(task));
        } else {
            copy.keep(task);
        }
    }
    return copy.take();
}

/// A block in a graph: the sum in its middle, and the tasks from which its work goes.
struct BlockPlace {
    TaskIndex sum = -1;
    TaskIndex product = -1;
    TaskIndex behind = -1;
    std::int64_t layer = -1;
};

class BlockFinder {
public:
    BlockFinder(const RankGraph& graph, std::int32_t sum, const WorkOfLayer& workOf) : m_graph(graph), m_number(sum), m_workOf(workOf) {}

    std::vector<BlockPlace> run()
    {
        std::map<std::pair<std::string, std::int64_t>, std::int32_t> seen;
        for (TaskIndex task = 0; task < m_graph.size(); ++task) {
            const auto of = layerTask(m_graph.name(task));
            if (!of || of->rest != " sum" || m_graph.kind[at(task)] != TaskKind::Collective || !m_workOf(of->layer))
                continue;
            if (seen[{std::string(of->pass), of->layer}]++ == m_number)
                m_places.push_back({task, computationBefore(m_graph, task), computationBehind(task, *of), of->layer});
        }
        // What is behind the last sum of a layer is in the computation before it.
        for (BlockPlace& place : m_places)
            place.behind = place.behind < 0 ? place.product : place.behind;
        return std::move(m_places);
    }

private:
    bool isOf(TaskIndex task, const LayerTask& of) const
    {
        const auto other = layerTask(m_graph.name(task));
        return m_graph.kind[at(task)] == TaskKind::Compute && other && other->layer == of.layer && other->pass == of.pass;
    }

    TaskIndex computationBehind(TaskIndex sum, const LayerTask& of) const
    {
        for (TaskIndex task = sum + 1; task < m_graph.size(); ++task) {
            const auto before = m_graph.dependencies(task);
            if (std::find(before.begin(), before.end(), sum) != before.end())
                return isOf(task, of) ? task : -1; // Pieces of a pass follow each other.
        }
        return -1;
    }

    const RankGraph& m_graph;
    std::int32_t m_number;
    const WorkOfLayer& m_workOf;
    std::vector<BlockPlace> m_places;
};

std::shared_ptr<const RankGraph> blocksReplaced(const RankGraph& graph, const std::vector<BlockPlace>& places, const WorkOfLayer& workOf, const std::vector<PartTask>& tasks)
{
    std::map<TaskIndex, std::pair<std::int64_t, std::int64_t>> less;
    std::map<TaskIndex, const BlockPlace*> sums;
    for (const BlockPlace& place : places) {
        const BlockWork& work = *workOf(place.layer);
        for (const auto& [task, operations, bytes] : {std::tuple{place.product, work.productOperations, work.productBytes}, {place.behind, work.behindOperations, work.behindBytes}}) {
            less[task].first += operations;
            less[task].second += bytes;
        }
        sums[place.sum] = &place;
    }
    GraphCopy copy(graph);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (sums.contains(task)) {
            const std::string_view name = graph.name(task);
            copy.replace(task, tasks, std::string(name.substr(0, name.size() - std::string_view("sum").size())), graph.family[at(task)], copy.before(task));
        } else if (const auto found = less.find(task); found != less.end()) {
            copy.keep(task, found->second.first, found->second.second);
        } else {
            copy.keep(task);
        }
    }
    return copy.take();
}

/// The workload with other graphs.
std::shared_ptr<Workload> emptied(const Workload& workload)
{
    auto made = std::make_shared<Workload>(workload);
    made->graphs.clear();
    return made;
}

} // namespace

Result<ReplacedPart> withOptimizer(const Workload& workload, std::int64_t gradientBytes, const TasksOfElements& tasks)
{
    auto made = emptied(workload);
    ReplacedPart replaced;
    std::map<std::int64_t, std::vector<PartTask>> known;
    for (const auto& graph : workload.graphs) {
        std::int64_t bytes = 0;
        FamilyId family = 0;
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            if (isGradients(*graph, task)) {
                bytes += graph->bytes[at(task)];
                family = graph->family[at(task)];
            }
        }
        if (bytes == 0) {
            made->graphs.push_back(graph);
            continue;
        }
        const std::int64_t elements = std::max<std::int64_t>(1, bytes / gradientBytes);
        if (!known.contains(elements)) {
            auto list = tasks(elements);
            if (!list)
                return list.error();
            known.emplace(elements, std::move(list).value());
        }
        made->graphs.push_back(optimizerReplaced(*graph, bytes, family, known.at(elements)));
        replaced.places = 1;
    }
    replaced.workload = std::move(made);
    return replaced;
}

ReplacedPart withBlock(const Workload& workload, std::int32_t sum, const WorkOfLayer& workOf, const std::vector<PartTask>& tasks)
{
    auto made = emptied(workload);
    ReplacedPart replaced;
    for (const auto& graph : workload.graphs) {
        const std::vector<BlockPlace> places = BlockFinder(*graph, sum, workOf).run();
        replaced.places = std::max(replaced.places, static_cast<std::int64_t>(places.size()));
        made->graphs.push_back(places.empty() ? graph : blocksReplaced(*graph, places, workOf, tasks));
    }
    replaced.workload = std::move(made);
    return replaced;
}

} // namespace fabricscope::transform
