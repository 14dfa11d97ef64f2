// Every option of every command with every kind of input: given a telling value it changes what the command does, or the command names it.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Telling values of an option, one of which must show: others may be what the command would take anyway.
using Values = std::map<QString, QStringList>;

const Values& usualValues()
{
    static const Values values{
        {"--model", {"flow", "ideal"}}, {"--engine", {"events", "sweep"}}, {"--seed", {"7"}}, {"--seeds", {"3"}},
        // How many threads work changes nothing by intention: here only whether the option is looked at.
        {"--threads", {"100000"}},
        {"--memory-limit", {"1 KiB"}}, {"--quiet", {""}}, {"--strict", {""}}, {"--ranks", {"none"}}, {"--json", {""}}, {"--save", {"out.run"}}, {"--timeline", {"out.csv"}},
        {"--report", {"out.html"}}, {"--set", {"workload.size=7 MiB"}}, {"--queues", {"3"}}, {"--bytes-per-element", {"4"}}, {"--job", {"second"}},
        {"--ctrl-deps", {"ignore"}}, {"--network", {"other.yml"}}, {"--system", {"other.json"}}, {"--memory", {"memory2.json"}}, {"--comm-group", {"groups.json"}},
        {"--workload", {"wide"}}, {"--topology", {"Ring(6)", "Ring(6,7 GB/s,1 us)"}}, {"--bandwidth", {"7"}}, {"--npu-bandwidth", {"7"}}, {"--latency", {"77us"}},
        {"--collective", {"all_to_all"}}, {"--size", {"3MiB"}}, {"--sizes", {"2KiB"}}, {"--algorithm", {"direct"}}, {"--program", {"ring.lua"}}, {"--chunks", {"3"}},
        {"--active-chunks", {"2"}}, {"--window", {"1"}}, {"--scheduler", {"themis"}}, {"--optimization", {"localBWAware"}}, {"--endpoint-delay", {"33us"}},
        {"--local-mem-bw", {"1"}}, {"--method", {"forest", "exact"}}, {"--root", {"2"}}, {"--tries", {"40"}}, {"--time-limit", {"0.001"}},
        {"--slots", {"1"}}, {"--in-place", {""}}, {"--out-of-place", {""}}, {"--condition", {"alltonext-forward"}}, {"--axes", {"6"}}, {"--op", {"all_gather"}},
        {"--to", {"design", "xml"}}, {"--platform", {"warned.yaml"}}, {"--fuse", {""}}, {"--instances", {"2"}}, {"--script", {"ring.lua"}}, {"--param", {"ranks=6"}}, {"--radix", {"3"}},
        {"--et", {"out"}}, {"--draw", {"out.svg"}}, {"--models,--model", {"ideal,links"}}, {"--fallback", {"13 GB/s"}}, {"--instance", {"0"}}, {"--line", {"npu / torus 4x4"}}, {"--nodes", {""}}, {"--chunk", {"1"}}, {"--at", {"1"}},
        {"--sections", {"inputs"}}, {"--question", {"Is a ring enough?"}}, {"--paper", {"letter"}}, {"--compare", {"warned.yaml"}}, {"--baseline", {"2"}}, {"--plans", {""}}, {"--explain", {""}},
        {"--out", {"out.xml", "out.html", "out.conf"}}, {"--plot", {"out.svg"}}, {"--tuner", {"out.csv"}}, {"--programs", {"out"}}};
    return values;
}

/// One way to use a command.
struct Use {
    const char* name;
    const char* line;
    Values values{}; ///< Instead of the usual ones; none: nothing there could tell, as the line says why.
};

const std::vector<Use>& uses()
{
    // Nothing to find for the search beyond its first program: here only whether the option is looked at.
    const Values search{{"--tries", {"0"}}, {"--time-limit", {"-1"}}};
    const auto with = [](Values a, const Values& b) {
        a.insert(b.begin(), b.end());
        return a;
    };
    // A program that works in one memory only is checked so anyway.
    const Values inPlace{{"--in-place", {}}};
    static const std::vector<Use> all{
        {"simulate a design", "simulate warned.yaml"},
        {"simulate what draws", "simulate drawn.yaml"},
        {"simulate ASTRA-sim inputs", "simulate --network net.yml --system system.json --memory memory.json --workload trace"},
        {"simulate ASTRA-sim inputs as ASTRA-sim", "simulate --model astra-aware --network net.yml --system system.json --memory memory.json --workload trace"},
        {"simulate a trace", "simulate traced.yaml"},
        {"collective", "collective --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --chunks 4"},
        {"collective of several sizes", "collective --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1MiB,2MiB --chunks 4"},
        {"collective with figures in brackets", "collective --topology Ring(4,50GB/s,1us) --collective all_reduce --size 1MiB --chunks 4"},
        {"collective as ASTRA-sim", "collective --model astra-unaware --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --chunks 4 --endpoint-delay 10.5"},
        {"collective by a program", "collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --program ring.lua", {{"--collective", {}}, {"--program", {"pairs.lua"}}}},
        {"collective by a generator", "collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm swing", {{"--topology", {"Ring(8)"}}, {"--collective", {"all_gather"}}}},
        {"step, the list", "step warned.yaml"},
        {"step, one collective", "step warned.yaml --instance 0", {{"--instance", {"1"}}, {"--model", {"links"}}}},
        {"step a program", "step ring.lua"},
        {"step several files", "step net.yml system.json memory.json trace.0.et"},
        {"synthesize for a design", "synthesize plain.yaml --size 1MiB", search},
        {"synthesize for a topology", "synthesize --topology FullyConnected(5) --bandwidth 50 --latency 500 --size 1MiB", search},
        {"synthesize trees", "synthesize plain.yaml --size 1MiB --method trees --collective broadcast", {{"--collective", {"all_reduce"}}}},
        {"synthesize a forest", "synthesize plain.yaml --size 1MiB --method forest", with(search, {{"--method", {"greedy"}}, {"--collective", {"broadcast"}}})},
        {"synthesize exactly", "synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 1MiB --method exact", with(search, {{"--method", {"greedy"}}, {"--collective", {"broadcast"}}})},
        {"synthesize a broadcast", "synthesize plain.yaml --size 1MiB --collective broadcast", search},
        {"tune a design", "tune plain.yaml --collective all_reduce --sizes 1KiB,1MiB"},
        {"tune a topology", "tune --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1MiB"},
        {"verify a script", "verify ring.lua", inPlace},
        {"verify XML", "verify ring.xml", inPlace},
        {"verify JSON", "verify ring.json", inPlace},
        {"verify graphs", "verify ring", inPlace},
        {"verify a generator", "verify --algorithm ring", {{"--algorithm", {"swing"}}}},
        {"verify a rooted generator", "verify --algorithm k_nomial --op broadcast", with(inPlace, {{"--algorithm", {"scatter_allgather"}}, {"--op", {"reduce"}}})},
        {"lint traces", "lint loose", {{"--ctrl-deps", {"use"}}}},
        {"lint traces with warnings", "lint counted", {{"--ctrl-deps", {}}}},
        {"lint a design", "lint warned.yaml"},
        {"lint a network file", "lint net.yml"},
        {"convert a design", "convert plain.yaml new.yaml"},
        {"convert a network file", "convert net.yml new.yaml", {{"--to", {"infragraph"}}}},
        {"convert a trace", "convert trace.0.et new.json"},
        {"convert a table of layers", "convert layers.txt new.yaml --platform plain.yaml"},
        {"convert a program into XML", "convert relay.json new.xml", {{"--to", {"json"}}}},
        {"convert a program into JSON", "convert ring.xml new.json"},
        {"convert a program into graphs", "convert ring.xml new --to et", {{"--to", {"json"}}}},
        {"report on a run", "report saved.run"},
        {"report on a design", "report plain.yaml"},
        {"report beside two others", "report plain.yaml --compare warned.yaml drawn.yaml --out new.html", {{"--compare", {"traced.yaml"}}, {"--out", {"other.html"}}, {"--sections", {"comparison,inputs"}}, {"--plans", {}}}},
        {"report into a file", "report plain.yaml --out new.html", {{"--out", {"other.html"}}, {"--sections", {"links,inputs"}}, {"--question", {"Is a ring enough?"}}, {"--paper", {"letter"}}, {"--plans", {}}}}, // What these find has no plan: tst_cli_plansearch.
        {"explain", "explain warned.yaml", {{"--node", {"0", "1"}}, {"--collective", {"0"}}, {"--rank", {"1"}}, {"--confirm", {""}}, {"--ranges", {""}}, {"--tree", {""}}}},
        {"compare designs", "compare warned.yaml plain.yaml", {{"--models,--model", {"flow"}}, {"--baseline", {"2"}}}},
        {"compare models", "compare warned.yaml --models ideal,flow", {{"--baseline", {"1"}}}},
        {"program by a script", "program --script ring.lua", {{"--script", {"pairs.lua"}}}},
        {"program by a generator", "program --algorithm ring --axes 4"},
        {"program with a radix", "program --algorithm k_nomial --op broadcast --axes 9", {{"--algorithm", {"chain"}}, {"--op", {"reduce"}}}},
        {"program list", "program list"},
        {"subsets", "subsets dgx1.yaml"},
        {"presets", "presets"},
        {"examples", "examples"},
        {"schema", "schema", {{"--commands", {""}}}},
        {"serve", "serve", {{"--jobs", {"0"}}}},
        {"completion", "completion bash"},
        {"generate", "generate planned.yaml --out written", {{"--out", {"elsewhere"}}, {"--set", {"workload.plan.recompute=full"}}, {"--overlap", {""}}}},
        {"validate", "validate --kind gemm --rows gemm.csv", {{"--kind", {"gpt"}}, {"--rows", {"other.csv"}}, {"--fabric", {"hgx-h100-8"}}}},
        {"validate collectives", "validate --kind collectives --rows rings.csv", {{"--kind", {"gpt"}}, {"--rows", {"slow.csv"}}, {"--fabric", {"hgx-h100-8"}}}},
        {"calibrate", "calibrate rings.csv --out new.yaml", {{"--out", {"other.yaml"}}}},
        {"plan", "plan planned.yaml", {{"--set", {"workload.plan.recompute=full"}}}},
        {"case", "case asked.yaml", {{"--out", {"kept"}}}},
        {"fabric, the families", "fabric"},
        {"fabric of a line", "fabric --line npu/leaf_spine\t4,4,3,4"},
        {"fabric into a file", "fabric --line npu/torus\t4x5 --out new.yaml", {{"--out", {"other.yaml"}}}},
        {"fabric of a design", "fabric plain.yaml", {{"--set", {"platform.dimensions.0.size=8"}}}},
        {"place a graph", "place placed.yaml", {{"--set", {"place.batch=8"}}, {"--heuristic", {"none"}}, {"--exhaustive", {""}}, {"--table", {""}}, {"--devices", {"8"}}}},
        {"transform", "transform adam.yaml", {{"--from", {"planned.yaml"}}, {"--part", {"mlp"}}, {"--out", {"part.yaml"}}, {"--apply", {"split.schedule"}}, {"--set", {"transform.sizes.N=1024"}}, {"--run", {""}}, {"--tune", {""}}}},
        {"shard", "shard sharded.yaml", {{"--set", {"mesh.x=2"}}, {"--run", {""}}, {"--simulate", {""}}, {"--platform", {"hgx-h100-8"}}, {"--overlap", {""}}}},
        {"shard, simulated", "shard sharded.yaml --simulate --platform hgx-h100-8", {{"--set", {"mesh.x=2"}}, {"--run", {""}}, {"--simulate", {}}, {"--platform", {"tpu-v3-1024"}}, {"--overlap", {}}}},
    };
    return all;
}

/// Both kinds of warnings: of the design and of the run.
constexpr const char* kDesign = R"(fabricscope: 1
name: NAME
platform:
  dimensions:
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}
  npu: {memory_bandwidth: 1.2 TB/s}
WORKLOAD
collectives: {default: {algorithm: ring, chunks: 4}}
MORE)";

QByteArray designText(const char* name, const char* workload = "workload: {collective: all_reduce, size: 4 MiB}", const char* more = "")
{
    return QByteArray(kDesign).replace("NAME", name).replace("WORKLOAD", workload).replace("MORE", more);
}

/// What a command does, without what differs from run to run.
struct Effect {
    int exit = -1;
    QByteArray out;
    QByteArray err;
    std::map<QString, QByteArray> files;
    bool operator==(const Effect&) const = default;
};

QByteArray withoutTimes(const QByteArray& text)
{
    static const QRegularExpression moving(QStringLiteral(R"( in [0-9.]+ [mun]?s, [0-9.]+ \w+|"wall_s": [-0-9.e]+|"peak_rss_bytes": \d+|in \d+(\.\d+)? (ms|s|us)\b)"));
    return QString::fromUtf8(text).remove(moving).toUtf8();
}

} // namespace

class TestCliOptions : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QSet<QString> m_inputs;

    QString path(const QString& name) const { return m_folder.filePath(name); }

    QStringList files() const { return QDir(m_folder.path()).entryList(QDir::Files | QDir::NoDotAndDotDot, QDir::Name); }

    /// Removes what the command wrote.
    Effect run(const QStringList& arguments)
    {
        const CliResult result = runCli(arguments, m_folder.path());
        Effect effect{result.exit, withoutTimes(result.out), withoutTimes(result.err), {}};
        for (const QString& name : files()) {
            if (m_inputs.contains(name))
                continue;
            QFile file(path(name));
            effect.files[name] = file.open(QIODevice::ReadOnly) ? withoutTimes(file.readAll()) : QByteArray();
            file.remove();
        }
        return effect;
    }

    /// "--name" as the help lists the options of a command, also those of several names.
    static QStringList optionsOf(const QString& command)
    {
        QStringList names;
        const QString help = QString::fromUtf8(runCli(QStringList{command, QStringLiteral("--help")}).out);
        static const QRegularExpression line(QStringLiteral("^  (--[a-z,-]+)"), QRegularExpression::MultilineOption);
        for (auto match = line.globalMatch(help); match.hasNext();) {
            const QString name = match.next().captured(1);
            if (name != QLatin1String("--help-all"))
                names << name;
        }
        return names;
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const auto write = [&](const char* name, const QByteArray& text) { QVERIFY(writeFile(path(QString::fromUtf8(name)), text)); };
        write("plain.yaml", designText("plain"));
        write("asked.yaml", "fabricscope: 1\nname: asked\ncase:\n  question: How long?\n  files: [plain.yaml]\n  runs: [{name: plain, command: simulate, on: plain.yaml}]\n"
                            "  numbers: [{name: time, run: plain, value: finish_ns, unit: ns}]\n  answer: \"{time}\"\n  found: \"5 s\"\n");
        write("sharded.yaml", "fabricscope: 1\nshard:\n  mesh: {x: 4}\n  tensors: {a: [8]}\n  ops: [{name: b, op: relu, in: [a]}]\n  annotations: [{tensor: a, dims: [[x]]}]\n");
        write("warned.yaml", designText("warned", "workload: {collective: all_reduce, size: 4 MiB}", "model: {name: ideal}\nnetwork: {protocol: LL}\n"));
        write("drawn.yaml", designText("drawn", "workload: {collective: all_reduce, size: 4 MiB}", "network: {jitter: {latency: {distribution: exponential, deviation: 1}}}\n"));
        write("rings.csv", "gpus,nodes,collective,bytes,time_us\n4,1,all_reduce,65536,40\n4,1,all_reduce,1048576,60\n4,1,all_reduce,16777216,300\n4,1,all_reduce,67108864,1000\n");
        write("slow.csv", "gpus,nodes,collective,bytes,time_us\n4,1,all_reduce,65536,80\n4,1,all_reduce,1048576,120\n");
        write("gemm.csv", "gpu,kind,m,n,k,time_us\nA100,GEMM fp16,8192,8192,8192,4333.9\n");
        write("other.csv", "gpu,kind,m,n,k,time_us\nH100,GEMM fp8,8192,8192,8192,852.27\n");
        write("planned.yaml", designText("planned", "workload: {model: {family: transformer, transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1000, seq: 64}, train: {global_batch: 8}}, plan: {mesh: {axes: [dp, tp], shape: [2, 4]}}}",
                                         "model: {name: ideal}\nnetwork: {protocol: LL}\n"));
        write("traced.yaml", designText("traced", "workload: {trace: chain}"));
        write("placed.yaml", R"(fabricscope: 1
place:
  batch: 1024
  inputs: {x: [batch, 64]}
  parameters: {w1: [64, 64], w2: [64, 64]}
  ops:
    - {name: y1, op: einsum, eq: "bk,kn->bn", in: [x, w1]}
    - {name: y2, op: einsum, eq: "bk,kn->bn", in: [y1, w2]}
    - {name: loss, op: reduce, in: [y2], dims: [0, 1], kind: sum}
  cluster:
    devices: [{name: a, speed: 1 TFLOP/s, count: 2}]
    collectives: {all_gather: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}}
  rules: {row_parallel: false, sufficient_factor: false}
  ratios: even
)");
        write("net.yml", "topology: [ Ring, Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 50.0 ]\nlatency: [ 500.0, 500.0 ]\n");
        write("system.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 2, "preferred-dataset-splits": 4,
 "all-reduce-implementation": ["ring", "ring"], "all-gather-implementation": ["ring", "ring"], "reduce-scatter-implementation": ["ring", "ring"],
 "all-to-all-implementation": ["ring", "ring"], "collective-optimization": "baseline", "local-mem-bw": 1600})");
        write("memory.json", R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 5})");
        write("other.yml", "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 9.0 ]\nlatency: [ 500.0, 500.0 ]\n");
        write("other.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 99, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 2,
 "all-reduce-implementation": ["direct", "ring"], "all-gather-implementation": ["ring", "ring"], "reduce-scatter-implementation": ["ring", "ring"],
 "all-to-all-implementation": ["ring", "ring"], "collective-optimization": "baseline", "local-mem-bw": 1600})");
        write("memory2.json", R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50})");
        write("groups.json", R"({"5": [0, 1, 2, 3, 4, 5, 6, 7]})");
        std::vector<EtNode> nodes{collectiveNode(1, 0, 1 << 20), collectiveNode(2, 0, 1 << 20), computeNode(3, 1'000'000, 1 << 20)};
        nodes[1].ctrlDeps = {1};
        nodes[2].ctrlDeps = {2};
        for (int rank = 0; rank < 8; ++rank)
            write(("chain." + std::to_string(rank) + ".et").c_str(), traceBytes(nodes));
        nodes.push_back(computeNode(4, 0, 1 << 20, {3}));
        nodes.back().type = static_cast<std::int32_t>(EtNodeType::MemLoad);
        std::vector<EtNode> loose = nodes;
        loose[0].attributes.push_back(EtAttribute::text("pg_name", "5"));
        loose[1].ctrlDeps = {9};
        for (int rank = 0; rank < 8; ++rank) {
            write(("trace." + std::to_string(rank) + ".et").c_str(), traceBytes(nodes));
            write(("loose." + std::to_string(rank) + ".et").c_str(), QByteArray::fromStdString(etBytes({"0.0.4", {EtAttribute::text("schema", "symbolic_tensor_network")}}, loose)));
            write(("counted." + std::to_string(rank) + ".et").c_str(), QByteArray::fromStdString(etBytes({"0.0.4", {EtAttribute::text("schema", "symbolic_tensor_network")}}, nodes)));
            write(("wide." + std::to_string(rank) + ".et").c_str(), traceBytes({collectiveNode(1, 0, 7 << 20)}));
        }
        write("split.schedule", "split s\n");
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/adam.yaml"), path(QStringLiteral("adam.yaml"))));
        write("dgx1.yaml", runCli("examples dgx1-trees").out);
        write("layers.txt", "DATA\n1\nconv1\t-1\t10\tNONE\t0\t10\tNONE\t0\t10\tALLREDUCE\t4096\t1\n");
        for (const char* const line : {"program --algorithm ring --axes 4 --out ring.xml", "program --algorithm ring --axes 4 --out ring.json", "program --algorithm chain --op broadcast --axes 4 --chunks 2 --out relay.json", "program --algorithm ring --axes 4 --et ring --size 1MiB",
                                       "simulate plain.yaml --save saved.run"}) {
            const CliResult made = runCli(QString::fromUtf8(line).split(QLatin1Char(' ')), m_folder.path());
            QVERIFY2(made.exit == 0, made.err.constData());
        }
        for (const auto& [name, from] : {std::pair{"ring.lua", "allreduce_ring.lua"}, {"pairs.lua", "allreduce_allpairs.lua"}})
            QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/programs/") + QString::fromUtf8(from), path(QString::fromUtf8(name))));
        for (const QString& name : files())
            m_inputs.insert(name);
    }

    void everyOptionChangesSomethingOrIsNamed_data()
    {
        QTest::addColumn<QStringList>("line");
        QTest::addColumn<QString>("option");
        QTest::addColumn<QStringList>("values");
        for (const Use& use : uses()) {
            const QStringList line = QString::fromUtf8(use.line).split(QLatin1Char(' '));
            for (const QString& option : optionsOf(line.front())) {
                const auto own = use.values.find(option);
                const auto usual = usualValues().find(option);
                QVERIFY2(own != use.values.end() || usual != usualValues().end(), qPrintable("no telling value of " + option));
                const QStringList values = own != use.values.end() ? own->second : usual->second;
                const QString name = option.section(QLatin1Char(','), 0, 0);
                if (!values.isEmpty())
                    QTest::newRow(qPrintable(QString::fromUtf8(use.name) + ": " + name)) << line << name << values;
            }
        }
    }

    void everyOptionChangesSomethingOrIsNamed()
    {
        QFETCH(QStringList, line);
        QFETCH(QString, option);
        QFETCH(QStringList, values);
        const Effect before = run(line);
        QVERIFY2(before.exit == 0 || before.exit == 1, before.err.constData());
        if (option == QLatin1String("--strict")) {
            if (before.exit == 1 || !(before.out + before.err).contains("warning: "))
                return; // Nothing to be strict about.
        }
        if (option == QLatin1String("--quiet") && before.err.isEmpty())
            return; // Nothing to be quiet about.
        QByteArray seen;
        for (const QString& value : values) {
            QStringList with = line;
            if (const qsizetype at = line.indexOf(option); at >= 0) {
                with[at + 1] = value;
            } else {
                with << option;
                if (!value.isEmpty())
                    with << value;
            }
            const Effect after = run(with);
            QVERIFY(after.exit >= 0);
            // Named: in a message that was not there without it.
            if (after.err != before.err && after.err.contains(option.toUtf8()))
                return;
            // A failure that does not name the option is no effect.
            if (!(after == before) && after.exit <= 1)
                return;
            seen += with.join(QLatin1Char(' ')).toUtf8() + ": exit " + QByteArray::number(after.exit) + "\n" + after.err;
        }
        QFAIL(("neither effect nor word of " + option.toUtf8() + "\n" + seen).constData());
    }

    /// As `--save "$FILE"` without a FILE has it.
    void anEmptyTextIsRefused_data()
    {
        QTest::addColumn<QStringList>("line");
        QTest::addColumn<QString>("option");
        QSet<QString> commands;
        for (const Use& use : uses()) {
            const QString command = QString::fromUtf8(use.line).section(QLatin1Char(' '), 0, 0);
            if (commands.contains(command))
                continue;
            commands.insert(command);
            const QString help = QString::fromUtf8(runCli(QStringList{command, QStringLiteral("--help")}).out);
            static const QRegularExpression text(QStringLiteral("^  (--[a-z,-]+|[A-Z]+) TEXT"), QRegularExpression::MultilineOption);
            QStringList line{command};
            for (auto match = text.globalMatch(help); match.hasNext();) {
                const QString option = match.next().captured(1).section(QLatin1Char(','), 0, 0);
                QTest::newRow(qPrintable(command + QLatin1Char(' ') + option)) << line << option;
                if (!option.startsWith(QLatin1String("--")))
                    line << QStringLiteral("x"); // The next place.
            }
        }
    }

    void anEmptyTextIsRefused()
    {
        QFETCH(QStringList, line);
        QFETCH(QString, option);
        if (option.startsWith(QLatin1String("--")))
            line << option;
        line << QString();
        const CliResult result = runCli(line, m_folder.path());
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(option.toUtf8()) && result.err.contains("the value is empty"), result.err.constData());
    }
};

FABRICSCOPE_TEST(TestCliOptions)
#include "tst_cli_options.moc"
