#include "core/synthesis/translations.h"

#include "core/base/axes.h"
#include "core/base/index.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace fabricscope {

namespace {

/// Ways of writing the number of ranks as an ordered product that are tried.
constexpr std::size_t kMostProducts = 4096;

/// Ordered products of factors >= 2 that make `n`, those of few factors first.
std::vector<std::vector<std::int32_t>> orderedProducts(std::int32_t n)
{
    std::vector<std::vector<std::int32_t>> out;
    std::vector<std::int32_t> factors;
    for (std::size_t length = 1; (std::int64_t{1} << length) <= n; ++length) {
        const std::function<void(std::int32_t)> extend = [&](std::int32_t rest) {
            if (out.size() >= kMostProducts)
                return;
            if (factors.size() + 1 == length) {
                factors.push_back(rest);
                out.push_back(factors);
                factors.pop_back();
                return;
            }
            for (std::int32_t factor = 2; factor <= rest / 2; ++factor) {
                if (rest % factor != 0)
                    continue;
                factors.push_back(factor);
                extend(rest / factor);
                factors.pop_back();
            }
        };
        extend(n);
    }
    return out;
}

/// A link as seen from its start.
struct Seen {
    std::int32_t difference = 0;
    std::int64_t bytesPerSecond = 0;
    std::int64_t latencyPs = 0;
    std::int32_t link = 0;
};

bool alike(const Seen& a, const Seen& b)
{
    return std::tie(a.difference, a.bytesPerSecond, a.latencyPs) == std::tie(b.difference, b.bytesPerSecond, b.latencyPs);
}

std::vector<Seen> seenFrom(const SynthesisGraph& graph, const std::vector<std::int32_t>& outgoing, std::int32_t rank, const Translations& group)
{
    std::vector<Seen> out;
    for (const std::int32_t link : outgoing) {
        const SynthesisGraph::Link& row = graph.links[at(link)];
        out.push_back({group.subtract(row.to, rank), row.bytesPerSecond, row.latencyPs, link});
    }
    std::sort(out.begin(), out.end(), [](const Seen& a, const Seen& b) {
        return std::tie(a.difference, a.bytesPerSecond, a.latencyPs, a.link) < std::tie(b.difference, b.bytesPerSecond, b.latencyPs, b.link);
    });
    return out;
}

/// Fills in the generators; false when some rank sees other links than rank 0.
bool fits(const SynthesisGraph& graph, const std::vector<std::vector<std::int32_t>>& outgoing, Translations& group)
{
    const std::vector<Seen> first = seenFrom(graph, outgoing[0], 0, group);
    group.generators.assign(first.size(), {});
    for (std::size_t i = 0; i < first.size(); ++i) {
        group.generators[i].difference = first[i].difference;
        group.generators[i].linkFrom.assign(at(graph.ranks), -1);
    }
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
        const std::vector<Seen> seen = seenFrom(graph, outgoing[at(rank)], rank, group);
        if (!std::equal(seen.begin(), seen.end(), first.begin(), first.end(), alike))
            return false;
        for (std::size_t i = 0; i < seen.size(); ++i)
            group.generators[i].linkFrom[at(rank)] = seen[i].link;
    }
    return true;
}

} // namespace

std::int32_t Translations::add(std::int32_t a, std::int32_t b) const
{
    return movedAlong(a, b, radices);
}

std::int32_t Translations::subtract(std::int32_t a, std::int32_t b) const
{
    std::int32_t out = 0;
    std::int32_t place = 1;
    for (const std::int32_t radix : radices) {
        out += (a % radix + radix - b % radix) % radix * place;
        a /= radix;
        b /= radix;
        place *= radix;
    }
    return out;
}

std::optional<Translations> findTranslations(const SynthesisGraph& graph)
{
    if (graph.vertices != graph.ranks || graph.ranks < 2)
        return std::nullopt;
    std::vector<std::vector<std::int32_t>> outgoing(at(graph.ranks));
    for (std::size_t link = 0; link < graph.links.size(); ++link)
        outgoing[at(graph.links[link].from)].push_back(static_cast<std::int32_t>(link));
    const bool regular = std::all_of(outgoing.begin(), outgoing.end(), [&](const auto& links) { return links.size() == outgoing[0].size(); });
    if (!regular || outgoing[0].empty())
        return std::nullopt;
    for (const std::vector<std::int32_t>& radices : orderedProducts(graph.ranks)) {
        Translations group;
        group.radices = radices;
        if (fits(graph, outgoing, group))
            return group;
    }
    return std::nullopt;
}

} // namespace fabricscope
