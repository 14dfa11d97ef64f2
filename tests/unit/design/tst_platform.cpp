#include "core/platform/explicitgraph.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <queue>
#include <random>
#include <set>
#include <thread>

using namespace fabricscope;

namespace {

Quantity rate(const char* text)
{
    return parseQuantity(text, Measure::Bandwidth).value();
}

Quantity time(const char* text)
{
    return parseQuantity(text, Measure::Time).value();
}

Dimension dimension(Shape shape, int size, const char* bandwidth = "50 GB/s", const char* latency = "500 ns", bool perNpu = false)
{
    return {shape, size, rate(bandwidth), perNpu, time(latency)};
}

PlatformSpec specOf(std::vector<Dimension> dimensions)
{
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions);
    return spec;
}

Platform platformOf(std::vector<Dimension> dimensions)
{
    return Platform::create(specOf(std::move(dimensions))).value();
}

Platform randomPlatform(std::mt19937& random)
{
    std::vector<Dimension> dimensions;
    int npus = 1;
    const int count = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < count; ++i) {
        const int size = 1 + static_cast<int>(random() % 7);
        if (npus * size > 400)
            break;
        npus *= size;
        dimensions.push_back(dimension(static_cast<Shape>(random() % 3), size));
    }
    return platformOf(dimensions);
}

/// Links of a route in one dimension: closed forms (manual: models 2).
int hops(const Dimension& d, int from, int to)
{
    if (from == to)
        return 0;
    const int ahead = (to - from + d.size) % d.size;
    switch (d.shape) {
    case Shape::Ring:
        return std::min(ahead, d.size - ahead);
    case Shape::Switch:
        return 2;
    default:
        return 1;
    }
}

/// A graph of `npus` NPUs and `switches` switches: a random tree of two-way links plus random one-way links.
PlatformSpec randomGraph(std::mt19937& random, int npus, int switches)
{
    PlatformSpec spec;
    const int nodes = npus + switches;
    for (int i = 0; i < nodes; ++i)
        spec.nodes.push_back({"n" + std::to_string(i), i < npus ? NodeKind::Npu : NodeKind::Switch});
    const auto add = [&](int a, int b) { spec.links.push_back({a, b, rate("10 GB/s"), time("1 us")}); };
    for (int i = 1; i < nodes; ++i) {
        const int other = static_cast<int>(random() % static_cast<unsigned>(i));
        add(i, other);
        add(other, i);
    }
    for (int i = 0; i < nodes; ++i) {
        const int a = static_cast<int>(random() % static_cast<unsigned>(nodes));
        const int b = static_cast<int>(random() % static_cast<unsigned>(nodes));
        if (a != b)
            add(a, b);
    }
    std::vector<ExplicitLink> links(spec.links.begin(), spec.links.end());
    std::shuffle(links.begin(), links.end(), random);
    spec.links = LinkList(links);
    return spec;
}

/// Distances to `dst` over a plain list of edges, by repeated relaxation: slow, and nothing like the code under test.
std::vector<int> distancesTo(const PlatformSpec& spec, int dst)
{
    std::vector<int> distance(spec.nodes.size(), 1'000'000);
    distance[static_cast<std::size_t>(dst)] = 0;
    for (std::size_t round = 0; round < spec.nodes.size(); ++round) {
        for (const ExplicitLink& link : spec.links) {
            int& from = distance[static_cast<std::size_t>(link.from)];
            from = std::min(from, distance[static_cast<std::size_t>(link.to)] + 1);
        }
    }
    return distance;
}

} // namespace

class PlatformTest : public QObject {
    Q_OBJECT

private slots:
    void linkAndNpuBandwidthFollowTheShape_data()
    {
        QTest::addColumn<int>("shape");
        QTest::addColumn<int>("size");
        QTest::addColumn<bool>("perNpu");
        QTest::addColumn<qint64>("link");
        QTest::addColumn<qint64>("npu");
        // Given 100 B/s; manual: models 2.
        QTest::newRow("ring 8") << int(Shape::Ring) << 8 << false << qint64{100} << qint64{200};
        QTest::newRow("ring 8 npu") << int(Shape::Ring) << 8 << true << qint64{50} << qint64{100};
        QTest::newRow("ring 2 npu") << int(Shape::Ring) << 2 << true << qint64{100} << qint64{100};
        QTest::newRow("fc 8") << int(Shape::FullyConnected) << 8 << false << qint64{100} << qint64{700};
        QTest::newRow("fc 8 npu: 100/7 rounded down") << int(Shape::FullyConnected) << 8 << true << qint64{14} << qint64{100};
        QTest::newRow("switch 8 npu") << int(Shape::Switch) << 8 << true << qint64{100} << qint64{100};
        QTest::newRow("fc 1000 npu: never 0") << int(Shape::FullyConnected) << 1000 << true << qint64{1} << qint64{100};
        QTest::newRow("size 1") << int(Shape::Ring) << 1 << false << qint64{100} << qint64{0};
    }
    void linkAndNpuBandwidthFollowTheShape()
    {
        QFETCH(int, shape);
        QFETCH(int, size);
        QFETCH(bool, perNpu);
        QFETCH(qint64, link);
        QFETCH(qint64, npu);
        const Dimension d = dimension(static_cast<Shape>(shape), size, "100 B/s", "0 ns", perNpu);

        QCOMPARE(d.linkBandwidth().bytesPerSecond, link);
        QCOMPARE(d.npuBandwidth().bytesPerSecond, npu);
        QCOMPARE(d.linkLatency().ps, 1); // 0 is read as 1 ps
    }

    void astraUnitsSurviveTheDimension()
    {
        Dimension d = dimension(Shape::FullyConnected, 5);
        d.bandwidth = astraBandwidth(741.34);
        d.latency = astraLatency(936.25);
        QCOMPARE(d.linkGibPerSecond(), 741.34);
        QCOMPARE(d.latencyNs(), 936.25);
        d.bandwidthIsPerNpu = true;
        QCOMPARE(d.linkGibPerSecond(), 741.34 / 4);
    }

    void linkNumbersAreABijection()
    {
        std::mt19937 random(test::seeded(1));
        for (int round = 0; round < test::cases(100); ++round) {
            const Platform platform = randomPlatform(random);
            LinkId expected = 0;
            for (const Dimension& d : platform.dimensions())
                expected += LinkId{platform.npuCount()} * (d.shape == Shape::Switch && d.size > 1 ? 2 : d.linksPerNpu());
            QCOMPARE(platform.linkCount(), expected);
            std::set<std::tuple<int, NodeId, NodeId>> ends;
            std::tuple<int, NodeId, int> last{-1, 0, 0};
            for (LinkId link = 0; link < platform.linkCount(); ++link) {
                const LinkInfo info = platform.linkInfo(link);
                const std::tuple<int, NodeId, int> place{info.dimension, info.owner, info.port};
                QVERIFY(place > last); // dimension by dimension, node-major, port-minor
                last = place;
                QVERIFY(ends.insert({info.dimension, info.from, info.to}).second);
                if (info.from < 0 || info.to < 0)
                    continue;
                for (std::size_t d = 0; d < platform.dimensions().size(); ++d)
                    QCOMPARE(platform.coordinate(info.from, d) != platform.coordinate(info.to, d), static_cast<int>(d) == info.dimension);
            }
        }
    }

    void routesAreConnectedPathsOfTheClosedFormLength()
    {
        std::mt19937 random(test::seeded(2));
        for (int round = 0; round < test::cases(60); ++round) {
            const Platform platform = randomPlatform(random);
            for (NodeId src = 0; src < platform.npuCount(); src += 1 + static_cast<NodeId>(random() % 3)) {
                for (NodeId dst = 0; dst < platform.npuCount(); dst += 1 + static_cast<NodeId>(random() % 5)) {
                    std::vector<LinkId> links;
                    platform.route(src, dst, links);

                    NodeId at = src;
                    int dimensionBefore = -1;
                    bool inSwitch = false;
                    for (const LinkId link : links) {
                        const LinkInfo info = platform.linkInfo(link);
                        QVERIFY(info.dimension >= dimensionBefore);
                        dimensionBefore = info.dimension;
                        if (inSwitch) {
                            QCOMPARE(info.from, -1);
                        } else {
                            QCOMPARE(info.from, at);
                        }
                        inSwitch = info.to < 0;
                        if (!inSwitch)
                            at = info.to;
                    }
                    QCOMPARE(at, dst);
                    QVERIFY(!inSwitch);
                    int expected = 0;
                    for (std::size_t d = 0; d < platform.dimensions().size(); ++d)
                        expected += hops(platform.dimensions()[d], platform.coordinate(src, d), platform.coordinate(dst, d));
                    QCOMPARE(static_cast<int>(links.size()), expected);
                }
            }
        }
    }

    void antipodalPairsGoThePlusWay()
    {
        const Platform ring = platformOf({dimension(Shape::Ring, 8)});
        std::vector<LinkId> links;
        ring.route(6, 2, links);
        QCOMPARE(links.size(), 4u);
        QCOMPARE(ring.linkInfo(links[0]).to, 7);
        QCOMPARE(ring.linkName(links[1]), std::string("d0 7>0"));
    }

    void aDirectionCanBeFixed()
    {
        const Platform ring = platformOf({dimension(Shape::Ring, 5)});
        std::vector<LinkId> plus;
        std::vector<LinkId> minus;
        ring.route(1, 0, plus, RingDirection::Plus);
        ring.route(0, 1, minus, RingDirection::Minus);
        QCOMPARE(plus.size(), 4u);
        QCOMPARE(minus.size(), 4u);
        QCOMPARE(ring.linkName(plus.front()), std::string("d0 1>2"));
        QCOMPARE(ring.linkName(minus.front()), std::string("d0 0>4"));
        QCOMPARE(*ring.ringLink(0, 1, RingDirection::Plus), plus.front());
        QCOMPARE(*ring.ringLink(0, 0, RingDirection::Minus), minus.front());
    }

    void sizesOneAndTwoHaveNoSpareLinks()
    {
        const Platform one = platformOf({dimension(Shape::Switch, 1), dimension(Shape::Ring, 1)});
        QCOMPARE(one.npuCount(), 1);
        QCOMPARE(one.linkCount(), 0);
        QVERIFY(!one.ringLink(0, 0, RingDirection::Plus));

        const Platform two = platformOf({dimension(Shape::Ring, 2)});
        QCOMPARE(two.linkCount(), 2);
        std::vector<LinkId> links;
        two.route(1, 0, links, RingDirection::Minus);
        QCOMPARE(links, std::vector<LinkId>{1});
        QCOMPARE(*two.ringLink(0, 1, RingDirection::Minus), 1);
        links.clear();
        two.route(1, 1, links);
        QVERIFY(links.empty());
    }

    void inputPortsFollowTheRelativePositionOfTheNeighbour()
    {
        // Ring(5) x FullyConnected(4) x Switch(3): input ports start at 0, 5 and 9.
        const Platform platform = platformOf({dimension(Shape::Ring, 5), dimension(Shape::FullyConnected, 4), dimension(Shape::Switch, 3)});
        const auto only = [&](NodeId src, NodeId dst) {
            std::vector<LinkId> links;
            platform.route(src, dst, links);
            return links;
        };
        for (NodeId npu = 0; npu < 5; ++npu) {
            QCOMPARE(platform.inputPort(only(npu, (npu + 1) % 5)[0], -1), 4); // the neighbour is at own - 1
            QCOMPARE(platform.inputPort(only((npu + 1) % 5, npu)[0], -1), 1);
        }
        QCOMPARE(platform.inputPort(only(5, 15)[0], -1), 5 + 2); // from position 1 to 3: 1 - 3 = 2 mod 4
        QCOMPARE(platform.inputPort(only(15, 0)[0], -1), 5 + 3);
        const auto throughSwitch = only(20, 0); // position 1 to 0
        QCOMPARE(platform.inputPort(throughSwitch[0], throughSwitch[1]), 9 + 1);
        const auto other = only(40, 0); // position 2 to 0
        QCOMPARE(platform.inputPort(other[0], other[1]), 9 + 2);
        QCOMPARE(platform.inputPort(throughSwitch[1], -1), 9);
        QCOMPARE(platform.inputPort(-1, throughSwitch[0]), Platform::kOwnInjection);
    }

    void overridesChangeOneLinkAndOneNpu()
    {
        PlatformSpec spec = specOf({dimension(Shape::Ring, 4)});
        spec.linkOverrides.push_back({5, rate("1 GB/s"), std::nullopt});
        spec.linkOverrides.push_back({2, std::nullopt, time("0 ns")});
        spec.npu.memoryBandwidth = rate("3 TB/s");
        spec.npuOverrides.push_back({3, 0.5, std::nullopt, rate("1 TB/s")});
        const Platform platform = Platform::create(spec).value();

        QCOMPARE(platform.bandwidth(5).bytesPerSecond, 1'000'000'000);
        QCOMPARE(platform.latency(5).ps, 500'000);
        QCOMPARE(platform.bandwidth(2).bytesPerSecond, 50'000'000'000);
        QCOMPARE(platform.latency(2).ps, 1);
        QCOMPARE(platform.bandwidth(4).bytesPerSecond, 50'000'000'000);
        QCOMPARE(platform.memoryBandwidth(3)->bytesPerSecond, 1'000'000'000'000);
        QCOMPARE(platform.memoryBandwidth(2)->bytesPerSecond, 3'000'000'000'000);
        QCOMPARE(platform.speed(3), 0.5);
        QCOMPARE(platform.speed(0), 1.0);
        QVERIFY(!platform.peak(3));
    }

    void aMillionNpusTakeNoMemoryPerNpu()
    {
        const Platform platform = platformOf({dimension(Shape::FullyConnected, 1 << 10), dimension(Shape::Ring, 1 << 10)});
        QCOMPARE(platform.npuCount(), 1 << 20);
        QCOMPARE(platform.linkCount(), (LinkId{1} << 20) * (1023 + 2));
        const LinkInfo last = platform.linkInfo(platform.linkCount() - 1);
        QCOMPARE(last.owner, (1 << 20) - 1);
        QCOMPARE(last.to, (1 << 20) - 1 - (1 << 10));
        const Platform full = platformOf({dimension(Shape::FullyConnected, 1 << 20)});
        QCOMPARE(full.linkCount(), (LinkId{1} << 20) * ((1 << 20) - 1));
    }

    void explicitRoutesAreShortestThenFirstListed()
    {
        std::mt19937 random(test::seeded(3));
        for (int round = 0; round < test::cases(20); ++round) {
            const PlatformSpec spec = randomGraph(random, 2 + static_cast<int>(random() % 12), static_cast<int>(random() % 6));
            const Platform platform = Platform::create(spec).value();
            for (NodeId dst = 0; dst < platform.npuCount(); ++dst) {
                const auto distance = distancesTo(spec, dst);
                for (NodeId src = 0; src < platform.npuCount(); ++src) {
                    std::vector<LinkId> expected;
                    for (NodeId at = src; at != dst;) {
                        for (std::size_t link = 0; link < spec.links.size(); ++link) {
                            const auto& candidate = spec.links[link];
                            if (candidate.from == at
                                && distance[static_cast<std::size_t>(candidate.to)] == distance[static_cast<std::size_t>(at)] - 1) {
                                expected.push_back(static_cast<LinkId>(link));
                                at = candidate.to;
                                break;
                            }
                        }
                    }
                    std::vector<LinkId> links;
                    platform.route(src, dst, links);
                    QCOMPARE(links, expected);
                }
            }
        }
    }

    void threadsShareExplicitRoutes()
    {
        std::mt19937 random(test::seeded(4));
        const Platform platform = Platform::create(randomGraph(random, 40, 10)).value();
        std::vector<std::vector<LinkId>> results(4);
        {
            std::vector<std::jthread> threads;
            for (auto& result : results) {
                threads.emplace_back([&platform, &result] {
                    for (NodeId src = 0; src < platform.npuCount(); ++src) {
                        for (NodeId dst = 0; dst < platform.npuCount(); ++dst)
                            platform.route(src, dst, result);
                    }
                });
            }
        }
        QVERIFY(!results[0].empty());
        for (const auto& result : results)
            QCOMPARE(result, results[0]);
    }

    void explicitLinksHaveNamesAndPortsAsListed()
    {
        PlatformSpec spec;
        spec.nodes = {{"gpu0", NodeKind::Npu}, {"gpu1", NodeKind::Npu}, {"nvswitch", NodeKind::Switch}};
        const auto add = [&](int a, int b) { spec.links.push_back({a, b, rate("25 GB/s"), time("0 ns")}); };
        add(0, 2);
        add(1, 2);
        add(2, 0);
        add(2, 1);
        add(1, 2);
        const Platform platform = Platform::create(spec).value();

        QCOMPARE(platform.linkName(0), std::string("gpu0>nvswitch"));
        QCOMPARE(platform.linkName(1), std::string("gpu1>nvswitch"));
        QCOMPARE(platform.linkName(4), std::string("gpu1>nvswitch#2"));
        QCOMPARE(platform.inputPort(0, 2), 0);
        QCOMPARE(platform.inputPort(1, 2), 1);
        QCOMPARE(platform.inputPort(4, 2), 2);
        QCOMPARE(platform.latency(0).ps, 1);
        QCOMPARE(platform.npuCount(), 2);
        QVERIFY(!platform.ringLink(0, 0, RingDirection::Plus));
    }

    void memoriesDoNotForward()
    {
        PlatformSpec spec;
        spec.nodes = {{"a", NodeKind::Npu}, {"b", NodeKind::Npu}, {"m", NodeKind::Memory}};
        const auto add = [&](int a, int b) { spec.links.push_back({a, b, rate("25 GB/s"), time("0 ns")}); };
        add(0, 2);
        add(2, 0);
        add(1, 2);
        add(2, 1);
        const auto refused = Platform::create(spec);

        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("no route from a to b") != std::string::npos, refused.error().text().c_str());
    }

    void refusesBadSpecsNamingTheField_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("field");
        int i = 0;
        for (const char* field : {"platform", "platform.nodes", "platform.dimensions[1].size", "platform.dimensions[1].size", "platform.dimensions[1].bandwidth",
                                  "platform.dimensions[0].npu_bandwidth", "platform.dimensions[0].latency", "platform.link_overrides[0].link",
                                  "platform.link_overrides[1].link", "platform.npu_overrides[0].node", "platform.npu_overrides[0].speed",
                                  "platform.npu.memory_bandwidth", "platform.dimensions", "platform.links[0].to", "platform.links[0].bandwidth",
                                  "platform.links", "platform.nodes[1].name", "platform.links", "platform.dimensions[0].latency", "platform.links[0].from"}) {
            QTest::newRow(qPrintable(QString("%1 %2").arg(i).arg(field))) << i << QString(field);
            ++i;
        }
    }
    void refusesBadSpecsNamingTheField()
    {
        QFETCH(int, which);
        QFETCH(QString, field);
        const Dimension good = dimension(Shape::Ring, 4);
        PlatformSpec spec = specOf({good});
        PlatformSpec graph;
        graph.nodes = {{"a", NodeKind::Npu}, {"b", NodeKind::Npu}};
        graph.links = {{0, 1, rate("1 GB/s"), time("1 ns")}, {1, 0, rate("1 GB/s"), time("1 ns")}};
        QVERIFY(Platform::create(spec) && Platform::create(graph));
        const auto zero = Quantity{0, "GB/s", Measure::Bandwidth};
        if (which >= 13 && which != 18)
            spec = graph;
        ExplicitLink first = graph.links[0];
        switch (which) {
        case 0: spec = {}; break;
        case 1: spec.nodes = graph.nodes; break;
        case 2: spec.dimensions.push_back(dimension(Shape::Ring, 0)); break;
        case 3: spec.dimensions.push_back(dimension(Shape::Ring, 1 << 19)); break;
        case 4: spec.dimensions.push_back(good); spec.dimensions[1].bandwidth = {}; break;
        case 5: spec.dimensions[0].bandwidthIsPerNpu = true; spec.dimensions[0].bandwidth = zero; break;
        case 6: spec.dimensions[0].latency.value = -1; break;
        case 7: spec.linkOverrides = {{8, {}, {}}}; break;
        case 8: spec.linkOverrides = {{1, {}, {}}, {1, {}, {}}}; break;
        case 9: spec.npuOverrides = {{4, {}, {}, {}}}; break;
        case 10: spec.npuOverrides = {{3, 0.0, {}, {}}}; break;
        case 11: spec.npu.memoryBandwidth = time("1 s"); break;
        case 12: spec.dimensions.assign(65, dimension(Shape::Ring, 1)); break;
        case 13: first.to = 0; break;
        case 14: first.bandwidth = zero; break;
        case 15: spec.links = {first}; break;
        case 16: spec.nodes = {{"a", NodeKind::Npu}, {"a", NodeKind::Npu}}; break;
        case 17: spec.links.clear(); break;
        case 18: spec.dimensions[0].latency = astraLatency(2e11); break;
        case 19: first.from = 2; break;
        }
        if (which == 13 || which == 14 || which == 19)
            spec.links = {first, graph.links[1]};

        const auto result = Platform::create(spec);

        QVERIFY(!result);
        QCOMPARE(QString::fromStdString(result.error().place.field), field);
        QVERIFY(!result.error().expected.empty());
    }

    void placesJobsOnNodes()
    {
        Placement::Job strided{"train", 3, 1, 2, {}};
        Placement::Job listed{"serve", 2, 0, 1, {6, 0}};
        const auto placement = Placement::create({strided, listed}, 8);

        QVERIFY(placement);
        const Placement& p = placement.value();
        QCOMPARE(p.rankCount(), 5);
        QVERIFY(!p.isIdentity());
        const std::vector<NodeId> nodes{1, 3, 5, 6, 0};
        for (int rank = 0; rank < 5; ++rank) {
            QCOMPARE(p.nodeOf(rank), nodes[static_cast<std::size_t>(rank)]);
            QCOMPARE(p.jobOf(rank), rank < 3 ? 0 : 1);
        }
        QVERIFY(Placement::identity(4).isIdentity());
        QCOMPARE(Placement::identity(4).nodeOf(3), 3);
        QVERIFY(Placement::create({{"all", 8, 0, 1, {}}}, 8).value().isIdentity());
    }

    void refusesImpossiblePlacements()
    {
        QVERIFY(!Placement::create({{"a", 5, 0, 2, {}}}, 8));           // node 8
        QVERIFY(!Placement::create({{"a", 2, 0, 0, {}}}, 8));           // node 0 twice
        QVERIFY(!Placement::create({{"a", 2, 0, 1, {0, 1, 2}}}, 8));    // three nodes, two ranks
        QVERIFY(!Placement::create({{"a", 2, 0, 1, {}}, {"b", 1, 1, 1, {}}}, 8));
        QVERIFY(!Placement::create({{"a", 0, 0, 1, {}}}, 8));
        QVERIFY(!Placement::create({{"a", 1, -1, 1, {}}}, 8));
    }
};

FABRICSCOPE_TEST(PlatformTest)
#include "tst_platform.moc"
