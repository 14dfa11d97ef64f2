// Groups of unequal size, the topology in one line in designs, several links between two nodes, and `--set` over presets and files.
#include "core/base/index.h"
#include "core/design/design.h"
#include "core/platform/topologytext.h"
#include "core/platform/unequalgroups.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <fstream>
#include <map>
#include <set>

using namespace fabricscope;

namespace {

std::string designOf(const std::string& platform)
{
    return "fabricscope: 1\nplatform:\n" + platform + "workload: {collective: all_reduce, size: 1 MiB}\n";
}

Design read(const std::string& text, const std::vector<FieldOverride>& sets = {}, const std::string& file = "d.yaml")
{
    auto loaded = readDesignText(text, file, sets);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

std::string refusalOf(const std::string& text, const std::vector<FieldOverride>& sets = {})
{
    const auto loaded = readDesignText(text, "d.yaml", sets);
    return loaded ? std::string("none") : loaded.error().text();
}

/// "a>b" with rate and latency, sorted.
std::multiset<std::string> linksOf(const PlatformSpec& spec)
{
    std::multiset<std::string> out;
    for (const ExplicitLink& link : spec.links)
        out.insert(spec.nodes[at(link.from)].name + '>' + spec.nodes[at(link.to)].name + ' ' + link.bandwidth.text() + ' ' + link.latency.text());
    return out;
}

const char* const kGroups = "  dimensions:\n"
                            "    - {shape: fully_connected, sizes: [4, 6], bandwidth: 100 GB/s, latency: 500 ns}\n"
                            "    - {shape: switch, bandwidth: 25 GB/s, latency: 1 us}\n";

} // namespace

class UnequalGroupsTest : public QObject {
    Q_OBJECT

private slots:
    void fourAndSixNpusAreTwoCliquesUnderOneSwitch()
    {
        const Design design = read(designOf(kGroups));
        const PlatformSpec& spec = *design.platform;

        QCOMPARE(static_cast<int>(spec.nodes.size()), 11);
        QCOMPARE(spec.nodes[3].name, std::string("group0.npu3"));
        QCOMPARE(spec.nodes[4].name, std::string("group1.npu0"));
        QCOMPARE(spec.nodes[10].name, std::string("switch"));
        // Both ways: 6 and 15 links of the cliques, 10 to the switch.
        QCOMPARE(static_cast<int>(spec.links.size()), 2 * (6 + 15 + 10));
        const auto links = linksOf(spec);
        QCOMPARE(links.count("group1.npu5>group1.npu2 100 GB/s 500 ns"), std::size_t{1});
        QCOMPARE(links.count("switch>group0.npu0 25 GB/s 1 us"), std::size_t{1});
        const Platform platform = Platform::create(spec).value();
        for (NodeId from = 0; from < 10; ++from) {
            for (NodeId to = 0; to < 10; ++to) {
                std::vector<LinkId> route;
                platform.route(from, to, route);
                QCOMPARE(static_cast<int>(route.size()), from == to ? 0 : (from < 4) == (to < 4) ? 1 : 2);
            }
        }
        QVERIFY(validate(design).empty());
    }

    void ringsAndSwitchesMayHaveUnequalGroupsToo()
    {
        const Design rings = read(designOf("  dimensions:\n    - {shape: ring, sizes: [3, 2, 1], bandwidth: 10 GB/s, latency: 1 ns}\n    - {shape: switch, size: 3, bandwidth: 5 GB/s, latency: 2 ns}\n"));
        // A ring of 3 has 3 cables, of 2 one, of 1 none; 6 to the switch.
        QCOMPARE(static_cast<int>(rings.platform->links.size()), 2 * (3 + 1 + 6));
        const Design switches = read(designOf("  dimensions:\n    - {shape: switch, sizes: [3, 2], bandwidth: 10 GB/s, latency: 1 ns}\n    - {shape: switch, bandwidth: 5 GB/s, latency: 2 ns}\n"));
        QCOMPARE(static_cast<int>(switches.platform->links.size()), 2 * (5 + 5));
        QCOMPARE(static_cast<int>(switches.platform->nodes.size()), 5 + 3);
    }

    void npuBandwidthIsSharedByTheLinksOfTheOwnGroup()
    {
        const Design design = read(designOf("  dimensions:\n    - {shape: fully_connected, sizes: [3, 5], npu_bandwidth: 80 GB/s, latency: 1 ns}\n    - {shape: switch, bandwidth: 5 GB/s, latency: 2 ns}\n"));

        const auto links = linksOf(*design.platform);
        QCOMPARE(links.count("group0.npu0>group0.npu1 40 GB/s 1 ns"), std::size_t{1});
        QCOMPARE(links.count("group1.npu0>group1.npu1 20 GB/s 1 ns"), std::size_t{1});
    }

    void equalSizesAreTheSameFabricAsWrittenByHand()
    {
        UnequalGroups groups;
        groups.inside = {Shape::Ring, 1, {10, "GB/s", Measure::Bandwidth}, false, {1, "ns", Measure::Time}, {}};
        groups.sizes = {2};

        const auto spec = expandUnequalGroups(groups);

        QCOMPARE(linksOf(spec.value()), (std::multiset<std::string>{"group0.npu0>group0.npu1 10 GB/s 1 ns", "group0.npu1>group0.npu0 10 GB/s 1 ns"}));
    }

    void impossibleGroupsAreRefusedInWords_data()
    {
        QTest::addColumn<QString>("platform");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& dimensions, const char* says) { QTest::newRow(name) << QString::fromStdString("  dimensions:\n" + dimensions) << QString(says); };
        const std::string first = "    - {shape: ring, sizes: [4, 6], bandwidth: 1 GB/s, latency: 1 ns}\n";
        row("nothing joins them", first, "d.yaml:4:5, platform.dimensions: nothing joins the 2 groups");
        row("joined by a ring", first + "    - {shape: ring, bandwidth: 1 GB/s, latency: 1 ns}\n", "platform.dimensions[1].shape: groups of different size cannot be joined by a Ring");
        row("another number", first + "    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns}\n", "platform.dimensions[1].size: the switch joins 3 groups, but there are 2");
        row("three dimensions", first + "    - {shape: switch, bandwidth: 1 GB/s, latency: 1 ns}\n    - {shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 ns}\n", "a third dimension over groups of unequal size");
        row("in the second", "    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 ns}\n" + first, "only the first dimension may have groups of unequal size");
        row("both", "    - {shape: ring, size: 4, sizes: [4, 6], bandwidth: 1 GB/s, latency: 1 ns}\n", "both \"size\" and \"sizes\" are given");
        row("none", "    - {shape: ring, sizes: [], bandwidth: 1 GB/s, latency: 1 ns}\n", "the sizes of the groups are missing");
        row("zero", "    - {shape: ring, sizes: [0, 3], bandwidth: 1 GB/s, latency: 1 ns}\n", "sizes[0]: \"0\" is not possible here (expected a whole number from 1 to 1048576)");
        row("many", "    - {shape: fully_connected, sizes: [100000], bandwidth: 1 GB/s, latency: 1 ns}\n", "more than 1048576 links");
    }
    void impossibleGroupsAreRefusedInWords()
    {
        QFETCH(QString, platform);
        QFETCH(QString, says);

        const std::string refusal = refusalOf(designOf(platform.toStdString()));

        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
    }

    void collectivesRunOverThem()
    {
        // Two groups of one NPU: a ring of two over the switch. Reduce-scatter and all-gather are one message of 64 KiB each, which switches
        // pass on as it comes in (manual: models 3): 65536 B / 25 GB/s and two links of 1 us.
        const std::string pair = "fabricscope: 1\nplatform:\n  topology: \"FullyConnected(1, 1, 100 GB/s, 500 ns)_Switch(2, 25 GB/s, 1 us)\"\n"
                                 "workload: {collective: all_reduce, size: 128 KiB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
        const auto run = runDesign(std::make_shared<const Design>(read(pair)), {}, {});
        QVERIFY2(bool(run), run ? "" : run.error().text().c_str());
        QCOMPARE(run.value()->record().finish.ps, std::int64_t{2 * (2'621'440 + 2 * 1'000'000)});

        // Every algorithm and operation over four and six; no rank can be done before its share went through its links at full rate.
        for (const char* algorithm : {"ring", "direct", "halving_doubling", "double_binary_tree", "auto"}) {
            for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
                const std::string text = std::string("fabricscope: 1\nplatform:\n") + kGroups + "workload: {collective: " + op + ", size: 1 MB}\ncollectives: {default: {algorithm: " + algorithm + "}}\n";
                Design design = read(text);
                const std::string name = algorithm;
                const bool possible = name == "double_binary_tree" ? std::string(op) == "all_reduce" : name != "halving_doubling" || std::string(op) != "all_to_all";
                if (!possible)
                    continue;
                QVERIFY(validate(design).empty());
                const auto result = runDesign(std::make_shared<const Design>(std::move(design)), {}, {});
                QVERIFY2(bool(result), result ? "" : result.error().text().c_str());
                QVERIFY(result.value()->record().complete);
                // Each NPU receives at least 9 of 10 shares of 100 kB, at most at (5 x 100 + 25) GB/s.
                QVERIFY(result.value()->record().finish.ps >= 900'000 * 1'000 / 525);
            }
        }
    }

    void severalAlgorithmsNeedDimensions()
    {
        const Design design = read(designOf(kGroups) + "collectives: {default: {algorithm: [direct, ring]}}\n");

        const Diagnostics found = validate(design);

        QVERIFY(std::any_of(found.begin(), found.end(), [](const Diagnostic& entry) { return entry.severity == Severity::Error && entry.place.field.find("algorithm") != std::string::npos; }));
    }

    void oneLineIsTheSameAsItsDimensions_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("lists") << "  topology: Ring(4)_Switch(8)\n  bandwidth: [50 GB/s, 400 Gbit/s]\n  latency: [500 ns, 1 us]\n";
        QTest::newRow("in brackets") << "  topology: \"Ring(4, 50 GB/s, 500 ns) x Switch(8, 400 Gbit/s, 1 us)\"\n";
        QTest::newRow("mixed") << "  topology: \"Ring(4, 50 GB/s)_switch(8, 1 us)\"\n  bandwidth: 400 Gbit/s\n  latency: 500 ns\n";
    }
    void oneLineIsTheSameAsItsDimensions()
    {
        QFETCH(QString, line);
        const Design written = read(designOf("  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: switch, size: 8, bandwidth: 400 Gbit/s, latency: 1 us}\n"));

        const Design design = read(designOf(line.toStdString()));

        QVERIFY(*design.platform == *written.platform);
        QCOMPARE(designHash(design).hex(), designHash(written).hex());
        QCOMPARE(writeDesign(design), writeDesign(written));
    }

    void oneLineMayHaveOverridesAndGroups()
    {
        const Design design = read(designOf("  topology: Ring(4)_Switch(8)\n  npu_bandwidth: 50 GB/s\n  latency: 1 us\n  overrides: {links: [{link: d0 3>0, bandwidth: 5 GB/s}]}\n"));
        QVERIFY(design.platform->dimensions[0].bandwidthIsPerNpu && design.platform->dimensions[1].bandwidthIsPerNpu);
        QCOMPARE(static_cast<int>(design.platform->linkOverrides.size()), 1);
        const Design groups = read(designOf("  topology: \"FullyConnected(4, 6, 100 GB/s, 500 ns)_Switch(2, 25 GB/s, 1 us)\"\n"));
        QVERIFY(*groups.platform == *read(designOf(kGroups)).platform);
    }

    void mistakesInOneLineNameTheirKey_data()
    {
        QTest::addColumn<QString>("platform");
        QTest::addColumn<QString>("says");
        QTest::newRow("shape") << "  topology: Mesh(4)\n  bandwidth: 1 GB/s\n  latency: 1 us\n" << "d.yaml:3:13, platform.topology: \"Mesh\" is not a topology";
        QTest::newRow("two for one") << "  topology: Ring(4)\n  bandwidth: [1 GB/s, 2 GB/s]\n  latency: 1 us\n" << "platform.bandwidth: 2 values for 1 dimension";
        QTest::newRow("no bandwidth") << "  topology: Ring(4)\n  latency: 1 us\n" << "platform.topology: no bandwidth is given";
        QTest::newRow("no latency") << "  topology: \"Ring(4, 1 GB/s)\"\n" << "platform.topology: no latency is given";
        QTest::newRow("given twice") << "  topology: \"Ring(4, 1 GB/s, 1 us)\"\n  latency: 1 us\n" << "platform.latency: every dimension has this figure";
        QTest::newRow("both rates") << "  topology: Ring(4)\n  bandwidth: 1 GB/s\n  npu_bandwidth: 1 GB/s\n  latency: 1 us\n" << "both \"bandwidth\" and \"npu_bandwidth\"";
        QTest::newRow("nonsense in brackets") << "  topology: \"Ring(4, fast)\"\n" << "\"fast\" is neither a size nor a figure";
        QTest::newRow("groups in the second") << "  topology: \"Ring(4)_Switch(2,3)\"\n  bandwidth: 1 GB/s\n  latency: 1 us\n" << "groups of unequal size are possible in the first of two dimensions only";
        QTest::newRow("and a preset") << "  topology: Ring(4)\n  preset: dgx-2\n  bandwidth: 1 GB/s\n  latency: 1 us\n" << "topology and preset are given together";
        QTest::newRow("figures without") << "  preset: dgx-2\n  bandwidth: 1 GB/s\n" << "platform.bandwidth: \"bandwidth\" of the platform belongs to a topology";
    }
    void mistakesInOneLineNameTheirKey()
    {
        QFETCH(QString, platform);
        QFETCH(QString, says);

        const std::string refusal = refusalOf(designOf(platform.toStdString()));

        QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
    }

    void aPresetCanBeChangedFieldByField()
    {
        const std::string text = designOf("  preset: clos-h100-256\n  npu: {memory: 40 GB}\n  overrides: {links: [{link: d1 3>switch, bandwidth: 1 GB/s}]}\n");
        const Design plain = read(text);

        const Design changed = read(text, {{"platform.dimensions.1.npu_bandwidth", "100 GB/s"}, {"platform.dimensions[0].size", "4"}});

        PlatformSpec expected = *plain.platform;
        expected.dimensions[1].bandwidth = parseQuantity("100 GB/s", Measure::Bandwidth).value();
        expected.dimensions[0].size = 4;
        expected.linkOverrides = changed.platform->linkOverrides; // numbered anew
        QVERIFY(*changed.platform == expected);
        QCOMPARE(changed.platform->npu.memory->text(), std::string("40 GB"));
        QCOMPARE(changed.platform->npu.peak->text(), plain.platform->npu.peak->text());
        QCOMPARE(static_cast<int>(changed.platform->linkOverrides.size()), 1);
        QCOMPARE(changed.platformOrigin, std::string("preset clos-h100-256, changed"));
        QCOMPARE(Platform::create(*changed.platform).value().npuCount(), 128);
    }

    void aFileAndALineCanBeChangedToo()
    {
        QTemporaryDir folder;
        const std::string file = folder.filePath("d.yaml").toStdString();
        std::ofstream(folder.filePath("net.yml").toStdString()) << "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 1000.0 ]\n";
        const std::string text = designOf("  file: net.yml\n  kind: astra-sim\n");
        const Design plain = read(text, {}, file);

        const Design changed = read(text, {{"platform.dimensions.0.latency", "1 us"}}, file);

        PlatformSpec expected = *plain.platform;
        expected.dimensions[0].latency = {1, "us", Measure::Time};
        QVERIFY(*changed.platform == expected);
        QVERIFY(changed.astraUnits);
        QVERIFY(changed.files == plain.files);
        const Design line = read(designOf("  topology: \"Ring(4, 50 GB/s, 500 ns)\"\n"), {{"platform.dimensions.0.shape", "switch"}});
        QCOMPARE(line.platform->dimensions[0].shape, Shape::Switch);
        const Design graph = read(designOf("  preset: dgx-1v\n"), {{"platform.links.0.bandwidth", "1 GB/s"}});
        QCOMPARE(graph.platform->links[0].bandwidth.text(), std::string("1 GB/s"));
        QCOMPARE(graph.platform->links[1].bandwidth.text(), std::string("1 GB/s")); // one entry is a link each way
    }

    void changesThatDoNotFitAreRefusedAtTheOverride()
    {
        const std::string text = designOf("  preset: hgx-h100-8\n");

        QVERIFY2(refusalOf(text, {{"platform.dimensions.0.bandwith", "1 GB/s"}}).find("unknown key \"bandwith\"") != std::string::npos, refusalOf(text, {{"platform.dimensions.0.bandwith", "1 GB/s"}}).c_str());
        QVERIFY(refusalOf(text, {{"platform.dimensions.3.bandwidth", "1 GB/s"}}).find("there is no item \"3\" in a list of 1") != std::string::npos);
        const std::string wrong = refusalOf(designOf("  preset: hgx\n"), {{"platform.dimensions.0.npu_bandwidth", "1 GB/s"}});
        QVERIFY2(wrong.find("there is no preset") != std::string::npos || wrong.find("dimensions") != std::string::npos, wrong.c_str());
    }

    void severalLinksBetweenTwoNodesStayApart()
    {
        const Design design = read(designOf("  nodes: [{name: a}, {name: b}, {name: s, kind: switch}]\n  links:\n"
                                            "    - {between: [a, s], bandwidth: 10 GB/s, latency: 1 us}\n    - {between: [a, s], bandwidth: 10 GB/s, latency: 1 us}\n"
                                            "    - {between: [s, b], bandwidth: 20 GB/s, latency: 1 us}\n    - {from: a, to: s, bandwidth: 5 GB/s, latency: 1 us}\n"));

        QCOMPARE(static_cast<int>(design.platform->links.size()), 7);
        const Platform platform = Platform::create(*design.platform).value();
        std::set<std::string> names;
        for (LinkId link = 0; link < platform.linkCount(); ++link)
            names.insert(platform.linkName(link));
        QCOMPARE(static_cast<int>(names.size()), 7); // each can be named by an override
        const Design again = read(writeDesign(design), {}, "again.yaml");
        QVERIFY(*again.platform == *design.platform);
    }
};

FABRICSCOPE_TEST(UnequalGroupsTest)
#include "tst_unequalgroups.moc"
