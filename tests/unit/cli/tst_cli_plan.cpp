// fabricscope-cli plan: keys and numbers of its answer, refusals, too little memory.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

using namespace fabricscope::test;

namespace {

/// GPT-13B over 8 NPUs below one switch.
constexpr const char* kGpt = R"(fabricscope: 1
platform:
  dimensions: [{shape: switch, size: 8, bandwidth: 300 GB/s, latency: 1 us}]
  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}
workload:
  model:
    transformer: {layers: 40, hidden: 5120, heads: 40, vocab: 50257, seq: 2048}
    train: {global_batch: 1, micro_batch: 1}
  plan:
    mesh: {axes: [tp], shape: [8]}
    tensor: {vocabulary_parallel: false}
)";

constexpr const char* kTimed = R"(fabricscope: 1
platform: {dimensions: [{shape: switch, size: 4, bandwidth: 300 GB/s, latency: 1 us}]}
workload:
  plan:
    mesh: {axes: [pp], shape: [4]}
    pipeline: {micro_batches: 8, times: [{forward: 1 ms, backward: 2 ms}]}
)";

} // namespace

class CliPlanTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    CliResult plan(const char* text, QStringList more = {QStringLiteral("--json")}) const
    {
        if (!writeFile(m_folder.filePath(QStringLiteral("d.yaml")), text))
            qFatal("cannot write");
        return runCli(QStringList{QStringLiteral("plan"), QStringLiteral("d.yaml")} + more, m_folder.path());
    }

private slots:
    void theAnswerHasItsKeys()
    {
        const CliResult run = plan(kGpt);
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.isEmpty(), run.err.constData());
        const auto json = jsonOf(run);
        const auto& result = json["result"];
        for (const char* const key : {"step_flops", "model_flops", "mfu", "hfu", "tokens_per_s", "step_s", "bubble_share", "estimate", "memory", "communications", "stages", "warnings", "design_hash"})
            QVERIFY2(result.contains(key), key);
        const auto& memory = result["memory"];
        QCOMPARE(memory.size(), std::size_t{1});
        QCOMPARE(memory[0]["ranks"].get<std::string>(), std::string("0-7"));
        std::int64_t sum = 0;
        for (const char* const part : {"parameters", "gradients", "optimizer", "activations", "buffers", "kv_cache"})
            sum += memory[0][part].get<std::int64_t>();
        QCOMPARE(memory[0]["peak"].get<std::int64_t>(), sum);
        // 40 layers of 12 h^2 / 8 + 7h/8 + 6h, positions 2048 h, final norm 2h, table 50257 h; 2 B each.
        QCOMPARE(memory[0]["parameters"].get<std::int64_t>(), std::int64_t{2} * (40LL * (12LL * 5120 * 5120 / 8 + 7 * 5120 / 8 + 6 * 5120) + 2048LL * 5120 + 2 * 5120 + 50257LL * 5120));
        QCOMPARE(result["stages"][0]["layers"].get<int>(), 40);
        const auto& row = result["communications"][0];
        QVERIFY(row["kind"] == "all_reduce" && row["phase"] == "forward" && row["group"] == "tp" && row["group_size"] == 8 && row["count"] == 80 && row["bytes"] == 20'971'520);
        QCOMPARE(row["sent_per_rank"].get<std::int64_t>(), std::int64_t{2'936'012'800});
        // One micro-batch of 2048 tokens.
        QVERIFY(std::abs(result["tokens_per_s"].get<double>() * result["step_s"].get<double>() - 2048) < 0.1);
        // MFU and HFU are of the same time.
        QVERIFY(std::abs(result["hfu"].get<double>() / result["mfu"].get<double>() - result["step_flops"].get<double>() / result["model_flops"].get<double>()) < 1e-4);
    }

    void setsChangeThePlan()
    {
        const CliResult run = plan(kGpt, {QStringLiteral("--set"), QStringLiteral("workload.plan.tensor.sequence_parallel=true"), QStringLiteral("--json")});
        QCOMPARE(run.exit, 0);
        const auto json = jsonOf(run);
        int gathers = 0;
        for (const auto& row : json["result"]["communications"])
            gathers += row["phase"] == "forward" && row["kind"] == "all_gather" ? row["count"].get<int>() : 0;
        QCOMPARE(gathers, 80);
    }

    /// (m + p - 1) 3 ms, of which m 3 ms are work: 3 of 11 parts are bubble.
    void aPipelineOfGivenTimesNeedsNoModel()
    {
        const auto json = jsonOf(plan(kTimed));
        const auto& result = json["result"];
        QCOMPARE(result["step_s"].get<double>(), 0.033);
        QVERIFY(std::abs(result["bubble_share"].get<double>() - 3.0 / 11) < 1e-6);
        QCOMPARE(result["step_flops"].get<std::int64_t>(), std::int64_t{0});
        for (int stage = 0; stage < 4; ++stage)
            QCOMPARE(result["stages"][static_cast<std::size_t>(stage)]["in_flight"].get<int>(), 4 - stage);
        const QByteArray text = plan(kTimed, {}).out;
        QVERIFY2(text.contains("33 ms, bubble 27.3 %"), text.constData());
    }

    void tooLittleMemoryIsAnErrorThatSaysWhatHelps()
    {
        const CliResult run = plan(kGpt, {QStringLiteral("--set"), QStringLiteral("platform.npu.memory=37 GiB"), QStringLiteral("--json")});
        QCOMPARE(run.exit, 1);
        QVERIFY2(run.err.contains("ranks 0-7 need") && run.err.contains("states of the optimizer") && run.err.contains("sequence_parallel: true, which needs") && run.err.contains("[memory]"), run.err.constData());
        QCOMPARE(jsonOf(run)["result"]["warnings"].size(), std::size_t{1});
        const CliResult fits = plan(kGpt, {QStringLiteral("--set"), QStringLiteral("platform.npu.memory=37 GiB"), QStringLiteral("--set"), QStringLiteral("workload.plan.tensor.sequence_parallel=true"), QStringLiteral("--json")});
        QCOMPARE(fits.exit, 0);
    }

    void withoutAPeakThereAreNoTimes()
    {
        const auto result = jsonOf(plan(QByteArray(kGpt).replace("peak: 312 TFLOP/s, ", "").constData()))["result"];
        QVERIFY(result["step_s"].is_null() && result["mfu"].is_null() && result["bubble_share"].is_null());
        QVERIFY(result["step_flops"].get<double>() > 0);
    }

    void whatIsNoPlanIsRefused_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* from, const char* to, const char* says) { QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(says); };
        row("ranks", "size: 8", "size: 16", "the mesh has 8 ranks and there are 16 NPUs");
        row("heads", "heads: 40", "heads: 20", "20 heads are not divided by 8 ranks (expected \"tp\" of 5 or 10");
        row("unknown key", "vocabulary_parallel", "vocabulary_paralel", "nearest: vocabulary_parallel");
        row("unknown model key", "hidden: 5120", "hiden: 5120", "nearest: hidden");
        row("no mesh", "mesh: {axes: [tp], shape: [8]}", "recompute: none", "\"mesh\" is missing");
        row("no plan", "  plan:\n    mesh: {axes: [tp], shape: [8]}\n    tensor: {vocabulary_parallel: false}\n", "", "\"plan\" is missing");
        row("both", "workload:\n", "workload:\n  collective: all_reduce\n  size: 1 MiB\n", "given together");
        row("word", "[8]}", "[8]}\n    recompute: all", "unknown value \"all\"");
    }
    void whatIsNoPlanIsRefused()
    {
        QFETCH(const QByteArray, from);
        QFETCH(const QByteArray, to);
        QFETCH(const QByteArray, says);
        QVERIFY(QByteArray(kGpt).contains(from));
        const CliResult run = plan(QByteArray(kGpt).replace(from, to).constData());
        QCOMPARE(run.exit, 2);
        QVERIFY2(isErrorAlone(run), run.out.constData());
        QVERIFY2(run.err.contains(says), run.err.constData());
        QVERIFY2(run.err.contains("d.yaml:"), run.err.constData());
    }

    void aRunSaysWhatPeopleQuote()
    {
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("run.yaml")), QByteArray(kGpt).replace("layers: 40", "layers: 2")));
        const CliResult run = runCli({QStringLiteral("simulate"), QStringLiteral("run.yaml"), QStringLiteral("--json")}, m_folder.path());
        QCOMPARE(run.exit, 0);
        const auto json = jsonOf(run);
        const auto& result = json["result"];
        const auto& figures = result["plan"];
        for (const char* const key : {"step_flops", "model_flops", "mfu", "hfu", "tokens_per_s", "tokens_per_s_per_npu", "bubble_share", "exposed", "exposed_ranks", "memory", "npu_memory"})
            QVERIFY2(figures.contains(key), key);
        double sum = 0;
        for (const auto& row : figures["exposed"]) {
            QVERIFY(row["kind"] == "tensor");
            sum += row["ns"].get<double>();
        }
        QVERIFY(sum > 0 && std::abs(sum - result["ranks"][0]["exposed_comm_ns"].get<double>()) < 0.01);
        const double seconds = result["finish_ns"].get<double>() * 1e-9;
        QVERIFY(std::abs(figures["tokens_per_s"].get<double>() * seconds / 2048 - 1) < 1e-5);
        QVERIFY(std::abs(figures["mfu"].get<double>() * 8 * 312e12 * seconds / figures["model_flops"].get<double>() - 1) < 1e-5);
    }

    void inferenceListsLatencyAgainstTheBatch()
    {
        const QByteArray text = QByteArray(kGpt) + "    inference: {batch: 4, prompt: 512, output: 8}\n";
        const auto json = jsonOf(plan(text.constData()));
        const auto& batches = json["result"]["batches"];
        QVERIFY(batches.size() > 3 && batches[0]["batch"] == 4 && batches[1]["batch"] == 1);
        QVERIFY(batches[1]["ttft_ns"].get<double>() < batches[0]["ttft_ns"].get<double>());
        // 40 layers x 2 x 5120 numbers of two bytes, over 8 ranks, for 519 tokens of 4 sequences.
        QCOMPARE(json["result"]["memory"][0]["kv_cache"].get<std::int64_t>(), std::int64_t{40} * 2 * 5120 * 2 / 8 * 519 * 4);
        const CliResult refused = plan((text + "    recompute: full\n").constData());
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains("workload.plan.recompute"), refused.err.constData());
    }

    void measuredRowsAreValidated()
    {
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("rows.csv")), "gpu,kind,m,n,k,time_us\nA100,GEMM fp16,8192,8192,8192,4333.9\n"));
        const CliResult run = runCli({QStringLiteral("validate"), QStringLiteral("--kind"), QStringLiteral("gemm"), QStringLiteral("--rows"), QStringLiteral("rows.csv"), QStringLiteral("--json")}, m_folder.path());
        QCOMPARE(run.exit, 0);
        const auto json = jsonOf(run);
        const auto& set = json["result"]["sets"][0];
        QVERIFY(set["set"] == "rows" && set["rows"] == 1 && set["fitted"] == 0);
        const auto& row = json["result"]["rows"][0];
        QVERIFY(row["gpu"] == "A100" && row["time_us"] == "4333.9");
        const double ratio = row["measured"].get<double>() / row["predicted"].get<double>();
        const double share = std::max(ratio, 1 / ratio) - 1;
        QVERIFY(std::abs(set["error_pct"].get<double>() - share * 100) < 0.01);
        QCOMPARE(runCli({QStringLiteral("validate"), QStringLiteral("--kind"), QStringLiteral("tpus"), QStringLiteral("--rows"), QStringLiteral("rows.csv")}, m_folder.path()).exit, 2);
        QCOMPARE(runCli({QStringLiteral("validate"), QStringLiteral("--kind"), QStringLiteral("gpt"), QStringLiteral("--rows"), QStringLiteral("rows.csv")}, m_folder.path()).exit, 2);
    }

    void otherWorkloadsHaveNoPlan()
    {
        const CliResult run = plan("fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains("is no plan"), run.err.constData());
    }
};

FABRICSCOPE_TEST(CliPlanTest)
#include "tst_cli_plan.moc"
