// fabricscope-cli transform: its answer, refusals and exit codes.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

const QString kAdamFile = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/adam.yaml");

QString scheduleFile(const QTemporaryDir& folder, const QByteArray& lines)
{
    const QString path = folder.filePath(QStringLiteral("steps.schedule"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(lines) != lines.size())
        qFatal("no schedule");
    return path;
}

CliResult transform(const QStringList& more) { return runCli(QStringList{QStringLiteral("transform"), kAdamFile} + more); }

} // namespace

class CliTransformTest : public QObject {
    Q_OBJECT

private slots:
    /// The schedule in the file: one fused kernel, states of an eighth of a GiB over 128 ranks.
    void theAnswerHasItsKeys()
    {
        const CliResult run = transform({"--run", "--json"});
        QCOMPARE(run.exit, 0);
        const auto result = jsonOf(run)["result"];
        QCOMPARE(result["stages"].size(), std::size_t{1});
        QCOMPARE(result["stages"][0]["op"].get<std::string>(), std::string("fused"));
        QCOMPARE(result["stages"][0]["members"].size(), std::size_t{5});
        QCOMPARE(result["stages"][0]["algorithm"].get<std::string>(), std::string("ring"));
        QCOMPARE(result["stages_before"].size(), std::size_t{4});
        QCOMPARE(result["tensors"]["m"]["bytes_per_rank"].get<std::int64_t>(), std::int64_t{1} << 23);
        QCOMPARE(result["tensors_before"]["m"]["bytes_per_rank"].get<std::int64_t>(), std::int64_t{1} << 30);
        QCOMPARE(result["applied"].size(), std::size_t{5});
        QVERIFY(result["equal"].get<bool>());
        QVERIFY(result["after_ns"].get<double>() < result["before_ns"].get<double>());
        QVERIFY(!result.contains("refused") && !result.contains("tree"));
    }

    void aScheduleFileReplacesTheOneInTheFile()
    {
        const QTemporaryDir folder;
        const auto result = jsonOf(transform({"--apply", scheduleFile(folder, "split s # first\n"), "--json"}))["result"];
        QCOMPARE(result["applied"].size(), std::size_t{1});
        QCOMPARE(result["stages"][1]["name"].get<std::string>(), std::string("s.ag"));
    }

    void aRefusedStepNamesItsPlaceWordsConditionAndStage()
    {
        const QTemporaryDir folder;
        const CliResult run = transform({"--apply", scheduleFile(folder, "split s\nas_slice m\n"), "--json"});
        QCOMPARE(run.exit, 2);
        for (const char* const word : {"steps.schedule:2:1", "step 2", "as_slice m", "used_sliced", "m1"})
            QVERIFY2(run.err.contains(word), run.err.constData());
        const auto refused = jsonOf(run)["result"]["refused"];
        QCOMPARE(refused["step"].get<int>(), 2);
        QCOMPARE(refused["line"].get<std::string>(), std::string("as_slice m"));
        QCOMPARE(refused["condition"].get<std::string>(), std::string("used_sliced"));
        QCOMPARE(refused["stage"].get<std::string>(), std::string("m1"));
    }

    void theSearchShowsItsTree()
    {
        const auto result = jsonOf(transform({"--tune", "--run", "--json"}))["result"];
        QVERIFY(result["equal"].get<bool>());
        QVERIFY(result["complete"].get<bool>());
        QVERIFY(result["tree"].size() > 10);
        QVERIFY(!result["tree"][0].contains("parent") && result["tree"][0]["best"].get<bool>());
        QVERIFY(std::abs(result["after_ns"].get<double>() / 26.40e6 - 1) < 0.03);
        const CliResult text = transform({"--tune"});
        QVERIFY(text.out.contains("as written") && text.out.contains("* as_slice m"));
    }

    void fieldsCanBeSet()
    {
        const auto result = jsonOf(transform({"--set", "transform.sizes.N=128", "--json"}))["result"];
        QCOMPARE(result["tensors"]["m"]["bytes_per_rank"].get<int>(), 4);
    }

    /// The YAML form and the script say the same.
    void aScriptGivesTheSameAnswer()
    {
        const QString script = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/adam.lua");
        for (const char* const how : {"--run", "--tune"}) {
            const CliResult fromScript = runCli({"transform", script, how, "--json"});
            QCOMPARE(fromScript.exit, 0);
            QCOMPARE(fromScript.out, transform({how, "--json"}).out);
            QCOMPARE(runCli({"transform", script, how}).out, transform({how}).out);
        }
        QCOMPARE(runCli({"transform", script, "--set", "transform.sizes.N=128", "--json"}).out, transform({"--set", "transform.sizes.N=128", "--json"}).out);
    }

    /// 8 x 4 NPUs, tensor parallel over 4 of a node, data over 8 nodes; 2 layers of hidden 64, ff 256.
    void aPartIsCutOutOfTheStepOfADesign()
    {
        const QTemporaryDir folder;
        const QString design = folder.filePath(QStringLiteral("step.yaml"));
        const QString out = folder.filePath(QStringLiteral("part.yaml"));
        QFile file(design);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}, {shape: switch, size: 8, bandwidth: 10 GB/s, latency: 2 us}]\n"
                   "  npu: {peak: 10 TFLOP/s, memory_bandwidth: 1000 GB/s, memory: 80 GiB}\nworkload:\n  model:\n    family: transformer\n    dtype: {param: fp16, act: fp16, grad: fp32, master: fp32}\n    optimizer: adam\n"
                   "    transformer: {layers: 2, hidden: 64, heads: 4, ff: 256, vocab: 512, seq: 32}\n    train: {global_batch: 16, micro_batch: 2}\n  plan: {mesh: {axes: [dp, tp], shape: [8, 4]}}\n");
        file.close();
        const CliResult cut = runCli({"transform", "--from", design, "--part", "mlp", "--out", out, "--run", "--json"});
        QVERIFY2(cut.exit == 0, cut.err.constData());
        const auto result = jsonOf(cut)["result"];
        QVERIFY(result["equal"].get<bool>());
        // 2 sequences of 32 tokens; a quarter of 256 columns in the product; FP16.
        QCOMPARE(result["tensors"]["x"]["bytes_per_rank"].get<int>(), 2 * 32 * 256 / 4 * 2);
        QCOMPARE(result["tensors"]["residual"]["bytes_per_rank"].get<int>(), 2 * 32 * 64 * 2);
        // 2 layers, 16 sequences over 8 replicas of 2: one micro-batch, one stage.
        QCOMPARE(result["step"]["count"].get<int>(), 2);
        const double gain = result["before_ns"].get<double>() - result["after_ns"].get<double>();
        for (const char* const estimated : {"before_ns", "after_ns"}) // Of a step that is simulated.
            QVERIFY2(!result["step"].contains(estimated), estimated);
        // The whole step: as `simulate` has it, and a gain of as much in both layers.
        const auto simulated = result["step"]["simulated"];
        QCOMPARE(simulated["plan_ns"].get<double>(), jsonOf(runCli({"simulate", design, "--json"}))["result"]["finish_ns"].get<double>());
        QVERIFY(std::abs(simulated["written_ns"].get<double>() - simulated["scheduled_ns"].get<double>() - 2 * gain) < 2);
        QVERIFY(std::abs(simulated["plan_ns"].get<double>() - simulated["scheduled_ns"].get<double>() - simulated["gain_ns"].get<double>()) < 0.01);
        QCOMPARE(simulated["places"].get<int>(), 2);
        QVERIFY(!simulated["assumed"].empty());
        const CliResult text = runCli({"transform", "--from", design, "--part", "mlp"});
        for (const char* const words : {"as the plan has it", "with the schedule", "on the plan, a gain of", "assumed: the part is replaced in forward passes"})
            QVERIFY2(text.out.contains(words), text.out.constData());
        QVERIFY2(!text.out.contains("estimated"), text.out.constData());
        // The file that was written is the same program.
        const auto again = jsonOf(runCli({"transform", out, "--run", "--json"}))["result"];
        QCOMPARE(again["stages"].dump(), result["stages"].dump());
        // The optimizer works on FP32 copies of what a rank has: 2-byte parameters of `plan`; it is once in a step, instead of what `plan` has there.
        const auto plan = jsonOf(runCli({"plan", design, "--json"}))["result"];
        const auto optimizer = jsonOf(runCli({"transform", "--from", design, "--part", "optimizer", "--json"}))["result"];
        QCOMPARE(optimizer["tensors_before"]["m"]["bytes_per_rank"].get<std::int64_t>(), 2 * plan["memory"][0]["parameters"].get<std::int64_t>());
        QCOMPARE(optimizer["step"]["count"].get<int>(), 1);
        QVERIFY(optimizer["step"].contains("instead_ns"));
        const QStringList stages = {"--set", "workload.plan.mesh.axes=[pp, tp]", "--set", "workload.plan.mesh.shape=[2, 16]", "--set", "workload.model.transformer.heads=16", "--json"};
        const CliResult boundary = runCli(QStringList{"transform", "--from", design, "--part", "pipeline_boundary"} + stages);
        QVERIFY2(boundary.exit == 0, boundary.err.constData());
        const auto whole = jsonOf(boundary)["result"]["step"]["simulated"];
        QCOMPARE(whole["plan_ns"].get<double>(), jsonOf(runCli(QStringList{"simulate", design} + stages))["result"]["finish_ns"].get<double>());
        QVERIFY(std::abs(whole["plan_ns"].get<double>() - whole["scheduled_ns"].get<double>() - whole["gain_ns"].get<double>()) < 0.01);
        QCOMPARE(whole["places"].get<int>(), 8); // 16 sequences by 2.
        QCOMPARE(whole["assumed"].size(), std::size_t{3});
        // Models that do not time kernels: such a step is estimated, with as many times the gain of the program.
        const CliResult other = runCli(QStringList{"transform", "--from", design, "--part", "pipeline_boundary", "--set", "model.name=astra-unaware"} + stages);
        QVERIFY2(other.exit == 0, other.err.constData());
        const auto guessed = jsonOf(other)["result"];
        QVERIFY(guessed["step"]["not_simulated"].get<std::string>().find("compute by operations") != std::string::npos);
        const double less = guessed["before_ns"].get<double>() - guessed["after_ns"].get<double>();
        QVERIFY(std::abs(guessed["step"]["before_ns"].get<double>() - guessed["step"]["after_ns"].get<double>() - guessed["step"]["count"].get<int>() * less) < 0.01);
        for (const auto& [part, word] : {std::pair{"pipeline_boundary", "not split into stages"}, {"experts", "there is no part experts"}}) {
            const CliResult refused = runCli({"transform", "--from", design, "--part", part});
            QCOMPARE(refused.exit, 2);
            QVERIFY2(refused.err.contains(word), refused.err.constData());
        }
        const CliResult zero = runCli({"transform", "--from", design, "--part", "optimizer", "--set", "workload.plan.data.zero=1"});
        QCOMPARE(zero.exit, 2);
        QVERIFY(zero.err.contains("sliced already"));
    }

    void badInputsAreRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("no file") << QStringList{"transform", "missing.yaml"} << QByteArray("missing.yaml");
        QTest::newRow("no argument") << QStringList{"transform"} << QByteArray("FILE");
        QTest::newRow("a part of nothing") << QStringList{"transform", kAdamFile, "--part", "mlp"} << QByteArray("belong together");
        QTest::newRow("two programs") << QStringList{"transform", kAdamFile, "--from", kAdamFile} << QByteArray("a program and a design");
        QTest::newRow("a design") << QStringList{"transform", QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/ring-torus.yaml")} << QByteArray("transform");
        QTest::newRow("set nothing") << QStringList{"transform", kAdamFile, "--set", "x"} << QByteArray("--set");
        QTest::newRow("set an unknown key") << QStringList{"transform", kAdamFile, "--set", "transform.rank=4"} << QByteArray("nearest: ranks");
        QTest::newRow("both") << QStringList{"transform", kAdamFile, "--tune", "--apply", "x"} << QByteArray("--apply or --tune");
        QTest::newRow("no schedule") << QStringList{"transform", kAdamFile, "--apply", "missing.schedule"} << QByteArray("missing.schedule");
        QTest::newRow("other ranks") << QStringList{"transform", kAdamFile, "--set", "transform.ranks=64"} << QByteArray("128 NPUs");
    }

    void badInputsAreRefused()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, word);
        const CliResult run = runCli(arguments);
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains(word), run.err.constData());
        QVERIFY(run.out.isEmpty());
    }
};

FABRICSCOPE_TEST(CliTransformTest)
#include "tst_cli_transform.moc"
