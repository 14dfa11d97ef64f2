#include "core/transform/stepgraphs.h"

#include "core/base/index.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fabricscope::transform {

std::vector<TaskIndex> GraphCopy::before(TaskIndex task) const
{
    std::vector<TaskIndex> list;
    for (const TaskIndex other : m_graph.dependencies(task))
        list.insert(list.end(), m_ends[at(other)].begin(), m_ends[at(other)].end());
    return list;
}

void GraphCopy::keep(TaskIndex task, std::int64_t lessOperations, std::int64_t lessBytes)
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

void GraphCopy::replace(TaskIndex task, const std::vector<PartTask>& tasks, const std::string& prefix, FamilyId family, std::vector<TaskIndex> after)
{
    for (const PartTask& part : tasks) {
        const TaskIndex made = part.communicates ? m_writer.collective(prefix + part.name, part.op, part.bytes, family, after)
                                                 : m_writer.compute(prefix + part.name, {part.time.ps, 0, 0, false}, after);
        after = {made};
    }
    setEnds(task, std::move(after));
}

std::shared_ptr<const RankGraph> GraphCopy::take()
{
    RankGraph made = m_writer.take();
    made.peerIsRelative = m_graph.peerIsRelative;
    return std::make_shared<const RankGraph>(std::move(made));
}

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

TaskIndex computationBefore(const RankGraph& graph, TaskIndex sum)
{
    const auto of = layerTask(graph.name(sum));
    for (const TaskIndex task : graph.dependencies(sum)) {
        const auto other = layerTask(graph.name(task));
        if (of && other && graph.kind[at(task)] == TaskKind::Compute && other->layer == of->layer && other->pass == of->pass)
            return task;
    }
    return -1;
}

} // namespace fabricscope::transform
