#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A random connected graph: `npus` NPUs, some switches, single and parallel links.
PlatformSpec randomGraph(std::mt19937_64& dice, std::int32_t npus)
{
    PlatformSpec spec;
    const auto switches = static_cast<std::int32_t>(2 + dice() % 5);
    for (std::int32_t i = 0; i < npus + switches; ++i)
        spec.nodes.push_back({(i < npus ? "n" : "s") + std::to_string(i), i < npus ? NodeKind::Npu : NodeKind::Switch});
    const auto join = [&](NodeId a, NodeId b) {
        spec.links.push_back({a, b, {1, "GB/s", Measure::Bandwidth}, {100, "ns", Measure::Time}});
        spec.links.push_back({b, a, {1, "GB/s", Measure::Bandwidth}, {100, "ns", Measure::Time}});
    };
    for (NodeId node = 1; node < npus + switches; ++node)
        join(node, static_cast<NodeId>(dice() % static_cast<std::uint64_t>(node)));
    for (std::uint64_t more = dice() % 12; more > 0; --more) {
        const auto a = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(npus + switches));
        const auto b = static_cast<NodeId>(dice() % static_cast<std::uint64_t>(npus + switches));
        if (a != b)
            join(a, b);
    }
    return spec;
}

/// Links between two nodes by trying all, Floyd and Warshall's way.
std::vector<std::vector<int>> allDistances(const PlatformSpec& spec)
{
    const std::size_t n = spec.nodes.size();
    std::vector<std::vector<int>> far(n, std::vector<int>(n, 1000));
    for (std::size_t i = 0; i < n; ++i)
        far[i][i] = 0;
    for (const ExplicitLink& link : spec.links)
        far[static_cast<std::size_t>(link.from)][static_cast<std::size_t>(link.to)] = 1;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                far[i][j] = std::min(far[i][j], far[i][k] + far[k][j]);
    return far;
}

std::set<std::string> usedLinks(const Scenario& scenario, const LinksRun& run)
{
    std::set<std::string> names;
    for (const auto& [name, bytes] : bytesByLink(scenario, run))
        names.insert(name);
    return names;
}

const std::string kOneMessage = "{send: 1 MiB, to: 1, ranks: 0}, {receive: 1 MiB, from: 0, ranks: 1}";
const std::string kDiamond = "gpu0-s0 gpu0-s1 s0-gpu1 s1-gpu1";

} // namespace

class TestRouting : public QObject {
    Q_OBJECT

private slots:
    void ecmpDrawsAmongAllShortestWaysAndNoOthers()
    {
        std::mt19937_64 dice(seeded(7));
        for (int round = 0; round < cases(1000); ++round) {
            const std::int32_t npus = 4;
            PlatformSpec spec = randomGraph(dice, npus);
            const auto far = allDistances(spec);
            const auto platform = Platform::create(spec);
            QVERIFY(platform);
            RoutingRules rules;
            rules.policy = RoutePolicy::Ecmp;
            const auto graph = makeFabricGraph(platform.value());
            Router router(platform.value(), rules, graph, 42);
            for (NodeId from = 0; from < npus; ++from) {
                const NodeId to = (from + 1) % npus;
                const int shortest = far[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
                std::set<LinkId> used;
                for (std::uint64_t flow = 0; flow < 200; ++flow) {
                    std::vector<LinkId> links;
                    QVERIFY(router.route(from, to, flow, links));
                    QCOMPARE(static_cast<int>(links.size()), shortest);
                    NodeId at = from;
                    for (const LinkId link : links) {
                        QCOMPARE(spec.links[static_cast<std::size_t>(link)].from, at);
                        at = spec.links[static_cast<std::size_t>(link)].to;
                        used.insert(link);
                    }
                    QCOMPARE(at, to);
                    std::vector<LinkId> again;
                    QVERIFY(router.route(from, to, flow, again));
                    QVERIFY(again == links);
                }
                // Every link that lies on some shortest way is drawn sooner or later, unless many others share its place.
                std::size_t possible = 0;
                for (const ExplicitLink& link : spec.links) {
                    const auto distance = [&](NodeId a, NodeId b) { return far[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; };
                    possible += distance(from, link.from) + 1 + distance(link.to, to) == shortest ? 1 : 0;
                }
                QVERIFY(used.size() <= possible);
                if (possible <= 8)
                    QCOMPARE(used.size(), possible);
            }
        }
    }

    void theSeedDecidesTheWays()
    {
        std::string steps;
        for (int i = 0; i < 32; ++i)
            steps += std::string(i > 0 ? ", " : "") + "{send: 64 KiB, to: 1, tag: " + std::to_string(i) + ", ranks: 0, after: []}, {receive: 64 KiB, from: 0, tag: " + std::to_string(i) + ", ranks: 1, after: []}";
        const Scenario scenario = scenarioOf(graphDesign(kDiamond, "routing: {policy: ecmp, per: message}, seed: 3", steps));
        const LinksRun run = runNetwork(scenario);
        const auto used = bytesByLink(scenario, run);
        QCOMPARE(used.at("gpu0>s0") + used.at("gpu0>s1"), std::int64_t{32} * 65536);
        QVERIFY(used.at("gpu0>s0") >= 8 * 65536 && used.at("gpu0>s1") >= 8 * 65536); // Fewer than 8 of 32 heads: 0.2 %.
        QVERIFY(runNetwork(scenario).record.messages.value() == run.record.messages.value());
        QVERIFY(runNetwork(scenario, 3).record.messages.value() == run.record.messages.value());
        std::set<std::string> results;
        for (std::uint64_t seed = 1; seed <= 8; ++seed)
            results.insert(runNetwork(scenario, seed).record.messages.value().hex());
        QVERIFY(results.size() > 4);
        // By stream: one way for all messages of a pair.
        const Scenario streams = scenarioOf(graphDesign(kDiamond, "routing: {policy: ecmp}, seed: 3", steps));
        QCOMPARE(usedLinks(streams, runNetwork(streams)).size(), std::size_t{2});
    }

    void ofParallelLinksShortestTakesTheFirstAndEcmpAll()
    {
        std::string steps;
        for (int i = 0; i < 16; ++i)
            steps += std::string(i > 0 ? ", " : "") + "{send: 64 KiB, to: 1, tag: " + std::to_string(i) + ", ranks: 0, after: []}, {receive: 64 KiB, from: 0, tag: " + std::to_string(i) + ", ranks: 1, after: []}";
        const std::string pair = "gpu0-gpu1 gpu0-gpu1 gpu0-gpu1";
        const Scenario first = scenarioOf(graphDesign(pair, "", steps));
        QVERIFY(usedLinks(first, runNetwork(first)) == std::set<std::string>{"gpu0>gpu1"});
        const Scenario all = scenarioOf(graphDesign(pair, "routing: {policy: ecmp, per: message}", steps));
        QVERIFY((usedLinks(all, runNetwork(all)) == std::set<std::string>{"gpu0>gpu1", "gpu0>gpu1#2", "gpu0>gpu1#3"}));
    }

    void tablesAreFollowed()
    {
        const auto used = [](const std::string& routing) {
            const Scenario scenario = scenarioOf(graphDesign(kDiamond + " s0-s1", "routing: {policy: table, " + routing + "}", kOneMessage));
            return usedLinks(scenario, runNetwork(scenario));
        };
        using Set = std::set<std::string>;
        QVERIFY((used("routes: [{from: gpu0, to: gpu1, via: [s1]}]") == Set{"gpu0>s1", "s1>gpu1"}));
        QVERIFY((used("routes: [{from: gpu0, to: gpu1, via: [s1, s0]}]") == Set{"gpu0>s1", "s1>s0", "s0>gpu1"}));
        QVERIFY((used("routes: [{from: gpu0, to: gpu1, links: [gpu0>s0, s0>s1, s1>gpu1]}]") == Set{"gpu0>s0", "s0>s1", "s1>gpu1"}));
        QVERIFY((used("next_hops: [{to: gpu1, link: gpu0>s1}]") == Set{"gpu0>s1", "s1>gpu1"}));
        QVERIFY((used("next_hops: [{to: gpu1, link: gpu0>s1}, {to: gpu1, link: s1>s0}]") == Set{"gpu0>s1", "s1>s0", "s0>gpu1"}));
        // The other direction is not listed: the shortest way, first listed.
        QVERIFY((used("next_hops: [{to: gpu0, link: gpu1>s1}]") == Set{"gpu0>s0", "s0>gpu1"}));
    }

    void tablesThatLeadNowhereAreRefused()
    {
        const auto says = [](const std::string& routing, const std::string& text) {
            const std::string found = problemsOf(graphDesign(kDiamond + " s0-s1", "routing: {" + routing + "}", kOneMessage));
            return found.find(text) != std::string::npos && found.find("test.yaml:") != std::string::npos;
        };
        QVERIFY(says("policy: table, next_hops: [{to: gpu1, link: s0>s1}, {to: gpu1, link: s1>s0}]", "goes in a circle"));
        QVERIFY(says("policy: table, routes: [{from: gpu0, to: gpu1, links: [gpu0>s0]}]", "does not end there"));
        QVERIFY(says("policy: table, routes: [{from: gpu0, to: gpu1, links: [gpu0>s0, s1>gpu1]}]", "does not begin where"));
        QVERIFY(says("policy: table, routes: [{from: gpu0, to: gpu1, via: [s7]}]", "there is no node \"s7\""));
        QVERIFY(says("policy: table, routes: [{from: gpu0, to: gpu1, via: [gpu1]}]", "there is no link to \"gpu1\""));
        QVERIFY(says("policy: table, routes: [{from: gpu0, to: gpu1, via: [s0]}, {from: gpu0, to: gpu1, via: [s1]}]", "a second way"));
        QVERIFY(says("policy: dimension_order", "no dimensions"));
        QVERIFY(says("policy: shortest, per: message", "only the policy ecmp"));
        QVERIFY(says("policy: fastest", "unknown value"));
    }

    void dimensionsAreCrossedInTheChosenOrder()
    {
        const auto used = [](const std::string& order) {
            const std::string yaml = "fabricscope: 1\nplatform:\n  dimensions:\n"
                                     "    - {shape: ring, size: 3, bandwidth: 1 GB/s, latency: 100 ns}\n"
                                     "    - {shape: switch, size: 2, bandwidth: 1 GB/s, latency: 100 ns}\n"
                                     "workload: {steps: [{send: 1 KiB, to: 4, ranks: 0}, {receive: 1 KiB, from: 0, ranks: 4}]}\n"
                                     "network: {routing: {policy: dimension_order" + order + "}}\n";
            const Scenario scenario = scenarioOf(yaml);
            return usedLinks(scenario, runNetwork(scenario));
        };
        using Set = std::set<std::string>;
        QVERIFY((used("") == Set{"d0 0>1", "d1 1>switch", "d1 switch>4"}));
        QVERIFY((used(", order: [0, 1]") == Set{"d0 0>1", "d1 1>switch", "d1 switch>4"}));
        QVERIFY((used(", order: [1, 0]") == Set{"d0 3>4", "d1 0>switch", "d1 switch>3"}));
    }

    void waysAroundFailedLinksOfDimensionsAreShortest()
    {
        // A torus as a graph: with every link up, the router's distances are the sums over the dimensions.
        PlatformSpec spec;
        for (const auto& [shape, size] : {std::pair{Shape::Ring, 4}, {Shape::FullyConnected, 3}, {Shape::Switch, 2}})
            spec.dimensions.push_back({shape, size, {1, "GB/s", Measure::Bandwidth}, false, {100, "ns", Measure::Time}});
        const auto platform = Platform::create(spec);
        QVERIFY(platform);
        RoutingRules ecmp;
        ecmp.policy = RoutePolicy::Ecmp;
        const auto graph = makeFabricGraph(platform.value());
        QCOMPARE(graph->linkCount(), platform.value().linkCount());
        QCOMPARE(graph->nodeCount(), 24 + 12);
        Router router(platform.value(), ecmp, graph, 0);
        for (NodeId from = 0; from < 24; ++from) {
            for (NodeId to = 0; to < 24; ++to) {
                const int ring = std::abs(from % 4 - to % 4);
                const int expected = std::min(ring, 4 - ring) + (from / 4 % 3 != to / 4 % 3 ? 1 : 0) + (from / 12 != to / 12 ? 2 : 0);
                std::vector<LinkId> links;
                QVERIFY(router.route(from, to, 5, links));
                QCOMPARE(static_cast<int>(links.size()), expected);
            }
        }
        // 0 to 1 with the direct link down: round the ring of four, or over a neighbour in another dimension: three links.
        const RoutingRules usual;
        Router around(platform.value(), usual, graph, 0);
        const LinkId direct = *platform.value().ringLink(0, 0, RingDirection::Plus);
        around.setDown(direct, true);
        std::vector<LinkId> links;
        QVERIFY(around.route(0, 1, 0, links));
        QCOMPARE(links.size(), std::size_t{3});
        around.setDown(direct, false);
        links.clear();
        QVERIFY(around.route(0, 1, 0, links));
        QVERIFY(links == std::vector<LinkId>{direct});
    }

    void ecmpKeepsEveryMessage()
    {
        for (const std::uint64_t seed : Seeds(0, 1000)) {
            const Scenario plain = smallOpenCase(seed);
            NetworkParams network;
            network.seed = seed;
            network.routing = RoutingRules{};
            network.routing->policy = RoutePolicy::Ecmp;
            network.routing->perMessage = seed % 2 == 0;
            const LinksRun before = runNetwork(plain);
            const Scenario scenario = withNetwork(plain, network);
            const LinksRun run = runNetwork(scenario);
            QVERIFY(run.record.complete == before.record.complete);
            QCOMPARE(run.messages.size(), before.messages.size());
            // Ways are as short as before; dimension order is a shortest way too.
            QCOMPARE(bytesOfLinks(run), bytesOfLinks(before));
        }
    }

    void anEmptySectionIsNoSection()
    {
        const std::string plain = graphDesign(kDiamond, "", kOneMessage);
        for (const char* section : {"network: {}\n", "network: {seed: 0}\n", "network: {routing: {policy: shortest}}\n", "network: {faults: [], protocols: []}\n"}) {
            const Scenario scenario = scenarioOf(plain + section);
            QVERIFY(!scenario.params->network);
            QVERIFY(runNetwork(scenario).record.messages.value() == runNetwork(scenarioOf(plain)).record.messages.value());
        }
        const auto hash = [&](const std::string& section) { return designHash(readDesignText(plain + section, "test.yaml").value().design).hex(); };
        QCOMPARE(hash("network: {}\n"), hash(""));
        QVERIFY(hash("network: {seed: 1}\n") != hash(""));
    }

    void designsAreWrittenAsTheyWereRead()
    {
        const std::string section = "network:\n  seed: 9\n  routing: {policy: table, routes: [{from: gpu0, to: gpu1, via: [s1]}], next_hops: [{to: gpu0, link: gpu1>s1}]}\n"
                                    "  protocols:\n    - {preset: LL, max_size: 64 KiB}\n    - {latency: 2 us, efficiency: 120/128, slots: 8, slot_size: 64 KiB, transfer: get, handshake: true, control_size: 128 B}\n"
                                    "  faults:\n    - {link: gpu0>s0, at: 1 us, until: 2 us, failed: true}\n    - {npu: 1, at: 1 us, factor: 1/2}\n    - {link: gpu0>s0, at: 5 us, bandwidth: 2 GB/s}\n"
                                    "  jitter: {compute: {distribution: normal, deviation: 0.05}, latency: {distribution: exponential, deviation: 0.25}}\n";
        const auto first = readDesignText(graphDesign(kDiamond, "", kOneMessage) + section, "test.yaml");
        QVERIFY2(first, first ? "" : first.error().text().c_str());
        const std::string written = writeDesign(first.value().design);
        const auto second = readDesignText(written, "test.yaml");
        QVERIFY2(second, second ? "" : second.error().text().c_str());
        QVERIFY(*first.value().design.network == *second.value().design.network);
        QCOMPARE(designHash(first.value().design).hex(), designHash(second.value().design).hex());
    }
};

FABRICSCOPE_TEST(TestRouting)
#include "tst_routing.moc"
