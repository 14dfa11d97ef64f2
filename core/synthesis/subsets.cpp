#include "core/synthesis/subsets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostRanks = 8;

SynthesisGraph induced(const SynthesisGraph& graph, const std::vector<std::int32_t>& ranks)
{
    SynthesisGraph out;
    out.ranks = out.vertices = static_cast<std::int32_t>(ranks.size());
    const auto place = [&](std::int32_t rank) {
        const auto found = std::find(ranks.begin(), ranks.end(), rank);
        return found == ranks.end() ? -1 : static_cast<std::int32_t>(found - ranks.begin());
    };
    for (const SynthesisGraph::Link& link : graph.links) {
        const std::int32_t from = place(link.from);
        const std::int32_t to = place(link.to);
        if (from >= 0 && to >= 0)
            out.links.push_back({from, to, link.bytesPerSecond, link.latencyPs, {}});
    }
    return out;
}

/// Rates between all pairs in the order of ranks that makes them smallest: the same for isomorphic graphs. O(n! n^2), n <= 8.
std::vector<std::int64_t> canonicalRates(const SynthesisGraph& graph)
{
    const auto n = static_cast<std::size_t>(graph.ranks);
    std::vector<std::int64_t> rate(n * n, 0);
    for (const SynthesisGraph::Link& link : graph.links)
        rate[static_cast<std::size_t>(link.from) * n + static_cast<std::size_t>(link.to)] += link.bytesPerSecond;
    // Ranks of different degree cannot change places: orders are tried inside classes of equal rates only.
    std::vector<std::pair<std::vector<std::int64_t>, std::size_t>> keys;
    for (std::size_t v = 0; v < n; ++v) {
        std::vector<std::int64_t> key;
        for (std::size_t w = 0; w < n; ++w) {
            key.push_back(rate[v * n + w]);
            key.push_back(rate[w * n + v]);
        }
        std::sort(key.begin(), key.end());
        keys.emplace_back(std::move(key), v);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::size_t> order;
    for (const auto& [key, v] : keys)
        order.push_back(v);
    std::vector<std::int64_t> best;
    std::vector<std::int64_t> written(n * n);
    const auto visit = [&](auto&& self, std::size_t at) -> void {
        if (at == n) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j)
                    written[i * n + j] = rate[order[i] * n + order[j]];
            }
            if (best.empty() || written < best)
                best = written;
            return;
        }
        for (std::size_t other = at; other < n && keys[other].first == keys[at].first; ++other) {
            std::swap(order[at], order[other]);
            self(self, at + 1);
            std::swap(order[at], order[other]);
        }
    };
    visit(visit, 0);
    return best;
}

SubsetRates ratesOf(const SynthesisGraph& graph, double fallback, const std::stop_token& stop)
{
    SubsetRates out;
    const TreeGraph direct = directGraph(graph);
    PackingOptions options;
    options.stop = stop;
    const TreePacking broadcast = packArborescences(direct, 0, options);
    const TreePacking both = packSpanningTrees(direct, 0, options);
    const double unit = static_cast<double>(direct.unit);
    out.treeBroadcast = broadcast.rate.value() * unit;
    out.treeAllReduce = both.rate.value() * unit;
    out.broadcastTrees = static_cast<std::int32_t>(broadcast.trees.size());
    out.allReduceTrees = static_cast<std::int32_t>(both.trees.size());
    out.rings = direct.arcs.empty() ? 0 : packRings(direct);
    out.ringBroadcast = out.rings > 0 ? static_cast<double>(out.rings) * unit : fallback;
    const double p = graph.ranks;
    out.ringAllReduce = out.ringBroadcast * p / (2 * (p - 1));
    return out;
}

} // namespace

SpeedUps speedUps(const std::vector<double>& values)
{
    SpeedUps out;
    if (values.empty())
        return out;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    double logarithms = 0;
    for (const double value : values)
        logarithms += std::log(value);
    out.least = *least;
    out.most = *most;
    out.geometricMean = std::exp(logarithms / static_cast<double>(values.size()));
    return out;
}

Result<std::vector<SubsetRates>> subsetRates(const SynthesisGraph& graph, double fallback, const std::stop_token& stop)
{
    if (graph.ranks < 3 || graph.ranks > kMostRanks)
        return Error{ErrorCode::Unsupported, "subsets of " + std::to_string(graph.ranks) + " NPUs", {}, "a machine of 3 to " + std::to_string(kMostRanks)};
    std::vector<SubsetRates> out;
    for (std::int32_t size = 3; size <= graph.ranks; ++size) {
        std::map<std::vector<std::int64_t>, std::size_t> classes;
        for (std::uint32_t mask = 0; mask < (std::uint32_t{1} << graph.ranks); ++mask) {
            if (std::popcount(mask) != size)
                continue;
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "stopped", {}, {}};
            std::vector<std::int32_t> ranks;
            for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
                if (mask >> rank & 1)
                    ranks.push_back(rank);
            }
            const SynthesisGraph part = induced(graph, ranks);
            const auto [entry, added] = classes.try_emplace(canonicalRates(part), out.size());
            if (added) {
                SubsetRates rates = ratesOf(part, fallback, stop);
                rates.ranks = std::move(ranks);
                out.push_back(std::move(rates));
            }
            ++out[entry->second].alike;
        }
    }
    std::erase_if(out, [](const SubsetRates& rates) { return rates.treeBroadcast <= 0 || rates.treeAllReduce <= 0; });
    std::stable_sort(out.begin(), out.end(), [](const SubsetRates& a, const SubsetRates& b) {
        return a.ranks.size() != b.ranks.size() ? a.ranks.size() < b.ranks.size() : a.ranks < b.ranks;
    });
    return out;
}

} // namespace fabricscope
