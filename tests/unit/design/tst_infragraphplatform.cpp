// InfraGraph documents as platforms, and platforms as InfraGraph documents.
#include "core/base/index.h"
#include "core/design/design.h"
#include "core/design/fabricdesign.h"
#include "core/formats/infragraph/expandinstances.h"
#include "core/formats/infragraph/exporter.h"
#include "core/formats/infragraph/importer.h"
#include "core/platform/fabric/figures.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/infratext.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

Quantity rate(const char* text)
{
    return parseQuantity(text, Measure::Bandwidth).value();
}

Quantity time(const char* text)
{
    return parseQuantity(text, Measure::Time).value();
}

std::string said(const Diagnostics& diagnostics)
{
    std::string out;
    for (const Diagnostic& found : diagnostics)
        out += found.text() + '\n';
    return out;
}

struct Imported {
    PlatformSpec spec;
    Diagnostics diagnostics;

    std::map<std::string, int> linksByFigures() const
    {
        std::map<std::string, int> out;
        for (const ExplicitLink& link : spec.links)
            ++out[std::to_string(toBandwidth(link.bandwidth).bytesPerSecond) + " B/s, " + std::to_string(toSimTime(link.latency).ps) + " ps"];
        return out;
    }
    int count(NodeKind kind) const
    {
        return static_cast<int>(std::count_if(spec.nodes.begin(), spec.nodes.end(), [&](const ExplicitNode& node) { return node.kind == kind; }));
    }
    int npusOf(const std::string& name) const
    {
        int out = 0;
        for (const ExplicitLink& link : spec.links) {
            const auto& to = spec.nodes[at(link.to)];
            out += to.name == name && spec.nodes[at(link.from)].kind == NodeKind::Npu ? 1 : 0;
        }
        return out;
    }
};

Imported import(const InfraDocument& document, const LinkCompletions& completions = {})
{
    Imported out;
    auto spec = platformFromInfraGraph(document, completions, out.diagnostics);
    if (!spec)
        qFatal("%s", spec.error().text().c_str());
    out.spec = std::move(spec).value();
    return out;
}

InfraDocument textDocument(const std::string& text)
{
    const InfraReading reading = inspectInfraGraph(text, "g.yaml");
    if (!reading.sound)
        qFatal("%s", said(reading.diagnostics).c_str());
    return reading.document;
}

InfraDocument corpusDocument(const std::string& shared, const char* name)
{
    Diagnostics diagnostics;
    return loadInfraGraph(shared + "/corpus/infragraph/" + name, diagnostics).value();
}

/// All that decides a result of an explicit platform, independent of the order of its links.
std::multiset<std::string> linkSet(const PlatformSpec& spec)
{
    std::multiset<std::string> out;
    for (const ExplicitLink& link : spec.links)
        out.insert(spec.nodes[at(link.from)].name + '>' + spec.nodes[at(link.to)].name + ' '
                   + std::to_string(toBandwidth(link.bandwidth).bytesPerSecond) + ' ' + std::to_string(toSimTime(link.latency).ps));
    return out;
}

PlatformSpec randomSpec(std::mt19937& random)
{
    PlatformSpec spec;
    const int npus = 1 + static_cast<int>(random() % 12);
    const int others = static_cast<int>(random() % 5);
    for (int i = 0; i < npus + others; ++i)
        spec.nodes.push_back({(i < npus ? "gpu " : "box(") + std::to_string(i), i < npus ? NodeKind::Npu : NodeKind::Switch});
    const auto join = [&](int a, int b) {
        const Quantity bandwidth{static_cast<double>(1 + random() % 5) * 12.5, random() % 2 == 0 ? "GB/s" : "Gbit/s", Measure::Bandwidth};
        const Quantity latency{static_cast<double>(random() % 3) * 0.125 + 0.001, "us", Measure::Time};
        spec.links.push_back({a, b, bandwidth, latency});
        spec.links.push_back({b, a, bandwidth, latency});
    };
    for (int i = 1; i < npus + others; ++i)
        join(static_cast<int>(random() % static_cast<unsigned>(i)), i);
    for (int extra = static_cast<int>(random() % 12); extra > 0 && npus + others > 1; --extra) {
        const int a = static_cast<int>(random() % static_cast<unsigned>(npus + others));
        const int b = static_cast<int>(random() % static_cast<unsigned>(npus + others));
        if (a != b)
            join(a, b); // also a second cable between the same two
    }
    // Switches with fewer than two links are nothing a simulation needs: an import leaves them out.
    std::vector<int> degree(spec.nodes.size(), 0);
    for (const ExplicitLink& link : spec.links)
        ++degree[at(link.from)];
    for (int i = npus; i < npus + others; ++i) {
        if (degree[at(i)] < 2)
            join(0, i);
    }
    return spec;
}

const char* const kTwoHosts = "devices:\n"
                              "- name: host\n"
                              "  components:\n"
                              "  - {name: xpu, count: 2, choice: xpu}\n"
                              "  - {name: nvsw, count: 3, choice: switch}\n"
                              "  - {name: slot, count: 2, choice: custom, custom: {type: pcie_slot}}\n"
                              "  - {name: nic, count: 2, choice: nic}\n"
                              "  - {name: hbm, count: 2, choice: memory}\n"
                              "  links: [{name: nvlink, description: nvlink_3}, {name: pcie, description: PCIE_GEN4 x16}, {name: mem}]\n"
                              "  edges:\n"
                              "  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: nvlink}\n"
                              "  - {ep1: {component: xpu}, ep2: {component: slot}, scheme: one2one, link: pcie}\n"
                              "  - {ep1: {component: slot}, ep2: {component: nic}, scheme: one2one, link: pcie}\n"
                              "  - {ep1: {component: xpu}, ep2: {component: hbm}, scheme: one2one, link: mem}\n"
                              "- name: leaf\n"
                              "  components: [{name: asic, count: 1, choice: cpu}, {name: port, count: 8, choice: port}]\n"
                              "  links: [{name: ic}]\n"
                              "  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}]\n"
                              "links: [{name: eth, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 200}, latency: {choice: us, us: 2}}}]\n"
                              "instances: [{name: host, device: host, count: 2}, {name: leaf, device: leaf, count: 1}]\n"
                              "edges:\n"
                              "- {ep1: {instance: host, component: nic}, ep2: {instance: leaf, component: 'port[0:4]'}, scheme: one2one, link: eth}\n";

} // namespace

class InfraGraphPlatformTest : public QObject {
    Q_OBJECT

private slots:
    void aHostIsReducedToWhatASimulationNeeds()
    {
        const Imported imported = import(textDocument(kTwoHosts));

        // Per host: 2 accelerators, one NVSwitch for three planes, 2 network cards; one leaf. Slots are joined, memory left out.
        QCOMPARE(imported.count(NodeKind::Npu), 4);
        QCOMPARE(imported.count(NodeKind::Switch), 2 * (1 + 2) + 1);
        QCOMPARE(imported.spec.nodes[0].name, std::string("host.0.xpu.0"));
        QCOMPARE(imported.spec.nodes[3].name, std::string("host.1.xpu.1"));
        QCOMPARE(imported.spec.nodes.name(imported.spec.nodes.size() - 1), std::string("leaf.0"));
        // NVLink 3: 300 GB/s per accelerator, here all of it through the one switch; PCIe 4.0 x16: 16 GT/s x 16 x 128/130 / 8, two links of 250 ns.
        const std::map<std::string, int> expected{{"300000000000 B/s, 350000 ps", 2 * 2 * 2}, {"31507692308 B/s, 500000 ps", 2 * 2 * 2}, {"25000000000 B/s, 2000000 ps", 2 * 4}};
        std::string list;
        for (const auto& [figures, count] : imported.linksByFigures())
            list += figures + " x " + std::to_string(count) + '\n';
        QVERIFY2(imported.linksByFigures() == expected, list.c_str());
        const std::string text = said(imported.diagnostics);
        QVERIFY2(text.find("assumed") != std::string::npos && text.find("NVLink 3") != std::string::npos, text.c_str());
        QVERIFY(imported.spec.source.find("NVLink 3") != std::string::npos);
    }

    void completionsReplaceAssumptionsAndUnusedOnesAreReported()
    {
        LinkCompletions completions;
        completions["nvlink"] = {rate("10 GB/s"), time("5 ns"), std::nullopt};
        completions["pcie"] = {rate("7 GB/s"), time("1 ns"), std::nullopt};
        completions["nvlinc"] = {rate("1 GB/s"), std::nullopt, std::nullopt};

        const Imported imported = import(textDocument(kTwoHosts), completions);

        const std::map<std::string, int> expected{{"30000000000 B/s, 5000 ps", 8}, {"7000000000 B/s, 2000 ps", 8}, {"25000000000 B/s, 2000000 ps", 8}};
        QCOMPARE(imported.linksByFigures(), expected);
        const std::string text = said(imported.diagnostics);
        QVERIFY2(text.find("[assumed]") == std::string::npos, text.c_str());
        QVERIFY2(text.find("\"nvlinc\"") != std::string::npos, text.c_str());
    }

    void transfersNeedAFactor()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const InfraDocument document = corpusDocument(shared, "handwritten_slices_units.yaml");
        Diagnostics diagnostics;

        const auto refused = platformFromInfraGraph(document, {}, diagnostics);

        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("32 GT/s") != std::string::npos, refused.error().text().c_str());
        LinkCompletions completions;
        completions["pcie"].bytesPerTransfer = 2;
        const Imported imported = import(document, completions);
        QCOMPARE(imported.count(NodeKind::Npu), 18);
        const auto figures = imported.linksByFigures();
        QVERIFY(figures.contains("64000000000 B/s, 500000 ps"));
        QVERIFY(figures.contains("450000000000 B/s, 250000 ps"));
        QVERIFY(figures.contains("50000000000 B/s, 1000000 ps")); // 400 Gbps, 0.001 ms
    }

    void corpusFabricsBecomePlatforms_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("npus");
        QTest::addColumn<int>("external"); // from the README of the corpus: external switches
        QTest::newRow("fat tree of DGX H100") << "clos_fat_tree_2tier_r16_dgx_h100.yaml" << 128 << 24;
        QTest::newRow("three tiers") << "clos_fat_tree_3tier_r4_server.json" << 16 << 20;
        QTest::newRow("clos") << "closfabric.yaml" << 8 << 7;
        QTest::newRow("DGX-2H") << "dgx2h_lstopo.yaml" << 16 << 0;
        QTest::newRow("DGX A100") << "dgx_a100_nccl_annotated.json" << 8 << 0;
        QTest::newRow("composed") << "dgx_cx5_qsfp_composed.yaml" << 8 << 0;
        QTest::newRow("device only") << "dgx_h100_device_only.yaml" << 8 << 0;
        QTest::newRow("dragonfly") << "dragonfly_a4p2h2_server.yaml" << 72 << 36;
        QTest::newRow("torus") << "ironwood_rack_4x4x4.yaml" << 64 << 0;
    }
    void corpusFabricsBecomePlatforms()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, file);
        QFETCH(int, npus);
        QFETCH(int, external);
        const InfraDocument document = corpusDocument(shared, file.toUtf8().constData());

        const Imported imported = import(document);

        QCOMPARE(imported.count(NodeKind::Npu), npus);
        int boxes = 0;
        for (const ExplicitNode& node : imported.spec.nodes)
            boxes += std::count(node.name.begin(), node.name.end(), '.') == 1 ? 1 : 0;
        QCOMPARE(boxes, external);
        const auto platform = Platform::create(imported.spec);
        QVERIFY2(bool(platform), platform ? "" : platform.error().text().c_str());
        // Every assumption is said: a link without a number of its own appears among them.
        if (file.startsWith("dgx"))
            QVERIFY(said(imported.diagnostics).find("[assumed]") != std::string::npos);
    }

    /// Pairs of GPUs below one PCI Express bridge, all eight at the NVSwitches: 6 NVLinks of 50 GB/s each (the README of the corpus, NVLink 3).
    void acceleratorsAtAFasterSwitchHaveNoWayOverPciExpress()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);

        const Imported imported = import(corpusDocument(shared, "dgx_a100_nccl_annotated.json"));

        QCOMPARE(static_cast<int>(imported.spec.links.size()), 2 * 8);
        for (const ExplicitLink& link : imported.spec.links)
            QCOMPARE(toBandwidth(link.bandwidth).bytesPerSecond, std::int64_t{300'000'000'000});
        QVERIFY(said(imported.diagnostics).find("4 ways over PCI Express between two accelerators left out") != std::string::npos);
    }

    /// Two accelerators of a host at one PCI Express slot and at a switch that is ten times as fast. Of their host it makes the slot useless to them; a tray of its own is
    /// the network, as far from the host as a leaf, so that what stays in the host stays on its PCI Express.
    void aFasterSwitchOutsideOfTheHostIsTheNetwork()
    {
        const std::string accelerators = "devices:\n"
                                         "- name: host\n"
                                         "  components:\n"
                                         "  - {name: xpu, count: 2, choice: xpu}\n"
                                         "  - {name: slot, count: 1, choice: custom, custom: {type: pcie_slot}}\n";
        const std::string pcie = "{name: pcie, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 32}, latency: {choice: ns, ns: 250}}}";
        const std::string nvl = "{name: nvl, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 320}, latency: {choice: ns, ns: 350}}}";
        const std::string toSlot = "  - {ep1: {component: xpu}, ep2: {component: slot}, scheme: many2many, link: pcie}\n";
        const Imported inside = import(textDocument(accelerators + "  - {name: sw, count: 1, choice: switch}\n  links: [" + pcie + ", " + nvl + "]\n  edges:\n" + toSlot
                                                    + "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: nvl}\n"
                                                      "instances: [{name: host, device: host, count: 1}]\n"));
        const Imported outside = import(textDocument(accelerators + "  links: [" + pcie + "]\n  edges:\n" + toSlot
                                                     + "- name: tray\n"
                                                       "  components: [{name: asic, count: 1, choice: cpu}, {name: port, count: 4, choice: port}]\n"
                                                       "  links: [{name: ic}]\n"
                                                       "  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}]\n"
                                                       "links: [" + nvl + "]\n"
                                                       "instances: [{name: host, device: host, count: 2}, {name: tray, device: tray, count: 1}]\n"
                                                       "edges:\n"
                                                       "- {ep1: {instance: host, component: xpu}, ep2: {instance: tray, component: 'port[0:4]'}, scheme: one2one, link: nvl}\n"));
        QCOMPARE(inside.linksByFigures(), (std::map<std::string, int>{{"320000000000 B/s, 350000 ps", 4}}));
        QVERIFY(said(inside.diagnostics).find("1 ways over PCI Express between two accelerators left out") != std::string::npos);
        QCOMPARE(outside.linksByFigures(), (std::map<std::string, int>{{"320000000000 B/s, 350000 ps", 8}, {"32000000000 B/s, 500000 ps", 4}}));
        QVERIFY(said(outside.diagnostics).find("left out: a faster") == std::string::npos);
    }

    /// Four NVSwitches with a management link of their own to one PCI Express switch: still one switch for the eight GPUs, 900 GB/s both ways together.
    void planesWithAManagementLinkAreOneSwitch()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);

        const Imported imported = import(corpusDocument(shared, "dgx_h100_device_only.yaml"));

        QCOMPARE(imported.count(NodeKind::Switch), 1);
        QCOMPARE(static_cast<int>(imported.spec.links.size()), 2 * 8);
        for (const ExplicitLink& link : imported.spec.links)
            QCOMPARE(toBandwidth(link.bandwidth).bytesPerSecond, std::int64_t{450'000'000'000});
    }

    void aTorusKeepsItsLinksOnly()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);

        const Imported imported = import(corpusDocument(shared, "ironwood_rack_4x4x4.yaml"));

        // 64 accelerators and 192 links of 1400 Gbps (README); processors and cards are left out.
        QCOMPARE(static_cast<int>(imported.spec.nodes.size()), 64);
        QCOMPARE(static_cast<int>(imported.spec.links.size()), 2 * 192);
        QCOMPARE(toBandwidth(imported.spec.links[0].bandwidth).bytesPerSecond, std::int64_t{175'000'000'000});
    }

    void hostsThatNothingJoinsAreRefusedInWords()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        Diagnostics diagnostics;

        const auto refused = platformFromInfraGraph(corpusDocument(shared, "two_dgx1_no_fabric.yaml"), {}, diagnostics);

        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("dgx1") != std::string::npos, refused.error().text().c_str());
    }

    void rankAnnotationsGiveTheOrder()
    {
        std::string text = "infrastructure:\n  devices: [{name: d, components: [{name: x, count: 3, choice: xpu}], links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 1}, latency: {ns: 1}}}],\n"
                           "    edges: [{ep1: {component: x}, ep2: {component: x}, scheme: many2many, link: l}]}]\n  instances: [{name: d, device: d, count: 1}]\n"
                           "annotations:\n  nodes:\n";
        for (const auto& [node, number] : {std::pair{0, 2}, {1, 0}, {2, 1}})
            text += "  - {name: d.0.x." + std::to_string(node) + ", attributes: [{attribute: rank, value: '" + std::to_string(number) + "'}]}\n";
        text += "  edges: [{ep1: d.0.x.2, ep2: d.0.x.0, attributes: [{attribute: bandwidth, value: 16 Gbps}]}]\n";

        const Imported imported = import(textDocument(text));

        QCOMPARE(imported.spec.nodes[0].name, std::string("d.0.x.1"));
        QCOMPARE(imported.spec.nodes[1].name, std::string("d.0.x.2"));
        QCOMPARE(imported.spec.nodes[2].name, std::string("d.0.x.0"));
        const std::map<std::string, int> expected{{"1000000000 B/s, 1000 ps", 4}, {"2000000000 B/s, 1000 ps", 2}};
        QCOMPARE(imported.linksByFigures(), expected);
    }

    void aRankOfTwoNodesIsStated()
    {
        std::string text = "infrastructure:\n  devices: [{name: d, components: [{name: x, count: 3, choice: xpu}], links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 1}, latency: {ns: 1}}}],\n"
                           "    edges: [{ep1: {component: x}, ep2: {component: x}, scheme: many2many, link: l}]}]\n  instances: [{name: d, device: d, count: 1}]\n"
                           "annotations:\n  nodes:\n";
        for (const auto& [node, number] : {std::pair{0, 2}, {1, 0}, {2, 2}})
            text += "  - {name: d.0.x." + std::to_string(node) + ", attributes: [{attribute: rank, value: '" + std::to_string(number) + "'}]}\n";
        Diagnostics diagnostics;

        const auto spec = platformFromInfraGraph(textDocument(text), {}, diagnostics);

        QVERIFY2(bool(spec), spec ? "" : spec.error().text().c_str());
        QCOMPARE(spec.value().nodes[0].name, std::string("d.0.x.0"));
        const std::string all = said(diagnostics);
        QVERIFY2(all.find("rank 2 is given to two NPUs: ranks follow the order of the document") != std::string::npos, all.c_str());
    }

    void exportedGraphsReadBackLinkByLink()
    {
        std::mt19937 random(seeded(20));
        for (int round = 0; round < cases(400); ++round) {
            const PlatformSpec spec = randomSpec(random);
            Diagnostics diagnostics;
            const auto document = infraGraphOf(spec, diagnostics);
            QVERIFY2(bool(document), document ? "" : document.error().text().c_str());
            const std::string text = writeInfraGraph(document.value());

            const InfraReading reading = inspectInfraGraph(text, "x.yaml");
            QVERIFY2(reading.sound, said(reading.diagnostics).c_str());
            for (const Diagnostic& found : reading.diagnostics)
                QVERIFY2(found.severity == Severity::Note, found.text().c_str());
            QCOMPARE(canonicalText(expandInfraGraph(reading.document).value()), canonicalText(expandInfraGraph(document.value()).value()));
            const Imported again = import(reading.document);

            for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
                if (spec.nodes[i].kind == NodeKind::Npu)
                    QCOMPARE(again.spec.nodes[i].name, spec.nodes[i].name);
            }
            QVERIFY2(linkSet(again.spec) == linkSet(spec), text.c_str());
        }
    }

    void dimensionsAreWrittenOutLinkByLink()
    {
        PlatformSpec spec;
        spec.dimensions = {{Shape::Ring, 4, rate("50 GB/s"), false, time("500 ns")}, {Shape::Switch, 3, rate("400 Gbit/s"), false, time("1 us")}, {Shape::FullyConnected, 2, rate("25 GB/s"), false, time("2 us")}};
        Diagnostics diagnostics;

        const auto document = infraGraphOf(spec, diagnostics);
        const Imported imported = import(document.value());

        // 24 NPUs, 8 switches; 24 ring cables, 24 to switches, 12 direct.
        QCOMPARE(imported.count(NodeKind::Npu), 24);
        QCOMPARE(imported.count(NodeKind::Switch), 8);
        const std::map<std::string, int> expected{{"50000000000 B/s, 500000 ps", 48}, {"50000000000 B/s, 1000000 ps", 48}, {"25000000000 B/s, 2000000 ps", 24}};
        QCOMPARE(imported.linksByFigures(), expected);
        // Hops of the routes: those of the dimensions.
        const Platform before = Platform::create(spec).value();
        const Platform after = Platform::create(imported.spec).value();
        for (NodeId from = 0; from < 24; ++from) {
            for (NodeId to = 0; to < 24; ++to) {
                std::vector<LinkId> a;
                std::vector<LinkId> b;
                before.route(from, to, a);
                after.route(from, to, b);
                QCOMPARE(b.size(), a.size());
            }
        }
        QVERIFY2(document.value().rules.size() < 40, std::to_string(document.value().rules.size()).c_str()); // slices, not 60 single rules
    }

    /// Every NPU has a port of its own at each of three switches; written as nodes and links, or counted as a fabric, that is said. Two dimensions are hosts below leaves.
    void threeDimensionsOfSwitchesAreNoClos()
    {
        for (const auto& [topology, warns] : {std::pair{"Switch(2)_Switch(3)_Switch(2)", true}, {"Ring(2)_Switch(2)_Switch(2)_Switch(2)", true}, {"Switch(8)_Switch(4)", false}, {"Switch(2)_Switch(3)_Switch(1)", false},
                                              {"Switch(2)_Ring(3)_Switch(2)", false}}) {
            const PlatformSpec spec = *readDesignText(std::string("fabricscope: 1\nplatform: {topology: ") + topology + ", bandwidth: 50 GB/s, latency: 1 us}\n", "d.yaml").value().design.platform;
            Diagnostics exported;
            QVERIFY(infraGraphOf(spec, exported));
            QCOMPARE(said(exported).find("[switch-dimensions]") != std::string::npos, warns);
            const auto figures = fabricFigures(fabricOfPlatform(spec).value());
            QCOMPARE(said(figures.value().warnings).find("[switch-dimensions]") != std::string::npos, warns);
        }
    }

    void linksThatDifferByDirectionAreSaid()
    {
        PlatformSpec spec;
        spec.nodes = {{"a", NodeKind::Npu}, {"b", NodeKind::Npu}, {"c", NodeKind::Npu}};
        spec.links = {{0, 1, rate("10 GB/s"), time("1 us")}, {1, 0, rate("5 GB/s"), time("2 us")}, {1, 2, rate("1 GB/s"), time("1 us")}, {2, 0, rate("1 GB/s"), time("1 us")}};
        Diagnostics diagnostics;

        const Imported again = import(infraGraphOf(spec, diagnostics).value());

        const std::string text = said(diagnostics);
        QVERIFY2(text.find("1 pair of links differs") != std::string::npos, text.c_str());
        QVERIFY2(text.find("2 links have no way back") != std::string::npos, text.c_str());
        const std::map<std::string, int> expected{{"5000000000 B/s, 2000000 ps", 2}, {"1000000000 B/s, 1000000 ps", 4}};
        QCOMPARE(again.linksByFigures(), expected);
    }

    void removedNpusCannotBeExported()
    {
        PlatformSpec spec;
        spec.dimensions = {{Shape::Ring, 4, rate("50 GB/s"), false, time("500 ns")}};
        NpuOverride gone;
        gone.node = 2;
        gone.removed = true;
        spec.npuOverrides.push_back(gone);
        Diagnostics diagnostics;

        QCOMPARE(infraGraphOf(spec, diagnostics).error().code, ErrorCode::Unsupported);
    }
};

FABRICSCOPE_TEST(InfraGraphPlatformTest)
#include "tst_infragraphplatform.moc"
