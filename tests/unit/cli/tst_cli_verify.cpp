// The command verify: exit codes, text and JSON.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

/// Two ranks swap their blocks in place; both receive `first`, or send.
QByteArray exchangeXml(bool receiveFirst, const char* proto = "Simple", const char* coll = "allgather")
{
    QByteArray text = QByteArray("<algo name=\"exchange\" proto=\"") + proto + "\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"" + coll
        + "\" inplace=\"1\">\n";
    for (int rank = 0; rank < 2; ++rank) {
        const QByteArray own = QByteArray::number(rank);
        const QByteArray peer = QByteArray::number(1 - rank);
        text += "<gpu id=\"" + own + "\" i_chunks=\"0\" o_chunks=\"2\" s_chunks=\"0\">\n<tb id=\"0\" send=\"" + peer + "\" recv=\"" + peer + "\" chan=\"0\">\n";
        for (int s = 0; s < 2; ++s) {
            const bool receive = receiveFirst == (s == 0);
            const QByteArray chunk = receive ? peer : own;
            text += "<step s=\"" + QByteArray::number(s) + "\" type=\"" + (receive ? "r" : "s") + "\" srcbuf=\"o\" srcoff=\"" + chunk + "\" dstbuf=\"o\" dstoff=\"" + chunk
                + "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
        }
        text += "</tb>\n</gpu>\n";
    }
    return text + "</algo>\n";
}

} // namespace

class TestCliVerify : public QObject {
    Q_OBJECT

private slots:
    void saysValidWithExitCode0()
    {
        const CliResult text = verifyText(exchangeXml(false), {QStringLiteral("--slots"), QStringLiteral("1,2")});
        QVERIFY2(text.exit == 0, text.out + text.err);
        QVERIFY2(text.out.startsWith("valid: all_gather of 2 ranks"), text.out);
        const json result = jsonOf(verifyText(exchangeXml(false), {QStringLiteral("--json"), QStringLiteral("--slots"), QStringLiteral("1,2")}));
        QCOMPARE(result["schema"].get<int>(), 1);
        QCOMPARE(result["result"]["verdict"].get<std::string>(), std::string("valid"));
        QCOMPARE(result["result"]["postcondition"].get<std::string>(), std::string("holds"));
        QCOMPARE(result["result"]["transfers"].get<int>(), 2);
        QCOMPARE(result["result"]["minimum_slots"].get<int>(), 1);
        QCOMPARE(result["result"]["slots"].size(), std::size_t{2});
        QVERIFY(result["result"]["slots"][0]["finishes"].get<bool>());
        QVERIFY(result["result"]["in_place"].get<bool>());
    }
    void saysInvalidWithExitCode1AndShowsTheCycle()
    {
        const CliResult result = verifyText(exchangeXml(true), {QStringLiteral("--json")});
        QCOMPARE(result.exit, 1);
        const json finding = jsonOf(result)["result"]["findings"][0];
        QCOMPARE(finding["rule"].get<std::string>(), std::string("V12"));
        QCOMPARE(finding["severity"].get<std::string>(), std::string("error"));
        QCOMPARE(finding["operations"].size(), std::size_t{4});
        QCOMPARE(finding["lines"].size(), std::size_t{4});
        QCOMPARE(finding["lane"].get<int>(), 0);
        QCOMPARE(jsonOf(result)["result"]["verdict"].get<std::string>(), std::string("invalid"));
    }
    void slotsOfTheProtocolAreAWarningUnlessStrict()
    {
        QByteArray deep = "<algo name=\"deep\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"6\" ngpus=\"2\" coll=\"allgather\" inplace=\"1\">\n";
        for (int rank = 0; rank < 2; ++rank) { // Three messages before any is taken; Simple has two slots.
            const QByteArray peer = QByteArray::number(1 - rank);
            deep += "<gpu id=\"" + QByteArray::number(rank) + "\" i_chunks=\"0\" o_chunks=\"6\" s_chunks=\"0\"><tb id=\"0\" send=\"" + peer + "\" recv=\"" + peer + "\" chan=\"0\">\n";
            for (int s = 0; s < 6; ++s) {
                const QByteArray chunk = QByteArray::number(s < 3 ? 3 * rank + s : 3 * (1 - rank) + s - 3);
                deep += "<step s=\"" + QByteArray::number(s) + "\" type=\"" + (s < 3 ? "s" : "r") + "\" srcbuf=\"o\" srcoff=\"" + chunk + "\" dstbuf=\"o\" dstoff=\"" + chunk
                    + "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
            }
            deep += "</tb></gpu>\n";
        }
        deep += "</algo>\n";
        const CliResult loose = verifyText(deep, {});
        QCOMPARE(loose.exit, 0);
        QVERIFY2(loose.out.contains("warning [V13]") && loose.out.contains("3 are needed"), loose.out);
        QCOMPARE(verifyText(deep, {QStringLiteral("--strict")}).exit, 1);
        deep.replace("proto=\"Simple\"", "proto=\"LL\"");
        QCOMPARE(verifyText(deep, {QStringLiteral("--strict")}).exit, 0);
    }
    void customProgramsAreUnknownUnlessTheirConditionIsKnown()
    {
        const QByteArray custom = exchangeXml(false, "Simple", "custom");
        const json unknown = jsonOf(verifyText(custom, {QStringLiteral("--json")}));
        QCOMPARE(unknown["result"]["postcondition"].get<std::string>(), std::string("unknown"));
        const CliResult named = verifyText(custom, {QStringLiteral("--json"), QStringLiteral("--condition"), QStringLiteral("alltonext-forward")});
        QCOMPARE(named.exit, 1);
        QByteArray guessed = custom;
        guessed.replace("name=\"exchange\"", "name=\"alltonext-backwards\"");
        const CliResult guess = verifyText(guessed, {});
        QCOMPARE(guess.exit, 1);
        QVERIFY2(guess.out.contains("guessed from its name"), guess.out);
        // Said to be an all-gather, it is one.
        QCOMPARE(verifyText(custom, {QStringLiteral("--collective"), QStringLiteral("all_gather")}).exit, 0);
        QCOMPARE(verifyText(exchangeXml(false), {QStringLiteral("--out-of-place")}).exit, 1);
    }
    void brokenFilesAndUsageAreExitCode2()
    {
        QCOMPARE(verifyText("this is no XML", {}).exit, 2);
        QCOMPARE(runCli("verify no-such-file.xml").exit, 2);
        QCOMPARE(runCli("verify").exit, 2);
        QCOMPARE(runCli("verify --algorithm no_such_algorithm").exit, 2);
        QCOMPARE(verifyText(exchangeXml(false), {QStringLiteral("--slots"), QStringLiteral("0")}).exit, 2);
        QCOMPARE(verifyText(exchangeXml(false), {QStringLiteral("--root"), QStringLiteral("2")}).exit, 2);
        QCOMPARE(verifyText(exchangeXml(false), {QStringLiteral("--collective"), QStringLiteral("gossip")}).exit, 2);
        QCOMPARE(verifyText(exchangeXml(false), {QStringLiteral("--condition"), QStringLiteral("alltonext-forward")}).exit, 2);
    }
    void brokenJsonIsCalledJson()
    {
        // The key of a design makes it one, in JSON too.
        for (const auto& [text, design] : {std::pair{"{\"gpus\": [1, 2", false}, {"{\"fabricscope_programs\": 1}", false}, {"{\"fabricscope\": 1}", true}}) {
            QFile file(m_folder.filePath(QStringLiteral("program.json")));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
            file.close();
            const CliResult result = runCli({QStringLiteral("verify"), file.fileName()});
            QCOMPARE(result.exit, 2);
            QVERIFY2(result.err.contains("program.json") && (design ? result.err.contains("this is a design (expected MSCCL XML") : !result.err.contains("XML")), result.err);
        }
    }
    void checksWhatGeneratorsMake()
    {
        const CliResult result = runCli("verify --algorithm ring --axes 4x8 --op all_reduce --json");
        QVERIFY2(result.exit == 0, result.out + result.err);
        QCOMPARE(jsonOf(result)["result"]["verdict"].get<std::string>(), std::string("valid"));
        QCOMPARE(jsonOf(result)["result"]["ranks"].get<int>(), 32);
    }

private:
    CliResult verifyText(const QByteArray& text, const QStringList& options)
    {
        const QString path = m_folder.filePath(QStringLiteral("program.xml"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            return {};
        file.close();
        return runCli(QStringList{QStringLiteral("verify"), path} + options);
    }

    QTemporaryDir m_folder;
};

FABRICSCOPE_TEST(TestCliVerify)
#include "tst_cli_verify.moc"
