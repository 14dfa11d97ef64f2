#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// A collective on a graph of ranks as chunks with a source and wanted places, links as chunks per round.
class ExactProblem {
public:
    struct Link {
        std::int32_t from = 0;
        std::int32_t to = 0;
        std::int32_t link = 0;           ///< Index into SynthesisGraph::links.
        std::int64_t chunksPerRound = 1;
    };

    /// The unit of a round is the greatest common divisor of the link rates. O(ranks^3).
    ExactProblem(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, std::int32_t chunksPerShard);

    std::int32_t ranks = 0;
    std::int32_t chunks = 0;
    std::int64_t unit = 1;               ///< Bytes per second of one chunk per round.
    std::vector<Link> links;
    std::vector<std::int32_t> source;    ///< By chunk.

    bool wanted(std::int32_t chunk, std::int32_t rank) const { return m_wanted[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(rank)]; }
    /// Links on the shortest way; kFar: none.
    std::int32_t hops(std::int32_t from, std::int32_t to) const { return m_hops[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(to)]; }
    static constexpr std::int32_t kFar = 1 << 20;
    /// To the nearest rank that wants the chunk.
    std::int32_t hopsToWanted(std::int32_t chunk, std::int32_t rank) const;
    /// Longest way a chunk must go.
    std::int32_t fewestSteps() const;
    /// Are `rounds` enough for what every single rank must take in and give out? (A necessary condition.)
    bool fitsIn(std::int32_t rounds) const;
    /// Fewest rounds by that condition.
    std::int32_t fewestRounds() const;

private:
    std::vector<bool> m_wanted;
    std::vector<std::int32_t> m_hops;
};

} // namespace fabricscope
