#include "core/synthesis/treepacking.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostUnits = 1'000'000;
constexpr std::int64_t kCoarseUnits = 1000;

} // namespace

TreeGraph directGraph(const SynthesisGraph& graph)
{
    TreeGraph out;
    out.ranks = graph.ranks;
    struct Pair {
        std::int64_t rate = 0;
        std::int32_t link = -1;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, Pair> pairs;
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
        const SynthesisGraph::Link& link = graph.links[i];
        if (link.from >= graph.ranks || link.to >= graph.ranks || link.from == link.to || link.bytesPerSecond <= 0)
            continue;
        Pair& pair = pairs[{link.from, link.to}];
        pair.rate += link.bytesPerSecond;
        if (pair.link < 0)
            pair.link = static_cast<std::int32_t>(i);
    }
    std::int64_t divisor = 0;
    std::int64_t fastest = 0;
    for (const auto& [ends, pair] : pairs) {
        divisor = std::gcd(divisor, pair.rate);
        fastest = std::max(fastest, pair.rate);
    }
    if (divisor > 0)
        out.unit = fastest / divisor <= kMostUnits ? divisor : std::max<std::int64_t>(fastest / kCoarseUnits, 1);
    for (const auto& [ends, pair] : pairs) {
        if (pair.rate / out.unit > 0)
            out.arcs.push_back({ends.first, ends.second, pair.rate / out.unit, pair.link});
    }
    return out;
}

} // namespace fabricscope
