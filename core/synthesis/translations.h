#pragma once

#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// A graph that looks the same from every rank: ranks are the elements of Z_a x Z_b x ... (mixed-radix digits of the rank, the first
/// fastest), and every rank has the same links by the difference of their ends (a Cayley graph: rings, tori, hypercubes, cliques and
/// their products). A schedule for the chunks of rank 0 that uses each difference once at a time is, moved along, one for all ranks.
struct Translations {
    struct Generator {
        std::int32_t difference = 0;          ///< As a rank.
        std::vector<std::int32_t> linkFrom;   ///< By rank: its link of this difference.
    };
    std::vector<std::int32_t> radices;
    std::vector<Generator> generators;

    std::int32_t size() const { return static_cast<std::int32_t>(generators.front().linkFrom.size()); }
    /// Digit by digit, modulo the radices.
    std::int32_t add(std::int32_t a, std::int32_t b) const;
    std::int32_t subtract(std::int32_t a, std::int32_t b) const;
};

/// The coordinates that make `graph` such a graph, with as few radices as possible; absent: there are none, or it has switches. Links
/// count as alike by bandwidth and latency. O(links * orders of factors looked at), which end early.
std::optional<Translations> findTranslations(const SynthesisGraph& graph);

} // namespace fabricscope
