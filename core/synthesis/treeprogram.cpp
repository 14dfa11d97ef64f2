#include "core/synthesis/treeprogram.h"

#include "core/base/units.h"
#include "core/program/programbuilder.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

using Place = ProgramBuilder::Place;

/// Routes of the links that trees use, each once.
class Routes {
public:
    Routes(const SynthesisGraph& graph, ProgramBuilder& builder)
        : m_graph(graph)
        , m_builder(builder)
    {
    }

    std::int32_t of(std::int32_t link)
    {
        if (link < 0 || m_graph.links[static_cast<std::size_t>(link)].route.empty())
            return -1;
        auto& routes = m_builder.extras().routes;
        const auto [entry, added] = m_numbers.try_emplace(link, static_cast<std::int32_t>(routes.size()));
        if (added)
            routes.push_back(m_graph.links[static_cast<std::size_t>(link)].route);
        return entry->second;
    }

private:
    const SynthesisGraph& m_graph;
    ProgramBuilder& m_builder;
    std::map<std::int32_t, std::int32_t> m_numbers;
};

std::vector<std::int32_t> depths(const ProgramTree& tree)
{
    std::vector<std::int32_t> out(tree.parent.size(), 0);
    for (std::size_t rank = 0; rank < tree.parent.size(); ++rank) {
        for (std::int32_t up = tree.parent[rank]; up >= 0; up = tree.parent[static_cast<std::size_t>(up)])
            ++out[rank];
    }
    return out;
}

} // namespace

std::int32_t ProgramTree::depth() const
{
    const std::vector<std::int32_t> all = depths(*this);
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

std::vector<std::int32_t> ProgramTree::downwards() const
{
    const std::vector<std::int32_t> depth = depths(*this);
    std::vector<std::int32_t> order(parent.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return depth[static_cast<std::size_t>(a)] < depth[static_cast<std::size_t>(b)]; });
    return order;
}

ProgramPtr treeProgram(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, const std::vector<ProgramTree>& trees, std::int32_t pieces,
                       std::string provenance)
{
    const auto chunks = static_cast<std::int32_t>(trees.size()) * pieces;
    ProgramBuilder builder(op, graph.ranks, chunks, root);
    builder.header().outOfPlace = false;
    Routes routes(graph, builder);
    const bool unequal = std::any_of(trees.begin(), trees.end(), [&](const ProgramTree& tree) { return tree.share != trees.front().share; });
    std::vector<std::vector<std::int32_t>> orders;
    std::vector<std::vector<std::int32_t>> depth;
    std::vector<std::int32_t> deepest;
    for (const ProgramTree& tree : trees) {
        orders.push_back(tree.downwards());
        depth.push_back(depths(tree));
        deepest.push_back(tree.depth());
        if (unequal)
            builder.extras().chunkWeights.insert(builder.extras().chunkWeights.end(), static_cast<std::size_t>(pieces), tree.share);
    }
    const bool up = op != CollectiveOp::Broadcast;
    const bool down = op != CollectiveOp::Reduce;
    for (std::int32_t piece = 0; piece < pieces; ++piece) {
        for (std::size_t t = 0; t < trees.size(); ++t) {
            const ProgramTree& tree = trees[t];
            const std::int32_t chunk = static_cast<std::int32_t>(t) * pieces + piece;
            ProgramBuilder::How how;
            how.tags.tree = static_cast<std::int16_t>(t);
            for (std::size_t i = orders[t].size(); up && i > 1; --i) {
                const std::int32_t rank = orders[t][i - 1];
                how.reduce = true;
                how.connection = 2 * static_cast<std::int32_t>(t) + 1;
                how.step = piece + deepest[t] - depth[t][static_cast<std::size_t>(rank)];
                how.route = routes.of(tree.upLink[static_cast<std::size_t>(rank)]);
                how.tags.phase = 0;
                builder.transfer({rank, BufferKind::Input, chunk}, {tree.parent[static_cast<std::size_t>(rank)], BufferKind::Input, chunk}, 1, how);
            }
            for (std::size_t i = 1; down && i < orders[t].size(); ++i) {
                const std::int32_t rank = orders[t][i];
                const std::int32_t parent = tree.parent[static_cast<std::size_t>(rank)];
                how.reduce = false;
                how.connection = 2 * static_cast<std::int32_t>(t);
                how.step = piece + (up ? deepest[t] : 0) + depth[t][static_cast<std::size_t>(rank)] - 1;
                how.route = routes.of(tree.downLink[static_cast<std::size_t>(rank)]);
                how.tags.phase = up ? 1 : 0;
                const BufferKind held = up || parent == root ? BufferKind::Input : BufferKind::Output;
                builder.transfer({parent, held, chunk}, {rank, up ? BufferKind::Input : BufferKind::Output, chunk}, 1, how);
            }
        }
    }
    builder.inferDependencies();
    return builder.finish(std::to_string(trees.size()) + (trees.size() == 1 ? " tree" : " trees"), std::move(provenance));
}

std::int64_t treeTimePs(const SynthesisGraph& graph, CollectiveOp op, std::int64_t bytes, const std::vector<ProgramTree>& trees, std::int32_t pieces)
{
    double total = 0;
    for (const ProgramTree& tree : trees)
        total += static_cast<double>(tree.share);
    double latest = 0;
    for (const ProgramTree& tree : trees) {
        double latency = 0;
        for (std::size_t rank = 0; rank < tree.parent.size(); ++rank) {
            double sum = 0;
            for (auto r = static_cast<std::int32_t>(rank); tree.parent[static_cast<std::size_t>(r)] >= 0; r = tree.parent[static_cast<std::size_t>(r)]) {
                if (op != CollectiveOp::Reduce)
                    sum += static_cast<double>(graph.links[static_cast<std::size_t>(tree.downLink[static_cast<std::size_t>(r)])].latencyPs);
                if (op != CollectiveOp::Broadcast)
                    sum += static_cast<double>(graph.links[static_cast<std::size_t>(tree.upLink[static_cast<std::size_t>(r)])].latencyPs);
            }
            latency = std::max(latency, sum);
        }
        const std::int32_t hops = tree.depth() * (op == CollectiveOp::AllReduce ? 2 : 1);
        const double piece = static_cast<double>(bytes) * static_cast<double>(tree.share) / total / pieces;
        const double time = (hops + pieces - 1) * piece * static_cast<double>(kPsPerSecond) / static_cast<double>(tree.bytesPerSecond) + latency;
        latest = std::max(latest, time);
    }
    return static_cast<std::int64_t>(latest);
}

} // namespace fabricscope
