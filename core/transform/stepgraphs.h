#pragma once

#include "core/plan/lower/taskwriter.h"
#include "core/transform/parttasks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::transform {

/// Writes the tasks of a graph of a step again, some of them as others.
class GraphCopy {
public:
    explicit GraphCopy(const RankGraph& graph) : m_graph(graph), m_ends(static_cast<std::size_t>(graph.size())) {}

    /// What a task of the old graph waits for, in the new one.
    std::vector<TaskIndex> before(TaskIndex task) const;
    /// The task as it was, less some work.
    void keep(TaskIndex task, std::int64_t lessOperations = 0, std::int64_t lessBytes = 0);
    /// Tasks one behind the other in the place of `task`, the first behind `after`. None: who waits for it waits for `after`.
    void replace(TaskIndex task, const std::vector<PartTask>& tasks, const std::string& prefix, FamilyId family, std::vector<TaskIndex> after);
    /// For tasks that stand for an old one: `ends` are what who waited for that one waits for.
    TaskWriter& writer() { return m_writer; }
    void setEnds(TaskIndex task, std::vector<TaskIndex> ends) { m_ends[static_cast<std::size_t>(task)] = std::move(ends); }
    const std::vector<TaskIndex>& endsOf(TaskIndex task) const { return m_ends[static_cast<std::size_t>(task)]; }

    std::shared_ptr<const RankGraph> take();

private:
    const RankGraph& m_graph;
    TaskWriter m_writer;
    std::vector<std::vector<TaskIndex>> m_ends; ///< By task of the old graph.
};

/// "F3 layer 12 sum": the layer, and what is behind its number.
struct LayerTask {
    std::string_view pass;
    std::int64_t layer = -1;
    std::string_view rest;
};

/// Nothing: no task of a layer's forward pass.
std::optional<LayerTask> layerTask(std::string_view name);

/// The computation of the same layer and pass that a sum waits for; -1: none.
TaskIndex computationBefore(const RankGraph& graph, TaskIndex sum);

} // namespace fabricscope::transform
