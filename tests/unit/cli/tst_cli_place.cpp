// fabricscope-cli place: keys and numbers of its answer, refusals.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

constexpr const char* kHead = "fabricscope: 1\nplace:\n";
constexpr const char* kGraph = "  batch: 8\n  inputs: {x: [batch, 64]}\n  parameters: {w1: [64, 64], w2: [64, 64]}\n  ops:\n"
                               "    - {name: y1, op: einsum, eq: \"bk,kn->bn\", in: [x, w1], flops: 98304}\n"
                               "    - {name: y2, op: einsum, eq: \"bk,kn->bn\", in: [y1, w2], flops: 98304}\n"
                               "    - {name: loss, op: reduce, in: [y2], dims: [0, 1], kind: sum, flops: 0}\n";
constexpr const char* kCluster = "  cluster:\n    devices: [{name: a, speed: 1 TFLOP/s}, {name: b, speed: 1 TFLOP/s}]\n"
                                 "    collectives: {all_gather: {bandwidth: 4 GB/s}, reduce_scatter: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}}\n";
constexpr const char* kRules = "  rules: {row_parallel: false, sufficient_factor: false}\n  ratios: even\n";

CliResult placed(const QByteArray& text, const QStringList& more = {QStringLiteral("--json")})
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("f.yaml")));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(text);
    file.close();
    return runCli(QStringList{QStringLiteral("place"), QStringLiteral("f.yaml")} + more, folder.path());
}

QByteArray whole()
{
    return QByteArray(kHead) + kGraph + kCluster + kRules;
}

} // namespace

class CliPlaceTest : public QObject {
    Q_OBJECT

private slots:
    void theAnswerHasTheKeysOfTheContract()
    {
        const CliResult run = placed(whole());
        QCOMPARE(run.exit, 0);
        const auto result = jsonOf(run)["result"];
        // Two products of 6 * 98,304 / 3 * 3 FLOP on two devices, and y1 gathered there and back: 512 elements at 1e9 a second.
        QVERIFY(std::abs(result["cost"].get<double>() - (2 * 3 * 98304.0 / 2e12 + 2 * 512e-9)) < 1e-15);
        QVERIFY(result["ratios"] == nlohmann::json({0.5, 0.5}));
        QVERIFY(result["simulated_ns"].is_null());
        QVERIFY(result["baselines"]["dp_ev"]["cost"].get<double>() > result["cost"].get<double>());
        QVERIFY(result["states_expanded"].get<int>() > 0);
        QCOMPARE(result["rounds"].size(), std::size_t{1});
        std::vector<std::string> kinds;
        for (const auto& row : result["program"])
            kinds.push_back(row["kind"].get<std::string>());
        QCOMPARE(kinds, (std::vector<std::string>{"compute", "all_gather", "compute", "compute"}));
        QCOMPARE(result["program"][0]["makes"].get<std::string>(), std::string("y1"));
        QCOMPARE(result["program"][1]["bytes"].get<int>(), 8 * 64 * 4);
        for (const auto& row : result["lengths"]) {
            if (row["tensor"] == "w1")
                QVERIFY(row["parts"] == nlohmann::json({32, 32}));
        }
    }

    void allMethodsGiveTheSameCost()
    {
        const double cost = jsonOf(placed(whole()))["result"]["cost"].get<double>();
        for (const QStringList& more : {QStringList{"--heuristic", "none", "--json"}, QStringList{"--exhaustive", "--json"}})
            QCOMPARE(jsonOf(placed(whole(), more))["result"]["cost"].get<double>(), cost);
    }

    void aLinearProgramAlone()
    {
        const CliResult run = placed(QByteArray(kHead) + "  phases: [{compute: 6 TFLOP}, {all_gather: 1 GB}]\n  cluster:\n    devices: [{speed: 2 TFLOP/s}, {speed: 1 TFLOP/s}]\n"
                                     "    collectives: {all_gather: {bandwidth: 1 GB/s}}\n");
        QCOMPARE(run.exit, 0);
        const auto result = jsonOf(run)["result"];
        QVERIFY(std::abs(result["cost"].get<double>() - 10.0 / 3) < 1e-9);
        QVERIFY(std::abs(result["ratios"][0].get<double>() - 2.0 / 3) < 1e-9);
        QVERIFY(result["program"].empty() && result["baselines"]["dp_ev"].is_null());
    }

    void aPlatformTimesCollectivesAndTheProgram()
    {
        const QByteArray platform = "  cluster:\n    devices: [{name: a, speed: 2 TFLOP/s, count: 2}, {name: b, speed: 1 TFLOP/s, count: 2}]\n"
                                    "    platform: {dimensions: [{shape: switch, size: 4, bandwidth: 10 GB/s, latency: 1 us}]}\n";
        const CliResult run = placed(QByteArray(kHead) + kGraph + platform);
        QVERIFY2(run.exit == 0, run.err.constData());
        const auto result = jsonOf(run)["result"];
        QVERIFY(result["simulated_ns"].get<std::int64_t>() > 0);
        QVERIFY(result["baselines"]["dp_cp"]["simulated_ns"].get<std::int64_t>() > 0);
        // Another number of NPUs than devices.
        const CliResult other = placed(QByteArray(kHead) + kGraph + QByteArray(platform).replace("size: 4", "size: 8"));
        QCOMPARE(other.exit, 2);
        QVERIFY2(other.err.contains("8 NPUs, the cluster 4 devices"), other.err.constData());
    }

    void aDesignIsPlacedAndRunsAsItWasSimulated()
    {
        const QTemporaryDir folder;
        const auto write = [&](const QByteArray& text) {
            QFile file(folder.filePath(QStringLiteral("d.yaml")));
            if (!file.open(QIODevice::WriteOnly))
                return;
            file.write(text);
        };
        const QByteArray design = "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]\n  npu: {peak: 2 TFLOP/s, memory: 16 GB}\n"
                                  "  overrides: {npus: [{npu: 0, peak: 4 TFLOP/s, memory: 32 GB}]}\nworkload:\n  model:\n    family: transformer\n"
                                  "    transformer: {layers: 2, hidden: 64, heads: 4, ff: 256, vocab: 512, seq: 32}\n    train: {global_batch: 40}\n    optimizer: adam\n"
                                  "    dtype: {param: bf16, act: bf16, grad: fp32, master: fp32, moments: fp32}\n  plan: {placement: hap}\n";
        write(design);
        const auto cli = [&](const char* command, const QStringList& more = {}) { return runCli(QStringList{QLatin1String(command), QStringLiteral("d.yaml"), QStringLiteral("--json")} + more, folder.path()); };
        const CliResult plan = cli("plan");
        QVERIFY2(plan.exit == 0, plan.err.constData());
        const auto placed = jsonOf(plan)["result"];
        const CliResult run = cli("simulate");
        QVERIFY2(run.exit == 0, run.err.constData());
        const double finish = jsonOf(run)["result"]["finish_ns"].get<double>();
        QVERIFY(std::abs(finish - placed["simulated_ns"].get<double>()) <= 0.5);
        std::int64_t sum = placed["cost_ns"].get<std::int64_t>();
        for (const auto& row : placed["difference"])
            sum += row["ns"].get<std::int64_t>();
        QCOMPARE(sum, placed["simulated_ns"].get<std::int64_t>());
        // Two types of device; a byte of BF16 parameters has two of gradients and six of master and moments.
        QCOMPARE(placed["memory"].size(), std::size_t{2});
        for (const auto& row : placed["memory"]) {
            QVERIFY(std::abs(row["gradients"].get<double>() - 2 * row["parameters"].get<double>()) <= 2);
            QVERIFY(std::abs(row["optimizer"].get<double>() - 6 * row["parameters"].get<double>()) <= 6);
        }
        const auto refusal = [&](const char* from, const char* to) {
            write(QByteArray(design).replace(from, to));
            const CliResult refused = cli("simulate");
            return refused.exit == 2 ? refused.err : QByteArray("exit ") + QByteArray::number(refused.exit);
        };
        const std::tuple<const char*, const char*, const char*> kRefused[] = {
            {"placement: hap", "placement: hap, mesh: {axes: [dp], shape: [4]}", "mesh is decided by placement: hap"},
            {"placement: hap", "placement: hap, recompute: full", "recompute is decided by placement: hap"},
            {"placement: hap", "placement: happy", "workload.plan.placement"},
            {"placement: hap", "recompute: full", "\"mesh\" is missing"},
            {"    train: {global_batch: 40}\n", "", "needs the sequences of a step"},
            {"peak: 2 TFLOP/s, ", "", "needs the peak of NPU 1"},
            {"memory: 16 GB", "memory: 1 GB", "libraries take all memory of NPU 1"},
            {"vocab: 512,", "vocab: 512, parallel_residual: true,", "does not place a parallel residual"},
            {"workload:\n", "model: {name: astra-unaware}\nworkload:\n", "models of ASTRA-sim do not have"},
        };
        for (const auto& [from, to, says] : kRefused) {
            const QByteArray said = refusal(from, to);
            QVERIFY2(said.contains(says), (QByteArray(to) + ": " + said).constData());
        }
    }

    void statesOfTheOptimiserHaveToFit()
    {
        // w1 and w2 of 16 KiB each, their gradients and twice as much for moments.
        const auto held = [](const QByteArray& optimizer) {
            const auto result = jsonOf(placed(whole() + "  optimizer: " + optimizer + "\n"))["result"];
            double sum = 0;
            for (const auto& row : result["memory"]) {
                const double count = row["devices"] == "0-1" ? 2 : 1;
                sum += count * row["optimizer"].get<double>();
                if (row["parameters"].get<double>() * 2 != row["optimizer"].get<double>() && optimizer == "adam")
                    return -1.0;
            }
            return sum;
        };
        QCOMPARE(held("none"), 0.0);
        QVERIFY(held("adam") > 0);
        QVERIFY(std::abs(held("adam") - 2 * held("momentum")) < 1);
        const CliResult refused = placed(whole().replace("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 TFLOP/s, memory: 60 kB}") + "  optimizer: adam\n");
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains("(b) needs") && refused.err.contains("short by"), refused.err.constData());
        QVERIFY(placed(whole().replace("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 TFLOP/s, memory: 60 kB}")).exit == 0);
    }

    void aTableHasARowForEachNumberOfDevices()
    {
        const QByteArray platform = "  cluster:\n    devices: [{name: a, speed: 2 TFLOP/s, count: 2}, {name: b, speed: 1 TFLOP/s, count: 2}]\n"
                                    "    platform: {dimensions: [{shape: switch, size: 4, bandwidth: 10 GB/s, latency: 1 us}]}\n";
        const QByteArray text = QByteArray(kHead) + kGraph + platform;
        const CliResult run = placed(text, {QStringLiteral("--table"), QStringLiteral("--devices"), QStringLiteral("2,4"), QStringLiteral("--json")});
        QVERIFY2(run.exit == 0, run.err.constData());
        const auto rows = jsonOf(run)["result"]["rows"];
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0]["devices"].get<int>(), 2);
        // The row of the file's own number is what the file alone gives.
        const auto alone = jsonOf(placed(text))["result"];
        QCOMPARE(rows[1]["found"]["cost"].get<double>(), alone["cost"].get<double>());
        QCOMPARE(rows[1]["found"]["simulated_ns"].get<std::int64_t>(), alone["simulated_ns"].get<std::int64_t>());
        QVERIFY(rows[1]["even"]["cost"].get<double>() >= rows[1]["found"]["cost"].get<double>());
        QVERIFY(placed(text, {QStringLiteral("--table")}).out.startsWith("| model | devices | found |"));
        const CliResult odd = placed(text, {QStringLiteral("--table"), QStringLiteral("--devices"), QStringLiteral("3")});
        QVERIFY2(odd.exit == 2 && odd.err.contains("4 devices cannot become 3"), odd.err.constData());
        QVERIFY(placed(text, {QStringLiteral("--devices"), QStringLiteral("2")}).err.contains("--table as well"));
    }

    void refusalsSayWhatAndWhere_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const QByteArray& text, const QByteArray& said) { QTest::newRow(name) << text << said; };
        const auto with = [](const char* from, const char* to) { return whole().replace(from, to); };
        row("nothing", "fabricscope: 1\n", "expected a file with a section place");
        row("an unknown key", with("batch: 8", "batch: 8\n  bach: 8"), "nearest: batch");
        row("no cluster", QByteArray(kHead) + kGraph, "\"cluster\" is missing");
        row("no devices", with("devices: [{name: a, speed: 1 TFLOP/s}, {name: b, speed: 1 TFLOP/s}]", "devices: []"), "no devices");
        row("no speed", with("{name: b, speed: 1 TFLOP/s}", "{name: b}"), "\"speed\" is missing");
        row("speed 0", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 0 TFLOP/s}"), "more than 0");
        row("a speed of another kind", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 GB}"), "speed");
        row("a speed too small", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 0.000001 FLOP/s}"), "more than 0");
        row("FLOPs beyond all", with("flops: 0}", "flops: 1e300}"), "at most 1e30");
        row("a model beside ops", with("  batch: 8", "  model: {preset: vit}\n  batch: 8"), "one of them");
        row("an unknown optimiser", whole() + "  optimizer: adm\n", "optimizer");
        row("states without a backward pass", whole() + "  optimizer: adam\n  count_backward: false\n", "without a backward pass there are no states");
        row("too many devices", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 TFLOP/s, count: 4096}"), "at most 4096");
        row("an unknown collective", with("all_gather:", "all_gathr:"), "nearest: all_gather");
        row("ratios that do not sum to 1", with("ratios: even", "ratios: [0.5, 0.4]"), "sum to 0.9");
        row("ratios of too few", with("ratios: even", "ratios: [1]"), "1 ratios for 2 devices");
        row("a negative ratio", with("ratios: even", "ratios: [1.5, -0.5]"), "from 0 to 1");
        row("an unknown word", with("ratios: even", "ratios: evn"), "nearest: even");
        row("fixed of nothing", with("ratios: even", "ratios: even\n  fixed: {z: identity}"), "no tensor is named z");
        row("fixed along no dimension", with("ratios: even", "ratios: even\n  fixed: {x: {gather: 2}}"), "from 0 to 1");
        row("an input of addends", with("ratios: even", "ratios: even\n  fixed: {x: reduce}"), "no property of x");
        row("shapes that do not fit", with("w2: [64, 64]", "w2: [32, 64]"), "y2");
        row("a segment of nothing", with("ratios: even", "ratios: even\n  segments: [x]"), "no segment can begin with x");
        row("memory of a device", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 TFLOP/s, memory: 1 kB}"), "short by");
        row("where memory is short", with("{name: b, speed: 1 TFLOP/s}", "{name: b, speed: 1 TFLOP/s, memory: 1 kB}"), ", place.cluster.devices: too little memory: device 1 (b)");
        row("memory for phases", QByteArray(kHead) + "  phases: [{compute: 6 TFLOP}]\n  bytes_held: 10 GB\n  cluster: {devices: [{speed: 2 TFLOP/s, memory: 4 GB}, {speed: 1 TFLOP/s, memory: 4 GB}]}\n",
            "short by 2000000000 bytes (20 % of what is needed");
        row("a collective without figures", QByteArray(kHead) + "  phases: [{all_gather: 6 GB}]\n  cluster: {devices: [{speed: 2 TFLOP/s}]}\n", "does not say what all_gather takes");
        row("no collective at all", with("collectives: {all_gather: {bandwidth: 4 GB/s}, reduce_scatter: {bandwidth: 4 GB/s}, all_reduce: {bandwidth: 4 GB/s}}", "collectives: {}").replace("ratios: even", "ratios: even\n  fixed: {y1: {gather: 0}, y2: {gather: 1}}"),
            "no rule for op y");
    }
    void refusalsSayWhatAndWhere()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const CliResult run = placed(text);
        QVERIFY2(run.exit == 2, run.err.constData());
        QVERIFY2(run.err.contains(said), run.err.constData());
        QVERIFY2(isErrorAlone(run), run.out.constData());
    }

    void aTableSearchesAsItIsTold()
    {
        const auto states = [](const QStringList& more) {
            const auto result = jsonOf(placed(whole().replace("ratios: even", "ratios: optimised"), more))["result"];
            return result.contains("rows") ? result["rows"][0]["states_expanded"].get<int>() : result["states_expanded"].get<int>();
        };
        const int every = states({"--exhaustive", "--json"});
        QVERIFY(every > states({"--json"}));
        QCOMPARE(states({"--table", "--exhaustive", "--json"}), every);
        QCOMPARE(states({"--table", "--heuristic", "none", "--json"}), states({"--heuristic", "none", "--json"}));
        QCOMPARE(states({"--table", "--json"}), states({"--json"}));
    }

    void theCommandLineIsChecked()
    {
        QCOMPARE(placed(whole(), {"--heuristic", "best"}).exit, 2);
        QCOMPARE(placed(whole(), {"--set", "nothing"}).exit, 2);
        QCOMPARE(runCli("place missing.yaml").exit, 2);
        const auto changed = jsonOf(placed(whole(), {"--set", "place.batch=1024", "--json"}))["result"];
        // Gathering y1 takes 65,536 elements now: y1 is computed by both, w1's gradient of 4,096 reduced, and y2 split by columns.
        QVERIFY(std::abs(changed["cost"].get<double>() - (3 * 98304 / 1e12 + 4096e-9 + 3 * 98304 / 2e12)) < 1e-15);
    }
};

FABRICSCOPE_TEST(CliPlaceTest)
#include "tst_cli_place.moc"
