// Wrong and odd inputs of an ASTRA-sim run, after reference/astra_sim/bad_inputs.csv of the shared folder (ids B..): where the
// reference crashed, hung or was silent, the command line must say what is wrong; where it gave a number, the number must be the same.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// The input files of a run; the default is the base case of the table: Ring(4), 50 GB/s, 500 ns, ring, all-reduce 1 MiB, 4 splits,
/// endpoint-delay 10, local-mem-bw 1600, roofline on: 43000 ns.
struct Inputs {
    QByteArray network = "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
    std::map<QByteArray, QByteArray> system{
        {"scheduling-policy", "\"LIFO\""}, {"endpoint-delay", "10"}, {"active-chunks-per-dimension", "1"}, {"preferred-dataset-splits", "4"},
        {"collective-optimization", "\"localBWAware\""}, {"local-mem-bw", "1600"}, {"peak-perf", "900"}, {"roofline-enabled", "1"},
        {"all-reduce-implementation", "[\"ring\"]"}, {"all-gather-implementation", "[\"ring\"]"},
        {"reduce-scatter-implementation", "[\"ring\"]"}, {"all-to-all-implementation", "[\"ring\"]"}};
    QByteArray systemText; ///< Instead of `system`.
    QByteArray memory = "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}";
    QByteArray groups;
    std::vector<std::vector<EtNode>> ranks = std::vector<std::vector<EtNode>>(4, {collectiveNode(1, 0, kMiB)});
    std::map<std::size_t, QByteArray> rawRanks; ///< Instead of `ranks`, by rank.
    bool systemFile = true;
    bool memoryFile = true;
    bool logInTheWay = false;
    QStringList more;

    void algorithms(const QByteArray& list)
    {
        for (const char* const name : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"})
            system[QByteArray(name) + "-implementation"] = list;
    }
    void npus(int count, const QByteArray& shape = "Ring")
    {
        network = "topology: [ " + shape + " ]\nnpus_count: [ " + QByteArray::number(count) + " ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
        ranks.assign(static_cast<std::size_t>(count), ranks.front());
    }
    void replace(const QByteArray& from, const QByteArray& to) { network.replace(from, to); }
    /// Every rank runs these.
    void all(const std::vector<EtNode>& nodes) { ranks.assign(ranks.size(), nodes); }
};

EtNode withAttribute(EtNode node, EtAttribute attribute)
{
    std::erase_if(node.attributes, [&](const EtAttribute& old) { return old.name == attribute.name; });
    node.attributes.push_back(std::move(attribute));
    return node;
}

EtNode withoutAttribute(EtNode node, const std::string& name)
{
    std::erase_if(node.attributes, [&](const EtAttribute& old) { return old.name == name; });
    return node;
}

EtNode inGroup(EtNode node, const std::string& group)
{
    return withAttribute(std::move(node), EtAttribute::text("pg_name", group));
}

EtNode nodeOfType(std::uint64_t id, std::int32_t type)
{
    EtNode node;
    node.id = id;
    node.name = "odd";
    node.type = type;
    node.attributes = {EtAttribute::boolean("is_cpu_op", false)};
    return node;
}

std::vector<bool> bools(std::initializer_list<bool> values)
{
    return values;
}

EtAttribute involved(const std::vector<bool>& mask)
{
    EtAttribute attribute{"involved_dim", EtKind::BoolList, {}, {}, {}, {}};
    for (const bool on : mask)
        attribute.integers.push_back(on ? 1 : 0);
    return attribute;
}

} // namespace

using Change = std::function<void(Inputs&)>;
Q_DECLARE_METATYPE(Change)

class TestCliBadInputs : public QObject {
    Q_OBJECT

private:
    CliResult run(const Inputs& in, const QTemporaryDir& folder)
    {
        const auto write = [&](const char* name, const QByteArray& text) { QVERIFY(writeFile(folder.filePath(QString::fromUtf8(name)), text)); };
        write("net.yml", in.network);
        QByteArray system = in.systemText;
        if (system.isEmpty()) {
            for (const auto& [key, value] : in.system)
                system += (system.isEmpty() ? "{\n  \"" : ",\n  \"") + key + "\": " + value;
            system += "\n}\n";
        }
        if (in.systemFile)
            write("sys.json", system);
        if (in.memoryFile)
            write("mem.json", in.memory);
        QStringList arguments{QStringLiteral("astra"), QStringLiteral("--workload-configuration=t"), QStringLiteral("--system-configuration=sys.json"),
                              QStringLiteral("--network-configuration=net.yml"), QStringLiteral("--remote-memory-configuration=mem.json")};
        if (!in.groups.isEmpty()) {
            write("groups.json", in.groups);
            arguments << QStringLiteral("--comm-group-configuration=groups.json");
        }
        if (in.logInTheWay)
            write("log", "not a folder");
        for (std::size_t rank = 0; rank < in.ranks.size(); ++rank) {
            const auto raw = in.rawRanks.find(rank);
            write(("t." + std::to_string(rank) + ".et").c_str(), raw != in.rawRanks.end() ? raw->second : traceBytes(in.ranks[rank]));
        }
        return runCli(arguments + in.more, folder.path());
    }

private slots:
    void everyInputIsAnsweredOrRefusedInWords_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<int>("exit");
        QTest::addColumn<qlonglong>("finish"); // of the last rank; -1: none
        QTest::addColumn<QStringList>("says"); // on stderr, all of them

        const auto row = [](const char* id, int exit, qlonglong finish, QStringList says, Change change) {
            QTest::newRow(id) << std::move(change) << exit << finish << says;
        };
        const auto says = [](std::initializer_list<const char*> parts) {
            QStringList list;
            for (const char* const part : parts)
                list << QString::fromUtf8(part);
            return list;
        };
        const EtNode reduce = collectiveNode(1, 0, kMiB);
        const auto cut = [](const QByteArray& bytes) { return bytes.left(bytes.size() / 2); };
        const auto trace = [](const std::vector<EtNode>& nodes) { return traceBytes(nodes); };
        // One compute node of 10^9 operations at 900 TFLOP/s: floor(1111.1) ns.
        const EtNode work = computeNode(1, 1'000'000'000, 1000);

        row("base case", 0, 43000, {}, [](Inputs&) {});
        row("B01 file cut in half", 2, -1, says({"t.1.et", "rank 1", "byte"}), [=](Inputs& in) { in.rawRanks[1] = cut(trace({reduce})); });
        row("B01b file cut, other ranks differ", 2, -1, says({"t.1.et", "rank 1", "byte"}), [=](Inputs& in) {
            in.ranks[0] = {reduce, computeNode(2, 1'000'000'000, 1000, {1})};
            in.rawRanks[1] = cut(trace({reduce}));
        });
        row("B02 empty file", 2, -1, says({"t.1.et", "rank 1", "empty"}), [](Inputs& in) { in.rawRanks[1] = ""; });
        row("B03 random bytes", 2, -1, says({"t.1.et", "rank 1"}), [](Inputs& in) {
            QByteArray noise;
            for (quint32 i = 0, state = 12345; i < 400; ++i, state = state * 1664525U + 1013904223U)
                noise += static_cast<char>(state >> 24);
            in.rawRanks[1] = noise;
        });
        row("B05 a rank without nodes", 3, -1, says({"rank 1"}), [](Inputs& in) { in.ranks[1] = {}; });
        row("B06 two nodes wait for each other", 2, -1, says({"node 1", "2"}), [=](Inputs& in) {
            in.all({collectiveNode(1, 0, kMiB, {2}), computeNode(2, 1'000'000'000, 1000, {1})});
        });
        row("B08 node depends on itself", 2, -1, says({"rank 0", "node 2", "2 waits for 2"}), [=](Inputs& in) { in.all({reduce, computeNode(2, 1'000'000'000, 1000, {2})}); });
        row("B09 dependency on an absent node", 2, -1, says({"rank 0", "node 1", "99"}), [](Inputs& in) { in.all({collectiveNode(1, 0, kMiB, {99})}); });
        row("B11 bandwidth 0", 2, -1, says({"net.yml:3", "bandwidth"}), [](Inputs& in) { in.replace("50.0", "0"); });
        row("B12 bandwidth negative", 2, -1, says({"net.yml:3", "bandwidth"}), [](Inputs& in) { in.replace("50.0", "-50"); });
        row("B14 bandwidth not a number", 2, -1, says({"net.yml:3", "bandwidth"}), [](Inputs& in) { in.replace("50.0", ".nan"); });
        row("B15 bandwidth infinite", 2, -1, says({"net.yml:3", "bandwidth"}), [](Inputs& in) { in.replace("50.0", ".inf"); });
        row("B17 unknown topology", 2, -1, says({"net.yml:1", "Mesh", "Ring, FullyConnected"}), [](Inputs& in) { in.replace("Ring", "Mesh"); });
        row("B18 topology in lower case", 2, -1, says({"net.yml:1", "ring", "Ring"}), [](Inputs& in) { in.replace("Ring", "ring"); });
        row("B20 one NPU", 0, 0, says({"warning", "net.yml:2", "npus_count"}), [](Inputs& in) { in.replace("[ 4 ]", "[ 1 ]"); });
        row("B21 NPUs not whole", 2, -1, says({"net.yml:2", "npus_count", "4.5"}), [](Inputs& in) { in.replace("[ 4 ]", "[ 4.5 ]"); });
        row("B23 latency missing", 2, -1, says({"net.yml", "latency"}), [](Inputs& in) { in.replace("latency: [ 500.0 ]\n", ""); });
        row("B24 YAML syntax", 2, -1, says({"net.yml:"}), [](Inputs& in) { in.replace("[ 50.0 ]", "[ 50.0"); });
        row("B26 fewer traces than NPUs", 2, -1, says({"8", "4", "t.4.et"}), [](Inputs& in) { in.replace("[ 4 ]", "[ 8 ]"); });
        row("B27 more traces than NPUs", 0, 43000, says({"warning", "4"}), [=](Inputs& in) { in.ranks.assign(8, {reduce}); });
        row("B29 barrier", 2, -1, says({"barrier", "node 1", "expected all_reduce"}), [](Inputs& in) { in.all({collectiveNode(1, 9, kMiB)}); });
        row("B30 unknown algorithm", 2, -1, says({"sys.json", "all-reduce-implementation", "magic"}), [](Inputs& in) { in.system["all-reduce-implementation"] = "[\"magic\"]"; });
        row("B32 more algorithms than dimensions", 2, -1, says({"all-reduce-implementation", "2 algorithms for 1 dimensions"}), [](Inputs& in) { in.algorithms("[\"ring\", \"ring\"]"); });
        row("B33 no algorithm for a collective that runs", 2, -1, says({"node 1", "all-reduce-implementation"}), [](Inputs& in) { in.system.erase("all-reduce-implementation"); });
        row("B35 local-mem-bw missing under roofline", 2, -1, says({"sys.json", "local-mem-bw", "roofline"}), [](Inputs& in) { in.system.erase("local-mem-bw"); });
        row("B35 local-mem-bw missing", 0, 41560, says({"warning", "local-mem-bw"}), [](Inputs& in) {
            in.system.erase("local-mem-bw");
            in.system["roofline-enabled"] = "0";
        });
        row("B36 scheduling-policy missing", 0, 43000, {}, [](Inputs& in) { in.system.erase("scheduling-policy"); });
        row("B38 misspelt key, the right one missing", 2, -1, says({"sys.json", "preferred-dataset-splits"}), [](Inputs& in) {
            in.system.erase("preferred-dataset-splits");
            in.system["prefered-dataset-splits"] = "4";
        });
        row("B39 misspelt optional key", 0, 43000, says({"warning", "sys.json", "endpoint_delay", "endpoint-delay"}), [](Inputs& in) {
            in.system.erase("endpoint-delay");
            in.system["endpoint_delay"] = "1000";
        });
        // 4 chunks of 3 (1720 + 120) + 3 x 1720 without the seven delays of 10 ns each.
        row("B41 endpoint-delay 0", 0, 42720, says({"warning", "sys.json", "endpoint-delay"}), [](Inputs& in) { in.system["endpoint-delay"] = "0"; });
        row("B42 no active chunk", 2, -1, says({"sys.json", "active-chunks-per-dimension"}), [](Inputs& in) { in.system["active-chunks-per-dimension"] = "0"; });
        row("B44 trailing comma", 2, -1, says({"sys.json:3"}), [](Inputs& in) { in.systemText = "{\n  \"endpoint-delay\": 10,\n}\n"; });
        row("B45 system file missing", 2, -1, says({"sys.json"}), [](Inputs& in) { in.systemFile = false; });
        row("B47 misspelt option", 0, 43000, says({"warning", "--num-queue-per-dim", "did you mean --num-queues-per-dim"}), [](Inputs& in) {
            in.more << QStringLiteral("--num-queue-per-dim=4");
        });
        row("B48 collective without size", 2, -1, says({"node 1", "comm_size"}), [=](Inputs& in) { in.all({withoutAttribute(reduce, "comm_size")}); });
        row("B50 negative size", 2, -1, says({"node 1", "comm_size", "-1"}), [](Inputs& in) { in.all({collectiveNode(1, 0, -1)}); });
        row("B51 size of 2^60", 2, -1, says({"node 1"}), [](Inputs& in) { in.all({collectiveNode(1, 0, std::int64_t{1} << 60)}); });
        row("B53 ranks disagree on the size", 3, -1, says({"rank 0", "node 1"}), [](Inputs& in) { in.ranks[0] = {collectiveNode(1, 0, 2 * kMiB)}; });
        row("B54 ranks disagree on the collective", 3, -1, says({"rank 0", "node 1"}), [](Inputs& in) { in.ranks[0] = {collectiveNode(1, 2, kMiB)}; });
        row("B56 receive without send", 3, -1, says({"rank 1", "node 1"}), [=](Inputs& in) {
            in.all({work});
            in.ranks[1] = {messageNode(1, false, 0, 1, kMiB)};
        });
        row("B57 send without receive", 0, 20031, says({"rank 1 never receives it"}), [=](Inputs& in) {
            in.all({work});
            in.ranks[0] = {messageNode(1, true, 0, 1, kMiB)};
        });
        row("B58a send to an absent rank", 2, -1, says({"rank 0", "node 1", "99"}), [=](Inputs& in) {
            in.all({work});
            in.ranks[0] = {messageNode(1, true, 0, 99, kMiB)};
            in.more << QStringLiteral("--backend=aware");
        });
        row("B59 send to itself", 2, -1, says({"rank 0", "node 1"}), [=](Inputs& in) {
            in.all({work});
            in.ranks[0] = {messageNode(1, true, 0, 0, kMiB)};
        });
        row("B61 group without a group file", 2, -1, says({"node 1", "7"}), [=](Inputs& in) { in.all({inGroup(reduce, "7")}); });
        row("B62 group name no number", 2, -1, says({"node 1", "default_pg"}), [=](Inputs& in) { in.all({inGroup(reduce, "default_pg")}); });
        row("B64 group 0", 0, 43000, says({"warning", "groups.json", "0"}), [](Inputs& in) { in.groups = "{\"0\": [0, 1]}"; });
        row("B65 group file no JSON", 2, -1, says({"groups.json"}), [](Inputs& in) { in.groups = "ranks 0 and 1"; });
        row("B67 group with an absent rank", 2, -1, says({"groups.json", "9"}), [=](Inputs& in) {
            in.groups = "{\"1\": [0, 9]}";
            in.all({inGroup(reduce, "1")});
        });
        row("B68 group of one", 0, 0, says({"warning", "one member"}), [=](Inputs& in) {
            in.groups = "{\"1\": [0], \"2\": [1], \"3\": [2], \"4\": [3]}";
            in.ranks = {{inGroup(reduce, "1")}, {inGroup(reduce, "2")}, {inGroup(reduce, "3")}, {inGroup(reduce, "4")}};
        });
        row("B70 compute without operations, roofline off", 0, 1, says({"warning", "duration"}), [=](Inputs& in) {
            in.system["roofline-enabled"] = "0";
            in.all({withoutAttribute(work, "num_ops")});
        });
        row("B71 roofline without peak-perf", 2, -1, says({"sys.json", "peak-perf"}), [=](Inputs& in) {
            in.system.erase("peak-perf");
            in.all({work});
        });
        row("B73 INVALID node before a collective", 0, 43000, says({"warning", "rank 0", "node 1", "INVALID"}), [](Inputs& in) { in.all({nodeOfType(1, 0), collectiveNode(2, 0, kMiB, {1})}); });
        row("B74 undefined node type", 2, -1, says({"node 1", "12"}), [](Inputs& in) { in.all({nodeOfType(1, 12)}); });
        row("B76 unknown remote memory", 2, -1, says({"mem.json", "memory-type", "MAGIC"}), [](Inputs& in) { in.memory = "{\"memory-type\": \"MAGIC\"}"; });
        row("B77 remote memory file missing", 2, -1, says({"mem.json"}), [](Inputs& in) { in.memoryFile = false; });
        row("B79 halvingDoubling of six", 2, -1, says({"halvingDoubling", "6", "power of two"}), [](Inputs& in) {
            in.npus(6);
            in.algorithms("[\"halvingDoubling\"]");
        });
        row("B80 doubleBinaryTree of six", 2, -1, says({"doubleBinaryTree"}), [](Inputs& in) {
            in.npus(6);
            in.algorithms("[\"doubleBinaryTree\"]");
        });
        row("B82 halvingDoubling for all-to-all", 2, -1, says({"node 1", "halvingDoubling", "all-to-all"}), [](Inputs& in) {
            in.algorithms("[\"halvingDoubling\"]");
            in.all({collectiveNode(1, 6, kMiB)});
        });
        row("B83 all-gather smaller than its chunks", 0, 0, says({"warning", "fewer bytes than chunks"}), [](Inputs& in) { in.all({collectiveNode(1, 2, 2)}); });
        const auto torus = [](Inputs& in) {
            in.network = "topology: [ Ring, Ring ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 50.0, 50.0 ]\nlatency: [ 500.0, 500.0 ]\n";
            in.algorithms("[\"ring\", \"ring\"]");
        };
        row("B85 involved_dim too short", 0, 24620, says({"warning", "involved_dim"}), [=](Inputs& in) {
            torus(in);
            in.all({withAttribute(reduce, involved(bools({true})))});
        });
        row("B86 involved_dim all false", 0, 0, says({"warning", "no dimension"}), [=](Inputs& in) { in.all({withAttribute(reduce, involved(bools({false})))}); });
        row("B88 no queue", 2, -1, says({"--num-queues-per-dim"}), [](Inputs& in) { in.more << QStringLiteral("--num-queues-per-dim=0"); });
        row("B89 comm-scale does nothing", 0, 43000, says({"warning", "--comm-scale"}), [](Inputs& in) { in.more << QStringLiteral("--comm-scale=0.5"); });
        row("B91 a file called log", 0, 43000, {}, [](Inputs& in) { in.logInTheWay = true; });
        // Two ranks, 4 chunks of 10 + (2941 + 10 + 243) + (2941 + 10).
        row("B92 ring of two, congestion-aware", 0, 24620, says({"warning", "Ring of 2"}), [](Inputs& in) {
            in.npus(2);
            in.more << QStringLiteral("--backend=aware");
        });
        // The same in each of two groups at once.
        row("B94 two groups at once", 0, 24620, {}, [=](Inputs& in) {
            in.groups = "{\"1\": [0, 1], \"2\": [2, 3]}";
            in.ranks = {{inGroup(reduce, "1")}, {inGroup(reduce, "1")}, {inGroup(reduce, "2")}, {inGroup(reduce, "2")}};
        });
        row("B95 size not divisible by the splits", 0, 53750, says({"warning"}), [](Inputs& in) { in.all({collectiveNode(1, 0, kMiB + 3)}); });
    }

    void everyInputIsAnsweredOrRefusedInWords()
    {
        QFETCH(const Change, change);
        QFETCH(const int, exit);
        QFETCH(const qlonglong, finish);
        QFETCH(const QStringList, says);
        Inputs in;
        change(in);
        const QTemporaryDir folder;

        const CliResult result = run(in, folder);

        QVERIFY2(result.exit == exit, "exit " + QByteArray::number(result.exit) + ", stderr: " + result.err);
        for (const QString& part : says)
            QVERIFY2(result.err.contains(part.toUtf8()), "\"" + part.toUtf8() + "\" is missing in: " + result.err);
        if (exit == 0 && says.isEmpty())
            QCOMPARE(result.err, QByteArray());
        if (exit == 2)
            QCOMPARE(result.out, QByteArray());
        long long last = -1;
        for (const auto& [rank, cycles] : finishLines(result.out))
            last = std::max(last, cycles);
        if (exit != 3)
            QCOMPARE(last, finish);
        QVERIFY(!QFileInfo(folder.filePath(QStringLiteral("log"))).isDir());
    }

    void filesOfOtherCommandsAreRefusedInWords_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        for (const char* const line : {"plan bad.yaml", "generate bad.yaml --out new", "shard bad.yaml --run", "transform bad.yaml --tune", "place bad.yaml", "model show bad.yaml", "study run bad.yaml", "case bad.yaml"}) {
            const auto row = [&](const char* name, const QByteArray& text, const char* says) { QTest::newRow(qPrintable(QString::fromUtf8(line) + ": " + name)) << QString::fromUtf8(line) << text << QByteArray(says); };
            row("nothing", "", "empty");
            row("no YAML", "fabricscope: 1\nshard: {mesh: [x\n", "bad.yaml:");
            row("a key of nothing", "fabricscope: 1\nnothing: 1\n", "bad.yaml");
            row("no version", "place: {}\ntransform: {}\nshard: {}\nmodel: {}\nstudy: {}\n", "bad.yaml");
            row("a list", "- 1\n- 2\n", "bad.yaml");
            row("deep", QByteArray(20'000, '['), "bad.yaml");
            row("a number beyond all", "fabricscope: 1\nshard: {mesh: {x: 99999999999999999999}, tensors: {}}\ntransform: {ranks: 1e99}\nplace: {batch: -1}\nmodel: {transformer: {layers: 1e30}}\nplatform: {dimensions: [{shape: ring, size: 1e30}]}\n", "bad.yaml");
        }
        const QByteArray head = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n";
        QTest::newRow("a program with another op") << QStringLiteral("shard bad.mlir") << head + "  %0 = stablehlo.infeed %a : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n" << QByteArray("bad.mlir:2:8: op stablehlo.infeed is not read");
        QTest::newRow("half a program") << QStringLiteral("shard bad.mlir") << head << QByteArray("bad.mlir:2");
        QTest::newRow("a program of no text") << QStringLiteral("shard bad.mlir") << QByteArray(3, '\0') << QByteArray("bad.mlir");
    }
    void filesOfOtherCommandsAreRefusedInWords()
    {
        QFETCH(QString, line);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const QTemporaryDir folder;
        const QStringList words = line.split(QLatin1Char(' '));
        for (const QString& word : words) {
            if (word.startsWith(QStringLiteral("bad.")))
                QVERIFY(writeFile(folder.filePath(word), text));
        }
        const CliResult result = runCli(words, folder.path());
        QVERIFY2(result.exit == 2, "exit " + QByteArray::number(result.exit) + ", stderr: " + result.err);
        QVERIFY2(result.err.contains(says), result.err);
        QCOMPARE(result.out, QByteArray());
    }
};

FABRICSCOPE_TEST(TestCliBadInputs)
#include "tst_cli_bad_inputs.moc"
