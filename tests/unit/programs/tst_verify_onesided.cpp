// The verifier on puts, signals, waits and operations of a switch: right programs pass, and each way to break one is named with its places.
#include "core/program/programbuilder.h"
#include "core/verify/verify.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

namespace {

using Row = ProgramBuilder::Row;

constexpr BufferKind I = BufferKind::Input;
constexpr BufferKind O = BufferKind::Output;
constexpr BufferKind S = BufferKind::Scratch;

QByteArray said(const Verification& result)
{
    QByteArray text;
    for (const VerifyFinding& finding : result.findings)
        text += QByteArray::fromStdString(finding.rule + " " + finding.message + "\n");
    return text.isEmpty() ? "nothing" : text;
}

/// Findings of severity Error.
std::vector<VerifyFinding> errors(const Verification& result)
{
    std::vector<VerifyFinding> out;
    for (const VerifyFinding& finding : result.findings) {
        if (finding.severity == Severity::Error)
            out.push_back(finding);
    }
    return out;
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

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> list)
{
    std::sort(list.begin(), list.end());
    return list;
}

/// In lane 0 unless `lane` says otherwise.
Row row(std::int32_t rank, OpKind kind, std::int32_t peer, BufferKind source = BufferKind::None, std::int32_t from = 0, BufferKind target = BufferKind::None,
        std::int32_t to = 0)
{
    Row out;
    out.rank = rank;
    out.kind = kind;
    out.peer = peer;
    out.lane = 0;
    out.sourceBuffer = source;
    out.sourceOffset = from;
    out.targetBuffer = target;
    out.targetOffset = to;
    return out;
}

/// Rank 0 broadcasts a chunk to rank 1, which has it put into scratch, and on to rank 2.
/// Columns: 0 copy, 1 put, 2 signal of rank 0; 3 wait, 4 copy, 5 put, 6 signal of rank 1; 7 wait of rank 2.
std::vector<Row> relay()
{
    return {row(0, OpKind::Copy, -1, I, 0, O, 0), row(0, OpKind::Put, 1, I, 0, S, 0), row(0, OpKind::Signal, 1),
            row(1, OpKind::Wait, 0),              row(1, OpKind::Copy, -1, S, 0, O, 0), row(1, OpKind::Put, 2, S, 0, O, 0),
            row(1, OpKind::Signal, 2),            row(2, OpKind::Wait, 1)};
}

ProgramPtr broadcast(const std::vector<Row>& rows)
{
    ProgramBuilder b(CollectiveOp::Broadcast, 3, 1);
    b.header().inPlace = false;
    for (const Row& one : rows)
        b.add(one);
    return b.finish("relay", "test");
}

Verification changedRelay(const std::function<void(std::vector<Row>&)>& change)
{
    std::vector<Row> rows = relay();
    change(rows);
    return verify(*broadcast(rows));
}

/// Every rank has its chunk summed in the switch and the sum copied to all. Columns of rank r: 2 r reduces, 2 r + 1 copies to all.
std::vector<Row> switchRows()
{
    std::vector<Row> rows;
    for (std::int32_t rank = 0; rank < 3; ++rank) {
        rows.push_back(row(rank, OpKind::SwitchReduce, 0, I, rank, O, rank));
        rows.push_back(row(rank, OpKind::SwitchMulticast, 0, O, rank, O, rank));
    }
    return rows;
}

Verification throughSwitch(const std::vector<Row>& rows, bool inPlace = false, std::vector<std::vector<std::int32_t>> teams = {{0, 1, 2}})
{
    ProgramBuilder b(CollectiveOp::AllReduce, 3, 3);
    b.header().inPlace = inPlace;
    b.header().outOfPlace = !inPlace;
    b.extras().teams = std::move(teams);
    for (BufferSizes& sizes : b.extras().buffers)
        sizes.scratch = 1;
    for (const Row& one : rows)
        b.add(one);
    return verify(*b.finish("switch", "test"));
}

} // namespace

class TestVerifyOneSided : public QObject {
    Q_OBJECT

private slots:
    void acceptsARelayOfPuts()
    {
        const Verification result = verify(*broadcast(relay()));
        QVERIFY2(result.valid && result.findings.empty(), said(result));
        QCOMPARE(result.postcondition, Postcondition::Holds);
        QCOMPARE(result.transfers, std::int64_t{2});
    }
    void aReadThatDoesNotWaitForTheSignalRaces()
    {
        const Verification early = changedRelay([](auto& rows) { std::swap(rows[3], rows[4]); }); // Copies, then waits.
        QCOMPARE(of(early, "V15").size(), std::size_t{1});
        QCOMPARE(sorted(of(early, "V15")[0].operations), (std::vector<std::uint32_t>{1, 3}));
        QCOMPARE(of(early, "V15")[0].buffer, S);
        QCOMPARE(of(early, "V15")[0].chunk, 0);
        const Verification other = changedRelay([](auto& rows) { rows[3].lane = 1; }); // Waits, but in another lane: copy and put do not.
        QCOMPARE(of(other, "V15").size(), std::size_t{2});
        for (const VerifyFinding& finding : of(other, "V15"))
            QCOMPARE(sorted(finding.operations)[0], 1u);
    }
    void aSignalBeforeThePutOrOnAnotherConnectionSaysNothingOfIt()
    {
        const Verification before = changedRelay([](auto& rows) { std::swap(rows[1], rows[2]); });
        QCOMPARE(sorted(of(before, "V15").at(0).operations), (std::vector<std::uint32_t>{2, 4}));
        QVERIFY(of(before, "V7").empty());
        const Verification elsewhere = changedRelay([](auto& rows) { rows[2].connection = rows[3].connection = 1; });
        QCOMPARE(sorted(of(elsewhere, "V15").at(0).operations), (std::vector<std::uint32_t>{1, 4}));
        QVERIFY(of(elsewhere, "V7").empty());
        // In another lane it must wait for the put.
        const Verification apart = changedRelay([](auto& rows) { rows[2].lane = 1; });
        QCOMPARE(sorted(of(apart, "V15").at(0).operations), (std::vector<std::uint32_t>{1, 4}));
        ProgramBuilder b(CollectiveOp::Broadcast, 3, 1);
        b.header().inPlace = false;
        std::vector<Row> rows = relay();
        rows[2].lane = 1;
        for (const Row& one : rows)
            b.add(one);
        b.depend(2, 1);
        const Verification waits = verify(*b.finish("relay", "test"));
        QVERIFY2(waits.valid, said(waits));
    }
    void signalsWithoutPartnerAreNamed()
    {
        const Verification lost = changedRelay([](auto& rows) { rows.erase(rows.begin() + 2); }); // Nobody signals rank 1, which waits in 2 now.
        QCOMPARE(of(lost, "V7").size(), std::size_t{1});
        QCOMPARE(of(lost, "V7")[0].operations, (std::vector<std::uint32_t>{2}));
        QCOMPARE(of(lost, "V7")[0].rank, 1);
        QCOMPARE(of(lost, "V7")[0].step, 0);
        const Verification left = changedRelay([](auto& rows) { rows.pop_back(); }); // Rank 2 takes no signal.
        QCOMPARE(errors(left).size(), std::size_t{1});
        QCOMPARE(errors(left)[0].rule, std::string("V7"));
        QCOMPARE(errors(left)[0].operations, (std::vector<std::uint32_t>{6}));
        const Verification lanes = changedRelay([](auto& rows) { // Two lanes signal on one connection, two wait.
            rows.push_back(row(0, OpKind::Signal, 1));
            rows.back().lane = 1;
            rows.push_back(row(1, OpKind::Wait, 0));
            rows.back().lane = 1;
        });
        QCOMPARE(of(lanes, "V6").size(), std::size_t{2});
        QCOMPARE(of(lanes, "V6")[0].rank, 0);
        QCOMPARE(of(lanes, "V6")[1].rank, 1);
    }
    void ranksThatWaitForEachOthersSignalAreARing()
    {
        const Verification result = changedRelay([](auto& rows) {
            rows.insert(rows.begin(), row(0, OpKind::Wait, 2)); // Rank 0 first waits for rank 2, which signals when it has been told.
            rows.push_back(row(2, OpKind::Signal, 0));
        });
        QCOMPARE(of(result, "V12").size(), std::size_t{1});
        const std::vector<std::uint32_t> ring = sorted(of(result, "V12")[0].operations);
        // Wait of rank 0 (0), its signal (3), wait and signal of rank 1 (4, 7), of rank 2 (8, 9), and what stands between them in the lanes.
        for (const std::uint32_t op : {0u, 3u, 4u, 7u, 8u, 9u})
            QVERIFY2(std::binary_search(ring.begin(), ring.end(), op), said(result));
    }
    void putsIntoTheWrongPlaceAreNamed()
    {
        const Verification outside = changedRelay([](auto& rows) { rows[5].targetOffset = 1; }); // Rank 2 has one chunk of output.
        QCOMPARE(of(outside, "V8").size(), std::size_t{1});
        QCOMPARE(of(outside, "V8")[0].operations, (std::vector<std::uint32_t>{5}));
        QVERIFY2(of(outside, "V8")[0].message.find("writes output 1 of rank 2") != std::string::npos, said(outside));
        const Verification own = changedRelay([](auto& rows) { rows[5].peer = 1; });
        QCOMPARE(of(own, "V4").size(), std::size_t{1});
        QVERIFY(of(own, "V4")[0].rank == 1 && of(own, "V4")[0].lane == 0 && of(own, "V4")[0].step == 2);
        const Verification nothing = changedRelay([](auto& rows) { rows[5].sourceBuffer = O, rows.erase(rows.begin() + 4); }); // The output was not copied to.
        QCOMPARE(of(nothing, "V14").size(), std::size_t{1});
        QCOMPARE(of(nothing, "V14")[0].operations, (std::vector<std::uint32_t>{4}));
        QCOMPARE(of(nothing, "V14")[0].buffer, O);
        QCOMPARE(nothing.postcondition, Postcondition::Fails);
        const Verification wasted = changedRelay([](auto& rows) { rows[5].targetBuffer = S; }); // Rank 2 does not look into its scratch.
        QCOMPARE(wasted.postcondition, Postcondition::Fails);
        QCOMPARE(of(wasted, "V16").size(), std::size_t{1});
        QVERIFY(of(wasted, "V16")[0].rank == 2 && of(wasted, "V16")[0].buffer == O && of(wasted, "V16")[0].chunk == 0);
    }
    void aPlaceIsPutToAgainOnlyWhenItsReaderHasSaidSo()
    {
        // Two chunks through one chunk of scratch of rank 1.
        const auto program = [](bool told, std::int32_t connection) {
            ProgramBuilder b(CollectiveOp::Broadcast, 2, 2);
            b.header().inPlace = false;
            for (std::int32_t chunk = 0; chunk < 2; ++chunk) {
                if (chunk == 1 && told) {
                    Row back = row(0, OpKind::Wait, 1);
                    back.connection = connection;
                    b.add(back);
                }
                b.add(row(0, OpKind::Put, 1, I, chunk, S, 0));
                b.add(row(0, OpKind::Signal, 1));
                b.add(row(0, OpKind::Copy, -1, I, chunk, O, chunk));
                b.add(row(1, OpKind::Wait, 0));
                b.add(row(1, OpKind::Copy, -1, S, 0, O, chunk));
                if (chunk == 0 && told) {
                    Row back = row(1, OpKind::Signal, 0);
                    back.connection = connection;
                    b.add(back);
                }
            }
            return verify(*b.finish("one place", "test"));
        };
        QVERIFY2(program(true, 0).valid, said(program(true, 0)));
        QVERIFY2(program(true, 3).valid, said(program(true, 3))); // A read is over with the lane; any signal tells of it.
        const Verification racy = program(false, 0);              // Rank 0: 0 put, 1 signal, 2 copy, 3 put; rank 1: 6 wait, 7 copy, 8 wait, 9 copy.
        QCOMPARE(errors(racy).size(), of(racy, "V15").size() + of(racy, "V16").size());
        QVERIFY(!of(racy, "V15").empty());
        bool named = false;
        for (const VerifyFinding& finding : of(racy, "V15"))
            named = named || sorted(finding.operations) == std::vector<std::uint32_t>{3, 7};
        QVERIFY2(named, said(racy));
    }
    void acceptsSumsAndCopiesOfASwitch()
    {
        for (const bool inPlace : {false, true}) {
            const Verification result = throughSwitch(switchRows(), inPlace);
            QVERIFY2(result.valid, said(result));
            QCOMPARE(result.postcondition, Postcondition::Holds);
            QCOMPARE(result.transfers, std::int64_t{6});
            QVERIFY(inPlace ? result.worksInPlace : result.worksOutOfPlace);
        }
    }
    void teamsThatDoNotFitAreNamed()
    {
        std::vector<Row> rows = switchRows();
        rows[2].peer = 1; // There is one team.
        Verification result = throughSwitch(rows);
        QCOMPARE(of(result, "V4").size(), std::size_t{1});
        QVERIFY(of(result, "V4")[0].rank == 1 && of(result, "V4")[0].lane == 0 && of(result, "V4")[0].step == 0);
        result = throughSwitch(rows, false, {{0, 1, 2}, {0, 2}}); // Rank 1 is no member of the team it uses; its sum misses rank 1.
        QCOMPARE(of(result, "V4").at(0).operations, (std::vector<std::uint32_t>{2}));
        QVERIFY2(said(result).contains("misses input 1 of rank 1"), said(result));
        result = throughSwitch(rows, false, {{0, 1, 2}, {1, 2}}); // A member, but rank 0 is left out.
        QVERIFY(of(result, "V4").empty());
        QCOMPARE(of(result, "V16").size(), std::size_t{3}); // Output 1 of every rank.
        for (const VerifyFinding& finding : of(result, "V16"))
            QVERIFY2(finding.chunk == 1 && finding.message.find("misses input 1 of rank 0") != std::string::npos, said(result));
        QCOMPARE(of(throughSwitch(switchRows(), false, {{0, 2, 1}}), "V4").size(), std::size_t{1}); // Not ascending.
        QCOMPARE(of(throughSwitch(switchRows(), false, {{0, 1, 3}}), "V4").size(), std::size_t{1}); // No such rank.
    }
    void sumsAndCopiesAtTheWrongPlaceAreNamed()
    {
        std::vector<Row> rows = switchRows();
        rows[4].sourceOffset = 3;
        Verification result = throughSwitch(rows);
        QCOMPARE(of(result, "V8").at(0).operations, (std::vector<std::uint32_t>{4}));
        rows = switchRows();
        rows[5].count = 2; // Outputs 2 and 3.
        result = throughSwitch(rows);
        QCOMPARE(of(result, "V8").at(0).operations, (std::vector<std::uint32_t>{5}));
        rows = switchRows();
        std::swap(rows[2], rows[3]); // Rank 1 copies before it has the sum.
        result = throughSwitch(rows);
        QCOMPARE(of(result, "V14").size(), std::size_t{1});
        QVERIFY(of(result, "V14")[0].rank == 1 && of(result, "V14")[0].step == 0 && of(result, "V14")[0].buffer == O && of(result, "V14")[0].chunk == 1);
        rows = switchRows();
        rows.pop_back(); // Nobody copies the sum of chunk 2 to ranks 0 and 1.
        result = throughSwitch(rows);
        QCOMPARE(errors(result).size(), std::size_t{2});
        for (const VerifyFinding& finding : errors(result))
            QVERIFY2(finding.rule == "V16" && finding.chunk == 2 && finding.rank < 2, said(result));
        rows = switchRows();
        rows[2].sourceOffset = 0; // Rank 1 sums chunk 0 into output 1 ...
        result = throughSwitch(rows);
        QVERIFY2(of(result, "V15").empty() && of(result, "V16").size() == 3, said(result));
        result = throughSwitch(rows, true); // ... in place while rank 0 has its sum copied there: they race, at every rank.
        bool named = false;
        for (const VerifyFinding& finding : of(result, "V15"))
            named = named || sorted(finding.operations) == std::vector<std::uint32_t>{1, 2};
        QVERIFY2(named, said(result));
    }
    void whatASwitchHasCopiedIsThereWhenASignalBehindItHasCome()
    {
        // Rank 1 moves its output 0 on into scratch: after rank 0's copy to all, of which a signal on the same connection tells.
        const auto program = [](bool waits, std::int32_t connection) {
            std::vector<Row> rows = switchRows();
            Row told = row(0, OpKind::Signal, 1);
            told.connection = connection;
            rows.push_back(told);
            Row wait = row(1, OpKind::Wait, 0);
            wait.connection = connection;
            const Row use = row(1, OpKind::Copy, -1, O, 0, S, 0);
            rows.push_back(waits ? wait : use);
            rows.push_back(waits ? use : wait);
            return throughSwitch(rows);
        };
        QVERIFY2(program(true, 0).valid, said(program(true, 0)));
        for (const Verification& racy : {program(false, 0), program(true, 1)}) {
            QCOMPARE(of(racy, "V15").size(), std::size_t{1});
            QCOMPARE(of(racy, "V15")[0].buffer, O);
            QCOMPARE(of(racy, "V15")[0].chunk, 0);
            QCOMPARE(sorted(of(racy, "V15")[0].operations)[0], 1u); // Rank 0's copy to all.
        }
    }
    void copiesOfASwitchNobodyNeedsAreWasted()
    {
        std::vector<Row> rows = switchRows();
        rows.push_back(row(2, OpKind::SwitchMulticast, 0, I, 2, S, 0));
        const Verification result = throughSwitch(rows);
        QVERIFY2(result.valid, said(result));
        QCOMPARE(result.wastedTransfers, std::int64_t{1});
        QCOMPARE(of(result, "V19").size(), std::size_t{1}); // The scratch is used now.
        QCOMPARE(of(result, "V19")[0].operations, (std::vector<std::uint32_t>{6}));
    }
};

FABRICSCOPE_TEST(TestVerifyOneSided)
#include "tst_verify_onesided.moc"
