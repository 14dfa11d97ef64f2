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
        // Groups under the name of the traces are theirs; other files are not.
        QCOMPARE(run("lint m --strict").exit, 0);
        QVERIFY(QFile::rename(m_folder.filePath(QStringLiteral("m.json")), m_folder.filePath(QStringLiteral("groups.json"))));
        QCOMPARE(run("lint m").exit, 1);
        QCOMPARE(run("lint m --strict --comm-group groups.json").exit, 0);
        write("m.json", "[1, 2]");
        QCOMPARE(run("lint m --strict --comm-group groups.json").exit, 0);
        QVERIFY(run("lint m").out.contains("unknown-group"));
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

    void aScheduleRunsTheSame()
    {
        // Reductions are free, as no memory has a rate. Each row: exact in picoseconds.
        const std::pair<const char*, const char*> rows[] = {{"Ring(8)", "all_reduce, algorithm: ring, chunks: 4"}, {"Switch(8)", "all_reduce, algorithm: halving_doubling, chunks: 2"}, {"FullyConnected(5)", "all_to_all, algorithm: direct, chunks: 1"},
                                                            {"Switch(4)", "all_reduce, algorithm: double_binary_tree, chunks: 1"}, {"Ring(3)", "all_gather, algorithm: ring, chunks: 1"}};
        for (const auto& [topology, how] : rows) {
            const QByteArray platform = "fabricscope: 1\nplatform: {topology: " + QByteArray(topology) + ", bandwidth: 50 GB/s, latency: 1 us}\n";
            const QByteArray collective(how);
            const qsizetype comma = collective.indexOf(',');
            write("one.yaml", platform + "workload: {collective: " + collective.left(comma) + ", size: 1 MiB}\ncollectives: {default: {" + collective.mid(comma + 1) + "}}\n");
            const CliResult made = run("generate one.yaml --out one.goal --json");
            QVERIFY2(made.exit == 0, made.err.constData());
            QVERIFY(jsonOf(made)["result"]["nodes"].get<int>() > 0);
            write("again.yaml", platform + "workload: {trace: one.goal}\n");
            QVERIFY2(finishOf("one.yaml") > 0 && finishOf("again.yaml") == finishOf("one.yaml"), how);
        }
    }

    void aScheduleHasComputationsMessagesAndTurns()
    {
        // Stages of 3 ms for each of 8 micro-batches, three hops of 1 us and 10 us (1 MB at 100 GB/s): as traces, but exact.
        write("timed.yaml", QByteArray(kPlatform) + kTimed);
        QCOMPARE(run("generate timed.yaml --out t.goal").exit, 0);
        write("again.yaml", QByteArray(kPlatform) + "workload: {trace: t.goal}\n");
        QVERIFY(finishOf("timed.yaml") > 33e6);
        QCOMPARE(finishOf("again.yaml"), finishOf("timed.yaml"));
        // Two collectives of one group that nothing else puts in order: the second begins when the first has ended, as in a run.
        const QByteArray ring = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\n";
        write("two.yaml", ring + "workload: {steps: [{name: a, collective: all_gather, size: 1 MiB}, {name: b, collective: all_gather, size: 1 MiB, after: []}]}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n");
        QCOMPARE(run("generate two.yaml --out two.goal").exit, 0);
        write("again.yaml", ring + "workload: {trace: two.goal}\n");
        QCOMPARE(finishOf("two.yaml"), 2 * 3 * (1000 + 262144 / 50.0)); // 2 (n - 1) (L + x / B)
        QCOMPARE(finishOf("again.yaml"), finishOf("two.yaml"));
        QCOMPARE(run("generate two.yaml --out x.goal --set model.name=astra-unaware").exit, 2);
        QCOMPARE(run("generate two.yaml --out x.goal --overlap").exit, 2);
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("x.goal"))));
    }

    void theHashOfADesignHasTheContentOfItsSchedule()
    {
        write("s.goal", "num_ranks 2\nrank 0 { calc 1000\n}\nrank 1 { calc 2000\n}\n");
        write("s.yaml", QByteArray("fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {trace: s.goal}\n"));
        const auto hash = [&] { return jsonOf(run("simulate s.yaml --json"))["result"]["design_hash"].get<std::string>(); };
        QCOMPARE(finishOf("s.yaml"), 2000.0);
        const std::string before = hash();
        write("s.goal", "num_ranks 2\nrank 0 { calc 1000\n}\nrank 1 { calc 2001\n}\n");
        QCOMPARE(finishOf("s.yaml"), 2001.0);
        QVERIFY(hash() != before);
        write("s.yaml", QByteArray("fabricscope: 1\nplatform: {topology: Ring(3), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {trace: s.goal}\n"));
        const CliResult wrong = run("simulate s.yaml");
        QVERIFY2(wrong.exit == 2 && wrong.err.contains("the schedule has 2 ranks, the machine 3"), wrong.err.constData());
    }
};

FABRICSCOPE_TEST(CliGenerateTest)
#include "tst_cli_generate.moc"
