// The verifier on hand-made programs: what is right passes, and every rule that is broken once is named with its places.
#include "core/base/index.h"
#include "core/program/programbuilder.h"
#include "core/verify/verify.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

namespace {

using Place = ProgramBuilder::Place;
using How = ProgramBuilder::How;
using Row = ProgramBuilder::Row;

constexpr BufferKind I = BufferKind::Input;
constexpr BufferKind O = BufferKind::Output;
constexpr BufferKind S = BufferKind::Scratch;

/// Everything a verification says, for messages of failing tests.
QByteArray said(const Verification& result)
{
    QByteArray text;
    for (const VerifyFinding& finding : result.findings)
        text += QByteArray::fromStdString(finding.rule + " [" + std::to_string(static_cast<int>(finding.severity)) + "] " + finding.message + "\n");
    return text.isEmpty() ? "nothing" : text;
}

std::vector<VerifyFinding> of(const Verification& result, const std::string& rule)
{
    std::vector<VerifyFinding> out;
    for (const VerifyFinding& finding : result.findings) {
        if (finding.rule == rule)
            out.push_back(finding);
    }
    return out;
}

How on(std::int32_t lane, bool reduce = false)
{
    How how;
    how.sendLane = lane;
    how.receiveLane = lane;
    how.reduce = reduce;
    return how;
}

/// Two ranks exchange their blocks out of place; own blocks are copied. Lane 0 sends and copies, lane 1 receives.
ProgramBuilder exchange()
{
    ProgramBuilder b(CollectiveOp::AllGather, 2, 2);
    b.header().inPlace = false;
    How how;
    how.sendLane = 0;
    how.receiveLane = 1;
    for (std::int32_t rank = 0; rank < 2; ++rank) {
        b.transfer({rank, I, 0}, {1 - rank, O, rank}, 1, how);
        b.local({rank, I, 0}, {rank, O, rank}, 1, how);
    }
    return b;
}

/// Ring all-reduce in the input, one lane a rank.
ProgramPtr ring(std::int32_t ranks)
{
    ProgramBuilder b(CollectiveOp::AllReduce, ranks, ranks);
    b.header().outOfPlace = false;
    for (std::int32_t step = 0; step < 2 * (ranks - 1); ++step) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const std::int32_t chunk = ((rank - step) % ranks + 2 * ranks) % ranks;
            How how = on(0, step < ranks - 1);
            how.step = step;
            b.transfer({rank, I, chunk}, {(rank + 1) % ranks, I, chunk}, 1, how);
        }
    }
    return b.finish("ring", "test");
}

/// The program with one column changed.
template <typename Change>
Program changed(const ProgramPtr& program, Change&& change)
{
    Program out = *program;
    change(std::get<1>(out.body));
    return out;
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private slots:
    void acceptsAnExchange()
    {
        const Verification result = verify(*exchange().finish("exchange", "test"));
        QVERIFY2(result.valid, said(result));
        QCOMPARE(result.postcondition, Postcondition::Holds);
        QCOMPARE(result.operations, std::int64_t{6});
        QCOMPARE(result.transfers, std::int64_t{2});
        QCOMPARE(result.minimumSlots, 1);
        QVERIFY(result.worksOutOfPlace && !result.worksInPlace);
        QCOMPARE(result.wastedTransfers, std::int64_t{0});
        QVERIFY2(result.findings.empty(), said(result));
    }
    void acceptsRings()
    {
        for (const std::int32_t ranks : {2, 3, 5, 8, 33}) {
            VerifyOptions options;
            options.slotCounts = {8, 1, 2};
            const Verification result = verify(*ring(ranks), options);
            QVERIFY2(result.valid, said(result));
            QCOMPARE(result.postcondition, Postcondition::Holds);
            QVERIFY(result.worksInPlace);
            QCOMPARE(result.minimumSlots, 1); // Rank 0 sends before it receives, the others receive first.
            QCOMPARE(result.slotResults.size(), std::size_t{3});
            for (const SlotResult& one : result.slotResults)
                QVERIFY(one.finishes);
        }
    }
    void V4_namesPeersThatDoNotExist()
    {
        const ProgramPtr good = exchange().finish("exchange", "test");
        for (const std::int32_t peer : {-1, 2, 0}) {
            const Verification result = verify(changed(good, [&](ExplicitBody& body) { body.peer[0] = peer; }));
            QVERIFY(!result.valid);
            QVERIFY2(!of(result, "V4").empty(), said(result));
            QCOMPARE(of(result, "V4")[0].rank, 0);
            QCOMPARE(of(result, "V4")[0].lane, 0);
            QCOMPARE(of(result, "V4")[0].step, 0);
        }
    }
    void V6_namesTwoSendingLanes()
    {
        ProgramBuilder b(CollectiveOp::Broadcast, 2, 2);
        b.header().outOfPlace = false;
        How how;
        how.receiveLane = 0;
        for (std::int32_t chunk = 0; chunk < 2; ++chunk) {
            how.sendLane = chunk;
            b.transfer({0, I, chunk}, {1, I, chunk}, 1, how);
        }
        const Verification result = verify(*b.finish("two", "test"));
        QVERIFY(!result.valid);
        QCOMPARE(of(result, "V6").size(), std::size_t{1});
        QCOMPARE(of(result, "V6")[0].rank, 0);
    }
    void V7_namesMessagesWithoutPartnerAndUnequalCounts()
    {
        ProgramBuilder b = exchange();
        Row row;
        row.rank = 1;
        row.kind = OpKind::Send;
        row.peer = 0;
        row.lane = 0;
        row.sourceBuffer = I;
        b.add(row);
        const Verification left = verify(*b.finish("left over", "test"));
        QVERIFY(!left.valid);
        QCOMPARE(of(left, "V7").size(), std::size_t{1});
        QCOMPARE(of(left, "V7")[0].rank, 1);
        QCOMPARE(of(left, "V7")[0].step, 2);

        ProgramBuilder c(CollectiveOp::Broadcast, 2, 3);
        c.header().outOfPlace = false;
        c.transfer({0, I, 0}, {1, I, 0}, 3, on(0));
        const Verification counts = verify(changed(c.finish("counts", "test"), [](ExplicitBody& body) { body.count[1] = 2; }));
        QVERIFY(!counts.valid);
        QCOMPARE(of(counts, "V7").size(), std::size_t{1});
        QCOMPARE(of(counts, "V7")[0].operations, (std::vector<std::uint32_t>{0, 1}));
    }
    void V8_namesPlacesOutsideBuffers()
    {
        const ProgramPtr good = exchange().finish("exchange", "test");
        for (const std::int32_t offset : {-1, 1, INT32_MAX}) {
            const Verification source = verify(changed(good, [&](ExplicitBody& body) { body.sourceOffset[0] = offset; }));
            QVERIFY(!source.valid);
            QVERIFY2(!of(source, "V8").empty(), said(source));
            QCOMPARE(of(source, "V8")[0].buffer, I);
            QCOMPARE(of(source, "V8")[0].chunk, offset);
        }
        const Verification target = verify(changed(good, [&](ExplicitBody& body) { body.targetBuffer[1] = S; }));
        QVERIFY2(!of(target, "V8").empty(), said(target));
    }
    void V10_namesDependenciesOnOtherRanks()
    {
        ProgramBuilder b = exchange();
        b.depend(1 + 1, 0); // The copy on the send, of rank 0: sound.
        const ProgramPtr good = b.finish("exchange", "test");
        QVERIFY(verify(*good).valid);
        for (const std::uint32_t target : {2u, 5u, 99u}) { // Operations of rank 0 are 0 to 2: send, copy, receive.
            const Verification result = verify(changed(good, [&](ExplicitBody& body) {
                QCOMPARE(body.depends.size(), std::size_t{1});
                body.depends[0] = target == 2u ? 1u : target;
            }));
            QVERIFY(!result.valid);
            QVERIFY2(!of(result, "V10").empty(), said(result));
            QCOMPARE(of(result, "V10")[0].operations, (std::vector<std::uint32_t>{1}));
        }
    }
    void V12_showsTheCycle()
    {
        ProgramBuilder b(CollectiveOp::AllGather, 2, 2);
        b.header().outOfPlace = false;
        for (const bool sends : {false, true}) { // Both receive before they send.
            for (std::int32_t rank = 0; rank < 2; ++rank) {
                Row row;
                row.rank = rank;
                row.kind = sends ? OpKind::Send : OpKind::Receive;
                row.peer = 1 - rank;
                row.lane = 0;
                (sends ? row.sourceBuffer : row.targetBuffer) = O;
                (sends ? row.sourceOffset : row.targetOffset) = sends ? rank : 1 - rank;
                b.add(row);
            }
        }
        const Verification result = verify(*b.finish("both wait", "test"));
        QVERIFY(!result.valid);
        QCOMPARE(of(result, "V12").size(), std::size_t{1});
        std::vector<std::uint32_t> ring = of(result, "V12")[0].operations;
        std::sort(ring.begin(), ring.end());
        QCOMPARE(ring, (std::vector<std::uint32_t>{0, 1, 2, 3}));
        QCOMPARE(result.minimumSlots, 0);
    }
    void V12_isNotSaidOfOperationsOutsideLanesInAnUnluckyOrder()
    {
        // Both ranks have their receive in the first column and their sends behind it, in no lane: they wait for each other only where a send must
        // wait for the receive.
        for (const bool waits : {false, true}) {
            ProgramBuilder b(CollectiveOp::AllGather, 2, 4);
            b.header().outOfPlace = false;
            std::vector<ProgramBuilder::Op> first(2);
            for (const bool sends : {false, true}) {
                for (std::int32_t rank = 0; rank < 2; ++rank) {
                    for (std::int32_t chunk = 0; chunk < 2; ++chunk) {
                        Row row;
                        row.rank = rank;
                        row.kind = sends ? OpKind::Send : OpKind::Receive;
                        row.peer = 1 - rank;
                        (sends ? row.sourceBuffer : row.targetBuffer) = O;
                        (sends ? row.sourceOffset : row.targetOffset) = 2 * (sends ? rank : 1 - rank) + chunk;
                        const ProgramBuilder::Op op = b.add(row);
                        if (!sends && chunk == 0)
                            first[at(rank)] = op;
                        else if (sends && waits)
                            b.depend(op, first[at(rank)]);
                    }
                }
            }
            const Verification result = verify(*b.finish("receives first", "test"));
            QVERIFY2(result.valid == !waits, said(result));
            QCOMPARE(result.minimumSlots, waits ? 0 : 1);
            QCOMPARE(of(result, "V12").size(), std::size_t{waits ? 1u : 0u});
            if (!waits)
                continue;
            std::vector<std::uint32_t> ring = of(result, "V12")[0].operations;
            std::sort(ring.begin(), ring.end());
            QCOMPARE(ring, (std::vector<std::uint32_t>{0, 2, 4, 6})); // First receive and first send of both.
        }
    }
    void V13_findsTheFewestSlots()
    {
        // Both send `deep` messages before they take any: so many slots are needed.
        for (const std::int32_t deep : {1, 2, 3, 7}) {
            ProgramBuilder b(CollectiveOp::AllGather, 2, 2 * deep);
            b.header().outOfPlace = false;
            for (const bool sends : {true, false}) {
                for (std::int32_t rank = 0; rank < 2; ++rank) {
                    for (std::int32_t chunk = 0; chunk < deep; ++chunk) {
                        Row row;
                        row.rank = rank;
                        row.kind = sends ? OpKind::Send : OpKind::Receive;
                        row.peer = 1 - rank;
                        row.lane = 0;
                        (sends ? row.sourceBuffer : row.targetBuffer) = O;
                        (sends ? row.sourceOffset : row.targetOffset) = (sends ? rank : 1 - rank) * deep + chunk;
                        b.add(row);
                    }
                }
            }
            b.header().protocol = WireProtocol::Simple;
            VerifyOptions options;
            options.slotCounts = {1, 2, 8};
            const ProgramPtr program = b.finish("deep", "test");
            const Verification result = verify(*program, options);
            QVERIFY2(result.valid, said(result));
            QCOMPARE(result.minimumSlots, deep);
            QCOMPARE(result.slotResults[0].finishes, deep <= 1);
            QCOMPARE(result.slotResults[1].finishes, deep <= 2);
            QVERIFY(result.slotResults[2].finishes);
            QCOMPARE(of(result, "V13").size(), std::size_t{deep > 2 ? 2u : deep > 1 ? 1u : 0u});
            // The program's own limit is one the simulator keeps: too few are an error.
            const Verification own = verify(changed(program, [&](ExplicitBody& body) { body.receiveSlots = deep - 1; }));
            QCOMPARE(own.valid, deep == 1);
        }
    }
    void V14_namesUndefinedReads()
    {
        ProgramBuilder b(CollectiveOp::Broadcast, 2, 1);
        b.header().outOfPlace = false;
        b.transfer({0, S, 0}, {1, I, 0}, 1, on(0));
        const Verification result = verify(*b.finish("undefined", "test"));
        QVERIFY(!result.valid);
        QCOMPARE(of(result, "V14").size(), std::size_t{1});
        QCOMPARE(of(result, "V14")[0].buffer, S);
        QCOMPARE(of(result, "V14")[0].rank, 0);
        QCOMPARE(result.postcondition, Postcondition::Fails);
        QVERIFY2(said(result).contains("made of something undefined"), said(result));
    }
    void V15_showsTheRacingPair()
    {
        // The copy into the place the receive writes: in another lane, in no order.
        ProgramBuilder b(CollectiveOp::Broadcast, 2, 1);
        b.header().inPlace = false;
        How how;
        how.sendLane = 0;
        how.receiveLane = 1;
        b.local({0, I, 0}, {0, O, 0}, 1, how);
        const auto sent = b.transfer({0, I, 0}, {1, S, 0}, 1, how);
        const auto copied = b.local({1, S, 0}, {1, O, 0}, 1, how);
        ProgramBuilder ordered = b;
        const Verification racy = verify(*b.finish("racy", "test"));
        QVERIFY(!racy.valid);
        // Which of the two comes first in the verifier's own order is not said, so the copy may also have read something undefined.
        QVERIFY2(of(racy, "V15").size() + of(racy, "V14").size() >= 1, said(racy));
        QCOMPARE(of(racy, "V15").size(), std::size_t{1});
        std::vector<std::uint32_t> pair = of(racy, "V15")[0].operations;
        std::sort(pair.begin(), pair.end());
        QCOMPARE(pair, (std::vector<std::uint32_t>{2, 3}));
        QCOMPARE(of(racy, "V15")[0].buffer, S);

        ordered.depend(copied, sent.receive);
        const Verification sound = verify(*ordered.finish("ordered", "test"));
        QVERIFY2(sound.valid, said(sound));
    }
    void V15_followsOrderThroughOtherRanks()
    {
        // Rank 0 sends its chunk away (lane 0) and gets the answer in lane 1 to the same place: ordered by the way through rank 1,
        // but not when rank 1 answers before it has the message.
        for (const bool before : {false, true}) {
            ProgramBuilder b(CollectiveOp::AllReduce, 2, 1);
            b.header().outOfPlace = false;
            const auto there = b.transfer({0, I, 0}, {1, I, 0}, 1, [&] { How how = on(0, true); how.receiveLane = before ? 1 : 0; return how; }());
            How back = on(0);
            back.receiveLane = 1;
            back.connection = 1;
            b.transfer({1, I, 0}, {0, I, 0}, 1, back);
            Q_UNUSED(there);
            const Verification result = verify(*b.finish("answer", "test"));
            QCOMPARE(result.valid, !before);
            QCOMPARE(of(result, "V15").empty(), !before);
        }
    }
    void V16_countsWhatIsMissingAndDoubled()
    {
        const ProgramPtr good = ring(4);
        // Rank 2 overwrites where it should add: rank 2's own contribution is lost.
        const Verification lost = verify(changed(good, [](ExplicitBody& body) {
            const std::uint32_t op = body.rankBegin[2];
            QCOMPARE(body.kind[op], OpKind::ReceiveReduce);
            body.kind[op] = OpKind::Receive;
        }));
        QVERIFY(!lost.valid);
        QCOMPARE(lost.postcondition, Postcondition::Fails);
        QCOMPARE(of(lost, "V16").size(), std::size_t{4});
        QVERIFY2(said(lost).contains("Input 1 of rank 0 misses input 1 of rank 2") || said(lost).contains("Output 1 of rank 0 misses input 1 of rank 2"), said(lost));
    }
    void tellsHowFarItIs()
    {
        ProgramBuilder b(CollectiveOp::Broadcast, 2, 1); // 150,000 steps of each of two lanes, in both modes.
        b.header().inPlace = b.header().outOfPlace = true;
        b.local({0, I, 0}, {0, O, 0}, 1, on(0));
        for (int i = 0; i < 150'000; ++i)
            b.transfer({0, I, 0}, {1, O, 0}, 1, on(0));
        const ProgramPtr large = b.finish("large", "test");
        Program tree = *large;
        TemplateBody body;
        body.axes = {4096, 4};
        body.phases = {{PhaseKind::ReduceScatter, Algorithm::Ring, 1, 0, false}, {PhaseKind::AllReduce, Algorithm::DoubleBinaryTree, 0, 0, false},
                       {PhaseKind::AllGather, Algorithm::Ring, 1, 0, false}};
        tree.op = CollectiveOp::AllReduce;
        tree.ranks = 4 * 4096;
        tree.body = body;
        for (const Program& program : {*large, tree}) {
            std::vector<double> told;
            VerifyOptions options;
            options.progress = [&told](double share) { told.push_back(share); };
            QVERIFY(verify(program, options).valid);
            QVERIFY(told.size() > 5);
            QVERIFY(std::is_sorted(told.begin(), told.end()));
            QVERIFY(told.front() >= 0);
            QCOMPARE(told.back(), 1.0);
            double widest = told.front();
            for (std::size_t i = 1; i < told.size(); ++i)
                widest = std::max(widest, told[i] - told[i - 1]);
            QVERIFY2(widest < 0.5, QByteArray::number(widest).constData());
            // A check that is stopped does not come to its end.
            std::stop_source stop;
            options.stop = stop.get_token();
            told.clear();
            options.progress = [&](double share) {
                told.push_back(share);
                stop.request_stop();
            };
            QVERIFY(verify(program, options).cancelled);
            QVERIFY(told.back() < 1);
        }
    }
    void V18_wantsChunksForEveryRank()
    {
        for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::Gather, CollectiveOp::ReduceScatter, CollectiveOp::Scatter, CollectiveOp::AllToAll}) {
            for (const std::int32_t chunks : {1, 2, 3, 4, 7}) { // Of two ranks.
                Program program = *ProgramBuilder(op, 2, 2).finish("empty", "test");
                program.chunks = chunks;
                const Verification result = verify(program);
                QVERIFY(!result.valid); // Nothing is moved, so the odd ones are wrong in another way.
                QCOMPARE(of(result, "V18").size(), std::size_t{chunks % 2 == 0 ? 0u : 1u});
                if (chunks % 2 != 0)
                    QVERIFY2(said(result).contains(QByteArray::number(chunks) + " chunks are not divisible by 2 ranks"), said(result));
            }
        }
        Program odd = *ring(2);
        odd.chunks = 3;
        QVERIFY(of(verify(odd), "V18").empty()); // An all-reduce takes any number.
    }
    void V19_namesWhatNobodyNeeds()
    {
        ProgramBuilder b = exchange(); // Rank 1: receive 3, send 4, copy 5.
        How how;
        how.sendLane = 0;
        b.local({1, I, 0}, {1, S, 3}, 1, how);
        const Verification dead = verify(*b.finish("dead write", "test"));
        QVERIFY2(dead.valid, said(dead));
        QCOMPARE(of(dead, "V19").size(), std::size_t{2});
        QCOMPARE(of(dead, "V19")[0].severity, Severity::Note);
        // Scratch 0 to 2 is never used, scratch 3 only written: of the rank, and of the copy in lane 0.
        QCOMPARE(of(dead, "V19")[0].rank, 1);
        QCOMPARE(of(dead, "V19")[0].buffer, S);
        QCOMPARE(of(dead, "V19")[0].chunk, 0);
        QVERIFY2(of(dead, "V19")[0].message.find("3 of its 4 scratch chunks") != std::string::npos, said(dead));
        QCOMPARE(of(dead, "V19")[1].operations, (std::vector<std::uint32_t>{6}));
        QCOMPARE(of(dead, "V19")[1].lane, 0);
        QCOMPARE(of(dead, "V19")[1].step, 2);
        QCOMPARE(of(dead, "V19")[1].buffer, S);
        QCOMPARE(of(dead, "V19")[1].chunk, 3);
        QCOMPARE(dead.wastedTransfers, std::int64_t{0});

        // The same block twice: the second time it is there already, and the first is not read before.
        ProgramBuilder c = exchange();
        How again;
        again.sendLane = 0;
        again.receiveLane = 1;
        c.transfer({0, I, 0}, {1, O, 0}, 1, again);
        const Verification twice = verify(*c.finish("twice", "test"));
        QVERIFY2(twice.valid, said(twice));
        QCOMPARE(twice.wastedTransfers, std::int64_t{2});
        std::vector<std::uint32_t> named;
        for (const VerifyFinding& finding : of(twice, "V19"))
            named.insert(named.end(), finding.operations.begin(), finding.operations.end());
        std::sort(named.begin(), named.end());
        QCOMPARE(named, (std::vector<std::uint32_t>{4, 7})); // Rank 0 has four operations now: rank 1 receives first and last. The first is written over.
        VerifyOptions quiet;
        quiet.hints = false;
        QVERIFY(of(verify(*exchange().finish("exchange", "test"), quiet), "V19").empty());
    }
    void V20_namesWhatTheExecutorRefuses()
    {
        const auto steps = [](std::int32_t count) { // Copies of rank 1's input, in lane 0.
            ProgramBuilder b = exchange();
            for (std::int32_t i = 2; i < count; ++i)
                b.local({1, I, 0}, {1, S, 0}, 1, on(0));
            return verify(*b.finish("long", "test"));
        };
        QVERIFY2(of(steps(256), "V20").empty(), said(steps(256)));
        const std::vector<VerifyFinding> tooLong = of(steps(257), "V20");
        QCOMPARE(tooLong.size(), std::size_t{1});
        QVERIFY(tooLong[0].severity == Severity::Note && tooLong[0].rank == 1 && tooLong[0].lane == 0);
        QVERIFY2(tooLong[0].message.find("257 steps") != std::string::npos, tooLong[0].message.c_str());

        const auto wide = [](std::int32_t count) {
            ProgramBuilder b(CollectiveOp::Broadcast, 2, count);
            b.header().outOfPlace = false;
            b.transfer({0, I, 0}, {1, I, 0}, count, on(0));
            return verify(*b.finish("wide", "test"));
        };
        QVERIFY(wide(72).valid && of(wide(71), "V20").empty());
        QCOMPARE(of(wide(72), "V20").size(), std::size_t{1});
        QCOMPARE(of(wide(72), "V20")[0].operations, (std::vector<std::uint32_t>{0}));

        const auto fan = [](std::int32_t targets) { // One channel, a lane for every target.
            ProgramBuilder b(CollectiveOp::Broadcast, targets + 1, 1);
            b.header().outOfPlace = false;
            for (std::int32_t target = 1; target <= targets; ++target) {
                How how = on(0);
                how.sendLane = target;
                b.transfer({0, I, 0}, {target, I, 0}, 1, how);
            }
            return verify(*b.finish("fan", "test"));
        };
        QVERIFY(fan(33).valid && of(fan(32), "V20").empty());
        QCOMPARE(of(fan(33), "V20").size(), std::size_t{1});
        QCOMPARE(of(fan(33), "V20")[0].rank, 0);

        const auto waitsFor = [](std::int32_t lane) {
            ProgramBuilder b = exchange();
            const auto first = b.local({1, I, 0}, {1, S, 0}, 1, on(lane));
            b.depend(b.local({1, S, 0}, {1, S, 1}, 1, on(0)), first);
            return verify(*b.finish("far", "test"));
        };
        QVERIFY(waitsFor(128).valid && of(waitsFor(127), "V20").empty());
        QCOMPARE(of(waitsFor(128), "V20").size(), std::size_t{1});
        QCOMPARE(of(waitsFor(128), "V20")[0].rank, 1);
        QCOMPARE(of(waitsFor(128), "V20")[0].step, 2);
    }
};

FABRICSCOPE_TEST(TestVerify)
#include "tst_verify.moc"
