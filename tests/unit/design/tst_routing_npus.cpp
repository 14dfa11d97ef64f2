// Which of its links an NPU of nodes and links sends by, and how the NPUs of a host receive. Expected ways are counted by hand.
#include "core/platform/networkcards.h"
#include "tests/unit/support/routed.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Four NPUs below switches that all have a link to each, the links of a switch all of one rate (bytes/s).
PlatformSpec planesOf(const std::vector<double>& rates)
{
    PlatformSpec spec;
    for (int npu = 0; npu < 4; ++npu)
        spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
    for (std::size_t plane = 0; plane < rates.size(); ++plane) {
        spec.nodes.push_back({"plane" + std::to_string(plane), NodeKind::Switch});
        for (NodeId npu = 0; npu < 4; ++npu) {
            const auto node = static_cast<NodeId>(spec.nodes.size() - 1);
            spec.links.push_back({npu, node, {rates[plane], "B/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
            spec.links.push_back({node, npu, {rates[plane], "B/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        }
    }
    return spec;
}

LinkId linkTo(const Routed& routed, NodeId from, NodeId to)
{
    const auto links = routed.graph->outgoing(from);
    return *std::find_if(links.begin(), links.end(), [&](LinkId link) { return routed.graph->to(link) == to; });
}

} // namespace

class TestRoutingNpus : public QObject {
    Q_OBJECT

private slots:
    /// Which planes the messages of all pairs of four NPUs go by, under each policy that chooses among them.
    void anNpuSendsOverWhatCarriesMost_data()
    {
        QTest::addColumn<QList<double>>("rates");
        QTest::addColumn<QList<int>>("used");
        QTest::newRow("alike") << QList<double>{50e9, 50e9} << QList<int>{0, 1};
        QTest::newRow("a host switch beside a leaf") << QList<double>{50e9, 450e9} << QList<int>{1};
        QTest::newRow("40 beside 50 GB/s") << QList<double>{50e9, 40e9} << QList<int>{0, 1};
        QTest::newRow("half as fast: as much, so both") << QList<double>{50e9, 25e9} << QList<int>{0, 1};
        QTest::newRow("less than half") << QList<double>{50e9, 24e9} << QList<int>{0};
        QTest::newRow("four NVSwitches and PCI Express") << QList<double>{63e9, 112.5e9, 112.5e9, 112.5e9, 112.5e9} << QList<int>{1, 2, 3, 4};
        QTest::newRow("three kinds") << QList<double>{10e9, 100e9, 60e9} << QList<int>{1, 2}; // 100, 120, 30
    }
    void anNpuSendsOverWhatCarriesMost()
    {
        QFETCH(const QList<double>, rates);
        QFETCH(const QList<int>, used);
        const PlatformSpec spec = planesOf({rates.begin(), rates.end()});
        for (const RoutePolicy policy : {RoutePolicy::Balanced, RoutePolicy::Ecmp, RoutePolicy::Spray}) {
            Routed routed(spec, policy, 1, 2);
            std::set<int> planes;
            for (NodeId from = 0; from < 4; ++from) {
                for (NodeId to = 0; to < 4; ++to) {
                    for (std::uint64_t number = 0; from != to && number < 64; ++number) {
                        const std::vector<LinkId> way = routed.way(from, to, policy == RoutePolicy::Ecmp ? number : 0, policy == RoutePolicy::Ecmp ? 0 : number);
                        QCOMPARE(way.size(), std::size_t{2});
                        planes.insert(routed.graph->to(way[0]) - 4);
                    }
                }
            }
            QCOMPARE(QList<int>(planes.begin(), planes.end()), used);
        }
        // The rules of physical/1 take what is first.
        Routed before(spec, RoutePolicy::Shortest, 1, 1);
        QCOMPARE(before.graph->to(before.way(0, 1)[0]), 4);
    }

    /// Links of 100, 40 and 40: three carry most (3 x 40), and still do when one of them is down (2 x 40 < 100, but what went by the third stays there).
    void whoDoesNotMeetTheFailureKeepsItsLink()
    {
        Routed routed(planesOf({100e9, 40e9, 40e9}), RoutePolicy::Balanced, 0, 2);
        for (std::size_t down = 0; down < 3; ++down) {
            for (NodeId to = 1; to < 4; ++to) {
                const LinkId own = routed.way(0, to)[0];
                const LinkId failed = linkTo(routed, 0, 4 + static_cast<NodeId>(down));
                routed.router.setDown(failed, true);
                const LinkId then = routed.way(0, to)[0];
                QCOMPARE(then == own, failed != own);
                routed.router.setDown(failed, false);
            }
        }
        // All fast ones down: the rest carries.
        Routed host(planesOf({450e9, 50e9, 50e9}), RoutePolicy::Balanced, 0, 2);
        host.router.setDown(linkTo(host, 0, 4), true);
        std::set<NodeId> planes;
        for (NodeId to = 1; to < 4; ++to)
            planes.insert(host.graph->to(host.way(0, to)[0]));
        QCOMPARE(planes, (std::set<NodeId>{5, 6}));
    }

    /// Cards 0 to 3 of a host hang at leaves 0, 1, 0, 1: each NPU receives by the card of its own number, as it is sent to.
    void cardsAtLeavesInTurnAllReceive()
    {
        PlatformSpec spec;
        for (int npu = 0; npu < 8; ++npu)
            spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
        for (const char* const name : {"leaf0", "leaf1"})
            spec.nodes.push_back({name, NodeKind::Switch});
        const auto join = [&](NodeId a, NodeId b) {
            spec.links.push_back({a, b, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
            spec.links.push_back({b, a, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        };
        for (NodeId host = 0; host < 2; ++host) {
            const auto bus = static_cast<NodeId>(spec.nodes.size());
            spec.nodes.push_back({"bus" + std::to_string(host), NodeKind::Switch});
            for (NodeId card = 0; card < 4; ++card) {
                spec.nodes.push_back({"card" + std::to_string(host) + '-' + std::to_string(card), NodeKind::Switch});
                join(4 * host + card, bus);
                join(bus, bus + 1 + card);
                join(bus + 1 + card, 8 + card % 2);
            }
        }
        Routed routed(spec, RoutePolicy::Balanced, 0, 2);
        for (NodeId from = 0; from < 4; ++from) {
            for (NodeId to = 4; to < 8; ++to) {
                const std::vector<LinkId> way = routed.way(from, to); // NPU, bus, card, leaf, card, bus, NPU
                QCOMPARE(way.size(), std::size_t{6});
                QCOMPARE(routed.graph->to(way[1]) - 11, to % 4);
                QCOMPARE(routed.graph->to(way[3]) - 16, to % 4);
            }
        }
    }

    /// Three hosts of two NPUs at a PCI Express switch with two network cards, one leaf switch for all: NPUs that send to those of the same number one host on
    /// have a card each on both sides, and so has an exchange across.
    void theNpusOfAHostReceiveByAsManyCardsAsTheySendBy()
    {
        PlatformSpec spec;
        for (int npu = 0; npu < 6; ++npu)
            spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
        spec.nodes.push_back({"leaf", NodeKind::Switch});
        const auto join = [&](NodeId a, NodeId b) {
            spec.links.push_back({a, b, {25, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
            spec.links.push_back({b, a, {25, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        };
        for (NodeId host = 0; host < 3; ++host) {
            const auto bus = static_cast<NodeId>(spec.nodes.size());
            for (const char* const name : {"bus", "card0-", "card1-"})
                spec.nodes.push_back({name + std::to_string(host), NodeKind::Switch});
            for (const NodeId one : {0, 1}) {
                join(2 * host + one, bus);
                join(bus, bus + 1 + one);
                join(bus + 1 + one, 6);
            }
        }
        Routed routed(spec, RoutePolicy::Balanced, 0, 2);
        QCOMPARE(busiest(routed.shifted(2)), 1);
        for (NodeId from = 0; from < 2; ++from) {
            for (NodeId to = 2; to < 6; ++to) {
                const std::vector<LinkId> way = routed.way(from, to); // NPU, bus, card, leaf, card, bus, NPU
                QCOMPARE(way.size(), std::size_t{6});
                QCOMPARE((routed.graph->to(way[1]) - 7) % 3 - 1, to % 2);
                QCOMPARE((routed.graph->to(way[3]) - 7) % 3 - 1, to % 2);
            }
        }
    }

    /// Four NPUs with two cards of their own each, at one leaf: both cards send and both receive, by the place of the destination, which counts each NPU once.
    void ownCardsOfAnNpuShareWhatItSends()
    {
        PlatformSpec spec;
        for (int npu = 0; npu < 4; ++npu)
            spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
        spec.nodes.push_back({"leaf", NodeKind::Switch});
        const auto join = [&](NodeId a, NodeId b) {
            spec.links.push_back({a, b, {25, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
            spec.links.push_back({b, a, {25, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        };
        for (NodeId npu = 0; npu < 4; ++npu) {
            for (NodeId card = 0; card < 2; ++card) {
                spec.nodes.push_back({"card" + std::to_string(npu) + '-' + std::to_string(card), NodeKind::Switch});
                join(npu, 5 + 2 * npu + card);
                join(5 + 2 * npu + card, 4);
            }
        }
        Routed routed(spec, RoutePolicy::Balanced, 0, 2);
        for (NodeId from = 0; from < 4; ++from) {
            for (NodeId to = 0; to < 4; ++to) {
                if (from == to)
                    continue;
                const std::vector<LinkId> way = routed.way(from, to); // NPU, card, leaf, card, NPU
                QCOMPARE(way.size(), std::size_t{4});
                QCOMPARE(routed.graph->to(way[0]), 5 + 2 * from + to % 2);
                QCOMPARE(routed.graph->to(way[2]), 5 + 2 * to + to % 2);
            }
        }
    }

    void aCardStandsBetweenAHostAndTheNetwork()
    {
        using Cables = std::vector<std::pair<NodeId, NodeId>>;
        const auto hosts = [](std::size_t npus, std::size_t switches, const Cables& cables) {
            std::vector<NodeKind> kinds(npus, NodeKind::Npu);
            kinds.insert(kinds.end(), switches, NodeKind::Switch);
            std::vector<NodeId> from;
            std::vector<NodeId> to;
            for (const auto& [a, b] : cables) {
                from.insert(from.end(), {a, b});
                to.insert(to.end(), {b, a});
            }
            const ExplicitGraph graph(kinds, from, to);
            const Cards cards(graph);
            std::vector<NodeId> found;
            for (NodeId node = 0; node < graph.nodeCount(); ++node)
                found.push_back(cards.hostOf(node));
            return std::vector<NodeId>(found.begin() + static_cast<std::ptrdiff_t>(npus), found.end());
        };
        // Two leaves (4, 5) of two NPUs below two spines: a spine has two neighbours, but is no card.
        QCOMPARE(hosts(4, 4, {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 6}, {5, 6}, {4, 7}, {5, 7}}), (std::vector<NodeId>(4, -1)));
        // NPUs 0, 1 at a switch (3) with two cards (4, 5), of which one has two cables, and NPU 2 with its own card (6): all at leaf 7.
        const Cables cables{{0, 3}, {1, 3}, {3, 4}, {3, 5}, {2, 6}, {4, 7}, {4, 7}, {5, 7}, {6, 7}};
        QCOMPARE(hosts(3, 5, cables), (std::vector<NodeId>{-1, 3, 3, 2, -1}));
        // With an NPU at the leaf nothing says any more which side of 4 and 5 is the host.
        Cables more = {{0, 4}, {1, 4}, {4, 5}, {4, 6}, {2, 7}, {5, 8}, {6, 8}, {7, 8}, {3, 8}};
        QCOMPARE(hosts(4, 5, more), (std::vector<NodeId>{-1, -1, -1, 2, -1}));
    }

    /// What is slower carries what is left when the faster is down, and hands it back.
    void theSlowerLinkHelpsOutWhereTheFasterIsDown()
    {
        Routed routed(planesOf({50e9, 450e9}), RoutePolicy::Balanced, 0, 2);
        const LinkId fast = routed.way(0, 1)[0];
        QCOMPARE(routed.graph->to(fast), 5);
        routed.router.setDown(fast, true);
        QCOMPARE(routed.graph->to(routed.way(0, 1)[0]), 4);
        routed.router.setDown(fast, false);
        QCOMPARE(routed.way(0, 1)[0], fast);
    }
};

FABRICSCOPE_TEST(TestRoutingNpus)
#include "tst_routing_npus.moc"
