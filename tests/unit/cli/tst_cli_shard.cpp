// fabricscope-cli shard: keys and numbers of its answer, its table, refusals.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

constexpr const char* kBlock = R"(fabricscope: 1
shard:
  mesh: {x: 4, y: 2}
  dtype: bf16
  tensors: {x: [16, 8, 32], w1: [32, 64], w2: [64, 32]}
  ops:
    - {name: h, op: einsum, eq: "bsm,mh->bsh", in: [x, w1]}
    - {name: out, op: einsum, eq: "bsh,hm->bsm", in: [h, w2]}
  annotations:
    - {tensor: x, dims: [[x], [], []]}
    - {tensor: w1, dims: [[], [y]]}
  wanted: {out: [[x], [], []]}
)";

} // namespace

class CliShardTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    CliResult run(const QByteArray& text, const QStringList& more = {QStringLiteral("--json")})
    {
        const QString path = m_folder.filePath(QStringLiteral("case.yaml"));
        if (!writeFile(path, text))
            qFatal("not written");
        return runCli(QStringList{QStringLiteral("shard"), path} + more);
    }

private slots:
    /// 4 x 8 x 32 elements of 2 bytes are reduced over two devices: as many bytes are sent.
    void aBlockHasOneAllReduceWithItsCause()
    {
        const CliResult answer = run(kBlock, {QStringLiteral("--run"), QStringLiteral("--json")});
        QVERIFY2(answer.exit == 0, answer.err.constData());
        const auto json = jsonOf(answer);
        QCOMPARE(json["schema"].get<int>(), 1);
        const auto& result = json["result"];
        QVERIFY(result["equal"].get<bool>());
        QCOMPARE(result["devices"].get<int>(), 8);
        QVERIFY(result["tensors"]["w2"]["dims"] == nlohmann::json({{"y"}, nlohmann::json::array()}));
        QVERIFY(result["tensors"]["out"]["unreduced"] == nlohmann::json({"y"}));
        QVERIFY(result["tensors"]["h"]["local"][0]["shape"] == nlohmann::json({4, 8, 32}));
        QCOMPARE(result["tensors"]["h"]["local"][0]["devices"].get<std::string>(), std::string("0-7"));
        QCOMPARE(result["collectives"].size(), std::size_t{1});
        const auto& row = result["collectives"][0];
        QCOMPARE(row["kind"].get<std::string>(), std::string("all_reduce"));
        QVERIFY(row["axes"] == nlohmann::json({"y"}));
        QCOMPARE(row["bytes"].get<int>(), 2048);
        QCOMPARE(row["sent_per_device"].get<int>(), 2048);
        QCOMPARE(row["phase"].get<std::string>(), std::string("forward"));
        QCOMPARE(row["annotation"].get<std::string>(), std::string("wanted of out"));
        QVERIFY(row["cause"].get<std::string>().find("over y") != std::string::npos);
    }

    void deviceOrderNamesTheDevicesOfParts()
    {
        const nlohmann::json result = jsonOf(run("fabricscope: 1\nshard:\n  mesh: {x: 4}\n  device_order: [3, 1, 2, 0]\n  tensors: {a: [10]}\n  annotations: [{tensor: a, dims: [[x]]}]\n"))["result"];
        // Parts of 3, 3, 3 and 1: the last is on device 0.
        QVERIFY(result["tensors"]["a"]["local"] == nlohmann::json({{{"devices", "1-3"}, {"shape", {3}}}, {{"devices", "0"}, {"shape", {1}}}}));
    }

    void fieldsAreReplaced()
    {
        const nlohmann::json result = jsonOf(run(kBlock, {QStringLiteral("--json"), QStringLiteral("--set"), QStringLiteral("mesh.y=4"), QStringLiteral("--set"), QStringLiteral("shard.options.backward=true")}))["result"];
        QCOMPARE(result["devices"].get<int>(), 16);
        QVERIFY(result["tensors"].contains("grad out"));
        const CliResult wrong = run(kBlock, {QStringLiteral("--set"), QStringLiteral("mesh.y=many")});
        QCOMPARE(wrong.exit, 2);
        QVERIFY2(wrong.err.contains("--set mesh.y"), wrong.err.constData());
    }

    void theTableShowsLayoutsCollectivesAndCauses()
    {
        const CliResult answer = run(kBlock, {});
        QCOMPARE(answer.exit, 0);
        QVERIFY(answer.out.contains("[x, -, -] unreduced y"));
        QVERIFY(answer.out.contains("all_reduce"));
        QVERIFY(answer.out.contains("sent per device 2 KiB"));
    }

    void wrongFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* from, const char* to, const char* says) { QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(says); };
        row("version", "fabricscope: 1", "fabricscope: 2", "fabricscope");
        row("unknown key", "wanted:", "wnated:", "wanted");
        row("unknown axis", "dims: [[], [y]]", "dims: [[], [z]]", "no axis is named z");
        row("axis of no devices", "y: 2}", "y: 0}", "shard.mesh.y");
        row("too many devices", "y: 2}", "y: 99999999}", "16777216");
        row("too large", "w1: [32, 64]", "w1: [281474976710656, 64]", "2^48");
        row("no dim", "w1: [32, 64]", "w1: [32, 0]", "shard.tensors.w1[1]");
        row("sizes that do not fit", "w1: [32, 64]", "w1: [31, 64]", "letter m has sizes 32 and 31");
        row("no operand", "in: [h, w2]", "in: [g, w2]", "no tensor is named g");
        row("no equation", "bsh,hm->bsm", "bsh,hm", "has no result");
        row("two of a name", "name: out", "name: h", "two tensors are named h");
        row("annotated twice", "tensor: w1", "tensor: x", "two annotations");
        row("dims of another tensor", "wanted: {out: [[x], [], []]}", "wanted: {out: [[x]]}", "3 lists");
    }
    void wrongFilesAreRefused()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, says);
        QByteArray text(kBlock);
        QVERIFY(text.contains(from));
        const CliResult answer = run(text.replace(text.indexOf(from), from.size(), to));
        QCOMPARE(answer.exit, 2);
        QVERIFY2(isErrorAlone(answer), answer.out.constData());
        QVERIFY2(answer.err.contains("case.yaml:") && answer.err.contains(says), answer.err.constData());
    }

    void examplesRunAndAreEqual()
    {
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/shard"));
        for (const QString& name : folder.entryList({QStringLiteral("*.yaml"), QStringLiteral("*.mlir")})) {
            const CliResult answer = runCli({QStringLiteral("shard"), folder.filePath(name), QStringLiteral("--run"), QStringLiteral("--json")});
            QVERIFY2(answer.exit == 0, (name.toUtf8() + answer.err).constData());
            const nlohmann::json result = jsonOf(answer)["result"];
            QVERIFY(result["equal"].get<bool>());
            if (name == QStringLiteral("dense-2d.yaml")) // 16 sequences on 8 devices stay; the model dim is cut over 8 and over 16.
                QVERIFY(result["reduced"]["x"][0] == 16 && result["reduced"]["x"][2].get<int>() % 16 == 0 && result["reduced"]["w1"][0] == result["reduced"]["x"][2]);
            if (name == QStringLiteral("megatron.yaml"))
                QVERIFY(!result.contains("reduced"));
        }
    }

    /// A device has 4 x 8 rows and 32 of 64 inner columns: 2 x 32 x 32 x 32 FLOPs for each of two products at 1 TFLOP/s, 65.536 ns.
    void aStepIsSimulatedWithWhatRemovesItsCollective()
    {
        const QString platform = m_folder.filePath(QStringLiteral("platform.yaml"));
        QVERIFY(writeFile(platform, "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}, {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n"
                                    "  npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));
        const QStringList options{QStringLiteral("--simulate"), QStringLiteral("--platform"), platform, QStringLiteral("--json")};
        const CliResult answer = run(kBlock, options);
        QVERIFY2(answer.exit == 0, answer.err.constData());
        const nlohmann::json result = jsonOf(answer)["result"];
        QCOMPARE(result["compute_ns"].get<double>(), 2 * 65.536);
        const double all = result["collectives"][0]["simulated_ns"].get<double>();
        // 1 us there and 1 us back, and half of 2048 bytes each way: one after the other at most, over both links between the two at best.
        QVERIFY2(all >= 2 * 1000 + 1024 && all <= 2 * (1000 + 1024), qPrintable(QString::number(all)));
        QCOMPARE(result["finish_ns"].get<double>(), all + 2 * 65.536);
        QVERIFY(!result["removals"].empty());
        for (const auto& row : result["removals"])
            QVERIFY(std::abs(row["gain_ns"].get<double>() + row["finish_ns"].get<double>() - result["finish_ns"].get<double>()) < 0.001);
        const CliResult text = run(kBlock, options.mid(0, 3));
        QVERIFY2(text.out.contains("simulated: ") && text.out.contains("what would remove all_reduce of out over y:"), text.out.constData());

        QCOMPARE(run(kBlock, {QStringLiteral("--simulate")}).exit, 2);
        QCOMPARE(run(kBlock, {QStringLiteral("--platform"), platform}).exit, 2);
        QCOMPARE(run(kBlock, {QStringLiteral("--overlap")}).exit, 2);
        const CliResult small = run(kBlock, {QStringLiteral("--simulate"), QStringLiteral("--platform"), QStringLiteral("hgx-h100-8"), QStringLiteral("--set"), QStringLiteral("mesh.x=8")});
        QVERIFY2(small.exit == 2 && small.err.contains("16 ranks"), small.err.constData());
    }

    void tasksAreWrittenAsTracesThatRun()
    {
        const QString path = m_folder.filePath(QStringLiteral("traced.yaml"));
        QVERIFY(writeFile(path, kBlock));
        const QString prefix = m_folder.filePath(QStringLiteral("traces"));
        const CliResult made = runCli({QStringLiteral("generate"), path, QStringLiteral("--out"), prefix, QStringLiteral("--json")});
        QVERIFY2(made.exit == 0, made.err.constData());
        const nlohmann::json result = jsonOf(made)["result"];
        QCOMPARE(result["ranks"].get<int>(), 8);
        QCOMPARE(result["nodes"].get<int>(), 8 * 3); // Two products and an all-reduce.
        const CliResult lint = runCli({QStringLiteral("lint"), prefix, QStringLiteral("--comm-group"), prefix + QStringLiteral(".json")});
        QVERIFY2(lint.exit == 0, lint.out.constData());
        QCOMPARE(runCli({QStringLiteral("generate"), path, QStringLiteral("--out"), prefix, QStringLiteral("--set"), QStringLiteral("mesh.x=none")}).exit, 2);
    }

    /// Each weight is gathered over x within its part along y; two gathers and two reduce-scatters of activations over y.
    void theTwoDimensionalLayerMovesWhatItsFormulaSays()
    {
        const CliResult answer = runCli({QStringLiteral("shard"), QString::fromUtf8(FABRICSCOPE_SOURCE_DIR "/resources/examples/shard/dense-2d.yaml"), QStringLiteral("--json")});
        QCOMPARE(answer.exit, 0);
        std::int64_t weights = 0;
        int activations = 0;
        const auto json = jsonOf(answer);
        for (const auto& row : json["result"]["collectives"]) {
            if (row["phase"] != "forward" || row["kind"] == "slice")
                continue;
            if (row["axes"] == nlohmann::json({"x"})) {
                weights += row["sent_per_device"].get<std::int64_t>();
            } else {
                ++activations;
                QCOMPARE(row["sent_per_device"].get<std::int64_t>(), std::int64_t{16} * 1024 * 8192 * 2 / 8 / 16 * 15);
            }
        }
        QCOMPARE(activations, 4);
        QCOMPARE(weights, (std::int64_t{4} * 8192 * 128 * 128 + std::int64_t{2} * 8192 * 65536) * 2 / 16 / 8 * 7);
    }
};

FABRICSCOPE_TEST(CliShardTest)
#include "tst_cli_shard.moc"
