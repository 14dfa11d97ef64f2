#include "core/base/index.h"
#include "core/bounds/flowgraph.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <numeric>
#include <random>

using namespace fabricscope;

namespace {

FlowGraph randomGraph(std::mt19937_64& random, std::int32_t most)
{
    FlowGraph graph;
    graph.vertices = 2 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most - 1));
    std::vector<std::int32_t> order(static_cast<std::size_t>(graph.vertices));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const std::size_t members = 2 + random() % (order.size() - 1);
    graph.compute.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(members));
    const std::int64_t unit = random() % 2 == 0 ? 1 : 25'000'000'000;
    const std::size_t arcs = order.size() + random() % (order.size() * 3);
    const auto any = [&] { return static_cast<std::int32_t>(random() % order.size()); };
    for (std::size_t i = 0; i < arcs; ++i)
        graph.arcs.push_back({any(), any(), unit * static_cast<std::int64_t>(1 + random() % 9), static_cast<std::int64_t>(random() % 50)});
    return graph;
}

struct Fraction {
    std::int64_t numerator = INT64_MAX;
    std::int64_t denominator = 1;

    void lower(std::int64_t n, std::int64_t d)
    {
        if (numerator == INT64_MAX || static_cast<long double>(n) * static_cast<long double>(denominator) < static_cast<long double>(numerator) * static_cast<long double>(d)) {
            const std::int64_t common = std::gcd(n, d);
            numerator = n / common;
            denominator = d / common;
        }
    }
};

/// Least (leaving rate) / (shards) over all sets for which `shards` gives more than 0.
template <typename Shards>
Fraction leastOverSets(const FlowGraph& graph, const Shards& shards)
{
    Fraction least;
    for (std::uint32_t bits = 1; bits < 1U << graph.vertices; ++bits) {
        std::vector<bool> set;
        for (std::int32_t v = 0; v < graph.vertices; ++v)
            set.push_back((bits >> v & 1) != 0);
        if (const std::int64_t count = shards(set); count > 0)
            least.lower(graph.leaving(set), count);
    }
    return least;
}

bool has(const std::vector<bool>& set, std::int32_t vertex)
{
    return set[at(vertex)];
}

} // namespace

#define COMPARE_RATE(found, expected) \
    do { \
        QCOMPARE((found).numerator, (expected).numerator); \
        if ((expected).numerator > 0) \
            QCOMPARE((found).denominator, (expected).denominator); \
    } while (false)

class BoundsCutsTest : public QObject {
    Q_OBJECT

private slots:
    void gatherAllRateIsTheLeastOverAllSets()
    {
        std::mt19937_64 random(test::seeded(11));
        for (int round = 0; round < test::cases(1500); ++round) {
            const FlowGraph graph = randomGraph(random, 8);
            const auto members = static_cast<std::int64_t>(graph.compute.size());
            const Fraction expected = leastOverSets(graph, [&](const std::vector<bool>& set) {
                const std::int64_t inside = graph.computeIn(set);
                return inside < members ? inside : 0;
            });
            const CutRate found = gatherAllRate(graph);
            COMPARE_RATE(found, expected);
            // The cut that is named is one that binds.
            QCOMPARE(graph.leaving(found.side) * found.denominator, found.numerator * graph.computeIn(found.side));
            QVERIFY(graph.computeIn(found.side) < members);

            FlowGraph back = graph.reversed();
            const Fraction reversed = leastOverSets(back, [&](const std::vector<bool>& set) {
                const std::int64_t inside = back.computeIn(set);
                return inside < members ? inside : 0;
            });
            COMPARE_RATE(gatherAllRate(back), reversed);
        }
    }

    void gatherAndBroadcastRatesAreTheLeastOverAllSets()
    {
        std::mt19937_64 random(test::seeded(12));
        for (int round = 0; round < test::cases(1500); ++round) {
            const FlowGraph graph = randomGraph(random, 8);
            const std::size_t root = random() % graph.compute.size();
            const std::int32_t vertex = graph.compute[root];
            const Fraction gather = leastOverSets(graph, [&](const std::vector<bool>& set) { return has(set, vertex) ? 0 : graph.computeIn(set); });
            COMPARE_RATE(gatherRate(graph, root), gather);
            const Fraction broadcast = leastOverSets(graph, [&](const std::vector<bool>& set) {
                return has(set, vertex) && graph.computeIn(set) < static_cast<std::int32_t>(graph.compute.size()) ? 1 : 0;
            });
            COMPARE_RATE(broadcastRate(graph, root), broadcast);
        }
    }

    void partRateIsTheLeastCutBetweenParts()
    {
        std::mt19937_64 random(test::seeded(13));
        for (int round = 0; round < test::cases(1000); ++round) {
            const FlowGraph graph = randomGraph(random, 8);
            std::vector<bool> inside;
            for (std::size_t i = 0; i < graph.compute.size(); ++i)
                inside.push_back(i == 0 || (i > 1 && random() % 2 == 0));
            const Fraction expected = leastOverSets(graph, [&](const std::vector<bool>& set) {
                for (std::size_t i = 0; i < inside.size(); ++i) {
                    if (has(set, graph.compute[i]) != inside[i])
                        return 0;
                }
                return 1;
            });
            COMPARE_RATE(partRate(graph, inside), expected);
        }
    }

    void countsRatesWithoutCommonDivisor()
    {
        // Rates near 10^12 without a common divisor and many members leave 64 bits.
        FlowGraph graph;
        graph.vertices = 1000;
        std::int64_t least = INT64_MAX;
        for (std::int32_t v = 0; v < graph.vertices; ++v) {
            graph.compute.push_back(v);
            const std::int64_t rate = 999'999'999'000 + (v * 7919) % 1000;
            least = std::min(least, rate);
            graph.arcs.push_back({v, (v + 1) % graph.vertices, rate, 1});
        }
        const CutRate found = gatherAllRate(graph);
        QCOMPARE(found.numerator, least / std::gcd(least, std::int64_t{999}));
        QCOMPARE(found.denominator, 999 / std::gcd(least, std::int64_t{999}));
    }

    void leastLatenciesAreThoseOfAllWays()
    {
        std::mt19937_64 random(test::seeded(14));
        for (int round = 0; round < test::cases(500); ++round) {
            FlowGraph graph = randomGraph(random, 8);
            for (FlowGraph::Arc& arc : graph.arcs) // Few latencies, and so many that a heap is used.
                arc.latencyPs = static_cast<std::int64_t>(random() % (round % 2 == 0 ? 3 : 1000));
            LatencySearch search(graph);
            for (const std::size_t sources : {std::size_t{1}, graph.compute.size()}) {
                std::vector<std::int64_t> expected(static_cast<std::size_t>(graph.vertices), INT64_MAX);
                for (const std::int32_t source : std::span(graph.compute).first(sources))
                    expected[at(source)] = 0;
                for (std::int32_t pass = 0; pass < graph.vertices; ++pass) { // Bellman-Ford
                    for (const FlowGraph::Arc& arc : graph.arcs) {
                        const std::int64_t from = expected[at(arc.from)];
                        if (from != INT64_MAX) {
                            std::int64_t& to = expected[at(arc.to)];
                            to = std::min(to, from + arc.latencyPs);
                        }
                    }
                }
                const std::span<const std::int64_t> found = search.from(std::span(graph.compute).first(sources));
                QCOMPARE(std::vector(found.begin(), found.end()), expected);
            }
        }
    }

    void mergesParallelArcs()
    {
        FlowGraph graph;
        graph.vertices = 2;
        graph.compute = {0, 1};
        graph.arcs = {{0, 1, 3, 9}, {1, 0, 1, 1}, {0, 1, 4, 5}};
        graph.mergeParallel();
        QCOMPARE(graph.arcs.size(), std::size_t{2});
        QCOMPARE(graph.arcs[0].rate, 7);
        QCOMPARE(graph.arcs[0].latencyPs, 5);
    }
};

FABRICSCOPE_TEST(BoundsCutsTest)
#include "tst_bounds_cuts.moc"
