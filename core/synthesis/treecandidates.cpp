#include "core/synthesis/treecandidates.h"

#include "core/base/index.h"
#include "core/synthesis/arborescence.h"
#include "core/synthesis/linearprogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

/// Lengths all alike, whatever the capacity: an arc of length 1 has then carried log_(1+epsilon)(1 / delta) times its capacity, which is what
/// the last scaling divides by. (Lengths of delta / capacity, as published, let arcs of more than one unit carry too much.)
std::vector<CostArc> equalArcs(const TreeGraph& graph, double length)
{
    std::vector<CostArc> arcs;
    for (const TreeGraph::Arc& arc : graph.arcs)
        arcs.push_back({arc.from, arc.to, length});
    return arcs;
}

/// Arcs a tree loads, ascending.
std::vector<std::int32_t> loadedArcs(const TreeCandidates::Tree& tree, const std::vector<std::int32_t>* reverse)
{
    std::vector<std::int32_t> arcs;
    for (const std::int32_t arc : tree) {
        if (arc < 0)
            continue;
        arcs.push_back(arc);
        if (reverse)
            arcs.push_back((*reverse)[at(arc)]);
    }
    std::sort(arcs.begin(), arcs.end());
    return arcs;
}

} // namespace

std::int32_t TreeCandidates::add(const Tree& tree)
{
    const auto [entry, isNew] = m_numbers.try_emplace(tree, size());
    if (isNew) {
        m_trees.push_back(tree);
        m_weights.push_back(0);
    }
    return entry->second;
}

void TreeCandidates::keepHeaviest(std::size_t count)
{
    if (m_trees.size() <= count)
        return;
    std::vector<std::size_t> order(m_trees.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return m_weights[a] > m_weights[b]; });
    order.resize(count);
    std::sort(order.begin(), order.end());
    TreeCandidates kept;
    for (const std::size_t number : order)
        kept.addWeight(kept.add(m_trees[number]), m_weights[number]);
    *this = std::move(kept);
}

std::vector<std::int32_t> reverseArcs(const TreeGraph& graph)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
    for (std::size_t i = 0; i < graph.arcs.size(); ++i)
        numbers[{graph.arcs[i].from, graph.arcs[i].to}] = static_cast<std::int32_t>(i);
    std::vector<std::int32_t> out;
    for (const TreeGraph::Arc& arc : graph.arcs) {
        const auto found = numbers.find({arc.to, arc.from});
        out.push_back(found == numbers.end() ? -1 : found->second);
    }
    return out;
}

double multiplicativeWeights(const TreeGraph& graph, std::int32_t root, double epsilon, TreeCandidates& candidates, const std::stop_token& stop)
{
    const double delta = (1 + epsilon) * std::pow((1 + epsilon) * static_cast<double>(graph.arcs.size()), -1 / epsilon);
    const double scale = 1 / (std::log((1 + epsilon) / delta) / std::log1p(epsilon));
    std::vector<CostArc> arcs = equalArcs(graph, delta);
    double rate = 0;
    while (!stop.stop_requested()) {
        const std::vector<std::int32_t> tree = leastArborescence(graph.ranks, root, arcs);
        if (tree.empty())
            return 0;
        double length = 0;
        std::int64_t narrowest = INT64_MAX;
        for (const std::int32_t arc : tree) {
            if (arc < 0)
                continue;
            length += arcs[at(arc)].cost;
            narrowest = std::min(narrowest, graph.arcs[at(arc)].capacity);
        }
        if (length >= 1)
            break;
        for (const std::int32_t arc : tree) {
            if (arc >= 0)
                arcs[at(arc)].cost *= 1 + epsilon * static_cast<double>(narrowest) / static_cast<double>(graph.arcs[at(arc)].capacity);
        }
        const double weight = static_cast<double>(narrowest) * scale;
        candidates.addWeight(candidates.add(tree), weight);
        rate += weight;
    }
    return rate;
}

TreePacking chooseTrees(const TreeGraph& graph, std::int32_t root, const TreeCandidates& candidates, std::int64_t denominator, bool bothWays,
                        const std::stop_token& stop)
{
    TreePacking out;
    out.denominator = denominator;
    out.candidates = candidates.size();
    const std::vector<std::int32_t> reverse = bothWays ? reverseArcs(graph) : std::vector<std::int32_t>{};
    const std::size_t arcs = graph.arcs.size();
    const std::size_t trees = candidates.trees().size();

    std::vector<std::vector<std::int32_t>> loads;
    std::vector<std::int64_t> most; // Of each tree alone.
    for (const TreeCandidates::Tree& tree : candidates.trees()) {
        loads.push_back(loadedArcs(tree, bothWays ? &reverse : nullptr));
        std::int64_t least = INT64_MAX;
        for (const std::int32_t arc : loads.back())
            least = std::min(least, graph.arcs[at(arc)].capacity * denominator);
        most.push_back(least);
    }
    std::vector<double> limits;
    for (const TreeGraph::Arc& arc : graph.arcs)
        limits.push_back(static_cast<double>(arc.capacity * denominator));

    LinearProgram largest(limits);
    for (std::size_t t = 0; t < trees; ++t) {
        LinearProgram::Column column{1, static_cast<double>(most[t]), true, {}};
        for (const std::int32_t arc : loads[t])
            column.entries.emplace_back(arc, 1.0);
        largest.add(std::move(column));
    }
    LinearProgram::Solution solution = largest.maximise(LinearProgram::kMostSteps, stop);
    if (!solution.found)
        return out;
    std::int64_t sum = 0;
    for (const double x : solution.x)
        sum += std::llround(x);

    // The fewest trees: x_t <= most_t * used_t, sum x_t = sum.
    limits.resize(arcs + trees, 0.0);
    limits.push_back(static_cast<double>(sum));
    LinearProgram fewest(limits);
    fewest.fix(static_cast<std::int32_t>(arcs + trees));
    for (std::size_t t = 0; t < trees; ++t) {
        LinearProgram::Column column{0, static_cast<double>(most[t]), true, {}};
        for (const std::int32_t arc : loads[t])
            column.entries.emplace_back(arc, 1.0);
        column.entries.emplace_back(static_cast<std::int32_t>(arcs + t), 1.0);
        column.entries.emplace_back(static_cast<std::int32_t>(arcs + trees), 1.0);
        fewest.add(std::move(column));
    }
    for (std::size_t t = 0; t < trees; ++t)
        fewest.add({1, 1, true, {{static_cast<std::int32_t>(arcs + t), -static_cast<double>(most[t])}}});
    LinearProgram::Solution reduced = fewest.minimise(LinearProgram::kMostSteps, stop);
    const auto used = [&](const std::vector<double>& x) {
        return std::count_if(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(trees), [](double value) { return std::llround(value) > 0; });
    };
    const std::vector<double>& weights = reduced.found && used(reduced.x) <= used(solution.x) ? reduced.x : solution.x;
    for (std::size_t t = 0; t < trees; ++t) {
        const std::int64_t weight = std::llround(weights[t]);
        if (weight > 0)
            out.trees.push_back({candidates.trees()[t], root, weight});
    }
    std::stable_sort(out.trees.begin(), out.trees.end(), [](const PackedTree& a, const PackedTree& b) { return a.weight > b.weight; });
    const std::int64_t divisor = std::gcd(sum, denominator);
    out.rate = {sum / std::max<std::int64_t>(divisor, 1), denominator / std::max<std::int64_t>(divisor, 1)};
    return out;
}

} // namespace fabricscope
