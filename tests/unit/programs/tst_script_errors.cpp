#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

/// Every error names its line, in words one can act on.
class ScriptErrorsTest : public QObject {
    Q_OBJECT

private slots:
    void namesLineReasonAndRemedy_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* text, const char* error) { QTest::newRow(name) << QString(text) << QString(error); };
        const QString start = "collective('all_reduce', {ranks = 4})\n";
        const auto inside = [&](const char* name, const QString& text, const char* error) { QTest::newRow(name) << start + text << QString(error); };

        row("syntax", "\nx = = 1", "2: unexpected symbol near '='");
        row("unclosed", "for i = 1, 2 do", "1: 'end' expected near <eof>");
        row("no collective", "local x = 1", "0: The script makes no collective (expected collective(\"all_reduce\", {ranks = 8, chunks = 8}))");
        row("chunk first", "\nchunk(0, 'input', 0)", "2: There is no collective yet (expected collective(\"all_reduce\", {ranks = 8, chunks = 8}) first)");
        row("unknown collective", "collective('allreduce', {ranks = 2})",
            "1: collective: there is no collective 'allreduce', did you mean \"all_reduce\"? (expected all_reduce, reduce, all_gather, gather, scatter, broadcast, "
            "all_to_all, reduce_scatter or custom)");
        row("barrier", "collective('barrier', {ranks = 2})",
            "1: collective: there is no collective 'barrier' (expected all_reduce, reduce, all_gather, gather, scatter, broadcast, all_to_all, reduce_scatter or custom)");
        row("unknown option", "collective('all_reduce', {rank = 2})",
            "1: collective: there is no option 'rank', did you mean \"ranks\"? (expected ranks, chunks, root, inplace, protocol, name, min_bytes or max_bytes)");
        row("no ranks", "collective('all_reduce', {})", "1: There cannot be 0 ranks (expected 1 to 65536)");
        row("half a rank", "collective('all_reduce', {ranks = 5 / 2})",
            "1: collective: ranks must be a whole number, not 2.5 (expected a // b where a quotient is meant)");
        row("chunks not shared", "collective('all_gather', {ranks = 4, chunks = 6})",
            "1: The chunks of this collective are shared by its ranks: 6 chunks cannot be shared by 4 ranks (expected a multiple of 4)");
        row("root", "collective('broadcast', {ranks = 4, root = 4})", "1: There is no rank 4 to be root (expected 0 to 3)");
        row("protocol", "collective('all_reduce', {ranks = 4, protocol = 'tcp'})", "1: collective: protocol cannot be 'tcp' (expected \"simple\", \"ll\" or \"ll128\")");
        row("sizes", "collective('all_reduce', {ranks = 4, min_bytes = 8, max_bytes = 4})",
            "1: collective: max_bytes is below min_bytes (expected at least min_bytes, or 0 for no limit)");
        inside("two collectives", "collective('all_reduce', {ranks = 4})", "2: collective() was called before, on line 1 (expected one collective in a script)");
        inside("rank", "chunk(4, 'input', 0)", "2: There is no rank 4 (expected 0 to 3)");
        inside("index", "chunk(1, 'input', 4)", "2: There is no input chunk 4 of rank 1 (expected chunks 0 to 3)");
        inside("group", "chunk(1, 'input', 3, 2)", "2: There is no input chunk 3 of rank 1 and the 1 behind it (expected chunks 0 to 3)");
        inside("buffer", "chunk(1, 'inputs', 0)", "2: chunk: there is no buffer 'inputs' (expected \"input\", \"output\" or \"scratch\")");
        inside("undefined", "chunk(1, 'scratch', 0)", "2: Nothing has been put into scratch chunk 0 of rank 1 yet");
        inside("dot for colon", "local c = chunk(0, 'input', 0)\nc.copy(1)", "3: copy takes a chunk, not 1 (expected c:copy(...) with a colon, where c is a chunk)");
        inside("method", "chunk(0, 'input', 0):send(1)", "2: There is no method of a chunk 'send'");
        inside("name", "chunck(0, 'input', 0)", "2: There is no name 'chunck', did you mean \"chunk\"?");
        inside("stale", "local c = chunk(0, 'input', 0)\nchunk(1, 'input', 0):copy(0)\nc:copy(2)",
               "4: This chunk was taken on line 2, and input chunk 0 of rank 0 was overwritten on line 3 (expected chunk(...) again, for what is there now)");
        inside("stale sum", "local a, b = chunk(0, 'input', 0), chunk(0, 'input', 0)\na:reduce(chunk(1, 'input', 0))\nb:copy(2)",
               "4: This chunk was taken on line 2, and input chunk 0 of rank 0 was overwritten on line 3 (expected chunk(...) again, for what is there now)");
        inside("stale through the alias", "local c = chunk(0, 'input', 0)\nchunk(1, 'input', 0):copy(0, 'output', 0)\nc:copy(2)",
               "4: This chunk was taken on line 2, and input chunk 0 of rank 0 was overwritten on line 3 (expected chunk(...) again, for what is there now)");
        inside("double reduction", "local c = chunk(0, 'input', 0)\nc:reduce(chunk(1, 'input', 0))\n\nc:reduce(chunk(1, 'input', 0))",
               "5: Double reduction: chunk 0 of rank 1 is already in input chunk 0 of rank 0 (last written on line 3)");
        inside("put unseen", "local c = chunk(0, 'input', 0):put(1, 'scratch', 0)\nc:copy(2)",
               "3: Rank 1 has not waited for what was stored into scratch chunk 0 of rank 1 on line 2 (expected signal(from, to) and wait(rank, from) first)");
        inside("put signalled", "chunk(0, 'input', 0):put(1, 'scratch', 0)\nsignal(0, 1)\nchunk(1, 'scratch', 0):copy(2)",
               "4: Rank 1 has not waited for what was stored into scratch chunk 0 of rank 1 on line 2 (expected signal(from, to) and wait(rank, from) first)");
        inside("put untold", "\nchunk(0, 'input', 0):put(1, 'scratch', 0)",
               "3: No signal tells of what is put from rank 0 to rank 1 on channel 0 (expected signal(from, to) and wait(rank, from) behind it)");
        inside("put at home", "chunk(0, 'input', 0):put(0, 'scratch', 0)", "2: Rank 0 is both ends (expected two ranks)");
        inside("signal unheard", "signal(2, 1, {ch = 3})", "2: Nobody waits for the signal from rank 2 to rank 1 on channel 3 (expected wait(rank, from))");
        inside("wait for nothing", "wait(1, 2)", "2: There is no signal from rank 2 to rank 1 on channel 0 to wait for (expected signal(2, 1) first)");
        inside("signal to nobody", "signal(0, 4)", "2: There is no rank 4 (expected 0 to 3)");
        inside("team", "chunk(0, 'input', 0):switch_copy(1)", "2: switch_copy takes a list of ranks, not 1 (expected c:switch_copy({0, 1, 2}))");
        inside("team of text", "chunk(0, 'input', 0):switch_copy({0, 'x'})", "2: switch_copy: rank 2 of the list must be a whole number, not 'x'");
        inside("team of one", "chunk(0, 'input', 0):switch_copy({0})", "2: A team has two ranks at least (expected {0, 1, ...})");
        inside("team twice", "chunk(0, 'input', 0):switch_copy({0, 1, 1})", "2: Rank 1 is in the team twice");
        inside("team outside", "chunk(0, 'input', 0):switch_copy({0, 4})", "2: There is no rank 4 (expected 0 to 3)");
        inside("team without", "chunk(0, 'input', 0):switch_reduce({1, 2})", "2: Rank 0 is not in its own team (expected a team with it)");
        inside("sum of nothing", "chunk(0, 'input', 0):copy(0, 'scratch', 0):switch_reduce({0, 1})", "2: Nothing has been put into scratch chunk 0 of rank 1 yet");
        inside("sum unseen", "chunk(0, 'input', 0):switch_reduce({0, 1, 2}, 'scratch', 0, {copy = true})\nchunk(2, 'scratch', 0):copy(3)",
               "3: Rank 2 has not waited for what was stored into scratch chunk 0 of rank 2 on line 2 (expected signal(from, to) and wait(rank, from) first)");
        inside("sum twice", "chunk(0, 'input', 0):switch_reduce({0, 1}, {copy = true})\nsignal(0, 1) wait(1, 0)\nchunk(0, 'input', 0):switch_reduce({0, 1})",
               "4: Double reduction: chunk 0 of rank 0 is in input chunk 0 of rank 1 and in the same place of another rank of the team");
        inside("copy of a copy", "chunk(0, 'input', 0):copy(1, {copy = true})", "2: Only the sum of a switch can go to a whole team (expected copy = true for switch_reduce)");
        inside("fused first", "chunk(0, 'input', 0):copy(1, {fused = true})",
               "2: Only what the operation before it has brought from another rank can be sent on in the same step (expected the copy or reduce right behind it, to a third rank)");
        inside("fused later", "local c = chunk(0, 'input', 0):copy(1)\nchunk(2, 'input', 1):copy(3)\nc:copy(2, {fused = true})",
               "4: Only what the operation before it has brought from another rank can be sent on in the same step (expected the copy or reduce right behind it, to a third rank)");
        inside("fused channels", "chunk(0, 'input', 0):copy(1):copy(2, {ch = 1, fused = true})", "2: One step is on one channel: what is sent on came on channel 0 (expected the same channel)");
        inside("fused to two", "chunk(0, 'input', 0):copy(1):copy(2, {fused = true})\nchunk(0, 'input', 1):copy(1):copy(3, {fused = true})",
               "3: Lane 0 of rank 1 sends on to rank 2 and cannot send to rank 3 too (expected another channel)");
        inside("fused word", "chunk(0, 'input', 0):copy(1, {fused = 1})", "2: copy: fused must be true or false, not 1");
        inside("own place", "chunk(0, 'input', 0):copy(0)", "2: A chunk cannot be copied to its own place (expected another place)");
        inside("own place, aliased", "chunk(0, 'input', 0):copy(0, 'output')",
               "2: A chunk cannot be copied to its own place: input and output are one memory here (inplace) (expected another place)");
        inside("overlap", "chunk(0, 'input', 0, 2):copy(0, 'input', 1)", "2: A chunk cannot be copied to its own place (expected another place)");
        inside("sizes of groups", "chunk(0, 'input', 0, 2):reduce(chunk(1, 'input', 0))", "2: 1 chunks cannot be added to 2 (expected groups of the same size)");
        inside("no neighbours", "chunk(0, 'input', 0):group(chunk(0, 'input', 2))",
               "2: input chunk 2 of rank 0 does not follow input chunk 0 of rank 0 (expected chunks that follow each other)");
        inside("split", "chunk(0, 'input', 0, 3):split(2)", "2: 3 chunks cannot be split into 2 equal parts");
        inside("option", "chunk(0, 'input', 0):copy(1, {channel = 1})",
               "2: copy: there is no option 'channel' (expected ch, sendtb, recvtb, tb, step, phase, dimension, tree, fused or copy)");
        inside("channel", "chunk(0, 'input', 0):copy(1, {ch = -1})", "2: There is no channel -1 (expected 0 to 1023)");
        inside("too many", "chunk(0, 'input', 0):copy(1, 'input', 0, {}, 5)", "2: copy: there are too many arguments (expected c:copy(rank, buffer, index, {options}))");
        inside("lane with two peers", "chunk(0, 'input', 0):copy(1, {sendtb = 0})\nchunk(0, 'input', 1):copy(2, {sendtb = 0})",
               "3: Lane 0 of rank 0 sends to rank 1 already (line 2) and cannot send to rank 2 too (expected another lane)");
        inside("lane with two channels", "chunk(0, 'input', 0):copy(1, {sendtb = 0})\nchunk(1, 'input', 1):copy(0, {recvtb = 0, ch = 1})",
               "3: Lane 0 of rank 0 is on channel 0 (line 2) and cannot be on channel 1 too (expected another lane, or the same channel)");
        inside("connection with two lanes", "chunk(0, 'input', 0):copy(1, {sendtb = 0})\nchunk(0, 'input', 1):copy(1, {sendtb = 1})",
               "3: What rank 0 sends to rank 1 on channel 0 is sent by lane 0 (line 2) and cannot be sent by lane 1 too (expected one lane at either end, or another "
               "channel)");
        inside("expect of all_reduce", "expect(0, 'output', 0, {{0, 0}})",
               "2: Only custom collectives say what is expected (expected collective(\"custom\", {...}) first)");
        inside("late instances", "chunk(0, 'input', 0):copy(1)\ninstances(2)",
               "3: instances() of the whole program comes too late (expected before the first copy or reduce, or instances(p, function() ... end))");
        inside("instances", "instances(2, 'random')", "2: instances: there is no way 'random' (expected \"interleaved\", \"batched\" or function() ... end)");
        row("batched owners", "collective('all_gather', {ranks = 2}) instances(2, 'batched')",
            "1: Batched instances would change what this collective means, because its ranks own neighbouring chunks (expected \"interleaved\")");
        inside("weights", "weights{1, 2}", "2: There are 2 weights for 4 chunks (expected one for each chunk)");
        row("late before", "collective('custom', {ranks = 2})\nchunk(0, 'input', 0)\nbefore(0, 'input', 0)",
            "3: before() comes too late (expected before() before the first chunk())");
        row("expected twice", "collective('custom', {ranks = 2})\nexpect(0, 'output', 0, {{0, 0}})\nexpect(0, 'output', 0, {{1, 0}})",
            "3: expect() was called before for output chunk 0 of rank 0 (expected one expectation for a place)");
        row("parameter", "param('ranks')", "1: param: nothing is said of 'ranks' (expected a value for it, or a default: param(\"ranks\", 8))");
        row("nil", "local x\nprint(x.y)", "2: attempt to index a nil value (local 'x')");
        row("own error", "\nerror('only even sizes')", "2: only even sizes");
        row("assert", "assert(1 == 2, 'sizes differ')", "1: sizes differ");
        row("no text", "error({})", "1: The script raised an error that is not a text");
        row("bytecode", "\x1bLua", "0: This is no text");
        row("varargs", "\nlocal function f(...) end", "2: '...' is not part of this language (expected a table)");
    }
    void namesLineReasonAndRemedy()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        QCOMPARE(QString::fromStdString(scriptError(text.toStdString())), error);
    }

    void namesTheLoopAndItsVariables()
    {
        QCOMPARE(scriptError("collective('all_reduce', {ranks = 4})\n"
                             "for r = 0, 3 do\n"
                             "  for s = 0, 3 do\n"
                             "    chunk(r, 'input', r + s)\n"
                             "  end\n"
                             "end\n"),
                 std::string("4: There is no input chunk 4 of rank 1 (in the loop of line 3: r = 1, s = 3) (expected chunks 0 to 3)"));
        QCOMPARE(scriptError("collective('all_reduce', {ranks = 4})\n"
                             "local function give(r)\n"
                             "  chunk(r, 'input', r)\n"
                             "end\n"
                             "-- for x = 1, 2 do\n"
                             "local text = [[ while true do ]] .. 'for' .. \"do\"\n"
                             "for i, r in ipairs({0, 1, 7}) do\n"
                             "  give(r)\n"
                             "end\n"),
                 std::string("3: There is no rank 7 (called on line 8, in the loop of line 7: i = 3, r = 7) (expected 0 to 3)"));
        QCOMPARE(scriptError("local n = 0\nrepeat\n  n = n + nothing\nuntil n > 3\n"), std::string("3: There is no name 'nothing' (in the loop of line 2)"));
    }

    void namesTheFile()
    {
        ScriptRequest request;
        request.text = "oops()";
        request.name = "mine.lua";
        const Result<Script> script = compileScript(request);
        QVERIFY(!script);
        QCOMPARE(script.error().place.file, std::string("mine.lua"));
        QCOMPARE(script.error().code, ErrorCode::InvalidInput);
        QCOMPARE(script.error().text(), std::string("mine.lua:1: There is no name 'oops'"));
    }
};

FABRICSCOPE_TEST(ScriptErrorsTest)
#include "tst_script_errors.moc"
