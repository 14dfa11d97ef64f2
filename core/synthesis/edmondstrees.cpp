#include "core/base/index.h"
#include "core/bounds/maxflow.h"
#include "core/synthesis/treecandidates.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

MaxFlow<std::int64_t> network(const TreeGraph& graph)
{
    MaxFlow<std::int64_t> flow(graph.ranks);
    for (const TreeGraph::Arc& arc : graph.arcs)
        flow.addArc(arc.from, arc.to, arc.capacity);
    return flow;
}

/// One tree, arc by arc: an arc out of the tree may be taken when its head still has `others` units of flow without it. Only sets that
/// separate the head from the root lose by it, so the head alone is asked. The capacities that are left stay in `flow`.
TreeCandidates::Tree growTree(const TreeGraph& graph, std::int32_t root, std::int64_t others, MaxFlow<std::int64_t>& flow, const std::stop_token& stop)
{
    TreeCandidates::Tree tree(static_cast<std::size_t>(graph.ranks), -1);
    std::vector<bool> in(static_cast<std::size_t>(graph.ranks), false);
    in[at(root)] = true;
    std::int32_t left = graph.ranks - 1;
    std::vector<bool> refused(graph.arcs.size(), false); // What may not be taken now may not be taken later in this tree.
    while (left > 0) {
        bool taken = false;
        for (std::size_t i = 0; i < graph.arcs.size() && !taken; ++i) {
            const TreeGraph::Arc& arc = graph.arcs[i];
            const auto number = static_cast<std::int32_t>(i);
            if (refused[i] || !in[at(arc.from)] || in[at(arc.to)] || flow.capacity(number) == 0)
                continue;
            flow.setCapacity(number, flow.capacity(number) - 1);
            if (others > 0 && flow.run(root, arc.to, others, stop) < others) {
                flow.setCapacity(number, flow.capacity(number) + 1);
                refused[i] = true;
                continue;
            }
            tree[at(arc.to)] = number;
            in[at(arc.to)] = true;
            --left;
            taken = true;
        }
        if (stop.stop_requested())
            return {};
        assert(taken);
        if (!taken)
            return {};
    }
    return tree;
}

} // namespace

std::int64_t broadcastOptimum(const TreeGraph& graph, std::int32_t root)
{
    MaxFlow<std::int64_t> flow = network(graph);
    std::int64_t least = INT64_MAX;
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
        if (rank != root)
            least = std::min(least, flow.run(root, rank));
    }
    return least;
}

bool edmondsTrees(const TreeGraph& graph, std::int32_t root, std::int64_t flow, TreeCandidates& candidates, const std::stop_token& stop)
{
    MaxFlow<std::int64_t> left = network(graph);
    for (std::int64_t others = flow - 1; others >= 0; --others) {
        const TreeCandidates::Tree tree = growTree(graph, root, others, left, stop);
        if (tree.empty())
            return false;
        candidates.addWeight(candidates.add(tree), 1);
    }
    return true;
}

} // namespace fabricscope
