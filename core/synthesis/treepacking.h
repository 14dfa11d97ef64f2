#pragma once

#include "core/base/fraction.h"
#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A capacitated graph among ranks alone, in units that make capacities small integers.
struct TreeGraph {
    struct Arc {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int64_t capacity = 1;   ///< In units.
        std::int32_t link = -1;      ///< Index into SynthesisGraph::links.
    };
    std::int32_t ranks = 0;
    std::int64_t unit = 1;           ///< Bytes per second of one unit.
    std::vector<Arc> arcs;
};

/// Direct links among ranks; several of a pair are added up. The unit is the greatest common divisor of the rates, or where that
/// makes capacities larger than 10^6, 1/1000 of the fastest rate (capacities are then rounded down). In treegraph.cpp.
TreeGraph directGraph(const SynthesisGraph& graph);

struct PackedTree {
    std::vector<std::int32_t> parent; ///< By rank: arc from its parent (index into TreeGraph::arcs); -1: the root.
    std::int32_t root = 0;
    std::int64_t weight = 1;          ///< Over TreePacking::denominator, in units.
};

/// Trees that together stay within all capacities.
struct TreePacking {
    std::vector<PackedTree> trees;    ///< Heaviest first.
    std::int64_t denominator = 1;     ///< Of the weights.
    Fraction rate;                    ///< Sum of weights, in units.
    Fraction optimum;                 ///< Best possible; 0: not known.
    std::int32_t candidates = 0;      ///< Trees the reduction chose from.
    double fractionalRate = 0;        ///< What the multiplicative weights alone had reached.
};

struct PackingOptions {
    double epsilon = 0.25;            ///< Of the multiplicative weights, 0 < epsilon <= 0.5.
    std::stop_token stop{};
};

/// Arborescences from `root` (Blink; manual: synthesis 3): multiplicative weights find candidates, an integer program chooses few
/// of them with the largest total weight. Optimum: the least max-flow from the root to another rank (Edmonds). Where the candidates
/// do not reach it and it is at most 64 units, the trees of Edmonds' theorem are added, so the optimum is reached.
/// An empty packing: some rank cannot be reached. Cancelled: trees found so far, if any.
TreePacking packArborescences(const TreeGraph& graph, std::int32_t root, const PackingOptions& options = {});

/// Spanning trees that are used in both directions at once (reduce up, broadcast down): every arc of a tree and its reverse carry the
/// weight. Optimum: Nash-Williams and Tutte, least over partitions of crossing capacity / (parts - 1); found by column generation.
TreePacking packSpanningTrees(const TreeGraph& graph, std::int32_t root, const PackingOptions& options = {});

/// Most directed Hamiltonian rings that share no unit of capacity: what a ring library can use. \pre ranks <= 10. 0: none. In ringpacking.cpp.
std::int64_t packRings(const TreeGraph& graph);

/// Blink: broadcast, reduce and all-reduce over packed trees, every tree with its share of the data in `options.chunks` pieces that follow
/// each other. Ranks joined by switches only: one-hop trees, each rank the root of one. Both direct links and switches: the data are split
/// so that both finish together; where direct links do not reach all ranks, switches carry everything.
/// Errors: another collective (Unsupported); ranks that cannot be reached; Cancelled with nothing found. In trees.cpp.
Result<Synthesis> synthesizeTrees(const SynthesisGraph& graph, const SynthesisOptions& options);

} // namespace fabricscope
