// fabricscope-cli case: every number can be had again from its run, the answer follows the designs, files, refusals.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>

using namespace fabricscope::test;
using nlohmann::json;

namespace {

const QString kShipped = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/cases");

constexpr const char* kRingDesign = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
constexpr const char* kRingCase = R"case(fabricscope: 1
name: Two rings
case:
  question: How much faster is the other?
  files: [A.yaml]
  runs:
    - {name: slow, command: simulate, on: A.yaml}
    - {name: fast, command: simulate, on: A.yaml, set: {platform.bandwidth: 100 GB/s}}
    - {name: parts, command: collective, options: {topology: "Ring(4)", bandwidth: 50, latency: 1000, collective: all_gather, size: 1MiB}}
  numbers:
    - {name: slow_time, run: slow, value: finish_ns, unit: ns}
    - {name: fast_time, run: fast, value: ranks.0.finish_ns, unit: ns}
    - {name: model, run: parts, value: model, unit: word}
    - {name: gain, formula: slow_time / fast_time, unit: times}
  answer: "By {gain}, under {model}."
  found: "By 1.72 times, under links."
)case";

/// The value at "result.ranks.0.finish_ns"; null: there is none.
json valueAt(const json& answer, const std::string& path)
{
    const json* part = &answer;
    for (const QString& step : QString::fromStdString(path).split(QLatin1Char('.'))) {
        const json* next = nullptr;
        if (part->is_object() && part->contains(step.toStdString()))
            next = &part->at(step.toStdString());
        const qsizetype equals = step.indexOf(QLatin1Char('='));
        for (std::size_t row = 0; part->is_array() && row < part->size() && !next; ++row) {
            const bool wanted = equals < 0 ? row == step.toUInt() : (*part)[row].value(step.left(equals).toStdString(), std::string()) == step.mid(equals + 1).toStdString();
            next = wanted ? &(*part)[row] : nullptr;
        }
        if (!next)
            return {};
        part = next;
    }
    return *part;
}

} // namespace

class CliCaseTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    CliResult run(const QString& line) const { return runCli(line.split(QLatin1Char(' ')), m_folder.path()); }
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    /// Every number of the answer is what its command prints again in the folder, and those that formulas use stand before them.
    void repeatAll(const json& answer, const QString& folder)
    {
        QHash<QString, json> again;
        for (const json& run : answer.at("result").at("runs")) {
            QStringList words;
            for (const json& word : run.at("arguments"))
                words << QString::fromStdString(word.get<std::string>());
            const CliResult result = runCli(words, folder);
            QVERIFY2(result.exit == 0, result.err.constData());
            const json kept = json::parse(contentOf(folder + QLatin1Char('/') + QString::fromStdString(run.at("file").get<std::string>())).toStdString());
            QCOMPARE(jsonOf(result).at("result").dump(), kept.at("result").dump());
            again.insert(QString::fromStdString(run.at("name").get<std::string>()), jsonOf(result));
        }
        QSet<QString> before;
        int direct = 0;
        for (const json& number : answer.at("result").at("numbers")) {
            const std::string name = number.at("name").get<std::string>();
            // From a run, computed (a number that is given is a formula without others), or the least of others.
            const bool isRead = !number.at("run").is_null();
            QVERIFY2(isRead == !number.at("path").is_null() && isRead == !number.at("command").is_null(), name.c_str());
            QVERIFY2(isRead ? number.at("uses").empty() && number.at("formula").is_null() : !number.at("uses").empty() || !number.at("formula").is_null(), name.c_str());
            for (const json& used : number.at("uses"))
                QVERIFY2(before.contains(QString::fromStdString(used.get<std::string>())), name.c_str());
            before.insert(QString::fromStdString(name));
            if (number.at("run").is_null())
                continue;
            const json value = valueAt(again.value(QString::fromStdString(number.at("run").get<std::string>())), number.at("path").get<std::string>());
            if (number.at("unit") == "word")
                QCOMPARE(QString::fromStdString(value.get<std::string>()), QString::fromStdString(number.at("value").get<std::string>()));
            else
                QCOMPARE(value.get<double>(), number.at("value").get<double>());
            ++direct;
        }
        QVERIFY(direct > 1);
    }

    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void init()
    {
        QVERIFY(writeFile(path("A.yaml"), kRingDesign));
        QVERIFY(writeFile(path("c.yaml"), kRingCase));
    }

    void everyNumberIsHadAgainFromItsRun()
    {
        const CliResult result = run(QStringLiteral("case c.yaml --out kept --json"));
        QVERIFY2(result.exit == 0 && result.err.isEmpty(), result.err.constData());
        const json answer = jsonOf(result);
        repeatAll(answer, path("kept"));
        // By hand: 6 steps of a quarter of 1 MiB and 1 us.
        const double slow = 6 * (262144 / 50.0 + 1000);
        const double fast = 6 * (262144 / 100.0 + 1000);
        QCOMPARE(answer["result"]["numbers"][0]["value"].get<double>(), std::round(slow * 1000) / 1000);
        QVERIFY(std::abs(answer["result"]["numbers"][3]["value"].get<double>() - slow / fast) < 1e-6);
        QCOMPARE(answer["result"]["answer"], answer["result"]["found"]);
        const QByteArray report = contentOf(path("kept/report.html"));
        for (const char* const words : {"By 1.72 times [4], under links [3].", "slow.json: result.finish_ns", "fabricscope-cli simulate A.yaml --set"})
            QVERIFY2(report.contains(words), words);
        QCOMPARE(QDir(path("kept")).entryList(QDir::Files), QStringList({"A.yaml", "c.yaml", "fast.json", "parts.json", "report.html", "slow.json"}));
    }

    void theAnswerFollowsTheDesign()
    {
        const json before = jsonOf(run(QStringLiteral("case c.yaml --json")));
        QVERIFY(writeFile(path("A.yaml"), QByteArray(kRingDesign).replace("1 us", "100 us")));
        const CliResult changed = run(QStringLiteral("case c.yaml --json"));
        QCOMPARE(changed.exit, 0);
        QVERIFY(before["result"]["answer"] != jsonOf(changed)["result"]["answer"]);
        QVERIFY2(changed.err.contains("the case was written with another answer: By"), changed.err.constData());
    }

    void whatFailsSaysTheRunAndItsLine()
    {
        QVERIFY(writeFile(path("A.yaml"), QByteArray(kRingDesign).replace("Ring(4)", "Rong(4)")));
        const CliResult design = run(QStringLiteral("case c.yaml --out none --json"));
        QCOMPARE(design.exit, 2);
        const json error = errorOf(design);
        QCOMPARE(error.value("file", ""), std::string("c.yaml"));
        QCOMPARE(error.value("line", 0), 7);
        QCOMPARE(error.value("field", ""), std::string("case.runs[0]"));
        QVERIFY2(error.value("message", "").find("A.yaml:2") != std::string::npos && error.value("message", "").find("/tmp") == std::string::npos, design.err.constData());
        QVERIFY(!QDir(path("none")).exists());
        QVERIFY(writeFile(path("c.yaml"), QByteArray(kRingCase).replace("ranks.0.finish_ns", "ranks.9.finish_ns")));
        QVERIFY(writeFile(path("A.yaml"), kRingDesign));
        QCOMPARE(errorOf(run(QStringLiteral("case c.yaml --json"))).value("line", 0), 12);
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("no such case") << "case rail-clso" << 2 << QByteArray("did you mean \"rail-clos\"");
        QTest::newRow("no such file") << "case missing.yaml" << 2 << QByteArray("missing.yaml: file not found");
        QTest::newRow("a design") << "case A.yaml" << 2 << QByteArray("A.yaml");
        QTest::newRow("a case where a design is wanted") << "simulate c.yaml" << 2 << QByteArray("a case study, read by the command case");
        QTest::newRow("over its own files") << "case c.yaml --out ." << 2 << QByteArray("--out");
        QTest::newRow("a file for the folder") << "case c.yaml --out A.yaml" << 5 << QByteArray("is no folder");
    }
    void refusals()
    {
        QFETCH(QString, line);
        QFETCH(int, exit);
        QFETCH(QByteArray, words);
        const CliResult result = run(line);
        QVERIFY2(result.exit == exit && result.err.contains(words), result.err.constData());
        QCOMPARE(contentOf(path("c.yaml")), QByteArray(kRingCase));
    }

    void ctrlCEndsItAndLeavesNothing()
    {
        const QTemporaryDir scratch;
        QVERIFY(writeFile(path("A.yaml"), "fabricscope: 1\nplatform: {topology: Ring(64), bandwidth: 50 GB/s, latency: 500 ns}\nworkload:\n  steps:\n    - repeat: 200000\n      steps: [{collective: all_reduce, size: 1 MiB}, {compute: 3 us}]\n"));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TMPDIR"), scratch.path());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.start(QString::fromUtf8(kCliPath), {QStringLiteral("case"), QStringLiteral("c.yaml"), QStringLiteral("--out"), QStringLiteral("stopped")});
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process) && !QDir(scratch.path()).isEmpty(); }));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 4);
        QVERIFY(!QDir(path("stopped")).exists());
        QVERIFY(QDir(scratch.path()).isEmpty());
    }

    void theListHasQuestionAndAnswerOfEachShippedCase()
    {
        const CliResult list = runCli("examples");
        QCOMPARE(list.exit, 0);
        for (const QString& name : QDir(kShipped).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const qsizetype at = list.out.indexOf("\n" + name.toUtf8() + " ");
            QVERIFY2(at > 0, qPrintable(name));
            QVERIFY2(list.out.mid(at, 2000).contains('?'), qPrintable(name));
        }
        const CliResult answer = runCli("examples --json");
        QCOMPARE(answer.exit, 0);
        const nlohmann::json rows = jsonOf(answer)["result"];
        // Each row of the table is one of JSON, and the second line of a case its answer.
        QByteArray table;
        for (const nlohmann::json& row : rows) {
            for (const char* const key : {"name", "kind", "title"})
                table += QByteArray::fromStdString(row[key]) + ' ';
            table += QByteArray::fromStdString(row.value("answer", "")) + ' ';
            QCOMPARE(row.contains("answer"), row["kind"] == "case");
        }
        QCOMPARE(table.simplified(), list.out.simplified());
    }

    void everyShippedCaseGivesTheAnswerItShipsWith_data()
    {
        QTest::addColumn<QString>("name");
        const bool all = qEnvironmentVariableIsSet("FABRICSCOPE_LONG");
        for (const QString& name : QDir(kShipped).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            if (all || name == QLatin1String("chunk-order") || name == QLatin1String("goodput-16k"))
                QTest::newRow(qPrintable(name)) << name;
        }
    }
    void everyShippedCaseGivesTheAnswerItShipsWith()
    {
        QFETCH(QString, name);
        const QString kept = m_folder.filePath(name);
        const CliResult result = runCli({QStringLiteral("case"), name, QStringLiteral("--out"), kept, QStringLiteral("--json"), QStringLiteral("--quiet")});
        QVERIFY2(result.exit == 0, result.err.constData());
        const json answer = jsonOf(result);
        QCOMPARE(QString::fromStdString(answer["result"]["answer"].get<std::string>()), QString::fromStdString(answer["result"].value("found", "")));
        if (qEnvironmentVariableIsSet("FABRICSCOPE_LONG"))
            repeatAll(answer, kept);
    }
};

FABRICSCOPE_TEST(CliCaseTest)
#include "tst_cli_case.moc"
