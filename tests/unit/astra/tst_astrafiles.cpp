#include "core/formats/astra/memoryfile.h"
#include "core/formats/astra/networkfile.h"
#include "core/formats/astra/systemfile.h"
#include "core/formats/fabricload.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>

using namespace fabricscope;

namespace {

constexpr const char* kGoodNetwork = "topology: [ Ring, Switch ]\nnpus_count: [ 4, 8 ]\nbandwidth: [ 100.0, 50 ]  # GB/s\nlatency: [ 500.0, 936.25 ]\n";

std::string network(const char* topology, const char* npus, const char* bandwidth, const char* latency)
{
    return std::string("topology: ") + topology + "\nnpus_count: " + npus + "\nbandwidth: " + bandwidth + "\nlatency: " + latency + "\n";
}

QString errorOf(const Result<PlatformSpec>& result)
{
    return result ? QString("accepted") : QString::fromStdString(result.error().text());
}

std::vector<std::string> filesNamed(const std::string& folder, const std::string& start, const std::string& extension)
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(start) && name.ends_with(extension))
            files.push_back(entry.path().string());
    }
    return files;
}

} // namespace

class AstraFilesTest : public QObject {
    Q_OBJECT

private slots:
    void readsANetworkInItsUnits()
    {
        Diagnostics diagnostics;
        const auto result = readAstraNetwork(kGoodNetwork, "net.yml", diagnostics);

        QVERIFY2(result, qPrintable(errorOf(result)));
        QVERIFY(diagnostics.empty());
        const auto& d = result.value().dimensions;
        QCOMPARE(d.size(), 2u);
        QVERIFY(d[0].shape == Shape::Ring && d[1].shape == Shape::Switch && d[1].size == 8);
        QCOMPARE(d[1].linkBandwidth().bytesPerSecond, 53'687'091'200); // 50 * 2^30
        QCOMPARE(d[1].linkLatency().ps, 936'250);
        QVERIFY(!d[0].bandwidthIsPerNpu);
    }

    void refusesBadNetworksByPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const std::string& text, const char* message) {
            QTest::newRow(name) << QString::fromStdString(text) << QString(message);
        };
        const auto bandwidth = [](const char* value) { return network("[ Ring ]", "[ 4 ]", value, "[ 500 ]"); };
        row("B11 zero", bandwidth("[ 0 ]"), "net.yml:3:14, bandwidth[0]: the bandwidth is 0 (expected a number of GB/s above 0)");
        row("B12 negative", bandwidth("[ -50 ]"), "net.yml:3:14, bandwidth[0]: the bandwidth is -50 (expected");
        row("B14 NaN", bandwidth("[ .nan ]"), "net.yml:3:14, bandwidth[0]: not a number (NaN)");
        row("B15 infinite", bandwidth("[ .inf ]"), "net.yml:3:14, bandwidth[0]: infinite value");
        row("huge", bandwidth("[ 1e300 ]"), "net.yml:3:14, bandwidth[0]: 1e300 is too large");
        row("not representable", bandwidth("[ 1e999 ]"), "net.yml:3:14, bandwidth[0]: \"1e999\" is too large");
        row("word", bandwidth("[ fast ]"), "net.yml:3:14, bandwidth[0]: \"fast\" is not a number");
        row("unit", bandwidth("[ 50 GB/s ]"), "net.yml:3:14, bandwidth[0]: \"50 GB/s\" is not a number");
        row("nested list", bandwidth("[ [ 1 ] ]"), "net.yml:3:14, bandwidth[0]: not a single value");
        row("no list", bandwidth("50"), "net.yml:3:12, bandwidth: not a list");
        row("negative latency", network("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ -1 ]"), "net.yml:4:12, latency[0]: the latency is -1");
        row("latency of a year", network("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ 3e16 ]"), "net.yml:4:12, latency[0]: 3e16 is too large");
        row("B17 unknown", network("[ Mesh ]", "[ 4 ]", "[ 50 ]", "[ 1 ]"),
            "net.yml:1:13, topology[0]: \"Mesh\" is not a topology (expected Ring, FullyConnected or Switch");
        row("B18 lower case", network("[ ring ]", "[ 4 ]", "[ 50 ]", "[ 1 ]"), "net.yml:1:13, topology[0]: \"ring\" is not a topology, did you mean \"Ring\"?");
        row("underscore", network("[ fully_connected ]", "[ 4 ]", "[ 50 ]", "[ 1 ]"),
            "net.yml:1:13, topology[0]: \"fully_connected\" is not a topology, did you mean \"FullyConnected\"?");
        row("B21 4.5", network("[ Ring ]", "[ 4.5 ]", "[ 50 ]", "[ 1 ]"), "net.yml:2:15, npus_count[0]: \"4.5\" is not a whole number (expected");
        row("octal", network("[ Ring ]", "[ 010 ]", "[ 50 ]", "[ 1 ]"), "net.yml:2:15, npus_count[0]: \"010\" is not a decimal number");
        row("no NPUs", network("[ Ring ]", "[ 0 ]", "[ 50 ]", "[ 1 ]"), "net.yml:2:15, npus_count[0]: 0 NPUs");
        row("2^64", network("[ Ring ]", "[ 18446744073709551616 ]", "[ 50 ]", "[ 1 ]"), "net.yml:2:15, npus_count[0]: \"18446744073709551616\" is too large");
        row("2^21 NPUs", network("[ Ring, Ring ]", "[ 2048, 1024 ]", "[ 50, 50 ]", "[ 1, 1 ]"), "net.yml:2:13, npus_count: the platform has more than 1048576 NPUs");
        row("B23 missing", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\n", "net.yml, latency: the key is missing");
        row("unequal", network("[ Ring, Ring ]", "[ 4, 4 ]", "[ 50 ]", "[ 1, 1 ]"), "net.yml:3:12, bandwidth: 1 entries, but topology has 2");
        row("B24 syntax", "topology: [ Ring\nnpus_count: [ 4 ]\n", "net.yml:2:11: not valid YAML: ");
        row("twice", std::string(kGoodNetwork) + "latency: [ 1, 1 ]\n", "net.yml:5:1, latency: the key stands twice");
        row("empty list", network("[ ]", "[ ]", "[ ]", "[ ]"), "net.yml:1:11, topology: 0 entries");
        row("empty", "", "net.yml");
        row("not a map", "- 1\n", "net.yml:1:1: not a network file");
        row("deep", std::string(100'000, '['), "net.yml:1:");
        row("tbd", network("[ Ring ]", "[ 8 ]", "[ tbd ]", "[ 1 ]"), "net.yml:3:14, bandwidth[0]: \"tbd\" is not a number");
        row("null", network("[ Ring ]", "[ 8 ]", "[ ~ ]", "[ 1 ]"), "net.yml:3:14, bandwidth[0]: ");
        std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
        for (char c = 'b'; c <= 'z'; ++c)
            bomb += std::string(1, c) + ": &" + c + " [*" + char(c - 1) + ", *" + char(c - 1) + ", *" + char(c - 1) + ", *" + char(c - 1) + "]\n";
        row("aliases of aliases", bomb + "topology: *z\n", "net.yml, npus_count: the key is missing");
    }
    void refusesBadNetworksByPlace()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        Diagnostics diagnostics;

        const QString error = errorOf(readAstraNetwork(text.toStdString(), "net.yml", diagnostics));

        QVERIFY2(error.startsWith(message), qPrintable(error));
    }

    void warnsAboutSizeOneAndUnknownKeys()
    {
        Diagnostics diagnostics;
        const auto result = readAstraNetwork(network("[ Ring ]", "[ 1 ]", "[ 50 ]", "[ 1 ]") + "latencys: [ 2 ]\ncolour: red\n", "net.yml", diagnostics);

        QVERIFY(result);
        QCOMPARE(diagnostics.size(), 3u);
        QCOMPARE(QString::fromStdString(diagnostics[0].text()),
                 QString("warning: net.yml:5:1, latencys: unknown key is ignored, did you mean \"latency\"? [unknown-key]"));
        QCOMPARE(QString::fromStdString(diagnostics[1].text()), QString("warning: net.yml:6:1, colour: unknown key is ignored [unknown-key]"));
        QCOMPARE(diagnostics[2].rule, std::string("size-one"));
        QCOMPARE(diagnostics[2].place.line, 2);
    }

    void missingFilesAreNamed()
    {
        Diagnostics diagnostics;
        const auto network = [&](const char* path) { return loadFabric(path, FabricKind::AstraSim, {}, diagnostics).error(); };
        for (const auto& error : {network("/no/such/net.yml"), loadAstraSystem("/no/such/net.yml", diagnostics).error(),
                                  loadAstraMemory("/no/such/net.yml", diagnostics).error()}) {
            QCOMPARE(error.text(), std::string("/no/such/net.yml: file not found"));
            QCOMPARE(exitCode(error.code), 2);
        }
        QVERIFY(network("/").text() == "/: is a folder, not a file");
    }

    void readsEveryKeyOfASystem()
    {
        Diagnostics diagnostics;
        const auto result = readAstraSystem(R"({
            "scheduling-policy": "FIFO", "collective-optimization": "localBWAware",
            "all-reduce-implementation": ["ring", "direct4", "halvingDoubling", "doubleBinaryTree"],
            "all-gather-implementation": ["oneRing"], "reduce-scatter-implementation": ["oneDirect12"],
            "all-to-all-implementation": ["direct"], "all-to-all-implementation-custom": ["algo/a2a"],
            "preferred-dataset-splits": 4, "active-chunks-per-dimension": 2, "endpoint-delay": 20, "local-mem-bw": 3350.5, "peak-perf": 700,
            "roofline-enabled": 1, "replay-only": 0, "track-local-mem": 1 })", "sys.json", diagnostics);

        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QVERIFY(diagnostics.empty());
        const AstraSystem& s = result.value();
        const std::vector<AstraAlgorithm> expected{{Algorithm::Ring, false, -1}, {Algorithm::Direct, false, 4}, {Algorithm::HalvingDoubling, false, -1},
                                                   {Algorithm::DoubleBinaryTree, false, -1}};
        QVERIFY(s.implementations[0] == expected);
        QVERIFY((s.implementations[1] == std::vector<AstraAlgorithm>{{Algorithm::Ring, true, -1}}));
        QVERIFY((s.implementations[2] == std::vector<AstraAlgorithm>{{Algorithm::Direct, true, 12}}));
        QCOMPARE(s.custom[3], std::string("algo/a2a"));
        QVERIFY(s.localBandwidthAware && s.roofline && !s.replayOnly && s.trackLocalMemory && s.endpointDelayGiven);
        QCOMPARE(s.splits, 4);
        QCOMPARE(s.activeChunks, 2);
        QCOMPARE(s.endpointDelayNs, 20);
        QCOMPARE(s.localMemoryGBps, 3350.5);
        QCOMPARE(s.peakTflops, 700.0);
        QCOMPARE(s.file, std::string("sys.json"));
    }

    void absentKeysHaveTheDefaultsOfAstraSim()
    {
        Diagnostics diagnostics;
        const auto result = readAstraSystem("{}", "sys.json", diagnostics);
        QVERIFY(result);
        QVERIFY(diagnostics.empty());
        AstraSystem expected;
        expected.file = "sys.json";
        QVERIFY(result.value() == expected);
        QVERIFY(!result.value().endpointDelayGiven);
    }

    void noticesKeysWithoutEffectAndUnknownOnes()
    {
        Diagnostics diagnostics;
        const auto result = readAstraSystem("{\n\"boost-mode\": 0,\n\"endpoint_delay\": 5,\n\"endpoint-delay\": 0,\n\"L\": 1,\n\"zzz\": [],\n"
                                            "\"active-chunks-per-dimension\": 2.5,\n\"all-reduce-implementation\": [\"oneRing\", \"ring\"]}",
                                            "sys.json", diagnostics);
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QCOMPARE(result.value().activeChunks, 2);
        QCOMPARE(result.value().implementations[0].size(), 1u);
        QStringList found;
        for (const Diagnostic& d : diagnostics)
            found << QString("%1:%2 %3").arg(d.place.line).arg(QString::fromStdString(d.place.field), QString::fromStdString(d.rule));
        found.sort();
        QCOMPARE(found, (QStringList{"2:boost-mode key-without-effect", "3:endpoint_delay unknown-key", "4:endpoint-delay no-endpoint-delay",
                                     "5:L key-without-effect", "6:zzz unknown-key", "7:active-chunks-per-dimension fraction-dropped",
                                     "8:all-reduce-implementation after-one"}));
        for (const Diagnostic& d : diagnostics) {
            if (d.place.field == "endpoint_delay")
                QVERIFY(d.message.find("did you mean \"endpoint-delay\"?") != std::string::npos);
            QCOMPARE(d.severity == Severity::Note, d.rule == "key-without-effect");
        }
    }

    void refusesBadSystemsByPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) { QTest::newRow(name) << QString(text) << QString(message); };
        row("B30 unknown algorithm", "{\n  \"all-reduce-implementation\": [\"ring\", \"rign\"]}",
            "sys.json:2:3, all-reduce-implementation: \"rign\" is not an algorithm (expected ring, oneRing");
        row("near algorithm", "{\"all-reduce-implementation\": [\"halving_doubling\"]}",
            "sys.json:1:2, all-reduce-implementation: \"halving_doubling\" is not an algorithm, did you mean \"halvingDoubling\"?");
        row("window 0", "{\"all-reduce-implementation\": [\"direct0\"]}", "sys.json:1:2, all-reduce-implementation: \"direct0\"");
        row("window of six digits", "{\"all-reduce-implementation\": [\"direct123456\"]}", "sys.json:1:2, all-reduce-implementation: \"direct123456\"");
        row("old text form", "{\"all-reduce-implementation\": \"ring_ring\"}", "sys.json:1:2, all-reduce-implementation: a text, which ASTRA-sim no longer accepts");
        row("empty list", "{\"all-gather-implementation\": []}", "sys.json:1:2, all-gather-implementation: not a list");
        row("list of numbers", "{\"all-gather-implementation\": [1]}", "sys.json:1:2, all-gather-implementation: \"number\" is not an algorithm");
        row("custom text", "{\"all-gather-implementation-custom\": \"x\"}", "sys.json:1:2, all-gather-implementation-custom: not a list of one path");
        row("custom two", "{\"all-gather-implementation-custom\": [\"x\", \"y\"]}", "sys.json:1:2, all-gather-implementation-custom: not a list of one path");
        row("policy", "{\"scheduling-policy\": \"lifo\"}", "sys.json:1:2, scheduling-policy: \"lifo\" is not known, did you mean \"LIFO\"? (expected one of LIFO, FIFO, EXPLICIT)");
        row("optimization", "{\"collective-optimization\": 1}", "sys.json:1:2, collective-optimization: 1 is not a text");
        row("B42 no chunks", "{\"active-chunks-per-dimension\": 0}", "sys.json:1:2, active-chunks-per-dimension: the value is 0 (expected a whole number, 1 to");
        row("text number", "{\"endpoint-delay\": \"10\"}", "sys.json:1:2, endpoint-delay: \"10\" is not a number");
        row("boolean", "{\"preferred-dataset-splits\": true}", "sys.json:1:2, preferred-dataset-splits: true is not a number");
        row("boolean flag", "{\"roofline-enabled\": false}", "sys.json:1:2, roofline-enabled: false is not a usable number");
        row("negative", "{\"endpoint-delay\": -1}", "sys.json:1:2, endpoint-delay: the value is -1");
        row("negative fraction", "{\"endpoint-delay\": -0.5}", "sys.json:1:2, endpoint-delay: the value is -0.5");
        row("2^63", "{\"preferred-dataset-splits\": 9223372036854775808}", "sys.json:1:2, preferred-dataset-splits: 9223372036854775808 is too large");
        row("1e30", "{\"preferred-dataset-splits\": 1e30}", "sys.json:1:2, preferred-dataset-splits: 1e+30 is too large");
        row("negative rate", "{\"local-mem-bw\": -50}", "sys.json:1:2, local-mem-bw: -50 is not a usable number");
        row("B71 roofline without peak", "{\"roofline-enabled\": 1, \"local-mem-bw\": 50}", "sys.json, peak-perf: roofline-enabled is on, but this is missing or 0");
        row("shared bus", "{\"model-shared-bus\": 1}", "sys.json:1:2, model-shared-bus: not supported");
        row("B44 trailing comma", "{\n  \"endpoint-delay\": 10,\n}", "sys.json:3:1: a comma before the closing bracket");
        row("trailing comma in a list", "{\"all-reduce-implementation\": [\"ring\", ]}", "sys.json:1:40: a comma before the closing bracket");
        row("syntax", "{\n  endpoint-delay: 10\n}", "sys.json:2:3: not valid JSON: ");
        row("cut", "{\"endpoint-delay\": ", "sys.json:1:");
        row("comment", "{ // x\n}", "sys.json:1:");
        row("twice", "{\"L\": 1,\n \"endpoint-delay\": 1,\n \"endpoint-delay\": 2}", "sys.json:3:2, endpoint-delay: the key stands twice");
        row("not an object", "[]", "sys.json: not a JSON object");
        row("empty", "", "sys.json:1:1: not valid JSON");
        row("out of range", "{\"local-mem-bw\": 1e999}", "sys.json:1:");
        row("per node file missing", "{\"per-node-custom-implementation\": \"no-such.yml\"}",
            "no-such.yml: file not found, named by per-node-custom-implementation in sys.json");
    }
    void refusesBadSystemsByPlace()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        Diagnostics diagnostics;

        const auto result = readAstraSystem(text.toStdString(), "sys.json", diagnostics);

        QVERIFY(!result);
        const QString error = QString::fromStdString(result.error().text());
        QVERIFY2(error.startsWith(message), qPrintable(error));
        QCOMPARE(exitCode(result.error().code), 2);
    }

    void deepJsonIsRefused()
    {
        Diagnostics diagnostics;
        const auto result = readAstraSystem("{\"L\": " + std::string(200'000, '['), "sys.json", diagnostics);
        QVERIFY(!result);
        QVERIFY(result.error().text().find("more than 64 levels") != std::string::npos);
    }

    void readsPerNodeCustomCollectivesBesideTheSystemFile()
    {
        QTemporaryDir folder;
        std::ofstream(folder.filePath("nodes.yml").toStdString()) << "5: algo/five\n18446744073709551615: algo/last\n";
        std::ofstream(folder.filePath("bad.yml").toStdString()) << "5: a\nfive: b\n";
        Diagnostics diagnostics;
        const std::string system = folder.filePath("sys.json").toStdString();

        const auto result = readAstraSystem(R"({"per-node-custom-implementation": "nodes.yml"})", system, diagnostics);
        const auto bad = readAstraSystem(R"({"per-node-custom-implementation": "bad.yml"})", system, diagnostics);

        QVERIFY2(result, result ? "" : result.error().text().c_str());
        const std::map<std::uint64_t, std::string> expected{{5, "algo/five"}, {UINT64_MAX, "algo/last"}};
        QVERIFY(result.value().perNodeCustom == expected);
        QVERIFY(!bad);
        QCOMPARE(bad.error().place.line, 2);
    }

    void readsRemoteMemory()
    {
        Diagnostics diagnostics;
        const auto pool = readAstraMemory(R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1000.9, "remote-mem-bw": 2.5})", "mem.json", diagnostics);

        QVERIFY2(pool, pool ? "" : pool.error().text().c_str());
        QVERIFY(pool.value().kind == RemoteMemory::Kind::Pool);
        QCOMPARE(pool.value().latencyNs, 1000);
        QCOMPARE(pool.value().bytesPerNs, 2);
        QCOMPARE(diagnostics.size(), 2u);
        QCOMPARE(diagnostics[1].message, std::string("the fraction of 2.5 is dropped, it acts as 2"));

        diagnostics.clear();
        const auto node = readAstraMemory(
            R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-bw": 100, "num-nodes": 2, "num-npus-per-node": 2})", "mem.json", diagnostics);
        QVERIFY(node);
        QVERIFY(node.value().kind == RemoteMemory::Kind::PerNode && node.value().nodes == 2 && node.value().npusPerNode == 2);
        QVERIFY(diagnostics.empty());
    }

    void refusesBadRemoteMemory_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) { QTest::newRow(name) << QString(text) << QString(message); };
        row("B76 unknown type", "{\"memory-type\": \"CXL\"}", "mem.json:1:2, memory-type: \"CXL\" is not known (expected one of NO_MEMORY_EXPANSION, ");
        row("no type", "{}", "mem.json, memory-type: the key is missing");
        row("no bandwidth", "{\"memory-type\": \"MEMORY_POOL\"}", "mem.json, remote-mem-bw: no bandwidth for MEMORY_POOL");
        row("fraction of a byte", "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": 0.5}", "mem.json:1:32, remote-mem-bw: no bandwidth for MEMORY_POOL");
        row("negative", "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": -1}", "mem.json:1:32, remote-mem-bw: the value is -1");
        row("no nodes", "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-bw\": 1}", "mem.json, num-nodes: no nodes");
        row("no NPUs per node", "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-bw\": 1, \"num-nodes\": 1}", "mem.json, num-npus-per-node: ");
    }
    void refusesBadRemoteMemory()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        Diagnostics diagnostics;
        const auto result = readAstraMemory(text.toStdString(), "mem.json", diagnostics);
        QVERIFY(!result);
        const QString error = QString::fromStdString(result.error().text());
        QVERIFY2(error.startsWith(message), qPrintable(error));
    }

    void readsEveryFileOfTheCorpus()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const std::string folder = shared + "/corpus/chakra";
        Diagnostics diagnostics;
        const auto networks = filesNamed(folder, "network", ".yml");
        for (const std::string& file : networks) {
            const auto result = loadFabric(file, FabricKind::AstraSim, {}, diagnostics);
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            QVERIFY(Platform::create(result.value().spec));
        }
        const auto systems = filesNamed(folder, "system", ".json");
        for (const std::string& file : systems) {
            const auto result = loadAstraSystem(file, diagnostics);
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            QVERIFY(result.value().splits > 0);
        }
        const auto memories = filesNamed(folder, "memory", ".json");
        for (const std::string& file : memories)
            QVERIFY(loadAstraMemory(file, diagnostics));
        QVERIFY(networks.size() > 30 && systems.size() > 30 && memories.size() > 10);
        for (const Diagnostic& d : diagnostics)
            QVERIFY2(d.severity == Severity::Note, d.text().c_str());
    }
};

FABRICSCOPE_TEST(AstraFilesTest)
#include "tst_astrafiles.moc"
