#include "tests/unit/support/cases/scriptcase.h"

#include "tests/unit/support/canonical.h"
#include "core/base/index.h"
#include "core/program/programbuilder.h"
#include "core/programio/mscclwriter.h"
#include "core/verify/verify.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>
#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::string ops(std::string_view text)
{
    const Result<Script> script = compileText(text);
    return script ? operationText(*script.value().program) : script.error().text();
}

const ExplicitBody& bodyOf(const Result<Script>& script)
{
    return script.value().program->asExplicit();
}

} // namespace

/// Every word of the language, one by one.
class ScriptTest : public QObject {
    Q_OBJECT

private slots:
    void copyAcrossRanksIsAMessage()
    {
        QCOMPARE(ops("collective('all_gather', {ranks = 2, inplace = false})\n"
                     "local c = chunk(0, 'input', 0):copy(1, 'output', 0)"),
                 std::string("0 send 1@0 i0 > x1\n1 receive 0@0 > o0 x1\n"));
    }

    void copyOnOneRankIsLocal()
    {
        QCOMPARE(ops("collective('all_reduce', {ranks = 2, inplace = false}) chunk(1, input, 1):copy(1, scratch, 3)"), std::string("1 copy i1 > s3 x1\n"));
    }

    void copyKeepsBufferAndIndexUnlessTold()
    {
        const std::string start = "collective('all_reduce', {ranks = 3, chunks = 3}) local c = chunk(0, 'input', 1) ";
        QCOMPARE(ops(start + "c:copy(1)"), std::string("0 send 1@0 i1 > x1\n1 receive 0@0 > i1 x1\n"));
        QCOMPARE(ops(start + "c:copy(1, {ch = 2})"), std::string("0 send 1@2 i1 > x1\n1 receive 0@2 > i1 x1\n"));
        QCOMPARE(ops(start + "c:copy(1, 'scratch')"), std::string("0 send 1@0 i1 > x1\n1 receive 0@0 > s1 x1\n"));
        QCOMPARE(ops(start + "c:copy(1, 'scratch', {ch = 1})"), std::string("0 send 1@1 i1 > x1\n1 receive 0@1 > s1 x1\n"));
        QCOMPARE(ops(start + "c:copy(1, 'scratch', 0, {ch = 1})"), std::string("0 send 1@1 i1 > x1\n1 receive 0@1 > s0 x1\n"));
        QCOMPARE(ops(start + "c:copy(1, nil, 2)"), std::string("0 send 1@0 i1 > x1\n1 receive 0@0 > i2 x1\n"));
    }

    void reduceAddsToTheChunkItIsCalledOn()
    {
        QCOMPARE(ops("collective('all_reduce', {ranks = 2}) chunk(0, 'input', 1):reduce(chunk(1, 'input', 1))"),
                 std::string("0 add 1@0 i1 > i1 x1\n1 send 0@0 i1 > x1\n"));
        QCOMPARE(ops("collective('all_reduce', {ranks = 2}) chunk(0, 'input', 1):reduce(chunk(1, 'input', 1):copy(0, 'scratch', 0))"),
                 std::string("0 receive 1@0 > s0 x1\n0 reduce s0 > i1 x1\n1 send 0@0 i1 > x1\n"));
    }

    void putsAreSeenBehindTheirSignal()
    {
        const std::string text = "collective('all_gather', {ranks = 2, chunks = 2})\n"
                                 "chunk(0, 'output', 0):put(1) signal(0, 1)\n"
                                 "chunk(1, 'output', 1):put(0, {ch = 2}) signal(1, 0, {ch = 2})\n"
                                 "wait(0, 1, {ch = 2}) wait(1, 0)\n";
        const Result<Script> script = compileText(text);
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        QCOMPARE(operationText(*script.value().program),
                 std::string("0 put 1@0 o0 > o0 x1\n0 signal 1@0 > x0\n0 wait 1@2 > x0\n"
                             "1 put 0@2 o1 > o1 x1\n1 signal 0@2 > x0\n1 wait 0@0 > x0\n"));
        QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
        QVERIFY(verify(*script.value().program).valid);
        // As made by hand.
        ProgramBuilder builder(CollectiveOp::AllGather, 2, 2);
        for (int rank = 0; rank < 2; ++rank) {
            const OpKind kinds[] = {OpKind::Put, OpKind::Signal, OpKind::Wait};
            for (const OpKind kind : kinds) {
                ProgramBuilder::Row row;
                row.rank = rank;
                row.peer = 1 - rank;
                row.kind = kind;
                row.lane = kind == OpKind::Wait ? 1 : 0;
                row.connection = (rank == 1) != (kind == OpKind::Wait) ? 2 : 0;
                row.count = kind == OpKind::Put ? 1 : 0;
                row.chunk = kind == OpKind::Put ? rank : 0;
                row.sourceBuffer = row.targetBuffer = kind == OpKind::Put ? BufferKind::Output : BufferKind::None;
                row.sourceOffset = row.targetOffset = kind == OpKind::Put ? rank : 0;
                builder.add(row);
            }
        }
        builder.inferDependencies();
        builder.header().outOfPlace = false;
        QVERIFY(canonicalDigest(*builder.finish("put", "test")) == canonicalDigest(*script.value().program));
        // Only one-sided data may be used before: a read behind the wait is one behind the put.
        QCOMPARE(ops("collective('broadcast', {ranks = 3, chunks = 1})\n"
                     "local c = chunk(0, 'input', 0):put(1) signal(0, 1) wait(1, 0) c:copy(2)"),
                 std::string("0 put 1@0 i0 > i0 x1\n0 signal 1@0 > x0\n1 wait 0@0 > x0\n1 send 2@0 i0 > x1\n2 receive 1@0 > i0 x1\n"));
    }

    void switchesCopyAndAddUp()
    {
        // The sum for every rank of its own chunk, then a copy of it to all: reduce-scatter and all-gather by the switch.
        const std::string two = "collective('all_reduce', {ranks = 3, chunks = 3})\n"
                                "for r = 0, 2 do chunk(r, 'input', r):switch_reduce({2, 0, 1}):switch_copy({0, 1, 2}) end\n";
        QCOMPARE(ops(two), std::string("0 switch-reduce 0@0 i0 > i0 x1\n0 multicast 0@0 i0 > i0 x1\n1 switch-reduce 0@0 i1 > i1 x1\n1 multicast 0@0 i1 > i1 x1\n"
                                       "2 switch-reduce 0@0 i2 > i2 x1\n2 multicast 0@0 i2 > i2 x1\n"));
        const std::string one = "collective('all_reduce', {ranks = 3, chunks = 3})\n"
                                "for r = 0, 2 do chunk(r, 'input', r):switch_reduce({0, 1, 2}, {copy = true}) end\n";
        for (const std::string& text : {one, two}) {
            const Result<Script> script = compileText(text);
            QVERIFY2(script, script ? "" : script.error().text().c_str());
            QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
            QCOMPARE(wrongResult(*script.value().program), std::string());
            const Verification verified = verify(*script.value().program);
            QVERIFY2(verified.valid && verified.postcondition == Postcondition::Holds, verified.findings.empty() ? "" : verified.findings[0].message.c_str());
            QCOMPARE(bodyOf(script).teams, (std::vector<std::vector<std::int32_t>>{{0, 1, 2}}));
        }
        // As made by hand: the sum handed to the copy in the switch.
        ProgramBuilder builder(CollectiveOp::AllReduce, 3, 3);
        builder.extras().teams = {{0, 1, 2}};
        for (int rank = 0; rank < 3; ++rank) {
            ProgramBuilder::Row row;
            row.rank = rank;
            row.peer = 0;
            row.lane = 0;
            row.chunk = row.sourceOffset = rank;
            row.kind = OpKind::SwitchReduce;
            row.sourceBuffer = BufferKind::Input;
            builder.add(row);
            row.kind = OpKind::SwitchMulticast;
            row.fused = true;
            row.sourceBuffer = BufferKind::Fused;
            row.sourceOffset = 0;
            row.targetBuffer = BufferKind::Input;
            row.targetOffset = rank;
            builder.add(row);
        }
        builder.header().outOfPlace = false;
        QVERIFY(canonicalDigest(*builder.finish("switch", "test")) == canonicalDigest(*compileText(one).value().program));
        // With instances; what one rank has copied to another is seen behind a signal.
        const Result<Script> pieces = compileText("collective('broadcast', {ranks = 4, chunks = 2, root = 1})\ninstances(3)\n"
                                                  "for i = 0, 1 do chunk(1, 'input', i):switch_copy({0, 1, 2}) end\n"
                                                  "signal(1, 2) wait(2, 1)\nfor i = 0, 1 do chunk(2, 'input', i):copy(3) end\n");
        QVERIFY2(pieces, pieces ? "" : pieces.error().text().c_str());
        QCOMPARE(wrongResult(*pieces.value().program), std::string());
        QVERIFY(verify(*pieces.value().program).valid);
    }

    void stepsAreFused()
    {
        // A chain of four that adds up, and back: every inner rank sends on in the step that brings it.
        const std::string text = "collective('all_reduce', {ranks = 4, chunks = 2})\ninstances(2)\n"
                                 "for i = 0, 1 do\n"
                                 "  local c = chunk(0, 'input', i)\n"
                                 "  for r = 1, 3 do c = chunk(r, 'input', i):reduce(c, {fused = r > 1, ch = 0}) end\n"
                                 "  for r = 2, 0, -1 do c = c:copy(r, {fused = r < 2, ch = 1}) end\n"
                                 "end\n";
        const Result<Script> script = compileText(text);
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        const ExplicitBody& body = bodyOf(script);
        for (std::uint32_t op = 0; op < body.size(); ++op) {
            QCOMPARE(body.isFused(op), body.sourceBuffer[op] == BufferKind::Fused);
            if (body.isFused(op))
                QVERIFY(receives(body.kind[op - 1]) && body.lane[op] == body.lane[op - 1] && body.kind[op] == OpKind::Send);
        }
        // 2 chunks in 2 instances, 2 inner ranks each way.
        QCOMPARE(std::count(body.fused.begin(), body.fused.end(), 1), std::ptrdiff_t{16});
        QCOMPARE(wrongResult(*script.value().program), std::string());
        QVERIFY(verify(*script.value().program).valid);
        const auto written = writeMsccl(script.value().program);
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QVERIFY(written.value().text.find("\"rrcs\"") != std::string::npos && written.value().text.find("\"rcs\"") != std::string::npos);
    }

    void theChunkThatWasAddedToStandsForTheSum()
    {
        const Result<Script> script = compileText("collective('reduce', {ranks = 4, chunks = 1})\n"
                                                  "local c = chunk(0, 'input', 0)\n"
                                                  "for r = 1, 3 do c:reduce(chunk(r, 'input', 0)) end\n");
        QVERIFY(script);
        QCOMPARE(wrongResult(*script.value().program), std::string());
        QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
    }

    void groupsMoveAtOnce()
    {
        QCOMPARE(ops("collective('all_reduce', {ranks = 4}) chunk(0, 'input', 1, 3):copy(1)"),
                 std::string("0 send 1@0 i1 > x3\n1 receive 0@0 > i1 x3\n"));
        QCOMPARE(ops("collective('all_reduce', {ranks = 4}) chunk(0, 'input', 1):group(chunk(0, 'input', 2)):copy(1)"),
                 std::string("0 send 1@0 i1 > x2\n1 receive 0@0 > i1 x2\n"));
        QCOMPARE(ops("collective('all_reduce', {ranks = 4}) local t = chunk(0, 'input', 0, 4):split(2) t[2]:copy(#t)"),
                 std::string("0 send 2@0 i2 > x2\n2 receive 0@0 > i2 x2\n"));
    }

    void chunksTellWhatTheyAre()
    {
        const Result<Script> script = compileText("collective('broadcast', {ranks = 4, chunks = 6, root = 2})\n"
                                                  "local c = chunk(2, 'input', 1, 3)\n"
                                                  "print(c:rank(), c:index(), c:count(), c:buffer(), ranks(), chunks(), root())\n"
                                                  "print(c)\nprint(tostring(c:split(3)[1]))\nprint()");
        QVERIFY(script);
        QCOMPARE(scriptNotes(script.value(), "print"), std::string("3: 2 1 3 input 4 6 2\n4: chunk(2, \"input\", 1, 3)\n5: chunk(2, \"input\", 1)\n6: "));
    }

    void optionsOfCollectivesArriveInTheProgram()
    {
        const Result<Script> script = compileText("collective('reduce', {ranks = 3, chunks = 5, root = 1, inplace = 'both', protocol = 'LL128', name = 'mine',\n"
                                                  "  min_bytes = 1024, max_bytes = '1 MiB'})");
        QVERIFY(script);
        const Program& program = *script.value().program;
        QCOMPARE(program.op, CollectiveOp::Reduce);
        QCOMPARE(program.ranks, 3);
        QCOMPARE(program.chunks, 5);
        QCOMPARE(program.root, 1);
        QVERIFY(program.inPlace && program.outOfPlace);
        QCOMPARE(program.protocol, WireProtocol::LL128);
        QCOMPARE(program.minBytes, std::int64_t{1024});
        QCOMPARE(program.maxBytes, std::int64_t{1} << 20);
        QCOMPARE(program.name, std::string("mine"));
        QCOMPARE(program.provenance, std::string("script t.lua"));
    }

    void usualsOfCollectives()
    {
        const Result<Script> script = compileText("collective('all_to_all', {ranks = 3})");
        QVERIFY(script);
        QCOMPARE(script.value().program->chunks, 3);
        QVERIFY(script.value().program->inPlace && !script.value().program->outOfPlace);
        const Result<Script> custom = compileText("collective('custom', {ranks = 3})");
        QVERIFY(custom);
        QVERIFY(!custom.value().program->inPlace && custom.value().program->outOfPlace);
        QVERIFY(!custom.value().program->conditions);
    }

    void parametersComeFromOutsideOrFromTheirDefaults()
    {
        const std::string text = "local a, b = param('a', 3), param('b', 0.5)\nprint(a, b, math.type(a), math.type(b))\ncollective('all_reduce', {ranks = a})";
        const Result<Script> usual = compileText(text);
        QVERIFY(usual);
        QCOMPARE(scriptNotes(usual.value(), "print"), std::string("2: 3 0.5 integer float"));
        const Result<Script> given = compileText(text, {{"a", 5}, {"b", 2}, {"c", 1}});
        QVERIFY(given);
        QCOMPARE(given.value().program->ranks, 5);
        QCOMPARE(given.value().program->provenance, std::string("script t.lua with a = 5, b = 2"));
        QCOMPARE(scriptNotes(given.value(), "print"), std::string("2: 5 2.0 integer float"));
        QCOMPARE(scriptNotes(given.value(), "parameter"), std::string("0: The script has no parameter 'c'"));
        QCOMPARE(given.value().parameters.size(), std::size_t{2});
        QCOMPARE(given.value().parameters[0].name, std::string("a"));
        QCOMPARE(given.value().parameters[0].usual, 3.0);
        QCOMPARE(given.value().parameters[0].value, 5.0);
        QCOMPARE(given.value().parameters[0].line, 1);
    }

    void channelsPhasesAndTagsHoldForWhatFollowsOrForAFunction()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 4, chunks = 8})\n"
                                                  "local function go(i) chunk(0, 'input', i):copy(1) end\n"
                                                  "channel(2) phase('one') tags{tree = 1} go(0)\n"
                                                  "channel(5, function() go(1) end)\n"
                                                  "phase('two', function() go(2) end)\n"
                                                  "go(3)\n"
                                                  "chunk(0, 'input', 4):copy(1, {ch = 0, phase = 'two', dimension = 3, tree = 7})\n");
        QVERIFY(script);
        const ExplicitBody& body = bodyOf(script);
        QCOMPARE(script.value().phases, (std::vector<std::string>{"one", "two"}));
        const std::vector<std::int32_t> channels(body.connection.begin(), body.connection.begin() + 5);
        QCOMPARE(channels, (std::vector<std::int32_t>{2, 5, 2, 2, 0}));
        QCOMPARE(body.tags[0], (OpTags{0, -1, 1, -1}));
        QCOMPARE(body.tags[1], (OpTags{0, -1, 1, -1}));
        QCOMPARE(body.tags[2], (OpTags{1, -1, 1, -1}));
        QCOMPARE(body.tags[3], (OpTags{0, -1, 1, -1}));
        QCOMPARE(body.tags[4], (OpTags{1, 3, 7, -1}));
    }

    void linesAreTheSourceOfOperations()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 2})\n\nlocal c = chunk(0, 'input', 0)\nc:copy(1)\n");
        QVERIFY(script);
        QCOMPARE(bodyOf(script).sourceId, (std::vector<std::uint64_t>{4, 4}));
    }

    void stepsFollowTheDataUnlessTold()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 3})\n"
                                                  "local c = chunk(0, 'input', 0):copy(1, 'scratch', 0)\n" // step 0
                                                  "c:copy(2, 'scratch', 0)\n"                              // step 1
                                                  "chunk(0, 'input', 1):copy(1, 'scratch', 1)\n"           // step 0
                                                  "chunk(2, 'input', 2):copy(1, 'scratch', 2, {step = 9})\n");
        QVERIFY(script);
        QCOMPARE(bodyOf(script).step, (std::vector<std::int32_t>{0, 0, 0, 1, 0, 9, 1, 9}));
    }

    void ownLanesHaveOnePeerInEachDirection()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 3})\n"
                                                  "for r = 0, 2 do for s = 1, 2 do chunk(r, 'input', r):copy((r + s) % 3, 'scratch', r) end end\n"
                                                  "chunk(0, 'scratch', 1):copy(0, 'scratch', 5)\n");
        QVERIFY(script);
        const ExplicitBody& body = bodyOf(script);
        std::map<std::pair<std::int32_t, std::int32_t>, std::set<std::pair<bool, std::int32_t>>> users;
        for (std::int32_t rank = 0; rank < 3; ++rank) {
            for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
                QVERIFY(body.lane[op] >= 0);
                users[{rank, body.lane[op]}].insert({body.kind[op] == OpKind::Send, body.peer[op]});
            }
        }
        QCOMPARE(users.size(), std::size_t{13}); // Two to send, two to receive on each rank, one for the copy.
        for (const auto& [lane, peers] : users)
            QCOMPARE(peers.size(), std::size_t{1});
    }

    void chosenLanesAreKept()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 2})\n"
                                                  "chunk(0, 'input', 0):copy(1, 'scratch', 0, {sendtb = 4, recvtb = 2})\n"
                                                  "chunk(1, 'scratch', 0):copy(1, 'scratch', 1, {tb = 2})\n"
                                                  "chunk(1, 'scratch', 1):copy(1, 'scratch', 2, {lane = 3})\n"
                                                  "chunk(0, 'input', 1):copy(1, 'scratch', 4, {ch = 1})\n");
        QVERIFY(script);
        QCOMPARE(bodyOf(script).lane, (std::vector<std::int32_t>{4, 5, 2, 2, 3, 4}));
    }

    void customConditionsAreMaps()
    {
        const Result<Script> script = compileText("collective('custom', {ranks = 3, chunks = 2})\n"
                                                  "before(0, 'input', 0, 2) before(1, 'input', 1)\n"
                                                  "expect(2, 'output', 1, {{1, 1}, {0, 0}})\n"
                                                  "chunk(0, 'input', 0):copy(2, 'output', 1):reduce(chunk(1, 'input', 1))\n");
        QVERIFY(script);
        const Program& program = *script.value().program;
        QVERIFY(program.conditions);
        QCOMPARE(program.conditions->before, (std::vector<ChunkValue>{{0, BufferKind::Input, 0, {{0, 0}}}, {0, BufferKind::Input, 1, {{0, 1}}}, {1, BufferKind::Input, 1, {{1, 1}}}}));
        QCOMPARE(program.conditions->after, (std::vector<ChunkValue>{{2, BufferKind::Output, 1, {{0, 0}, {1, 1}}}}));
        QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
        QCOMPARE(wrongResult(program), std::string());
    }

    void customSumsMayCountTwice()
    {
        const Result<Script> script = compileText("collective('custom', {ranks = 2, chunks = 1})\n"
                                                  "expect(0, 'output', 0, {{0, 0}, {1, 0}, {1, 0}})\n"
                                                  "local c = chunk(0, 'input', 0):copy(0, 'output', 0)\n"
                                                  "c:reduce(chunk(1, 'input', 0)):reduce(chunk(1, 'input', 0))\n");
        QVERIFY(script);
        QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
        QCOMPARE(wrongResult(*script.value().program), std::string());
    }

    void weightsBelongToChunks()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 2, chunks = 3}) weights{3, 1, 2}");
        QVERIFY(script);
        QCOMPARE(bodyOf(script).chunkWeights, (std::vector<std::int64_t>{3, 1, 2}));
        const Result<Script> twice = compileText("collective('all_reduce', {ranks = 2, chunks = 3}) instances(2) weights{3, 1, 2}");
        QVERIFY(twice);
        QCOMPARE(bodyOf(twice).chunkWeights, (std::vector<std::int64_t>{3, 3, 1, 1, 2, 2}));
        const Result<Script> batched = compileText("collective('all_reduce', {ranks = 2, chunks = 3}) instances(2, 'batched') weights{3, 1, 2}");
        QVERIFY(batched);
        QCOMPARE(bodyOf(batched).chunkWeights, (std::vector<std::int64_t>{3, 1, 2, 3, 1, 2}));
    }

    /// The formulas (manual: formats 4.3): channels c + i * 3, chunks k * p + i * count or k + i * N, scratch k + i * S.
    void instancesLieAsMscclPutsThem()
    {
        const std::string start = "collective('all_reduce', {ranks = 2, chunks = 4}) instances(2, '";
        const std::string text = "') chunk(0, 'input', 3):copy(1, 'scratch', 1, {ch = 2})";
        QCOMPARE(ops(start + "interleaved" + text), std::string("0 send 1@2 i6 > x1\n0 send 1@5 i7 > x1\n1 receive 0@2 > s1 x1\n1 receive 0@5 > s3 x1\n"));
        QCOMPARE(ops(start + "batched" + text), std::string("0 send 1@2 i3 > x1\n0 send 1@5 i7 > x1\n1 receive 0@2 > s1 x1\n1 receive 0@5 > s3 x1\n"));
        QCOMPARE(ops(start + "interleaved') chunk(0, 'input', 1, 2):copy(1, 'input', 2)"),
                 std::string("0 send 1@0 i2 > x2\n0 send 1@1 i4 > x2\n1 receive 0@0 > i4 x2\n1 receive 0@1 > i6 x2\n"));
        const Result<Script> script = compileText(start + "interleaved" + text);
        QVERIFY(script);
        QCOMPARE(script.value().program->chunks, 8);
        QCOMPARE(bodyOf(script).lane, (std::vector<std::int32_t>{0, 1, 0, 1}));
        QCOMPARE(bodyOf(script).tags[1].instance, std::int16_t{1});
    }

    void instancesOfAPartCutOnlyThatPart()
    {
        QCOMPARE(ops("collective('all_reduce', {ranks = 3, chunks = 2})\n"
                     "chunk(0, 'input', 1):copy(1)\n"
                     "instances(2, function() chunk(1, 'input', 1):copy(2) end)\n"),
                 std::string("0 send 1@0 i2 > x2\n1 receive 0@0 > i2 x2\n1 send 2@0 i2 > x1\n1 send 2@1 i3 > x1\n2 receive 1@0 > i2 x1\n2 receive 1@1 > i3 x1\n"));
    }

    void replicatedProgramsStayRight_data()
    {
        QTest::addColumn<QString>("replication");
        for (const char* text : {"", "instances(2)", "instances(3, 'interleaved')", "instances(4, 'batched')"})
            QTest::newRow(text) << QString(text);
    }
    void replicatedProgramsStayRight()
    {
        QFETCH(QString, replication);
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 4, chunks = 4}) " + replication.toStdString() +
                                                  "\n"
                                                  "for r = 0, 3 do\n"
                                                  "  for s = 1, 3 do chunk((r + s) % 4, 'input', r):copy(r, 'scratch', s - 1) end\n"
                                                  "end\n"
                                                  "for r = 0, 3 do\n"
                                                  "  local sum = chunk(r, 'input', r)\n"
                                                  "  for s = 1, 3 do sum:reduce(chunk(r, 'scratch', s - 1)) end\n"
                                                  "  instances(2, function() for s = 1, 3 do chunk(r, 'input', r):copy((r + s) % 4) end end)\n"
                                                  "end\n");
        if (replication.contains("batched")) {
            QVERIFY(!script); // Parts of batched programs are refused.
            return;
        }
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        QCOMPARE(scriptNotes(script.value(), "postcondition"), std::string());
        QCOMPARE(wrongResult(*script.value().program), std::string());
        QVERIFY(verify(*script.value().program).valid);
    }

    void unfinishedProgramsAreMadeAndTold()
    {
        const Result<Script> script = compileText("collective('all_reduce', {ranks = 2, chunks = 1})\nchunk(0, 'input', 0):reduce(chunk(1, 'input', 0))\n");
        QVERIFY(script);
        QCOMPARE(scriptNotes(script.value(), "postcondition"),
                 std::string("1: output chunk 0 of rank 1 holds chunk 0 of rank 1 at the end, not chunk 0 of ranks 0 to 1"));
        QCOMPARE(wrongResult(*script.value().program), std::string("breaks the contract in place with 0 slots"));
    }

    void programsForBothPlacesAreCheckedInBoth()
    {
        const std::string text = "collective('all_gather', {ranks = 2, inplace = 'both'})\n"
                                 "for r = 0, 1 do chunk(r, 'input', 0):copy(1 - r, 'output', r) end\n";
        const Result<Script> half = compileText(text);
        QVERIFY(half);
        QCOMPARE(scriptNotes(half.value(), "postcondition"),
                 std::string("1: output chunk 0 of rank 0, out of place, holds nothing at the end, not chunk 0 of rank 0\n"
                             "1: output chunk 1 of rank 1, out of place, holds nothing at the end, not chunk 0 of rank 1"));
        const Result<Script> whole = compileText(text + "for r = 0, 1 do chunk(r, 'input', 0):copy(r, 'output', r) end\n");
        QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
        QCOMPARE(scriptNotes(whole.value(), "postcondition"), std::string());
        QCOMPARE(wrongResult(*whole.value().program), std::string());
    }

    void luaIsThere()
    {
        const Result<Script> script = compileText(R"(
            local t = {}
            for i = 1, 5 do
              if i % 2 == 0 then goto continue end
              table.insert(t, 1, i)
              ::continue::
            end
            local n = 0
            repeat n = n + 1 until n == 3
            while n > 0 do n = n - 1 end
            print(table.concat(t, '-'), n, #t, table.remove(t), table.remove(t, 1), table.concat(t))
            collective('all_reduce', {ranks = 2}))");
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        QCOMPARE(scriptNotes(script.value(), "print"), std::string("11: 5-3-1 0 3 1 5 3"));
        const Result<Script> rest = compileText(R"(
            local t = table.pack(1, nil, 3)
            print(t.n, type(t), tonumber('0x10'), math.tointeger(3.0), math.pi > 3)
            local s = {5, 3, 9, 1}
            table.sort(s) print(table.unpack(s))
            table.sort(s, function(a, b) return a > b end) print(table.concat(s, ' '))
            local m = {}
            for k, v in pairs({b = 2, a = 1, [10] = 'x', [2.5] = 'y', 7}) do m[#m + 1] = tostring(k) .. '=' .. tostring(v) end
            print(table.concat(m, ' '))
            print(('%d %s %5.2f %q'):format(3, {}, 1.5, 'a'), ('ab'):rep(3, '-'), ('x'):upper(), math.max(1, 2), 7 // 2, 1 << 4)
            collective('all_reduce', {ranks = 2}))");
        QVERIFY2(rest, rest ? "" : rest.error().text().c_str());
        QCOMPARE(scriptNotes(rest.value(), "print"), std::string("3: 3 table 16 3 true\n5: 1 3 5 9\n6: 9 5 3 1\n9: 1=7 2.5=y 10=x a=1 b=2\n"
                                                                "10: 3 table  1.50 \"a\" ab-ab-ab X 2 3 16"));
    }

    void sortingKeepsTheOrderOfEquals()
    {
        const Result<Script> script = compileText("local t = {} for i = 1, 300 do t[i] = {i % 7, i} end\n"
                                                  "table.sort(t, function(a, b) return a[1] < b[1] end)\n"
                                                  "for i = 2, 300 do assert(t[i - 1][1] < t[i][1] or (t[i - 1][1] == t[i][1] and t[i - 1][2] < t[i][2])) end\n"
                                                  "collective('all_reduce', {ranks = 2})");
        QVERIFY2(script, script ? "" : script.error().text().c_str());
    }
};

FABRICSCOPE_TEST(ScriptTest)
#include "tst_script.moc"
