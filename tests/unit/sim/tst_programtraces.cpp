// Programs as Chakra graphs and back, and what ASTRA-sim's custom-collective path gets to see of them.
#include "tests/unit/support/canonical.h"
#include "core/base/index.h"
#include "core/program/programbuilder.h"
#include "core/programio/programtraces.h"
#include "core/trace/etfile.h"
#include "core/trace/etwriter.h"
#include "core/verify/carriedbytes.h"
#include "core/workload/customcollective.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::vector<ProgramTrace> tracesOf(const Program& program, std::int64_t bytes)
{
    auto traces = programTraces(program, bytes);
    if (!traces)
        qFatal("%s", traces.error().text().c_str());
    return std::move(traces).value();
}

/// As the reader of traces sees them.
TraceSet traceSet(const std::vector<ProgramTrace>& traces)
{
    std::vector<std::shared_ptr<const RankTrace>> ranks;
    for (const ProgramTrace& trace : traces) {
        auto read = readTraceBytes(etBytes(trace.metadata, trace.nodes));
        if (!read)
            qFatal("%s", read.error().text().c_str());
        ranks.push_back(std::make_shared<const RankTrace>(std::move(read).value()));
    }
    return TraceSet::fromRanks(std::move(ranks), "memory");
}

std::int64_t valueOf(const EtNode& node, const std::string& name)
{
    for (const EtAttribute& attribute : node.attributes) {
        if (attribute.name == name)
            return attribute.integers.at(0);
    }
    return -99;
}

} // namespace

class TestProgramTraces : public QObject {
    Q_OBJECT

private slots:
    void theCorpusComesBackAsItWas();
    void randomProgramsComeBackAsTheyWere();
    void theCorpusRunsAsACustomCollective();
    void everyStepHasItsNodes();
    void messagesThatMayOvertakeHaveTagsOfTheirOwn();
    void filesHoldTheSame();
    void sizesMayStayOpen();
    void whatGraphsCannotSayIsRefused();
    void brokenGraphsAreRefused();
};

void TestProgramTraces::theCorpusComesBackAsItWas()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        const auto again = programOfTraces(tracesOf(*program, 1 << 26), path);
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY2(canonicalDigest(*program) == canonicalDigest(*again.value()), path.c_str());
        // Not only in meaning: every column is as it was.
        QVERIFY2(program->digest() == again.value()->digest(), path.c_str());
        QCOMPARE(again.value()->name, program->name);
    }
}

void TestProgramTraces::randomProgramsComeBackAsTheyWere()
{
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 1000)) {
        const Program program = randomProgram(seed, 1 + static_cast<int>(seed % 6), 4, static_cast<int>(seed % 30), seed % 2 == 0);
        const auto again = programOfTraces(tracesOf(program, seed), "random");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(program.digest() == again.value()->digest());
    }
}

void TestProgramTraces::theCorpusRunsAsACustomCollective()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        if (program->asExplicit().size() > 3000)
            continue;
        const std::int64_t bytes = 1'000'003; // No multiple of any number of chunks.
        const auto graph = customProgramFromTraces(traceSet(tracesOf(*program, bytes)), program->op);
        QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
        // What every pair of ranks exchanges is what the program says.
        const OperationBytes sizes = carriedBytes(*program, bytes);
        const auto sent = [](const ExplicitBody& body, auto size) {
            std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> out;
            for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
                for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
                    if (body.kind[op] == OpKind::Send)
                        out[{rank, body.peer[op]}] += size(op);
                }
            }
            return out;
        };
        const ExplicitBody& body = graph.value()->asExplicit();
        QVERIFY(sent(body, [&](std::size_t op) { return body.bytesOf(op); }) == sent(program->asExplicit(), [&](std::size_t op) { return sizes.of(op); }));
        const auto& kinds = program->asExplicit().kind;
        QCOMPARE(std::count(body.kind.begin(), body.kind.end(), OpKind::Compute),
            std::count_if(kinds.begin(), kinds.end(), [](OpKind kind) { return kind == OpKind::ReceiveReduce || kind == OpKind::Copy || kind == OpKind::Reduce; }));
    }
}

void TestProgramTraces::everyStepHasItsNodes()
{
    // Rank 0 sends to 1; rank 1 adds, stores and passes on to 2 in one step (rrcs), then copies in another lane; rank 2 receives.
    ProgramBuilder builder(CollectiveOp::AllReduce, 3, 2);
    ProgramBuilder::How how;
    how.sendLane = how.receiveLane = 0;
    how.reduce = true;
    const auto first = builder.transfer({0, BufferKind::Input, 1}, {1, BufferKind::Input, 1}, 1, how);
    ProgramBuilder::Row forward;
    forward.rank = 1;
    forward.peer = 2;
    forward.lane = 0;
    forward.sourceBuffer = BufferKind::Fused;
    forward.fused = true;
    builder.add(forward);
    how.reduce = false;
    how.sendLane = 3;
    const auto copy = builder.local({1, BufferKind::Input, 1}, {1, BufferKind::Output, 1}, 1, how);
    builder.depend(copy, first.receive);
    ProgramBuilder::Row end;
    end.rank = 2;
    end.kind = OpKind::Receive;
    end.peer = 1;
    end.lane = 0;
    end.targetBuffer = BufferKind::Input;
    builder.add(end);
    const ProgramPtr program = builder.finish("a", "test");

    const auto traces = tracesOf(*program, 100);

    QCOMPARE(traces.at(0).nodes.size(), std::size_t{1});
    QCOMPARE(valueOf(traces[0].nodes[0], "comm_dst"), std::int64_t{1});
    QCOMPARE(valueOf(traces[0].nodes[0], "comm_size"), std::int64_t{50});
    const auto& middle = traces.at(1).nodes;
    QCOMPARE(middle.size(), std::size_t{4}); // RECV, COMP, SEND; COMP.
    QCOMPARE(middle[0].type, static_cast<std::int32_t>(EtNodeType::Receive));
    QCOMPARE(middle[1].type, static_cast<std::int32_t>(EtNodeType::Comp));
    QCOMPARE(middle[2].type, static_cast<std::int32_t>(EtNodeType::Send));
    QCOMPARE(middle[3].type, static_cast<std::int32_t>(EtNodeType::Comp));
    QCOMPARE(middle[1].dataDeps, (std::vector<std::uint64_t>{0}));
    QCOMPARE(middle[2].dataDeps, (std::vector<std::uint64_t>{1}));
    QCOMPARE(valueOf(middle[2], "is_fused"), std::int64_t{1});
    QCOMPARE(middle[3].dataDeps, (std::vector<std::uint64_t>{1})); // The sum is stored with the COMP.
    QVERIFY(middle[3].ctrlDeps.empty());
    QCOMPARE(valueOf(middle[0], "is_rrc"), std::int64_t{1});
    QCOMPARE(programOfTraces(traces, "a").value()->digest(), program->digest());
}

void TestProgramTraces::messagesThatMayOvertakeHaveTagsOfTheirOwn()
{
    const auto make = [](int lane) {
        ProgramBuilder builder(CollectiveOp::Custom, 2, 4);
        ProgramBuilder::How how;
        how.connection = 3;
        how.sendLane = how.receiveLane = lane;
        for (int i = 0; i < 4; ++i)
            builder.transfer({0, BufferKind::Input, i}, {1, BufferKind::Output, i}, 1, how);
        return builder.finish("a", "test");
    };
    // In one lane the order is that of the lane; without lanes message k of 4 on channel 3 has tag 3 * 4 + k.
    const auto tags = [](const std::vector<ProgramTrace>& traces, std::size_t rank) {
        std::vector<std::int64_t> out;
        for (const EtNode& node : traces.at(rank).nodes)
            out.push_back(valueOf(node, "comm_tag"));
        return out;
    };
    QCOMPARE(tags(tracesOf(*make(0), 64), 0), (std::vector<std::int64_t>{3, 3, 3, 3}));
    QCOMPARE(tags(tracesOf(*make(-1), 64), 0), (std::vector<std::int64_t>{12, 13, 14, 15}));
    QCOMPARE(tags(tracesOf(*make(-1), 64), 1), (std::vector<std::int64_t>{12, 13, 14, 15}));
    QCOMPARE(programOfTraces(tracesOf(*make(-1), 64), "a").value()->digest(), make(-1)->digest());
    const auto lanes = tracesOf(*make(0), 64);
    QCOMPARE(lanes[0].nodes[1].ctrlDeps, (std::vector<std::uint64_t>{0}));
    QVERIFY(lanes[0].nodes[1].dataDeps.empty());
}

void TestProgramTraces::filesHoldTheSame()
{
    QTemporaryDir folder;
    const std::string prefix = folder.filePath("graph").toStdString();
    const Program program = randomProgram(77, 4, 5, 40, true);
    QVERIFY(writeProgramTraces(program, prefix, 12345));
    const auto again = readGraphProgram(prefix);
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(program.digest() == again.value()->digest());
    // The same files as the graph that ASTRA-sim would run.
    const auto graph = readCustomProgram(prefix, 0, CollectiveOp::AllReduce);
    QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
    QVERIFY(!graph.value()->asExplicit().hasPlaces());
    QVERIFY(!writeProgramTraces(program, "/nonexistent/folder/graph", 1));
}

void TestProgramTraces::sizesMayStayOpen()
{
    const Program program = randomProgram(5, 3, 6, 20, true);
    const auto graph = customProgramFromTraces(traceSet(tracesOf(program, -1)));
    QVERIFY2(graph, graph ? "" : graph.error().text().c_str());
    QCOMPARE(graph.value()->chunks, 6);
    QCOMPARE(graph.value()->asExplicit().bytes.at(0) < 0 || graph.value()->asExplicit().kind.at(0) == OpKind::Compute, true);
    QVERIFY(programOfTraces(tracesOf(program, -1), "a").value()->digest() == program.digest());
}

void TestProgramTraces::whatGraphsCannotSayIsRefused()
{
    Program program = randomProgram(5, 3, 6, 20, true);
    Program other = program;
    std::get<1>(other.body).kind[0] = OpKind::Put;
    QVERIFY(!programTraces(other, 1));
    other = program;
    other.body = TemplateBody{{3}, {}, {}, {}, {}};
    QVERIFY(!programTraces(other, 1));
    other = program;
    std::get<1>(other.body).connection.assign(program.asExplicit().size(), 500'000'000);
    QVERIFY(!programTraces(other, 1));
}

void TestProgramTraces::brokenGraphsAreRefused()
{
    const auto sound = tracesOf(randomProgram(9, 3, 4, 20, true), 64);
    QVERIFY(programOfTraces(sound, "a"));
    const auto refused = [&](auto change) {
        auto traces = sound;
        change(traces);
        return !programOfTraces(traces, "a");
    };
    const auto attribute = [](EtNode& node, const char* name) -> EtAttribute& {
        return *std::find_if(node.attributes.begin(), node.attributes.end(), [&](const EtAttribute& found) { return found.name == name; });
    };
    QVERIFY(refused([](auto& t) { t.pop_back(); }));
    QVERIFY(refused([](auto& t) { t.clear(); }));
    QVERIFY(refused([](auto& t) { t[1].metadata.attributes.clear(); }));
    QVERIFY(refused([](auto& t) { t[1].metadata.attributes.back().strings[0] = "{}"; }));
    QVERIFY(refused([&](auto& t) { attribute(t[0].nodes[0], "op").strings[0] = "put"; }));
    QVERIFY(refused([&](auto& t) { attribute(t[0].nodes[0], "tb_id").integers[0] = -2; }));
    QVERIFY(refused([&](auto& t) { attribute(t[0].nodes[0], "msg_chunk_cnt").integers[0] = -1; }));
    QVERIFY(refused([&](auto& t) { attribute(t[0].nodes[0], "chunk_offset").name = "op2", attribute(t[0].nodes[0], "op").name = "x"; }));
    QVERIFY(refused([](auto& t) { t[0].nodes[1].dataDeps.push_back(12345); }));
    QVERIFY(refused([](auto& t) { t[0].nodes[1].id = t[0].nodes[0].id; }));
}

FABRICSCOPE_TEST(TestProgramTraces)
#include "tst_programtraces.moc"
