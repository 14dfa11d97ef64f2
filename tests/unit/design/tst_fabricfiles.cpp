// Fabrics in files of other programs: RCCL's dumps, topologies of ns-3 and HTSim, custom ones of ASTRA-sim, told by their content.
#include "core/design/design.h"
#include "core/formats/fabricload.h"
#include "core/formats/nccl/systemtopology.h"
#include "core/run/inputfiles.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <map>

using namespace fabricscope;

namespace {

/// "a>b" -> "bytes per second, picoseconds".
std::map<std::string, std::string> linksOf(const PlatformSpec& spec)
{
    std::map<std::string, std::string> out;
    for (const ExplicitLink& link : spec.links) {
        const std::string name = spec.nodes[static_cast<std::size_t>(link.from)].name + '>' + spec.nodes[static_cast<std::size_t>(link.to)].name;
        out[name] = std::to_string(toBandwidth(link.bandwidth).bytesPerSecond) + " B/s, " + std::to_string(toSimTime(link.latency).ps) + " ps";
    }
    return out;
}

std::int64_t npusOf(const PlatformSpec& spec)
{
    return std::count_if(spec.nodes.begin(), spec.nodes.end(), [](const ExplicitNode& node) { return node.kind == NodeKind::Npu; });
}

bool says(const Diagnostics& diagnostics, const std::string& words)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& found) { return found.message.find(words) != std::string::npos; });
}

/// Two AMD GPUs behind one domain; `links` are the children of the first.
std::string amdMachine(const std::string& gcn, const std::string& links)
{
    const auto gpu = [&](int number, const std::string& inside) {
        return "<pci busid=\"0000:0" + std::to_string(number) + ":00.0\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + std::to_string(number) + "\" sm=\"120\" gcn=\"" + gcn
            + "\" rank=\"" + std::to_string(number) + "\">" + inside + "</gpu></pci>\n";
    };
    return "<system version=\"2\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"175\" modelid=\"49\">\n" + gpu(0, links)
        + gpu(1, "<xgmi target=\"0000:00:00.0\" count=\"1\" tclass=\"0x038000\"/>") + "</cpu>\n</system>\n";
}

constexpr const char* kStar = "5 1 4\n4\n0 4 400Gbps 0.0005ms 0\n1 4 400Gbps 0.0005ms 0\n2 4 400Gbps 0.0005ms 0\n3 4 200Gbps 1us 0\n";
/// 32 hosts, 4 leaves of 8, 4:1: 2 spines.
constexpr const char* kLeafSpine = "Nodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 50\nOversubscribed 4\n\n"
                                   "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 2000\nSwitch_Latency_ns 70\n";
/// Three tiers with bundles of three at the top.
constexpr const char* kThreeTiers = "# 12 pods of 36\nNodes 432\nTiers 3\nPodsize 36\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 6\nRadix_Up 6\nDownlink_Latency_ns 1000\n"
                                    "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 6\nRadix_Up 6\nDownlink_Latency_ns 1000\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 36\nDownlink_Latency_ns 600000\nBundle 3\n";

class Folder {
public:
    std::string add(const char* name, const std::string& text) const
    {
        const std::string path = m_folder.filePath(name).toStdString();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class FabricFilesTest : public QObject {
    Q_OBJECT

private slots:
    void xgmiLinksAreReadAtTheRateOfTheirArchitecture_data()
    {
        QTest::addColumn<QString>("gcn");
        QTest::addColumn<qint64>("gigabytes");
        QTest::newRow("MI50") << "gfx906" << qint64{24};
        QTest::newRow("MI100") << "gfx908" << qint64{24};
        QTest::newRow("MI100, older dump") << "908" << qint64{24};
        QTest::newRow("MI200") << "gfx90a" << qint64{36};
        QTest::newRow("MI200, older dump") << "910" << qint64{36};
        QTest::newRow("MI300") << "gfx942" << qint64{48};
        QTest::newRow("MI350") << "gfx950" << qint64{48};
    }
    void xgmiLinksAreReadAtTheRateOfTheirArchitecture()
    {
        QFETCH(QString, gcn);
        QFETCH(qint64, gigabytes);
        Diagnostics diagnostics;

        const auto spec = readNcclTopology(amdMachine(gcn.toStdString(), "<xgmi target=\"0000:01:00.0\" count=\"2\" tclass=\"0x038000\"/>"), "topo.xml", {}, diagnostics);

        QVERIFY2(bool(spec), spec ? "" : spec.error().text().c_str());
        QCOMPARE(QString::fromStdString(linksOf(spec.value()).at("gpu0>gpu1")).section(' ', 0, 0).toLongLong(), 2 * gigabytes * 1'000'000'000);
        QCOMPARE(QString::fromStdString(linksOf(spec.value()).at("gpu1>gpu0")).section(' ', 0, 0).toLongLong(), gigabytes * 1'000'000'000);
        QVERIFY(says(diagnostics, "an xGMI link of architecture " + gcn.toStdString()));
    }

    void figuresOfTheUserReplaceThoseOfXgmi()
    {
        Diagnostics diagnostics;
        const LinkCompletions completions{{"xgmi", {Quantity{10, "GB/s", Measure::Bandwidth}, Quantity{2, "us", Measure::Time}, {}}}};

        const auto spec = readNcclTopology(amdMachine("gfx90a", "<xgmi target=\"0000:01:00.0\" count=\"4\" tclass=\"0x038000\"/>"), "topo.xml", completions, diagnostics);

        QVERIFY(bool(spec));
        QCOMPARE(linksOf(spec.value()).at("gpu0>gpu1"), std::string("40000000000 B/s, 2000000 ps"));
    }

    void linksThatAreNotUnderstoodAreSaid()
    {
        Diagnostics diagnostics;

        const auto spec = readNcclTopology(amdMachine("gfx90a", "<ualink target=\"0000:01:00.0\" count=\"4\"/>"), "topo.xml", {}, diagnostics);

        QVERIFY(bool(spec));
        QVERIFY(says(diagnostics, "elements \"ualink\" of a GPU are not understood"));
    }

    void everyXgmiElementOfTheCorpusIsALink()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus/rccl")) {
            if (entry.path().extension() != ".xml")
                continue;
            ++files;
            std::ifstream in(entry.path());
            const std::string text((std::istreambuf_iterator<char>(in)), {});
            std::int64_t elements = 0;
            for (std::size_t at = text.find("<xgmi "); at != std::string::npos; at = text.find("<xgmi ", at + 1))
                ++elements;
            Diagnostics diagnostics;
            const auto spec = readNcclTopology(text, entry.path().string(), {}, diagnostics);
            QVERIFY2(bool(spec), spec ? "" : spec.error().text().c_str());
            const auto& nodes = spec.value().nodes;
            const auto between = std::count_if(spec.value().links.begin(), spec.value().links.end(), [&](const ExplicitLink& link) {
                return nodes[static_cast<std::size_t>(link.from)].kind == NodeKind::Npu && nodes[static_cast<std::size_t>(link.to)].kind == NodeKind::Npu;
            });
            QCOMPARE(static_cast<std::int64_t>(between), elements);
        }
        QCOMPARE(files, 6);
    }

    void anNs3TopologyIsNodesAndLinks()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric(kStar, "star.txt", FabricKind::Ns3, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(npusOf(fabric.value().spec), std::int64_t{4});
        const auto links = linksOf(fabric.value().spec);
        QCOMPARE(links.size(), std::size_t{8});
        QCOMPARE(links.at("npu0>switch4"), std::string("50000000000 B/s, 500000 ps"));
        QCOMPARE(links.at("switch4>npu3"), std::string("25000000000 B/s, 1000000 ps"));
        QVERIFY(diagnostics.empty());
    }

    void linesWithTheirMirrorImagesAreLinksOneWay()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric("3 1 4\n2\n0 2 400GBps 100ns 0\n2 0 400GBps 100ns 0\n1 2 1.6Tbps 100ns 0\n2 1 1.6Tbps 100ns 0\n", "x", FabricKind::Ns3, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        const auto links = linksOf(fabric.value().spec);
        QCOMPARE(links.size(), std::size_t{4});
        QCOMPARE(links.at("npu0>switch2"), std::string("400000000000 B/s, 100000 ps"));
        QCOMPARE(links.at("switch2>npu1"), std::string("200000000000 B/s, 100000 ps"));
        QVERIFY(says(diagnostics, "mirror image"));
    }

    void severalLinksBetweenTwoNodesAreOneOfTheirSum()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric("2 0 3\n0 1 100Gbps 1us 0\n0 1 100Gb/s 3us 0\n0 1 200Gbps 1us 0.01\n", "x", FabricKind::Ns3, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(linksOf(fabric.value().spec).at("npu0>npu1"), std::string("50000000000 B/s, 3000000 ps"));
        QVERIFY(says(diagnostics, "count as one of their sum"));
        QVERIFY(says(diagnostics, "nothing is lost"));
    }

    void aSumThatNoIntegerHoldsIsStillASum()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric("2 0 2\n0 1 9e9GB/s 1us 0\n0 1 9e9GB/s 1us 0\n", "x", FabricKind::Ns3, {}, diagnostics);

        // For the check of the design to refuse as beyond what can be meant.
        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(fabric.value().spec.links[0].bandwidth.base(), 1.8e19);
    }

    void aHeaderOfSimAiCountsNvSwitchesToo()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric("6 2 1 1 5 H100\n4 5\n0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n0 5 400Gbps 0.0005ms 0\n1 5 400Gbps 0.0005ms 0\n2 5 400Gbps 0.0005ms 0\n", "x",
                                       FabricKind::Ns3, {}, diagnostics);

        // Node 3 has no link: the platform says so.
        QVERIFY(!fabric);
        QVERIFY2(fabric.error().text().find("npu3") != std::string::npos, fabric.error().text().c_str());
        const auto whole = readFabric("5 2 1 1 5 H100\n3 4\n0 3 2880Gbps 0.000025ms 0\n1 3 2880Gbps 0.000025ms 0\n0 4 400Gbps 0.0005ms 0\n1 4 400Gbps 0.0005ms 0\n2 4 400Gbps 0.0005ms 0\n", "x",
                                      FabricKind::Ns3, {}, diagnostics);
        QVERIFY2(bool(whole), whole ? "" : whole.error().text().c_str());
        QCOMPARE(npusOf(whole.value().spec), std::int64_t{3});
        QCOMPARE(linksOf(whole.value().spec).at("npu0>switch3"), std::string("360000000000 B/s, 25000 ps"));
    }

    void aFatTreeOfHtsimIsWiredTierByTier()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric(kLeafSpine, "x.topo", FabricKind::Htsim, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        const PlatformSpec& spec = fabric.value().spec;
        QCOMPARE(npusOf(spec), std::int64_t{32});
        QCOMPARE(spec.nodes.size(), std::size_t{32 + 4 + 2});
        const auto links = linksOf(spec);
        QCOMPARE(links.size(), std::size_t{2 * (32 + 4 * 2)});
        QCOMPARE(links.at("host9>leaf1"), std::string("12500000000 B/s, 1000000 ps"));
        QCOMPARE(links.at("leaf1>host9"), std::string("12500000000 B/s, 1050000 ps")); // and the leaf's 50 ns
        QCOMPARE(links.at("leaf3>spine1"), std::string("12500000000 B/s, 2050000 ps"));
        QCOMPARE(links.at("spine1>leaf3"), std::string("12500000000 B/s, 2070000 ps"));
    }

    void threeTiersHaveTheirCoresAndBundles()
    {
        Diagnostics diagnostics;
        const auto fabric = readFabric(kThreeTiers, "x.topo", FabricKind::Htsim, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        const PlatformSpec& spec = fabric.value().spec;
        // 432 hosts, 12 x 6 leaves, as many above them, 432 / 36 cores; of 12 cores each switch of the middle tier reaches two.
        QCOMPARE(spec.nodes.size(), std::size_t{432 + 72 + 72 + 12});
        const auto links = linksOf(spec);
        QCOMPARE(links.size(), std::size_t{2 * (432 + 72 * 6 + 72 * 2)});
        QCOMPARE(links.at("aggregation8>core2"), std::string("37500000000 B/s, 600000000 ps")); // place 2 in its pod
        QVERIFY(links.contains("aggregation8>core8"));
        QVERIFY(!links.contains("aggregation8>core3"));
    }

    void aCustomTopologyOfAstraSimNamesItsFile()
    {
        const Folder folder;
        const std::string topology = folder.add("topology.txt", kStar);
        const std::string network = folder.add("network.yml", "topology: [ Custom ]\ntopology_file: \"topology.txt\"\nnpus_count: [ 4 ]\n");
        Diagnostics diagnostics;

        const auto fabric = loadFabric(network, FabricKind::AstraSim, {}, diagnostics);

        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        QVERIFY(!fabric.value().astraUnits);
        QCOMPARE(linksOf(fabric.value().spec).at("npu0>switch4"), std::string("50000000000 B/s, 500000 ps"));
        QCOMPARE(fabric.value().files, std::vector<std::string>{topology});
        QVERIFY(diagnostics.empty());
        for (const auto& [text, word] : {std::pair{"topology: [ Custom ]\n", "topology_file"}, {"topology: [ Custom ]\ntopology_file: none.txt\n", "none.txt"},
                                         {"topology: [ Custom ]\ntopology_file: topology.txt\nnpus_count: [ 5 ]\n", "the topology file has 4 NPUs"},
                                         {"topology: [ Custom, Ring ]\ntopology_file: topology.txt\n", "[ Custom ] alone"}}) {
            const auto refused = loadFabric(folder.add("bad.yml", text), FabricKind::AstraSim, {}, diagnostics);
            QVERIFY(!refused);
            QVERIFY2(refused.error().text().find(word) != std::string::npos, refused.error().text().c_str());
        }
    }

    void anNs3ConfigurationLeadsToItsTopology()
    {
        const Folder folder;
        folder.add("star.txt", kStar);
        const std::string config = folder.add("config.txt", "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\n\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE ./star.txt\nFLOW_FILE flow.txt\n");
        Diagnostics diagnostics;

        const auto kind = fabricKindOfFile(config);
        QVERIFY(bool(kind) && kind.value() == FabricKind::Ns3);
        const auto fabric = loadFabric(config, FabricKind::Ns3, {}, diagnostics);
        QVERIFY2(bool(fabric), fabric ? "" : fabric.error().text().c_str());
        QCOMPARE(npusOf(fabric.value().spec), std::int64_t{4});
        const auto lost = loadFabric(folder.add("lost.txt", "ENABLE_QCN 1\nTOPOLOGY_FILE gone.txt\n"), FabricKind::Ns3, {}, diagnostics);
        QVERIFY(!lost);
        QVERIFY2(lost.error().text().find("gone.txt") != std::string::npos && lost.error().text().find("line 2") != std::string::npos, lost.error().text().c_str());
    }

    void aDesignNeedsNoKindWhereTheContentSaysIt_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("origin");
        QTest::newRow("ASTRA-sim") << "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n" << "fabric (ASTRA-sim)";
        QTest::newRow("NCCL") << QString::fromStdString(amdMachine("gfx90a", "<xgmi target=\"0000:01:00.0\" count=\"1\" tclass=\"0x038000\"/>")) << "fabric (NCCL)";
        QTest::newRow("ns-3") << kStar << "fabric (ns-3)";
        QTest::newRow("HTSim") << kLeafSpine << "fabric (HTSim)";
    }
    void aDesignNeedsNoKindWhereTheContentSaysIt()
    {
        QFETCH(QString, text);
        QFETCH(QString, origin);
        const Folder folder;
        folder.add("fabric", text.toStdString());

        const auto loaded = readDesign(folder.add("d.yaml", "fabricscope: 1\nplatform: {file: fabric}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));

        QVERIFY2(bool(loaded), loaded ? "" : loaded.error().text().c_str());
        QCOMPARE(QString::fromStdString(loaded.value().design.platformOrigin), origin);
        // The same file opened by itself.
        InputFiles files;
        QVERIFY(bool(files.add(folder.add("fabric", text.toStdString()))));
        QCOMPARE(files.kinds(), std::size_t{1});
    }

    void aFileWithoutAFabricAsksForItsKind()
    {
        const Folder folder;
        folder.add("fabric", "hello\n");

        const auto loaded = readDesign(folder.add("d.yaml", "fabricscope: 1\nplatform: {file: fabric}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));

        QVERIFY(!loaded);
        QVERIFY2(loaded.error().text().find("astra-sim, infragraph, nccl, ns-3 or htsim") != std::string::npos, loaded.error().text().c_str());
    }

    void damagedFilesAreRefusedByLine_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const auto ns3 = static_cast<int>(FabricKind::Ns3);
        const auto htsim = static_cast<int>(FabricKind::Htsim);
        QTest::newRow("empty") << ns3 << "" << "no topology file of ns-3";
        QTest::newRow("all switches") << ns3 << "2 2 1\n0 1\n0 1 1Gbps 1us 0\n" << "2 switches of 2 nodes";
        QTest::newRow("switch twice") << ns3 << "4 2 1\n3 3\n0 3 1Gbps 1us 0\n" << "x:2, switches: switch 3 stands twice";
        QTest::newRow("no such node") << ns3 << "3 1 1\n2\n0 9 1Gbps 1us 0\n" << "x:3, to: \"9\" is no node (expected 0 to 2)";
        QTest::newRow("too few links") << ns3 << "3 1 2\n2\n0 2 1Gbps 1us 0\n" << "after 1 of 2 links";
        QTest::newRow("rate") << ns3 << "3 1 1\n2\n0 2 fast 1us 0\n" << "x:3, rate: \"fast\" is no rate";
        QTest::newRow("no rate at all") << ns3 << "3 1 1\n2\n0 2 0Gbps 1us 0\n" << "rate";
        QTest::newRow("delay") << ns3 << "3 1 1\n2\n0 2 1Gbps -1us 0\n" << "x:3, delay";
        QTest::newRow("a loop") << ns3 << "3 1 1\n2\n0 0 1Gbps 1us 0\n" << "ends where it starts";
        QTest::newRow("huge") << ns3 << "99999999999 1 1\n2\n" << "99999999999 nodes";
        QTest::newRow("links below zero") << ns3 << "2 0 -1\n0 1 1Gbps 1us 0\n" << "x:1, links: -1 links (expected 0 or more)";
        QTest::newRow("header") << htsim << "Tiers 2\nTier 0\n" << "nodes: the line is missing";
        QTest::newRow("four tiers") << htsim << "Nodes 4\nTiers 4\n" << "x:2, tiers";
        QTest::newRow("tier missing") << htsim << "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 1\nRadix_Down 2\n" << "tier 1: the tier is missing";
        QTest::newRow("key twice") << htsim << "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nRadix_Down 2\nRadix_Down 2\n" << "x:6, radix_down: it stands twice";
        QTest::newRow("does not divide") << htsim << "Nodes 6\nTiers 2\nPodsize 6\nTier 0\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 1\nRadix_Down 4\nTier 1\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 1\nRadix_Down 2\n" << "no whole number of leaves";
    }
    void damagedFilesAreRefusedByLine()
    {
        QFETCH(int, kind);
        QFETCH(QString, text);
        QFETCH(QString, words);
        Diagnostics diagnostics;

        const auto fabric = readFabric(text.toStdString(), "x", static_cast<FabricKind>(kind), {}, diagnostics);

        QVERIFY(!fabric);
        QVERIFY2(fabric.error().text().find(words.toStdString()) != std::string::npos, fabric.error().text().c_str());
    }

    void ofManyFaultsAHundredAreListed()
    {
        constexpr int kFaults = 5000;
        std::string keys = kLeafSpine;
        std::string links;
        for (int i = 0; i < kFaults; ++i) {
            keys += "Key" + std::to_string(i) + " 1\n";
            links += "<nvlink target=\"dddd:00:00.0\" count=\"1\" tclass=\"0x030200\"/>";
        }
        Diagnostics ofKeys;
        Diagnostics ofLinks;

        const auto tree = readFabric(keys, "x.topo", FabricKind::Htsim, {}, ofKeys);
        const auto dump = readFabric(amdMachine("gfx942", links + "<xgmi target=\"0000:01:00.0\" count=\"1\" tclass=\"0x038000\"/>"), "x.xml", FabricKind::Nccl, {}, ofLinks);

        QVERIFY2(bool(tree), tree ? "" : tree.error().text().c_str());
        QVERIFY2(bool(dump), dump ? "" : dump.error().text().c_str());
        const auto count = [](const Diagnostics& all, const std::string& rule) { return std::count_if(all.begin(), all.end(), [&](const Diagnostic& one) { return one.rule == rule; }); };
        QCOMPARE(count(ofKeys, "unknown-key"), 101);
        QVERIFY(says(ofKeys, "4900 more unknown keys are ignored"));
        QCOMPARE(count(ofLinks, "nccl-peer"), 101);
        QVERIFY(says(ofLinks, "are not listed"));
    }

    void filesOfOtherToolsAreNamedAsWhatTheyAre_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("logical dimensions") << "logical.json" << "{\"logical-dims\": [\"8\", \"2\"]}" << "the logical topology of an ns-3 run";
        QTest::newRow("PyTorch") << "trace.0.json" << "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 7, \"time\": \"2024\", \"start_ts\": 1, \"nodes\": [{\"id\": 1}]}" << "a PyTorch execution trace";
        QTest::newRow("profiler") << "kineto.json" << "{\"schemaVersion\": 1, \"traceEvents\": []}" << "a trace of events for Perfetto or Chrome";
        QTest::newRow("XML without a system") << "graph.xml" << "<graphs version=\"1\"></graphs>" << "NCCL_TOPO_DUMP_FILE";
    }
    void filesOfOtherToolsAreNamedAsWhatTheyAre()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(QString, words);
        const Folder folder;
        InputFiles files;

        const Status status = files.add(folder.add(name.toUtf8().constData(), text.toStdString()));

        QVERIFY(!status);
        QVERIFY2(status.error().text().find(words.toStdString()) != std::string::npos, status.error().text().c_str());
    }

    void aTopologyFileThatIsNoDumpSaysHowToGetOne()
    {
        Diagnostics diagnostics;
        for (const char* text : {"<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/></cpu></system>", "<graphs version=\"1\"/>"}) {
            const auto spec = readNcclTopology(text, "topo.xml", {}, diagnostics);
            QVERIFY(!spec);
            QVERIFY2(spec.error().text().find("NCCL_TOPO_DUMP_FILE") != std::string::npos, spec.error().text().c_str());
        }
    }
};

FABRICSCOPE_TEST(FabricFilesTest)
#include "tst_fabricfiles.moc"
