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

    void badInputsAreRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("no file") << QStringList{"transform", "missing.yaml"} << QByteArray("missing.yaml");
        QTest::newRow("no argument") << QStringList{"transform"} << QByteArray("FILE");
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
