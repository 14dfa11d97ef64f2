// fabricscope-cli study: keys of its answers, what it keeps and finds again, shards, the script for Slurm, refusals, a kill.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>
#include <set>

using namespace fabricscope::test;

namespace {

/// 3 x 4 designs, 9 of which may be.
constexpr const char* kVaried = R"(fabricscope: 1
study:
  base:
    platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}
    workload: {collective: all_reduce, size: 1 MiB}
    costs: {npu: {price: 1000, power: 100}, cable: {price: 10, power: 1}}
  parameters:
    - {name: size, field: platform.dimensions.0.size, values: [2, 4, 8]}
    - {name: delay, field: platform.dimensions.0.latency, range: [1 us, 8 us], scale: log, points: 4}
  constraints: ["delay < 8 us"]
  objectives: [{minimise: step_time}, {maximise: npus}, {minimise: cost}]
)";

} // namespace

class CliStudyTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    CliResult study(const char* line) const { return runCli(QStringList{QStringLiteral("study")} + QString::fromUtf8(line).split(QLatin1Char(' ')), m_folder->path()); }
    QByteArray contentOf(const char* name) const
    {
        QFile file(m_folder->filePath(QString::fromUtf8(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
    }
    void write(const char* name, const QByteArray& text) const
    {
        if (!writeFile(m_folder->filePath(QString::fromUtf8(name)), text))
            qFatal("cannot write");
    }
    /// Runs many.yaml until its store has grown so far, and kills it; false: it never did.
    bool isKilledWithin(qint64 bytes) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(QString::fromUtf8(kCliPath), {QStringLiteral("study"), QStringLiteral("run"), QStringLiteral("many.yaml"), QStringLiteral("--threads"), QStringLiteral("1")});
        if (!process.waitForStarted())
            return false;
        const QString store = m_folder->filePath(QStringLiteral("many.sqlite-wal"));
        const bool isLong = waitUntil(process, [&] { return QFileInfo(store).size() >= bytes; });
        process.kill();
        process.waitForFinished();
        return isLong;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        write("s.yaml", kVaried);
    }

    /// 4 NPUs of 1000 and 4 cables of 10 are 4040; with two NPUs a ring has two cables or one.
    void theAnswerAddsUp()
    {
        const CliResult run = study("run s.yaml --json");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.contains("12 designs"), run.err.constData());
        const auto json = jsonOf(run);
        const auto& result = json["result"];
        QCOMPARE(result["designs"].get<int>(), 12);
        QCOMPARE(result["done"].get<int>(), 9);
        QCOMPARE(result["infeasible"].get<int>(), 3);
        QCOMPARE(result["rows"].size(), std::size_t{12});
        std::set<int> front;
        for (const auto& row : result["rows"]) {
            const int point = row["point"].get<int>();
            QCOMPARE(row["parameters"]["size"].get<std::string>(), std::string(point < 4 ? "2" : point < 8 ? "4" : "8"));
            QCOMPARE(row["parameters"]["delay"].get<std::string>(), std::string(std::array{"1 us", "2 us", "4 us", "8 us"}[static_cast<std::size_t>(point % 4)]));
            if (point % 4 == 3) {
                QCOMPARE(row["state"].get<std::string>(), std::string("infeasible"));
                QVERIFY(row["step_time"].is_null());
                continue;
            }
            QCOMPARE(row["npus"].get<int>(), 2 << (point / 4));
            if (point / 4 == 1)
                QCOMPARE(row["cost"].get<double>(), 4040.0);
            if (point % 4 == 0)
                front.insert(point);
        }
        // More delay helps nothing; each number of NPUs is the best of its kind.
        QVERIFY(result["front"] == nlohmann::json(front));
        QCOMPARE(json["run"]["ran"].get<int>(), 12);
        // The cost is that of the size alone; the time of what is ruled out is not known.
        QCOMPARE(result["sensitivity"].size(), std::size_t{2});
        QVERIFY(result["sensitivity"][1]["figure"] == "cost" && result["sensitivity"][1]["shares"]["size"] == 1 && result["sensitivity"][1]["shares"]["delay"] == 0 && result["sensitivity"][1]["together"] == 0);
    }

    /// A checkpoint takes far longer than failures leave: small numbers, which are JSON.
    void hopelessCheckpointsAreNumbers()
    {
        write("h.yaml", QByteArray(kVaried).replace("costs: {", "costs: {software_mtbf: 1, checkpoint: {time: 1000000 s, restart: 1000000 s}, ").replace("{maximise: npus}", "{maximise: goodput}"));
        const auto json = jsonOf(study("run h.yaml --json"));
        for (const auto& row : json["result"]["rows"])
            QVERIFY(row["goodput"].get<double>() >= 0 && row["goodput"].get<double>() < 1e-100);
    }

    void whatIsKeptDoesNotRunAgain()
    {
        QCOMPARE(study("run s.yaml --threads 1 --out a.csv").exit, 0);
        const CliResult again = study("run s.yaml --threads 4 --json --out b.csv");
        const auto json = jsonOf(again);
        QCOMPARE(json["run"]["ran"].get<int>(), 0);
        QCOMPARE(json["run"]["found"].get<int>(), 12);
        QCOMPARE(contentOf("a.csv"), contentOf("b.csv"));
        QVERIFY(contentOf("a.csv").startsWith("point,size,delay,state,step_time_ns,"));
        QCOMPARE(study("export s.yaml --out c.csv").exit, 0);
        QCOMPARE(contentOf("c.csv"), contentOf("a.csv"));
        QCOMPARE(study("export s.yaml --out c.jsonl").exit, 0);
        QCOMPARE(contentOf("c.jsonl").count('\n'), 12);
        QCOMPARE(jsonOf(study("status s.yaml --json"))["result"]["done"].get<int>(), 9);
        // One value more: three designs more, one of them not to be.
        const auto more = jsonOf(study("run s.yaml --json --set study.parameters.0.values=[2,4,8,16]"));
        QCOMPARE(more["run"]["ran"].get<int>(), 4);
        QCOMPARE(more["result"]["done"].get<int>(), 12);
    }

    void shardsAreTheWhole()
    {
        QCOMPARE(study("run s.yaml --store whole.sqlite --out whole.csv").exit, 0);
        QCOMPARE(study("run s.yaml --shard 1/3").exit, 0);
        QCOMPARE(study("run s.yaml --shard 3/3").exit, 0);
        QCOMPARE(jsonOf(study("merge s.yaml --json"))["result"]["open"].get<int>(), 4);
        QCOMPARE(study("run s.yaml --shard 2/3").exit, 0);
        QCOMPARE(jsonOf(study("merge s.yaml --json"))["result"]["open"].get<int>(), 0);
        QCOMPARE(study("export s.yaml --out parts.csv").exit, 0);
        QCOMPARE(contentOf("parts.csv"), contentOf("whole.csv"));
    }

    void aScriptForSlurmRunsAShardOfEach()
    {
        const CliResult script = study("run s.yaml --slurm --tasks 4");
        QCOMPARE(script.exit, 0);
        QVERIFY(script.out.startsWith("#!/bin/sh\n") && script.out.contains("#SBATCH --array=1-4\n"));
        write("job.sh", script.out);
        for (const char* const task : {"1", "2", "3", "4"}) {
            QProcess shell;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("SLURM_ARRAY_TASK_ID"), QString::fromUtf8(task));
            shell.setProcessEnvironment(environment);
            shell.setWorkingDirectory(m_folder->path());
            shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("job.sh")});
            QVERIFY(shell.waitForFinished() && shell.exitCode() == 0);
        }
        const auto merged = jsonOf(study("merge s.yaml --json"));
        QCOMPARE(merged["result"]["done"].get<int>(), 9);
    }

    /// Killed whenever: what is kept is found, and the table is that of a run of its own.
    void aKillLosesNothing()
    {
        const QByteArray many = QByteArray(kVaried).replace("points: 4", "points: 700");
        write("many.yaml", many);
        QCOMPARE(study("run many.yaml --store other.sqlite --out other.csv").exit, 0);
        QVERIFY(isKilledWithin(300'000));
        const auto json = jsonOf(study("run many.yaml --json --out many.csv"));
        QCOMPARE(json["run"]["ran"].get<int>() + json["run"]["found"].get<int>(), 2100);
        QVERIFY(json["run"]["found"].get<int>() > 0);
        QCOMPARE(contentOf("many.csv"), contentOf("other.csv"));
    }

    /// What a search decided on, how much it pruned and by what; the same table on any number of threads and after a kill. It has no parts.
    void aSearchIsToldAndGoesOn()
    {
        const QByteArray search = QByteArray(kVaried).replace(", {minimise: cost}]", "]\n  sampling: {search: nsga2, budget: 12, seed: 3}");
        write("n.yaml", search);
        const CliResult run = study("run n.yaml --json --out one.csv --threads 1");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.contains("nsga2: at most 12 designs of 12"), run.err.constData());
        const auto result = jsonOf(run)["result"];
        const auto& tally = result["search"];
        QVERIFY(tally["kind"] == "nsga2" && tally["budget"] == 12 && tally["rungs"].empty());
        // All 12 are decided on: a delay of 8 us is ruled out, more delay than needed is beaten.
        QCOMPARE(result["designs"].get<int>(), 12);
        QCOMPARE(tally["pruned_by_constraints"].get<int>(), 3);
        QCOMPARE(tally["simulated"].get<int>() + tally["pruned_by_bounds"].get<int>(), 9);
        QCOMPARE(result["pruned"].get<int>(), tally["pruned_by_bounds"].get<int>());
        QCOMPARE(study("run n.yaml --store two.sqlite --threads 4 --out two.csv").exit, 0);
        QCOMPARE(contentOf("two.csv"), contentOf("one.csv"));
        QCOMPARE(study("export n.yaml --out three.csv").exit, 0);
        QCOMPARE(contentOf("three.csv"), contentOf("one.csv"));
        const CliResult text = study("run n.yaml");
        QVERIFY2(text.out.contains(" simulated of 12; pruned ") && text.out.contains(" by their bounds, 3 by constraints"), text.out.constData());
        for (const char* const line : {"run n.yaml --shard 1/2", "run n.yaml --slurm"}) {
            const CliResult parts = study(line);
            QVERIFY2(parts.exit == 2 && parts.out.isEmpty() && parts.err.contains("it has no parts"), parts.err.constData());
        }

        write("many.yaml", QByteArray(search).replace("points: 4", "points: 4000").replace("budget: 12", "budget: 3000"));
        QCOMPARE(study("run many.yaml --store other.sqlite --out other.csv").exit, 0);
        QVERIFY(isKilledWithin(150'000));
        const auto rest = jsonOf(study("run many.yaml --json --out many.csv"));
        QVERIFY(rest["run"]["found"].get<int>() > 0 && rest["run"]["ran"].get<int>() > 0);
        QCOMPARE(rest["run"]["found"].get<int>() + rest["run"]["ran"].get<int>(), rest["result"]["search"]["simulated"].get<int>());
        QCOMPARE(contentOf("many.csv"), contentOf("other.csv"));
    }

    /// Exit code 4, no table; what was done is kept and does not run again.
    void aStopKeepsWhatIsDone()
    {
        write("many.yaml", QByteArray(kVaried).replace("points: 4", "points: 4000"));
        QProcess process;
        process.setWorkingDirectory(m_folder->path());
        process.start(QString::fromUtf8(kCliPath), {QStringLiteral("study"), QStringLiteral("run"), QStringLiteral("many.yaml"), QStringLiteral("--threads"), QStringLiteral("1"), QStringLiteral("--out"), QStringLiteral("many.csv")});
        QVERIFY(process.waitForStarted());
        const QString store = m_folder->filePath(QStringLiteral("many.sqlite-wal"));
        QVERIFY(waitUntil(process, [&] { return QFileInfo(store).size() >= 300'000; }));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 4);
        QVERIFY(process.readAllStandardOutput().isEmpty());
        QCOMPARE(contentOf("many.csv"), QByteArray("none"));
        const auto status = jsonOf(study("status many.yaml --json"))["result"];
        const int done = status["done"].get<int>();
        QVERIFY(done > 0 && done + status["infeasible"].get<int>() + status["open"].get<int>() == 12'000 && status["open"].get<int>() > 0);
    }

    void whatCannotBeRunIsSaidAndStrict()
    {
        // More NPUs than there may be: each of its dimensions may be. Of four the constraint rules out the last, with a delay of 8 us.
        const QByteArray odd = QByteArray(kVaried).replace("- {name: size, field: platform.dimensions.0.size, values: [2, 4, 8]}",
            "- {name: dims, field: platform.dimensions, alternatives: {few: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}], "
            "many: [{shape: ring, size: 2048, bandwidth: 50 GB/s, latency: 1 us}, {shape: ring, size: 1024, bandwidth: 50 GB/s, latency: 1 us}]}}");
        write("odd.yaml", odd);
        const CliResult run = study("run odd.yaml --json");
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.err.contains("3 designs cannot be run") && run.err.contains("point 4") && run.err.contains("1048576"), run.err.constData());
        QCOMPARE(study("run odd.yaml --strict").exit, 1);
        write("bare.yaml", QByteArray(kVaried).replace("    costs: {npu: {price: 1000, power: 100}, cable: {price: 10, power: 1}}\n", ""));
        const CliResult bare = study("run bare.yaml --strict");
        QCOMPARE(bare.exit, 1);
        QVERIFY2(bare.err.contains("bare.yaml:10") && bare.err.contains("cost is not known"), bare.err.constData());
    }

    void whatIsWrongIsRefused_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QByteArray>("says");
        for (const auto& [line, exit, says] : {std::tuple{"run s.yaml --shard 0/3", 2, "--shard"}, {"run s.yaml --shard 4/3", 2, "--shard"}, {"run s.yaml --shard x", 2, "--shard"}, {"run none.yaml", 2, "none.yaml"}, {"run s.yaml --set study.x=1", 2, "study"},
                                               {"run s.yaml --set study.sampling={kind:", 2, "--set"}, {"run s.yaml --store no/folder/s.sqlite", 5, "no/folder"}, {"run s.yaml --store s.yaml", 2, "s.yaml"}, {"run s.yaml --out s.yaml", 2, "s.yaml"},
                                               {"status s.yaml", 2, "s.sqlite"}, {"merge s.yaml", 2, "SHARD"}, {"merge s.yaml s.yaml", 2, "s.yaml"}, {"export s.yaml", 2, "--out"}, {"run s.yaml --slurm --json", 2, "--json"},
                                               {"run design.yaml", 2, "a design"}, {"run s.yaml --set study.sampling.search=nsga2", 2, "\"budget\" is missing"}, {"run s.yaml --set study.sampling.budget=5", 2, "belongs to a search"}, {"run s.yaml --threads -1", 2, "--threads"}})
            QTest::newRow(line) << QString::fromUtf8(line) << exit << QByteArray(says);
        QTest::newRow("nothing") << QString() << 2 << QByteArray("run, status, merge or export");
    }
    void whatIsWrongIsRefused()
    {
        QFETCH(const QString, line);
        QFETCH(const int, exit);
        QFETCH(const QByteArray, says);
        write("design.yaml", "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const CliResult run = runCli(QStringList{QStringLiteral("study")} + line.split(QLatin1Char(' '), Qt::SkipEmptyParts), m_folder->path());
        QCOMPARE(run.exit, exit);
        QVERIFY2(run.err.contains(says), run.err.constData());
        QVERIFY2(line.contains(QStringLiteral("--json")) ? isErrorAlone(run) : run.out.isEmpty(), run.out.constData());
        QCOMPARE(contentOf("s.yaml"), QByteArray(kVaried));
    }
};

FABRICSCOPE_TEST(CliStudyTest)
#include "tst_cli_study.moc"
