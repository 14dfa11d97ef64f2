// Packing of trees and rings against exact values: the table of all GPU subsets of a DGX-1, and max-flow on random graphs.
#include "core/synthesis/arborescence.h"
#include "core/synthesis/linearprogram.h"
#include "core/synthesis/subsets.h"
#include "core/synthesis/treecandidates.h"
#include "core/synthesis/treepacking.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/dgx1.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Every arc carries at most its capacity; every tree is one.
void checkPacking(const TreeGraph& graph, const TreePacking& packing, std::int32_t root, bool bothWays)
{
    std::vector<std::int64_t> load(graph.arcs.size(), 0);
    const std::vector<std::int32_t> reverse = reverseArcs(graph);
    std::int64_t sum = 0;
    for (const PackedTree& tree : packing.trees) {
        QVERIFY(tree.weight > 0);
        sum += tree.weight;
        for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
            const std::int32_t arc = tree.parent[static_cast<std::size_t>(rank)];
            QCOMPARE(arc < 0, rank == root);
            if (arc < 0)
                continue;
            QCOMPARE(graph.arcs[static_cast<std::size_t>(arc)].to, rank);
            load[static_cast<std::size_t>(arc)] += tree.weight;
            if (bothWays)
                load[static_cast<std::size_t>(reverse[static_cast<std::size_t>(arc)])] += tree.weight;
            std::int32_t at = rank; // Leads to the root.
            for (std::int32_t hops = 0; at != root; ++hops) {
                QVERIFY(hops < graph.ranks);
                at = graph.arcs[static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(at)])].from;
            }
        }
    }
    for (std::size_t arc = 0; arc < load.size(); ++arc)
        QVERIFY(load[arc] <= graph.arcs[arc].capacity * packing.denominator);
    QCOMPARE(packing.rate.value(), static_cast<double>(sum) / static_cast<double>(packing.denominator));
}

/// Ford and Fulkerson with depth-first paths: slow and simple.
std::int64_t plainFlow(const TreeGraph& graph, std::int32_t from, std::int32_t to)
{
    std::vector<std::vector<std::int64_t>> left(static_cast<std::size_t>(graph.ranks), std::vector<std::int64_t>(static_cast<std::size_t>(graph.ranks), 0));
    for (const TreeGraph::Arc& arc : graph.arcs)
        left[static_cast<std::size_t>(arc.from)][static_cast<std::size_t>(arc.to)] += arc.capacity;
    std::int64_t total = 0;
    while (true) {
        std::vector<bool> seen(static_cast<std::size_t>(graph.ranks), false);
        const auto push = [&](auto&& self, std::size_t v, std::int64_t most) -> std::int64_t {
            if (v == static_cast<std::size_t>(to))
                return most;
            seen[v] = true;
            for (std::size_t w = 0; w < left.size(); ++w) {
                if (seen[w] || left[v][w] == 0)
                    continue;
                const std::int64_t got = self(self, w, std::min(most, left[v][w]));
                if (got > 0) {
                    left[v][w] -= got;
                    left[w][v] += got;
                    return got;
                }
            }
            return 0;
        };
        const std::int64_t got = push(push, static_cast<std::size_t>(from), INT64_MAX);
        if (got == 0)
            return total;
        total += got;
    }
}

TreeGraph randomGraph(std::mt19937& random, std::int32_t ranks, std::int32_t extraArcs, std::int64_t most)
{
    TreeGraph graph;
    graph.ranks = ranks;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> arcs;
    const auto capacity = [&] { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        arcs[{rank, (rank + 1) % ranks}] = capacity();
    for (std::int32_t i = 0; i < extraArcs; ++i) {
        const auto a = std::uniform_int_distribution<std::int32_t>(0, ranks - 1)(random);
        const auto b = std::uniform_int_distribution<std::int32_t>(0, ranks - 1)(random);
        if (a != b)
            arcs[{a, b}] = capacity();
    }
    for (const auto& [ends, rate] : arcs)
        graph.arcs.push_back({ends.first, ends.second, rate, -1});
    return graph;
}

/// Least over all partitions of crossing capacity / (parts - 1), by trying them all (Nash-Williams and Tutte).
double partitionBound(const TreeGraph& graph)
{
    std::vector<std::int32_t> part(static_cast<std::size_t>(graph.ranks), 0);
    double least = INFINITY;
    const auto visit = [&](auto&& self, std::size_t v, std::int32_t parts) -> void {
        if (v == part.size()) {
            if (parts < 2)
                return;
            double crossing = 0;
            for (const TreeGraph::Arc& arc : graph.arcs) {
                if (arc.from < arc.to && part[static_cast<std::size_t>(arc.from)] != part[static_cast<std::size_t>(arc.to)])
                    crossing += static_cast<double>(arc.capacity);
            }
            least = std::min(least, crossing / (parts - 1));
            return;
        }
        for (std::int32_t p = 0; p <= parts; ++p) {
            part[v] = p;
            self(self, v + 1, std::max(parts, p + 1));
        }
    };
    visit(visit, 0, 0);
    return least;
}

} // namespace

class TestTreePacking : public QObject {
    Q_OBJECT

private slots:
    void dgx1_data()
    {
        QTest::addColumn<int>("row");
        const std::vector<Dgx1Subset> subsets = dgx1Subsets();
        for (std::size_t i = 0; i < subsets.size(); ++i) {
            if (subsets[i].connected)
                QTest::newRow(qPrintable(QString::fromStdString(subsets[i].machine + ' ' + subsets[i].text))) << static_cast<int>(i);
        }
    }

    void dgx1()
    {
        QFETCH(int, row);
        const Dgx1Subset subset = dgx1Subsets()[static_cast<std::size_t>(row)];
        const TreeGraph graph = directGraph(dgx1Graph(subset.machine, subset.gpus));
        // Units of a link; a group that has only double links counts in pairs.
        const double linkUnits = (subset.machine == "DGX-1V" ? 25e9 : 20e9) / static_cast<double>(graph.unit);
        for (std::int32_t root = 0; root < graph.ranks; ++root) {
            const TreePacking broadcast = packArborescences(graph, root);
            checkPacking(graph, broadcast, root, false);
            QCOMPARE(broadcast.rate.value(), subset.broadcast * linkUnits);
            QCOMPARE(broadcast.optimum, broadcast.rate);
            QVERIFY(broadcast.fractionalRate <= broadcast.optimum.value() * (1 + 1e-9));
            QVERIFY(broadcast.fractionalRate >= broadcast.optimum.value() * 0.5);
            QVERIFY2(broadcast.trees.size() <= (subset.machine == "DGX-1V" ? 6u : 4u), qPrintable(QString::number(broadcast.trees.size())));
        }
        const TreePacking both = packSpanningTrees(graph, 0);
        checkPacking(graph, both, 0, true);
        // The table has four decimals.
        QVERIFY2(std::abs(both.rate.value() / linkUnits - subset.spanningTrees) < 5.1e-5, qPrintable(QString::number(both.rate.value())));
        QCOMPARE(both.optimum, both.rate);
        QCOMPARE(static_cast<double>(packRings(graph)), static_cast<double>(subset.rings) * linkUnits);
    }

    // Every class of the table is found once, with its number of subsets and its rates, and the speed-ups follow from the table.
    void allSubsets_data()
    {
        QTest::addColumn<QString>("machine");
        QTest::addColumn<double>("link");
        QTest::addColumn<int>("classes");
        QTest::newRow("P100") << QStringLiteral("DGX-1P") << 20e9 << 14;
        QTest::newRow("V100") << QStringLiteral("DGX-1V") << 25e9 << 46;
    }

    void allSubsets()
    {
        QFETCH(QString, machine);
        QFETCH(double, link);
        QFETCH(int, classes);
        const double pcie = 12e9;
        const auto found = subsetRates(dgx1Graph(machine.toStdString(), {0, 1, 2, 3, 4, 5, 6, 7}), pcie);
        QVERIFY(found);
        QCOMPARE(static_cast<int>(found.value().size()), classes);
        std::vector<double> expected;
        std::vector<double> speed;
        std::vector<std::tuple<std::size_t, std::int32_t, std::int64_t, std::int64_t, std::int64_t>> expectedRows;
        std::vector<std::tuple<std::size_t, std::int32_t, std::int64_t, std::int64_t, std::int64_t>> rows;
        for (const Dgx1Subset& subset : dgx1Subsets()) {
            if (subset.machine != machine.toStdString() || !subset.connected)
                continue;
            const auto p = static_cast<double>(subset.gpus.size());
            const double ring = (subset.rings > 0 ? static_cast<double>(subset.rings) * link : pcie) * p / (2 * (p - 1));
            expected.push_back(subset.spanningTrees * link / ring);
            expectedRows.emplace_back(subset.gpus.size(), subset.alike, std::llround(subset.broadcast * 1000), std::llround(subset.spanningTrees * 1000), subset.rings);
        }
        for (const SubsetRates& rates : found.value()) {
            speed.push_back(rates.allReduceSpeedUp());
            rows.emplace_back(rates.ranks.size(), rates.alike, std::llround(rates.treeBroadcast / link * 1000), std::llround(rates.treeAllReduce / link * 1000),
                              rates.rings > 0 ? std::llround(rates.ringBroadcast / link) : 0);
        }
        std::sort(expectedRows.begin(), expectedRows.end());
        std::sort(rows.begin(), rows.end());
        QCOMPARE(rows, expectedRows);
        const SpeedUps all = speedUps(speed);
        QVERIFY(std::abs(all.least - *std::min_element(expected.begin(), expected.end())) < 1e-3);
        QVERIFY(std::abs(all.most - *std::max_element(expected.begin(), expected.end())) < 1e-3);
        double product = 1;
        for (const double value : expected)
            product *= std::pow(value, 1.0 / classes);
        QVERIFY(std::abs(all.geometricMean - product) < 1e-3);
    }

    void wholeMachineIs24Sevenths()
    {
        const TreePacking both = packSpanningTrees(directGraph(dgx1Graph("DGX-1V", {0, 1, 2, 3, 4, 5, 6, 7})), 0);
        QCOMPARE(both.rate, (Fraction{24, 7}));
    }

    void randomGraphsReachMaxFlow()
    {
        std::mt19937 random(seeded(20261122));
        for (int i = 0; i < cases(60); ++i) {
            const TreeGraph graph = randomGraph(random, 16, 20 + i, 1 + i % 4);
            const std::int32_t root = i % 16;
            std::int64_t least = INT64_MAX;
            for (std::int32_t rank = 0; rank < 16; ++rank) {
                if (rank != root)
                    least = std::min(least, plainFlow(graph, root, rank));
            }
            const TreePacking packing = packArborescences(graph, root);
            checkPacking(graph, packing, root, false);
            QCOMPARE(packing.rate, (Fraction{least, 1}));
        }
    }

    void randomSpanningTreesReachPartitionBound()
    {
        std::mt19937 random(seeded(7));
        for (int i = 0; i < cases(60); ++i) {
            const std::int32_t ranks = 3 + i % 6;
            TreeGraph graph = randomGraph(random, ranks, 4 + i % 9, 1 + i % 3);
            // Both directions alike.
            TreeGraph both;
            both.ranks = ranks;
            std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> capacity;
            for (const TreeGraph::Arc& arc : graph.arcs)
                capacity[std::minmax(arc.from, arc.to)] = arc.capacity;
            for (const auto& [ends, rate] : capacity) {
                both.arcs.push_back({ends.first, ends.second, rate, -1});
                both.arcs.push_back({ends.second, ends.first, rate, -1});
            }
            const TreePacking packing = packSpanningTrees(both, i % ranks);
            checkPacking(both, packing, i % ranks, true);
            QVERIFY2(std::abs(packing.rate.value() - partitionBound(both)) < 1e-9, qPrintable(QString::number(i)));
        }
    }

    void leastArborescenceAgainstAllTrees()
    {
        std::mt19937 random(seeded(3));
        for (int i = 0; i < cases(400); ++i) {
            const std::int32_t n = 2 + i % 4;
            std::vector<CostArc> arcs;
            for (int a = 0; a < 3 * n; ++a) {
                const auto from = std::uniform_int_distribution<std::int32_t>(0, n - 1)(random);
                const auto to = std::uniform_int_distribution<std::int32_t>(0, n - 1)(random);
                arcs.push_back({from, to, static_cast<double>(std::uniform_int_distribution<int>(0, 9)(random))});
            }
            // Every choice of one arc per vertex that leads to the root.
            double least = INFINITY;
            std::vector<std::int32_t> choice(static_cast<std::size_t>(n), -1);
            const auto visit = [&](auto&& self, std::int32_t v, double cost) -> void {
                if (v == n) {
                    for (std::int32_t start = 1; start < n; ++start) {
                        std::int32_t at = start;
                        for (std::int32_t hops = 0; at != 0; ++hops) {
                            if (hops == n)
                                return;
                            at = arcs[static_cast<std::size_t>(choice[static_cast<std::size_t>(at)])].from;
                        }
                    }
                    least = std::min(least, cost);
                    return;
                }
                for (std::size_t a = 0; a < arcs.size(); ++a) {
                    if (arcs[a].to != v || arcs[a].from == v)
                        continue;
                    choice[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(a);
                    self(self, v + 1, cost + arcs[a].cost);
                }
            };
            visit(visit, 1, 0);
            const std::vector<std::int32_t> found = leastArborescence(n, 0, arcs);
            QCOMPARE(found.empty(), std::isinf(least));
            if (found.empty())
                continue;
            double cost = 0;
            for (std::int32_t v = 1; v < n; ++v)
                cost += arcs[static_cast<std::size_t>(found[static_cast<std::size_t>(v)])].cost;
            QCOMPARE(cost, least);
        }
    }

    void linearProgram()
    {
        // Maximise 3x + 2y with x + y <= 4, x + 3y <= 6, x <= 3: 3 * 3 + 2 * 1.
        LinearProgram program({4, 6, 3});
        program.add({3, -1, false, {{0, 1.0}, {1, 1.0}, {2, 1.0}}});
        program.add({2, -1, false, {{0, 1.0}, {1, 3.0}}});
        const LinearProgram::Solution solution = program.maximise();
        QVERIFY(solution.optimal);
        QCOMPARE(solution.value, 11.0);
    }

    void cannotBeReached()
    {
        TreeGraph graph;
        graph.ranks = 3;
        graph.arcs = {{0, 1, 1, -1}, {2, 0, 1, -1}};
        QVERIFY(packArborescences(graph, 0).trees.empty());
        QVERIFY(packSpanningTrees(graph, 0).trees.empty());
        QCOMPARE(packRings(graph), 0);
    }
};

FABRICSCOPE_TEST(TestTreePacking)
#include "tst_treepacking.moc"
