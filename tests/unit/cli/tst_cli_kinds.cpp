// Every command given every kind of file: it reads it, or says of which kind the file is and what it wants.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct Kind {
    const char* file;
    const char* words; ///< What a command calls it.
};

constexpr Kind kKinds[] = {
    {"design.yaml", "a design"},
    {"ring.xml", "MSCCL XML"},
    {"ring.json", "a program"},
    {"plan.json", "MSCCL++ plan"},
    {"ring.lua", "a script in Lua"},
    {"trace.0.et", "a Chakra trace"},
    {"copy.0.json", "a Chakra trace"},
    {"saved.run", "a saved run"},
    {"net.yml", "ASTRA-sim network file"},
    {"system.json", "ASTRA-sim system file"},
    {"memory.json", "ASTRA-sim remote memory file"},
    {"groups.json", "communicator groups"},
    {"nccl.xml", "topology dump of NCCL"},
    {"rccl.xml", "topology dump of NCCL"},
    {"infragraph.yaml", "InfraGraph document"},
    {"ns3.txt", "topology file of ns-3"},
    {"htsim.topo", "topology file of HTSim"},
    {"pytorch.json", "PyTorch execution trace"},
    {"events.json", "trace of events"},
    {"shard.yaml", "a graph to shard, read by the command shard"},
    {"block.mlir", "a StableHLO program, read by the command shard"},
    {"transform.yaml", "a program to transform, read by the command transform"},
    {"place.yaml", "a graph to place, read by the command place"},
    {"model.yaml", "a model, read by the command model"},
    {"config.json", "the config.json of a checkpoint, read by the command model"},
    {"layers.txt", "a table of layers"},
    {"picture.png", "a picture"},
    {"empty", "empty"},
    {"folder", "a folder"},
};

/// A command; @ stands for the file.
struct Line {
    const char* line;
    const char* reads; ///< Files of kKinds it must read, between blanks.
    const char* knows = ""; ///< Files of a kind it reads that cannot be what is asked for here: it says why.
};

constexpr Line kLines[] = {
    {"simulate @", "design.yaml"},
    {"simulate --network @ --system system.json --memory memory.json --workload trace", "net.yml", "nccl.xml ns3.txt rccl.xml"},
    {"simulate --network net.yml --system @ --memory memory.json --workload trace", "system.json"},
    {"simulate --network net.yml --system system.json --memory @ --workload trace", "memory.json"},
    {"simulate --network net.yml --system system.json --memory memory.json --workload trace --comm-group @", "groups.json"},
    {"simulate --network net.yml --system system.json --memory memory.json --workload @", ""},
    {"astra --network-configuration=@ --system-configuration=system.json --remote-memory-configuration=memory.json --workload-configuration=trace", "net.yml", "nccl.xml rccl.xml infragraph.yaml ns3.txt htsim.topo"},
    {"astra --network-configuration=net.yml --system-configuration=@ --remote-memory-configuration=memory.json --workload-configuration=trace", "system.json"},
    {"collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --program @", "ring.xml ring.json ring.lua", "plan.json"},
    {"step @", "design.yaml ring.xml ring.json ring.lua net.yml trace.0.et", "copy.0.json"},
    {"synthesize @ --size 1MiB", "design.yaml"},
    {"tune @ --collective all_reduce --sizes 1MiB", "design.yaml"},
    {"verify @", "ring.xml ring.json ring.lua plan.json"},
    {"lint @", "design.yaml net.yml nccl.xml infragraph.yaml ns3.txt htsim.topo", ""},
    {"convert @ new.yaml", "design.yaml net.yml nccl.xml infragraph.yaml ns3.txt htsim.topo", "ring.xml ring.json plan.json trace.0.et copy.0.json layers.txt"},
    {"convert @ new.xml", "ring.xml ring.json", "design.yaml trace.0.et copy.0.json net.yml nccl.xml rccl.xml infragraph.yaml ns3.txt htsim.topo layers.txt"},
    {"convert @ new.et", "trace.0.et copy.0.json", "design.yaml ring.xml ring.json plan.json net.yml nccl.xml rccl.xml infragraph.yaml ns3.txt htsim.topo layers.txt"},
    {"report @", "design.yaml saved.run"},
    {"report design.yaml --compare @ --out new.html", "design.yaml saved.run"},
    {"explain @", "design.yaml saved.run"},
    {"compare @ design.yaml", "design.yaml"},
    {"compare design.yaml @", "design.yaml"},
    {"compare @ --models links,ideal", "design.yaml"},
    {"program --script @", "ring.lua"},
    {"subsets @", ""},
    {"shard @", "shard.yaml block.mlir"},
    {"transform @", "transform.yaml", "ring.lua"},
    {"place @", "place.yaml"},
    {"model show @", "model.yaml config.json", "design.yaml folder"},
    {"plan @", "", "design.yaml"},
    {"generate @ --out new", "design.yaml"},
};

} // namespace

class TestCliKinds : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const auto write = [&](const char* name, const QByteArray& text) { QVERIFY2(writeFile(path(name), text), name); };
        write("design.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        write("net.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        write("system.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 4,
 "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
 "all-to-all-implementation": ["ring"], "collective-optimization": "baseline", "local-mem-bw": 1600})");
        write("memory.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
        write("groups.json", R"({"5": [0, 1, 2, 3]})");
        for (int rank = 0; rank < 4; ++rank)
            write(("trace." + std::to_string(rank) + ".et").c_str(), traceBytes({collectiveNode(1, 0, 1 << 20)}));
        write("nccl.xml", "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">\n"
                          "<pci busid=\"0000:07:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"/></pci>\n"
                          "<pci busid=\"0000:0a:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"1\" sm=\"90\" rank=\"1\" gdr=\"1\"/></pci>\n</cpu>\n</system>\n");
        write("ns3.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
        write("htsim.topo", "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\nTier 1\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\n");
        write("pytorch.json", R"({"schema": "1.1.0-chakra.0.0.4", "pid": 7, "time": "now", "start_ts": 1, "nodes": [{"id": 1, "name": "[pytorch|profiler|execution_trace|process]"}], "finish_ts": 2})");
        write("events.json", R"({"traceEvents": [{"name": "x", "ph": "X", "ts": 0, "dur": 1, "pid": 0, "tid": 0}]})");
        write("shard.yaml", "fabricscope: 1\nshard: {mesh: {x: 2}, tensors: {a: [4]}, annotations: [{tensor: a, dims: [[x]]}]}\n");
        write("block.mlir", "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.tanh %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n");
        write("transform.yaml", "fabricscope: 1\ntransform:\n  ranks: 4\n  sizes: {N: 64}\n  tensors: {g: {shape: [N], dtype: fp32, layout: local}}\n  stages: [{name: s, op: all_reduce, in: [g]}]\n  outputs: [s]\n"
                                "  platform: {dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}], npu: {memory_bandwidth: 1 TB/s, peak: 100 TFLOP/s}}\n");
        write("place.yaml", "fabricscope: 1\nplace:\n  inputs: {x: [8, 4]}\n  parameters: {w: [4, 4]}\n  ops:\n    - {name: y, op: einsum, eq: \"bk,kn->bn\", in: [x, w]}\n    - {name: loss, op: reduce, in: [y], dims: [0, 1], kind: sum}\n"
                            "  cluster:\n    devices: [{name: a, speed: 2 TFLOP/s, count: 1}, {name: b, speed: 1 TFLOP/s, count: 1}]\n    collectives: {all_gather: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}}\n");
        write("model.yaml", "model: {family: dlrm, dense_in: 3, bottom: [8, 4], top: [5, 1], tables: [{rows: 100, dim: 4, count: 2}]}\n");
        write("config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
 "intermediate_size": 128, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu"})");
        write("layers.txt", "DATA\n1\nconv1\t-1\t10\tNONE\t0\t10\tNONE\t0\t10\tALLREDUCE\t4096\t1\n");
        write("picture.png", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x8\6\0\0\0", 29));
        write("empty", "");
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("folder")));
        write("ring.lua", "collective(\"all_reduce\", {ranks = 4, chunks = 4, name = \"direct\"})\n"
                          "for c = 0, 3 do\n  for r = 1, 3 do chunk(c, \"input\", c):reduce(chunk((c + r) % 4, \"input\", c)) end\n"
                          "  for r = 1, 3 do chunk(c, \"input\", c):copy((c + r) % 4) end\nend\n");
        for (const char* const line : {"program --algorithm ring --axes 4 --out ring.xml", "program --algorithm ring --axes 4 --out ring.json", "simulate design.yaml --save saved.run",
                                       "convert design.yaml infragraph.yaml", "convert trace.0.et copy.0.json"}) {
            const CliResult made = runCli(QString::fromUtf8(line).split(QLatin1Char(' ')), m_folder.path());
            QVERIFY2(made.exit == 0, made.err.constData());
        }
        if (const auto shared = sharedFolder()) {
            const QString corpus = QString::fromStdString(*shared) + QStringLiteral("/corpus");
            QVERIFY(QFile::copy(corpus + QStringLiteral("/mscclpp/allreduce_packet.json"), path("plan.json")));
            QVERIFY(QFile::copy(corpus + QStringLiteral("/rccl/topo_4p3l.xml"), path("rccl.xml")));
        }
    }

    void aFileIsReadOrNamed_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<bool>("reads");
        QTest::addColumn<bool>("knows");
        for (const Line& line : kLines) {
            const QStringList reads = QString::fromUtf8(line.reads).split(QLatin1Char(' '));
            for (const Kind& kind : kKinds) {
                const QString file = QString::fromUtf8(kind.file);
                QTest::newRow(qPrintable(QString::fromUtf8(line.line) + ": " + file)) << QString::fromUtf8(line.line) << file << QByteArray(kind.words) << reads.contains(file) << QString::fromUtf8(line.knows).split(QLatin1Char(' ')).contains(file);
            }
        }
    }

    void aFileIsReadOrNamed()
    {
        QFETCH(QString, line);
        QFETCH(QString, file);
        QFETCH(QByteArray, words);
        QFETCH(bool, reads);
        QFETCH(bool, knows);
        if (!QFileInfo::exists(m_folder.filePath(file)))
            QSKIP("the shared folder is absent (FABRICSCOPE_SHARED)");
        QStringList arguments = line.split(QLatin1Char(' '));
        arguments.replaceInStrings(QStringLiteral("@"), file);
        const CliResult result = runCli(arguments, m_folder.path());
        for (const char* const made : {"new.yaml", "new.xml", "new.et", "new.html"})
            QFile::remove(path(made));
        if (reads)
            QVERIFY2(result.exit == 0 || result.exit == 1, result.err.constData());
        if (result.exit == 0)
            return;
        // Findings of lint go to standard output.
        const QByteArray said = result.err + result.out;
        const bool names = said.contains(words) && said.contains(file.toUtf8()) && said.contains("expected");
        // Who reads this kind and refuses this one file says why.
        const bool refused = (result.exit == 1 && reads) || (knows && (said.contains("expected") || said.contains("is missing")));
        QVERIFY2(names || refused, said.constData());
    }

    /// The window gives it a platform; a command that took it would time one that nobody described.
    void onlyShardAndGenerateReadAGraphToShard()
    {
        for (const Line& line : kLines) {
            const QString text = QString::fromUtf8(line.line);
            if (text.startsWith(QStringLiteral("shard ")) || text.startsWith(QStringLiteral("generate ")))
                continue;
            QStringList arguments = text.split(QLatin1Char(' '));
            arguments.replaceInStrings(QStringLiteral("@"), QStringLiteral("shard.yaml"));
            QVERIFY2(runCli(arguments, m_folder.path()).exit != 0, line.line);
        }
    }

    /// What a program is called matters to nobody who takes one; only a script is told by its ending.
    void everyToolTakesAProgramOfEveryForm()
    {
        const QByteArray design = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        for (const auto& [made, name] : {std::pair{"ring.xml", "of-xml"}, {"ring.json", "of-json"}, {"ring.lua", "of.lua"}}) {
            QVERIFY(QFile::copy(path(made), path(name)));
            QVERIFY(writeFile(path("takes.yaml"), design + "collectives: {default: {program: " + name + "}}\n"));
            for (const QByteArray& line : {QByteArray("verify ") + name, QByteArray("step ") + name, QByteArray("simulate takes.yaml")}) {
                const CliResult result = runCli(QString::fromUtf8(line).split(QLatin1Char(' ')), m_folder.path());
                QVERIFY2(result.exit == 0, line + ": " + result.err);
            }
        }
    }
};

FABRICSCOPE_TEST(TestCliKinds)
#include "tst_cli_kinds.moc"
