// Lines of clients of `serve`: how bytes become lines, and lines requests.
#include "core/serve/clientrequest.h"
#include "core/serve/linesplitter.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

namespace {

using SplitLines = std::vector<std::pair<std::string, bool>>;

SplitLines splitInto(std::string_view text, std::size_t most, std::size_t piece)
{
    LineSplitter splitter(most);
    SplitLines lines;
    const auto take = [&](std::string line, bool whole) { lines.emplace_back(std::move(line), whole); };
    for (std::size_t at = 0; at < text.size(); at += piece)
        splitter.add(text.substr(at, piece), take);
    splitter.finish(take);
    return lines;
}

} // namespace

class ServeLinesTest : public QObject {
    Q_OBJECT

private slots:
    void linesAreTheSameHoweverTheyArrive()
    {
        const std::string_view text = "one\r\n\n  \ntwo\nmuch too long\nlast";
        const SplitLines expected{{"one", true}, {"two", true}, {"", false}, {"last", true}};
        for (std::size_t piece = 1; piece <= text.size(); ++piece)
            QVERIFY2(splitInto(text, 8, piece) == expected, qPrintable(QString::number(piece)));
        // Exactly as long as is allowed; one more; only too long a line; nothing.
        QVERIFY((splitInto("12345678\n", 8, 3) == SplitLines{{"12345678", true}}));
        QVERIFY((splitInto("123456789\n1", 8, 3) == SplitLines{{"", false}, {"1", true}}));
        QVERIFY((splitInto("123456789", 8, 3) == SplitLines{{"", false}}));
        QVERIFY(splitInto("", 8, 1).empty());
    }

    void optionsBecomeWordsOfACommandLine()
    {
        const RequestLine read = parseRequestLine(R"({"params": {"set": ["a=b", "c=d e"], "out_file": "x y", "arguments": ["A.yaml", "--ranks", "none"], "seeds": 3, "strict": true, "nodes": false, "time-limit": 0.5},
            "method": "model show", "id": "seven"})");
        QVERIFY2(read.request, read.request ? "" : read.request.error().text().c_str());
        QCOMPARE(read.id, std::string("\"seven\""));
        QCOMPARE(read.request.value().method, std::string("model show"));
        const std::vector<std::string> expected{"A.yaml", "--ranks", "none", "--out-file=x y", "--seeds=3", "--set=a=b", "--set=c=d e", "--strict", "--time-limit=0.5"};
        QVERIFY(read.request.value().arguments == expected);
        QVERIFY(read.request.value().files.empty());
    }

    void filesAndCancelAreUnderstood()
    {
        const RequestLine files = parseRequestLine(R"({"id": -7, "method": "lint", "params": {"files": {"a/b.yaml": "text\n", "..c": ""}}})");
        QVERIFY(files.request);
        QCOMPARE(files.id, std::string("-7"));
        QCOMPARE(files.request.value().files.size(), std::size_t{2});
        QCOMPARE(files.request.value().files[1].name, std::string("a/b.yaml"));
        QCOMPARE(files.request.value().files[1].text, std::string("text\n"));
        const RequestLine cancel = parseRequestLine(R"({"method": "cancel", "params": {"id": "seven"}})");
        QVERIFY(cancel.request);
        QCOMPARE(cancel.id, std::string("null"));
        QCOMPARE(cancel.request.value().cancels, std::string("\"seven\""));
    }

    void whatIsNoRequestIsRefusedWithItsField_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("field");
        const auto row = [](const char* name, const char* line, const char* id, const char* field) { QTest::newRow(name) << QByteArray(line) << QByteArray(id) << QByteArray(field); };
        row("no JSON", "nonsense", "null", "");
        row("a list", "[1]", "null", "");
        row("a key twice", R"({"id": 1, "id": 2, "method": "lint"})", "null", "id");
        row("bytes that are no text", "{\"id\": 1, \"method\": \"\xff\"}", "null", "");
        row("id null", R"({"id": null, "method": "lint"})", "null", "id");
        row("id a fraction", R"({"id": 1.5, "method": "lint"})", "null", "id");
        row("no id", R"({"method": "lint"})", "null", "id");
        row("no method", R"({"id": 1})", "1", "method");
        row("another key", R"({"id": 1, "method": "lint", "jsonrpc": "2.0"})", "1", "jsonrpc");
        row("parameters a list", R"({"id": 1, "method": "lint", "params": []})", "1", "params");
        row("arguments a text", R"({"id": 1, "method": "lint", "params": {"arguments": "a"}})", "1", "params.arguments");
        row("an argument with an end", R"({"id": 1, "method": "lint", "params": {"arguments": ["a\u0000b"]}})", "1", "params.arguments");
        row("the limit among the arguments", R"({"id": 1, "method": "lint", "params": {"arguments": ["--memory-limit=1 TiB"]}})", "1", "params.arguments");
        row("an option with dashes", R"({"id": 1, "method": "lint", "params": {"--strict": true}})", "1", "params");
        row("an option null", R"({"id": 1, "method": "lint", "params": {"strict": null}})", "1", "params.strict");
        row("an option a list of numbers", R"({"id": 1, "method": "lint", "params": {"set": [1]}})", "1", "params.set");
        row("the limit", R"({"id": 1, "method": "lint", "params": {"memory_limit": "1 TiB"}})", "1", "params.memory_limit");
        row("a file above", R"({"id": 1, "method": "lint", "params": {"files": {"a/../../b": ""}}})", "1", "params.files");
        row("a file elsewhere", R"({"id": 1, "method": "lint", "params": {"files": {"/etc/passwd": ""}}})", "1", "params.files");
        row("a file without name", R"({"id": 1, "method": "lint", "params": {"files": {"": ""}}})", "1", "params.files");
        row("a file that is no text", R"({"id": 1, "method": "lint", "params": {"files": {"a": 1}}})", "1", "params.files");
        row("cancel of nothing", R"({"id": 1, "method": "cancel"})", "1", "params.id");
    }

    void whatIsNoRequestIsRefusedWithItsField()
    {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, id);
        QFETCH(const QByteArray, field);
        const RequestLine read = parseRequestLine(line.toStdString());
        QVERIFY(!read.request);
        QCOMPARE(QByteArray::fromStdString(read.id), id);
        QCOMPARE(QByteArray::fromStdString(read.request.error().place.field), field);
        QCOMPARE(exitCode(read.request.error().code), 2);
        QVERIFY(!read.request.error().message.empty());
    }
};

FABRICSCOPE_TEST(ServeLinesTest)
#include "tst_serve_lines.moc"
