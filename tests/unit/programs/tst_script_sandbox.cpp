#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>
#include <clocale>
#include <thread>

using namespace fabricscope;
using namespace fabricscope::test;

/// Ways out, ways to hang, and ways to differ from run to run.
class ScriptSandboxTest : public QObject {
    Q_OBJECT

private slots:
    void nothingLeadsOutside_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"io", "os", "debug", "package", "require", "load", "loadstring", "loadfile", "dofile", "coroutine", "collectgarbage", "getmetatable",
                                 "setmetatable", "rawset", "rawget", "rawequal", "rawlen", "next", "select", "pcall", "xpcall", "utf8", "_G", "warn", "_VERSION"})
            QTest::newRow(name) << QString(name);
    }
    void nothingLeadsOutside()
    {
        QFETCH(QString, name);
        const std::string message = "1: '" + name.toStdString() + "' is not part of this language, which has no files, modules, clocks or ways around its limits";
        QCOMPARE(scriptError("local x = " + name.toStdString()), message);
        QCOMPARE(scriptError("local x = _ENV." + name.toStdString()), message);
    }

    void missingPartsOfLibrariesAreErrors_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"string.dump(print)", "string.gsub('a', '.', '%0%0')", "('a'):find('a*')", "('a'):gmatch('.')", "('a'):match('.')", "string.pack('i', 1)",
                                 "table.move({}, 1, 10^9, 2)", "math.tofloat(1)"})
            QTest::newRow(text) << QString(text);
    }
    void missingPartsOfLibrariesAreErrors()
    {
        QFETCH(QString, text);
        const std::string error = scriptError("local x = " + text.toStdString());
        QVERIFY2(error.starts_with("1: There is no function in "), error.c_str());
    }

    void whatRunsAwayIsStopped_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* text, const char* error) { QTest::newRow(name) << QString(text) << QString(error); };
        const char* work = "The script takes more instructions than it may";
        const char* memory = "The script uses more memory than it may";
        row("endless", "while true do end", work);
        row("endless goto", "::again:: goto again", work);
        row("endless in a comparison", "table.sort({3, 2, 1}, function() while true do end end)", work);
        row("empty body", "for i = 1, 1e15 do end", work);
        row("recursion", "local function f() return 1 + f() end f()", "than it may");
        row("tail calls", "local function f() return f() end f()", work);
        row("nested functions of ours", "collective('all_reduce', {ranks = 2}) local function f() phase('x', f) end f()", "call each other too deeply");
        row("table", "local t = {} for i = 1, 1e9 do t[i] = i end", "than it may");
        row("tables", "local t = {} while true do t = {t} end", "than it may");
        row("garbage", "while true do local t = {{}, {}} end", work);
        row("doubling text", "local s = 'x' while true do s = s .. s end", "A text grows longer than 4096 bytes");
        row("rep", "string.rep('x', 1 << 40)", "longer than 4096 bytes");
        row("rep of nothing", "for i = 1, 10 do string.rep('', 1 << 62) end while true do end", work);
        row("rep with separator", "string.rep('', 1 << 40, 'ab')", "longer than 4096 bytes");
        row("wide format", "local s = string.format('%99.99f', 1e300) while true do s = s .. s end", "A text grows longer than 4096 bytes");
        row("concat", "local t = {} for i = 1, 1000 do t[i] = '12345678' end table.concat(t)", "A text grows longer than 4096 bytes");
        row("concat of far", "table.concat({}, '', 1, 1 << 40)", "element 1 is no text");
        row("unpack", "table.unpack({}, 1, 1 << 30)", "table.unpack gives at most 200 values");
        row("unpack over the end", "table.unpack({}, math.mininteger, math.maxinteger)", "table.unpack gives at most 200 values");
        row("insert", "local t = {} while true do table.insert(t, 1, 0) end", work);
        row("group", "collective('all_reduce', {ranks = 2, chunks = 1 << 20}) while true do chunk(0, 'input', 0, 1 << 20):copy(1) end", "than it may");
        row("scratch", "collective('all_reduce', {ranks = 2}) for i = 0, 1e6 do chunk(0, 'input', 0):copy(i % 2, 'scratch', i) end", "than it may");
        row("far scratch", "collective('all_reduce', {ranks = 65536, chunks = 1}) for r = 1, 65535 do chunk(r, 'input', 0):copy(0, 'scratch', r * 16 - 1) "
                           "chunk(r, 'input', 0):copy(r, 'scratch', 1000000) end", memory);
        row("operations", "collective('all_reduce', {ranks = 2}) while true do chunk(0, 'input', 0):copy(1) end", "than it may");
        row("channels of switches", "collective('all_gather', {ranks = 256}) local all = {} for r = 0, 255 do all[r + 1] = r end\n"
                                    "for r = 0, 255 do for c = 0, 3 do chunk(r, 'input', 0):switch_copy(all, 'output', r, {ch = c}) end end", memory);
        row("channels", "collective('all_reduce', {ranks = 1024}) for r = 1, 1023 do for c = 0, 199 do signal(0, r, {ch = c}) end end", memory);
        row("signals of many copies", "collective('all_gather', {ranks = 64}) instances(64) local all = {} for r = 0, 63 do all[r + 1] = r end\n"
                                      "for i = 1, 360 do chunk(0, 'input', 0):switch_copy(all, 'output', 0) end\n"
                                      "for r = 1, 63 do signal(0, r) wait(r, 0) end", "than it may");
        row("many ranks and chunks", "collective('custom', {ranks = 65536, chunks = 1 << 20}) expect(0, 'output', 0, {{0, 0}})", "than it may");
        row("values", "collective('custom', {ranks = 2, chunks = 40000})\n"
                      "local c = chunk(0, 'input', 0):copy(1, 'scratch', 0)\n"
                      "for i = 2, 39998, 2 do c:reduce(chunk(0, 'input', i)) end\n"
                      "while true do c:reduce(chunk(1, 'input', 1)) end", "than it may");
        row("prints", "while true do print('x') end", work);
        row("nesting", "local x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
                       "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "The script is nested too deeply");
    }
    void whatRunsAwayIsStopped()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        const std::string found = scriptError(text.toStdString());
        QVERIFY(!found.empty());
        QVERIFY2(found.find(error.toStdString()) != std::string::npos, found.c_str());
        QVERIFY2(found.substr(0, 3) != "0: " || text.contains("expect(") || text.contains("(((("), found.c_str());
    }

    void finalizersAndMetatablesCannotBeMade()
    {
        QVERIFY(scriptError("setmetatable({}, {__gc = function() while true do end end})").find("not part of this language") != std::string::npos);
        QVERIFY(scriptError("local m = ('').__index").find("There is no function in string: '__index'") != std::string::npos);
        // What a script changes is its own.
        QCOMPARE(scriptError("string.format = nil print = nil table.sort = 3 tostring = function() return 1 end collective('all_reduce', {ranks = 2})"), std::string());
        QVERIFY(scriptError("tostring = function() return {} end print(1)").find("tostring was replaced") != std::string::npos);
        QCOMPARE(scriptError("collective('all_reduce', {ranks = 2})"), std::string());
    }

    void memoryOfLuaIsGivenBack()
    {
        QCOMPARE(scriptError("for i = 1, 20000 do local t = {} for k = 1, 8 do t[k] = k end end collective('all_reduce', {ranks = 2})"), std::string());
    }

    void nothingWorksWithoutMemory()
    {
        for (std::int64_t bytes = 0; bytes < 60'000; bytes += 499) {
            ScriptRequest request;
            request.text = "collective('all_reduce', {ranks = 2}) local c = chunk(0, 'input', 0):copy(1) print(c, tostring(c), 'a' .. c:rank())\n"
                           "local t = {} for k, v in pairs({a = 1, b = 2}) do t[#t + 1] = k end error(table.concat(t))";
            request.limits.memoryBytes = bytes;
            const Result<Script> script = compileScript(request);
            QVERIFY(!script);
            QVERIFY2(script.error().message.find("memory") != std::string::npos || script.error().message.starts_with("ab"), script.error().message.c_str());
        }
    }

    void aStopEndsIt()
    {
        std::stop_source stop;
        stop.request_stop();
        ScriptRequest request;
        request.text = "while true do end";
        request.stop = stop.get_token();
        const Result<Script> script = compileScript(request);
        QVERIFY(!script);
        QCOMPARE(script.error().code, ErrorCode::Cancelled);
    }

    void addressesAndSeedsDoNotShow()
    {
        const std::string text = "local t = {} for i = 1, 50 do t['key' .. (i * 7919 % 101)] = i end\n"
                                 "local order = '' for k in pairs(t) do order = order .. k .. ' ' end print(order)\n"
                                 "print({}, print, {t}, math.random(1000), math.random(), string.format('%s %s', {}, print))\n"
                                 "math.randomseed(42) print(math.random(1, 1000000))\n"
                                 "collective('all_reduce', {ranks = 2})";
        const Result<Script> first = compileText(text);
        QVERIFY2(first, first ? "" : first.error().text().c_str());
        const std::string notes = scriptNotes(first.value(), "print");
        QVERIFY(notes.find("0x") == std::string::npos);
        std::string again[2];
        std::jthread one([&] { again[0] = scriptNotes(compileText(text).value(), "print"); });
        std::jthread two([&] { again[1] = scriptNotes(compileText(text).value(), "print"); });
        one.join();
        two.join();
        QCOMPARE(again[0], notes);
        QCOMPARE(again[1], notes);
        QVERIFY(scriptError("string.format('%p', {})").find("no %p") != std::string::npos);
        QVERIFY(scriptError("for k in pairs({[{}] = 1}) do end").find("no order for a key that is a table") != std::string::npos);
    }

    void theSameProgramOnEveryThread()
    {
        const std::string text = exampleScript("allreduce_hierarchical");
        const Digest wanted = compileText(text).value().program->digest();
        std::vector<Digest> found(8);
        {
            std::vector<std::jthread> threads;
            for (Digest& digest : found)
                threads.emplace_back([&digest, &text] { digest = compileText(text).value().program->digest(); });
        }
        for (const Digest& digest : found)
            QVERIFY(digest == wanted);
    }

    void theLanguageOfTheDesktopDoesNotShow()
    {
        // A language with decimal commas, made here: which ones a machine has installed differs.
        const QTemporaryDir folder;
        QFile source(folder.filePath(QStringLiteral("commas")));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
        source.close();
        // It warns of the parts of a language that are not given, and says so in its exit code.
        QProcess::execute(QStringLiteral("localedef"), {QStringLiteral("--quiet"), QStringLiteral("-c"), QStringLiteral("-i"), source.fileName(), folder.filePath(QStringLiteral("xx_XX"))});
        qputenv("LOCPATH", folder.path().toUtf8());
        QVERIFY2(std::setlocale(LC_NUMERIC, "xx_XX"), "localedef (package libc-bin) made no language");
        QCOMPARE(QByteArray(std::localeconv()->decimal_point), QByteArray(","));
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 2}) print(1.5, '1.5' + 1)");
        std::setlocale(LC_NUMERIC, "C");
        qunsetenv("LOCPATH");
        QVERIFY(script);
        QCOMPARE(scriptNotes(script.value(), "print"), std::string("1: 1.5 2.5"));
    }
};

FABRICSCOPE_TEST(ScriptSandboxTest)
#include "tst_script_sandbox.moc"
