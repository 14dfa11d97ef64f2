// The graph synthesisers work on: vertices and links of a platform, and ways through switches joined to links.
#include "core/base/index.h"
#include "core/platform/topologytext.h"
#include "core/synthesis/synthesis.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace fabricscope;

namespace {

Platform fabric(const char* topology, const char* bandwidths, const char* latencies, const std::vector<NodeId>& removed = {})
{
    Result<PlatformSpec> spec = parseTopologyText(topology, bandwidths, latencies);
    if (!spec)
        qFatal("%s", spec.error().text().c_str());
    for (const NodeId npu : removed) {
        NpuOverride change;
        change.node = npu;
        change.removed = true;
        spec.value().npuOverrides.push_back(change);
    }
    Result<Platform> platform = Platform::create(spec.value());
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    return platform.value();
}

std::vector<NodeId> allOf(const Platform& platform)
{
    std::vector<NodeId> members(static_cast<std::size_t>(platform.npuCount()));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

SynthesisGraph graphOf(const Platform& platform, const std::vector<NodeId>& members)
{
    Result<SynthesisGraph> graph = synthesisGraph(platform, members);
    if (!graph)
        qFatal("%s", graph.error().text().c_str());
    return graph.value();
}

/// (from, to) of every link, sorted.
std::vector<std::pair<std::int32_t, std::int32_t>> ends(const SynthesisGraph& graph)
{
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    for (const SynthesisGraph::Link& link : graph.links)
        out.emplace_back(link.from, link.to);
    std::sort(out.begin(), out.end());
    return out;
}

constexpr std::int64_t kGib = std::int64_t{1} << 30;

} // namespace

class SynthesisGraphTest : public QObject {
    Q_OBJECT

private slots:
    void ringHasOneLinkEachWay()
    {
        const Platform platform = fabric("Ring(4)", "50", "500");
        const SynthesisGraph graph = graphOf(platform, allOf(platform));

        QCOMPARE(graph.ranks, 4);
        QCOMPARE(graph.vertices, 4);
        const std::vector<std::pair<std::int32_t, std::int32_t>> expected{{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 2}};
        QCOMPARE(ends(graph), expected);
        for (const SynthesisGraph::Link& link : graph.links) {
            QCOMPARE(link.bytesPerSecond, 50 * kGib);
            QCOMPARE(link.latencyPs, 500'000);
            QCOMPARE(link.route.size(), 1u);
            QCOMPARE(platform.linkInfo(link.route[0]).from, link.from);
            QCOMPARE(platform.linkInfo(link.route[0]).to, link.to);
        }
    }

    void membersComeFirstInTheirOrder()
    {
        const Platform platform = fabric("Ring(6)", "50", "500");
        const SynthesisGraph graph = graphOf(platform, {4, 0, 2});

        QCOMPARE(graph.ranks, 3);
        QCOMPARE(graph.vertices, 6);
        // NPUs 4, 0, 2, 1, 3, 5 are vertices 0..5.
        const std::vector<std::pair<std::int32_t, std::int32_t>> expected{{0, 4}, {0, 5}, {1, 3}, {1, 5}, {2, 3}, {2, 4},
                                                                          {3, 1}, {3, 2}, {4, 0}, {4, 2}, {5, 0}, {5, 1}};
        QCOMPARE(ends(graph), expected);
    }

    void everyLineOfASwitchDimensionHasItsSwitch()
    {
        const Platform platform = fabric("FullyConnected(2)_Switch(3)", "100,25", "500,1000");
        const SynthesisGraph graph = graphOf(platform, allOf(platform));

        QCOMPARE(graph.ranks, 6);
        QCOMPARE(graph.vertices, 8);
        QCOMPARE(graph.links.size(), 6u + 12u);
        std::map<std::int32_t, std::set<std::int32_t>> behind;
        for (const SynthesisGraph::Link& link : graph.links) {
            if (link.to >= graph.ranks)
                behind[link.to].insert(link.from);
        }
        QCOMPARE(behind.size(), 2u);
        for (const auto& entry : behind)
            QVERIFY((entry.second == std::set<std::int32_t>{0, 2, 4} || entry.second == std::set<std::int32_t>{1, 3, 5}));
    }

    void removedNpusAreGone()
    {
        const Platform platform = fabric("FullyConnected(4)", "100", "500", {2});
        const SynthesisGraph graph = graphOf(platform, {0, 1, 3});

        QCOMPARE(graph.vertices, 3);
        QCOMPARE(graph.links.size(), 6u);
        QVERIFY(!synthesisGraph(platform, std::vector<NodeId>{0, 2}));
    }

    void refusesGroupsThatAreNone_data()
    {
        QTest::addColumn<QList<int>>("members");
        QTest::addColumn<QString>("message");
        QTest::newRow("one") << QList<int>{1} << "a group of 1";
        QTest::newRow("none") << QList<int>{} << "a group of 0";
        QTest::newRow("outside") << QList<int>{0, 4} << "member 4 is no NPU";
        QTest::newRow("negative") << QList<int>{0, -1} << "member -1 is no NPU";
        QTest::newRow("twice") << QList<int>{0, 1, 0} << "member 0 is named twice";
    }
    void refusesGroupsThatAreNone()
    {
        QFETCH(QList<int>, members);
        QFETCH(QString, message);
        const Platform platform = fabric("Ring(4)", "50", "500");

        const auto graph = synthesisGraph(platform, std::vector<NodeId>(members.begin(), members.end()));

        QVERIFY(!graph);
        QVERIFY2(QString::fromStdString(graph.error().text()).startsWith(message), graph.error().text().c_str());
    }

    void refusesTooManyLinks()
    {
        const Platform platform = fabric("FullyConnected(1025)", "50", "500");
        const auto graph = synthesisGraph(platform, std::vector<NodeId>{0, 1});
        QVERIFY(!graph);
        QVERIFY(graph.error().code == ErrorCode::Unsupported);
    }

    void unwindingASwitchSharesThePortOfEveryRank()
    {
        const Platform platform = fabric("Switch(5)", "100", "500");
        const SynthesisGraph graph = unwound(graphOf(platform, allOf(platform)));

        QCOMPARE(graph.vertices, 5);
        QCOMPARE(graph.links.size(), 20u);
        for (const SynthesisGraph::Link& link : graph.links) {
            QCOMPARE(link.bytesPerSecond, 25 * kGib); // 4 ways leave each port.
            QCOMPARE(link.latencyPs, 1'000'000);
            std::vector<LinkId> route;
            platform.route(link.from, link.to, route);
            QVERIFY(link.route == route);
        }
    }

    void directLinksStayAsTheyAre()
    {
        const Platform platform = fabric("Ring(2)_FullyConnected(4)_Switch(3)", "100,50,12", "500,500,500");
        const SynthesisGraph graph = unwound(graphOf(platform, allOf(platform)));

        std::map<std::int64_t, int> count;
        for (const SynthesisGraph::Link& link : graph.links)
            ++count[link.bytesPerSecond / kGib];
        QCOMPARE(count, (std::map<std::int64_t, int>{{100, 24}, {50, 72}, {6, 48}}));
    }

    void nonMembersForwardAndShare()
    {
        const Platform platform = fabric("Ring(6)", "60", "500");
        const SynthesisGraph graph = unwound(graphOf(platform, {0, 3}));

        QCOMPARE(graph.links.size(), 2u);
        QCOMPARE(graph.links[0].route.size(), 3u);
        QCOMPARE(graph.links[0].latencyPs, 1'500'000);
        QCOMPARE(graph.links[0].bytesPerSecond, 60 * kGib);
    }

    void neverOverfillsALink()
    {
        // A leaf-spine network with two spines and parallel links: the ways together fit through every link.
        SynthesisGraph graph;
        graph.ranks = 8;
        graph.vertices = 12;
        std::int64_t id = 0;
        const auto both = [&](std::int32_t a, std::int32_t b, std::int64_t rate) {
            graph.links.push_back({a, b, rate, 1000, {id++}});
            graph.links.push_back({b, a, rate, 1000, {id++}});
        };
        for (std::int32_t rank = 0; rank < 8; ++rank)
            both(rank, 8 + rank / 4, 1'000'000);
        for (std::int32_t leaf = 8; leaf < 10; ++leaf) {
            for (std::int32_t spine = 10; spine < 12; ++spine)
                both(leaf, spine, 2'000'000);
        }
        const SynthesisGraph flat = unwound(graph);

        QCOMPARE(flat.links.size(), 56u);
        std::vector<std::int64_t> load(static_cast<std::size_t>(id));
        for (const SynthesisGraph::Link& link : flat.links) {
            for (const std::int64_t part : link.route)
                load[at(part)] += link.bytesPerSecond;
        }
        for (const SynthesisGraph::Link& link : graph.links)
            QVERIFY(load[at(link.route[0])] <= link.bytesPerSecond);
        // Both spines are used alike: no rank has less than a seventh of its port.
        for (const SynthesisGraph::Link& link : flat.links)
            QCOMPARE(link.bytesPerSecond, 1'000'000 / 7);
    }
};

FABRICSCOPE_TEST(SynthesisGraphTest)
#include "tst_synthesisgraph.moc"
