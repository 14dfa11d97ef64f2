#pragma once

#include "core/synthesis/synthesis.h"

#include <random>

namespace fabricscope::test {

/// A strongly connected directed graph without switches: a ring through all ranks and random further links, some parallel, of random rates
/// and latencies.
inline SynthesisGraph randomGraph(std::mt19937& random, std::int32_t ranks)
{
    SynthesisGraph graph;
    graph.ranks = ranks;
    graph.vertices = ranks;
    const auto below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
    const auto add = [&](std::int32_t from, std::int32_t to) {
        graph.links.push_back({from, to, std::int64_t{1} << (30 + below(6)), below(3) * 500'000, {}});
    };
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        add(rank, (rank + 1) % ranks);
    for (std::int32_t more = below(static_cast<std::uint32_t>(3 * ranks)); more > 0; --more) {
        const std::int32_t from = below(static_cast<std::uint32_t>(ranks));
        const std::int32_t to = below(static_cast<std::uint32_t>(ranks));
        if (from != to)
            add(from, to);
    }
    return graph;
}

} // namespace fabricscope::test
