// Puts and signals as sends and receives: the memory of both programs is the same under every order of execution that is tried.
#include "core/base/index.h"
#include "core/program/onesided.h"
#include "core/program/programbuilder.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ProgramBuilder::Row row(int rank, OpKind kind, int peer, int lane, int connection = 0)
{
    ProgramBuilder::Row out;
    out.rank = rank;
    out.kind = kind;
    out.peer = peer;
    out.lane = lane;
    out.connection = connection;
    return out;
}

ProgramBuilder::Row put(int rank, int peer, int lane, BufferKind from, int fromOffset, BufferKind to, int toOffset)
{
    ProgramBuilder::Row out = row(rank, OpKind::Put, peer, lane);
    out.sourceBuffer = from;
    out.sourceOffset = fromOffset;
    out.targetBuffer = to;
    out.targetOffset = toOffset;
    return out;
}

/// All-gather: every rank puts its chunk into the output of all others, then signals all, then waits for all.
ProgramPtr gather(int ranks, bool oneLane)
{
    ProgramBuilder builder(CollectiveOp::AllGather, ranks, ranks);
    builder.header().inPlace = false;
    for (int rank = 0; rank < ranks; ++rank) {
        builder.local({rank, BufferKind::Input, 0}, {rank, BufferKind::Output, rank}, 1, {false, -1, 0, 0, -1, 0, 0, {}, -1, -1, 0});
        for (int other = 0; other < ranks; ++other) {
            if (other != rank)
                builder.add(put(rank, other, oneLane ? 0 : 1 + other, BufferKind::Input, 0, BufferKind::Output, rank));
        }
        for (int other = 0; other < ranks; ++other) {
            if (other != rank)
                builder.add(row(rank, OpKind::Signal, other, oneLane ? 0 : 1 + other));
        }
        for (int other = 0; other < ranks; ++other) {
            if (other != rank)
                builder.add(row(rank, OpKind::Wait, other, oneLane ? 0 : 1 + other));
        }
    }
    return builder.finish("gather", "test");
}

/// Rank 1 tells rank 0 that it has copied its scratch away; rank 0 then writes there. Rank 1 copies in lane 0 and waits in lane 1: only the
/// way over rank 0 orders the two.
ProgramPtr handshake()
{
    ProgramBuilder builder(CollectiveOp::Custom, 2, 2);
    const auto copy = [&](int lane, BufferKind from, int fromOffset, BufferKind to, int toOffset) {
        ProgramBuilder::Row out = row(1, OpKind::Copy, -1, lane);
        out.sourceBuffer = from;
        out.sourceOffset = fromOffset;
        out.targetBuffer = to;
        out.targetOffset = toOffset;
        builder.add(out);
    };
    copy(0, BufferKind::Input, 0, BufferKind::Scratch, 0);
    copy(0, BufferKind::Scratch, 0, BufferKind::Output, 0);
    builder.add(row(1, OpKind::Signal, 0, 0));
    builder.add(row(1, OpKind::Wait, 0, 1));
    copy(1, BufferKind::Scratch, 0, BufferKind::Output, 1);
    builder.add(row(0, OpKind::Wait, 1, 0));
    builder.add(put(0, 1, 0, BufferKind::Input, 1, BufferKind::Scratch, 0));
    builder.add(row(0, OpKind::Signal, 1, 0));
    return builder.finish("handshake", "test");
}

void compare(const ProgramPtr& program)
{
    const ProgramRun wanted = runProgram(*program, 1, false);
    QVERIFY(wanted.finished);
    QCOMPARE(wanted.fault, std::string());
    for (const BareSignals bare : {BareSignals::Keep, BareSignals::Fold}) {
        const auto converted = toTwoSided(program, bare);
        QVERIFY(converted);
        QVERIFY(!isOneSided(*converted.value()));
        for (std::uint32_t seed = 0; seed < cases<std::uint32_t>(20); ++seed) {
            const ProgramRun run = runProgram(*converted.value(), seed, false);
            QVERIFY(run.finished);
            QCOMPARE(run.fault, std::string());
            QVERIFY(run.memory == wanted.memory);
        }
        if (bare == BareSignals::Fold) {
            const auto& counts = converted.value()->asExplicit().count;
            QVERIFY(std::find(counts.begin(), counts.end(), 0) == counts.end());
        }
    }
}

} // namespace

class TestOneSided : public QObject {
    Q_OBJECT

private slots:
    void aPutIsReceivedWhereItsSignalIsWaitedFor();
    void anAllGatherOfPutsMeetsItsContract();
    void whatOnlyASignalOrdersStaysOrdered();
    void bareSignalsTakeAMessage();
    void randomPlansKeepTheirMeaning();
    void brokenPairsAreRefused();
    void otherProgramsStayAsTheyAre();
};

void TestOneSided::aPutIsReceivedWhereItsSignalIsWaitedFor()
{
    ProgramBuilder builder(CollectiveOp::Custom, 2, 4);
    builder.add(put(0, 1, 0, BufferKind::Input, 0, BufferKind::Output, 2));
    builder.add(put(0, 1, 0, BufferKind::Input, 1, BufferKind::Output, 3));
    builder.add(row(0, OpKind::Signal, 1, 0));
    builder.add(row(1, OpKind::Wait, 0, 5));
    const auto converted = toTwoSided(builder.finish("put", "test"));
    QVERIFY(converted);
    const ExplicitBody& body = converted.value()->asExplicit();
    QCOMPARE(body.kind, (std::vector<OpKind>{OpKind::Send, OpKind::Send, OpKind::Receive, OpKind::Receive}));
    QCOMPARE(body.lane, (std::vector<std::int32_t>{0, 0, 5, 5}));
    QCOMPARE(body.peer, (std::vector<std::int32_t>{1, 1, 0, 0}));
    QCOMPARE(body.targetOffset, (std::vector<std::int32_t>{0, 0, 2, 3}));
    QCOMPARE(body.sourceOffset, (std::vector<std::int32_t>{0, 1, 0, 0}));
    QCOMPARE(body.rankBegin, (std::vector<std::uint32_t>{0, 2, 4}));
    QVERIFY(body.bytes.empty());
}

void TestOneSided::anAllGatherOfPutsMeetsItsContract()
{
    for (int ranks = 2; ranks < 8; ++ranks) {
        for (const bool oneLane : {true, false}) {
            const ProgramPtr program = gather(ranks, oneLane);
            compare(program);
            const ProgramRun run = runProgram(*toTwoSided(program).value(), 7, false);
            QVERIFY(meetsContract(*program, run.memory, false));
        }
    }
}

void TestOneSided::whatOnlyASignalOrdersStaysOrdered()
{
    compare(handshake());
}

void TestOneSided::bareSignalsTakeAMessage()
{
    const auto kept = toTwoSided(handshake(), BareSignals::Keep);
    QVERIFY(kept);
    const ExplicitBody& body = kept.value()->asExplicit();
    // A send of a semaphore and its receive, the put and its receive, three copies.
    QCOMPARE(body.size(), 7U);
    QCOMPARE(std::count(body.bytes.begin(), body.bytes.end(), 8), std::ptrdiff_t{2});
    QCOMPARE(toTwoSided(handshake(), BareSignals::Fold).value()->asExplicit().size(), 5U);
}

void TestOneSided::randomPlansKeepTheirMeaning()
{
    for (const std::uint32_t seed : Seeds<std::uint32_t>(0, 150)) {
        std::mt19937 random(seed);
        const auto below = [&](int most) { return static_cast<int>(random() % static_cast<std::uint32_t>(most)); };
        const int ranks = 2 + below(4);
        ProgramBuilder builder(CollectiveOp::Custom, ranks, 4);
        // Rounds: everyone puts into cells of its own at a random peer, from any of three lanes, and signals; the peer waits and copies. The
        // lanes of a rank meet between the rounds.
        std::vector<ProgramBuilder::Op> last(static_cast<std::size_t>(ranks), ProgramBuilder::kNone);
        for (int round = 0; round < 3; ++round) {
            std::vector<std::vector<ProgramBuilder::Op>> meet(static_cast<std::size_t>(ranks));
            for (int rank = 0; rank < ranks; ++rank) {
                const int peer = (rank + 1 + below(ranks - 1)) % ranks;
                const int lane = below(3);
                const int puts = 1 + below(2);
                ProgramBuilder::Op op = ProgramBuilder::kNone;
                for (int i = 0; i < puts; ++i) {
                    op = builder.add(put(rank, peer, lane, BufferKind::Input, below(4), BufferKind::Scratch, rank * 8 + round * 2 + i));
                    if (last[at(rank)] != ProgramBuilder::kNone)
                        builder.depend(op, last[at(rank)]);
                }
                op = builder.add(row(rank, OpKind::Signal, peer, lane));
                meet[at(rank)].push_back(op);
                const int waitLane = 4 + rank; // One lane for the signals of each peer.
                builder.add(row(peer, OpKind::Wait, rank, waitLane));
                ProgramBuilder::Row copy = row(peer, OpKind::Copy, -1, waitLane);
                copy.sourceBuffer = BufferKind::Scratch;
                copy.sourceOffset = rank * 8 + round * 2;
                copy.targetBuffer = BufferKind::Output;
                copy.targetOffset = rank * 3 + round;
                meet[at(peer)].push_back(builder.add(copy));
            }
            for (int rank = 0; rank < ranks; ++rank) {
                ProgramBuilder::Row compute = row(rank, OpKind::Compute, -1, 3);
                compute.count = 1;
                const ProgramBuilder::Op op = builder.add(compute);
                for (const ProgramBuilder::Op other : meet[at(rank)])
                    builder.depend(op, other);
                last[at(rank)] = op;
            }
        }
        compare(builder.finish("random", "test"));
    }
}

void TestOneSided::brokenPairsAreRefused()
{
    ProgramBuilder untold(CollectiveOp::Custom, 2, 1);
    untold.add(put(0, 1, 0, BufferKind::Input, 0, BufferKind::Output, 0));
    QVERIFY(toTwoSided(untold.finish("a", "test")).error().message.find("no signal tells") != std::string::npos);
    ProgramBuilder unheard(CollectiveOp::Custom, 2, 1);
    unheard.add(row(0, OpKind::Signal, 1, 0));
    QVERIFY(toTwoSided(unheard.finish("a", "test")).error().message.find("1 signals") != std::string::npos);
    ProgramBuilder ring(CollectiveOp::Custom, 2, 1);
    for (int rank = 0; rank < 2; ++rank) {
        ring.add(row(rank, OpKind::Wait, 1 - rank, 0));
        ring.add(row(rank, OpKind::Signal, 1 - rank, 0));
    }
    QVERIFY(toTwoSided(ring.finish("a", "test")).error().message.find("ring") != std::string::npos);
}

void TestOneSided::otherProgramsStayAsTheyAre()
{
    const auto program = std::make_shared<const Program>(randomProgram(1, 3, 4, 10, true));
    QCOMPARE(toTwoSided(program).value(), program);
}

FABRICSCOPE_TEST(TestOneSided)
#include "tst_onesided.moc"
