#include "core/synthesis/treepacking.h"

#include "core/base/index.h"
#include "core/synthesis/arborescence.h"
#include "core/synthesis/linearprogram.h"
#include "core/synthesis/treecandidates.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace fabricscope {

namespace {

/// The reduction to few trees looks at so many candidates.
constexpr std::size_t kMostCandidates = 96;
/// Above this optimum the trees of Edmonds' theorem are too many to help.
constexpr std::int64_t kMostEdmonds = 64;
/// Largest denominator of weights of spanning trees that is looked for.
constexpr std::int64_t kMostDenominator = 5040;

/// The fraction with a denominator of at most `most` that is nearest to `value`, when it is as near as rounding of doubles allows.
std::optional<Fraction> simpleFraction(double value, std::int64_t most)
{
    for (std::int64_t denominator = 1; denominator <= most; ++denominator) {
        const double scaled = value * static_cast<double>(denominator);
        const double whole = std::round(scaled);
        if (std::abs(scaled - whole) <= 1e-7 * std::max(1.0, scaled))
            return fraction(static_cast<std::int64_t>(whole), denominator);
    }
    return std::nullopt;
}

bool reaches(const TreePacking& packing, const Fraction& rate)
{
    return packing.rate.over * rate.under >= rate.over * packing.rate.under;
}

/// An undirected edge: its two arcs.
struct Edge {
    std::int32_t forward = 0;
    std::int32_t back = 0;
    std::int64_t capacity = 0;
};

std::vector<Edge> undirectedEdges(const TreeGraph& graph)
{
    const std::vector<std::int32_t> reverse = reverseArcs(graph);
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
        const TreeGraph::Arc& arc = graph.arcs[i];
        if (arc.from < arc.to && reverse[i] >= 0)
            edges.push_back({static_cast<std::int32_t>(i), reverse[i], std::min(arc.capacity, graph.arcs[at(reverse[i])].capacity)});
    }
    return edges;
}

/// A spanning tree of edges as parent arcs, hung up at the root.
TreeCandidates::Tree hang(const TreeGraph& graph, std::int32_t root, const std::vector<Edge>& edges, const std::vector<std::int32_t>& tree)
{
    TreeCandidates::Tree parent(static_cast<std::size_t>(graph.ranks), -1);
    std::vector<bool> in(static_cast<std::size_t>(graph.ranks), false);
    in[at(root)] = true;
    for (std::size_t added = 0; added < tree.size();) {
        for (const std::int32_t number : tree) {
            const Edge& edge = edges[at(number)];
            const TreeGraph::Arc& arc = graph.arcs[at(edge.forward)];
            const bool from = in[at(arc.from)];
            if (from == in[at(arc.to)])
                continue;
            const std::int32_t child = from ? arc.to : arc.from;
            parent[at(child)] = from ? edge.forward : edge.back;
            in[at(child)] = true;
            ++added;
        }
    }
    return parent;
}

/// A basic solution of the linear program as whole weights over one denominator, a multiple of `step`; nothing when rounding hides it or the
/// weights are too many for a capacity.
std::optional<TreePacking> exactWeights(const TreeGraph& graph, std::int32_t root, const TreeCandidates& candidates, const std::vector<Edge>& edges, std::int64_t step)
{
    for (std::int64_t denominator = step; denominator <= kMostDenominator; denominator += step) {
        TreePacking out;
        out.denominator = denominator;
        std::vector<std::int64_t> load(graph.arcs.size(), 0);
        std::int64_t sum = 0;
        bool whole = true;
        for (std::size_t t = 0; t < candidates.trees().size() && whole; ++t) {
            const double scaled = candidates.weight(t) * static_cast<double>(denominator);
            const std::int64_t weight = std::llround(scaled);
            whole = std::abs(scaled - static_cast<double>(weight)) < 1e-5;
            if (weight <= 0)
                continue;
            sum += weight;
            for (const std::int32_t arc : candidates.trees()[t]) {
                if (arc >= 0)
                    load[at(arc)] += weight;
            }
            out.trees.push_back({candidates.trees()[t], root, weight});
        }
        if (!whole)
            continue;
        for (const Edge& edge : edges) {
            if (load[at(edge.forward)] + load[at(edge.back)] > edge.capacity * denominator)
                return std::nullopt;
        }
        std::stable_sort(out.trees.begin(), out.trees.end(), [](const PackedTree& a, const PackedTree& b) { return a.weight > b.weight; });
        out.rate = fraction(sum, denominator);
        out.candidates = candidates.size();
        return out;
    }
    return std::nullopt;
}

} // namespace

TreePacking packArborescences(const TreeGraph& graph, std::int32_t root, const PackingOptions& options)
{
    TreeCandidates candidates;
    const double fractional = multiplicativeWeights(graph, root, options.epsilon, candidates, options.stop);
    if (fractional <= 0)
        return {};
    const std::int64_t optimum = broadcastOptimum(graph, root);
    candidates.keepHeaviest(kMostCandidates);
    TreePacking best;
    for (const std::int64_t denominator : {1, 2, 4}) {
        TreePacking packing = chooseTrees(graph, root, candidates, denominator, false, options.stop);
        if (best.trees.empty() || packing.rate.value() > best.rate.value())
            best = std::move(packing);
        if (denominator == 1 && !reaches(best, {optimum, 1}) && optimum <= kMostEdmonds && !options.stop.stop_requested()) {
            if (edmondsTrees(graph, root, optimum, candidates, options.stop))
                best = chooseTrees(graph, root, candidates, 1, false, options.stop);
        }
        if (reaches(best, {optimum, 1}) || options.stop.stop_requested())
            break;
    }
    best.optimum = {optimum, 1};
    best.fractionalRate = fractional;
    return best;
}

TreePacking packSpanningTrees(const TreeGraph& graph, std::int32_t root, const PackingOptions& options)
{
    const std::vector<Edge> edges = undirectedEdges(graph);
    std::vector<CostArc> costs;
    std::vector<double> limits;
    for (const Edge& edge : edges) {
        const TreeGraph::Arc& arc = graph.arcs[at(edge.forward)];
        costs.push_back({arc.from, arc.to, 1.0 / static_cast<double>(edge.capacity)});
        limits.push_back(static_cast<double>(edge.capacity));
    }
    // Column generation: a tree that is cheaper than 1 at the prices of the edges improves the packing; when there is none it is optimal.
    TreeCandidates candidates;
    LinearProgram program(limits);
    double rate = 0;
    bool proven = false;
    while (!options.stop.stop_requested()) {
        const std::vector<std::int32_t> tree = leastSpanningTree(graph.ranks, costs);
        if (tree.empty())
            return {};
        double price = 0;
        LinearProgram::Column column;
        for (const std::int32_t edge : tree) {
            price += costs[at(edge)].cost;
            column.entries.emplace_back(edge, 1.0);
        }
        if (candidates.size() > 0 && price >= 1 - 1e-9) {
            proven = true;
            break;
        }
        const std::int32_t before = candidates.size();
        if (candidates.add(hang(graph, root, edges, tree)) != before)
            break; // Rounding: it is in already.
        program.add(std::move(column));
        const LinearProgram::Solution solution = program.maximise(LinearProgram::kMostSteps, options.stop);
        if (!solution.found)
            break;
        rate = solution.value;
        for (std::size_t e = 0; e < edges.size(); ++e)
            costs[e].cost = std::max(solution.duals[e], 0.0);
        for (std::size_t t = 0; t < solution.x.size(); ++t)
            candidates.addWeight(static_cast<std::int32_t>(t), solution.x[t] - candidates.weight(t));
    }
    if (candidates.size() == 0)
        return {};

    candidates.keepHeaviest(kMostCandidates);
    // The optimum is a whole number over (parts - 1) of some partition.
    const std::optional<Fraction> optimum = proven ? simpleFraction(rate, graph.ranks - 1) : std::nullopt;
    // A basic solution has no more trees than edges that bind, and mostly no more than the integer program would choose.
    const std::int64_t step = optimum ? optimum->under : 1;
    TreePacking best;
    if (auto exact = exactWeights(graph, root, candidates, edges, step))
        best = *std::move(exact);
    if (!optimum || !reaches(best, *optimum)) {
        TreePacking chosen = chooseTrees(graph, root, candidates, step, true, options.stop);
        if (chosen.rate.value() > best.rate.value())
            best = std::move(chosen);
    }
    if (optimum)
        best.optimum = *optimum;
    best.fractionalRate = rate;
    return best;
}

} // namespace fabricscope
