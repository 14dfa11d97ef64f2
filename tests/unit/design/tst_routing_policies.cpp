// Ways by each policy on fabrics written out as graphs. Expected numbers are closed forms, or counted by the brute force given in the test.
#include "core/base/seededhash.h"
#include "core/design/modelversions.h"
#include "core/platform/router.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/fabricgraphs.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/routed.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

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

/// 6 to 10 nodes, the first half of them NPUs, the others switches; direct links and parallel ones too.
PlatformSpec randomFabric(std::mt19937_64& dice)
{
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
    return builder.take();
}

/// Four sends of 64 MiB from one leaf of four NPUs to the other.
std::string sendsAcross()
{
    std::string steps;
    for (int i = 0; i < 4; ++i) {
        steps += "    - {send: 64 MiB, to: " + std::to_string(i + 4) + ", ranks: \"" + std::to_string(i) + "\"}\n";
        steps += "    - {receive: 64 MiB, from: " + std::to_string(i) + ", ranks: \"" + std::to_string(i + 4) + "\"}\n";
    }
    return "workload:\n  steps:\n" + steps;
}

/// Two leaves of four NPUs and four spines, 50 GB/s and 500 ns everywhere, and what the rest of the design says.
std::string acrossSpines(const std::string& rest)
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
    return yaml + rest;
}

std::string fourAcross(const std::string& rest)
{
    return acrossSpines(sendsAcross() + rest);
}

/// What the result says of them.
std::string idleWaysOf(const std::string& design)
{
    std::string found;
    for (const Diagnostic& entry : simulated(design).diagnostics)
        found += entry.rule == "idle-ways" ? entry.message : "";
    return found;
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

    void balancedUsesAllCablesDownAlsoWhereFewerWentUp()
    {
        // Leaves of 1, 1 and 2 NPUs with a cable for each to the one spine: 0 to 2 and 1 to 3 share nothing, whichever comes first.
        GraphBuilder builder;
        for (int npu = 0; npu < 4; ++npu)
            builder.add(NodeKind::Npu);
        for (int node = 0; node < 4; ++node)
            builder.add(NodeKind::Switch);
        for (const auto& [npu, leaf] : {std::pair{0, 4}, {1, 5}, {2, 6}, {3, 6}}) {
            builder.cable(npu, leaf);
            builder.cable(leaf, 7);
        }
        Routed routed(builder.take(), RoutePolicy::Balanced);
        std::map<LinkId, int> flows;
        for (const auto& [from, to] : {std::pair{0, 2}, {1, 3}}) {
            const std::vector<LinkId> way = routed.way(from, to);
            QCOMPARE(way.size(), 4U);
            for (const LinkId link : way)
                ++flows[link];
        }
        QCOMPARE(busiest(flows), 1);
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
        for (std::uint64_t seed = 0; seed < cases<std::uint64_t>(20); ++seed) {
            Routed tree(fatTree(8), RoutePolicy::Spray, seed);
            std::set<std::vector<LinkId>> ways;
            for (std::uint64_t message = 0; message < 16; ++message)
                ways.insert(tree.way(0, 127, 5, message));
            QCOMPARE(ways.size(), std::size_t{16});
            QVERIFY(ways.contains(tree.way(0, 127, 5, 16)));
        }
    }

    void waysGoUpAndThenDown()
    {
        std::mt19937_64 dice(seeded(23));
        int around = 0;
        for (int round = 0; round < cases(400); ++round) {
            const PlatformSpec spec = randomFabric(dice);
            const auto nodes = static_cast<NodeId>(spec.nodes.size());
            const NodeId npus = nodes / 2;
            // Links to the nearest NPU, by lengthening ways until nothing gets shorter.
            std::vector<int> level(spec.nodes.size(), 1000);
            for (NodeId npu = 0; npu < npus; ++npu)
                level[static_cast<std::size_t>(npu)] = 0;
            const auto levelOf = [&](NodeId node) -> int& { return level[static_cast<std::size_t>(node)]; };
            for (NodeId pass = 0; pass < nodes; ++pass) {
                for (const ExplicitLink& link : spec.links)
                    levelOf(link.from) = std::min(levelOf(link.from), levelOf(link.to) + 1);
            }
            const auto down = [&](const ExplicitLink& link) { return std::pair(levelOf(link.from), -link.from) > std::pair(levelOf(link.to), -link.to); };
            for (NodeId from = 0; from < npus; ++from) {
                const NodeId to = (from + 1) % npus;
                // Fewest links to every node: coming up only, and once gone down; NPUs end ways.
                std::map<std::pair<NodeId, bool>, int> best{{{from, false}, 0}};
                for (bool changed = true; changed;) {
                    changed = false;
                    for (const ExplicitLink& link : spec.links) {
                        for (const bool gone : {false, true}) {
                            const auto here = best.find({link.from, gone});
                            if (here == best.end() || (gone && !down(link)) || (link.from != from && link.from < npus) || link.from == to)
                                continue;
                            int& next = best.try_emplace({link.to, gone || down(link)}, 1000).first->second;
                            changed = changed || here->second + 1 < next;
                            next = std::min(next, here->second + 1);
                        }
                    }
                }
                int expected = 1000;
                for (const bool gone : {false, true})
                    expected = best.contains({to, gone}) ? std::min(expected, best.at({to, gone})) : expected;
                Routed tree(spec, RoutePolicy::UpDown);
                const auto way = tree.way(from, to);
                const int shortest = fewestLinks(spec, {}, from, to, false);
                QCOMPARE(static_cast<int>(way.size()), expected < 1000 ? expected : shortest);
                around += expected < 1000 && expected > shortest ? 1 : 0;
                bool gone = false;
                for (const LinkId link : way) {
                    const bool falls = down(spec.links[static_cast<std::size_t>(link)]);
                    QVERIFY(expected == 1000 || falls || !gone);
                    gone = gone || falls;
                }
            }
        }
        if (cases(400) >= 400)
            QVERIFY(around > 0); // Some ways are longer for it.
        // A tree has no other ways than these: the first listed.
        Routed tree(fatTree(4), RoutePolicy::UpDown);
        Routed first(fatTree(4), RoutePolicy::Shortest);
        for (NodeId npu = 1; npu < 16; ++npu)
            QVERIFY(tree.way(0, npu) == first.way(0, npu));
    }

    void valiantGoesByAllNodesAlike()
    {
        // Ring n, all to +[(n-1)/2], antipodal +: the share of its rate that every NPU may send is 1 / (flows of the busiest link), and with all n
        // middles counted once 2/5 (n = 8) and 2/9 (n = 16), against 1/3 and 1/7 straight.
        for (const auto& [n, straight, valiant] : {std::tuple{8, 3, std::pair{2, 5}}, {16, 7, std::pair{2, 9}}}) {
            GraphBuilder builder;
            builder.add(NodeKind::Npu, n);
            PlatformSpec spec = builder.take();
            for (const int step : {1, n - 1}) { // Of both ways round the one upwards is listed first.
                for (NodeId node = 0; node < n; ++node)
                    spec.links.push_back({node, (node + step) % n, {50, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
            }
            QCOMPARE(busiest(Routed(spec, RoutePolicy::Shortest).shifted((n - 1) / 2)), straight);
            Routed ring(spec, RoutePolicy::Valiant, 5);
            std::map<LinkId, int> flows;
            for (NodeId from = 0; from < n; ++from) {
                const NodeId to = (from + (n - 1) / 2) % n;
                std::set<std::uint64_t> middles;
                for (std::uint64_t message = 0; middles.size() < static_cast<std::size_t>(n); ++message) {
                    const std::uint64_t middle = seededHash(5, {from, to, 3, static_cast<std::int64_t>(message), -1}) % static_cast<std::uint64_t>(n);
                    const auto way = ring.way(from, to, 3, message);
                    if (!middles.insert(middle).second)
                        continue;
                    for (const LinkId link : way)
                        ++flows[link];
                    // The way leads there on the shorter way round, and on from there.
                    NodeId at = from;
                    bool met = at == static_cast<NodeId>(middle);
                    for (const LinkId link : way) {
                        at = spec.links[static_cast<std::size_t>(link)].to;
                        met = met || at == static_cast<NodeId>(middle);
                    }
                    QVERIFY(met);
                    QCOMPARE(at, to);
                }
            }
            // n middles counted once: flows / n on the busiest link.
            QCOMPARE(busiest(flows) * valiant.first, n * valiant.second);
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
            const PlatformSpec spec = randomFabric(dice);
            const auto nodes = static_cast<NodeId>(spec.nodes.size());
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
        QCOMPARE(simulated(fourAcross("model: {version: physical/1}\n")).finish.ps, 4 * std::int64_t{1'342'177'280} + 4 * 500'000);
        for (const char* model : {"ideal", "flow"})
            QCOMPARE(simulated(fourAcross(std::string("network: {routing: {policy: balanced}}\nmodel: {name: ") + model + "}\n")).finish.ps, alone);
    }

    void theSecondVersionBalancesGraphs()
    {
        const std::int64_t alone = 1'342'177'280 + 4 * 500'000;
        for (const auto& [model, version] : {std::pair{"links", "physical/2"}, {"ideal", "physical/2"}, {"flow", "flow/2"}, {"links", "physical/3"}, {"ideal", "physical/3"}, {"flow", "flow/3"}, {"links", "physical/4"}, {"ideal", "physical/4"}, {"flow", "flow/4"}}) {
            const std::string named = std::string("model: {name: ") + model + ", version: " + version + "}\n";
            const RunRecord record = simulated(fourAcross(named));
            QCOMPARE(record.finish.ps, alone);
            QCOMPARE(record.version, std::string(version));
        }
        // Without a version the newest; a routing that is written stands, and so does the first version.
        QCOMPARE(simulated(fourAcross("")).finish.ps, alone);
        QCOMPARE(simulated(fourAcross("")).version, std::string("physical/4"));
        const std::int64_t oneWay = 4 * std::int64_t{1'342'177'280} + 4 * 500'000;
        QCOMPARE(simulated(fourAcross("model: {name: links, version: physical/2}\nnetwork: {routing: {policy: shortest}}\n")).finish.ps, oneWay);
        QCOMPARE(simulated(fourAcross("model: {name: links, version: physical/1}\n")).finish.ps, oneWay);
        QCOMPARE(simulated(fourAcross("model: {name: links, version: physical/1}\n")).version, std::string("physical/1"));
        QVERIFY(problemsOf(fourAcross("model: {name: links, version: physical/7}\n")).find("physical/1, physical/2, physical/3, physical/4, or no version") != std::string::npos);
        QVERIFY(problemsOf(fourAcross("model: {name: flow, version: physical/2}\n")).find("flow/1, flow/2, flow/3, flow/4") != std::string::npos);
    }

    void theSecondVersionLeavesDimensionsAlone()
    {
        const std::string design = "fabricscope: 1\nplatform: {topology: Ring(4)_Switch(2), bandwidth: 50 GB/s, latency: 500 ns}\n"
                                   "workload: {steps: [{collective: all_reduce, size: 1 MiB}, {collective: all_to_all, size: 1 MiB}]}\n";
        const RunRecord plain = simulated(design + "model: {name: links, version: physical/1}\n");
        const RunRecord newer = simulated(design + "model: {name: links, version: physical/2}\n");
        QCOMPARE(newer.finish.ps, plain.finish.ps);
        QVERIFY(newer.fingerprint.hex() == plain.fingerprint.hex());
        QCOMPARE(newer.engines.front().engine, plain.engines.front().engine);
        QCOMPARE(newer.version, std::string("physical/2"));
        QCOMPARE(plain.version, std::string("physical/1"));
    }

    void anotherModelKeepsTheNumberOfTheRules()
    {
        for (const std::string rules : {"/1", "/2", "/3"})
            QCOMPARE(versionFor(Model::Flow, "physical" + rules), "flow" + rules);
        QCOMPARE(versionFor(Model::Ideal, "flow/2"), std::string("physical/2"));
        QCOMPARE(versionFor(Model::AstraAware, "physical/2"), std::string());
        QCOMPARE(versionFor(Model::Links, "astra/2"), std::string());
        QCOMPARE(versionFor(Model::Links, ""), std::string());
    }

    void npusOfTheSecondVersionPassOnInsideTheirHostOnly()
    {
        // 2 hosts of 4 rails below one unit: from rail 0 of host 0 to rail 1 of host 1 over an NPU (host switch, NPU, leaf) or over a spine, 4 links each.
        for (const auto& [version, overNpus] : {std::pair{1, true}, {2, false}}) {
            Routed pod(railPod(1, 2, 4, 2, 2), RoutePolicy::Ecmp, 1, version);
            bool passed = false;
            for (std::uint64_t id = 0; id < 100; ++id) {
                const auto way = pod.way(0, 5, id);
                QCOMPARE(way.size(), std::size_t{4});
                for (std::size_t hop = 0; hop + 1 < way.size(); ++hop)
                    passed = passed || pod.graph->kind(pod.graph->to(way[hop])) == NodeKind::Npu;
            }
            QCOMPARE(passed, overNpus);
        }
    }

    /// NPU 0 sends to 2 and 4 of five at two planes: the even places of both lead over plane 0.
    void idleWaysOfTheDefaultNameSpray()
    {
        const std::string found = idleWaysOf(graphDesign("gpu0-s0 gpu1-s0 gpu2-s0 gpu3-s0 gpu4-s0 gpu0-s1 gpu1-s1 gpu2-s1 gpu3-s1 gpu4-s1", "routing: {policy: balanced}",
                                               "{send: 1 MiB, to: 2, ranks: 0}, {send: 1 MiB, to: 4, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 2}, {receive: 1 MiB, from: 0, ranks: 4}"));
        QVERIFY2(found.starts_with("1 link stays idle (gpu0>s1)") && found.ends_with("under the routing balanced; routing spray takes such ways by turns"), found.c_str());
    }

    void equalWaysThatStayIdleAreNamed()
    {
        const std::string three = "3 links stay idle (leaf0>spine1, leaf0>spine2, leaf0>spine3) that lead as close as leaf0>spine0, which 4 pairs of NPUs share, "
                                  "under the routing shortest";
        for (const char* model : {"links", "ideal", "flow"})
            QCOMPARE(idleWaysOf(fourAcross(std::string("network: {routing: {policy: shortest}}\nmodel: {name: ") + model + "}\n")), three);
        QCOMPARE(idleWaysOf(fourAcross("model: {version: physical/1}\n")), three);
        // Where every way carries something there is nothing to say.
        QCOMPARE(idleWaysOf(fourAcross("")), std::string());
        QCOMPARE(idleWaysOf(fourAcross("network: {routing: {policy: balanced}}\n")), std::string());
        // One pair has one way, whatever the policy: only a second on the same link could have gone beside it.
        const std::string fork = "gpu0-s0 gpu1-s0 s0-s1 s0-s2 s1-s3 s2-s3 s3-gpu2 s3-gpu3";
        const std::string first = "{send: 1 MiB, to: 2, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 2}";
        const std::string both = first + ", {send: 1 MiB, to: 3, ranks: 1}, {receive: 1 MiB, from: 1, ranks: 3}";
        QCOMPARE(idleWaysOf(graphDesign(fork, "", first)), std::string());
        QVERIFY(idleWaysOf(graphDesign(fork, "", both)).starts_with("1 link stays idle (s0>s2)"));
        // A link that leads as close for one of those only is not equal: gpu3 is behind s1 alone.
        const std::string uneven = "gpu0-s0 gpu1-s0 s0-s1 s0-s2 s1-gpu2 s2-gpu2 s1-gpu3";
        QCOMPARE(idleWaysOf(graphDesign(uneven, "", both)), std::string());
        // Policies whose ways may be longer than others leave nodes out on purpose, but not a link to the same node.
        for (const char* policy : {"shortest", "up_down", "valiant"})
            QVERIFY(idleWaysOf(graphDesign("gpu0-s0 gpu1-s0 s0-s1 s0-s1 s1-gpu2 s1-gpu3", std::string("routing: {policy: ") + policy + "}", both)).starts_with("1 link stays idle (s0>s1#2) that leads as close as s0>s1,"));
    }

    /// Three NPUs at three planes; NPU 0 sends to 1 and 2, which the places of both (1, 2) put on planes of their own, so one plane stays idle.
    void planesThatANpuWouldNotSendByAreNotIdleWays()
    {
        const auto said = [](const std::vector<double>& rates, const std::string& policy) {
            std::string design = "fabricscope: 1\nplatform:\n  nodes: [{name: gpu0}, {name: gpu1}, {name: gpu2}";
            for (std::size_t plane = 0; plane < rates.size(); ++plane)
                design += ", {name: s" + std::to_string(plane) + ", kind: switch}";
            design += "]\n  links:\n";
            for (std::size_t plane = 0; plane < rates.size(); ++plane)
                for (int npu = 0; npu < 3; ++npu)
                    design += "    - {between: [gpu" + std::to_string(npu) + ", s" + std::to_string(plane) + "], bandwidth: " + std::to_string(rates[plane]) + " GB/s, latency: 1 us}\n";
            design += "network: {routing: {policy: " + policy + "}}\nworkload: {steps: [{send: 1 MiB, to: 1, ranks: 0}, {send: 1 MiB, to: 2, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 1}, {receive: 1 MiB, from: 0, ranks: 2}]}\n";
            return idleWaysOf(design);
        };
        // Both pairs on plane 0, the other planes idle: as fast, half as fast of two (2 x 25 = 50), too slow to carry more.
        QVERIFY(said({50, 50}, "shortest").starts_with("1 link stays idle (gpu0>s1)"));
        QVERIFY(said({50, 25}, "shortest").starts_with("1 link stays idle (gpu0>s1)"));
        QCOMPARE(said({50, 24}, "shortest"), std::string());
        // 50 + 20 + 20: three times 20 are more than 50, so all three carry.
        QVERIFY(said({50, 20, 20}, "shortest").starts_with("2 links stay idle (gpu0>s1, gpu0>s2)"));
        QCOMPARE(said({50, 16, 16}, "shortest"), std::string());
        // The faster plane is the second: all goes there, and the first is no way left unused.
        QCOMPARE(said({50, 450}, "shortest"), std::string());
        // A plane each: nothing is shared.
        QCOMPARE(said({50, 50}, "balanced"), std::string());
    }

    void waysByTheirEndsAreThoseOfTheRouter()
    {
        // The default goes by the ends where no two streams go between the same NPUs, on all engines, written out or not; the router finds the same message by message.
        const std::string written = "network: {routing: {policy: balanced}}\n";
        const auto routed = [](const Scenario& byEnds) {
            NetworkParams network;
            network.routing = BalancedWays::rules();
            return withNetwork(byEnds, std::move(network));
        };
        for (const char* model : {"links", "ideal", "flow"}) {
            const std::string name = std::string("model: {name: ") + model + "}\n";
            for (const char* work : {"collective: all_reduce, size: 3 MiB", "collective: all_to_all, size: 5 MiB", "steps: [{collective: all_gather, size: 1 MiB}, {collective: all_to_all, size: 2 MiB}]"}) {
                const std::string design = acrossSpines(std::string("workload: {") + work + "}\n" + name);
                const Scenario byEnds = scenarioOf(design);
                QVERIFY(byEnds.params->network && byEnds.params->network->ways);
                QVERIFY(scenarioOf(design + written).params->network->ways && !routed(byEnds).params->network->ways);
                const LinksRun slow = runNetwork(routed(byEnds));
                QCOMPARE(runNetwork(byEnds).record.messages.value().hex(), slow.record.messages.value().hex());
                const RunRecord quick = simulated(design);
                QCOMPARE(quick.fingerprint.hex(), slow.record.fingerprint.hex());
                QCOMPARE(simulated(design + written).fingerprint.hex(), quick.fingerprint.hex());
                if (std::string(model) != "flow")
                    QCOMPARE(simulated(design, EngineChoice::Memo).fingerprint.hex(), quick.fingerprint.hex());
            }
        }
        // Rings of the NPUs of a leaf: the sweep engine.
        const std::string rings = acrossSpines("workload: {groups: [{name: leaf, axes: [{size: 4, stride: 1}]}], steps: [{collective: all_reduce, size: 8 MiB, group: leaf}]}\n");
        QCOMPARE(simulated(rings).fingerprint.hex(), runNetwork(routed(scenarioOf(rings))).record.fingerprint.hex());
        QCOMPARE(simulated(rings + written).engines.front().engine, simulated(rings).engines.front().engine);
        // The rules of the first version know it as one policy among others.
        QVERIFY(!scenarioOf(rings + written + "model: {version: physical/1}\n").params->network->ways);
    }

    void headsOfOneInstantTakeASpineEach()
    {
        // Four NPUs that send 64 MiB each from one leaf to the other: heads of one instant take a spine each, so nothing ever waits for
        // another: 4 L + x / B, as under balanced.
        QCOMPARE(simulated(fourAcross("network: {routing: {policy: least_queued}}\n")).finish.ps, 1'342'177'280 + 4 * std::int64_t{500'000});
    }

    void streamsBetweenTheSameNpusAreCounted()
    {
        // NPUs 0 and 4 are together in both groups, so their second stream takes the next way.
        const auto design = [](const std::string& second) {
            return acrossSpines("workload: {groups: [{name: a, lists: [[0, 4]]}, {name: b, lists: [" + second + "]}], steps: [{collective: all_reduce, size: 1 MiB, group: a}, "
                                "{collective: all_reduce, size: 1 MiB, group: b}]}\n");
        };
        const Scenario meet = scenarioOf(design("[0, 4, 5]"));
        QVERIFY(!meet.params->network->ways && meet.params->network->routing->policy == RoutePolicy::Balanced);
        QVERIFY(scenarioOf(design("[0, 5]")).params->network->ways);
        QVERIFY(scenarioOf(design("[1, 5]")).params->network->ways);
        // A pair that sends is a stream of its own.
        const auto withSend = [](const std::string& to) {
            return scenarioOf(acrossSpines("workload: {groups: [{name: a, lists: [[0, 4]]}], steps: [{collective: all_reduce, size: 1 MiB, group: a}, {send: 1 MiB, to: " + to
                                           + ", ranks: 0}, {receive: 1 MiB, from: 0, ranks: " + to + "}]}\n"));
        };
        QVERIFY(!withSend("4").params->network->ways);
        QVERIFY(withSend("5").params->network->ways);
    }

    void groupsOfUnequalSizeKeepTheRulesOfDimensions()
    {
        const std::string groups = "fabricscope: 1\nplatform: {topology: \"Ring(4, 6, 100 GB/s, 500 ns)_Switch(2, 25 GB/s, 1 us)\"}\nworkload: {collective: all_to_all, size: 8 MiB}\n";
        QVERIFY(!scenarioOf(groups).params->network);
        QCOMPARE(simulated(groups).fingerprint.hex(), simulated(groups + "model: {version: physical/1}\n").fingerprint.hex());
    }

    void bytesAreConserved()
    {
        for (const std::uint64_t seed : Seeds(0, 600)) {
            const Scenario plain = smallOpenCase(seed);
            const LinksRun before = runNetwork(plain);
            for (const RoutePolicy policy : {RoutePolicy::Balanced, RoutePolicy::Spray}) {
                NetworkParams network;
                network.seed = seed;
                network.routing = Routed::rulesOf(policy, 1);
                const LinksRun run = runNetwork(withNetwork(plain, network));
                QVERIFY(run.record.complete == before.record.complete);
                QCOMPARE(run.messages.size(), before.messages.size());
                QCOMPARE(bytesOfLinks(run), bytesOfLinks(before)); // All ways are as short as the first.
            }
        }
    }
};

FABRICSCOPE_TEST(TestRoutingPolicies)
#include "tst_routing_policies.moc"
