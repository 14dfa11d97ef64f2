#include "core/transform/partinstep.h"

#include "core/base/index.h"
#include "core/plan/lower/taskwriter.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace fabricscope::transform {

namespace {

/// Writes the tasks of a graph again, some of them as others.
class GraphCopy {
public:
    explicit GraphCopy(const RankGraph& graph) : m_graph(graph), m_ends(at(graph.size())) {}

    /// What a task of the old graph waits for, in the new one.
    std::vector<TaskIndex> before(TaskIndex task) const
    {
        std::vector<TaskIndex> list;
        for (const TaskIndex other : m_graph.dependencies(task))
            list.insert(list.end(), m_ends[at(other)].begin(), m_ends[at(other)].end());
        return list;
    }

    /// The task as it was, less some work.
    void keep(TaskIndex task, std::int64_t lessOperations = 0, std::int64_t lessBytes = 0)
    {
        const std::size_t i = at(task);
        const auto name = m_graph.name(task);
        switch (m_graph.kind[i]) {
        case TaskKind::Collective: m_ends[i] = {m_writer.collective(name, m_graph.op[i], m_graph.bytes[i], m_graph.family[i], before(task))}; break;
        case TaskKind::Send:
        case TaskKind::Receive: m_ends[i] = {m_writer.message(m_graph.kind[i], name, m_graph.bytes[i], m_graph.peer[i], m_graph.tag[i], before(task))}; break;
        default:
            m_ends[i] = {m_writer.compute(name,
                                          {m_graph.durationPs[i], std::max<std::int64_t>(0, m_graph.operations[i] - lessOperations), std::max<std::int64_t>(0, m_graph.bytes[i] - lessBytes),
                                           m_graph.has(task, TaskFlag::kHasOperations)},
                                          before(task))};
        }
    }

    /// Tasks one behind the other in the place of `task`, the first behind `after`. None: who waits for it waits for `after`.
    void replace(TaskIndex task, const std::vector<PartTask>& tasks, const std::string& prefix, FamilyId family, std::vector<TaskIndex> after)
    {
        for (const PartTask& part : tasks) {
            const TaskIndex made = part.communicates ? m_writer.collective(prefix + part.name, part.op, part.bytes, family, after)
                                                     : m_writer.compute(prefix + part.name, {part.time.ps, 0, 0, false}, after);
            after = {made};
        }
        m_ends[at(task)] = std::move(after);
    }

    std::shared_ptr<const RankGraph> take()
    {
        RankGraph made = m_writer.take();
        made.peerIsRelative = m_graph.peerIsRelative;
        return std::make_shared<const RankGraph>(std::move(made));
    }

private:
    const RankGraph& m_graph;
    TaskWriter m_writer;
    std::vector<std::vector<TaskIndex>> m_ends; ///< By task of the old graph.
};

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

/// "F3 layer 12 sum": the layer, and what is behind its number; nothing: no task of a layer's forward pass.
struct LayerTask {
    std::string_view pass;
    std::int64_t layer = -1;
    std::string_view rest;
};

std::optional<LayerTask> layerTask(std::string_view name)
{
    constexpr std::string_view kLayer = " layer ";
    const std::size_t space = name.find(' ');
    if (!name.starts_with('F') || space == std::string_view::npos || !name.substr(space).starts_with(kLayer))
        return std::nullopt;
    LayerTask task;
    task.pass = name.substr(0, space);
    const std::string_view number = name.substr(space + kLayer.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), task.layer);
    if (error != std::errc())
        return std::nullopt;
    task.rest = number.substr(static_cast<std::size_t>(end - number.data()));
    return task;
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
    BlockFinder(const RankGraph& graph, std::int32_t sum, const std::function<const BlockWork*(std::int64_t)>& workOf) : m_graph(graph), m_number(sum), m_workOf(workOf) {}

    std::vector<BlockPlace> run()
    {
        std::map<std::pair<std::string, std::int64_t>, std::int32_t> seen;
        for (TaskIndex task = 0; task < m_graph.size(); ++task) {
            const auto of = layerTask(m_graph.name(task));
            if (!of || of->rest != " sum" || m_graph.kind[at(task)] != TaskKind::Collective || !m_workOf(of->layer))
                continue;
            if (seen[{std::string(of->pass), of->layer}]++ == m_number)
                m_places.push_back({task, computationBefore(task, *of), computationBehind(task, *of), of->layer});
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

    TaskIndex computationBefore(TaskIndex sum, const LayerTask& of) const
    {
        for (const TaskIndex task : m_graph.dependencies(sum)) {
            if (isOf(task, of))
                return task;
        }
        return -1;
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
    const std::function<const BlockWork*(std::int64_t)>& m_workOf;
    std::vector<BlockPlace> m_places;
};

std::shared_ptr<const RankGraph> blocksReplaced(const RankGraph& graph, const std::vector<BlockPlace>& places, const std::function<const BlockWork*(std::int64_t)>& workOf, const std::vector<PartTask>& tasks)
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

ReplacedPart withBlock(const Workload& workload, std::int32_t sum, const std::function<const BlockWork*(std::int64_t layer)>& workOf, const std::vector<PartTask>& tasks)
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
