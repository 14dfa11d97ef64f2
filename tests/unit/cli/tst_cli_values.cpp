// Numbers that cannot be meant - nothing, negative, no number, without end, next to nothing, beyond all measure - are refused by name wherever a number can stand: in
// every key of a design and in every option of the command. A new key or option without a row here fails.
#include "core/design/design.h"
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>
#include <yaml-cpp/yaml.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Designs with the numeric keys of the format that the reference shows in remarks, or that exclude each other.
constexpr const char* kGraph = R"yaml(fabricscope: 1
platform:
  nodes: [{name: gpu0}, {name: gpu1}, {name: sw, kind: switch, crossbar: 3 TB/s, in_network: {reduction: 400 GB/s, multicast: 400 GB/s, buffer: 32 MiB, latency: 200 ns}}]
  links:
    - {between: [gpu0, sw], bandwidth: 50 GB/s, latency: 500 ns}
    - {from: gpu1, to: sw, bandwidth: 50 GB/s, latency: 500 ns}
    - {from: sw, to: gpu1, bandwidth: 50 GB/s, latency: 500 ns}
workload: {collective: all_reduce, size: 64 MiB}
collectives: {default: {algorithm: in_network}}
)yaml";
constexpr const char* kPool = R"yaml(fabricscope: 1
platform:
  dimensions:
    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 2.5 us, in_network: {reduction: 400 GB/s, multicast: 400 GB/s, buffer: 32 MiB, latency: 200 ns}}
  remote_memory:
    kind: hierarchical
    npus_per_node: 4
    in_node: {count: 1, bandwidth: 256 GB/s, latency: 100 ns}
    out_node: {count: 2, bandwidth: 100 GB/s, latency: 200 ns}
    groups: {count: 8, bandwidth: 100 GB/s, latency: 500 ns}
    piece: 256 KiB
workload:
  jobs:
    - {name: training, ranks: 4, first_node: 0, stride: 1, steps: [{load: 1 MiB}, {store: 1 MiB, priority: 2}]}
    - {name: other, nodes: [4, 5, 6, 7], collective: all_reduce, size: 1 MiB}
collectives:
  default: {algorithm: [direct], chunks: 2, window: 1}
  rules:
    - {op: all_reduce, max_size: 2 MiB, node: 12, synthesis: {method: greedy, seed: 1, tries: 2, pieces: 1}}
network:
  jitter:
    latency: {distribution: exponential, deviation: 1}
    occupancy: {distribution: uniform, deviation: 0.1}
compute: {memory: {follow: true, resident: 14 GB}}
)yaml";
constexpr const char* kKernelTerms = R"(fabricscope: 1
platform: {topology: Switch(2), bandwidth: 50 GB/s, latency: 500 ns, npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s}}
compute: {kernels: {start: 2 us, share: 0.882, attention_share: 0.5, memory_share: 0.85, traffic: 2.08, units: 108, fp8_peak: 1979 TFLOP/s, fp32_peak: 156 TFLOP/s, layer: 3.3 ms}}
workload: {model: {transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1000, seq: 64}, train: {global_batch: 8}}, plan: {mesh: {axes: [tp], shape: [2]}}}
)";

constexpr const char* kLibraryTerms = R"yaml(fabricscope: 1
platform: {topology: Switch(8), bandwidth: 50 GB/s, latency: 500 ns}
workload: {collective: all_reduce, size: 1 MiB}
model: {version: physical/3}
collectives: {rules: [{op: all_reduce, min_ranks: 2, max_ranks: 8, launch: 30 us, ramp: 40 us, ramp_size: 256 KiB, protocol: {latency: 2 us, efficiency: 120/128}}]}
)yaml";
constexpr const char* kText = R"yaml(fabricscope: 1
platform:
  topology: "Ring(4)_Switch(2)"
  bandwidth: [50 GB/s, 25 GB/s]
  latency: 500 ns
  npu: {peak: 1 TFLOP/s}
  remote_memory: {kind: pool, latency: 1 us, bandwidth: 100 GB/s}
  placement: {jobs: [{ranks: 8, nodes: [0, 2, 4, 6, 1, 3, 5, 7]}]}
workload: {collective: broadcast, size: 64 MiB}
collectives: {default: {algorithm: k_nomial, radix: 4, chunks: 1, slots: 2}}
network:
  protocols: [{preset: LL, dimension: 0}]
  faults: [{link: "d0 0>1", at: 100 us, until: 2 ms, bandwidth: 1 GB/s}, {npu: 1, at: 3 ms, factor: 1/2}]
  routing: {policy: dimension_order, order: [1, 0]}
)yaml";
constexpr const char* kUnequal = R"yaml(fabricscope: 1
platform: {dimensions: [{shape: ring, sizes: [4, 6], bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, npu_bandwidth: 50 GB/s, latency: 1 us}]}
workload: {trace: t, bytes_per_element: 2}
)yaml";

constexpr const char* kFabric = R"yaml(fabricscope: 1
platform:
  fabric:
    of: hgx-h100-8
    levels:
      - {name: leaf, join: rails, count: 4, radix: 64, bandwidth: 400 Gbit/s, latency: 1 us, cable: 5 m}
      - {join: clos, count: 4, up: 2, switches: 8, separate: 1, bandwidth: 400 Gbit/s, latency: 1 us}
workload: {collective: all_reduce, size: 64 MiB}
costs: {checkpoint: {time: 60 s}}
)yaml";
constexpr const char* kDragonfly = R"yaml(fabricscope: 1
platform:
  fabric:
    of: npu
    levels: [{join: dragonfly, p: 2, a: 4, h: 2, groups: 9, bandwidth: 100 Gbit/s, latency: 1 us, local: {latency: 100 ns}, global: {bandwidth: 50 Gbit/s}}]
workload: {collective: all_reduce, size: 64 MiB}
)yaml";

std::string reference()
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

struct Leaf {
    QString path;
    QString text;
};

void addLeaves(const YAML::Node& node, const QString& path, QList<Leaf>& leaves)
{
    const auto below = [&](const QString& key) { return path.isEmpty() ? key : path + QLatin1Char('.') + key; };
    if (node.IsMap()) {
        for (const auto& entry : node)
            addLeaves(entry.second, below(QString::fromStdString(entry.first.as<std::string>())), leaves);
    } else if (node.IsSequence()) {
        for (std::size_t i = 0; i < node.size(); ++i)
            addLeaves(node[i], below(QString::number(i)), leaves);
    } else {
        static const QRegularExpression number(QStringLiteral(R"(^[+-]?[0-9.]+(e-?[0-9]+)?( .+)?$|^\d+/\d+$|^\d+-\d+$)"));
        const QString text = QString::fromStdString(node.as<std::string>());
        if (number.match(text).hasMatch())
            leaves.append({path, text});
    }
}

QString lastKey(const QString& path)
{
    QStringList keys = path.split(QLatin1Char('.'));
    while (keys.size() > 1 && keys.last()[0].isDigit())
        keys.removeLast();
    return keys.last();
}

QStringList designs()
{
    return {QString::fromStdString(reference()), QString::fromUtf8(kGraph), QString::fromUtf8(kPool), QString::fromUtf8(kText), QString::fromUtf8(kUnequal), QString::fromUtf8(kLibraryTerms), QString::fromUtf8(kKernelTerms), QString::fromUtf8(kFabric), QString::fromUtf8(kDragonfly)};
}

/// Keys that can be 0: times, amounts and numbers that begin there. What moves nothing is warned of instead.
const QSet<QString>& mayBeNothing()
{
    static const QSet<QString> keys{
        QStringLiteral("latency"), QStringLiteral("endpoint_delay"), QStringLiteral("launch"), QStringLiteral("at"), QStringLiteral("compute"), QStringLiteral("operations"), QStringLiteral("bytes"),
        QStringLiteral("output"), QStringLiteral("scratch"), QStringLiteral("resident"), QStringLiteral("min_size"), QStringLiteral("max_size"), QStringLiteral("error"), QStringLiteral("ramp"), QStringLiteral("ramp_size"), QStringLiteral("start"), QStringLiteral("layer"), QStringLiteral("units"), // none
        QStringLiteral("sm_share"), QStringLiteral("bandwidth_share"), QStringLiteral("most_share"), QStringLiteral("reducer_loss"), QStringLiteral("priority"), QStringLiteral("zero"), // none
        QStringLiteral("price"), QStringLiteral("power"), QStringLiteral("facility"), QStringLiteral("length"), QStringLiteral("electricity"), QStringLiteral("repair"), QStringLiteral("time"), QStringLiteral("restart"), // free, at once
        QStringLiteral("window"), QStringLiteral("slots"), QStringLiteral("seed"), QStringLiteral("separate"), // no limit, the design's
        QStringLiteral("npu"), QStringLiteral("first_node"), QStringLiteral("nodes"), QStringLiteral("ranks"), QStringLiteral("lists"), QStringLiteral("dimensions"), QStringLiteral("dimension"),
        QStringLiteral("order"), QStringLiteral("tag"), QStringLiteral("to"), QStringLiteral("from"), QStringLiteral("node")}; // numbers of something
    return keys;
}

bool canBeMeant(const QString& key, const QString& value)
{
    if (value == QLatin1String("0"))
        return mayBeNothing().contains(key);
    if (value == QLatin1String("1e-30"))
        return key == QLatin1String("error"); // Per cent: as good as none.
    if (value == QLatin1String("-1"))
        return key == QLatin1String("to") || key == QLatin1String("from") || key == QLatin1String("priority"); // A difference of ranks.
    return value == QLatin1String("9223372036854775807") && (key == QLatin1String("seed") || key == QLatin1String("node"));
}

struct OptionRow {
    QString command;
    const char* option;
    const char* unit;
    const char* meant;

    QString name() const { return command.section(QLatin1Char(' '), 0, 0) + QLatin1Char(' ') + QLatin1String(option); }
};

QList<OptionRow> optionRows()
{
    QList<OptionRow> all;
    const auto rows = [&](const QString& command, std::initializer_list<std::array<const char*, 3>> options) {
        for (const auto& [option, unit, meant] : options)
            all.append({command, option, unit, meant});
    };
    // "meant": of the values tried those that can be. A zero is a usual value of these options: none, or the default.
    const QString fabric = QStringLiteral("--topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce");
    rows(QStringLiteral("collective %1 --size 1MiB").arg(fabric),
         {{"--bandwidth", "GB/s", ""}, {"--npu-bandwidth", "GB/s", ""}, {"--latency", "ns", "0"}, {"--size", "B", "0"}, {"--chunks", "", ""}, {"--window", "", "0"},
          {"--active-chunks", "", ""}, {"--queues", "", ""}, {"--endpoint-delay", "us", "0"}, {"--local-mem-bw", "GB/s", "0"}, {"--seed", "", "0 9223372036854775808"},
          {"--seeds", "", ""}, {"--threads", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("collective %1 --sizes 1MiB").arg(fabric), {{"--sizes", "B", ""}});
    rows(QStringLiteral("tune %1 --sizes 1MiB").arg(fabric),
         {{"--bandwidth", "GB/s", ""}, {"--npu-bandwidth", "GB/s", ""}, {"--latency", "ns", "0"}, {"--sizes", "B", ""}, {"--chunks", "", ""}, {"--endpoint-delay", "us", "0"},
          {"--local-mem-bw", "GB/s", "0"}, {"--threads", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --collective broadcast --size 1MiB"),
         {{"--bandwidth", "GB/s", ""}, {"--npu-bandwidth", "GB/s", ""}, {"--latency", "ns", "0"}, {"--size", "B", ""}, {"--chunks", "", ""}, {"--root", "", "0"},
          {"--seed", "", "0 9223372036854775808"}, {"--tries", "", ""}, {"--threads", "", "0"}, {"--time-limit", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("verify --algorithm k_nomial --op broadcast --axes 4"),
         {{"--axes", "", ""}, {"--chunks", "", ""}, {"--slots", "", ""}, {"--root", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("program --algorithm k_nomial --op broadcast --axes 4 --et g"),
         {{"--axes", "", ""}, {"--chunks", "", ""}, {"--root", "", "0"}, {"--radix", "", ""}, {"--size", "B", ""}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("convert ring.json ring.xml"), {{"--instances", "", ""}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("convert ring.json g --to et"), {{"--size", "B", ""}});
    rows(QStringLiteral("simulate d.yaml"), {{"--seed", "", "0 9223372036854775808"}, {"--seeds", "", ""}, {"--threads", "", "0"}, {"--bytes-per-element", "", ""}, {"--queues", "", ""},
                             {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("step d.yaml"), {{"--instance", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("step d.yaml --instance 0"), {{"--chunk", "", "0"}});
    rows(QStringLiteral("step ring.json"), {{"--at", "", "0"}});
    rows(QStringLiteral("lint ring"), {{"--ranks", "", "0"}, {"--bytes-per-element", "", ""}, {"--threads", "", ""}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("fabric"), {{"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("subsets d.yaml"), {{"--fallback", "GB/s", ""}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("compare d.yaml --models links,ideal"), {{"--seed", "", "0 9223372036854775808"}, {"--threads", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("explain d.yaml"), {{"--rank", "", "0"}, {"--collective", "", "0"}, {"--node", "", "0 1"}, {"--seed", "", "0 9223372036854775808"}, {"--threads", "", "0"}, {"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("explain d.yaml --collective 0"), {{"--chunk", "", "0"}});
    rows(QStringLiteral("compare d.yaml d.yaml"), {{"--baseline", "", ""}});
    rows(QStringLiteral("report d.yaml"), {{"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("report d.yaml --compare d.yaml --out r.html"), {{"--baseline", "", ""}});
    rows(QStringLiteral("presets"), {{"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("examples"), {{"--memory-limit", "GiB", ""}});
    rows(QStringLiteral("astra --workload-configuration t --system-configuration sys.json --network-configuration net.yml --remote-memory-configuration mem.json"),
         {{"--num-queues-per-dim", "", ""}, {"--injection-scale", "", "0 1e-30"}, {"--memory-limit", "GiB", ""}});
    return all;
}

} // namespace

class TestCliValues : public QObject {
    Q_OBJECT

    unsigned m_turn = 0; ///< Values of options so far.

private slots:
    void everyNumericKeyOfTheReferenceHasARow()
    {
        QSet<QString> tried;
        for (const QString& text : designs()) {
            QList<Leaf> leaves;
            addLeaves(YAML::Load(text.toStdString()), {}, leaves);
            for (const Leaf& leaf : leaves)
                tried.insert(lastKey(leaf.path));
        }
        // Parameters of scripts may be any number; these two belong to files of other programs, whose figures meet the ranges where they become a platform or a run.
        const QSet<QString> others{QStringLiteral("instances"), QStringLiteral("k"), QStringLiteral("bytes_per_transfer"), QStringLiteral("injection_scale"), QStringLiteral("communication"),
                                   QStringLiteral("usual"),
                                   // Of a plan, which needs a model that fits it: tst_plan_layout, tst_plan_designs.
                                   QStringLiteral("axis"), QStringLiteral("schedule"), QStringLiteral("zero"), QStringLiteral("bucket_mb"), QStringLiteral("unit"), QStringLiteral("prefetch"), QStringLiteral("shard"), QStringLiteral("virtual"),
                                   QStringLiteral("micro_batches"), QStringLiteral("forward"), QStringLiteral("backward"), QStringLiteral("weight"), QStringLiteral("together"), QStringLiteral("degree"),
                                   QStringLiteral("imbalance"), QStringLiteral("framework"), QStringLiteral("batch"), QStringLiteral("prompt"), QStringLiteral("output"), QStringLiteral("chunk"),
                                   QStringLiteral("decode_steps"), QStringLiteral("prefill_replicas")};
        static const QRegularExpression numeric(QStringLiteral(R"((\w+): [+-]?[0-9])"));
        int keys = 0;
        for (auto match = numeric.globalMatch(QString::fromStdString(reference())); match.hasNext(); ++keys) {
            const QString key = match.next().captured(1);
            QVERIFY2(tried.contains(key) || others.contains(key), qPrintable(key));
        }
        QVERIFY(keys > 100);
    }

    void everyNumberOfADesignIsRefusedWhereItCannotBeMeant_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("old");
        int design = 0;
        for (const QString& text : designs()) {
            QList<Leaf> leaves;
            addLeaves(YAML::Load(text.toStdString()), {}, leaves);
            for (const Leaf& leaf : leaves)
                QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(design).arg(leaf.path))) << text << leaf.path << leaf.text;
            ++design;
        }
    }

    void everyNumberOfADesignIsRefusedWhereItCannotBeMeant()
    {
        QFETCH(QString, text);
        QFETCH(QString, path);
        QFETCH(QString, old);
        const qsizetype blank = old.indexOf(QLatin1Char(' '));
        const QString unit = blank < 0 ? QString() : old.mid(blank);
        const QString key = lastKey(path);
        static const QSet<QString> moves{QStringLiteral("load"), QStringLiteral("store"), QStringLiteral("send"), QStringLiteral("receive"), QStringLiteral("size")};
        for (const char* value : {"0", "-1", "nan", "inf", "1e-30", "1e30", "9223372036854775808", "9223372036854775807"}) {
            const QString shown = path + QStringLiteral(" = ") + QString::fromUtf8(value) + unit + QStringLiteral(": ");
            if (canBeMeant(key, QString::fromUtf8(value)))
                continue;
            const auto loaded = readDesignText(text.toStdString(), "d.yaml", {{path.toStdString(), std::string(value) + unit.toStdString()}});
            Diagnostics found;
            if (loaded)
                found = validate(loaded.value().design);
            else
                found.push_back(finding("read", loaded.error()));
            const bool nothing = std::strcmp(value, "0") == 0 && moves.contains(key) && !unit.isEmpty();
            QString all;
            bool good = false;
            for (const Diagnostic& entry : found) {
                all += QString::fromStdString(entry.text()) + QLatin1Char('\n');
                if (nothing)
                    good = good || entry.rule == "zero-bytes" || (entry.severity == Severity::Error && entry.place.field.find(key.toStdString()) != std::string::npos);
                else
                    good = good || (entry.severity == Severity::Error && entry.text().find(key.toStdString()) != std::string::npos);
            }
            // A receive of 0 bytes is warned of at its sender, whose size differs here.
            if (nothing && key == QLatin1String("receive"))
                continue;
            QVERIFY2(good, qPrintable(shown + all));
        }
    }

    void underTheModelsOfAstraFiguresAreWarnedOf()
    {
        // The reference computes with anything.
        const auto loaded = readDesignText(kText, "d.yaml", {{"workload.collective", "all_reduce"}, {"model.name", "astra-unaware"}, {"model.endpoint_delay", "200 s"}, {"platform.remote_memory.latency", "200 s"}});
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        int warned = 0;
        for (const Diagnostic& entry : validate(loaded.value().design)) {
            if (entry.rule != "value-range")
                continue;
            QCOMPARE(entry.severity, Severity::Warning);
            ++warned;
        }
        QCOMPARE(warned, 2);
    }

    void whatIsNoticedWithoutARunIsSaidByTheRun()
    {
        QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), QByteArray(kGraph).replace("64 MiB", "0 MiB")));
        const CliResult result = runCli({QStringLiteral("simulate"), QStringLiteral("d.yaml")}, folder.path());
        QCOMPARE(result.exit, 0);
        QVERIFY2(result.err.contains("warning: d.yaml:8:") && result.err.contains("a collective of 0 bytes moves nothing"), result.err);
    }

    void everyNumericOptionRefusesWhatCannotBeMeant_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("meant");
        for (const OptionRow& row : optionRows())
            QTest::newRow(qPrintable(row.name())) << row.command << QString::fromUtf8(row.option) << QString::fromUtf8(row.unit) << QString::fromUtf8(row.meant);
    }

    void everyNumericOptionRefusesWhatCannotBeMeant()
    {
        QFETCH(QString, command);
        QFETCH(QString, option);
        QFETCH(QString, unit);
        QFETCH(QString, meant);
        QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), kText));
        if (command.contains(QLatin1String(" ring")))
            QCOMPARE(runCli(QStringLiteral("program --algorithm ring --axes 4 --out ring.json --et ring").split(QLatin1Char(' ')), folder.path()).exit, 0);
        QStringList base = command.split(QLatin1Char(' '));
        for (const QString& replaced : {option, option == QLatin1String("--npu-bandwidth") ? QStringLiteral("--bandwidth") : option}) {
            if (const qsizetype at = base.indexOf(replaced); at >= 0)
                base.remove(at, 2);
        }
        const QStringList allowed = meant.split(QLatin1Char(' '));
        // Under a sanitizer a program takes ten times as long to start: there each option meets every fifth value, and each value many options.
        const auto passedOver = [this] { return test::kSanitized && !qEnvironmentVariableIsSet("FABRICSCOPE_LONG") && m_turn++ % 5 != 0; };
        for (const char* number : {"0", "-1", "nan", "inf", "1e-30", "1e30", "9223372036854775808"}) {
            if (passedOver())
                continue;
            const QString value = QString::fromUtf8(number);
            const CliResult result = runCli(base + QStringList{option + QLatin1Char('=') + value + (unit.isEmpty() ? QString() : QLatin1Char(' ') + unit)}, folder.path());
            const QByteArray shown = value.toUtf8() + ": " + QByteArray::number(result.exit) + ' ' + result.err;
            if (allowed.contains(value)) {
                QVERIFY2(result.exit == 0 || !result.err.contains(option.toUtf8()), shown);
                continue;
            }
            QCOMPARE(result.exit, 2);
            QVERIFY2(result.err.contains(option.toUtf8()) && !result.err.contains("Could not convert"), shown);
        }
        for (const char* value : {"99999999999999999999", "1.5x", "abc", "4,,2", "4,", ",4", "0x10"}) {
            if (passedOver())
                continue;
            const CliResult result = runCli(base + QStringList{option + QLatin1Char('=') + QString::fromUtf8(value)}, folder.path());
            const QByteArray shown = QByteArray(value) + ": " + QByteArray::number(result.exit) + ' ' + result.err;
            QCOMPARE(result.exit, 2);
            QVERIFY2(result.err.contains(option.toUtf8()) && !result.err.contains("Could not convert"), shown);
        }
    }

    void digitsAreReadAsTens()
    {
        QTemporaryDir folder;
        const auto checked = [&](const char* text) {
            return runCli({QStringLiteral("verify"), QStringLiteral("--algorithm"), QStringLiteral("ring"), QStringLiteral("--axes"), QStringLiteral("16"), QStringLiteral("--chunks"), QString::fromUtf8(text)}, folder.path());
        };
        // The parser's own conversion takes a zero in front for the sign of base 8.
        const CliResult padded = checked("010");
        QCOMPARE(padded.exit, 0);
        QCOMPARE(padded.out, checked("10").out);
        QVERIFY(padded.out != checked("8").out);
    }

    void everyOptionOfTheHelpIsANumberThatIsTriedOrNone()
    {
        QSet<QString> tried;
        for (const OptionRow& row : optionRows())
            tried.insert(row.name());
        const QSet<QString> words{
            QStringLiteral("--help"), QStringLiteral("--help-all"), QStringLiteral("--set"), QStringLiteral("--job"), QStringLiteral("--ctrl-deps"), QStringLiteral("--network"), QStringLiteral("--system"),
            QStringLiteral("--memory"), QStringLiteral("--comm-group"), QStringLiteral("--workload"), QStringLiteral("--model"), QStringLiteral("--models"), QStringLiteral("--engine"),
            QStringLiteral("--strict"), QStringLiteral("--quiet"), QStringLiteral("--json"), QStringLiteral("--save"), QStringLiteral("--timeline"), QStringLiteral("--report"), QStringLiteral("--topology"),
            QStringLiteral("--collective"), QStringLiteral("--algorithm"), QStringLiteral("--program"), QStringLiteral("--scheduler"), QStringLiteral("--optimization"), QStringLiteral("--out"),
            QStringLiteral("--method"), QStringLiteral("--script"), QStringLiteral("--param"), QStringLiteral("--op"), QStringLiteral("--et"), QStringLiteral("--draw"), QStringLiteral("--in-place"),
            QStringLiteral("--out-of-place"), QStringLiteral("--nodes"), QStringLiteral("--condition"), QStringLiteral("--line"), QStringLiteral("--to"), QStringLiteral("--fuse"), QStringLiteral("--version"),
            QStringLiteral("--sections"), QStringLiteral("--question"), QStringLiteral("--paper"), QStringLiteral("--compare"), QStringLiteral("--platform"), QStringLiteral("--plans"), QStringLiteral("--confirm"), QStringLiteral("--explain"), QStringLiteral("--ranges"), QStringLiteral("--tree"), QStringLiteral("--programs")};
        static const QRegularExpression line(QStringLiteral(R"(^  (?:-\w,)?(--[\w-]+))"), QRegularExpression::MultilineOption);
        for (const char* command : {"simulate", "collective", "tune", "synthesize", "program", "verify", "step", "convert", "lint", "report", "compare", "explain", "subsets", "fabric", "presets", "examples"}) {
            const CliResult help = runCli({QString::fromUtf8(command), QStringLiteral("--help")});
            QCOMPARE(help.exit, 0);
            int options = 0;
            for (auto match = line.globalMatch(QString::fromUtf8(help.out)); match.hasNext(); ++options) {
                const QString option = match.next().captured(1);
                // Rows of ranks are words in most commands, a number in lint.
                const bool word = words.contains(option) || (option == QLatin1String("--ranks") && std::strcmp(command, "lint") != 0);
                QVERIFY2(word || tried.contains(QString::fromUtf8(command) + QLatin1Char(' ') + option), qPrintable(QString::fromUtf8(command) + QLatin1Char(' ') + option));
            }
            QVERIFY(options > 1);
        }
    }
};

FABRICSCOPE_TEST(TestCliValues)
#include "tst_cli_values.moc"
