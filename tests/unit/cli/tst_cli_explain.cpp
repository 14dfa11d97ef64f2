// fabricscope-cli explain: what it prints, its JSON, and what it refuses.
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

/// Four NPUs on a ring of 1 B/ns, 500 ns: 1 us of computing, then 6 messages of 1000 B one after the other: 1 + 6 x 1.5 = 10 us.
const char* const kDesign = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}]}\n"
                            "workload:\n  steps:\n    - {compute: 1 us}\n    - {collective: all_reduce, size: 4000 B, name: gradients}\n"
                            "collectives: {default: {algorithm: ring, chunks: 1}}\n";

std::int64_t sumOf(const json& rows)
{
    std::int64_t sum = 0;
    for (const json& row : rows)
        sum += row["ps"].get<std::int64_t>();
    return sum;
}

} // namespace

class TestCliExplain : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    CliResult explain(const QStringList& more) const { return runCli(QStringList{QStringLiteral("explain"), QStringLiteral("d.yaml")} + more, m_folder.path()); }

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("d.yaml")), kDesign));
    }
    void saysWhereTheTimeGoes()
    {
        const CliResult text = explain({});
        QVERIFY2(text.exit == 0, text.err);
        for (const char* const words : {"Why the run takes 10 us (10000 ns)", "serialisation  6 us  60.0 %", "latency        3 us  30.0 %", "compute        1 us  10.0 %",
                                        "1. the dimension 0 bandwidth (Ring, 1 GB/s) bounds 60.0 % of the time (6 us); twice as much saves at most 30.0 %",
                                        "try --set platform.dimensions.0.bandwidth=\"2 GB/s\""})
            QVERIFY2(text.out.contains(words), (QByteArray(words) + " is not in\n" + text.out).constData());
    }
    void addsUpInJson()
    {
        const json result = jsonOf(explain({QStringLiteral("--json")}))["result"];
        QCOMPARE(result["finish_ps"].get<std::int64_t>(), std::int64_t{10'000'000});
        QCOMPARE(sumOf(result["blame"]), std::int64_t{10'000'000});
        QCOMPARE(sumOf(result["parts"]), std::int64_t{10'000'000});
        QCOMPARE(result["parameters"][0]["name"].get<std::string>(), std::string("dimension 0 bandwidth"));
        QCOMPARE(result["parameters"][0]["d_finish_d_ln_ps"].get<std::int64_t>(), std::int64_t{-6'000'000});
        QVERIFY(result["parameters"][0]["confirmed_ps"].is_null());
    }
    /// Twice the rate halves the six messages, half the latency the three microseconds, twice the computing its one: on one path nothing else becomes the longest.
    void confirmsGains()
    {
        const json result = jsonOf(explain({QStringLiteral("--json"), QStringLiteral("--confirm")}))["result"];
        QCOMPARE(result["parameters"].size(), std::size_t{3});
        for (const json& row : result["parameters"])
            QVERIFY2(row["confirmed_ps"] == row["gain_ps"], row.dump().c_str());
        const CliResult changed = explain({QStringLiteral("--json"), QStringLiteral("--set"), QStringLiteral("platform.dimensions.0.bandwidth=2 GB/s")});
        QCOMPARE(jsonOf(changed)["result"]["finish_ps"].get<std::int64_t>(), std::int64_t{10'000'000} - result["parameters"][0]["confirmed_ps"].get<std::int64_t>());
    }
    /// On one path nothing else becomes the longest: each line holds as far as is looked.
    void findsRanges()
    {
        const json rows = jsonOf(explain({QStringLiteral("--json"), QStringLiteral("--ranges")}))["result"]["parameters"];
        QCOMPARE(rows.size(), std::size_t{3});
        for (const json& row : rows)
            QVERIFY2(row["range_percent"] == json::array({-50, 50}), row.dump().c_str());
        QVERIFY(jsonOf(explain({QStringLiteral("--json")}))["result"]["parameters"][0]["range_percent"].is_null());
        const CliResult text = explain({QStringLiteral("--ranges")});
        QVERIFY2(text.out.contains("the line holds") && text.out.contains("-50 % to +50 %"), text.out.constData());
    }
    /// The one slow link is an override: that is what is to be changed, and twice as much of it saves what is said.
    void proposesToChangeTheOverrideOfALink()
    {
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("slow.yaml")), "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 500 ns}]\n"
                                                                        "  overrides: {links: [{link: d0 0>1, bandwidth: 100 MB/s}]}\nworkload: {collective: all_reduce, size: 4000 B}\n"
                                                                        "collectives: {default: {algorithm: ring, chunks: 1}}\n"));
        const QStringList line{QStringLiteral("explain"), QStringLiteral("slow.yaml"), QStringLiteral("--json"), QStringLiteral("--confirm")};
        const json slow = jsonOf(runCli(line, m_folder.path()))["result"];
        QCOMPARE(slow["parameters"][0]["field"].get<std::string>(), std::string("platform.overrides.links.0.bandwidth"));
        QCOMPARE(slow["diagnosis"][0]["edit"].get<std::string>(), std::string("--set platform.overrides.links.0.bandwidth=\"200 MB/s\""));
        const json changed = jsonOf(runCli(line + QStringList{QStringLiteral("--set"), QStringLiteral("platform.overrides.links.0.bandwidth=200 MB/s")}, m_folder.path()))["result"];
        QCOMPARE(changed["finish_ps"].get<std::int64_t>(), slow["finish_ps"].get<std::int64_t>() - slow["parameters"][0]["confirmed_ps"].get<std::int64_t>());
    }
    /// 1 GFLOP at 1 TFLOP/s is 1 ms, at twice as much half of it.
    void proposesMoreCompute()
    {
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("busy.yaml")), "fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 1 GB/s, latency: 500 ns, npu: {peak: 1 TFLOP/s}}\nworkload: {steps: [{compute: 1 GFLOP}]}\n"));
        const json busy = jsonOf(runCli({QStringLiteral("explain"), QStringLiteral("busy.yaml"), QStringLiteral("--json"), QStringLiteral("--confirm")}, m_folder.path()))["result"];
        QCOMPARE(busy["finish_ps"].get<std::int64_t>(), std::int64_t{1'000'000'000});
        const json& first = busy["diagnosis"][0];
        QCOMPARE(first["edit"].get<std::string>(), std::string("--set platform.npu.peak=\"2 TFLOP/s\""));
        QCOMPARE(first["confirmed_ps"].get<std::int64_t>(), std::int64_t{500'000'000});
    }
    /// Two phases of three messages each: 1 us over the link and 500 ns of latency for every message, on every level.
    void explainsLevelByLevel()
    {
        const std::function<bool(const json&)> addsUp = [&](const json& node) {
            std::int64_t sum = 0;
            for (const json& child : node["children"]) {
                if (!addsUp(child))
                    return false;
                sum += child["ps"].get<std::int64_t>();
            }
            return node["children"].empty() ? node["level"] == "kind" : sum == node["ps"].get<std::int64_t>();
        };
        const json tree = jsonOf(explain({QStringLiteral("--json"), QStringLiteral("--tree")}))["result"]["tree"];
        QCOMPARE(tree["ps"].get<std::int64_t>(), std::int64_t{10'000'000});
        QVERIFY2(addsUp(tree), tree.dump(1).c_str());
        QCOMPARE(tree["children"].size(), std::size_t{2});
        const json& collective = tree["children"][0];
        QCOMPARE(collective["name"].get<std::string>(), std::string("collective 0 (all_reduce gradients)"));
        QCOMPARE(collective["ps"].get<std::int64_t>(), std::int64_t{9'000'000});
        std::int64_t messages = 0;
        for (const json& phase : collective["children"]) {
            QCOMPARE(phase["level"].get<std::string>(), std::string("phase"));
            for (const json& chunk : phase["children"]) {
                for (const json& message : chunk["children"]) {
                    QCOMPARE(message["ps"].get<std::int64_t>(), std::int64_t{1'500'000});
                    QCOMPARE(message["children"][0]["ps"].get<std::int64_t>(), std::int64_t{1'000'000});
                    ++messages;
                }
            }
        }
        QCOMPARE(messages, std::int64_t{6});
        QVERIFY(!jsonOf(explain({QStringLiteral("--json")}))["result"].contains("tree"));
        const CliResult text = explain({QStringLiteral("--tree"), QStringLiteral("--collective"), QStringLiteral("0")});
        QVERIFY2(text.out.contains("Why, level by level") && text.out.contains("9 us  100.0 %  collective 0"), text.out.constData());
    }
    void explainsParts()
    {
        const json collective = jsonOf(explain({QStringLiteral("--collective"), QStringLiteral("0"), QStringLiteral("--json")}))["result"];
        QCOMPARE(collective["begin_ps"].get<std::int64_t>(), std::int64_t{1'000'000});
        QCOMPARE(collective["duration_ps"].get<std::int64_t>(), std::int64_t{9'000'000});
        QCOMPARE(sumOf(collective["blame"]), std::int64_t{9'000'000});
        const json rank = jsonOf(explain({QStringLiteral("--rank"), QStringLiteral("2"), QStringLiteral("--json")}))["result"];
        QCOMPARE(sumOf(rank["blame"]), std::int64_t{10'000'000});
        const std::uint64_t node = rank["blame"][0]["node"].get<std::uint64_t>();
        const json task = jsonOf(explain({QStringLiteral("--node"), QString::number(node), QStringLiteral("--json")}))["result"];
        QCOMPARE(sumOf(task["blame"]), std::int64_t{9'000'000});
    }
    void explainsSavedRuns()
    {
        QCOMPARE(runCli(QStringList{QStringLiteral("simulate"), QStringLiteral("d.yaml"), QStringLiteral("--save"), QStringLiteral("d.run")}, m_folder.path()).exit, 0);
        const CliResult saved = runCli(QStringList{QStringLiteral("explain"), QStringLiteral("d.run"), QStringLiteral("--json")}, m_folder.path());
        QVERIFY2(saved.exit == 0, saved.err);
        QVERIFY(jsonOf(saved)["result"] == jsonOf(explain({QStringLiteral("--json")}))["result"]);
    }
    void addsToReports()
    {
        const auto page = [&](const QStringList& more) {
            const CliResult done = runCli(QStringList{QStringLiteral("report"), QStringLiteral("d.yaml"), QStringLiteral("--out"), QStringLiteral("r.html")} + more, m_folder.path());
            QFile file(m_folder.filePath(QStringLiteral("r.html")));
            return done.exit == 0 && file.open(QIODevice::ReadOnly) ? file.readAll() : done.err;
        };
        const QByteArray explained = page({QStringLiteral("--explain")});
        QVERIFY2(explained.contains("The critical path of the run takes 10"), explained.left(300).constData());
        QVERIFY(explained.contains("all_reduce gradients of rank "));
        QVERIFY(!page({}).contains("The critical path of the run"));
    }
    void refusesWhatIsNotThere_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("rank") << QStringLiteral("--rank 4") << QByteArray("--rank: there is no rank 4 (expected 0 to 3)");
        QTest::newRow("collective") << QStringLiteral("--collective 1") << QByteArray("--collective: there is no collective 1 (expected 0 to 0)");
        QTest::newRow("node") << QStringLiteral("--node 99") << QByteArray("there is no node 99");
        QTest::newRow("two") << QStringLiteral("--node 1 --collective 0") << QByteArray("--collective");
        QTest::newRow("ranks of a collective") << QStringLiteral("--rank 1 --collective 0") << QByteArray("--rank");
        QTest::newRow("ranges of a part") << QStringLiteral("--ranges --rank 1") << QByteArray("--ranges: ranges are those of the whole run");
        QTest::newRow("below nothing") << QStringLiteral("--rank -1") << QByteArray("--rank");
    }
    void refusesWhatIsNotThere()
    {
        QFETCH(const QString, arguments);
        QFETCH(const QByteArray, words);
        const CliResult refused = explain(arguments.split(QLatin1Char(' ')));
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains(words), refused.err.constData());
        QVERIFY(refused.out.isEmpty());
    }
    void saysWhoWaitsForEver()
    {
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("stuck.yaml")), "fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 1 GB/s, latency: 500 ns}\nworkload:\n  steps:\n"
                                                                         "    - {receive: 1 KiB, from: 1, tag: 1, ranks: \"0\"}\n    - {send: 1 KiB, to: 1, tag: 2, ranks: \"0\"}\n"
                                                                         "    - {receive: 1 KiB, from: 0, tag: 2, ranks: \"1\"}\n    - {send: 1 KiB, to: 0, tag: 1, ranks: \"1\"}\n"));
        const CliResult stuck = runCli(QStringList{QStringLiteral("explain"), QStringLiteral("stuck.yaml")}, m_folder.path());
        QCOMPARE(stuck.exit, 3);
    }
    /// Every design among the examples that runs within a second or so.
    void addsUpInExamples()
    {
        const QStringList slow{QStringLiteral("deepseek-v3.yaml"), QStringLiteral("gpt3-175b.yaml"), QStringLiteral("llama-405b.yaml"), QStringLiteral("unequal-npus.yaml")};
        int explained = 0;
        for (const QString& folder : {QStringLiteral("/resources/examples"), QStringLiteral("/resources/examples/plan")}) {
            QDirIterator files(QStringLiteral(FABRICSCOPE_SOURCE_DIR) + folder, {QStringLiteral("*.yaml")}, QDir::Files);
            while (files.hasNext()) {
                const QString file = files.next();
                if (slow.contains(files.fileName()))
                    continue;
                const CliResult done = runCli(QStringList{QStringLiteral("explain"), file, QStringLiteral("--json")});
                QVERIFY2(done.exit == 0, done.err.constData());
                const json result = jsonOf(done)["result"];
                QVERIFY2(sumOf(result["blame"]) == result["finish_ps"].get<std::int64_t>(), qPrintable(file));
                ++explained;
            }
        }
        QVERIFY(explained > 15);
    }
};

FABRICSCOPE_TEST(TestCliExplain)
#include "tst_cli_explain.moc"
