// Ways by each policy on fabrics written out as graphs. Expected numbers are closed forms, or counted by the brute force given in the test.
#include "core/platform/router.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/fabricgraphs.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A platform with a router of its own.
struct Routed {
    Platform platform;
    RoutingRules rules;
    std::shared_ptr<const ExplicitGraph> graph;
    Router router;

    Routed(const PlatformSpec& spec, RoutePolicy policy, std::uint64_t seed = 0, std::int32_t version = 1)
        : platform(Platform::create(spec).value()), rules(rulesOf(policy, version)), graph(makeFabricGraph(platform)), router(platform, rules, graph, seed)
    {
    }
    static RoutingRules rulesOf(RoutePolicy policy, std::int32_t version)
    {
        RoutingRules rules;
        rules.policy = policy;
        rules.version = version;
        return rules;
    }
    std::vector<LinkId> way(NodeId from, NodeId to, std::uint64_t id = 0, std::uint64_t number = 0)
    {
        std::vector<LinkId> links;
        return router.route(from, to, RouteFlow{id, number}, links) ? links : std::vector<LinkId>();
    }
    /// Flows over each link that any crosses, where every NPU sends to the one `distance` on.
    std::map<LinkId, int> shifted(std::int32_t distance)
    {
        std::map<LinkId, int> flows;
        for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
            for (const LinkId link : way(npu, (npu + distance) % platform.npuCount()))
                ++flows[link];
        }
        return flows;
    }
};

int busiest(const std::map<LinkId, int>& flows)
{
    return std::max_element(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->second;
}

int linksWith(const std::map<LinkId, int>& flows, int count)
{
    return static_cast<int>(std::count_if(flows.begin(), flows.end(), [count](const auto& entry) { return entry.second == count; }));
}

/// The first link from `from` to `to` in this direction.
LinkId linkBetween(const Routed& routed, NodeId from, NodeId to)
{
    for (const std::int32_t link : routed.graph->outgoing(from)) {
        if (routed.graph->to(link) == to)
            return link;
    }
    return -1;
}

/// Fewest links from `from` to `to` over links that are up, by trying all walks: states are (node, node before), until nothing gets shorter.
/// `direct`: an NPU passes on from an NPU to an NPU only.
int fewestLinks(const PlatformSpec& spec, const std::set<LinkId>& down, NodeId from, NodeId to, bool direct)
{
    std::map<std::pair<NodeId, NodeId>, int> best{{{from, -1}, 0}};
    const auto isNpu = [&](NodeId node) { return spec.nodes[static_cast<std::size_t>(node)].kind == NodeKind::Npu; };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t link = 0; link < spec.links.size(); ++link) {
            if (down.contains(static_cast<LinkId>(link)))
                continue;
            const NodeId here = spec.links[link].from;
            const NodeId next = spec.links[link].to;
            std::vector<std::pair<std::pair<NodeId, NodeId>, int>> known(best.begin(), best.end());
            for (const auto& [state, length] : known) {
                const bool passes = state.first == here && here != to;
                const bool starts = state.second < 0;
                if (!passes || (direct && !starts && isNpu(here) && !(isNpu(state.second) && isNpu(next))))
                    continue;
                const auto found = best.find({next, here});
                if (found == best.end() || found->second > length + 1) {
                    best[{next, here}] = length + 1;
                    changed = true;
                }
            }
        }
    }
    int shortest = -1;
    for (const auto& [state, length] : best) {
        if (state.first == to && (shortest < 0 || length < shortest))
            shortest = length;
    }
    return shortest;
}

/// Four sends of 64 MiB from one leaf of four NPUs to the other, over four spines; 50 GB/s and 500 ns everywhere.
std::string fourAcross(const std::string& routing)
{
    std::string yaml = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < 8; ++i)
        yaml += "    - {name: n" + std::to_string(i) + "}\n";
    for (const char* name : {"leaf0", "leaf1", "spine0", "spine1", "spine2", "spine3"})
        yaml += std::string("    - {name: ") + name + ", kind: switch}\n";
    yaml += "  links:\n";
    const auto cable = [&](const std::string& a, const std::string& b) {
        yaml += "    - {from: " + a + ", to: " + b + ", bandwidth: 50 GB/s, latency: 500 ns}\n    - {from: " + b + ", to: " + a + ", bandwidth: 50 GB/s, latency: 500 ns}\n";
    };
    for (int i = 0; i < 8; ++i)
        cable("n" + std::to_string(i), i < 4 ? "leaf0" : "leaf1");
    for (int leaf = 0; leaf < 2; ++leaf)
        for (int spine = 0; spine < 4; ++spine)
            cable("leaf" + std::to_string(leaf), "spine" + std::to_string(spine));
    yaml += "workload:\n  steps:\n";
    for (int i = 0; i < 4; ++i) {
        yaml += "    - {send: 64 MiB, to: " + std::to_string(i + 4) + ", ranks: \"" + std::to_string(i) + "\"}\n";
        yaml += "    - {receive: 64 MiB, from: " + std::to_string(i) + ", ranks: \"" + std::to_string(i + 4) + "\"}\n";
    }
    return yaml + routing;
}

} // namespace

class TestRoutingPolicies : public QObject {
    Q_OBJECT

private slots:
    void policiesStandAtTheirPlaceInTheTable()
    {
        for (std::size_t i = 0; i < kRoutePolicyRows.size(); ++i)
            QCOMPARE(static_cast<std::size_t>(kRoutePolicyRows[i].policy), i);
    }

    void balancedGivesEveryCableOfAFullFabricOneFlow()
    {
        QCOMPARE(busiest(Routed(leafSpine(4, 4, 4, 4), RoutePolicy::Balanced).shifted(4)), 1);
        // Two cables to each spine: down the one that the destination would go up on.
        QCOMPARE(busiest(Routed(leafSpine(3, 4, 2, 4), RoutePolicy::Balanced).shifted(4)), 1);
        QCOMPARE(busiest(Routed(fatTree(4), RoutePolicy::Balanced).shifted(4)), 1);
        QCOMPARE(busiest(Routed(fatTree(8), RoutePolicy::Balanced).shifted(16)), 1);
        // The first way for all: every NPU of a leaf.
        QCOMPARE(busiest(Routed(leafSpine(4, 4, 4, 4), RoutePolicy::Shortest).shifted(4)), 4);
    }

    void balancedSpreadsRailsByTheirOversubscription()
    {
        // 4 units of 32 hosts of 8 rails, every NPU to the same place of the next unit: 32 flows a leaf over 32, 16 and 8 cables.
        for (const auto& [spines, up, most] : {std::tuple{16, 32, 1}, {8, 16, 2}, {4, 8, 4}})
            QCOMPARE(busiest(Routed(railPod(4, 32, 8, spines, up), RoutePolicy::Balanced).shifted(256)), most);
    }

    void ecmpDrawsAsTheRuleSays()
    {
        // seededHash(seed, {from, to, stream, node}) mod c: links with 1, 2 and 3 flows, counted by a script from the rule.
        for (const auto& [seed, one, two, three] : {std::tuple{1u, 72, 12, 0}, {2u, 62, 14, 2}, {3u, 64, 10, 4}}) {
            const auto flows = Routed(fatTree(4), RoutePolicy::Ecmp, seed).shifted(4);
            QCOMPARE(linksWith(flows, 1), one);
            QCOMPARE(linksWith(flows, 2), two);
            QCOMPARE(linksWith(flows, 3), three);
        }
        for (const auto& [seed, most] : {std::pair{1u, 4}, {2u, 6}, {3u, 4}})
            QCOMPARE(busiest(Routed(fatTree(8), RoutePolicy::Ecmp, seed).shifted(16)), most);
    }

    void sprayTakesEveryWayOnce()
    {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Routed tree(fatTree(8), RoutePolicy::Spray, seed);
            std::set<std::vector<LinkId>> ways;
            for (std::uint64_t message = 0; message < 16; ++message)
                ways.insert(tree.way(0, 127, 5, message));
            QCOMPARE(ways.size(), std::size_t{16});
            QVERIFY(ways.contains(tree.way(0, 127, 5, 16)));
        }
    }

    void aFailedCableLeavesTheOtherWays()
    {
        for (const RoutePolicy policy : {RoutePolicy::Balanced, RoutePolicy::Spray}) {
            Routed tree(fatTree(4), policy, 3);
            // NPU 0 is in pod 0, NPU 4 in pod 1; nodes: 16 NPUs, 8 edges, 8 aggregates, 4 cores.
            const LinkId failed = linkBetween(tree, 24, 32);
            QVERIFY(failed >= 0);
            std::vector<std::vector<LinkId>> before;
            for (std::uint64_t number = 0; number < 4; ++number)
                before.push_back(tree.way(0, 4, 0, number));
            QCOMPARE((std::set<std::vector<LinkId>>(before.begin(), before.end()).size()), std::size_t{4});
            tree.router.setDown(failed, true);
            std::set<std::vector<LinkId>> after;
            for (std::uint64_t number = 0; number < 4; ++number) {
                const auto way = tree.way(0, 4, 0, number);
                after.insert(way);
                QCOMPARE(way.size(), std::size_t{6});
                QVERIFY(std::find(way.begin(), way.end(), failed) == way.end());
                const auto& old = before[number];
                // Who does not lose its way keeps it.
                if (std::find(old.begin(), old.end(), failed) == old.end())
                    QVERIFY(way == old);
            }
            QCOMPARE(after.size(), std::size_t{3});
            tree.router.setDown(failed, false);
            QVERIFY(tree.way(0, 4, 0, 2) == before[2]);
        }
    }

    void waysAreShortestOverWhatIsUp()
    {
        std::mt19937_64 dice(seeded(11));
        int forwarded = 0;
        for (int round = 0; round < cases(600); ++round) {
            // NPUs with direct links and switches, some of both; some links down.
            GraphBuilder builder;
            const auto nodes = static_cast<NodeId>(6 + dice() % 5);
            for (NodeId node = 0; node < nodes; ++node)
                builder.add(node < nodes / 2 ? NodeKind::Npu : NodeKind::Switch);
            for (NodeId node = 1; node < nodes; ++node)
                builder.cable(node, static_cast<NodeId>(dice() % static_cast<std::uint64_t>(node)));
            for (std::uint64_t more = dice() % 12; more > 0; --more) {
                const auto a = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(nodes));
                const auto b = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(nodes));
                if (a != b)
                    builder.cable(a, b);
            }
            const PlatformSpec spec = builder.take();
            const std::int32_t version = round % 2 == 0 ? 1 : 2;
            const RoutePolicy policy = std::array{RoutePolicy::Balanced, RoutePolicy::Spray, RoutePolicy::Ecmp, RoutePolicy::Shortest}[dice() % (version == 1 ? 3 : 4)];
            Routed routed(spec, policy, dice(), version);
            std::set<LinkId> down;
            for (std::uint64_t count = dice() % 4; count > 0; --count)
                down.insert(static_cast<LinkId>(dice() % spec.links.size()));
            for (const LinkId link : down)
                routed.router.setDown(link, true);
            for (NodeId from = 0; from < nodes / 2; ++from) {
                const NodeId to = static_cast<NodeId>((from + 1) % (nodes / 2));
                int expected = version == 2 ? fewestLinks(spec, down, from, to, true) : -1;
                forwarded += expected >= 0 && expected != fewestLinks(spec, down, from, to, false) ? 1 : 0;
                if (expected < 0) // No way unless all NPUs pass on.
                    expected = fewestLinks(spec, down, from, to, false);
                for (std::uint64_t number = 0; number < 6; ++number) {
                    std::vector<LinkId> links;
                    QCOMPARE(routed.router.route(from, to, RouteFlow{number, number}, links), expected >= 0);
                    if (expected < 0)
                        continue;
                    QCOMPARE(static_cast<int>(links.size()), expected);
                    NodeId at = from;
                    for (const LinkId link : links) {
                        QVERIFY(!down.contains(link));
                        QCOMPARE(spec.links[static_cast<std::size_t>(link)].from, at);
                        at = spec.links[static_cast<std::size_t>(link)].to;
                    }
                    QCOMPARE(at, to);
                }
            }
        }
        if (cases(600) >= 600)
            QVERIFY(forwarded > 0); // The two rules of passing on do differ on some.
    }

    void fourSendsAcrossFourSpines()
    {
        // x / B = 67108864 / 50 = 1342177.28 ns, rounded up to a picosecond each; 4 links of 500 ns.
        const std::int64_t alone = 1'342'177'280 + 4 * 500'000;
        QCOMPARE(simulated(fourAcross("network: {routing: {policy: balanced}}\n")).finish.ps, alone);
        QCOMPARE(simulated(fourAcross("network: {routing: {policy: shortest}}\n")).finish.ps, 4 * std::int64_t{1'342'177'280} + 4 * 500'000);
        QCOMPARE(simulated(fourAcross("")).finish.ps, 4 * std::int64_t{1'342'177'280} + 4 * 500'000);
        for (const char* model : {"ideal", "flow"})
            QCOMPARE(simulated(fourAcross(std::string("network: {routing: {policy: balanced}}\nmodel: {name: ") + model + "}\n")).finish.ps, alone);
    }

    void bytesAreConserved()
    {
        for (const std::uint64_t seed : Seeds(0, 600)) {
            RandomLimits limits;
            limits.maxNpus = 8;
            limits.maxTasks = 8;
            limits.explicitGraph = seed % 4 != 0;
            const auto plain = build(openCase(seed, limits));
            QVERIFY(plain);
            const LinksRun before = runNetwork(plain.value());
            const auto bytes = [](const LinksRun& run) {
                std::int64_t sum = 0;
                for (const LinkUse& use : run.record.links)
                    sum += use.bytes;
                return sum;
            };
            for (const RoutePolicy policy : {RoutePolicy::Balanced, RoutePolicy::Spray}) {
                NetworkParams network;
                network.seed = seed;
                network.routing = Routed::rulesOf(policy, 1);
                const LinksRun run = runNetwork(withNetwork(plain.value(), network));
                QVERIFY(run.record.complete == before.record.complete);
                QCOMPARE(run.messages.size(), before.messages.size());
                QCOMPARE(bytes(run), bytes(before)); // All ways are as short as the first.
            }
        }
    }
};

FABRICSCOPE_TEST(TestRoutingPolicies)
#include "tst_routing_policies.moc"
