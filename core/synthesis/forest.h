#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Trees that together reach the largest rate of a collective (ForestColl; manual: synthesis 6). All amounts in units of one tree: a
/// tree of weight w may carry w units, a link of rate B has floor(B * unitsNumerator / unitsDenominator) of them.
struct Forest {
    struct Edge {
        std::int32_t from = 0;                ///< Rank.
        std::int32_t to = 0;
        std::vector<std::int32_t> links;      ///< Indices into SynthesisGraph::links, in order: over switches, or one link.
    };
    struct Tree {
        std::int32_t root = 0;
        std::int64_t weight = 1;
        std::vector<Edge> edges;              ///< Every rank but the root is reached once, after the one it is reached from.
        std::int32_t depth() const;           ///< Edges on the longest way from the root.
    };
    std::int64_t treesPerRoot = 0;            ///< k: the weights of the trees of a root add up to it.
    std::int64_t unitsNumerator = 0;
    std::int64_t unitsDenominator = 1;
    /// Rate of a shard (broadcast: of all data) in bytes/s: of these trees together, and the best possible.
    std::int64_t rateNumerator = 0;
    std::int64_t rateDenominator = 1;
    std::int64_t optimumNumerator = 0;
    std::int64_t optimumDenominator = 1;
    std::vector<Tree> trees;                  ///< By root.
};

struct ForestOptions {
    std::int32_t root = -1;                   ///< Broadcast from this rank; -1: all-gather.
    std::int32_t treesPerRoot = 0;            ///< k; 0: as many as the optimum needs. With few trees the rate is the best for so many.
    std::stop_token stop{};
};

/// 1. The optimum by max-flow (flowgraph.h); with a fixed k the least time in which k trees of every root fit. 2. Switches are removed by
/// splitting: an arc into a switch and one out of it become one arc, as much of them as keeps every flow that is needed; switches with the
/// same rate on all ports are tried as a whole first. 3. Trees are grown arc by arc, as many copies at once as leave the rest possible (Edmonds,
/// Bang-Jensen). 4. Arcs become ways over switches again. Reverse a forest of the reversed graph for reduce-scatter and reduce.
/// Errors: a rank that cannot be reached; switches with less out than in where no splitting is found; more than 1024 vertices;
/// Cancelled.
Result<Forest> findForest(const SynthesisGraph& graph, const ForestOptions& options);

/// ForestColl as a program: all-gather, reduce-scatter (a forest of the reversed graph, backwards), all-reduce (both, chunk by chunk),
/// broadcast and reduce. Every tree carries its share (chunk weights) in `options.chunks` pieces that follow each other. In place.
/// `options.treesPerRoot` fixes k. plannedPs: bytes over the rate, and the first piece down the deepest tree.
/// Errors: those of findForest(); another collective (Unsupported); programs of more than 2^24 operations. In forestprogram.cpp.
Result<Synthesis> synthesizeForest(const SynthesisGraph& graph, const SynthesisOptions& options);

} // namespace fabricscope
