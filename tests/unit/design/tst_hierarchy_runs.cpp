// Collectives that go level by level on graphs: phases, times by hand, three spellings of one machine, rules 1 of the models without levels.
#include "tests/unit/support/cases/networkcase.h" // first: its WideCount is local, that of fabrics is not

#include "core/base/index.h"
#include "core/design/fabricdesign.h"
#include "core/hierarchy/grouplevels.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/topologytext.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/fabriclines.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Design hierarchyDesign(const std::string& more, const std::string& workload = "{collective: all_reduce, size: 1 MiB}")
{
    return readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(2, 50 GB/s, 1 us)\"}\nworkload: " + workload + '\n' + more, "made.yaml").value().design;
}

/// A run of a platform; `yaml`: other sections of the design.
ScenarioPtr prepared(PlatformSpec platform, const std::string& yaml = {}, const std::string& workload = "{collective: all_reduce, size: 1 MiB}")
{
    Design design = hierarchyDesign(yaml, workload);
    design.platform = std::make_shared<const PlatformSpec>(std::move(platform));
    const auto scenario = prepare(design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    return scenario.value();
}

std::int64_t finishOf(const ScenarioPtr& scenario)
{
    return simulate(*scenario, {}).value().finish.ps;
}

/// By nodes and links, which nothing is declared of.
PlatformSpec writtenOut(const PlatformSpec& spec)
{
    return platformOfFabric(fabricOfPlatform(spec).value(), FabricWriting::Nodes).value();
}

PlatformSpec nodesOf(const std::string& line)
{
    return platformOfFabric(fabricOf(line).value(), FabricWriting::Nodes).value();
}

/// As a line or a design has it, with what is declared.
PlatformSpec generatedBy(const std::string& line)
{
    return platformOfForm(parseFabricForm(line).value()).value();
}

/// Two NPUs of it are as far one way round as the other.
bool hasOpposites(const Dimension& dimension)
{
    return dimension.shape == Shape::Ring && dimension.size > 2 && dimension.size % 2 == 0;
}

/// Leaf switches with so many NPUs each, under one spine, or in a ring with a switch between two.
PlatformSpec joinedLeaves(const std::vector<int>& leaves, bool ring)
{
    PlatformSpec spec;
    std::vector<NodeId> leafOf;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        for (int npu = 0; npu < leaves[leaf]; ++npu) {
            spec.nodes.push_back({"npu" + std::to_string(spec.nodes.size()), NodeKind::Npu});
            leafOf.push_back(static_cast<NodeId>(leaf));
        }
    }
    const auto npus = static_cast<NodeId>(leafOf.size());
    const auto count = static_cast<NodeId>(leaves.size());
    const auto join = [&](NodeId a, NodeId b) {
        spec.links.push_back({a, b, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        spec.links.push_back({b, a, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
    };
    for (NodeId leaf = 0; leaf < count; ++leaf)
        spec.nodes.push_back({"leaf" + std::to_string(leaf), NodeKind::Switch});
    for (NodeId npu = 0; npu < npus; ++npu)
        join(npu, npus + leafOf[at(npu)]);
    for (NodeId above = 0; above < (ring ? count : 1); ++above) {
        spec.nodes.push_back({"above" + std::to_string(above), NodeKind::Switch});
        for (NodeId leaf = 0; leaf < count; ++leaf) {
            if (!ring || leaf == above || leaf == (above + 1) % count)
                join(npus + leaf, npus + count + above);
        }
    }
    return spec;
}

std::string levelsNote(const ScenarioPtr& scenario)
{
    for (const Diagnostic& one : scenario->diagnostics) {
        if (one.rule == "levels")
            return one.message;
    }
    return {};
}

} // namespace

class TestHierarchyRuns : public QObject {
    Q_OBJECT

private slots:
    void threeSpellingsTakeTheSameTime_data()
    {
        QTest::addColumn<QString>("dimensions");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* dimensions, const char* line) { QTest::newRow(dimensions) << QString::fromUtf8(dimensions) << QString::fromUtf8(line); };
        row("Ring(8, 50 GB/s, 1 us)", "npu / ring 8 50GB/s 1us");
        row("Ring(5, 50 GB/s, 1 us)", "npu / ring 5 50GB/s 1us");
        row("FullyConnected(6, 50 GB/s, 1 us)", "npu / full 6 50GB/s 1us");
        row("FullyConnected(8, 50 GB/s, 1 us)", "npu / full 8 50GB/s 1us");
        row("Switch(8, 50 GB/s, 1 us)", "npu / switch 8 50GB/s 1us");
        row("Switch(7, 50 GB/s, 1 us)", "npu / switch 7 50GB/s 1us");
        row("Ring(4, 50 GB/s, 1 us)_Ring(4, 50 GB/s, 1 us)", "npu / torus 4x4 50GB/s 1us");
        row("Ring(4, 50 GB/s, 1 us)_Ring(3, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)", "npu / torus 4x3x2 50GB/s 1us");
        row("Ring(2, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)", "npu / hypercube 3 50GB/s 1us");
        // Products that no family makes: as dimensions, and as a host of the first under what joins it in a graph.
        row("Switch(4, 450 GB/s, 1 us)_Switch(3, 50 GB/s, 1 us)", "Switch(4, 450 GB/s, 1 us) x3 / rails_only 50GB/s 1us");
        row("Ring(4, 450 GB/s, 1 us)_Switch(4, 50 GB/s, 1 us)", "Ring(4, 450 GB/s, 1 us) x4 / rails_only 50GB/s 1us");
        row("FullyConnected(4, 450 GB/s, 1 us)_Switch(4, 50 GB/s, 1 us)", "FullyConnected(4, 450 GB/s, 1 us) x4 / rails_only 50GB/s 1us");
        row("Ring(2, 50 GB/s, 1 us)", "npu / ring 2 50GB/s 1us");
        row("Ring(16, 25 GB/s, 700 ns)", "npu / torus 16 25GB/s 700ns");
        row("FullyConnected(5, 100 GB/s, 500 ns)", "npu / full 5 100GB/s 500ns");
        row("Switch(16, 400 Gbit/s, 300 ns)", "npu / switch 16 400G 300ns");
        row("Ring(5, 50 GB/s, 1 us)_Ring(5, 50 GB/s, 1 us)", "npu / torus 5x5 50GB/s 1us");
        row("Ring(2, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)_Ring(2, 50 GB/s, 1 us)", "npu / hypercube 4 50GB/s 1us");
        row("Switch(4, 450 GB/s, 1 us)_Switch(3, 50 GB/s, 1 us)_Switch(2, 25 GB/s, 1 us)", "Switch(4, 450 GB/s, 1 us)_Switch(3, 50 GB/s, 1 us) x2 / rails_only 25GB/s 1us");
        row("Ring(4, 450 GB/s, 1 us)_Ring(2, 450 GB/s, 1 us)_Switch(2, 50 GB/s, 1 us)", "Ring(4, 450 GB/s, 1 us)_Ring(2, 450 GB/s, 1 us) x2 / rails_only 50GB/s 1us");
    }
    void threeSpellingsTakeTheSameTime()
    {
        QFETCH(const QString, dimensions);
        QFETCH(const QString, line);
        const auto spec = parseTopologyText(dimensions.toStdString(), {}, {});
        QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
        for (const char* const model : {"links", "ideal", "flow"}) {
            for (const char* const op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
                for (const char* const size : {"1 MiB", "1000003 B"}) {
                    const std::string more = std::string("model: {name: ") + model + "}\n";
                    const std::string workload = std::string("{collective: ") + op + ", size: " + size + '}';
                    const auto asDimensions = prepared(spec.value(), more, workload);
                    const auto asNodes = prepared(writtenOut(spec.value()), more, workload);
                    const auto asLine = prepared(generatedBy(line.toStdString()), more, workload);
                    QCOMPARE(asNodes->structure->instances[0].program->name, asDimensions->structure->instances[0].program->name);
                    QCOMPARE(asLine->structure->instances[0].program->name, asDimensions->structure->instances[0].program->name);
                    const std::int64_t finish = finishOf(asDimensions);
                    QVERIFY(finish > 0);
                    const bool twoWays = op == std::string_view("all_to_all") && std::ranges::any_of(spec.value().dimensions, hasOpposites); // see below
                    QVERIFY2(twoWays || finishOf(asNodes) == finish, (std::string(model) + ' ' + op + " as nodes").c_str());
                    QVERIFY2(finishOf(asLine) == finish, (std::string(model) + ' ' + op + " as a line").c_str());
                }
            }
        }
    }

    /// Meshes have no spelling as dimensions; by nodes and links they are those of the generator.
    void aMeshWrittenOutIsAMesh()
    {
        for (const char* const line : {"npu / mesh 4x4 50GB/s 1us", "npu / mesh 5x3x2 50GB/s 1us", "npu / mesh 3x5 wrap 0,1 50GB/s 1us", "npu / mesh 7 50GB/s 1us", "npu / mesh 4x3 wrap 1,0 50GB/s 1us"}) {
            for (const char* const model : {"links", "ideal", "flow"}) {
                for (const char* const op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
                    const std::string more = std::string("model: {name: ") + model + "}\n";
                    const std::string workload = std::string("{collective: ") + op + ", size: 1000003 B}";
                    const auto asNodes = prepared(nodesOf(line), more, workload);
                    const auto asLine = prepared(generatedBy(line), more, workload);
                    QCOMPARE(asNodes->structure->instances[0].program->digest(), asLine->structure->instances[0].program->digest());
                    QVERIFY2(finishOf(asNodes) == finishOf(asLine), line);
                }
            }
        }
        // A slow link in the middle of a line parts it into two hosts of four.
        PlatformSpec halves = nodesOf("npu / mesh 8 50GB/s 1us");
        const auto slow = [](const ExplicitLink& link) { return std::min(link.from, link.to) == 3 && std::max(link.from, link.to) == 4; };
        std::vector<ExplicitLink> links(halves.links.begin(), halves.links.end());
        for (ExplicitLink& link : links)
            link.bandwidth = slow(link) ? Quantity{5, "GB/s", Measure::Bandwidth} : link.bandwidth;
        halves.links = LinkList(links);
        QCOMPARE(QString::fromStdString(levelsNote(prepared(halves))), QStringLiteral("group all: 4 x 2 (host, all)"));
    }

    /// A ring of 8, blocks of 1 MiB/8 at 50 GB/s. What is as far both ways round goes up in a dimension, where a cable carries 1+2+3+4 blocks of an all-to-all; in
    /// a graph by its destination, half of it each way: 8 blocks. A graph whose ways are said to be the first of the shortest is the dimension again.
    void whatIsAsFarBothWaysIsSharedInAGraph()
    {
        const auto spec = parseTopologyText("Ring(8, 50 GB/s, 1 us)", {}, {}).value();
        const std::string workload = "{collective: all_to_all, size: 1 MiB}";
        const std::int64_t block = 131072LL * 20; // ps
        for (const std::string model : {"model: {name: links}\n", "model: {name: flow}\n"}) {
            const std::int64_t asDimension = finishOf(prepared(spec, model, workload));
            const std::int64_t asNodes = finishOf(prepared(nodesOf("npu / ring 8 50GB/s 1us"), model, workload));
            QVERIFY2(asDimension >= 10 * block, std::to_string(asDimension).c_str());
            QVERIFY2(asNodes >= 8 * block && asNodes < 10 * block, std::to_string(asNodes).c_str());
            QCOMPARE(finishOf(prepared(nodesOf("npu / ring 8 50GB/s 1us"), model + "network: {routing: {policy: shortest}}\n", workload)), asDimension);
        }
    }

    /// Eight NPUs a host at a switch of 450 GB/s, rails of 50 GB/s, 16 hosts in two units. Blocks of S/8 go along the rails by halving and doubling: over n = 16
    /// the bytes of a rank are 2 * 15/16 of S/8. Latencies and pieces add what is small at 1 GiB: the time is between the bytes alone and 5 % more.
    void aPodIsOnlyAsSlowAsItsBytes()
    {
        const auto run = prepared(generatedBy("hgx-h100 x8 / rails 64p 400G x2 / spine 1:1"), "collectives: {default: {algorithm: standard, chunks: 1}}\n", "{collective: all_reduce, size: 1 GiB}");
        QCOMPARE(QString::fromStdString(levelsNote(run)), QStringLiteral("group all: 8 x 16 (host, all)"));
        QCOMPARE(run->structure->instances[0].program->asTemplate().axes, (std::vector<std::int32_t>{8, 16}));
        const double size = 1024.0 * 1024 * 1024;
        const double bytesPs = 2 * (size * 7 / 8 / 450e9 + size / 8 * 15 / 16 / 50e9) * 1e12;
        const auto finish = static_cast<double>(finishOf(run));
        QVERIFY(finish > bytesPs * 0.999);
        QVERIFY2(finish < bytesPs * 1.05, std::to_string(finish / bytesPs).c_str());
        // A ring over all as listed sends 127 blocks of 8 MiB twice through one cable of 50 GB/s.
        const auto before = prepared(generatedBy("hgx-h100 x8 / rails 64p 400G x2 / spine 1:1"), "model: {name: links, version: physical/1}\n", "{collective: all_reduce, size: 1 MiB}");
        QCOMPARE(before->structure->instances[0].program->asTemplate().axes, (std::vector<std::int32_t>{128}));
        QCOMPARE(QString::fromStdString(levelsNote(before)), QString());
    }

    /// 128 NPUs of a fat tree, 4 at a leaf, 16 in a pod: step k of halving goes to the NPU 2^k on, over 2, 2, 4, 4, 6, 6, 6 links of 1 us, without two messages on a
    /// cable: there and back 60 us, and 2 * 127/128 of 1 MiB at 50 GB/s.
    void networksInTiersDouble()
    {
        const std::string whole = "collectives: {default: {chunks: 1}}\n";
        const auto run = prepared(generatedBy("npu / fat_tree 8 50GB/s 1us"), whole);
        QCOMPARE(QString::fromStdString(run->structure->instances[0].program->name), QStringLiteral("halving_doubling"));
        QCOMPARE(finishOf(run), std::int64_t{60'000'000} + 2 * 1048576 / 128 * 127 * 20);
        QCOMPARE(finishOf(prepared(nodesOf("npu / fat_tree 8 50GB/s 1us"), whole)), finishOf(run));
        // Routers side by side, and other numbers than powers of two: from physical/4 on what has less to do on the fullest link, the one cable between two groups of a dragonfly.
        const std::string third = "model: {version: physical/3}\n";
        for (const char* const line : {"npu / hyperx 4x4 50GB/s 1us npus 2", "npu / dragonfly 1,4,2 groups 8 50GB/s 1us", "npu / leaf_spine 3,4,4,4 50GB/s 1us"})
            QCOMPARE(QString::fromStdString(prepared(generatedBy(line), third)->structure->instances[0].program->name), QStringLiteral("ring"));
        QCOMPARE(QString::fromStdString(prepared(generatedBy("npu / hyperx 4x4 50GB/s 1us npus 2"))->structure->instances[0].program->name), QStringLiteral("ring"));
        QCOMPARE(QString::fromStdString(prepared(generatedBy("npu / dragonfly 1,4,2 groups 8 50GB/s 1us"))->structure->instances[0].program->name), QStringLiteral("direct"));
        // Leaves of unequal size with one cable up, and leaves in a ring with a switch between neighbours: they have tiers, but no room for partners far off.
        for (const auto& [leaves, ring] : {std::pair{std::vector<int>{6, 6, 4}, false}, {std::vector<int>{10, 6}, false}, {std::vector<int>(8, 1), true}, {std::vector<int>(4, 2), true}})
            QCOMPARE(QString::fromStdString(prepared(joinedLeaves(leaves, ring), third)->structure->instances[0].program->name), QStringLiteral("ring"));
        // Before, all went round.
        QCOMPARE(QString::fromStdString(prepared(generatedBy("npu / fat_tree 8 50GB/s 1us"), "model: {name: links, version: physical/1}\n")->structure->instances[0].program->name),
                 QStringLiteral("ring"));
    }

    void twoToOneKeepsUnits()
    {
        const auto run = prepared(generatedBy("hgx-h100 x8 / rails 64p 400G x2 / spine 2:1"));
        QCOMPARE(QString::fromStdString(levelsNote(run)), QStringLiteral("group all: 8 x 8 x 2 (host, unit, all)"));
        const auto nodes = prepared(nodesOf("hgx-h100 x8 / rails 64p 400G x2 / spine 2:1"));
        QCOMPARE(nodes->structure->instances[0].program->digest(), run->structure->instances[0].program->digest());
        QCOMPARE(finishOf(nodes), finishOf(run));
    }

    /// One algorithm for each level, or one for all; Themis weighs levels by what they carry.
    void algorithmsAndOrdersGoByLevel()
    {
        const PlatformSpec pod = generatedBy("hgx-h100 x4 / rails 64p 400G x2 / spine 1:1");
        const auto run = prepared(pod, "collectives: {default: {algorithm: [direct, ring]}}\n");
        QCOMPARE(QString::fromStdString(run->structure->instances[0].program->name), QStringLiteral("direct x ring"));
        Design design = hierarchyDesign("collectives: {default: {algorithm: [direct, ring, ring]}}\n");
        design.platform = std::make_shared<const PlatformSpec>(pod);
        const auto refused = prepare(design);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("3 entries for 2 levels of the group: 8 x 8 (host, all)") != std::string::npos, refused.error().text().c_str());
        // A reduce-scatter of x bytes takes 3/4 x at 100 GB/s in a host, and with a quarter of that at 50 GB/s along the rails half as long: some chunks go there first.
        const auto themis = prepared(generatedBy("Switch(4, 100 GB/s, 1 us) x4 / rails 64p 400G x2 / spine 1:1"), "collectives: {default: {algorithm: standard, chunks: 16}}\nscheduling: {dimensions: themis}\n", "{collective: all_reduce, size: 64 MiB}");
        QVERIFY(!themis->structure->instances[0].program->asTemplate().orders.empty());
    }

    /// An all-to-all would cross the one cable of an NPU once for each level: it goes straight, but where a list says level by level, or by dimensions.
    void allToAllGoesStraight()
    {
        const std::string workload = "{collective: all_to_all, size: 1 MiB}";
        const auto axes = [&](PlatformSpec platform, const std::string& more) { return prepared(std::move(platform), more, workload)->structure->instances[0].program->asTemplate().axes.size(); };
        const std::string pod = "hgx-h100 x4 / rails 64p 400G x2 / spine 2:1";
        QCOMPARE(axes(generatedBy(pod), {}), std::size_t{1});
        QCOMPARE(axes(generatedBy(pod), "collectives: {default: {algorithm: direct}}\n"), std::size_t{1});
        QCOMPARE(axes(generatedBy(pod), "collectives: {default: {algorithm: [direct, direct, direct]}}\n"), std::size_t{3});
        QCOMPARE(axes(nodesOf("npu / torus 4x3"), {}), std::size_t{2});
    }

    void groupsInsideHaveLevelsOfTheirOwn()
    {
        const std::string steps = "{groups: [{name: tensor, axes: [{size: 8}]}, {name: data, axes: [{size: 4, stride: 8}]}], steps: [{collective: all_reduce, size: 1 MiB, group: tensor}, {collective: all_reduce, size: 1 MiB, group: data}]}";
        const auto run = prepared(generatedBy("hgx-h100 x2 / rails 64p 400G x2 / spine 2:1"), {}, steps);
        for (const CollectiveInstance& instance : run->structure->instances) {
            const auto& axes = instance.program->asTemplate().axes;
            // One host; one rail of two hosts in each of two units, with one cable up for two NPUs.
            QCOMPARE(axes, instance.program->ranks == 8 ? std::vector<std::int32_t>{8} : (std::vector<std::int32_t>{2, 2}));
        }
    }
};

FABRICSCOPE_TEST(TestHierarchyRuns)

#include "tst_hierarchy_runs.moc"
