// MSCCL XML as programs: every step type and rule by hand-written files, the corpus against the counts of its README.
#include "core/programio/mscclxml.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <fstream>
#include <map>
#include <sstream>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// An algorithm of two ranks; rank 1 mirrors what the test needs.
std::string algo(const std::string& gpus, const std::string& root = R"(nchannels="1" nchunksperloop="4" ngpus="2" coll="allreduce")")
{
    return "<algo name=\"a\" proto=\"Simple\" inplace=\"1\" " + root + ">\n" + gpus + "</algo>\n";
}

std::string gpu(int id, const std::string& tbs, int scratch = 4)
{
    return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"4\" o_chunks=\"4\" s_chunks=\"" + std::to_string(scratch) + "\">\n" + tbs + "</gpu>\n";
}

std::string tb(int id, int send, int recv, const std::string& steps, int chan = 0)
{
    return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" + std::to_string(recv) + "\" chan=\"" + std::to_string(chan) + "\">\n" + steps + "</tb>\n";
}

std::string step(int s, const std::string& type, const std::string& operands = R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="2" cnt="1")", int depid = -1, int deps = -1, int hasdep = 0)
{
    return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" " + operands + " depid=\"" + std::to_string(depid) + "\" deps=\"" + std::to_string(deps) + "\" hasdep=\""
        + std::to_string(hasdep) + "\"/>\n";
}

MscclFile parsed(const std::string& text)
{
    auto file = parseMsccl(text, "a.xml");
    if (!file)
        qFatal("%s", file.error().text().c_str());
    return std::move(file).value();
}

/// "V3:error V5:warning", notes left out.
std::string rules(const MscclFile& file)
{
    std::string out;
    for (const Diagnostic& found : file.findings) {
        if (found.severity != Severity::Note)
            out += (out.empty() ? "" : " ") + found.rule + (found.severity == Severity::Error ? ":error" : ":warning");
    }
    return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the text has no \"%s\"", from.c_str());
    return text.replace(at, from.size(), to);
}

/// Everything sound: rank 0 sends, rank 1 receives.
std::string sound()
{
    return algo(gpu(0, tb(0, 1, -1, step(0, "s"))) + gpu(1, tb(0, -1, 0, step(0, "r"))));
}

struct Wanted {
    OpKind kind;
    int peer;
    BufferKind source;
    int sourceOffset;
    BufferKind target;
    int targetOffset;
    bool fused;
};

} // namespace

class TestMscclXml : public QObject {
    Q_OBJECT

private slots:
    void aStepBecomesItsOperations_data();
    void aStepBecomesItsOperations();
    void theHeaderIsKept();
    void operationsKnowTheirLaneStepAndLine();
    void nopsHandTheirDependenciesOn();
    void aFusedStepIsWaitedForAtItsMemoryOperation();
    void aWaitEndsAtTheNextRaisedFlag();
    void chunksAreThoseOfTheLargeSide();
    void numbersFollowTheRulesOfC();
    void aBrokenRuleIsFound_data();
    void aBrokenRuleIsFound();
    void findingsNameLineRankAndLane();
    void whatIsNoAlgorithmIsAnError();
    void customCollectivesAreGuessedFromTheirNames();
    void absurdSizesLeaveNoProgram();
    void manyFindingsAreCounted();
    void theCorpusHasWhatItsReadmeSays();
};

void TestMscclXml::aStepBecomesItsOperations_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<std::vector<Wanted>>("wanted");
    using enum BufferKind;
    // All with source i[1], target o[2], sending to rank 1 and receiving from rank 2 (manual: formats 4.5).
    QTest::newRow("s") << "s" << std::vector<Wanted>{{OpKind::Send, 1, Input, 1, None, 0, false}};
    QTest::newRow("r") << "r" << std::vector<Wanted>{{OpKind::Receive, 2, None, 0, Output, 2, false}};
    QTest::newRow("rcs") << "rcs" << std::vector<Wanted>{{OpKind::Receive, 2, None, 0, Output, 2, false}, {OpKind::Send, 1, Fused, 0, None, 0, true}};
    QTest::newRow("rrc") << "rrc" << std::vector<Wanted>{{OpKind::ReceiveReduce, 2, Input, 1, Output, 2, false}};
    QTest::newRow("rrcs") << "rrcs" << std::vector<Wanted>{{OpKind::ReceiveReduce, 2, Input, 1, Output, 2, false}, {OpKind::Send, 1, Fused, 0, None, 0, true}};
    QTest::newRow("rrs") << "rrs" << std::vector<Wanted>{{OpKind::ReceiveReduce, 2, Input, 1, None, 0, false}, {OpKind::Send, 1, Fused, 0, None, 0, true}};
    QTest::newRow("cpy") << "cpy" << std::vector<Wanted>{{OpKind::Copy, -1, Input, 1, Output, 2, false}};
    QTest::newRow("re") << "re" << std::vector<Wanted>{{OpKind::Reduce, -1, Input, 1, Output, 2, false}};
    QTest::newRow("nop") << "nop" << std::vector<Wanted>{};
}

void TestMscclXml::aStepBecomesItsOperations()
{
    QFETCH(QString, type);
    QFETCH(std::vector<Wanted>, wanted);

    const MscclFile file = parsed(algo(gpu(0, tb(0, 1, 2, step(0, type.toStdString()))) + gpu(1, "") + gpu(2, ""), R"(nchannels="1" nchunksperloop="4" ngpus="3" coll="allreduce")"));

    QVERIFY(file.program);
    QVERIFY(file.valid());
    const ExplicitBody& body = file.program->asExplicit();
    QCOMPARE(body.size(), static_cast<std::uint32_t>(wanted.size()));
    QCOMPARE(body.rankBegin, (std::vector<std::uint32_t>{0, body.size(), body.size(), body.size()}));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(body.kind[i], wanted[i].kind);
        QCOMPARE(body.peer[i], wanted[i].peer);
        QCOMPARE(body.sourceBuffer[i], wanted[i].source);
        QCOMPARE(body.sourceOffset[i], wanted[i].sourceOffset);
        QCOMPARE(body.targetBuffer[i], wanted[i].target);
        QCOMPARE(body.targetOffset[i], wanted[i].targetOffset);
        QCOMPARE(body.isFused(i), wanted[i].fused);
        QCOMPARE(body.count[i], 1);
    }
}

void TestMscclXml::theHeaderIsKept()
{
    const std::string text = R"(<algo name="two words" proto="LL128" nchannels="1" nchunksperloop="6" ngpus="3" coll="reduce_scatter" inplace="0" outofplace="1" minBytes="4096" maxBytes="0x10000">)"
        + gpu(0, tb(0, 1, -1, step(0, "s")), 5) + gpu(2, "") + gpu(1, "") + "</algo>";
    const MscclFile file = parsed(text);

    QVERIFY(file.program);
    const Program& program = *file.program;
    QCOMPARE(program.op, CollectiveOp::ReduceScatter);
    QCOMPARE(program.ranks, 3);
    QCOMPARE(program.chunks, 6);
    QCOMPARE(program.protocol, WireProtocol::LL128);
    QCOMPARE(program.inPlace, false);
    QCOMPARE(program.outOfPlace, true);
    QCOMPARE(program.minBytes, std::int64_t{4096});
    QCOMPARE(program.maxBytes, std::int64_t{65536});
    QCOMPARE(program.name, std::string("two words"));
    QCOMPARE(program.provenance, std::string("a.xml"));
    const std::vector<BufferSizes> buffers{{6, 2, 5}, {6, 2, 4}, {6, 2, 4}};
    QCOMPARE(program.asExplicit().buffers, buffers);
    // Absent, outofplace is the contrary of inplace; the runtime's own spelling is the same collective.
    const MscclFile other = parsed(replaced(replaced(text, "outofplace=\"1\" ", ""), "reduce_scatter", "reducescatter"));
    QCOMPARE(other.program->outOfPlace, true);
    QCOMPARE(other.program->op, CollectiveOp::ReduceScatter);
    QCOMPARE(parsed(sound()).program->outOfPlace, false);
}

void TestMscclXml::operationsKnowTheirLaneStepAndLine()
{
    // Thread block 1 stands before 0 in the file; comments and other elements do not count.
    const MscclFile file = parsed(algo(gpu(0, tb(1, 1, -1, "<!-- a -->\n" + step(0, "s"), 3) + tb(0, -1, 1, step(0, "nop", R"(srcbuf="i" srcoff="-1" dstbuf="i" dstoff="-1" cnt="0")", 1, 0)
        + step(1, "r"), 2)) + gpu(1, "<other><tb/></other>\n"), R"(nchannels="4" nchunksperloop="4" ngpus="2" coll="allreduce")"));

    QVERIFY(file.program);
    const ExplicitBody& body = file.program->asExplicit();
    QCOMPARE(body.lane, (std::vector<std::int32_t>{0, 1}));
    QCOMPARE(body.connection, (std::vector<std::int32_t>{2, 3}));
    QCOMPARE(body.step, (std::vector<std::int32_t>{1, 0}));
    QCOMPARE(body.sourceId, (std::vector<std::uint64_t>{9, 5}));
}

void TestMscclXml::nopsHandTheirDependenciesOn()
{
    const std::string nothing = R"(srcbuf="i" srcoff="-1" dstbuf="i" dstoff="-1" cnt="0")";
    const std::string operands = R"(srcbuf="i" srcoff="1" dstbuf="i" dstoff="2" cnt="1")";
    const MscclFile file = parsed(algo(gpu(0, tb(0, -1, -1, step(0, "cpy", operands, -1, -1, 1) + step(1, "cpy", operands, -1, -1, 1)) + tb(1, -1, -1, step(0, "cpy", operands, -1, -1, 1))
        + tb(2, -1, -1, step(0, "nop", nothing, 0, 1) + step(1, "nop", nothing, 1, 0) + step(2, "re", operands, 0, 0) + step(3, "re", operands))) + gpu(1, "")));

    QCOMPARE(rules(file), std::string());
    const ExplicitBody& body = file.program->asExplicit();
    QCOMPARE(body.dependBegin, (std::vector<std::uint32_t>{0, 0, 0, 0, 3, 3}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{0, 1, 2}));
    QCOMPARE(body.step, (std::vector<std::int32_t>{0, 1, 0, 2, 3}));
}

void TestMscclXml::aFusedStepIsWaitedForAtItsMemoryOperation()
{
    const MscclFile file = parsed(algo(gpu(0, tb(0, 1, 2, step(0, "rcs", R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="2" cnt="1")", 1, 0, 1)) + tb(1, -1, 1, step(0, "rrc",
        R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="2" cnt="1")", -1, -1, 1)) + tb(2, 2, -1, step(0, "s", R"(srcbuf="o" srcoff="2" dstbuf="o" dstoff="2" cnt="1")", 0, 0))) + gpu(1, "") + gpu(2, ""),
        R"(nchannels="1" nchunksperloop="4" ngpus="3" coll="allreduce")"));

    QVERIFY(file.valid());
    const ExplicitBody& body = file.program->asExplicit();
    // 0: receive, 1: its fused send, 2: receive-reduce, 3: send. The receive waits for 2, the send for 0.
    QCOMPARE(body.dependBegin, (std::vector<std::uint32_t>{0, 1, 1, 1, 2}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{2, 0}));
}

void TestMscclXml::aWaitEndsAtTheNextRaisedFlag()
{
    const std::string operands = R"(srcbuf="i" srcoff="1" dstbuf="i" dstoff="2" cnt="1")";
    const auto file = [&](int first, int second) {
        return parsed(algo(gpu(0, tb(0, -1, -1, step(0, "cpy", operands, -1, -1, first) + step(1, "cpy", operands, -1, -1, second)) + tb(1, -1, -1, step(0, "cpy", operands, 0, 0))) + gpu(1, "")));
    };

    QCOMPARE(rules(file(1, 0)), std::string());
    QCOMPARE(file(1, 0).program->asExplicit().depends, (std::vector<std::uint32_t>{0}));
    QCOMPARE(rules(file(0, 1)), std::string("V10:warning"));
    QCOMPARE(file(0, 1).program->asExplicit().depends, (std::vector<std::uint32_t>{1}));
    QCOMPARE(rules(file(0, 0)), std::string("V10:error"));
    QCOMPARE(file(0, 0).program->asExplicit().depends, (std::vector<std::uint32_t>{0}));
}

void TestMscclXml::chunksAreThoseOfTheLargeSide()
{
    // All-gather of 3 ranks with 2 chunks each: input k of rank 1 is chunk 2 + k, output k is chunk k, scratch counts modulo 6.
    const auto chunk = [](const std::string& coll, const std::string& type, const std::string& operands) {
        const MscclFile file = parsed(algo(gpu(0, "") + gpu(1, tb(0, 2, 0, step(0, type, operands))) + gpu(2, ""), "nchannels=\"1\" nchunksperloop=\"6\" ngpus=\"3\" coll=\"" + coll + '"'));
        return file.program->asExplicit().chunk.at(0);
    };

    QCOMPARE(chunk("allgather", "s", R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="0" cnt="1")"), 3);
    QCOMPARE(chunk("allgather", "r", R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="5" cnt="1")"), 5);
    QCOMPARE(chunk("allgather", "rcs", R"(srcbuf="i" srcoff="1" dstbuf="o" dstoff="4" cnt="1")"), 4);
    QCOMPARE(chunk("allgather", "s", R"(srcbuf="s" srcoff="8" dstbuf="o" dstoff="0" cnt="1")"), 2);
    QCOMPARE(chunk("reducescatter", "rrc", R"(srcbuf="i" srcoff="3" dstbuf="o" dstoff="1" cnt="1")"), 3);
    QCOMPARE(chunk("reducescatter", "r", R"(srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1")"), 3);
    QCOMPARE(chunk("alltoall", "r", R"(srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1")"), 1);
}

void TestMscclXml::numbersFollowTheRulesOfC()
{
    const std::string text = algo(gpu(0, tb(0, 1, -1, step(0, "s", R"(srcbuf="i" srcoff="0x3" dstbuf="o" dstoff=" +03" cnt="01")"))) + gpu(1, tb(0, -1, 0, step(0, "r"))));
    const MscclFile file = parsed(text);
    QCOMPARE(rules(file), std::string());
    QCOMPARE(file.program->asExplicit().sourceOffset.at(0), 3);
    for (const char* wrong : {"0x", "", "3a", "08", "99999999999999999999", "- 1", "1.0"})
        QCOMPARE(rules(parsed(replaced(text, "0x3", wrong))), std::string("V1:error"));
}

void TestMscclXml::aBrokenRuleIsFound_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<bool>("program");
    const auto row = [](const char* name, const char* from, const char* to, const char* wanted, bool program) { QTest::newRow(name) << from << to << wanted << program; };
    row("sound", "name=\"a\"", "name=\"b\"", "", true);
    row("V1: no protocol", "proto=\"Simple\"", "", "V1:error", false);
    row("V1: another protocol", "\"Simple\"", "\"simple\"", "V1:error", false);
    row("V1: no rank", "ngpus=\"2\"", "ngpus=\"0\"", "V1:error V4:error V4:error V2:error", false);
    row("V1: no chunk", "nchunksperloop=\"4\"", "nchunksperloop=\"0\"", "V1:error", false);
    row("V1: a number with letters", "nchunksperloop=\"4\"", "nchunksperloop=\"4x\"", "V1:error", false);
    row("V1: no in-place flag", "inplace=\"1\"", "", "V1:error", false);
    row("V1: for no use", "inplace=\"1\"", "inplace=\"0\" outofplace=\"0\"", "V1:warning", true);
    row("V1: a step type", "type=\"s\"", "type=\"send\"", "V1:error", false);
    row("V1: a buffer", "srcbuf=\"i\"", "srcbuf=\"x\"", "V1:error", false);
    row("V1: an attribute of a step", "cnt=\"1\"", "", "V1:error", false);
    row("V2: twice", "gpu id=\"1\"", "gpu id=\"0\"", "V4:error V2:error V2:error", false);
    row("V2: missing", "ngpus=\"2\"", "ngpus=\"3\"", "V2:error", false);
    row("V2: one too many", "gpu id=\"1\"", "gpu id=\"2\"", "V2:error V2:error", false);
    row("V3: gap", "tb id=\"0\"", "tb id=\"1\"", "V3:error", true);
    row("V3: position", "step s=\"0\"", "step s=\"1\"", "V3:error", true);
    row("V4: no such rank", "send=\"1\"", "send=\"2\"", "V4:error V4:error", false);
    row("V4: own rank", "send=\"1\"", "send=\"0\"", "V4:error", false);
    row("V4: a send without a peer", "send=\"1\"", "send=\"-1\"", "V4:error", false);
    row("V4: a receive without a peer", "type=\"s\"", "type=\"r\"", "V4:error", false);
    row("V5: no such channel", "chan=\"0\"", "chan=\"1\"", "V5:error", true);
    row("V5: more channels than used", "nchannels=\"1\"", "nchannels=\"2\"", "V5:warning", true);
    row("V8: before the buffer", "srcoff=\"1\"", "srcoff=\"-1\"", "V8:error", false);
    row("V8: no chunk", "cnt=\"1\"", "cnt=\"0\"", "V8:error", false);
    row("V9: more than declared", "i_chunks=\"4\"", "i_chunks=\"1\"", "V9:warning", true);
    row("V10: half a dependency", "depid=\"-1\"", "depid=\"0\"", "V10:error", true);
    row("V10: own thread block", "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\"", "V10:error", true);
    row("V10: no such thread block", "depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"", "V10:error", true);
    row("V17: a collective", "\"allreduce\"", "\"sort\"", "V17:error", true);
    row("V18: shares", "nchunksperloop=\"4\" ngpus=\"2\" coll=\"allreduce\"", "nchunksperloop=\"3\" ngpus=\"2\" coll=\"alltoall\"", "V18:error", false);
    row("unused sides are information", "dstbuf=\"o\" dstoff=\"2\"", "dstbuf=\"?\" dstoff=\"-77\"", "", true);
}

void TestMscclXml::aBrokenRuleIsFound()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, wanted);
    QFETCH(bool, program);

    const MscclFile file = parsed(replaced(sound(), from.toStdString(), to.toStdString()));

    QCOMPARE(QString::fromStdString(rules(file)), wanted);
    QCOMPARE(file.program != nullptr, program);
    QCOMPARE(file.valid(), !wanted.contains("error"));
}

void TestMscclXml::findingsNameLineRankAndLane()
{
    const MscclFile file = parsed(algo(gpu(0, tb(0, 1, -1, step(0, "s"))) + gpu(1, tb(0, -1, 0, step(0, "r")) + tb(1, -1, -1, step(0, "nop") + step(1, "cpy")))));

    // The nop has no dependency, and neither has the step behind it (V11, twice).
    QCOMPARE(rules(file), std::string("V11:warning V11:warning"));
    QCOMPARE(file.findings.at(0).place.text(), std::string("a.xml:12, rank 1, tb 1, step 0"));
    QCOMPARE(file.findings.at(1).place.text(), std::string("a.xml:13, rank 1, tb 1, step 1"));
}

void TestMscclXml::whatIsNoAlgorithmIsAnError()
{
    for (const char* text : {"", "hello", "<algo", "<algo><gpu></algo>", "<system/>", "<?xml version=\"1.0\"?>", "{}"}) {
        const auto file = parseMsccl(text, "a.xml");
        QVERIFY2(!file, text);
        QCOMPARE(file.error().place.file, std::string("a.xml"));
    }
    QVERIFY(!readMsccl("/nonexistent/a.xml"));
    // Broken inside, but an algorithm: findings.
    QVERIFY(!parsed("<algo/>").program);
    QVERIFY(!parsed("<algo/>").valid());
}

void TestMscclXml::customCollectivesAreGuessedFromTheirNames()
{
    const std::string custom = R"(nchannels="1" nchunksperloop="4" ngpus="2" coll="custom")";
    const std::string text = algo(gpu(0, tb(0, 1, -1, step(0, "s"))) + gpu(1, tb(0, -1, 0, step(0, "r"))), custom);

    const MscclFile unknown = parsed(text);
    QVERIFY(!unknown.program->conditions);
    QCOMPARE(unknown.findings.at(0).rule, std::string("V17"));
    const MscclFile forward = parsed(replaced(text, "\"a\"", "\"alltonext-forward\""));
    QCOMPARE(*forward.program->conditions, allToNext(2, 4, true));
    QVERIFY(forward.findings.at(0).message.find("guessed") != std::string::npos);
    const MscclFile backward = parsed(replaced(text, "\"a\"", "\"alltonext-backwards\""));
    QCOMPARE(*backward.program->conditions, allToNext(2, 4, false));
}

void TestMscclXml::absurdSizesLeaveNoProgram()
{
    for (const auto& [from, to] : std::map<std::string, std::string>{{"ngpus=\"2\"", "ngpus=\"1000000\""}, {"ngpus=\"2\"", "ngpus=\"9223372036854775807\""},
             {"nchunksperloop=\"4\"", "nchunksperloop=\"2000000000\""}, {"s_chunks=\"4\"", "s_chunks=\"2000000000\""}, {"nchannels=\"1\"", "nchannels=\"2000000000\""},
             {"tb id=\"0\"", "tb id=\"2000000000\""}, {"cnt=\"1\"", "cnt=\"2000000000\""}, {"srcoff=\"1\"", "srcoff=\"2000000000\""}}) {
        const MscclFile file = parsed(replaced(sound(), from, to));
        QVERIFY2(!file.program, to.c_str());
        QVERIFY(!file.valid());
    }
}

void TestMscclXml::manyFindingsAreCounted()
{
    std::string steps;
    for (int i = 0; i < 300; ++i)
        steps += step(i + 1, "s");
    const MscclFile file = parsed(algo(gpu(0, tb(0, 1, -1, steps)) + gpu(1, "")));
    QCOMPARE(file.findings.size(), std::size_t{101});
    QCOMPARE(file.findings.back().message, std::string("and 200 more of this kind"));
}

void TestMscclXml::theCorpusHasWhatItsReadmeSays()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    // Rows "| file | origin | coll | ranks | chunks | channels | tbs | steps | proto | place | ...".
    std::ifstream readme(shared + "/corpus/msccl_xml/README.md");
    int rows = 0;
    for (std::string line; std::getline(readme, line);) {
        std::vector<std::string> cells;
        std::stringstream parts(line);
        for (std::string cell; std::getline(parts, cell, '|');)
            cells.push_back(cell.substr(std::min<std::size_t>(cell.size(), 1), cell.size() > 1 ? cell.size() - 2 : 0));
        if (cells.size() < 11 || !cells[1].ends_with(".xml"))
            continue;
        ++rows;
        const std::string path = shared + "/corpus/msccl_xml/" + cells[1];
        auto read = readMsccl(path);
        QVERIFY2(read, cells[1].c_str());
        const MscclFile& file = read.value();
        QVERIFY2(file.valid() && file.program, cells[1].c_str());
        QCOMPARE(rules(file), std::string());
        const Program& program = *file.program;
        const ExplicitBody& body = program.asExplicit();
        QCOMPARE(program.ranks, std::stoi(cells[4]));
        QCOMPARE(program.chunks, std::stoi(cells[5]));
        QCOMPARE(*std::max_element(body.connection.begin(), body.connection.end()) + 1, std::stoi(cells[6]));
        QVERIFY(*std::max_element(body.lane.begin(), body.lane.end()) < std::stoi(cells[7]));
        // Steps of the text: operations without the second halves of fused ones, and nops.
        const std::string text = *[&] {
            std::ifstream in(path, std::ios::binary);
            return std::make_shared<std::string>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }();
        int steps = 0;
        int nops = 0;
        for (std::size_t at = text.find("<step "); at != std::string::npos; at = text.find("<step ", at + 1))
            ++steps;
        for (std::size_t at = text.find("type=\"nop\""); at != std::string::npos; at = text.find("type=\"nop\"", at + 1))
            ++nops;
        QCOMPARE(steps, std::stoi(cells[8]));
        QCOMPARE(static_cast<int>(body.size()) - static_cast<int>(std::count(body.fused.begin(), body.fused.end(), 1)), steps - nops);
        QCOMPARE(QString::fromUtf8(wireProtocolKey(program.protocol).data()).toUpper(), QString::fromStdString(cells[9]).toUpper());
        QCOMPARE(program.inPlace, cells[10].find("in") != std::string::npos);
        QCOMPARE(program.outOfPlace, cells[10].find("out") != std::string::npos);
        // Lines: the line a step came from says so.
        std::vector<std::string> lines;
        std::stringstream all(text);
        for (std::string one; std::getline(all, one);)
            lines.push_back(one);
        for (std::size_t op = 0; op < body.size(); ++op)
            QVERIFY(lines.at(static_cast<std::size_t>(body.sourceId[op]) - 1).find(" s=\"" + std::to_string(body.step[op]) + '"') != std::string::npos);
        QCOMPARE(program.conditions != nullptr, program.op == CollectiveOp::Custom);
    }
    QVERIFY(rows >= 31);
}

FABRICSCOPE_TEST(TestMscclXml)
#include "tst_mscclxml.moc"
