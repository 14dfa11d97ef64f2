// Policies that go by what a generator declares (axes, groups of a dragonfly, hosts and rails), and by queues. Expected loads are the closed forms given at each.
#include "tests/unit/support/cases/networkcase.h" // first: its WideCount is local, that of fabrics is not

#include "core/base/seededhash.h"
#include "core/hierarchy/findrails.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/router.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A generated fabric as nodes and links, with a router of its own.
struct GeneratedWays {
    Platform platform;
    RoutingRules rules;
    std::shared_ptr<const ExplicitGraph> graph;
    Router router;

    GeneratedWays(const std::string& line, RoutePolicy policy, std::vector<std::int32_t> order = {}, std::uint64_t seed = 7)
        : platform(Platform::create(specOf(line)).value()), rules(rulesOf(policy, std::move(order))), graph(makeFabricGraph(platform)), router(platform, rules, graph, seed)
    {
    }
    static PlatformSpec specOf(const std::string& line)
    {
        const FabricForm form = parseFabricForm(line).value();
        PlatformSpec spec = platformOfFabric(fabricOfForm(form).value(), FabricWriting::Nodes).value();
        spec.generated.form = std::make_shared<const FabricForm>(normalForm(form));
        return spec;
    }
    static RoutingRules rulesOf(RoutePolicy policy, std::vector<std::int32_t> order)
    {
        RoutingRules rules;
        rules.policy = policy;
        rules.version = 2;
        rules.order = std::move(order);
        return rules;
    }
    std::vector<LinkId> way(NodeId from, NodeId to, std::uint64_t id = 0, std::uint64_t number = 0)
    {
        std::vector<LinkId> links;
        return router.route(from, to, RouteFlow{id, number}, links) ? links : std::vector<LinkId>();
    }
    /// Nodes of a way from its second on.
    std::vector<NodeId> nodes(NodeId from, NodeId to)
    {
        std::vector<NodeId> out;
        for (const LinkId link : way(from, to))
            out.push_back(graph->to(link));
        return out;
    }
    bool crosses(const std::vector<LinkId>& links, const std::string& word) const
    {
        return std::any_of(links.begin(), links.end(), [&](LinkId link) { return nameOf(graph->to(link)).find(word) != std::string::npos; });
    }
    std::string nameOf(NodeId node) const { return platform.spec().nodes.name(static_cast<std::size_t>(node)); }
    void setDown(const std::string& from, const std::string& to, bool down)
    {
        for (LinkId link = 0; link < graph->linkCount(); ++link) {
            if (nameOf(graph->from(link)) == from && nameOf(graph->to(link)) == to)
                router.setDown(link, down);
        }
    }
};

/// Nodes after the first on a grid, one axis after the other, the shorter way round where it is closed (as short: upwards).
std::vector<NodeId> stepsOnGrid(NodeId from, NodeId to, const std::vector<int>& sizes, const std::vector<bool>& closed, const std::vector<std::int32_t>& order, bool leaps)
{
    std::vector<NodeId> out;
    NodeId at = from;
    for (const std::int32_t axis : order) {
        const auto a = static_cast<std::size_t>(axis);
        int stride = 1;
        for (std::size_t lower = 0; lower < a; ++lower)
            stride *= sizes[lower];
        const int goal = to / stride % sizes[a];
        for (int c = at / stride % sizes[a]; c != goal;) {
            const int up = (goal - c + sizes[a]) % sizes[a];
            const int step = closed[a] ? (2 * up <= sizes[a] ? 1 : -1) : (goal > c ? 1 : -1);
            const int next = leaps ? goal : (c + step + sizes[a]) % sizes[a];
            at += (next - c) * stride;
            c = next;
            out.push_back(at);
        }
    }
    return out;
}

} // namespace

class TestRoutingDeclared : public QObject {
    Q_OBJECT

private slots:
    void dimensionOrderOfGridsOfNpus()
    {
        struct Case {
            const char* line;
            std::vector<int> sizes;
            std::vector<bool> closed;
        };
        for (const Case& c : {Case{"npu / mesh 4x3", {4, 3}, {false, false}}, {"npu / torus 4x4 wrap 1,0", {4, 4}, {true, false}}, {"npu / torus 5x4x2", {5, 4, 2}, {true, true, false}},
                              {"npu / ring 6", {6}, {true}}, {"npu / hypercube 3", {2, 2, 2}, {false, false, false}}, {"npu / tpu_v4 4x4x4", {4, 4, 4}, {true, true, true}}}) {
            std::vector<std::int32_t> order(c.sizes.size());
            std::iota(order.begin(), order.end(), 0);
            do {
                GeneratedWays made(c.line, RoutePolicy::DimensionOrder, order);
                for (NodeId from = 0; from < made.platform.npuCount(); ++from) {
                    for (NodeId to = 0; to < made.platform.npuCount(); ++to)
                        QVERIFY2(made.nodes(from, to) == stepsOnGrid(from, to, c.sizes, c.closed, order, false), c.line);
                }
            } while (std::next_permutation(order.begin(), order.end()));
        }
    }

    void dimensionOrderOfHyperx()
    {
        for (const std::vector<std::int32_t>& order : {std::vector<std::int32_t>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
            GeneratedWays made("npu / hyperx 4x3x2 npus 2", RoutePolicy::DimensionOrder, order);
            const NodeId npus = 48;
            for (NodeId from = 0; from < npus; ++from) {
                for (NodeId to = 0; to < npus; ++to) {
                    if (from == to)
                        continue;
                    std::vector<NodeId> expected{npus + from / 2};
                    for (const NodeId node : stepsOnGrid(from / 2, to / 2, {4, 3, 2}, {false, false, false}, order, true))
                        expected.push_back(npus + node);
                    expected.push_back(to);
                    QVERIFY(made.nodes(from, to) == expected);
                }
            }
        }
        // Not told: the lowest first.
        GeneratedWays made("npu / hyperx 4x3x2 npus 2", RoutePolicy::DimensionOrder);
        QVERIFY(made.nodes(0, 47) == (std::vector<NodeId>{48, 51, 59, 71, 47}));
    }

    void dimensionOrderGoesRoundWhatIsDown()
    {
        GeneratedWays mesh("npu / mesh 3x3", RoutePolicy::DimensionOrder);
        QVERIFY(mesh.nodes(0, 8) == (std::vector<NodeId>{1, 2, 5, 8}));
        mesh.setDown("npu1", "npu2", true);
        QVERIFY(mesh.nodes(0, 8) == (std::vector<NodeId>{1, 4, 5, 8})); // On along the first axis as soon as it leads closer.
        QVERIFY(mesh.nodes(0, 5) == (std::vector<NodeId>{1, 4, 5}));
        QCOMPARE(mesh.nodes(0, 2).size(), std::size_t{4});
        mesh.setDown("npu1", "npu2", false);
        QVERIFY(mesh.nodes(0, 8) == (std::vector<NodeId>{1, 2, 5, 8}));
    }

    void valiantGoesByAGroupOfADragonfly()
    {
        // Group G to G+1 at the rate of a link each: straight a p flows share one cable. By a group, every cable carries a p / (g-2) on the first leg and as
        // much on the second, and no other link more.
        for (const auto& [line, p, a, h] : {std::tuple{"npu / dragonfly 1,2,1", 1, 2, 1}, {"npu / dragonfly 2,4,2", 2, 4, 2}}) {
            const int g = a * h + 1;
            const int size = a * p;
            const NodeId npus = g * size;
            GeneratedWays made(line, RoutePolicy::Valiant);
            QCOMPARE(made.platform.npuCount(), npus);
            const auto groupOf = [&, a = a](NodeId node) { return node < npus ? node / size : (node - npus) / a; };
            std::map<LinkId, std::int64_t> flows; // Each 1 / (size (g-2)) of a rate.
            for (NodeId from = 0; from < npus; ++from) {
                const int own = from / size;
                const int other = (own + 1) % g;
                for (NodeId to = other * size; to < (other + 1) * size; ++to) {
                    std::vector<int> between;
                    for (int group = 0; group < g; ++group) {
                        if (group != own && group != other)
                            between.push_back(group);
                    }
                    std::set<int> met;
                    for (std::int64_t m = 0; met.size() < between.size(); ++m) {
                        const int middle = between[seededHash(7, {from, to, 3, m, -1}) % between.size()];
                        if (!met.insert(middle).second)
                            continue;
                        int globals = 0;
                        bool there = false;
                        const auto way = made.way(from, to, 3, static_cast<std::uint64_t>(m));
                        for (const LinkId link : way) {
                            ++flows[link];
                            there = there || groupOf(made.graph->to(link)) == middle;
                            globals += groupOf(made.graph->from(link)) != groupOf(made.graph->to(link)) ? 1 : 0;
                        }
                        QVERIFY(there);
                        QCOMPARE(globals, 2);
                        QVERIFY(way.size() <= 7U);
                        QCOMPARE(made.graph->to(way.back()), to);
                    }
                }
            }
            std::int64_t most = 0;
            for (const auto& [link, count] : flows)
                most = std::max(most, count);
            // Share of its rate that every NPU may send: size (g-2) / most = (g-2) / (2 a p).
            QCOMPARE(most * (g - 2), std::int64_t{size} * (g - 2) * 2 * size);

            GeneratedWays straight(line, RoutePolicy::Shortest);
            std::map<LinkId, int> direct;
            for (NodeId from = 0; from < npus; ++from) {
                for (const LinkId link : straight.way(from, (from / size + 1) % g * size + from % size))
                    ++direct[link];
            }
            QCOMPARE(std::max_element(direct.begin(), direct.end(), [](const auto& x, const auto& y) { return x.second < y.second; })->second, size);
        }
    }

    void piecesChooseTheShorterQueue()
    {
        // Two leaves of two NPUs, two spines, 1 B/ns and 100 ns: the numbers of manual: models 3.8, in ps.
        const std::string links = "gpu0-s0 gpu1-s0 s0-s2 s0-s3 s1-s2 s1-s3 gpu2-s1 gpu3-s1";
        const auto designOf = [&](const std::string& policy, const std::string& steps, const std::string& model = "links") {
            std::string design = graphDesign(links, "routing: {policy: " + policy + "}", steps);
            const std::string version = "{version: physical/1}";
            return design.replace(design.find(version), version.size(), "{name: " + model + "}");
        };
        const auto finish = [&](const std::string& policy, const std::string& delay, const std::string& model = "links") {
            const std::string steps = "{send: 1000 B, to: 2, ranks: 0}, " + delay + "{send: 1000 B, to: 3, ranks: 1}, {receive: 1000 B, from: 0, ranks: 2}, {receive: 1000 B, from: 1, ranks: 3}";
            return simulated(designOf(policy, steps, model)).finish.ps;
        };
        const std::string late = "{compute: 200 ns, ranks: 1}, ";
        QCOMPARE(finish("least_queued", late), 1'600'000);
        QCOMPARE(finish("shortest", late), 2'400'000);
        QCOMPARE(finish("least_queued", ""), 1'400'000);
        // Straight over the shorter queue, too.
        QCOMPARE(finish("adaptive", ""), 1'400'000);
        for (const char* policy : {"least_queued", "adaptive"}) {
            QCOMPARE(finish(policy, "", "ideal"), 1'400'000);
            const std::string work = "{collective: all_reduce, size: 1 MiB}";
            const std::string design = designOf(policy, work);
            const Scenario scenario = scenarioOf(design);
            QCOMPARE(simulated(design).engines.front().engine, std::string("events"));
            for (const EngineChoice engine : {EngineChoice::Symmetry, EngineChoice::Sweep, EngineChoice::Memo}) {
                RunOptions options;
                options.engine = engine;
                QVERIFY(!simulate(scenario, options));
            }
            const std::string refused = problemsOf(designOf(policy, work, "flow"));
            QVERIFY2(refused.find("chooses by the queues of links, and model flow has none") != std::string::npos, refused.c_str());
            QVERIFY(refused.find("spray, up_down, valiant or table") != std::string::npos);
        }
    }

    /// Four hosts of one NPU, a PCI Express switch (s0, s2, s4, s6) and a network card (s1, s3, s5, s7); two at each leaf (s8, s9), two spines. The numbers of manual: models
    /// 3.8 with two links more on either side: nothing is settled inside of the hosts, where there is one way, so the second piece finds the first spine busy.
    void adaptiveSettlesBehindTheCardsOfAHost()
    {
        std::string links;
        for (int host = 0; host < 4; ++host) {
            const std::string bus = "s" + std::to_string(2 * host);
            const std::string card = "s" + std::to_string(2 * host + 1);
            links += "gpu" + std::to_string(host) + '-' + bus + ' ' + bus + '-' + card + ' ' + card + (host < 2 ? "-s8 " : "-s9 ");
        }
        links += "s8-s10 s8-s11 s9-s10 s9-s11";
        const auto finish = [&](const std::string& policy) {
            const std::string steps = "{send: 1000 B, to: 2, ranks: 0}, {compute: 200 ns, ranks: 1}, {send: 1000 B, to: 3, ranks: 1}, {receive: 1000 B, from: 0, ranks: 2}, {receive: 1000 B, from: 1, ranks: 3}";
            std::string design = graphDesign(links, "routing: {policy: " + policy + "}", steps);
            const std::string version = "{version: physical/1}";
            return simulated(design.replace(design.find(version), version.size(), "{name: links}")).finish.ps;
        };
        QCOMPARE(finish("shortest"), 2'800'000); // Waits 800 ns for the first spine.
        QCOMPARE(finish("least_queued"), 2'000'000);
        QCOMPARE(finish("adaptive"), 2'000'000);
    }

    void queuesDecideAsTheLoadAsks()
    {
        // Dragonfly 2,4,2 at 12.5 GB/s. Every NPU to its place in the next group: straight, 8 flows share a cable; by groups every NPU may send 7/16 of its rate. All to all,
        // straight, a cable between groups carries 64/71 and a link inside of one 68/71 of what an NPU sends; by groups twice as much.
        const auto timeOf = [](const std::string& policy, const std::string& work) {
            return simulated("fabricscope: 1\nplatform: {topology: \"npu / dragonfly 2,4,2 100G\"}\nnetwork: {routing: {policy: " + policy + "}}\nworkload: " + work).finish.ps;
        };
        constexpr int kMessages = 16;
        std::string next = "\n  steps:\n";
        for (const bool sends : {true, false}) {
            for (int number = 0; number < 72 * kMessages; ++number) {
                const int npu = number % 72;
                next += sends ? "    - {send: 256 KiB, to: " + std::to_string((npu + 8) % 72) : "    - {receive: 256 KiB, from: " + std::to_string((npu + 64) % 72);
                next += ", ranks: " + std::to_string(npu) + "}\n";
            }
        }
        const std::int64_t own = std::int64_t{kMessages} * 262144 * 80; // On the link of an NPU: 80 ps a byte.
        const std::int64_t straight = timeOf("shortest", next);
        const std::int64_t byGroups = timeOf("valiant", next);
        const std::int64_t queued = timeOf("adaptive", next);
        QVERIFY(straight >= 8 * own && byGroups * 7 >= 16 * own);
        QVERIFY2(queued * 10 <= byGroups * 14 && queued * 10 <= straight * 6, std::to_string(queued).c_str());
        const std::string all = "{collective: all_to_all, size: 36 MiB}\n";
        const std::int64_t straightAll = timeOf("shortest", all);
        const std::int64_t byGroupsAll = timeOf("valiant", all);
        const std::int64_t queuedAll = timeOf("adaptive", all);
        QVERIFY(byGroupsAll * 10 >= straightAll * 15);
        QVERIFY2(queuedAll * 10 <= straightAll * 13, std::to_string(queuedAll).c_str());
    }

    void valiantInsideOneGroupAndOfTwoGroups()
    {
        // Inside of a group by any other one; of two groups there is none between them.
        GeneratedWays made("npu / dragonfly 1,2,1", RoutePolicy::Valiant);
        std::set<NodeId> met;
        for (std::uint64_t m = 0; m < 40; ++m) {
            const auto way = made.way(0, 1, 0, m);
            for (const LinkId link : way) {
                if (made.graph->to(link) >= 6)
                    met.insert((made.graph->to(link) - 6) / 2);
            }
        }
        QCOMPARE(met, (std::set<NodeId>{0, 1, 2}));
        GeneratedWays two("npu / dragonfly 2,2,1 groups 2", RoutePolicy::Valiant);
        for (std::uint64_t m = 0; m < 10; ++m)
            QVERIFY(two.way(0, 7, 0, m).size() <= 5U);
        // Dragonfly+: leaf to spine to the other group, and from there over a leaf to the spine of the next cable.
        GeneratedWays plus("npu / dragonfly_plus 2,2,2,2 groups 5", RoutePolicy::Valiant);
        for (std::uint64_t m = 0; m < 60; ++m) {
            const auto way = plus.way(0, 19, 0, m);
            QVERIFY(!way.empty());
            QCOMPARE(plus.graph->to(way.back()), 19);
            QVERIFY(way.size() <= 8U);
        }
    }

    void groupsWithoutTheirCableAreLeftOut()
    {
        // 3 groups with one cable between each two: NPU 0 and 1 of group 0, 2 and 3 of group 1; the cable of group 0 to group 2 is down.
        GeneratedWays made("npu / dragonfly 1,2,1", RoutePolicy::Valiant);
        QCOMPARE(made.way(0, 2).size(), std::size_t{7}); // 2 to and from NPUs, 2 cables between groups, and a link inside of each of the 3 groups.
        std::vector<LinkId> globals;
        for (LinkId link = 0; link < made.graph->linkCount(); ++link) {
            const NodeId a = made.graph->from(link) - 6;
            const NodeId b = made.graph->to(link) - 6;
            if (a >= 0 && b >= 0 && a / 2 == 0 && b / 2 == 2)
                globals.push_back(link);
        }
        QCOMPARE(globals.size(), std::size_t{1});
        made.router.setDown(globals[0], true);
        const auto way = made.way(0, 2);
        QCOMPARE(made.graph->to(way.back()), 2);
        QVERIFY(std::find(way.begin(), way.end(), globals[0]) == way.end());
        QVERIFY(way.size() <= 4U);
    }

    void rails()
    {
        // All NPUs of a unit to all of other hosts: of R rails R-1 are others, which lie behind a spine unless the host hands on.
        for (const auto& [line, rails, hosts] : {std::tuple{"Switch(4, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine", 4, 4}, {"Ring(3, 450 GB/s, 1 us) x3 / rails 64p 400G x2 / spine", 3, 3}}) {
            for (const auto& [policy, other] : {std::pair{RoutePolicy::Shortest, rails - 1}, {RoutePolicy::RailAware, 0}}) {
                GeneratedWays made(line, policy);
                const NodeId unit = rails * hosts;
                int pairs = 0;
                int spines = 0;
                for (NodeId from = 0; from < unit; ++from) {
                    for (NodeId to = 0; to < unit; ++to) {
                        if (from / rails == to / rails)
                            continue;
                        const auto way = made.way(from, to);
                        QCOMPARE(made.graph->to(way.back()), to);
                        ++pairs;
                        spines += made.crosses(way, "spine") ? 1 : 0;
                        if (policy == RoutePolicy::RailAware && from % rails != to % rails) {
                            const auto over = made.nodes(from, to);
                            QVERIFY(std::find(over.begin(), over.end(), from / rails * rails + to % rails) != over.end());
                        }
                    }
                }
                QCOMPARE(spines * rails, pairs * other);
            }
        }
    }

    void railsOfFourUnits()
    {
        // 4 units of 32 hosts: 96 of the 127 other hosts lie behind a spine. From the NPUs of one host; all are alike.
        GeneratedWays made("hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1", RoutePolicy::RailAware);
        QCOMPARE(made.platform.npuCount(), 1024);
        std::map<LinkId, int> up;
        int spines = 0;
        for (NodeId from = 0; from < 8; ++from) {
            for (NodeId to = 8; to < 1024; ++to) {
                const auto way = made.way(from, to);
                spines += made.crosses(way, "spine") ? 1 : 0;
                QCOMPARE(way.size(), std::size_t{(from % 8 == to % 8 ? 0U : 2U) + (to < 256 ? 2U : 4U)});
            }
        }
        QCOMPARE(spines * 127, 8 * 8 * 127 * 96);
    }

    /// The same pods without their generator, and with the NPUs of every second host of a unit the other way round: rails are found by what is nearest.
    void railsOfNodesAndLinksAreFound()
    {
        for (const auto& [line, hosts] : {std::pair{"Switch(4, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine", 4}, {"Switch(2, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine 2:1", 4}, {"Ring(3, 450 GB/s, 1 us) x3 / rails 64p 400G x2 / spine", 3}}) {
            GeneratedWays made(line, RoutePolicy::RailAware);
            PlatformSpec spec = GeneratedWays::specOf(line);
            spec.generated = {};
            const Platform written = Platform::create(spec).value();
            const std::optional<Rails> rails = findRails(written);
            QVERIFY(rails);
            RoutingRules rules = GeneratedWays::rulesOf(RoutePolicy::RailAware, {});
            rules.rails = std::make_shared<const Rails>(*rails);
            Router router(written, rules, makeFabricGraph(written), 7);
            for (NodeId from = 0; from < written.npuCount(); ++from) {
                for (NodeId to = 0; to < written.npuCount(); ++to) {
                    std::vector<LinkId> way;
                    QVERIFY(router.route(from, to, 3, way) && way == made.way(from, to, 3));
                }
            }
            // Rail r of a host whose NPUs are numbered the other way round.
            const std::int32_t count = rails->count;
            const auto renumbered = [&, hosts = hosts](NodeId node) { return node < written.npuCount() && node / count % hosts % 2 == 1 ? node / count * count + count - 1 - node % count : node; };
            std::vector<ExplicitLink> links(spec.links.begin(), spec.links.end());
            for (ExplicitLink& link : links) {
                link.from = renumbered(link.from);
                link.to = renumbered(link.to);
            }
            spec.links = LinkList(links);
            const std::optional<Rails> turned = findRails(Platform::create(spec).value());
            QVERIFY(turned);
            for (NodeId npu = 0; npu < written.npuCount(); ++npu)
                QCOMPARE(turned->railOf(renumbered(npu)), npu % count);
        }
        // Times too; and where no NPU of another host is nearer than another, the policy says that it cannot.
        const std::string line = "Switch(4, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine 2:1";
        const auto timeOf = [&](bool generated, const std::string& policy) {
            const std::string network = "network: {routing: {policy: " + policy + "}}\nworkload: {collective: all_to_all, size: 1 MiB}\n";
            auto design = readDesignText("fabricscope: 1\nplatform: {topology: \"" + line + "\"}\n" + network, "test.yaml").value().design;
            if (!generated) {
                PlatformSpec written = GeneratedWays::specOf(line);
                written.generated = {};
                design.platform = std::make_shared<const PlatformSpec>(std::move(written));
            }
            const auto scenario = prepare(design);
            return simulate(*scenario.value(), {}).value().finish.ps;
        };
        QCOMPARE(timeOf(false, "rail_aware"), timeOf(true, "rail_aware"));
        QVERIFY(timeOf(true, "balanced") != timeOf(true, "rail_aware"));
        const std::string leaves = problemsOf("fabricscope: 1\nplatform: {topology: \"npu / leaf_spine 4,4,4,4\"}\nnetwork: {routing: {policy: rail_aware}}\n");
        QVERIFY2(leaves.find("no faster links join hosts of equal size") != std::string::npos, leaves.c_str());
        const std::string below = problemsOf("fabricscope: 1\nplatform: {topology: \"Switch(4, 450 GB/s, 1 us) x4 / leaf 64p 400G\"}\nnetwork: {routing: {policy: rail_aware}}\n");
        QVERIFY2(below.find("no faster links join hosts of equal size") != std::string::npos, below.c_str());
    }

    void railsChangeWhereTheyCan()
    {
        GeneratedWays made("Switch(2, 450 GB/s, 1 us) x2 / rails 64p 400G x2 / spine", RoutePolicy::RailAware);
        // NPUs of host 0: 0, 1; of host 1: 2, 3. From rail 0 of host 0 to rail 1 of host 1 over NPU 1.
        const auto over = [&](NodeId npu) {
            const auto nodes = made.nodes(0, 3);
            return std::find(nodes.begin(), nodes.end(), npu) != nodes.end();
        };
        QVERIFY(over(1) && !over(2));
        made.setDown("unit0.host0.gpu1", "unit0.leaf1", true);
        QVERIFY(!over(1) && over(2));
        made.setDown("unit0.host1.switch0", "unit0.host1.gpu1", true);
        QVERIFY(!over(1) && !over(2)); // Neither: by a spine.
        QVERIFY(made.crosses(made.way(0, 3), "spine"));
        made.setDown("unit0.host0.gpu1", "unit0.leaf1", false);
        QVERIFY(over(1));
        made.setDown("unit0.host0.gpu0", "unit0.host0.switch0", true);
        QVERIFY(!over(1) && made.crosses(made.way(0, 3), "spine"));
        // The same rail, the same host: nothing to change.
        QCOMPARE(made.nodes(0, 2).size(), std::size_t{2});
        QCOMPARE(made.nodes(1, 0).size(), std::size_t{2});
        // Without cables inside of hosts rails are far from each other.
        GeneratedWays alone("npu / rails 2,2,2,2,2", RoutePolicy::RailAware);
        GeneratedWays shortest("npu / rails 2,2,2,2,2", RoutePolicy::Balanced);
        for (NodeId to = 1; to < 8; ++to)
            QVERIFY(alone.way(0, to) == shortest.way(0, to));
    }

    void whoDoesNotMeetTheFailureKeepsItsWay()
    {
        std::mt19937_64 dice(seeded(41));
        const std::array lines{"npu / fat_tree 4", "npu / dragonfly 2,4,2 groups 5", "npu / hyperx 3x3 npus 2", "npu / torus 4x4", "npu / mesh 3x3", "npu / leaf_spine 4,4,3,6",
                               "Switch(4, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine", "Switch(2, 450 GB/s, 1 us) x3 / rails_only", "npu / expander 8,4,2 seed 1"};
        int met = 0;
        for (int round = 0; round < cases(150); ++round) {
            const char* const line = lines[dice() % lines.size()];
            std::vector<RoutePolicy> policies{RoutePolicy::Shortest, RoutePolicy::Ecmp, RoutePolicy::Balanced, RoutePolicy::Spray, RoutePolicy::UpDown, RoutePolicy::Valiant, RoutePolicy::RailAware};
            if (!DeclaredNodes::of(GeneratedWays::specOf(line)).sizes.empty())
                policies.push_back(RoutePolicy::DimensionOrder);
            GeneratedWays made(line, policies[dice() % policies.size()], {}, dice());
            const NodeId npus = made.platform.npuCount();
            std::map<std::tuple<NodeId, NodeId, std::uint64_t>, std::vector<LinkId>> before;
            for (int flow = 0; flow < 60; ++flow) {
                const auto from = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(npus));
                const auto to = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(npus));
                const std::uint64_t number = dice() % 5;
                before[{from, to, number}] = made.way(from, to, number, number);
            }
            // One after the other fails; ways are those of before as long as they are whole.
            std::set<LinkId> down;
            for (int failures = 0; failures < 3; ++failures) {
                const auto link = static_cast<LinkId>(dice() % static_cast<std::uint64_t>(made.graph->linkCount()));
                down.insert(link);
                made.router.setDown(link, true);
                for (const auto& [flow, old] : before) {
                    const auto& [from, to, number] = flow;
                    const auto now = made.way(from, to, number, number);
                    const bool whole = std::none_of(old.begin(), old.end(), [&](LinkId l) { return down.contains(l); });
                    QVERIFY2(!whole || now == old, line);
                    met += whole ? 0 : 1;
                    for (const LinkId l : now)
                        QVERIFY(!down.contains(l));
                }
            }
        }
        QVERIFY(met > 0);
    }

    void designsSayThem()
    {
        const std::string steps = "workload: {steps: [{collective: all_to_all, size: 1 MiB}]}\n";
        const auto design = [&](const std::string& platform, const std::string& routing) { return "fabricscope: 1\nplatform: {" + platform + "}\n" + steps + "network: {routing: " + routing + "}\n"; };
        const auto goes = [&](const std::string& yaml) {
            const Scenario scenario = scenarioOf(yaml);
            const auto& list = scenario.params->list;
            const auto entry = std::find_if(list.begin(), list.end(), [](const auto& each) { return each.name == "routing"; });
            return simulated(yaml).finish.ps > 0 && entry != list.end() ? entry->value : std::string();
        };
        QCOMPARE(goes(design("topology: npu / fat_tree 4 400G", "{policy: least_queued}")), std::string("least queued, per piece"));
        QCOMPARE(goes(design("topology: npu / fat_tree 4 400G", "{policy: adaptive}")), std::string("adaptive (UGAL), per piece"));
        QCOMPARE(goes(design("topology: npu / hyperx 3x2 npus 2 400G", "{policy: dimension_order, order: [1, 0]}")), std::string("dimension order"));
        QCOMPARE(goes(design("topology: \"Switch(4, 450 GB/s, 1 us) x4 / rails 64p 400G x2 / spine\"", "{policy: rail_aware}")), std::string("rail-aware"));
        QVERIFY(problemsOf(design("topology: npu / hyperx 3x2 npus 2 400G", "{policy: dimension_order, order: [0]}")).find("every number from 0 to 1 once") != std::string::npos);
        QVERIFY(problemsOf(design("topology: npu / fat_tree 4 400G", "{policy: dimension_order}")).find("unless it was generated as a ring, mesh, torus") != std::string::npos);
        QVERIFY(problemsOf(design("topology: npu / fat_tree 4 400G", "{policy: rail_aware}")).find("was not generated as rails") != std::string::npos);
        QVERIFY(problemsOf(design("topology: \"Ring(4)\", bandwidth: 50 GB/s, latency: 1 us", "{policy: rail_aware}")).find("was not generated as rails") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestRoutingDeclared)
#include "tst_routing_declared.moc"
