// Routing `rail_aware` where cables and links of leaves have failed: which other ways messages take, and that they take one exactly where there is one.
#include "tests/unit/support/cases/networkcase.h" // first: its WideCount is local, that of fabrics is not

#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/router.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// 4 hosts of 3 NPUs in each of 2 units with spines; one unit without. NPU 3 h + r is NPU r of host h.
const std::string kSpine = "Switch(3, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine";
const std::string kRailsOnly = "Switch(3, 450 GB/s, 1 us) x4 / rails_only 64p 400G";
constexpr NodeId kRails = 3;

/// A pod as nodes and links, with a router of its own.
struct RailWays {
    Platform platform;
    RoutingRules rules;
    std::shared_ptr<const ExplicitGraph> graph;
    Router router;
    std::set<LinkId> down;

    explicit RailWays(const std::string& line)
        : platform(Platform::create(specOf(line)).value()), rules(railAware()), graph(makeFabricGraph(platform)), router(platform, rules, graph, 7)
    {
    }
    static PlatformSpec specOf(const std::string& line)
    {
        const FabricForm form = parseFabricForm(line).value();
        PlatformSpec spec = platformOfFabric(fabricOfForm(form).value(), FabricWriting::Nodes).value();
        spec.generated.form = std::make_shared<const FabricForm>(normalForm(form));
        return spec;
    }
    static RoutingRules railAware()
    {
        RoutingRules rules;
        rules.policy = RoutePolicy::RailAware;
        rules.version = 2;
        return rules;
    }
    void set(LinkId link, bool fails)
    {
        router.setDown(link, fails);
        if (fails)
            down.insert(link);
        else
            down.erase(link);
    }
    /// Links between an NPU and switches outside of its host, both ways.
    std::vector<LinkId> cablesOf(NodeId npu) const
    {
        std::vector<LinkId> out;
        for (LinkId link = 0; link < graph->linkCount(); ++link) {
            const NodeId other = graph->from(link) == npu ? graph->to(link) : graph->from(link);
            if ((graph->from(link) == npu || graph->to(link) == npu) && platform.spec().nodes[static_cast<std::size_t>(other)].name.find("leaf") != std::string::npos)
                out.push_back(link);
        }
        return out;
    }
    void failCable(NodeId npu, bool fails = true)
    {
        for (const LinkId link : cablesOf(npu))
            set(link, fails);
    }
    std::vector<LinkId> way(NodeId from, NodeId to)
    {
        std::vector<LinkId> links;
        return router.route(from, to, RouteFlow{0, 0}, links) ? links : std::vector<LinkId>();
    }
    /// NPUs that a way meets between its ends.
    std::vector<NodeId> npusOn(const std::vector<LinkId>& links) const
    {
        std::vector<NodeId> out;
        for (std::size_t hop = 0; hop + 1 < links.size(); ++hop) {
            if (graph->to(links[hop]) < platform.npuCount())
                out.push_back(graph->to(links[hop]));
        }
        return out;
    }
    /// By trying: does a way lead there over what is up, when every NPU hands on?
    bool leads(NodeId from, NodeId to) const
    {
        std::set<NodeId> reached{from};
        for (bool more = true; more;) {
            more = false;
            for (LinkId link = 0; link < graph->linkCount(); ++link)
                more = (!down.contains(link) && reached.contains(graph->from(link)) && reached.insert(graph->to(link)).second) || more;
        }
        return reached.contains(to);
    }
    bool isWay(const std::vector<LinkId>& links, NodeId from, NodeId to) const
    {
        NodeId at = from;
        for (const LinkId link : links) {
            if (graph->from(link) != at || down.contains(link))
                return false;
            at = graph->to(link);
        }
        return !links.empty() && at == to;
    }
};

/// One send of 1 MiB from NPU 0 to another while links fail; where it ends, ps, or -1, and what is said about waits.
std::pair<std::int64_t, std::string> sent(const std::string& line, int to, const std::string& faults)
{
    const RunRecord record = simulated("fabricscope: 1\nplatform: {topology: \"" + line + "\"}\nnetwork: {routing: {policy: rail_aware}, faults: [" + faults
                                       + "]}\nworkload: {steps: [{send: 1 MiB, to: " + std::to_string(to) + ", ranks: 0}, {receive: 1 MiB, from: 0, ranks: " + std::to_string(to) + "}]}\n");
    std::string said;
    for (const Wait& wait : record.waits)
        said += wait.reason + "\n";
    return {record.complete ? record.finish.ps : -1, said};
}

} // namespace

class TestRoutingRails : public QObject {
    Q_OBJECT

private slots:
    void aFailedCableIsGoneRoundOverASibling()
    {
        RailWays made(kSpine);
        const NodeId to = kRails; // Rail 0 of host 1.
        QCOMPARE(made.way(0, to).size(), std::size_t{2});
        // The own cable: the next rail in the own host, from whose leaf a spine leads to that of the destination.
        made.failCable(0);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{1}));
        QCOMPARE(made.way(0, to).size(), std::size_t{6});
        // A choice is kept whatever else fails, and left when it fails itself.
        made.failCable(2);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{1}));
        made.failCable(2, false);
        made.failCable(1);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{2}));
        // The cable of the destination alone: by its sibling; where its host has none left there is no way.
        made.failCable(0, false);
        made.failCable(1, false);
        made.failCable(to);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{to + 1}));
        // Both: a rail on which both hosts are up.
        made.failCable(0);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{1, to + 1}));
        made.failCable(to + 1);
        QCOMPARE(made.npusOn(made.way(0, to)), (std::vector<NodeId>{2, to + 2}));
        made.failCable(to + 2);
        QVERIFY(made.way(0, to).empty());
    }

    void withoutSpinesBothHostsChangeRails()
    {
        // NPUs of such a pod pass on, so every rail is as near: one of the other two.
        RailWays made(kRailsOnly);
        made.failCable(0);
        const std::vector<NodeId> met = made.npusOn(made.way(0, kRails));
        QVERIFY(met == (std::vector<NodeId>{1, kRails + 1}) || met == (std::vector<NodeId>{2, kRails + 2}));
        QCOMPARE(made.npusOn(made.way(0, kRails + 1)), (std::vector<NodeId>{1}));
        made.failCable(kRails + 1);
        QCOMPARE(made.npusOn(made.way(0, kRails + 1)).back(), kRails + 2);
        // Only rail 1 of the own host and rail 2 of the other are left: a host between them changes rails.
        made.failCable(2);
        made.failCable(kRails);
        const std::vector<NodeId> four = made.npusOn(made.way(0, kRails));
        QVERIFY(four.size() >= 3);
        QCOMPARE(four.front(), 1);
        QCOMPARE(four.back(), kRails + 2);
    }

    /// Any links down: a way is found exactly where there is one, whole and over what is up, and what fails beside it leaves the NPUs on it as they are.
    void aWayIsFoundExactlyWhereThereIsOne()
    {
        std::mt19937_64 random(seeded(11));
        int changed = 0;
        for (int round = 0; round < cases(40); ++round) {
            RailWays made(round % 2 == 0 ? kSpine : kRailsOnly);
            const auto npu = [&] { return static_cast<NodeId>(random() % static_cast<std::uint64_t>(made.platform.npuCount())); };
            for (int failures = 0; failures < 30; ++failures) {
                if (random() % 2 == 0)
                    made.failCable(npu());
                else
                    made.set(static_cast<LinkId>(random() % static_cast<std::uint64_t>(made.graph->linkCount())), true);
                const NodeId from = random() % 4 == 0 ? static_cast<NodeId>(random() % static_cast<std::uint64_t>(made.graph->nodeCount())) : npu();
                const NodeId to = npu();
                if (from == to)
                    continue;
                const std::vector<LinkId> way = made.way(from, to);
                QCOMPARE(!way.empty(), made.leads(from, to));
                if (way.empty())
                    continue;
                QVERIFY(made.isWay(way, from, to));
                changed += made.npusOn(way).empty() ? 0 : 1;
                // Where NPUs pass on anyway, those left count among the choices of the node that has lost its own.
                for (LinkId link = static_cast<LinkId>(random() % 7); round % 2 == 0 && link < made.graph->linkCount(); link += 7) {
                    if (made.down.contains(link) || std::find(way.begin(), way.end(), link) != way.end())
                        continue;
                    made.set(link, true);
                    QVERIFY(made.npusOn(made.way(from, to)) == made.npusOn(way));
                    made.set(link, false);
                }
            }
        }
        QVERIFY(changed > cases(100));
    }

    void sendsEndInTimeAndErrorsNameThePair()
    {
        // Cut through: the bytes over the slowest link, 50 GB/s, and every latency once. 2 us within a host, 1 us for each cable.
        const std::int64_t bytes = 20'971'520;
        QCOMPARE(sent(kSpine, 3, {}).first, bytes + 2'000'000);
        QCOMPARE(sent(kSpine, 3, "{link: unit0.host0.gpu0>unit0.leaf0, at: 0 us, failed: true}").first, bytes + 6'000'000);
        QCOMPARE(sent(kRailsOnly, 3, "{link: host0.gpu0>leaf0, at: 0 us, failed: true}").first, bytes + 6'000'000);
        // Pieces under way are turned away at the leaf: over the spine to a sibling of the destination, or over any host that changes rails.
        QVERIFY(sent(kSpine, 3, "{link: unit0.leaf0>unit0.host1.gpu0, at: 10 us, failed: true}").first > bytes + 2'000'000);
        QVERIFY(sent(kRailsOnly, 3, "{link: leaf0>host1.gpu0, at: 10 us, failed: true}").first > bytes + 2'000'000);
        // All cables of the host.
        std::string all;
        for (int rail = 0; rail < kRails; ++rail)
            all += (rail > 0 ? ", {link: host0.gpu" : "{link: host0.gpu") + std::to_string(rail) + ">leaf" + std::to_string(rail) + ", at: 0 us, failed: true}";
        const auto [end, said] = sent(kRailsOnly, 3, all);
        QCOMPARE(end, -1);
        QVERIFY2(said.find("there is no way from rank 0 to rank 3: link host0.gpu0>leaf0 failed") != std::string::npos, said.c_str());
    }
};

FABRICSCOPE_TEST(TestRoutingRails)
#include "tst_routing_rails.moc"
