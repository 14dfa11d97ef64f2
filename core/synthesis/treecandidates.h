#pragma once

#include "core/base/index.h"
#include "core/synthesis/treepacking.h"

#include <cstdint>
#include <map>
#include <vector>

namespace fabricscope {

/// Trees a packing may choose from, each once: parent arc by rank, -1 at the root.
class TreeCandidates {
public:
    using Tree = std::vector<std::int32_t>;

    /// Number of the tree; known ones keep theirs. O(ranks log candidates).
    std::int32_t add(const Tree& tree);
    void addWeight(std::int32_t number, double weight) { m_weights[at(number)] += weight; }
    const std::vector<Tree>& trees() const { return m_trees; }
    double weight(std::size_t number) const { return m_weights[number]; }
    std::int32_t size() const { return static_cast<std::int32_t>(m_trees.size()); }
    /// Keeps the `count` heaviest, in the order they were added.
    void keepHeaviest(std::size_t count);

private:
    std::map<Tree, std::int32_t> m_numbers;
    std::vector<Tree> m_trees;
    std::vector<double> m_weights;
};

/// Multiplicative weights after Garg and Koenemann (manual: synthesis 3): a packing of arborescences within 1 - O(epsilon) of the
/// optimum, of many trees. Returns its rate in units; 0: some rank cannot be reached.
double multiplicativeWeights(const TreeGraph& graph, std::int32_t root, double epsilon, TreeCandidates& candidates, const std::stop_token& stop);

/// As many arborescences from `root` as the least max-flow to another rank, of one unit each: Edmonds' theorem, arc by arc after Lovasz
/// (an arc may be taken while every rank still has the flow that the other trees need). False: stopped.
/// O(flow * ranks * arcs) max-flows. In edmondstrees.cpp, as broadcastOptimum(). \pre every rank can be reached.
bool edmondsTrees(const TreeGraph& graph, std::int32_t root, std::int64_t flow, TreeCandidates& candidates, const std::stop_token& stop);

/// Least max-flow from `root` to another rank, in units.
std::int64_t broadcastOptimum(const TreeGraph& graph, std::int32_t root);

/// Few of the candidates: integer weights over `denominator` whose sum is the largest, then the fewest trees with that sum.
/// `bothWays`: a tree uses its arcs and their reverses.
TreePacking chooseTrees(const TreeGraph& graph, std::int32_t root, const TreeCandidates& candidates, std::int64_t denominator, bool bothWays,
                        const std::stop_token& stop);

/// For every arc the arc back; -1: none.
std::vector<std::int32_t> reverseArcs(const TreeGraph& graph);

} // namespace fabricscope
