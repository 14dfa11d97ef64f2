// Flows of one leaf on its cables up: by hash as many flows as cables collide as often as chance says, by spray they share all cables alike.
#include "core/base/index.h"
#include "core/platform/router.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/fabricgraphs.h"
#include "tests/unit/support/routed.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Of all ways to give `flows` flows one of as many cables each, those where no cable has more than `most`: cable by cable, the number of ways to have given some
/// flows to the cables so far, times the ways to choose the next cable's flows among those that are left. Whole numbers, and exact up to 2^64.
long double waysWithAtMost(int flows, int most)
{
    const auto n = static_cast<std::size_t>(flows);
    std::vector<std::vector<long double>> choose(n + 1, std::vector<long double>(n + 1, 0)); // Pascal's triangle
    for (std::size_t of = 0; of <= n; ++of) {
        choose[of][0] = 1;
        for (std::size_t some = 1; some <= of; ++some)
            choose[of][some] = choose[of - 1][some - 1] + choose[of - 1][some];
    }
    std::vector<long double> ways(n + 1, 0);
    ways[0] = 1;
    for (int cable = 0; cable < flows; ++cable) {
        std::vector<long double> next(n + 1, 0);
        for (std::size_t given = 0; given <= n; ++given) {
            for (std::size_t here = 0; here <= std::min(n - given, static_cast<std::size_t>(most)); ++here)
                next[given + here] += ways[given] * choose[n - given][here];
        }
        ways = next;
    }
    return ways[n];
}

/// The most flows of one cable, over all ways alike.
struct MostFlows {
    long double sum = 0;  ///< Over all ways.
    long double all = 1;  ///< Ways.
    double mean = 0;
    double deviation = 0;
    double noneCollide = 0;
};

MostFlows mostFlows(int flows)
{
    MostFlows out;
    for (int i = 0; i < flows; ++i)
        out.all *= flows;
    long double squares = 0;
    long double before = 0;
    for (int most = 1; most <= flows; ++most) {
        const long double upTo = waysWithAtMost(flows, most);
        out.sum += most * (upTo - before);
        squares += static_cast<long double>(most) * most * (upTo - before);
        before = upTo;
    }
    const long double mean = out.sum / out.all;
    out.mean = static_cast<double>(mean);
    out.deviation = static_cast<double>(std::sqrt(squares / out.all - mean * mean));
    out.noneCollide = static_cast<double>(waysWithAtMost(flows, 1) / out.all);
    return out;
}

} // namespace

class TestWaysHashed : public QObject {
    Q_OBJECT

private slots:
    /// The count above against all ways one after the other.
    void countingIsTryingAllWays()
    {
        for (int flows = 1; flows <= 6; ++flows) {
            int all = 1;
            for (int i = 0; i < flows; ++i)
                all *= flows;
            std::vector<int> withMost(static_cast<std::size_t>(flows) + 1, 0);
            for (int way = 0; way < all; ++way) {
                std::array<int, 6> cables{};
                int rest = way;
                for (int flow = 0; flow < flows; ++flow, rest /= flows)
                    ++cables[at(rest % flows)];
                ++withMost[at(*std::max_element(cables.begin(), cables.end()))];
            }
            int upTo = 0;
            for (int most = 1; most <= flows; ++most) {
                upTo += withMost[at(most)];
                QCOMPARE(waysWithAtMost(flows, most), static_cast<long double>(upTo));
            }
        }
    }

    /// Two leaves of n NPUs with a cable to each of n spines; all of one leaf send to the other. 3/2: of two flows either both take one cable or not. 17/8 = 544/256;
    /// 680849/262144 = 43574336/8^8. None collide in n!/n^n of all ways.
    void hashedFlowsCollideAsChanceSays_data()
    {
        QTest::addColumn<int>("flows");
        QTest::addColumn<qint64>("over");
        QTest::addColumn<qint64>("under");
        QTest::addColumn<double>("noneCollide");
        QTest::newRow("2") << 2 << qint64{3} << qint64{2} << 0.5;
        QTest::newRow("4") << 4 << qint64{17} << qint64{8} << 0.09375;
        QTest::newRow("8") << 8 << qint64{680849} << qint64{262144} << 0.002403;
        QTest::newRow("16") << 16 << qint64{307825} << qint64{100000} << 0.000001;
        QTest::newRow("32") << 32 << qint64{353294} << qint64{100000} << 0.0;
    }
    void hashedFlowsCollideAsChanceSays()
    {
        QFETCH(const int, flows);
        QFETCH(const qint64, over);
        QFETCH(const qint64, under);
        QFETCH(const double, noneCollide);
        const MostFlows expected = mostFlows(flows);
        if (flows <= 8)
            QCOMPARE(expected.sum * under, expected.all * over); // Exact.
        else
            QVERIFY(std::abs(expected.mean - static_cast<double>(over) / static_cast<double>(under)) < 5e-6); // To five places.
        QVERIFY(std::abs(expected.noneCollide - noneCollide) < 5e-7);

        // The router draws anew for every seed and stream.
        const Platform platform = Platform::create(leafSpine(2, flows, flows, flows)).value();
        const RoutingRules rules = Routed::rulesOf(RoutePolicy::Ecmp, 2);
        const auto graph = makeFabricGraph(platform);
        const NodeId leaf = 2 * flows;
        std::int64_t draws = 0;
        std::int64_t sum = 0;
        std::int64_t apart = 0;
        for (const std::uint64_t seed : Seeds(1, 400, 100)) {
            Router router(platform, rules, graph, seed);
            for (std::uint64_t stream = 0; stream < 5; ++stream) {
                std::vector<int> taken(static_cast<std::size_t>(graph->linkCount()), 0);
                int most = 0;
                for (NodeId npu = 0; npu < flows; ++npu) {
                    std::vector<LinkId> way;
                    QVERIFY(router.route(npu, flows + npu, RouteFlow{stream, 0}, way));
                    QCOMPARE(way.size(), std::size_t{4});
                    QCOMPARE(graph->from(way[1]), leaf);
                    most = std::max(most, ++taken[at(way[1])]);
                }
                ++draws;
                sum += most;
                apart += most == 1 ? 1 : 0;
            }
        }
        // The mean of so many independent draws is within five of its standard deviations (missed once in some million times; of the rare event at most
        // thousands of times).
        const auto count = static_cast<double>(draws);
        const double meanOff = std::abs(static_cast<double>(sum) / count - expected.mean);
        QVERIFY2(meanOff <= 5 * expected.deviation / std::sqrt(count), qPrintable(QString::number(meanOff)));
        const double shareOff = std::abs(static_cast<double>(apart) / count - expected.noneCollide);
        QVERIFY2(flows > 8 || shareOff <= 5 * std::sqrt(expected.noneCollide * (1 - expected.noneCollide) / count), qPrintable(QString::number(shareOff)));
    }

    /// As many cables up as NPUs below, every NPU to its partner in the next leaf (pod, unit): a stream takes each of its ways once before one comes again, so of as many
    /// messages each NPU gives every cable up the same share, and all NPUs of a leaf together what one link carries.
    void sprayGivesEveryCableTheSame()
    {
        // Ways: 4 spines; 4 cables up and 2 down from each spine; 2 aggregates with 2 cores each; 4 with 4; 4 spines.
        for (auto& [spec, distance, ways] : {std::tuple{leafSpine(4, 4, 4, 4), 4, 4}, {leafSpine(3, 4, 2, 4), 4, 8}, {fatTree(4), 4, 4}, {fatTree(8), 16, 16}, {railPod(2, 4, 4, 4, 4), 16, 4}}) {
            for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{77}}) {
                Routed routed(spec, RoutePolicy::Spray, seed, 2);
                const int messages = 2 * ways;
                std::vector<int> carried(static_cast<std::size_t>(routed.graph->linkCount()), 0);
                for (NodeId npu = 0; npu < routed.platform.npuCount(); ++npu) {
                    const NodeId partner = (npu + distance) % routed.platform.npuCount();
                    for (int message = 0; message < messages; ++message) {
                        for (const LinkId link : routed.way(npu, partner, 3, static_cast<std::uint64_t>(message)))
                            ++carried[at(link)];
                    }
                }
                int between = 0;
                for (LinkId link = 0; link < routed.graph->linkCount(); ++link) {
                    const bool switches = routed.graph->kind(routed.graph->from(link)) == NodeKind::Switch && routed.graph->kind(routed.graph->to(link)) == NodeKind::Switch;
                    if (switches)
                        QCOMPARE(carried[at(link)], messages); // Load 1.
                    else
                        QVERIFY(carried[at(link)] <= messages);
                    between += switches ? 1 : 0;
                }
                QVERIFY(between >= 2 * distance);
            }
        }
    }
};

FABRICSCOPE_TEST(TestWaysHashed)
#include "tst_ways_hashed.moc"
