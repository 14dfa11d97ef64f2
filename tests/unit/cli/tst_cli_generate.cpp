// fabricscope-cli generate: what it writes runs the same; exit codes.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

constexpr const char* kPlatform = "fabricscope: 1\nplatform:\n  dimensions: [{shape: fully_connected, size: 4, bandwidth: 100 GB/s, latency: 1 us}]\n  npu: {peak: 100 TFLOP/s, memory_bandwidth: 2 TB/s}\n";
constexpr const char* kTimed = "workload:\n  plan:\n    mesh: {axes: [pp], shape: [4]}\n    pipeline:\n      {micro_batches: 8, send: 1 MB, times: [{forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 2 ms}]}\n";
constexpr const char* kModel = "workload:\n  model: {transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1000, seq: 64}, train: {global_batch: 8}}\n  plan: {mesh: {axes: [dp, tp], shape: [2, 2]}}\n";

} // namespace

class CliGenerateTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    void write(const char* name, const QByteArray& text) const
    {
        if (!writeFile(m_folder.filePath(QString::fromUtf8(name)), text))
            qFatal("cannot write");
    }
    CliResult run(const char* arguments) const { return runCli(QString::fromUtf8(arguments).split(QLatin1Char(' ')), m_folder.path()); }
    double finishOf(const char* design) const
    {
        const CliResult done = runCli({QStringLiteral("simulate"), QString::fromUtf8(design), QStringLiteral("--json")}, m_folder.path());
        return done.exit == 0 ? jsonOf(done)["result"]["finish_ns"].get<double>() : -1;
    }

private slots:
    void whatIsWrittenRunsTheSame()
    {
        write("timed.yaml", QByteArray(kPlatform) + kTimed);
        const CliResult timed = run("generate timed.yaml --out t --json");
        QCOMPARE(timed.exit, 0);
        const auto json = jsonOf(timed);
        QCOMPARE(json["result"]["ranks"].get<int>(), 4);
        QCOMPARE(json["result"]["classes"].get<int>(), 4);
        // 64 operations, and a send and a receive for each of 8 micro-batches, 3 boundaries, 2 ways.
        QCOMPARE(json["result"]["nodes"].get<int>(), 64 + 2 * 8 * 3 * 2);
        QVERIFY(json["result"]["comm_groups"].is_null());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("t.json"))));
        write("again.yaml", QByteArray(kPlatform) + "workload: {trace: t}\n");
        QVERIFY(finishOf("timed.yaml") > 33e6);
        QCOMPARE(finishOf("again.yaml"), finishOf("timed.yaml"));

        write("model.yaml", QByteArray(kPlatform) + kModel);
        const CliResult model = run("generate model.yaml --out m --json");
        QCOMPARE(model.exit, 0);
        QCOMPARE(jsonOf(model)["result"]["comm_groups"].get<std::string>(), std::string("m.json"));
        QCOMPARE(jsonOf(model)["result"]["classes"].get<int>(), 1);
        write("again.yaml", QByteArray(kPlatform) + "workload: {trace: m, comm_groups: m.json}\n");
        QVERIFY(finishOf("model.yaml") > 0);
        QCOMPARE(finishOf("again.yaml"), finishOf("model.yaml"));
    }

    void fieldsCanBeReplaced()
    {
        write("timed.yaml", QByteArray(kPlatform) + kTimed);
        const CliResult done = run("generate timed.yaml --out s --set workload.plan.pipeline.micro_batches=4 --json");
        QCOMPARE(done.exit, 0);
        QCOMPARE(jsonOf(done)["result"]["nodes"].get<int>(), (64 + 96) / 2);
    }

    void whatCannotBeWrittenIsRefused()
    {
        write("timed.yaml", QByteArray(kPlatform) + kTimed);
        QCOMPARE(run("generate timed.yaml").exit, 2);
        QCOMPARE(run("generate --out x").exit, 2);
        QCOMPARE(run("generate none.yaml --out x").exit, 2);
        QCOMPARE(run("generate timed.yaml --out nowhere/x").exit, 5);
        const CliResult odd = run("generate timed.yaml --out x --set workload.plan.pipeline.schedule=dualpipe --set workload.plan.pipeline.micro_batches=9");
        QCOMPARE(odd.exit, 2);
        QVERIFY2(odd.err.contains("8 or 10"), odd.err.constData());
        QVERIFY(QDir(m_folder.path()).entryList({QStringLiteral("x*")}).isEmpty());
    }
};

FABRICSCOPE_TEST(CliGenerateTest)
#include "tst_cli_generate.moc"
