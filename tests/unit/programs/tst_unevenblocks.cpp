// Collectives by levels whose blocks differ in size: values by execution and by the verifier, traffic and steps by hand.

#include "core/base/index.h"
#include "core/generate/unevenblocks.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/oracles/symbolic.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::array kOps{CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather};
constexpr std::array kSteps{Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling};

/// All slots but some.
std::vector<std::int32_t> without(std::int32_t end, const std::vector<std::int32_t>& gaps)
{
    std::vector<std::int32_t> out;
    for (std::int32_t slot = 0; slot < end; ++slot) {
        if (std::find(gaps.begin(), gaps.end(), slot) == gaps.end())
            out.push_back(slot);
    }
    return out;
}

/// Chunks each rank sends and receives, both halves together.
struct Traffic {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
};

Traffic trafficOf(const Program& program)
{
    Traffic traffic{std::vector<std::int64_t>(at(program.ranks), 0), std::vector<std::int64_t>(at(program.ranks), 0)};
    const ExplicitBody& body = program.asExplicit();
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::size_t op = body.rankBegin[at(rank)]; op < body.rankBegin[at(rank) + 1]; ++op) {
            if (body.kind[op] == OpKind::Send)
                traffic.sent[at(rank)] += body.count[op];
            else if (receives(body.kind[op]))
                traffic.received[at(rank)] += body.count[op];
        }
    }
    return traffic;
}

QString textOf(const UnevenRequest& request)
{
    QString text = QString::fromStdString(std::string(collectiveKey(request.op))) + QString(", %1 chunks, slots").arg(request.chunks);
    for (const std::int32_t slot : request.places)
        text += ' ' + QString::number(slot);
    text += " of";
    for (std::size_t level = 0; level < request.extents.size(); ++level)
        text += QString(" %1 (%2)").arg(request.extents[level]).arg(QString::fromStdString(std::string(algorithmKey(request.algorithms[level]))));
    return text;
}

} // namespace

class UnevenBlocksTest : public QObject {
    Q_OBJECT

private slots:
    /// Levels, gaps, algorithms and chunks at random: whatever is taken away, every rank ends with what the collective asks, in any order of what may go at the
    /// same time, and the verifier finds nothing.
    void anyGapsLeaveTheResultRight()
    {
        std::mt19937_64 random(seeded(41));
        const auto draw = [&random](int first, int last) { return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)); };
        for (int round = 0; round < cases(120); ++round) {
            UnevenRequest request;
            request.op = kOps[random() % kOps.size()];
            std::int32_t size = 1;
            for (int level = draw(1, 3); level > 0; --level) {
                request.extents.push_back(draw(2, 5));
                request.algorithms.push_back(kSteps[random() % kSteps.size()]);
                size *= request.extents.back();
            }
            std::vector<std::int32_t> all(at(size));
            std::iota(all.begin(), all.end(), 0);
            std::shuffle(all.begin(), all.end(), random);
            all.resize(at(draw(2, size)));
            std::sort(all.begin(), all.end());
            request.places = std::move(all);
            request.chunks = draw(1, 3);
            const auto program = unevenProgram(request);
            QVERIFY2(program, qPrintable(textOf(request)));
            QCOMPARE(textOf(request) + QString::fromStdString(runSymbolically(*program.value(), true, random())), textOf(request));
            VerifyOptions options;
            options.hints = false;
            const Verification verified = verify(*program.value(), options);
            QVERIFY2(verified.findings.empty(), qPrintable(textOf(request) + ": " + (verified.findings.empty() ? QString() : QString::fromStdString(verified.findings.front().message))));
        }
    }

    /// No rank gets a part twice: each has 1/n of the vector in the end and gets the rest, in an all-reduce once to add its own and once to keep. So all together send
    /// n (n - 1) parts each way, the least there is.
    void everyPartGoesOnceToEachRank()
    {
        for (const Algorithm algorithm : kSteps) {
            for (const CollectiveOp op : kOps) {
                const auto program = unevenProgram({op, {4, 3, 2}, without(24, {3, 4, 5, 22}), {algorithm, algorithm, algorithm}, 1, "by hand"});
                QVERIFY(program);
                const Traffic traffic = trafficOf(*program.value());
                const std::int64_t ways = op == CollectiveOp::AllReduce ? 2 : 1;
                QCOMPARE(std::accumulate(traffic.sent.begin(), traffic.sent.end(), std::int64_t{0}), ways * 20 * 19);
                for (std::size_t rank = 0; rank < 20 && op == CollectiveOp::AllGather; ++rank)
                    QCOMPARE(traffic.received[rank], 19);
            }
        }
    }

    /// Three hosts of 3 NPUs, one without its NPU 2: slots are 3 NPU + host, that of NPU 2 in host 2 is a gap. All-gather of 8 parts. Between hosts every NPU gets those of its like
    /// in two other hosts, in host 2 also one of the two parts of NPU 2 of hosts 0 and 1; what NPU 2 of host 0 gets is that of host 1 only. Inside hosts
    /// it gets the rest.
    void aHostWithoutAnNpuSharesItsParts()
    {
        const auto program = unevenProgram({CollectiveOp::AllGather, {3, 3}, without(9, {8}), {Algorithm::Direct, Algorithm::Direct}, 1, "by hand"});
        QVERIFY(program);
        const ExplicitBody& body = program.value()->asExplicit();
        QString between;
        for (std::int32_t rank = 0; rank < 8; ++rank) {
            for (std::size_t op = body.rankBegin[at(rank)]; op < body.rankBegin[at(rank) + 1]; ++op) {
                if (body.kind[op] == OpKind::Send && body.tagsOf(op).dimension == 1)
                    between += QString("%1>%2:%3 ").arg(rank).arg(body.peer[op]).arg(body.chunk[op]);
            }
        }
        QStringList moves = between.trimmed().split(' ');
        moves.sort();
        // Ranks: NPU 0 of hosts 0-2 are 0-2, NPU 1 are 3-5, NPU 2 of hosts 0 and 1 are 6 and 7. Parts 6 and 7 go to host 2's NPUs 2 and 5.
        QStringList expected{"0>1:0", "0>2:0", "1>0:1", "1>2:1", "2>0:2", "2>1:2", "3>4:3", "3>5:3", "4>3:4", "4>5:4", "5>3:5", "5>4:5", "6>7:6", "7>6:7", "6>2:6", "7>5:7"};
        expected.sort();
        QCOMPARE(moves, expected);
    }

    /// Blocks of different size in steps: of 5 blocks distances 1, 2, 4, of 4 a ring takes 3 steps. Steps of a level are those of its largest block.
    void stepsAreThoseOfTheLargestBlock()
    {
        const auto program = unevenProgram({CollectiveOp::AllGather, {4, 5}, without(20, {7}), {Algorithm::Ring, Algorithm::HalvingDoubling}, 1, "by hand"});
        QVERIFY(program);
        const ExplicitBody& body = program.value()->asExplicit();
        std::vector<std::int32_t> steps(2, 0);
        for (std::size_t op = 0; op < body.size(); ++op)
            steps[at(body.tagsOf(op).dimension)] = std::max(steps[at(body.tagsOf(op).dimension)], body.step[op] + 1);
        QCOMPARE(steps, (std::vector<std::int32_t>{3, 3}));
    }

    void tooManyTransfersAreRefused()
    {
        // 2^12 ranks in one block, all pairs: 16 million transfers.
        std::vector<std::int32_t> places(1 << 12);
        std::iota(places.begin(), places.end(), 0);
        const auto refused = unevenProgram({CollectiveOp::AllGather, {1 << 12}, places, {Algorithm::Direct}, 1, "large"});
        QVERIFY(!refused && refused.error().code == ErrorCode::Unsupported);
        // With several chunks the blocks of a gather do not lie side by side: each of the 255 x 254 x 4 parts is a transfer.
        const UnevenRequest gather{CollectiveOp::AllGather, {8, 32}, without(256, {7}), {Algorithm::HalvingDoubling, Algorithm::HalvingDoubling}, 4, "gather"};
        const auto fits = unevenProgram(gather);
        QVERIFY(fits);
        const Traffic traffic = trafficOf(*fits.value());
        QCOMPARE(std::accumulate(traffic.sent.begin(), traffic.sent.end(), std::int64_t{0}), std::int64_t{255} * 254 * 4);
        UnevenRequest larger = gather; // 1023 x 1022 x 4 parts are above four million.
        larger.extents = {8, 128};
        larger.places = without(1024, {7});
        const auto many = unevenProgram(larger);
        QVERIFY(!many && many.error().code == ErrorCode::Unsupported);
    }

    void stopsWhenTold()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = unevenProgram({CollectiveOp::AllReduce, {4, 4}, without(16, {3}), {Algorithm::Ring, Algorithm::Ring}, 1, "stopped", stop.get_token()});
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(UnevenBlocksTest)

#include "tst_unevenblocks.moc"
