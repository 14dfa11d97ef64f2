// Programs as MSCCL XML: the corpus and random programs come back as they were, lanes given by us end with the slots of the protocol, and what the
// format cannot say is refused. Values are followed by the executor of tests/unit/support/oracles/programrun.h.
#include "tests/unit/support/canonical.h"
#include "core/program/programbuilder.h"
#include "core/programio/lanes.h"
#include "core/programio/mscclwriter.h"
#include "core/scenario/programruns.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ProgramPtr shared(Program program)
{
    return std::make_shared<const Program>(std::move(program));
}

ProgramPtr readBack(const std::string& text)
{
    auto file = parseMsccl(text, "written");
    if (!file || !file.value().program)
        qFatal("not readable: %s", file ? file.value().findings.at(0).text().c_str() : file.error().text().c_str());
    for (const Diagnostic& found : file.value().findings) {
        if (found.severity != Severity::Note)
            qFatal("%s", found.text().c_str());
    }
    return file.value().program;
}

/// Ring all-reduce of n ranks and n chunks, as its textbook says, without lanes.
ProgramPtr ring(int ranks)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, ranks, ranks);
    builder.header().outOfPlace = false;
    ProgramBuilder::How how;
    for (int step = 0; step < 2 * (ranks - 1); ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            const int chunk = ((rank - step) % ranks + 2 * ranks) % ranks;
            how.step = step;
            how.reduce = step < ranks - 1;
            builder.transfer({rank, BufferKind::Input, chunk}, {(rank + 1) % ranks, BufferKind::Input, chunk}, 1, how);
        }
    }
    builder.inferDependencies();
    return builder.finish("ring", "test");
}

} // namespace

class TestMscclXmlWrite : public QObject {
    Q_OBJECT

private slots:
    void theCorpusComesBackAsItWas();
    void theCorpusStillMeetsItsContracts();
    void randomProgramsWithLanesComeBackAsTheyWere();
    void randomProgramsGetLanesThatEnd();
    void programsOfOtherOrdersAreTheSame();
    void everyChangeIsAnotherProgram();
    void ringsGetOneLaneForEachSide();
    void exchangesThatMustSendFirstGetLanes();
    void receivesAndSendsAreFused();
    void sumsThatNobodySeesAreOnlySentOn();
    void instancesLieSideBySide();
    void dependenciesThatFollowAreLeftOut();
    void furtherDependenciesBecomeNops();
    void whatTheFormatCannotSayIsRefused();
    void illegalLanesAreNamed();
    void slotsAreCounted();
    void namesAreEscaped();
};

void TestMscclXmlWrite::theCorpusComesBackAsItWas()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    int warned = 0;
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        QVERIFY2(!laneFault(*program), path.c_str());
        const auto written = writeMsccl(program);
        QVERIFY2(written, path.c_str());
        for (const Diagnostic& found : written.value().notes)
            warned += found.rule == "V13" ? 1 : 0;
        const ProgramPtr again = readBack(written.value().text);
        QVERIFY2(canonicalDigest(*program) == canonicalDigest(*again), path.c_str());
        // What is written of what was written is the same text.
        QVERIFY2(writeMsccl(again).value().text == written.value().text, path.c_str());
    }
    // The README of the corpus: all but the 4 x 4 torus (4 slots, Simple has 2).
    QCOMPARE(warned, 1);
}

void TestMscclXmlWrite::theCorpusStillMeetsItsContracts()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        if (program->asExplicit().size() > 3000 || program->op == CollectiveOp::Custom)
            continue;
        const ProgramPtr again = readBack(writeMsccl(program).value().text);
        for (const bool inPlace : {true, false}) {
            if (!(inPlace ? program->inPlace : program->outOfPlace))
                continue;
            const ProgramRun run = runProgram(*again, 11, inPlace);
            QVERIFY2(run.finished && run.fault.empty(), path.c_str());
            QVERIFY2(meetsContract(*again, run.memory, inPlace), path.c_str());
        }
    }
}

void TestMscclXmlWrite::randomProgramsWithLanesComeBackAsTheyWere()
{
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 2000)) {
        const ProgramPtr program = shared(randomProgram(seed, 1 + static_cast<int>(seed % 5), 2 + static_cast<int>(seed % 3), 5 + static_cast<int>(seed % 25), true));
        const auto fault = laneFault(*program);
        QVERIFY2(!fault, fault ? fault->text().c_str() : "");
        const auto written = writeMsccl(program);
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QVERIFY(canonicalDigest(*program) == canonicalDigest(*readBack(written.value().text)));
    }
}

void TestMscclXmlWrite::randomProgramsGetLanesThatEnd()
{
    int refused = 0;
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 1000)) {
        const ProgramPtr program = shared(randomProgram(seed, 2 + static_cast<int>(seed % 5), 3, 5 + static_cast<int>(seed % 30), false));
        const auto placed = assignLanes(program);
        if (!placed) {
            ++refused;
            continue;
        }
        QVERIFY(!laneFault(*placed.value()));
        QVERIFY(lanesFinish(*placed.value(), 2));
        const ProgramRun wanted = runProgram(*program, 1, false);
        QVERIFY(wanted.finished && wanted.fault.empty());
        for (std::uint32_t order = 0; order < 3; ++order) {
            const ProgramRun run = runProgram(*placed.value(), order, false, 2);
            QVERIFY(run.finished);
            QCOMPARE(run.fault, std::string());
            QVERIFY(run.memory == wanted.memory);
        }
        QVERIFY(canonicalDigest(*placed.value()) == canonicalDigest(*readBack(writeMsccl(program).value().text)));
    }
    // Messages of one connection that a program sends in one order and needs in another have no lanes; few random programs do.
    QVERIFY2(refused < cases(100), std::to_string(refused).c_str());
}

void TestMscclXmlWrite::programsOfOtherOrdersAreTheSame()
{
    // Two lanes per rank that are written in other orders and numbers.
    const auto make = [](bool swapped, int offset, const char* name) {
        ProgramBuilder builder(CollectiveOp::AllGather, 2, 4);
        for (int half = 0; half < 2; ++half) {
            const int i = swapped ? 1 - half : half;
            for (int rank = 0; rank < 2; ++rank) {
                ProgramBuilder::How how;
                how.connection = i;
                how.sendLane = offset + i;
                how.receiveLane = offset + 2 + i;
                how.step = half + offset;
                how.sourceId = static_cast<std::uint64_t>(half);
                builder.transfer({rank, BufferKind::Output, rank * 2 + i}, {1 - rank, BufferKind::Output, rank * 2 + i}, 1, how);
            }
        }
        return builder.finish(name, name);
    };
    QVERIFY(canonicalDigest(*make(false, 0, "a")) == canonicalDigest(*make(true, 7, "b")));
    QVERIFY(make(false, 0, "a")->digest() != make(true, 7, "b")->digest());
}

void TestMscclXmlWrite::everyChangeIsAnotherProgram()
{
    const Program program = *ring(4);
    const Digest digest = canonicalDigest(program);
    const auto differs = [&](auto change) {
        Program other = program;
        change(other, std::get<1>(other.body));
        return canonicalDigest(other) != digest;
    };
    QVERIFY(!differs([](Program& p, ExplicitBody&) { p.name = "other"; }));
    QVERIFY(differs([](Program& p, ExplicitBody&) { p.op = CollectiveOp::Reduce; }));
    QVERIFY(differs([](Program& p, ExplicitBody&) { p.inPlace = false; }));
    QVERIFY(differs([](Program& p, ExplicitBody&) { p.maxBytes = 1; }));
    QVERIFY(differs([](Program& p, ExplicitBody&) { p.protocol = WireProtocol::LL; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.kind[1] = b.kind[1] == OpKind::Receive ? OpKind::ReceiveReduce : OpKind::Receive; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.peer[0] = 2; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.connection[0] = 1; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.count[0] = 2; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { ++b.sourceOffset[0]; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.sourceBuffer[0] = BufferKind::Output; }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { std::swap(b.sourceOffset[0], b.sourceOffset[2]); }));
    QVERIFY(differs([](Program&, ExplicitBody& b) { b.lane.assign(b.size(), 0); }));
    // A dependency less.
    QVERIFY(differs([](Program&, ExplicitBody& b) {
        b.depends.pop_back();
        for (std::uint32_t& end : b.dependBegin)
            end = std::min(end, static_cast<std::uint32_t>(b.depends.size()));
    }));
}

void TestMscclXmlWrite::ringsGetOneLaneForEachSide()
{
    for (int ranks = 2; ranks < 12; ++ranks) {
        const auto placed = assignLanes(ring(ranks));
        QVERIFY(placed);
        const ExplicitBody& body = placed.value()->asExplicit();
        QCOMPARE(std::set<std::int32_t>(body.lane.begin(), body.lane.end()), (std::set<std::int32_t>{0, 1}));
        QVERIFY(lanesFinish(*placed.value(), 1));
        const ProgramRun run = runProgram(*placed.value(), 3, true, 1);
        QVERIFY(run.finished && meetsContract(*placed.value(), run.memory, true));
    }
}

void TestMscclXmlWrite::exchangesThatMustSendFirstGetLanes()
{
    // Both ranks swap chunk 0 in one buffer: each must have sent before it may receive, so no order has messages as single events.
    ProgramBuilder builder(CollectiveOp::Custom, 2, 1);
    ProgramBuilder::Row row;
    for (int rank = 0; rank < 2; ++rank) {
        row.rank = rank;
        row.peer = 1 - rank;
        row.kind = OpKind::Send;
        row.sourceBuffer = BufferKind::Input;
        row.targetBuffer = BufferKind::None;
        const auto send = builder.add(row);
        row.kind = OpKind::Receive;
        row.sourceBuffer = BufferKind::None;
        row.targetBuffer = BufferKind::Input;
        builder.depend(builder.add(row), send);
    }
    const auto placed = assignLanes(builder.finish("swap", "test"));
    QVERIFY(placed);
    QVERIFY(lanesFinish(*placed.value(), 1));
}

void TestMscclXmlWrite::receivesAndSendsAreFused()
{
    // A chain of three in one lane each: the middle rank passes on what it gets.
    ProgramBuilder builder(CollectiveOp::Broadcast, 3, 2);
    ProgramBuilder::How how;
    how.sendLane = how.receiveLane = 0;
    for (int chunk = 0; chunk < 2; ++chunk) {
        for (int rank = 0; rank < 2; ++rank)
            builder.transfer({rank, BufferKind::Input, chunk}, {rank + 1, BufferKind::Input, chunk}, 1, how);
    }
    builder.header().outOfPlace = false;
    const ProgramPtr program = builder.finish("chain", "test");
    const auto plain = writeMsccl(program);
    const auto fused = writeMsccl(program, {true});
    QVERIFY(plain && fused);
    QVERIFY(plain.value().text.find("rcs") == std::string::npos);
    const ProgramPtr read = readBack(fused.value().text);
    QCOMPARE(std::count(read->asExplicit().fused.begin(), read->asExplicit().fused.end(), 1), std::ptrdiff_t{2});
    const ProgramRun run = runProgram(*read, 5, true, 2);
    QVERIFY(run.finished && meetsContract(*read, run.memory, true));
}

namespace {

/// An all-reduce in place: every chunk is summed along a random path over all ranks and comes back along another, each path in lanes of its own.
/// `kept` inner ranks of the first paths also copy the partial sum to scratch behind the send.
struct Paths {
    ProgramPtr program;
    int kept = 0;
};

Paths randomPaths(std::uint32_t seed, int ranks, int chunks)
{
    std::mt19937 random(seed);
    const auto below = [&](int most) { return static_cast<int>(random() % static_cast<std::uint32_t>(most)); };
    ProgramBuilder builder(CollectiveOp::AllReduce, ranks, chunks);
    builder.header().protocol = WireProtocol::Simple;
    builder.header().outOfPlace = false;
    Paths out;
    std::vector<int> path;
    for (int rank = 0; rank < ranks; ++rank)
        path.push_back(rank);
    std::map<int, int> scratch; // By rank: used so far.
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (const bool reduce : {true, false}) {
            for (int i = ranks - 1; i > (reduce ? 0 : 1); --i) // The way back begins where the sum is.
                std::swap(path[static_cast<std::size_t>(i)], path[static_cast<std::size_t>(reduce ? below(i + 1) : 1 + below(i))]);
            ProgramBuilder::How how;
            how.reduce = reduce;
            how.chunk = chunk;
            how.connection = 2 * chunk + (reduce ? 0 : 1);
            how.sendLane = how.receiveLane = how.connection;
            for (std::size_t hop = 0; hop + 1 < path.size(); ++hop) {
                builder.transfer({path[hop], BufferKind::Input, chunk}, {path[hop + 1], BufferKind::Input, chunk}, 1, how);
                if (reduce && hop > 0 && below(4) == 0) {
                    ProgramBuilder::How local;
                    local.chunk = chunk;
                    local.sendLane = 1000 + chunk;
                    builder.local({path[hop], BufferKind::Input, chunk}, {path[hop], BufferKind::Scratch, scratch[path[hop]]++}, 1, local);
                    ++out.kept;
                }
            }
            std::reverse(path.begin(), path.end());
        }
    }
    builder.inferDependencies();
    out.program = builder.finish("paths", "test");
    return out;
}

std::ptrdiff_t occurrences(const std::string& text, const std::string& word)
{
    std::ptrdiff_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

} // namespace

void TestMscclXmlWrite::sumsThatNobodySeesAreOnlySentOn()
{
    // The ring in one lane: as NCCL has it, n - 2 sums only sent on, the last stored and sent, n - 2 copies passed on.
    for (int n = 3; n < 9; ++n) {
        ProgramBuilder builder(CollectiveOp::AllReduce, n, n);
        for (int rank = 0; rank < n; ++rank) {
            for (int step = 0; step < 2 * (n - 1); ++step) {
                ProgramBuilder::Row row;
                row.rank = rank;
                row.lane = 0;
                row.step = step;
                row.kind = OpKind::Send;
                row.peer = (rank + 1) % n;
                row.chunk = row.sourceOffset = (rank + 2 * n - step) % n;
                row.sourceBuffer = BufferKind::Input;
                builder.add(row);
                row.peer = (rank + n - 1) % n;
                row.kind = step < n - 1 ? OpKind::ReceiveReduce : OpKind::Receive;
                row.chunk = row.targetOffset = (rank + 2 * n - step - 1) % n;
                row.sourceOffset = step < n - 1 ? row.chunk : 0;
                row.sourceBuffer = step < n - 1 ? BufferKind::Input : BufferKind::None;
                row.targetBuffer = BufferKind::Input;
                builder.add(row);
            }
        }
        builder.header().protocol = WireProtocol::Simple;
        builder.header().outOfPlace = false;
        const auto written = writeMsccl(builder.finish("ring", "test"), {true});
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        const std::string& text = written.value().text;
        QCOMPARE(occurrences(text, "\"rrs\""), std::ptrdiff_t{n} * (n - 2));
        QCOMPARE(occurrences(text, "\"rrcs\""), std::ptrdiff_t{n});
        QCOMPARE(occurrences(text, "\"rcs\""), std::ptrdiff_t{n} * (n - 2));
        QCOMPARE(occurrences(text, "<step"), std::ptrdiff_t{n} * (2 * n - 1));
        const Verification verified = verify(*readBack(text));
        QVERIFY(verified.valid && verified.postcondition == Postcondition::Holds);
    }
    // Somebody who reads the partial sum keeps it stored.
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 300)) {
        const int ranks = 2 + static_cast<int>(seed % 6);
        const int chunks = 1 + static_cast<int>(seed % 4);
        const Paths paths = randomPaths(seed, ranks, chunks);
        const auto placed = assignLanes(paths.program);
        QVERIFY(placed);
        const ProgramPtr fused = fuseSteps(placed.value());
        const auto written = writeMsccl(paths.program, {true});
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QCOMPARE(occurrences(written.value().text, "\"rrs\""), std::ptrdiff_t{chunks} * (ranks - 2) - paths.kept);
        QCOMPARE(occurrences(written.value().text, "\"rrcs\""), std::ptrdiff_t{paths.kept});
        const ProgramPtr again = readBack(written.value().text);
        QVERIFY(canonicalDigest(*again) == canonicalDigest(*fused));
        const Verification verified = verify(*again);
        QVERIFY2(verified.valid && verified.postcondition == Postcondition::Holds, verified.findings.empty() ? "" : verified.findings[0].message.c_str());
        for (std::uint32_t order = 0; order < 3; ++order) {
            const ProgramRun run = runProgram(*again, order, true, 2);
            QVERIFY(run.finished && run.fault.empty() && meetsContract(*again, run.memory, true));
        }
    }
}

void TestMscclXmlWrite::instancesLieSideBySide()
{
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 60)) {
        const Paths paths = randomPaths(seed, 2 + static_cast<int>(seed % 4), 1 + static_cast<int>(seed % 3));
        const auto instances = static_cast<std::int32_t>(1 + seed % 4);
        const auto copies = withInstances(paths.program, instances);
        QVERIFY(copies);
        const ExplicitBody& one = paths.program->asExplicit();
        const ExplicitBody& all = copies.value()->asExplicit();
        QCOMPARE(copies.value()->chunks, paths.program->chunks * instances);
        QCOMPARE(all.size(), one.size() * static_cast<std::uint32_t>(instances));
        const auto channels = [](const ExplicitBody& body) {
            std::set<std::int32_t> out;
            for (std::uint32_t op = 0; op < body.size(); ++op) {
                if (body.kind[op] == OpKind::Send)
                    out.insert(body.connection[op]);
            }
            return out.size();
        };
        QCOMPARE(channels(all), channels(one) * static_cast<std::size_t>(instances));
        for (const bool fuse : {false, true}) {
            const auto written = writeMsccl(copies.value(), {fuse});
            QVERIFY2(written, written ? "" : written.error().text().c_str());
            const ProgramPtr again = readBack(written.value().text);
            const ProgramPtr placed = assignLanes(copies.value()).value();
            QVERIFY2(canonicalDigest(*again) == canonicalDigest(fuse ? *fuseSteps(placed) : *placed), qPrintable(QString("seed %1, fused %2").arg(seed).arg(fuse)));
            const Verification verified = verify(*again);
            QVERIFY2(verified.valid && verified.postcondition == Postcondition::Holds, verified.findings.empty() ? "" : verified.findings[0].message.c_str());
        }
    }
    // Ranks that own neighbouring chunks: parts of two chunks that move together would be no neighbours.
    ProgramBuilder builder(CollectiveOp::AllGather, 2, 4);
    builder.transfer({0, BufferKind::Output, 0}, {1, BufferKind::Output, 0}, 2, {});
    builder.transfer({1, BufferKind::Output, 2}, {0, BufferKind::Output, 2}, 2, {});
    const ProgramPtr pairs = builder.finish("pairs", "test");
    QVERIFY(withInstances(pairs, 1));
    QCOMPARE(withInstances(pairs, 2).error().code, ErrorCode::Unsupported);
}

void TestMscclXmlWrite::dependenciesThatFollowAreLeftOut()
{
    // c waits for a and b, b for a: one dependency is enough.
    ProgramBuilder builder(CollectiveOp::AllReduce, 1, 4);
    ProgramBuilder::How how;
    std::vector<ProgramBuilder::Op> ops;
    for (int i = 0; i < 3; ++i) {
        how.sendLane = i;
        ops.push_back(builder.local({0, BufferKind::Input, i}, {0, BufferKind::Output, i}, 1, how));
    }
    builder.depend(ops[1], ops[0]);
    builder.depend(ops[2], ops[0]);
    builder.depend(ops[2], ops[1]);
    const auto written = writeMsccl(builder.finish("a", "test"));
    QVERIFY(written);
    QVERIFY(written.value().text.find("nop") == std::string::npos);
    QVERIFY(written.value().text.find("depid=\"1\" deps=\"0\"") != std::string::npos);
}

void TestMscclXmlWrite::furtherDependenciesBecomeNops()
{
    ProgramBuilder builder(CollectiveOp::AllReduce, 1, 4);
    ProgramBuilder::How how;
    std::vector<ProgramBuilder::Op> ops;
    for (int i = 0; i < 4; ++i) {
        how.sendLane = 10 - i;
        ops.push_back(builder.local({0, BufferKind::Input, i}, {0, BufferKind::Output, i}, 1, how));
        if (i == 3) {
            for (int k = 0; k < 3; ++k)
                builder.depend(ops[3], ops[static_cast<std::size_t>(k)]);
        }
    }
    const ProgramPtr program = builder.finish("a", "test");
    const auto written = writeMsccl(program);
    QVERIFY(written);
    // Lanes 7 to 10 become thread blocks 0 to 3; two nops stand before step 2 of block 0.
    QVERIFY(written.value().text.find(R"(<step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="3" deps="0" hasdep="0"/>)") != std::string::npos);
    QVERIFY(written.value().text.find(R"(<step s="2" type="cpy" srcbuf="i" srcoff="3" dstbuf="o" dstoff="3" cnt="1" depid="1" deps="0" hasdep="0"/>)") != std::string::npos);
    QVERIFY(canonicalDigest(*program) == canonicalDigest(*readBack(written.value().text)));
}

void TestMscclXmlWrite::whatTheFormatCannotSayIsRefused()
{
    const Program sound = *ring(2);
    const auto refused = [&](auto change, const char* word) {
        Program other = sound;
        change(other, std::get<1>(other.body));
        const auto written = writeMsccl(shared(std::move(other)));
        return !written && written.error().message.find(word) != std::string::npos;
    };
    QVERIFY(writeMsccl(shared(sound)));
    QVERIFY(refused([](Program& p, ExplicitBody&) { p.body = TemplateBody{{2}, {}, {}, {}, {}}; }, "template"));
    QVERIFY(refused([](Program& p, ExplicitBody&) { p.root = 1; }, "root"));
    QVERIFY(refused([](Program& p, ExplicitBody&) { p.op = CollectiveOp::Barrier; }, "barrier"));
    QVERIFY(refused([](Program& p, ExplicitBody&) { p.op = CollectiveOp::AllGather, p.chunks = 3; }, "share"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.buffers.clear(); }, "places"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.chunkWeights = {1, 2}; }, "unequal"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.receiveSlots = 4; }, "slots"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.kind[0] = OpKind::Put; }, "one-sided"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.kind[0] = OpKind::SwitchReduce; }, "switches"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.kind[0] = OpKind::Compute; }, "computations"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.bytes.assign(b.size(), 64); }, "bytes"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.count[0] = 0; }, "without chunks"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.sourceOffset[0] = 2; }, "larger"));
    QVERIFY(refused([](Program&, ExplicitBody& b) { b.sourceBuffer[0] = BufferKind::None; }, "reads no memory"));
}

void TestMscclXmlWrite::illegalLanesAreNamed()
{
    Program program = *assignLanes(ring(3)).value();
    QVERIFY(!laneFault(program));
    const auto fault = [&](auto change) {
        Program other = program;
        change(std::get<1>(other.body));
        const auto found = laneFault(other);
        return found ? found->message : std::string("none");
    };
    QVERIFY(fault([](ExplicitBody& b) { b.lane[0] = -1; }).find("no lane") != std::string::npos);
    QVERIFY(fault([](ExplicitBody& b) { b.connection[0] = 1; }).find("two channels") != std::string::npos);
    QVERIFY(fault([](ExplicitBody& b) { b.peer[0] = 2; }).find("two ranks") != std::string::npos);
    QVERIFY(fault([](ExplicitBody& b) { b.lane[0] = 9; }).find("two lanes") != std::string::npos);
    QVERIFY(fault([](ExplicitBody& b) { b.count[0] = 2; }).find("another count") != std::string::npos);
    QVERIFY(fault([](ExplicitBody& b) { b.kind[0] = OpKind::Copy; }).find("meet") != std::string::npos);
    // They are then made anew.
    std::get<1>(program.body).lane[0] = -1;
    QVERIFY(!laneFault(*assignLanes(shared(std::move(program))).value()));
}

void TestMscclXmlWrite::slotsAreCounted()
{
    // Rank 0 sends k messages before rank 1 takes the first, which waits for a message that rank 0 sends last: k slots are needed.
    for (int k = 1; k < 6; ++k) {
        ProgramBuilder builder(CollectiveOp::Custom, 2, 8);
        ProgramBuilder::How how;
        how.sendLane = 0;
        how.receiveLane = 0;
        std::vector<ProgramBuilder::Transfer> all;
        for (int i = 0; i < k; ++i)
            all.push_back(builder.transfer({0, BufferKind::Input, i}, {1, BufferKind::Scratch, i}, 1, how));
        how.connection = 1;
        how.sendLane = how.receiveLane = 1;
        const auto last = builder.transfer({0, BufferKind::Input, 7}, {1, BufferKind::Scratch, 7}, 1, how);
        builder.depend(last.send, all.back().send);
        Program program = *builder.finish("slots", "test");
        // The first receive waits for the last message.
        ExplicitBody& body = std::get<1>(program.body);
        const std::uint32_t first = body.rankBegin[1];
        body.depends.push_back(body.size() - 1);
        for (std::size_t op = first + 1; op < body.dependBegin.size(); ++op)
            ++body.dependBegin[op];
        QVERIFY(lanesFinish(program, 0));
        QVERIFY(lanesFinish(program, k));
        if (k > 1)
            QVERIFY(!lanesFinish(program, k - 1));
    }
    QCOMPARE(protocolSlots(WireProtocol::Simple), 2);
    QCOMPARE(protocolSlots(WireProtocol::LL128), 8);
}

void TestMscclXmlWrite::namesAreEscaped()
{
    Program program = *ring(2);
    program.name = "a<b> & \"c\" 'd'\n\te";
    QCOMPARE(readBack(writeMsccl(shared(std::move(program))).value().text)->name, std::string("a<b> & \"c\" 'd'  e"));
}

FABRICSCOPE_TEST(TestMscclXmlWrite)
#include "tst_mscclxml_write.moc"
