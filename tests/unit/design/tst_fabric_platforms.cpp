// Generated fabrics as platforms that are simulated: what they consist of against their figures, how messages go, and the section of a design.
#include "tests/unit/support/cases/networkcase.h" // first: its WideCount is local, that of fabrics is not

#include "core/base/index.h"
#include "core/design/fabricdesign.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/router.h"
#include "core/platform/topologytext.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// One small fabric of every family, and hosts of several kinds.
constexpr std::array kLines{
    "npu / ring 8", "npu / ring 2 parallel 2", "npu / torus 4x3x2 50GB/s 1us", "npu / torus 4x4 wrap 1,0", "npu / mesh 4x3", "npu / hypercube 4", "npu / full 6", "npu / switch 7", "npu x8 / switch planes 4",
    "npu / leaf_spine 4,4,2,2", "npu / leaf_spine 4,4,3,4", "npu x16 / leaf 24p 400G x8 / spine 2:1", "npu / clos m 4,4,2 w 1,2,2", "npu / fat_tree 4", "npu / rails 2,2,2,2,2", "hgx-h100-8 x4 / rails 64p 400G x2 / spine 2:1",
    "hgx-h100-8 x4 / leaf 400G x2 / spine up 4 switches 2", "dgx-1v x2 / rails 100G x2 / spine up 2 switches 2", "Switch(4, 450 GB/s, 1 us) x4 / rails_only", "Ring(4, 450 GB/s, 1 us) x3 / rails_only", "npu / dragonfly 2,4,2 groups 3", "npu / dragonfly_plus 2,2,2,2 groups 3",
    "npu / hyperx 3x3 npus 3", "npu / expander 16,4,2 seed 1", "npu / slim_fly 3", "npu / tpu_v4 4x4x4", "npu / twisted_torus 3x3x6", "npu / cube_mesh", "npu / nvl72",
    "Switch(2, 450 GB/s, 1 us) x2 / rails 8p 400G x2 / spine 8p x2 / core 8p"};

Result<PlatformSpec> specOf(const std::string& line, FabricWriting writing)
{
    const auto fabric = fabricOf(line);
    return fabric ? platformOfFabric(fabric.value(), writing) : fabric.error();
}

/// Links between all NPUs, by the shortest routes of the platform where NPUs pass on to NPUs only (all NPUs where that leaves no way).
struct Lengths {
    std::int64_t most = 0;
    std::int64_t sum = 0;
};

Lengths lengthsOf(const Platform& platform)
{
    Lengths out;
    RoutingRules rules;
    rules.version = 2;
    Router router(platform, rules, makeFabricGraph(platform), 0);
    for (NodeId from = 0; from < platform.npuCount(); ++from) {
        for (NodeId to = 0; to < platform.npuCount(); ++to) {
            std::vector<LinkId> links;
            router.route(from, to, RouteFlow{}, links);
            out.most = std::max(out.most, static_cast<std::int64_t>(links.size()));
            out.sum += static_cast<std::int64_t>(links.size());
        }
    }
    return out;
}

/// A platform section as a design with a collective; `more`: other sections.
std::string designOf(const std::string& platform, const std::string& workload = "{collective: all_reduce, size: 1 MiB}", const std::string& more = {})
{
    return "fabricscope: 1\nplatform: " + platform + "\nworkload: " + workload + '\n' + more;
}

const char* const kBalanced = "network: {routing: {policy: balanced}}\n";

std::string firstErrorOf(const std::string& yaml)
{
    const auto loaded = readDesignText(yaml, "made.yaml");
    return loaded ? std::string() : loaded.error().text();
}

} // namespace

class TestFabricPlatforms : public QObject {
    Q_OBJECT

private slots:
    /// Routes of dimensions cross NPUs: from one of 4 x 2 they are 0, 1, 2, 1 links along the ring and 0 or 2 through a switch, 16 in all.
    void figuresOfDimensionsGoAsTheirRoutes()
    {
        const auto spec = parseTopologyText("Ring(4, 450 GB/s, 1 us)_Switch(2, 50 GB/s, 1 us)", {}, {});
        QVERIFY(spec);
        const auto fabric = fabricOfPlatform(spec.value());
        QVERIFY2(fabric, fabric ? "" : fabric.error().text().c_str());
        const auto figures = fabricFigures(fabric.value());
        QVERIFY(figures && figures.value().diameter);
        QCOMPARE(*figures.value().diameter, 4);
        QCOMPARE(textOf(figures.value().mean), QStringLiteral("16/7"));
    }

    void lines_data()
    {
        QTest::addColumn<QString>("line");
        for (const char* const line : kLines)
            QTest::newRow(line) << QString::fromUtf8(line);
    }

    /// What is counted on the graph, node by node and way by way, is what arithmetic says of the line.
    void platformsHaveTheFiguresOfTheirLines_data() { lines_data(); }
    void platformsHaveTheFiguresOfTheirLines()
    {
        QFETCH(const QString, line);
        const Fabric fabric = fabricOf(line.toStdString()).value();
        const FabricFigures figures = fabricFigures(fabric).value();
        const auto spec = specOf(line.toStdString(), FabricWriting::Nodes);
        QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
        const auto created = Platform::create(spec.value());
        QVERIFY2(created, created ? "" : created.error().text().c_str());
        const Platform& platform = created.value();
        QCOMPARE(std::int64_t{platform.npuCount()}, fabric.npus());
        QCOMPARE(platform.linkCount(), 2 * fabric.cableCount());
        std::vector<std::int64_t> ports(spec.value().nodes.size());
        for (const ExplicitLink& link : spec.value().links)
            ++ports[at(link.from)];
        std::size_t node = static_cast<std::size_t>(fabric.npus());
        for (const FabricTier& tier : fabric.tiers()) {
            std::int64_t most = 0;
            for (std::int64_t i = 0; i < tier.count; ++i, ++node) {
                QVERIFY(spec.value().nodes[node].kind == NodeKind::Switch);
                most = std::max(most, ports[node]);
            }
            QCOMPARE(most, tier.ports);
        }
        QCOMPARE(node, spec.value().nodes.size());
        std::set<std::string> names;
        for (const ExplicitNode& one : spec.value().nodes)
            names.insert(one.name);
        QCOMPARE(names.size(), spec.value().nodes.size());
        const Lengths lengths = lengthsOf(platform);
        QCOMPARE(lengths.most, figures.diameter.value());
        QCOMPARE(fraction(lengths.sum, fabric.npus() * (fabric.npus() - 1)), figures.mean.value());
        // The shorter way to write it is the same machine.
        const Platform shortest = Platform::create(specOf(line.toStdString(), FabricWriting::Shortest).value()).value();
        QCOMPARE(shortest.npuCount(), platform.npuCount());
        QCOMPARE(lengthsOf(shortest).sum, lengths.sum);
    }

    void linksOfANodeStandInTheOrderOfItsPorts_data() { lines_data(); }
    void linksOfANodeStandInTheOrderOfItsPorts()
    {
        QFETCH(const QString, line);
        const Fabric fabric = fabricOf(line.toStdString()).value();
        const PlatformSpec spec = specOf(line.toStdString(), FabricWriting::Nodes).value();
        std::map<PortRef, std::pair<NodeId, std::int64_t>> far; // by port: the node at the other end, and the rate
        for (const FabricCable& cable : fabric.cables()) {
            far[cable.lower] = {cable.upper.node, toBandwidth(fabric.bandwidth(cable)).bytesPerSecond};
            far[cable.upper] = {cable.lower.node, toBandwidth(fabric.bandwidth(cable)).bytesPerSecond};
        }
        QCOMPARE(far.size(), spec.links.size());
        auto port = far.begin();
        for (const ExplicitLink& link : spec.links) {
            QCOMPARE(link.from, port->first.node);
            QCOMPARE(link.to, port->second.first);
            QCOMPARE(toBandwidth(link.bandwidth).bytesPerSecond, port->second.second);
            ++port;
        }
    }

    /// In pods and Clos networks no way leads through an NPU, whatever the policy; rails without a network above, rings and cube meshes need them.
    void onlyDirectShapesPassOnThroughNpus()
    {
        for (const auto& [line, through] : {std::pair{"hgx-h100-8 x4 / rails 64p 400G x2 / spine 2:1", false}, {"hgx-h100-8 x4 / leaf 400G x2 / spine up 4 switches 2", false}, {"npu / fat_tree 4", false},
                                            {"npu / nvl72", false}, {"Switch(4, 450 GB/s, 1 us) x4 / rails_only", true}, {"npu / torus 4x4 wrap 1,0", true}, {"npu / cube_mesh", true}}) {
            const Platform platform = Platform::create(specOf(line, FabricWriting::Nodes).value()).value();
            const auto graph = makeFabricGraph(platform);
            bool found = false;
            for (const RoutePolicy policy : {RoutePolicy::Shortest, RoutePolicy::Ecmp, RoutePolicy::Balanced, RoutePolicy::Spray}) {
                RoutingRules rules;
                rules.policy = policy;
                Router router(platform, rules, graph, 1);
                for (NodeId from = 0; from < platform.npuCount(); ++from) {
                    for (NodeId to = 0; to < platform.npuCount(); ++to) {
                        std::vector<LinkId> links;
                        QVERIFY(router.route(from, to, RouteFlow{1, 1}, links));
                        for (const LinkId link : links)
                            found = found || (graph->to(link) != to && graph->to(link) < platform.npuCount());
                    }
                }
            }
            QVERIFY2(found == through, line);
        }
    }

    /// x / B = 67108864 / 50 = 1342177.28 ns, and four links of 500 ns: each of four sends has a spine of its own under `balanced`, the default, all share one under `shortest`.
    void fourSendsAcrossFourSpines()
    {
        std::string steps = "{steps: [";
        for (int i = 0; i < 4; ++i) {
            const std::string number = std::to_string(i);
            steps += (i > 0 ? ", " : "") + ("{send: 64 MiB, ranks: \"" + number + "\", to: " + std::to_string(i + 4)) + "}, {receive: 64 MiB, ranks: \"" + std::to_string(i + 4) + "\", from: " + number + '}';
        }
        steps += "]}";
        for (const char* const fabric : {"{topology: \"npu x4 / leaf 400G 500ns x2 / spine up 4 switches 4\"}",
                                         "{fabric: {of: npu, levels: [{join: switch, name: leaf, count: 4, bandwidth: 400 Gbit/s, latency: 500 ns}, {join: clos, count: 2, up: 4, switches: 4}]}}",
                                         "{fabric: {of: npu, levels: [{join: leaf_spine, leaves: 2, down: 4, spines: 4, up: 4, bandwidth: 400 Gbit/s, latency: 500 ns}]}}"}) {
            QCOMPARE(simulated(designOf(fabric, steps, kBalanced)).finish.ps, 1'342'177'280 + 4 * std::int64_t{500'000});
            QCOMPARE(simulated(designOf(fabric, steps)).finish.ps, 1'342'177'280 + 4 * std::int64_t{500'000});
            QCOMPARE(simulated(designOf(fabric, steps, "network: {routing: {policy: shortest}}\n")).finish.ps, 4 * std::int64_t{1'342'177'280} + 4 * std::int64_t{500'000});
        }
    }

    /// The network of a pod carries what leaves the hosts: bytes of the collective's messages times the links of their ways, whichever of these the policy takes.
    void bytesAreConserved()
    {
        std::int64_t first = 0;
        for (const char* const policy : {"shortest", "balanced", "spray", "ecmp"}) {
            const RunRecord run = simulated(designOf("{topology: \"Switch(2, 450 GB/s, 1 us) x2 / rails 8p 400G x2 / spine 2:1\"}", "{collective: all_to_all, size: 8 MiB}",
                                                     std::string("network: {routing: {policy: ") + policy + "}}\ncollectives: {default: {algorithm: direct}}\n"));
            std::int64_t sum = 0;
            for (const LinkUse& use : run.links)
                sum += use.bytes;
            // Each NPU sends 1 MiB to each of 7: one in the host (2 links), one on its rail in the unit (2), one on another (3 links through a leaf only where ways turn
            // in hosts; here 4 over a spine), one on its rail of the other unit, all others over a spine (4).
            first = first == 0 ? sum : first;
            QCOMPARE(sum, first);
            QCOMPARE(sum, std::int64_t{8} * (2 + 2 + 5 * 4) * (std::int64_t{1} << 20));
        }
    }

    /// Rings, full meshes and switches as dimensions, as a line and as nodes and links: the same finish to the picosecond.
    void threeSpellingsGiveTheSameFinish_data()
    {
        QTest::addColumn<QString>("dimensions");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("algorithm");
        const auto row = [](const char* dimensions, const char* line, const char* algorithm) { QTest::addRow("%s %s", line, algorithm) << QString::fromUtf8(dimensions) << QString::fromUtf8(line) << QString::fromUtf8(algorithm); };
        for (const char* const algorithm : {"ring", "direct", "halving_doubling"}) {
            row("{shape: ring, size: 8,", "npu / ring 8", algorithm);
            row("{shape: fully_connected, size: 8,", "npu / full 8", algorithm);
            row("{shape: switch, size: 8,", "npu / switch 8", algorithm);
        }
        row("{shape: ring, size: 5,", "npu / ring 5", "ring");
        row("{shape: ring, size: 2,", "npu / hypercube 1", "ring");
        row("{shape: switch, size: 12,", "npu / switch 12", "direct");
    }
    void threeSpellingsGiveTheSameFinish()
    {
        QFETCH(const QString, dimensions);
        QFETCH(const QString, line);
        QFETCH(const QString, algorithm);
        const FabricForm form = parseFabricForm(line.toStdString() + " 50GB/s 500ns").value();
        Design nodes = designOfFabric(form, true).value();
        QVERIFY(!nodes.platform->nodes.empty());
        for (const char* const model : {"links", "flow"}) {
            for (const char* const collective : {"all_reduce", "all_gather", "all_to_all"}) {
                if (algorithm == QLatin1String("halving_doubling") && std::string_view(collective) == "all_to_all")
                    continue;
                const std::string workload = std::string("{collective: ") + collective + ", size: 1000003 B}";
                const std::string more = "collectives: {default: {algorithm: " + algorithm.toStdString() + ", chunks: 3}}\nmodel: {name: " + model + "}\n";
                const std::int64_t expected = simulated(designOf("{dimensions: [" + dimensions.toStdString() + " bandwidth: 50 GB/s, latency: 500 ns}]}", workload, more)).finish.ps;
                QVERIFY(expected > 0);
                QCOMPARE(simulated(designOf("{topology: \"" + line.toStdString() + " 50GB/s 500ns\"}", workload, more)).finish.ps, expected);
                const std::string written = writeDesign(nodes);
                const std::size_t begin = written.find("platform:");
                const std::string platform = written.substr(begin, written.find("\nworkload:") - begin);
                // Of the newest rules nodes and links halve what goes half way round a ring; dimensions, and all before, send it by +.
                const std::string old = std::string("collectives: {default: {algorithm: ") + algorithm.toStdString() + ", chunks: 3}}\nmodel: {name: " + model
                    + ", version: " + (std::string_view(model) == "flow" ? "flow/1" : "physical/1") + "}\n";
                QCOMPARE(simulated("fabricscope: 1\n" + platform + "\nworkload: " + workload + '\n' + old).finish.ps, expected);
            }
        }
    }

    /// A design that a line was written to reads as the same platform and is written letter by letter again.
    void designsOfLinesComeBack_data() { lines_data(); }
    void designsOfLinesComeBack()
    {
        QFETCH(const QString, line);
        const FabricForm form = parseFabricForm(line.toStdString()).value();
        for (const bool nodes : {false, true}) {
            const auto design = designOfFabric(form, nodes);
            QVERIFY2(design, design ? "" : design.error().text().c_str());
            const std::string text = writeDesign(design.value());
            const auto loaded = readDesignText(text, "made.yaml");
            QVERIFY2(loaded, loaded ? "" : (loaded.error().text() + '\n' + text).c_str());
            QVERIFY2(*loaded.value().design.platform == *design.value().platform, text.c_str());
            QCOMPARE(QString::fromStdString(writeDesign(loaded.value().design)), QString::fromStdString(text));
            QCOMPARE(text.find("fabric:") != std::string::npos, !nodes);
            QVERIFY(text.find("network:") == std::string::npos); // Graphs are balanced unless a design says how they are not.
            QVERIFY(validate(loaded.value().design).empty());
        }
    }

    void sectionsMeanTheirLines_data()
    {
        QTest::addColumn<QString>("section");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* section, const char* line) { QTest::newRow(line) << QString::fromUtf8(section) << QString::fromUtf8(line); };
        row("{of: hgx-h100-8, levels: [{name: leaf, join: rails, count: 32, radix: 64, bandwidth: 400 Gbit/s, latency: 1 us, cable: 5 m}, {name: spine, join: clos, count: 4, "
            "oversubscription: \"2:1\", radix: 64, bandwidth: 400 Gbit/s, latency: 1 us, cable: 20 m}]}",
            "hgx-h100 x32 / rails 64p 400G 1us x4 / spine 64p 400G 1us 2:1");
        row("{of: npu, levels: [{join: torus, size: [4, 4, 8], bandwidth: 50 GB/s, latency: 1 us}]}", "npu / torus 4x4x8 50GB/s 1us");
        row("{of: npu, levels: [{join: fat_tree, k: 16, bandwidth: 400 Gbit/s}]}", "npu / fat_tree 16 400G");
        row("{of: npu, levels: [{join: dragonfly, p: 4, a: 8, h: 4, groups: 33, bandwidth: 100 Gbit/s}]}", "npu / dragonfly 4,8,4 100G");
        row("{of: npu, levels: [{name: leaf, join: switch, count: 16, radix: 24}, {name: spine, join: clos, count: 8, oversubscription: \"2:1\"}]}", "npu x16 / leaf 24p x8 / spine 2:1");
        row("{of: npu, levels: [{join: mesh, size: [4, 4], wrap: [1, 0]}]}", "npu / mesh 4x4 wrap 1,0");
    }
    void sectionsMeanTheirLines()
    {
        QFETCH(const QString, section);
        QFETCH(const QString, line);
        const auto loaded = readDesignText(designOf("{fabric: " + section.toStdString() + '}'), "made.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const PlatformSpec& read = *loaded.value().design.platform;
        const PlatformSpec meant = parseTopologyText(line.toStdString(), {}, {}).value();
        QVERIFY(read.nodes == meant.nodes && read.links == meant.links && read.dimensions == meant.dimensions && read.npu == meant.npu);
    }

    void localAndGlobalCablesHaveTheirOwnFigures()
    {
        const auto loaded = readDesignText(designOf("{fabric: {of: npu, levels: [{join: dragonfly, p: 1, a: 2, h: 1, bandwidth: 10 GB/s, latency: 3 us, local: {latency: 100 ns}, global: {latency: 1 us, bandwidth: 5 GB/s}}]}}"), "made.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const PlatformSpec& spec = *loaded.value().design.platform;
        std::map<std::string, std::string> links;
        for (const ExplicitLink& link : spec.links)
            links[spec.nodes[at(link.from)].name + '>' + spec.nodes[at(link.to)].name] = link.bandwidth.text() + ' ' + link.latency.text();
        QCOMPARE(links.size(), std::size_t{24});
        QCOMPARE(links["npu0>group0.router0"], std::string("10 GB/s 3 us"));
        QCOMPARE(links["group0.router0>group0.router1"], std::string("10 GB/s 100 ns"));
        QCOMPARE(links["group0.router0>group1.router0"], std::string("5 GB/s 1 us"));
        const std::string text = writeDesign(loaded.value().design);
        QVERIFY2(*readDesignText(text, "made.yaml").value().design.platform == spec, text.c_str());
    }

    void levelsNameTheirSwitches()
    {
        const auto names = [](const std::string& fabric) {
            const auto loaded = readDesignText(designOf("{fabric: {of: " + fabric + "}}"), "made.yaml");
            std::string out;
            for (const ExplicitNode& node : loaded ? loaded.value().design.platform->nodes : NodeList())
                out += node.kind == NodeKind::Switch ? node.name + ' ' : std::string();
            return loaded ? out : loaded.error().text();
        };
        QCOMPARE(names("npu, levels: [{join: switch, name: tor, count: 1}, {join: clos, name: top, count: 2, switches: 1}]"), std::string("tor0 tor1 top0 "));
        QCOMPARE(names("npu, levels: [{join: switch, name: tor, count: 1}, {join: clos, name: agg, count: 2, switches: 1, up: 1}, {join: clos, count: 2, switches: 1, up: 1}]"),
                 std::string("pod0.tor0 pod0.tor1 pod1.tor0 pod1.tor1 pod0.agg0 pod1.agg0 core0 "));
        QCOMPARE(names("\"Switch(2, 1 GB/s, 1 us)\", levels: [{join: rails, name: edge, count: 1}, {join: clos, name: upper, count: 2, switches: 1}]"),
                 std::string("unit0.host0.switch0 unit1.host0.switch0 unit0.edge0 unit0.edge1 unit1.edge0 unit1.edge1 upper0 "));
    }

    void blueprintsStandAtThePlaces()
    {
        const std::string pair = "blueprints: [{name: pair, dimensions: [{shape: switch, size: 2, bandwidth: 450 GB/s, latency: 1 us}], npu: {peak: 1 TFLOP/s}}]";
        const std::string text = designOf("{" + pair + ", fabric: {of: pair, levels: [{join: rails, count: 2}, {name: spine, join: clos, count: 2, switches: 1}]}, "
                                          "overrides: {links: [{link: \"unit1.leaf0>spine0#2\", bandwidth: 1 GB/s}]}}");
        const auto loaded = readDesignText(text, "made.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const PlatformSpec& spec = *loaded.value().design.platform;
        QCOMPARE(std::count_if(spec.nodes.begin(), spec.nodes.end(), [](const ExplicitNode& node) { return node.kind == NodeKind::Npu; }), std::ptrdiff_t{8});
        QCOMPARE(spec.nodes.name(0), std::string("unit0.host0.gpu0"));
        QCOMPARE(spec.npu.peak->text(), std::string("1 TFLOP/s"));
        QCOMPARE(spec.linkOverrides.size(), std::size_t{1});
        const Platform platform = Platform::create(spec).value();
        QCOMPARE(platform.bandwidth(spec.linkOverrides[0].link).bytesPerSecond, std::int64_t{1'000'000'000});
        QCOMPARE(platform.linkName(spec.linkOverrides[0].link), std::string("unit1.leaf0>spine0#2"));
        const std::string written = writeDesign(loaded.value().design);
        const auto again = readDesignText(written, "made.yaml");
        QVERIFY2(again && *again.value().design.platform == spec, written.c_str());
    }

    /// What limits a switch inside of a blueprint, what it sums, and NPUs that pass nothing on stand in every copy; switches of the fabric have none of it.
    void whatABlueprintSaysOfItsNodesStandsInEveryCopy()
    {
        const auto nodesOf = [](const std::string& blueprint, const std::string& join = "rails") {
            const auto loaded = readDesignText(designOf("{blueprints: [{name: box, " + blueprint + "}], fabric: {of: box, levels: [{join: " + join + ", count: 3}]}}"), "made.yaml");
            if (!loaded)
                qFatal("%s", loaded.error().text().c_str());
            const auto again = readDesignText(writeDesign(loaded.value().design), "made.yaml");
            const NodeList nodes = loaded.value().design.platform->nodes;
            return again && again.value().design.platform->nodes == nodes ? nodes : NodeList();
        };
        const std::string links = "links: [{between: [a, s], bandwidth: 50 GB/s, latency: 1 us}, {between: [b, t], bandwidth: 50 GB/s, latency: 1 us}, {between: [s, t], bandwidth: 50 GB/s, latency: 1 us}]";
        const NodeList boxes = nodesOf("nodes: [{name: a}, {name: b}, {name: s, kind: switch}, {name: t, kind: switch, crossbar: 3 TB/s, in_network: {reduction: 40 GB/s}}], " + links);
        std::string limited;
        for (const auto& [node, rate] : boxes.crossbars())
            limited += boxes.name(node) + ' ' + rate.text() + ' ' + (boxes.offload(node) && boxes.offload(node)->reduction ? boxes.offload(node)->reduction->text() : "none") + ' ';
        QCOMPARE(limited, std::string("host0.switch1 3 TB/s 40 GB/s host1.switch1 3 TB/s 40 GB/s host2.switch1 3 TB/s 40 GB/s "));
        QCOMPARE(boxes.offloads().size(), std::size_t{3});

        // Of dimensions the switch of every line sums: two lines in each of three hosts of 2 x 2.
        const NodeList grids = nodesOf("dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 50 GB/s, latency: 1 us, in_network: {reduction: 40 GB/s}}]");
        QCOMPARE(grids.offloads().size(), std::size_t{6});
        QVERIFY(std::ranges::all_of(grids.offloads(), [&](const auto& entry) { return grids.name(entry.first).find(".switch") != std::string::npos; }));

        const std::string pair = "links: [{between: [a, b], bandwidth: 50 GB/s, latency: 1 us}]";
        QCOMPARE(nodesOf("nodes: [{name: a}, {name: b}], " + pair, "switch").forwards(0), true);
        QCOMPARE(nodesOf("nodes: [{name: a, forwards: false}, {name: b, forwards: false}], " + pair, "switch").forwards(0), false);
    }

    /// Each level from where it is said on; switches of hosts have none of it.
    void crossbarsBelongToTheSwitchesOfALevel()
    {
        const auto limits = [](const char* line) {
            const auto fabric = fabricOfLine(line);
            if (!fabric)
                return fabric.error().text();
            std::string out;
            for (const FabricTier& tier : fabric.value().tiers())
                out += tier.name + ' ' + (fabric.value().crossbar(tier) ? fabric.value().crossbar(tier)->text() : "any") + ' ';
            return out;
        };
        QCOMPARE(limits("npu x4 / leaf 8p 400G x2 / spine 8p"), std::string("leaf any spine any "));
        QCOMPARE(limits("npu x4 / leaf 8p 400G crossbar 3.2T x2 / spine 8p"), std::string("leaf 3.2 Tbit/s spine 3.2 Tbit/s "));
        QCOMPARE(limits("npu x4 / leaf 8p 400G x2 / spine 8p crossbar 200 GB/s 1us"), std::string("leaf any spine 200 GB/s "));
        QCOMPARE(limits("npu x4 / leaf 8p crossbar 3.2T x2 / spine 8p crossbar 200GB/s"), std::string("leaf 3.2 Tbit/s spine 200 GB/s "));
        QCOMPARE(limits("Switch(2, 450 GB/s, 1 us) x2 / rails crossbar 1T x2 / spine 8p"), std::string("switch any leaf 1 Tbit/s spine 1 Tbit/s "));
        QCOMPARE(limits("npu / dragonfly 1,2,1 crossbar 1T"), std::string("router 1 Tbit/s "));
        QCOMPARE(limits("npu / fat_tree 4 crossbar 1T 400G"), std::string("edge 1 Tbit/s aggregation 1 Tbit/s core 1 Tbit/s "));
        for (const auto& [line, words] : {std::pair{"npu / torus 4x4 50GB/s crossbar 3T", "torus has no switches"}, {"npu / fat_tree 4 crossbar", "no rate follows \"crossbar\""},
                                          {"npu / fat_tree 4 crossbar 400G crossbar 500G", "two crossbars"}, {"npu / fat_tree 4 crossbar 1 B/s", "cannot be meant"}})
            QVERIFY2(limits(line).find(words) != std::string::npos, limits(line).c_str());
    }

    /// unit1.leaf0 has two cables to the spine: a plain name is both, #1 and #2 one of them, <> both ways, * every leaf.
    void overridesNameWhatTheyChange()
    {
        const auto changed = [](const std::string& overrides) {
            const auto loaded = readDesignText(designOf("{fabric: {of: \"Switch(2, 450 GB/s, 1 us)\", levels: [{join: rails, count: 2}, {join: clos, count: 2, switches: 1}]}, overrides: {" + overrides + "}}"), "made.yaml");
            if (!loaded)
                return loaded.error().text();
            const Platform platform = Platform::create(*loaded.value().design.platform).value();
            std::string names;
            for (const LinkOverride& change : platform.spec().linkOverrides)
                names += platform.linkName(change.link) + ' ';
            for (const NpuOverride& change : platform.spec().npuOverrides)
                names += platform.spec().nodes[at(change.node)].name + ' ';
            const std::string text = writeDesign(loaded.value().design);
            const auto again = readDesignText(text, "made.yaml");
            return again && *again.value().design.platform == platform.spec() ? names : text;
        };
        const auto link = [&](const char* name) { return changed(std::string("links: [{link: \"") + name + "\", bandwidth: 1 GB/s}]"); };
        QCOMPARE(link("unit1.leaf0>spine0"), std::string("unit1.leaf0>spine0 unit1.leaf0>spine0#2 "));
        QCOMPARE(link("unit1.leaf0>spine0#1"), std::string("unit1.leaf0>spine0 "));
        QCOMPARE(link("unit1.leaf0>spine0#2"), std::string("unit1.leaf0>spine0#2 "));
        QCOMPARE(link("unit1.leaf0<>spine0#2"), std::string("unit1.leaf0>spine0#2 spine0>unit1.leaf0#2 "));
        QCOMPARE(link("unit*.leaf1>spine*#1"), std::string("unit0.leaf1>spine0 unit1.leaf1>spine0 "));
        QCOMPARE(link("unit0.host1.gpu0>*"), std::string("unit0.host1.gpu0>unit0.host1.switch0 unit0.host1.gpu0>unit0.leaf0 "));
        QVERIFY(link("unit1.leaf0>spine0#3").find("there is no link") != std::string::npos);
        QVERIFY(link("unit1.leef0>spine0").find("did you mean \"unit1.leaf0\"") != std::string::npos);
        QVERIFY(link("unit1.leaf0").find("there is no link") != std::string::npos);
        QCOMPARE(changed("npus: [{npu: unit0.host1.gpu1, speed: 0.5}, {npu: 0, speed: 0.25}]"), std::string("unit0.host1.gpu1 unit0.host0.gpu0 "));
        QCOMPARE(changed("npus: [{npu: unit1.host*.gpu0, speed: 0.5}]"), std::string("unit1.host0.gpu0 unit1.host1.gpu0 "));
        QCOMPARE(changed("npus: [{npu: unit0.host1.gpu1, removed: true}]"), std::string("unit0.host1.gpu1 "));
        QVERIFY(changed("npus: [{npu: unit0.hots1.gpu1, speed: 0.5}]").find("did you mean \"unit0.host1.gpu1\"") != std::string::npos);
        QVERIFY(changed("npus: [{npu: spine0, speed: 0.5}]").find("there is no NPU") != std::string::npos);
    }

    void whatIsWrongIsToldWithItsField_data()
    {
        QTest::addColumn<QString>("section");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* section, const char* field, const char* words) { QTest::newRow(section) << QString::fromUtf8(section) << QString::fromUtf8(field) << QString::fromUtf8(words); };
        row("fabric: 3", "platform.fabric", "mapping");
        row("fabric: {levels: [{join: torus, size: [4]}]}", "platform.fabric", "\"of\" is missing");
        row("fabric: {of: npu}", "platform.fabric", "\"levels\" is missing");
        row("fabric: {of: npu, levels: []}", "platform.fabric.levels", "1 to 32");
        row("fabric: {of: npu, levels: [{size: [4]}]}", "platform.fabric.levels[0]", "\"join\" is missing");
        row("fabric: {of: hgy, levels: [{join: rails, count: 2}]}", "platform.fabric.of", "preset");
        row("fabric: {of: npu, levels: [{join: toruss, size: [4]}]}", "platform.fabric.levels[0].join", "torus");
        row("fabric: {of: npu, levels: [{join: torus}]}", "platform.fabric.levels[0].size", "1 to");
        row("fabric: {of: npu, levels: [{join: torus, size: [4], k: 3}]}", "platform.fabric.levels[0].k", "has no key");
        row("fabric: {of: npu, levels: [{join: torus, size: [4, -4]}]}", "platform.fabric.levels[0].size[1]", "0 to");
        row("fabric: {of: npu, levels: [{join: torus, size: [4, 0]}]}", "platform.fabric.levels[0].size", "nearest is 1");
        row("fabric: {of: npu, levels: [{join: torus, size: []}]}", "platform.fabric.levels[0].size", "1 to 64 numbers");
        row("fabric: {of: npu, levels: [{join: fat_tree, k: 7}]}", "platform.fabric.levels[0].k", "even");
        row("fabric: {of: npu, levels: [{join: mesh, size: [16, 16, 16, 16, 16]}]}", "platform.fabric.levels[0]", "at most 4194304");
        row("fabric: {of: npu, levels: [{join: dragonfly, p: 1, a: 2, h: 1, groups: 4}]}", "platform.fabric.levels[0].groups", "at most a h + 1 = 3");
        row("fabric: {of: npu, levels: [{join: torus, size: [1024, 1024, 2]}]}", "platform.fabric.levels[0]", "1048576");
        row("fabric: {of: npu, levels: [{join: switch}]}", "platform.fabric.levels[0].count", "how many");
        row("fabric: {of: npu, levels: [{join: switch, count: 0}]}", "platform.fabric.levels[0].count", "1 to 1048576");
        row("fabric: {of: npu, levels: [{join: switch, count: 40, radix: 32}]}", "platform.fabric.levels[0].radix", "40 ports down");
        row("fabric: {of: npu, levels: [{join: switch, count: 4}, {join: clos, count: 4}]}", "platform.fabric.levels[1].radix", "how many switches");
        row("fabric: {of: npu, levels: [{join: switch, count: 4}, {join: torus, count: 4}]}", "platform.fabric.levels[1].join", "clos");
        row("fabric: {of: npu, levels: [{join: switch, count: 4}, {join: clos, count: 4, up: 4, oversubscription: \"2:1\"}]}", "platform.fabric.levels[1].up", "one of them");
        row("fabric: {of: npu, levels: [{join: switch, count: 4}, {join: clos, count: 4, switches: 1, oversubscription: 2}]}", "platform.fabric.levels[1].oversubscription", "a:b");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, bandwidth: 1 us}]}", "platform.fabric.levels[0].bandwidth", "GB/s");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, bandwidth: 0 GB/s}]}", "platform.fabric.levels[0].bandwidth", "0 GB/s");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, latency: -1 us}]}", "platform.fabric.levels[0].latency", "");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, cable: far}]}", "platform.fabric.levels[0].cable", "metres");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, name: a.b}]}", "platform.fabric.levels[0].name", "without .");
        row("fabric: {of: npu, levels: [{join: switch, count: 4, lenght: 4}]}", "platform.fabric.levels[0].lenght", "count");
        row("fabric: {of: npu, levels: [{join: ring, size: 4, local: {latency: 1 us}}]}", "platform.fabric.levels[0].local", "no local");
        row("fabric: {of: hgx-h100-8, levels: [{join: torus, size: [8]}]}", "platform.fabric.levels[0]", "npu in place of");
        row("preset: dgx-2, fabric: {of: npu, levels: [{join: ring, size: 4}]}", "platform", "preset and fabric");
        row("preset: dgx-2, blueprints: [{name: a, preset: dgx-2}]", "platform.blueprints", "without a fabric");
        row("blueprints: [{name: a}], fabric: {of: a, levels: [{join: rails, count: 4}]}", "platform.blueprints[0]", "nothing says");
        row("blueprints: [{name: a, preset: dgx-2}, {name: a, preset: dgx-2}], fabric: {of: a, levels: [{join: rails, count: 4}]}", "platform.blueprints[1].name", "another name");
        row("blueprints: [{name: host2, preset: dgx-2}], fabric: {of: host, levels: [{join: rails, count: 4}]}", "platform.fabric.of", "did you mean \"host2\"?");
        row("blueprints: [{name: mine, preset: dgx-2}], fabric: {of: yours, levels: [{join: rails, count: 4}]}", "platform.fabric.of", "or a blueprint of the platform such as \"mine\"");
        row("blueprints: [{name: a, nodes: [{name: g}, {name: h, forwards: false}], links: [{between: [g, h], bandwidth: 1 GB/s, latency: 1 us}]}], fabric: {of: a, levels: [{join: rails, count: 4}]}",
            "platform.fabric.of", "\"h\" passes nothing on");
        row("blueprints: [{name: a, preset: dgx}], fabric: {of: a, levels: [{join: rails, count: 4}]}", "platform.blueprints[0].preset", "dgx-2");
        row("nodes: [{name: a, forwards: maybe}]", "platform.nodes[0].forwards", "");
        row("nodes: [{name: s, kind: switch, forwards: false}]", "platform.nodes[0].forwards", "NPUs");
    }
    void whatIsWrongIsToldWithItsField()
    {
        QFETCH(const QString, section);
        QFETCH(const QString, field);
        QFETCH(const QString, words);
        const QString said = QString::fromStdString(firstErrorOf(designOf('{' + section.toStdString() + '}')));
        QVERIFY2(!said.isEmpty() && said.contains(field) && said.contains(words), said.toUtf8().constData());
    }

    /// NPUs that pass nothing on: a graph whose only ways lead through them is refused, one with a switch for each pair is not.
    void nodesMaySayThatTheyPassNothingOn()
    {
        const auto design = [](const char* nodes, const std::vector<std::pair<const char*, const char*>>& links) {
            std::string text = std::string("{nodes: [") + nodes + "], links: [";
            for (const auto& [a, b] : links)
                text += std::string("{between: [") + a + ", " + b + "], bandwidth: 1 GB/s, latency: 1 us}, ";
            return designOf(text + "]}");
        };
        const char* const chain = "{name: a}, {name: b, forwards: false}, {name: c}";
        const auto problems = [](const std::string& yaml) {
            const auto loaded = readDesignText(yaml, "made.yaml");
            std::string text = loaded ? std::string() : loaded.error().text();
            if (loaded) {
                for (const Diagnostic& entry : validate(loaded.value().design))
                    text += entry.text();
            }
            return text;
        };
        QVERIFY(problems(design("{name: a}, {name: b}, {name: c}", {{"a", "b"}, {"b", "c"}})).empty());
        QVERIFY(problems(design(chain, {{"a", "b"}, {"b", "c"}})).find("no route from a to c") != std::string::npos);
        QVERIFY(problems(design(chain, {{"a", "b"}, {"b", "c"}, {"a", "c"}})).empty());
        const char* const three = "{name: a, forwards: false}, {name: b, forwards: false}, {name: c, forwards: false}, {name: s, kind: switch}, {name: t, kind: switch}, {name: u, kind: switch}";
        QVERIFY(problems(design(three, {{"a", "s"}, {"b", "s"}, {"b", "t"}, {"c", "t"}, {"c", "u"}, {"a", "u"}})).empty());
        QVERIFY(problems(design(three, {{"a", "s"}, {"b", "s"}, {"b", "t"}, {"c", "t"}, {"c", "u"}})).find("no route from a to c") != std::string::npos);
    }
};

FABRICSCOPE_TEST(TestFabricPlatforms)
#include "tst_fabric_platforms.moc"
