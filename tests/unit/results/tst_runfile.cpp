#include "core/base/files/textfile.h"
#include "core/report/html.h"
#include "core/report/outputfile.h"
#include "core/report/planfigures.h"
#include "core/report/reportcontent.h"
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

    /// Numbers that neither six digits nor 64 bits hold.
    static PlanFigures quotedFigures()
    {
        PlanFigures figures;
        figures.hasModel = true;
        figures.stepFlops = WideCount{7'000'000'000'000'000'003} * 1'000'000'000;
        figures.modelFlops = 123'456'789'012'345'678;
        figures.mfu = 1.0 / 3;
        figures.hfu = 0.4375;
        figures.tokensPerSecond = 1234567.875;
        figures.ranks = 8;
        figures.bubbleShare = 0.125;
        figures.exposed = ExposedTimes{5, 0, 7, 11, 13, 0, 1};
        for (const std::int64_t rank : {4, 5, 7})
            figures.exposedRanks.add(rank);
        PlanMemory row;
        row.ranks = figures.exposedRanks;
        row.parameters = 40'000'000'000;
        row.activations = 2'000'000'000;
        row.kvCache = 1;
        figures.memory.push_back(row);
        figures.npuMemory = 84'000'000'002;
        figures.served = ServedFigures{98'765'432'101, 12'345, 3, 127};
        return figures;
    }

    void theFiguresOfAPlanAreKept()
    {
        const PlanFigures figures = quotedFigures();
        RunSummary summary = test::smallRun();
        summary.plan = std::make_shared<const PlanFigures>(figures);
        const std::string text = runFileText(summary, {});

        const Result<SavedRun> read = readRunText(text, "r.run");

        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY(read.value().summary.plan);
        const PlanFigures& back = *read.value().summary.plan;
        QVERIFY(back.hasModel && back.stepFlops == figures.stepFlops && back.modelFlops == figures.modelFlops);
        QCOMPARE(back.mfu, figures.mfu);
        QCOMPARE(back.hfu, figures.hfu);
        QCOMPARE(back.tokensPerSecond, figures.tokensPerSecond);
        QCOMPARE(back.bubbleShare, figures.bubbleShare);
        QCOMPARE(back.ranks, figures.ranks);
        QVERIFY(back.exposed && *back.exposed == *figures.exposed);
        QCOMPARE(back.exposedRanks.text(), std::string("4-5,7"));
        QCOMPARE(back.memory.size(), std::size_t{1});
        QCOMPARE(back.memory[0].peak(), std::int64_t{42'000'000'001});
        QCOMPARE(back.npuMemory, figures.npuMemory);
        QVERIFY(back.served && back.served->firstToken == 98'765'432'101 && back.served->perToken == std::int64_t{12'345} && back.served->steps == 3 && back.served->allSteps == 127);
        QCOMPARE(runFileText(read.value().summary, read.value().cost), text);
        QCOMPARE(runText(read.value().summary, {}, RankRows::Classes), runText(summary, {}, RankRows::Classes));
        // The page says them: a third and 43.8 %, half of the memory.
        const std::string page = reportHtml(read.value().summary);
        for (const char* words : {"First token", "(MFU)", "33.3", "43.8", "50.0"})
            QVERIFY2(page.find(words) != std::string::npos, words);

        // Files of before have none, and open.
        const Result<SavedRun> older = readRunText(runFileText(test::smallRun(), {}), "r.run");
        QVERIFY(older && !older.value().summary.plan);
        const QByteArray broken = QByteArray::fromStdString(text).replace("\"model_flops\": \"123", "\"model_flops\": \"x23");
        const Result<SavedRun> refused = readRunText(broken.toStdString(), "r.run");
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("run.plan.model_flops") != std::string::npos, refused.error().text().c_str());
    }

    static std::string saidOf(const Error& error) { return error.place.field + ": " + error.message + "; expected " + error.expected; }

    void aFigureOfAPlanThatCannotBeIsRefused_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("words"); // Empty: it is read.
        const auto row = [](const char* name, const char* key, const char* value, const char* words) { QTest::newRow(name) << QByteArray(key) << QByteArray(value) << QByteArray(words); };
        // With 2,000,000,000 activations and one byte of a cache beside it.
        row("bytes beyond 64 bits", "parameters", "9223372036854775807", "run.plan.memory[0]: has more bytes than can be added up; expected at most 9223372036854775807 bytes together");
        row("one byte beyond", "parameters", "9223372034854775807", "run.plan.memory[0]: has more bytes");
        row("the most bytes", "parameters", "9223372034854775806", "");
        row("no number", "mfu", "\"nan\"", "run.plan.mfu: is out of range; expected 0 to 1000000");
        row("endless", "mfu", "\"inf\"", "run.plan.mfu: is out of range");
        row("absurd", "hfu", "\"1e300\"", "run.plan.hfu: is out of range");
        row("negative", "bubble_share", "\"-5\"", "run.plan.bubble_share: is out of range; expected 0 to 1");
        row("more than the run", "bubble_share", "\"1.5\"", "run.plan.bubble_share: is out of range");
        row("the whole run", "bubble_share", "\"1\"", "");
        row("negative tokens", "tokens_per_s", "\"-1\"", "run.plan.tokens_per_s: is out of range");
        row("endless tokens", "tokens_per_s", "\"inf\"", "run.plan.tokens_per_s: is out of range");
    }
    void aFigureOfAPlanThatCannotBeIsRefused()
    {
        QFETCH(const QByteArray, key);
        QFETCH(const QByteArray, value);
        QFETCH(const QByteArray, words);
        RunSummary summary = test::smallRun();
        summary.plan = std::make_shared<const PlanFigures>(quotedFigures());
        std::string text = runFileText(summary, {});
        const std::string member = '"' + key.toStdString() + "\": ";
        const std::size_t begin = text.find(member, text.rfind("\"plan\": {")) + member.size();
        const std::size_t end = text.find_first_of(",}\n", begin);
        QVERIFY(begin > member.size() && end != std::string::npos);
        text.replace(begin, end - begin, value.toStdString());

        const Result<SavedRun> read = readRunText(text, "r.run");

        QCOMPARE(bool(read), words.isEmpty());
        if (!read)
            QVERIFY2(saidOf(read.error()).starts_with(words.toStdString()), read.error().text().c_str());
    }

    void aPlanOfNoRanksIsRefused()
    {
        for (const std::int64_t ranks : {0, 1 << 20, (1 << 20) + 1}) {
            PlanFigures figures = quotedFigures();
            figures.ranks = ranks;
            RunSummary summary = test::smallRun();
            summary.plan = std::make_shared<const PlanFigures>(figures);
            const Result<SavedRun> read = readRunText(runFileText(summary, {}), "r.run");
            QCOMPARE(bool(read), ranks == 1 << 20);
            if (!read)
                QCOMPARE(saidOf(read.error()), std::string("run.plan.ranks: is out of range; expected 1 to 2^20"));
        }
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
