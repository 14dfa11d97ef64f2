// The verifier against plain execution in many orders, on thousands of small random programs and their mutations.
#include "core/program/programbuilder.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/oracles/orderproof.h"
#include "tests/unit/support/oracles/tinychecker.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr BufferKind I = BufferKind::Input;
constexpr BufferKind O = BufferKind::Output;
constexpr BufferKind S = BufferKind::Scratch;

using How = ProgramBuilder::How;

QByteArray said(const Verification& result)
{
    QByteArray text;
    for (const VerifyFinding& finding : result.findings)
        text += QByteArray::fromStdString(finding.rule + " " + finding.message + "\n");
    return text;
}

/// A right program: data spread along random trees (all-gather, broadcast), or are summed along them (reduce), over lanes given by the peer and
/// direction, so that every connection has one lane at each end.
ProgramPtr randomProgram(std::mt19937& random)
{
    const auto below = [&](int n) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(n)); };
    const std::int32_t ranks = 2 + below(4);
    const int which = below(3);
    const std::int32_t share = 1 + below(2);
    const CollectiveOp op = which == 0 ? CollectiveOp::AllGather : which == 1 ? CollectiveOp::Broadcast : CollectiveOp::Reduce;
    const std::int32_t chunks = op == CollectiveOp::AllGather ? ranks * share : share;
    const std::int32_t root = below(ranks);
    ProgramBuilder b(op, ranks, chunks, op == CollectiveOp::AllGather ? 0 : root);
    const bool inPlace = below(2) == 0;
    b.header().inPlace = inPlace;
    b.header().outOfPlace = !inPlace;
    const bool lanes = below(3) > 0;
    const auto how = [&](std::int32_t from, std::int32_t to, bool reduce) {
        How out;
        out.reduce = reduce;
        out.sendLane = lanes ? 2 * to : -1;
        out.receiveLane = lanes ? 2 * from + 1 : -1;
        return out;
    };
    const auto own = [&](std::int32_t rank) {
        How out = how(rank, rank, false);
        return out;
    };
    const auto spread = [&](std::int32_t from, std::int32_t index) { // Every rank gets it from one that has it.
        std::vector<std::int32_t> has{from};
        std::vector<std::int32_t> left;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            if (rank != from)
                left.push_back(rank);
        }
        std::shuffle(left.begin(), left.end(), random);
        for (const std::int32_t to : left) {
            const std::int32_t giver = has[static_cast<std::size_t>(below(static_cast<int>(has.size())))];
            b.transfer({giver, O, index}, {to, O, index}, 1, how(giver, to, false));
            has.push_back(to);
        }
    };
    if (op == CollectiveOp::Reduce) {
        // Sums go along a random tree: every rank adds to one that has not been sent yet.
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
            for (std::int32_t rank = 0; rank < ranks && !inPlace; ++rank)
                b.local({rank, I, chunk}, {rank, O, chunk}, 1, own(rank));
            std::vector<std::int32_t> left;
            for (std::int32_t rank = 0; rank < ranks; ++rank) {
                if (rank != root)
                    left.push_back(rank);
            }
            std::shuffle(left.begin(), left.end(), random);
            while (!left.empty()) {
                const std::int32_t from = left.back();
                left.pop_back();
                const std::int32_t pick = below(static_cast<int>(left.size()) + 1);
                const std::int32_t to = pick == static_cast<std::int32_t>(left.size()) ? root : left[static_cast<std::size_t>(pick)];
                if (below(4) == 0) { // By way of scratch.
                    b.transfer({from, O, chunk}, {to, S, from}, 1, how(from, to, false));
                    How sum = own(to);
                    sum.reduce = true;
                    b.local({to, S, from}, {to, O, chunk}, 1, sum);
                } else {
                    b.transfer({from, O, chunk}, {to, O, chunk}, 1, how(from, to, true));
                }
            }
        }
    } else {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            if (op == CollectiveOp::Broadcast && rank != root)
                continue;
            const std::int32_t first = op == CollectiveOp::AllGather ? rank * share : 0;
            for (std::int32_t k = 0; k < share; ++k) {
                if (!inPlace)
                    b.local({rank, I, k}, {rank, O, first + k}, 1, own(rank));
                spread(rank, first + k);
            }
        }
    }
    b.inferDependencies();
    return b.finish("random", "test");
}

/// One small change that keeps every operation inside its buffers and every message with a partner.
Program mutated(const Program& program, std::mt19937& random, bool& changed)
{
    Program out = program;
    ExplicitBody& body = std::get<1>(out.body);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t op = below(body.size());
    const std::int32_t rank = static_cast<std::int32_t>(std::upper_bound(body.rankBegin.begin(), body.rankBegin.end(), op) - body.rankBegin.begin()) - 1;
    const BufferSizes sizes = body.buffers[static_cast<std::size_t>(rank)];
    const auto sizeOf = [&](BufferKind buffer) { return buffer == I ? sizes.input : buffer == O ? sizes.output : sizes.scratch; };
    changed = false;
    switch (below(4)) {
    case 0: { // A dependency dropped.
        if (body.depends.empty())
            return out;
        const std::size_t at = below(body.depends.size());
        body.depends.erase(body.depends.begin() + static_cast<std::ptrdiff_t>(at));
        for (std::uint32_t& begin : body.dependBegin)
            begin -= begin > at ? 1 : 0;
        changed = true;
        break;
    }
    case 1: { // Another place read or written.
        const bool source = body.sourceBuffer[op] != BufferKind::None && below(2) == 0;
        const BufferKind buffer = source ? body.sourceBuffer[op] : body.targetBuffer[op];
        if (buffer == BufferKind::None)
            return out;
        std::int32_t& offset = source ? body.sourceOffset[op] : body.targetOffset[op];
        const auto other = static_cast<std::int32_t>(below(static_cast<std::size_t>(sizeOf(buffer))));
        changed = other != offset;
        offset = other;
        break;
    }
    case 2: // A sum turned into a move or the other way.
        if (body.kind[op] == OpKind::ReceiveReduce) {
            body.kind[op] = OpKind::Receive;
            changed = true;
        } else if (body.kind[op] == OpKind::Receive) {
            body.kind[op] = OpKind::ReceiveReduce;
            body.sourceBuffer[op] = body.targetBuffer[op];
            body.sourceOffset[op] = body.targetOffset[op];
            changed = true;
        }
        break;
    default: // Places of two operations swapped.
        for (std::size_t other = op + 1; other < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++other) {
            if (body.kind[other] != body.kind[op] || body.targetBuffer[other] != body.targetBuffer[op] || body.sourceBuffer[other] != body.sourceBuffer[op])
                continue;
            changed = body.sourceOffset[op] != body.sourceOffset[other] || body.targetOffset[op] != body.targetOffset[other];
            std::swap(body.sourceOffset[op], body.sourceOffset[other]);
            std::swap(body.targetOffset[op], body.targetOffset[other]);
            break;
        }
    }
    return out;
}

/// Groups in no lane, or of one: all in the lane of the rank.
bool hasLanes(const Program& program)
{
    const ExplicitBody& body = program.asExplicit();
    return std::none_of(body.lane.begin(), body.lane.end(), [](std::int32_t lane) { return lane < 0; });
}

} // namespace

class TestVerifyRandom : public QObject {
    Q_OBJECT

private slots:
    void acceptsRandomRightPrograms()
    {
        std::mt19937 random(seeded(1));
        for (int k = 0; k < cases(1500); ++k) {
            const ProgramPtr program = randomProgram(random);
            const Verification result = verify(*program);
            QVERIFY2(result.valid, said(result));
            QCOMPARE(result.postcondition, Postcondition::Holds);
        }
    }
    void agreesWithPlainExecutionOnMutations()
    {
        std::mt19937 random(seeded(2));
        int mutants = 0;
        int caught = 0;
        int onlyByOrder = 0;
        for (int k = 0; k < cases(6000); ++k) {
            const ProgramPtr program = randomProgram(random);
            if (program->asExplicit().size() > 40)
                continue;
            bool changed = false;
            const Program mutant = mutated(*program, random, changed);
            if (!changed)
                continue;
            ++mutants;
            VerifyOptions options;
            options.hints = false;
            const Verification result = verify(mutant, options);
            caught += result.valid ? 0 : 1;
            const TinyVerdict truth = runInManyOrders(mutant, mutant.inPlace, 24, static_cast<std::uint64_t>(k));
            const auto has = [&](const char* rule) {
                return std::any_of(result.findings.begin(), result.findings.end(), [&](const VerifyFinding& finding) { return finding.rule == rule; });
            };
            const bool race = has("V15");
            QCOMPARE(has("V12"), truth.stuck);
            if (result.valid) // No order may go wrong.
                QVERIFY2(!truth.stuck && !truth.wrong && !truth.undefined && !truth.differs, qPrintable(QString::number(k)));
            if (!race && !truth.stuck) { // Then all orders give the same.
                QVERIFY2(!truth.differs, qPrintable(QString::number(k)));
                QCOMPARE(has("V14"), truth.undefined);
                if (!truth.undefined)
                    QCOMPARE(result.postcondition == Postcondition::Fails, truth.wrong);
            }
            if (!race && !truth.stuck && !truth.wrong && !truth.undefined)
                QVERIFY2(result.valid, said(result));
            // The proof for all orders says the same of every rule, and what it calls right is right in every order tried.
            const OrderProof proof = proveOrders(mutant, mutant.inPlace);
            QCOMPARE(proof.stuck, truth.stuck);
            QCOMPARE(result.valid, proof.right());
            if (!proof.stuck)
                QCOMPARE(race, proof.race);
            if (proof.right())
                QVERIFY(!truth.wrong && !truth.undefined && !truth.differs);
            onlyByOrder += race && !truth.wrong && !truth.undefined ? 1 : 0;
        }
        QVERIFY(mutants > cases(1500));
        qInfo("%d mutants, %d found wrong (%.1f %%), the others are right in every order tried; %d of the races did no harm in the orders tried", mutants, caught,
              100.0 * caught / mutants, onlyByOrder);
    }
    void findsTheFewestSlotsOfTwoIterations()
    {
        std::mt19937 random(seeded(3));
        int looked = 0;
        for (int k = 0; k < cases(1500); ++k) {
            const ProgramPtr program = randomProgram(random);
            if (!hasLanes(*program))
                continue;
            ++looked;
            const Verification result = verify(*program);
            QVERIFY(result.minimumSlots >= 1);
            QVERIFY(finishesTwice(*program, result.minimumSlots));
            QVERIFY(result.minimumSlots == 1 || !finishesTwice(*program, result.minimumSlots - 1));
        }
        QVERIFY(looked > cases(500));
    }
};

FABRICSCOPE_TEST(TestVerifyRandom)
#include "tst_verify_random.moc"
