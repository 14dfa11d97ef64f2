#include "core/synthesis/treeprogram.h"

#include "core/base/index.h"
#include "core/base/units.h"
#include "core/program/programbuilder.h"

#include <algorithm>
#include <map>
#include <numeric>

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
        if (link < 0 || m_graph.links[at(link)].route.empty())
            return -1;
        auto& routes = m_builder.extras().routes;
        const auto [entry, added] = m_numbers.try_emplace(link, static_cast<std::int32_t>(routes.size()));
        if (added)
            routes.push_back(m_graph.links[at(link)].route);
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
        for (std::int32_t up = tree.parent[rank]; up >= 0; up = tree.parent[at(up)])
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
                     [&](std::int32_t a, std::int32_t b) { return depth[at(a)] < depth[at(b)]; });
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
    }
    // Pieces of all trees take turns in the numbering of chunks: messages that are ready at one instant are served in that order.
    for (std::int32_t piece = 0; unequal && piece < pieces; ++piece) {
        for (const ProgramTree& tree : trees)
            builder.extras().chunkWeights.push_back(tree.share);
    }
    const bool up = op != CollectiveOp::Broadcast;
    const bool down = op != CollectiveOp::Reduce;
    struct Move {
        std::int32_t step = 0;
        std::int32_t tree = 0;
        std::int32_t rank = 0; ///< The child.
        std::int32_t chunk = 0;
        bool up = false;
    };
    std::vector<Move> moves;
    for (std::int32_t piece = 0; piece < pieces; ++piece) {
        for (std::size_t t = 0; t < trees.size(); ++t) {
            const auto tree = static_cast<std::int32_t>(t);
            const std::int32_t chunk = piece * static_cast<std::int32_t>(trees.size()) + tree;
            for (std::size_t i = 1; i < orders[t].size(); ++i) {
                const std::int32_t rank = orders[t][i];
                const std::int32_t level = depth[t][at(rank)];
                if (up)
                    moves.push_back({piece + deepest[t] - level, tree, rank, chunk, true});
                if (down)
                    moves.push_back({piece + (up ? deepest[t] : 0) + level - 1, tree, rank, chunk, false});
            }
        }
    }
    // Step by step, as the pipeline would run, in lanes: else the leaves, which have all their pieces at once, would fill the links they
    // share with other trees.
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.step < b.step; });
    for (const Move& move : moves) {
        const ProgramTree& tree = trees[at(move.tree)];
        const std::int32_t parent = tree.parent[at(move.rank)];
        const std::int32_t from = move.up ? move.rank : parent;
        const std::int32_t to = move.up ? parent : move.rank;
        ProgramBuilder::How how;
        how.reduce = move.up;
        how.step = move.step;
        how.sendLane = 2 * to;
        how.receiveLane = 2 * from + 1;
        how.route = routes.of(move.up ? tree.upLink[at(move.rank)] : tree.downLink[at(move.rank)]);
        how.tags.tree = static_cast<std::int16_t>(move.tree);
        how.tags.phase = up && !move.up ? 1 : 0;
        const BufferKind source = up || from == root ? BufferKind::Input : BufferKind::Output;
        builder.transfer({from, source, move.chunk}, {to, up ? BufferKind::Input : BufferKind::Output, move.chunk}, 1, how);
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
            for (auto r = static_cast<std::int32_t>(rank); tree.parent[at(r)] >= 0; r = tree.parent[at(r)]) {
                if (op != CollectiveOp::Reduce)
                    sum += static_cast<double>(graph.links[at(tree.downLink[at(r)])].latencyPs);
                if (op != CollectiveOp::Broadcast)
                    sum += static_cast<double>(graph.links[at(tree.upLink[at(r)])].latencyPs);
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
