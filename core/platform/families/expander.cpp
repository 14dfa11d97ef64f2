// Expander: a circulant graph whose edges are crossed pair by pair, as drawn from the seed, until it is as good as random.
#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "core/platform/fabric/family.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::array<FamilyKey, 4> kExpanderKeys{{{"switches", "switches", 2, 65536}, {"degree", "cables of a switch to others", 1, 256},
                                                  {"npus", "NPUs of a switch", 1, 1024}, {"seed", "of what is drawn", 0, INT64_MAX, false, "0"}}};

constexpr std::int64_t kMostOfRings = 4096; ///< Switches of two cables each.

constexpr std::int64_t kDrawsPerEdge = 10;

using Edge = std::array<std::int32_t, 2>;

bool allJoined(std::int32_t n, const std::vector<Edge>& edges)
{
    std::vector<std::int32_t> root(static_cast<std::size_t>(n));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&root](std::int32_t x) {
        while (root[at(x)] != x)
            x = root[at(x)] = root[at(root[at(x)])];
        return x;
    };
    std::int32_t parts = n;
    for (const auto& [a, b] : edges) {
        const std::int32_t x = find(a);
        const std::int32_t y = find(b);
        parts -= x != y ? 1 : 0;
        root[at(x)] = y;
    }
    return parts == 1;
}

/// The edges, the lower switch first, sorted. `poll` now and then.
std::vector<Edge> expanderEdges(std::int32_t n, std::int32_t degree, std::uint64_t seed, const std::function<void()>& poll)
{
    std::vector<Edge> edges;
    for (std::int32_t s = 1; s <= degree / 2; ++s) {
        for (std::int32_t i = 0; i < n; ++i)
            edges.push_back({i, (i + s) % n});
    }
    for (std::int32_t i = 0; degree % 2 == 1 && i < n / 2; ++i)
        edges.push_back({i, i + n / 2});
    std::vector<std::vector<std::int32_t>> neighbours(static_cast<std::size_t>(n));
    const auto of = [&neighbours](std::int32_t node) -> std::vector<std::int32_t>& { return neighbours[at(node)]; };
    for (const auto& [a, b] : edges) {
        of(a).push_back(b);
        of(b).push_back(a);
    }
    const auto exists = [&](std::int32_t a, std::int32_t b) { return std::find(of(a).begin(), of(a).end(), b) != of(a).end(); };
    const auto replace = [&](std::int32_t node, std::int32_t old, std::int32_t with) { *std::find(of(node).begin(), of(node).end(), old) = with; };
    const auto count = static_cast<std::uint64_t>(edges.size());
    for (std::int64_t k = 0;;) {
        for (const std::int64_t end = k + kDrawsPerEdge * static_cast<std::int64_t>(count); k < end; ++k) {
            if (k % (1 << 12) == 0)
                poll();
            const std::uint64_t x = seededHash(seed, {k});
            const std::uint64_t i = (x >> 32) % count;
            const std::uint64_t j = ((x & 0xffffffffu) >> 1) % count;
            if (i == j)
                continue;
            const auto [a, b] = edges[i];
            auto [c, d] = edges[j];
            if (x % 2 == 1)
                std::swap(c, d);
            if (a == d || c == b || exists(a, d) || exists(c, b))
                continue;
            replace(a, b, d);
            replace(d, c, a);
            replace(c, d, b);
            replace(b, a, c);
            edges[i] = {a, d};
            edges[j] = {c, b};
        }
        if (allJoined(n, edges))
            break;
    }
    for (Edge& edge : edges)
        std::sort(edge.begin(), edge.end());
    std::sort(edges.begin(), edges.end());
    return edges;
}

Status checkExpander(const FamilyValues& v)
{
    const std::int64_t n = v.one(0);
    const std::int64_t degree = v.one(1);
    if (degree >= n)
        return familyError(expanderFamily(), "degree", std::to_string(degree) + " cables of each of " + std::to_string(n) + " switches", "fewer than the switches; the nearest is " + std::to_string(n - 1));
    // Two cables of each switch are rings, rarely a single one: that takes a number of draws that grows faster than the switches.
    const std::int64_t least = n == 2 ? 1 : n <= kMostOfRings ? 2 : n % 2 == 0 ? 3 : 4;
    if (n * degree % 2 != 0)
        return familyError(expanderFamily(), "degree", std::to_string(n) + " switches of " + std::to_string(degree) + " cables: a cable would have one end",
                           "an even product: degree " + (degree > least ? std::to_string(degree - 1) + " or " : std::string()) + std::to_string(std::max(degree + 1, least)));
    if (degree == 1 && n > 2)
        return familyError(expanderFamily(), "degree", "one cable of each switch joins pairs only", std::to_string(least) + " or more");
    if (degree == 2 && n > kMostOfRings)
        return familyError(expanderFamily(), "degree", "2 of " + std::to_string(n) + " switches", std::to_string(least) + " or more; 2 up to " + std::to_string(kMostOfRings) + " switches");
    if (product({n, v.one(2)}) > kMaxNpus)
        return familyError(expanderFamily(), "npus", std::to_string(n) + " switches of " + std::to_string(v.one(2)) + " NPUs", "at most " + std::to_string(kMaxNpus / n));
    return {};
}

FabricPlan planExpander(const FamilyValues& v)
{
    FabricPlan plan;
    plan.npus = v.one(0) * v.one(2);
    plan.tiers = {{"switch", v.one(0), v.one(1) + v.one(2), 0}};
    plan.kinds = {{"npu", plan.npus, false}, {"switch", v.one(0) * v.one(1) / 2, false}};
    plan.wiringWork = product({kDrawsPerEdge, v.one(0) * v.one(1) / 2, v.one(1)}); // Every draw looks through the neighbours of a switch.
    plan.alike = Alike::Attached;
    return plan;
}

void wireExpander(const FamilyValues& v, const CableSink& sink)
{
    const auto n = static_cast<std::int32_t>(v.one(0));
    const auto each = static_cast<std::int32_t>(v.one(2));
    const std::int32_t npus = n * each;
    for (std::int32_t i = 0; i < npus; ++i)
        sink({i, 0}, {npus + i / each, i % each}, 0);
    std::vector<std::int32_t> port(static_cast<std::size_t>(n), each);
    for (const auto& [a, b] : expanderEdges(n, static_cast<std::int32_t>(v.one(1)), static_cast<std::uint64_t>(v.one(3, 0)), [&sink] { sink.poll(); })) {
        sink({npus + a, port[at(a)]}, {npus + b, port[at(b)]}, 1);
        ++port[at(a)];
        ++port[at(b)];
    }
}

constexpr FabricFamily kExpander{"expander", "Expander: switches joined at random, by seed", kExpanderKeys, checkExpander, planExpander, wireExpander};

} // namespace

const FabricFamily& expanderFamily() { return kExpander; }

} // namespace fabricscope
