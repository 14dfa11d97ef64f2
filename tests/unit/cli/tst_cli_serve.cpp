// `serve` as another program uses it: lines in, lines out, several requests at once, cancelled, refused, ended.
#include "tests/unit/support/answercheck.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

const char* const kServedDesign = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n";

/// A collective that takes minutes.
json longRequest(const json& id)
{
    return {{"id", id}, {"method", "collective"}, {"params", {{"topology", "Ring(512)"}, {"bandwidth", "50"}, {"latency", "500"}, {"collective", "all_reduce"}, {"size", "1GiB"}, {"algorithm", "ring"}, {"chunks", 256}, {"engine", "events"}}}};
}

json smallRequest(const json& id, const char* size = "1 MiB")
{
    return {{"id", id}, {"method", "simulate"}, {"params", {{"arguments", {"d.yaml"}}, {"set", {std::string("workload.size=") + size}}, {"files", {{"d.yaml", kServedDesign}}}}}};
}

/// A server with its client.
class Conversation {
public:
    explicit Conversation(const QStringList& options = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TMPDIR"), m_folder.path());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.start(QString::fromUtf8(kCliPath), QStringList{QStringLiteral("serve")} + options);
    }
    ~Conversation()
    {
        process.kill();
        process.waitForFinished();
    }

    void say(const json& request) { process.write(QByteArray::fromStdString(request.dump()) + '\n'); }

    /// Reads on until `wanted` is among the lines; null: it does not come.
    json waitFor(const std::function<bool(const json&)>& wanted)
    {
        std::size_t seen = 0;
        json found;
        waitUntil(process, [&] {
            read();
            for (; seen < lines.size() && found.is_null(); ++seen)
                found = wanted(lines[seen]) ? lines[seen] : json();
            return !found.is_null();
        });
        return found;
    }
    /// The last line of a request.
    json answerTo(const json& id)
    {
        return waitFor([&](const json& line) { return line.value("id", json()) == id && line.contains("code"); });
    }
    bool hasBegun(const json& id)
    {
        return !waitFor([&](const json& line) { return line.value("id", json()) == id && line.contains("progress"); }).is_null();
    }
    /// The exit code once its input has ended; -1: it does not end.
    int end()
    {
        process.closeWriteChannel();
        return ended();
    }
    int ended()
    {
        if (process.state() != QProcess::NotRunning && !process.waitForFinished(60'000))
            return -1;
        read();
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    QStringList leftFiles() const { return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot); }

    QProcess process;
    std::vector<json> lines;

private:
    void read()
    {
        m_rest += process.readAllStandardOutput();
        for (qsizetype end = m_rest.indexOf('\n'); end >= 0; end = m_rest.indexOf('\n')) {
            lines.push_back(json::parse(m_rest.left(end).toStdString(), nullptr, false));
            m_rest.remove(0, end + 1);
        }
    }

    QTemporaryDir m_folder;
    QByteArray m_rest;
};

} // namespace

class CliServeTest : public QObject {
    Q_OBJECT

private slots:
    void answersAreThoseOfTheCommands()
    {
        Conversation talk({QStringLiteral("--jobs"), QStringLiteral("2")});
        for (const int id : {1, 2, 3})
            talk.say(smallRequest(id, id == 2 ? "2 MiB" : "1 MiB"));
        talk.say({{"id", "list"}, {"method", "model list"}});
        QCOMPARE(talk.end(), 0);

        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), kServedDesign));
        for (const int id : {1, 2, 3}) {
            const json answer = talk.answerTo(id);
            const CliResult alone = runCli({QStringLiteral("simulate"), QStringLiteral("d.yaml"), QStringLiteral("--json"), QStringLiteral("--set"), QStringLiteral("workload.size=%1 MiB").arg(id == 2 ? 2 : 1)}, folder.path());
            QCOMPARE(answer.value("code", -1), 0);
            QVERIFY2(answer["answer"]["result"] == jsonOf(alone)["result"], answer.dump().c_str());
        }
        QVERIFY(talk.answerTo("list")["answer"]["result"].size() > 10);
        QVERIFY(talk.leftFiles().isEmpty());
    }

    void whatACommandWritesComesBack()
    {
        Conversation talk;
        json request = smallRequest(1);
        request["params"]["timeline"] = "out.csv";
        request["params"]["files"]["deep/er.txt"] = "not read";
        talk.say(request);
        json traces{{"id", 2}, {"method", "generate"}, {"params", {{"arguments", {"d.yaml"}}, {"out", "made/t"}, {"files", {{"d.yaml", kServedDesign}, {"made/note", "x"}}}}}};
        talk.say(traces);
        QCOMPARE(talk.end(), 0);
        const json files = talk.answerTo(1)["files"];
        QVERIFY2(files.size() == 1 && files.contains("out.csv") && files["out.csv"].get<std::string>().find(',') != std::string::npos, files.dump().c_str());
        // Traces are no texts.
        const json made = talk.answerTo(2)["files"];
        QVERIFY2(made.size() == 4 && made.contains("made/t.3.et") && made["made/t.3.et"].is_null(), made.dump().c_str());
        QVERIFY(talk.leftFiles().isEmpty());
    }

    void errorsAreThoseOfTheCommands()
    {
        Conversation talk;
        json request = smallRequest(1);
        request["params"]["files"]["d.yaml"] = "fabricscope: 1\nplatform: {topology: Rong(4)}\n";
        request["params"].erase("set");
        talk.say(request);
        talk.say({{"id", 2}, {"method", "simulate"}, {"params", {{"speed", 3}}}});
        talk.say({{"id", 3}, {"method", "verify"}, {"params", {{"algorithm", "ring"}, {"axes", "4"}, {"slots", "0"}}}});
        QCOMPARE(talk.end(), 0);
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), "fabricscope: 1\nplatform: {topology: Rong(4)}\n"));
        const json alone = errorOf(runCli({QStringLiteral("simulate"), QStringLiteral("d.yaml"), QStringLiteral("--json")}, folder.path()));
        QVERIFY(alone.is_object());
        QVERIFY2(talk.answerTo(1)["error"] == alone, talk.answerTo(1).dump().c_str());
        QCOMPARE(talk.answerTo(1)["code"].get<int>(), 2);
        QCOMPARE(talk.answerTo(2)["error"]["field"].get<std::string>(), std::string("--speed"));
        QCOMPARE(talk.answerTo(3)["error"]["field"].get<std::string>(), std::string("--slots"));
    }

    void whatIsNoRequestIsRefusedAndTheNextIsAnswered()
    {
        Conversation talk;
        talk.process.write("nonsense\n\n" + QByteArray((16 << 20) + 1, 'x') + '\n');
        talk.say({{"id", 1}, {"method", "serve"}});
        talk.say({{"id", 2}, {"method", "presets"}});
        QCOMPARE(talk.end(), 0);
        std::vector<json> refused;
        for (const json& line : talk.lines) {
            if (line["id"].is_null())
                refused.push_back(line);
        }
        QCOMPARE(refused.size(), std::size_t{2});
        QVERIFY(refused[1]["error"]["message"].get<std::string>().find("too long") != std::string::npos);
        QVERIFY(talk.answerTo(1)["error"]["expected"].get<std::string>().find("schema --commands") != std::string::npos);
        QVERIFY(talk.answerTo(2).contains("answer"));
    }

    void requestsRunAtOnceAndAreCancelledByTheirIds()
    {
        Conversation talk({QStringLiteral("--jobs"), QStringLiteral("2")});
        for (const char* const id : {"a", "b", "c", "d"})
            talk.say(longRequest(id));
        // Two run at the same time, none of which ends by itself.
        QVERIFY(talk.hasBegun("a"));
        QVERIFY(talk.hasBegun("b"));
        for (const json& line : talk.lines)
            QVERIFY2(line["id"] != "c" && line["id"] != "d" && !line.contains("code"), line.dump().c_str());
        // One that waits, one that is not there, one that runs.
        talk.say({{"id", 1}, {"method", "cancel"}, {"params", {{"id", "d"}}}});
        talk.say({{"id", 2}, {"method", "cancel"}, {"params", {{"id", "e"}}}});
        talk.say({{"id", "a"}, {"method", "presets"}});
        QCOMPARE(talk.answerTo(1)["answer"]["cancelled"], json(true));
        QCOMPARE(talk.answerTo("d")["error"]["code"], json(4));
        QCOMPARE(talk.answerTo(2)["answer"]["cancelled"], json(false));
        const json again = talk.waitFor([](const json& line) { return line["id"].is_null(); });
        QVERIFY2(again["error"]["field"] == "id", again.dump().c_str());
        talk.say({{"method", "cancel"}, {"params", {{"id", "a"}}}});
        const json ended = talk.answerTo("a");
        QVERIFY2(ended["code"] == 4 && ended["error"]["code"] == 4, ended.dump().c_str());
        QVERIFY(talk.hasBegun("c"));
        for (const char* const id : {"b", "c"})
            talk.say({{"method", "cancel"}, {"params", {{"id", id}}}});
        QCOMPARE(talk.end(), 0);
        QCOMPARE(talk.answerTo("b")["code"], json(4));
        QCOMPARE(talk.answerTo("c")["code"], json(4));
    }

    void partsOfAResultComeBeforeIt()
    {
        Conversation talk;
        talk.say({{"id", 1}, {"method", "collective"}, {"params", {{"topology", "Ring(4)"}, {"bandwidth", "50"}, {"latency", "500"}, {"collective", "all_reduce"}, {"sizes", "1MiB,2MiB,4MiB"}}}});
        QCOMPARE(talk.end(), 0);
        json parts = json::array();
        for (const json& line : talk.lines) {
            if (line.contains("partial"))
                parts.push_back(line["partial"]);
        }
        QVERIFY2(parts.size() == 3 && parts == talk.answerTo(1)["answer"]["result"]["sizes"], parts.dump().c_str());
        QVERIFY(talk.lines.back().contains("code"));
    }

    void oneThatNeedsTooMuchMemoryEndsAlone()
    {
        if (test::kSanitized)
            return; // A program sets itself no limit then.
        Conversation talk({QStringLiteral("--jobs"), QStringLiteral("2"), QStringLiteral("--memory-limit"), QStringLiteral("128 MiB")});
        talk.say({{"id", 1}, {"method", "collective"}, {"params", {{"topology", "Switch(4096)"}, {"bandwidth", "50"}, {"latency", "500"}, {"collective", "all_to_all"}, {"algorithm", "direct"}, {"size", "1GiB"}, {"engine", "events"}}}});
        talk.say(smallRequest(2));
        QCOMPARE(talk.end(), 0);
        QVERIFY2(talk.answerTo(1)["error"]["code"] == 6, talk.answerTo(1).dump().c_str());
        QCOMPARE(talk.answerTo(2)["code"], json(0));
    }

    void aSignalCancelsWhatRunsAndEndsIt_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("Ctrl+C") << SIGINT;
    }
    void aSignalCancelsWhatRunsAndEndsIt()
    {
        QFETCH(const int, signal);
        Conversation talk({QStringLiteral("--jobs"), QStringLiteral("1")});
        json request = longRequest(1);
        request["params"]["files"] = {{"unused", "x"}};
        talk.say(request);
        talk.say(smallRequest(2));
        QVERIFY(talk.hasBegun(1));
        QCOMPARE(::kill(static_cast<pid_t>(talk.process.processId()), signal), 0);
        QCOMPARE(talk.ended(), 4);
        QCOMPARE(talk.answerTo(1)["code"], json(4));
        QCOMPARE(talk.answerTo(2)["code"], json(4));
        QVERIFY(talk.process.readAllStandardError().contains("cancelled"));
        QVERIFY(talk.leftFiles().isEmpty());
    }

    void whereNoAnswerCanBeWrittenItEnds()
    {
        QProcess process;
        process.setStandardOutputFile(QStringLiteral("/dev/full"));
        process.start(QString::fromUtf8(kCliPath), {QStringLiteral("serve")});
        process.write("{\"id\": 1, \"method\": \"presets\"}\n"); // Its input stays open.
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 5);
        QVERIFY(process.readAllStandardError().contains("the answers cannot be written"));
    }

    void everyLineIsAsTheSchemaSays()
    {
        Conversation talk({QStringLiteral("--jobs"), QStringLiteral("1")});
        json answers = json::array();
        const auto say = [&](const json& request, const char* row) {
            talk.say(request);
            answers.push_back({{"row", row}, {"definition", "serve_request"}, {"answer", request}});
        };
        json writes = smallRequest(2);
        writes["params"]["timeline"] = "out.csv";
        say(longRequest(1), "a long request");
        QVERIFY(talk.hasBegun(1));
        say({{"method", "cancel"}, {"params", {{"id", 1}}}}, "cancel");
        say(writes, "a request that writes");
        say({{"id", "three"}, {"method", "simulate"}, {"params", {{"arguments", {"missing.yaml"}}}}}, "a request that fails");
        say({{"id", 4}, {"method", "cancel"}, {"params", {{"id", 5}}}}, "cancel with an id");
        say({{"id", 6}, {"method", "collective"}, {"params", {{"topology", "Ring(4)"}, {"bandwidth", "50"}, {"latency", "500"}, {"collective", "all_reduce"}, {"sizes", "1MiB,2MiB"}}}}, "sizes");
        talk.process.write("[]\n");
        QCOMPARE(talk.end(), 0);
        QSet<QString> kinds;
        for (const json& line : talk.lines) {
            for (const char* const kind : {"message", "progress", "partial", "answer", "error", "files"}) {
                if (line.contains(kind))
                    kinds.insert(QString::fromUtf8(kind));
            }
            answers.push_back({{"row", line.dump().substr(0, 80)}, {"definition", "serve_line"}, {"answer", line}});
        }
        QCOMPARE(kinds.size(), 6);
        for (const char* const wrong : {R"({"id": 1})", R"({"method": "lint"})", R"({"id": 1.5, "method": "lint"})", R"({"id": 1, "method": "lint", "more": 1})", R"({"id": 1, "method": "lint", "params": {"files": {"a": 1}}})"})
            answers.push_back({{"row", wrong}, {"definition", "serve_request"}, {"answer", json::parse(wrong)}, {"refused", true}});
        const QStringList problems = schemaProblems(answers);
        if (problems == kNoValidator)
            QSKIP("python3-jsonschema is not installed");
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
    }
};

FABRICSCOPE_TEST(CliServeTest)
#include "tst_cli_serve.moc"
