#include "core/base/files/textfile.h"
#include "core/report/outputfile.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "tests/unit/support/runs.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace fabricscope;

class TestRunFile : public QObject {
    Q_OBJECT

private slots:
    void aSavedRunReadsBackAsItWas_data()
    {
        QTest::addColumn<bool>("stuck");
        QTest::newRow("finished") << false;
        QTest::newRow("stuck") << true;
    }
    void aSavedRunReadsBackAsItWas()
    {
        QFETCH(const bool, stuck);
        RunSummary summary = stuck ? test::stuckRun() : test::smallRun();
        summary.designFile = "pod.yaml";
        summary.designText = "fabricscope: 1\nname: \"x\"\n";
        summary.collective = CollectiveSize{"all_reduce", 1000, 7};
        summary.diagnostics[0].place.line = 3;
        summary.diagnostics[0].place.node = -1;
        summary.diagnostics[0].place.hasNode = true;
        const RunCost cost{1'234'567, 4096, "host", 3};
        const QTemporaryDir folder;
        const std::string path = folder.filePath("run.json").toStdString();

        QVERIFY(saveRun(path, summary, cost));
        const Result<SavedRun> read = readRun(path);

        QVERIFY2(read, read ? "" : read.error().text().c_str());
        // The text holds every field, so equal texts mean equal runs.
        QCOMPARE(runFileText(read.value().summary, read.value().cost), runFileText(summary, cost));
        QCOMPARE(runText(read.value().summary, read.value().cost, RankRows::Classes), runText(summary, cost, RankRows::Classes));
        const RunRecord& record = *read.value().summary.record;
        QCOMPARE(record.finish, summary.record->finish);
        QCOMPARE(record.classes[0].tasks->endPs, summary.record->classes[0].tasks->endPs);
        QCOMPARE(record.dimensions[0].busy.bucketPs(), std::int64_t{1} << 17);
        QCOMPARE(record.dimensions[0].busy.total(), std::int64_t{12});
        QCOMPARE(read.value().summary.designText, summary.designText);
        QCOMPARE(read.value().cost.wallMicroseconds, std::int64_t{1'234'567});
        QCOMPARE(record.waits.size(), summary.record->waits.size());
    }

    void whatIsNoSavedRunIsRefusedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("part");
        const QByteArray good = QByteArray::fromStdString(runFileText(test::smallRun(), {}));
        QTest::newRow("empty") << QByteArray() << QByteArray("r.json, byte");
        QTest::newRow("cut") << good.left(good.size() / 2) << QByteArray("not valid JSON");
        QTest::newRow("another document") << QByteArray("{}") << QByteArray("fabricscope_run");
        QTest::newRow("a list") << QByteArray("[1]") << QByteArray("an object");
        QTest::newRow("newer schema") << QByteArray(good).replace("\"fabricscope_run\": 1", "\"fabricscope_run\": 2") << QByteArray("schema 2");
        QTest::newRow("missing key") << QByteArray(good).replace("\"finish_order\"", "\"finish_orders\"") << QByteArray("finish_order is missing");
        QTest::newRow("text for a number") << QByteArray(good).replace("\"finish_ps\": 41179698", "\"finish_ps\": \"soon\"") << QByteArray("finish_ps");
        QTest::newRow("fraction for a number") << QByteArray(good).replace("\"events\": 1234,\n    \"engines\"", "\"events\": 1.5,\n    \"engines\"") << QByteArray("run.record.events");
        QTest::newRow("rank beyond the last") << QByteArray(good).replace("\"ranks\": \"4-5\",\n", "\"ranks\": \"4-7\",\n") << QByteArray("beyond the last one");
        QTest::newRow("unknown model") << QByteArray(good).replace("\"model\": \"links\"", "\"model\": \"magic\"") << QByteArray("no model of this program");
        QTest::newRow("bad digest") << QByteArray(good).replace("fedcba9876543210", "gedcba9876543210") << QByteArray("32 hexadecimal digits");
    }
    void whatIsNoSavedRunIsRefusedWithItsPlace()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, part);

        const Result<SavedRun> read = readRunText(text.toStdString(), "r.json");

        QVERIFY(!read);
        QCOMPARE(exitCode(read.error().code), 2);
        QVERIFY2(read.error().text().find(part.toStdString()) != std::string::npos, read.error().text().c_str());
        QVERIFY(read.error().text().starts_with("r.json"));
    }

    /// Of lists of nothing reading takes more than thirty times the text: 64 MiB and 20 times are allowed. The smallest rows that are saved stay below.
    void aFileThatTakesTooMuchMemoryIsRefused()
    {
        constexpr int kRows = 2'100'000;
        std::string text = "{\"fabricscope_run\": 1, \"record\": [{}";
        for (int i = 0; i < kRows; ++i)
            text += ",{}";
        const Result<SavedRun> hostile = readRunText(text + "]}", "r.run");
        QVERIFY(!hostile);
        QCOMPARE(hostile.error().code, ErrorCode::InvalidInput);
        QVERIFY2(hostile.error().text().find("r.run: reading it would take more memory") != std::string::npos, hostile.error().text().c_str());

        RunSummary summary = test::smallRun();
        auto record = std::make_shared<RunRecord>(*summary.record);
        record->links.clear();
        for (LinkId link = 0; link < 500'000; ++link)
            record->links.push_back({link, 1, 1, 1});
        summary.record = std::move(record);
        const Result<SavedRun> large = readRunText(runFileText(summary, {}), "large.run");
        QVERIFY2(large, large ? "" : large.error().text().c_str());
        QCOMPARE(large.value().summary.record->links.size(), summary.record->links.size());
    }

    void aMissingFileIsNamed()
    {
        const Result<SavedRun> read = readRun("/nonexistent/run.json");
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::NotReadable);
        QVERIFY(read.error().text().starts_with("/nonexistent/run.json: "));
    }

    void aFileIsReplacedWholeOrNotAtAll()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("out.txt").toStdString();
        QVERIFY(writeOutputFile(path, "old"));
        QVERIFY(writeOutputFile(path, "new and longer"));
        QCOMPARE(readTextFile(path).value(), std::string("new and longer"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"out.txt"});

        const Status intoNowhere = writeOutputFile(folder.filePath("no/such/folder.txt").toStdString(), "x");
        QVERIFY(!intoNowhere);
        QCOMPARE(intoNowhere.error().code, ErrorCode::NotWritable);
        const Status ontoFolder = writeOutputFile(folder.path().toStdString(), "x");
        QVERIFY(!ontoFolder);
        QCOMPARE(exitCode(ontoFolder.error().code), 5);
    }

    void aNewFileHasTheModeOfTheUser()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("out.txt").toStdString();
        const mode_t before = ::umask(027);
        QVERIFY(writeOutputFile(path, "x"));
        ::umask(before);
        struct stat info {};
        QCOMPARE(::stat(path.c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0640U);
    }

    void aLinkKeepsPointingAtTheFileBehindIt()
    {
        const QTemporaryDir folder;
        const std::string target = folder.filePath("target.txt").toStdString();
        const std::string link = folder.filePath("link.txt").toStdString();
        QVERIFY(writeOutputFile(target, "old"));
        QCOMPARE(::symlink(target.c_str(), link.c_str()), 0);

        QVERIFY(writeOutputFile(link, "new"));

        QCOMPARE(readTextFile(target).value(), std::string("new"));
        QVERIFY(QFileInfo(QString::fromStdString(link)).isSymLink());
    }

    void aFullDeviceIsReported()
    {
        const Status status = writeOutputFile("/dev/full", std::string(100'000, 'x'));
        QVERIFY(!status);
        QCOMPARE(exitCode(status.error().code), 5);
    }
};

FABRICSCOPE_TEST(TestRunFile)
#include "tst_runfile.moc"
