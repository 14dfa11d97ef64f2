// fabricscope-cli shard: keys and numbers of its answer, its table, refusals.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

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
        QVERIFY(answer.out.isEmpty());
        QVERIFY2(answer.err.contains("case.yaml:") && answer.err.contains(says), answer.err.constData());
    }

    void examplesRunAndAreEqual()
    {
        for (const char* name : {"megatron.yaml", "experts.yaml", "spatial.yaml", "attention.mlir"}) {
            const CliResult answer = runCli({QStringLiteral("shard"), QString::fromUtf8(FABRICSCOPE_SOURCE_DIR "/resources/examples/shard/%1").arg(QString::fromUtf8(name)), QStringLiteral("--run"), QStringLiteral("--json")});
            QVERIFY2(answer.exit == 0, answer.err.constData());
            QVERIFY(jsonOf(answer)["result"]["equal"].get<bool>());
        }
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
