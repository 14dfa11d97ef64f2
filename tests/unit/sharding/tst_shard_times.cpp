// Partitioned programs as task graphs: work, groups, messages and loops by hand; their times on small platforms; what would remove a collective.
#include "core/run/simulateshard.h"
#include "core/plan/sharded/localwork.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/shardcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ShardProblem problemOf(const std::string& body)
{
    auto problem = readShardText("fabricscope: 1\nshard:\n" + body, "case");
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return std::move(problem).value();
}

/// A ring of NPUs of 1 TFLOP/s and 1 TB/s whose links carry 1 GB/s without latency: a byte takes 1 ns.
Design ringOf(int npus)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: " + std::to_string(npus)
                                     + ", bandwidth: 1 GB/s, latency: 0 ns}]\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "platform");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

/// y[64, 16] = x[64, 256] w[256, 16], 4 devices, w cut along the contracted dim: it is gathered, 4 kB from each (fp32).
std::string gatheredProduct(bool looped)
{
    return std::string("  mesh: {x: 4}\n  tensors: {x: [64, 256], w: [256, 16]}\n  ops: [{name: y, op: einsum, eq: \"mk,kn->mn\", in: [x, w]}]\n"
                       "  annotations: [{tensor: x, dims: [[x], []], closed: [0, 1]}, {tensor: w, dims: [[x], []], closed: [0, 1]}, {tensor: y, dims: [[x], []]}]\n  options: {windowed_einsum: ")
        + (looped ? "true}\n" : "false}\n");
}

constexpr std::int64_t kNs = 1000;
constexpr std::int64_t kRounding = 8; ///< Picoseconds: every message is rounded up, and its end.

} // namespace

class ShardTimesTest : public QObject {
    Q_OBJECT

private slots:
    /// 16 of 64 rows each: 2 x 16 x 256 x 16 FLOPs; reads 16 x 256 and 256 x 16, writes 16 x 16 numbers of 4 bytes.
    void workIsThatOfLocalShapes()
    {
        const ShardPlan plan = partition(problemOf(gatheredProduct(false))).value();
        const auto product = std::ranges::find(plan.program.steps, StepKind::Local, &ProgramStep::kind);
        QVERIFY(product != plan.program.steps.end());
        const LocalWork work = localWork(plan.program, *product);
        QCOMPARE(work.flops, std::int64_t{2} * 16 * 256 * 16);
        QCOMPARE(work.bytes, std::int64_t{4} * (16 * 256 + 256 * 16 + 16 * 16));
        const ShardPlan conv = partition(problemOf("  mesh: {x: 2}\n  tensors: {x: [4, 8, 8, 6], k: [3, 3, 3, 10]}\n"
                                                   "  ops: [{name: y, op: conv, in: [x, k], window: [3, 3], pad: [[1, 1], [1, 1]], groups: 2}]\n  annotations: [{tensor: x, dims: [[x], [], [], []]}]\n")).value();
        const auto step = std::ranges::find(conv.program.steps, StepKind::Local, &ProgramStep::kind);
        // 2 images of 8 x 8 x 10 results, each from 3 x 3 places of the 3 channels of its group.
        QCOMPARE(localWork(conv.program, *step).flops, std::int64_t{2} * (2 * 8 * 8 * 10) * (3 * 3 * 3));
    }

    /// Of 2 of 4 matrices of 6 x 6: n^3 / 3 for each, 6 x 6 per right side, 5 n log2 n for 64 points; nothing of what is not known, a scalar too.
    void workOfWholeMatricesIsThatOfTheirFunctions()
    {
        const auto flops = [](const std::string& function, const std::string& result) {
            const ShardPlan plan = partition(problemOf("  mesh: {x: 2}\n  tensors: {a: [4, 6, 6]}\n  ops: [{name: y, op: opaque, in: [a], function: " + function + ", batch: 1, shape: " + result + "}]\n  annotations: [{tensor: a, dims: [[x], [], []]}]\n")).value();
            return localWork(plan.program, *std::ranges::find(plan.program.steps, StepKind::Local, &ProgramStep::kind)).flops;
        };
        QCOMPARE(flops("cholesky", "[4, 6, 6]"), std::int64_t{2} * 72);
        QCOMPARE(flops("triangular_solve left", "[4, 6, 3]"), std::int64_t{2} * 3 * 36);
        QCOMPARE(flops("fft FFT", "[4, 64]"), std::int64_t{2} * 5 * 64 * 6);
        QCOMPARE(flops("call f", "[4, 6]"), std::int64_t{0});
        const ShardPlan scalar = partition(problemOf("  mesh: {x: 2}\n  tensors: {a: []}\n  ops: [{name: y, op: opaque, in: [a], function: cholesky, shape: []}]\n")).value();
        QCOMPARE(localWork(scalar.program, scalar.program.steps.back()).flops, std::int64_t{0});
    }

    /// All-gather on a ring of 4: three times a shard of 4096 B. The product: 131072 FLOPs take 131.072 ns, its 33792 B 33.792 ns.
    void stepsOneAfterAnotherTakeTheSumOfTheirTimes()
    {
        const ShardPlan plan = partition(problemOf(gatheredProduct(false))).value();
        const ShardTimes times = simulateSharding(ringOf(4), plan.program, {}).value();
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < times.stepPs.size(); ++s) {
            sum += std::max<std::int64_t>(times.stepPs[s], 0);
            if (plan.program.steps[s].kind == StepKind::AllGather)
                QVERIFY2(times.stepPs[s] >= 3 * 4096 * kNs / 2 && times.stepPs[s] <= 3 * 4096 * kNs + kRounding, qPrintable(QString::number(times.stepPs[s]))); // A ring of two directions at best halves it.
        }
        QCOMPARE(times.computePs, std::int64_t{131072});
        QCOMPARE(times.finishPs, sum);
        QCOMPARE(times.exposedPs, times.finishPs - times.computePs);
    }

    /// A looped product is four parts of 32.768 ns beside three messages of 4096 ns: the last shard is there after 12288 ns.
    void loopedProductsRunBesideTheirShards()
    {
        const ShardPlan plan = partition(problemOf(gatheredProduct(true))).value();
        const ShardedWorkload lowered = lowerSharding(plan.program).value();
        const RankGraph& graph = lowered.workload->graph(0);
        std::int64_t operations = 0;
        std::map<TaskKind, int> kinds;
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            ++kinds[graph.kind[static_cast<std::size_t>(task)]];
            operations += graph.operations[static_cast<std::size_t>(task)];
        }
        QCOMPARE(kinds[TaskKind::Compute], 4);
        QCOMPARE(kinds[TaskKind::Send], 3);
        QCOMPARE(kinds[TaskKind::Receive], 3);
        QCOMPARE(kinds[TaskKind::Collective], 0);
        QCOMPARE(operations, std::int64_t{131072});
        const ShardTimes times = simulateSharding(ringOf(4), plan.program, {}).value();
        QVERIFY2(std::abs(times.finishPs - (3 * 4096 * kNs + 32768)) <= kRounding, qPrintable(QString::number(times.finishPs)));
        // On links a thousand times faster the product hides all but the first wait: 4 parts of 32.768 ns, each longer than 4.096 ns.
        Design fast = ringOf(4);
        auto spec = std::make_shared<PlatformSpec>(*fast.platform);
        spec->dimensions[0].bandwidth = Quantity{1, "TB/s", Measure::Bandwidth};
        fast.platform = spec;
        QCOMPARE(simulateSharding(fast, plan.program, {}).value().finishPs, std::int64_t{131072});
    }

    /// What one sends another receives, as much, and a device sends as many bytes in all as the partitioner counted for its part by another way.
    void messagesOfHalosAndPermutesPairUp()
    {
        int halos = 0;
        int permutes = 0;
        for (const std::uint64_t seed : Seeds(91'000, 400, 60)) {
            ShardCaseOptions options;
            options.focused = seed % 2 == 0;
            if (seed % 3 == 0)
                options.kind = GraphOpKind::Conv;
            const auto plan = partition(drawnShard(seed, options));
            if (!plan)
                continue;
            const PartitionedProgram& program = plan.value().program;
            const auto lowered = lowerSharding(program);
            QVERIFY2(lowered, qPrintable(QString::number(seed)));
            for (std::size_t s = 0; s < program.steps.size(); ++s) {
                const ProgramStep& step = program.steps[s];
                if (step.kind != StepKind::HaloExchange && step.kind != StepKind::Permute)
                    continue;
                (step.kind == StepKind::HaloExchange ? halos : permutes) += 1;
                std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t>> sent, received;
                std::map<std::int64_t, std::int64_t> bySender;
                for (std::int32_t rank = 0; rank < lowered.value().workload->rankCount; ++rank) {
                    const RankGraph& graph = lowered.value().workload->graph(rank);
                    for (TaskIndex t = lowered.value().steps[s].first; t < lowered.value().steps[s].end; ++t) {
                        const auto i = static_cast<std::size_t>(t);
                        if (graph.kind[i] == TaskKind::Send) {
                            sent.insert({rank, graph.peerRank(t, rank), graph.bytes[i]});
                            bySender[rank] += graph.bytes[i];
                        } else if (graph.kind[i] == TaskKind::Receive) {
                            received.insert({graph.peerRank(t, rank), rank, graph.bytes[i]});
                        }
                    }
                }
                QVERIFY2(sent == received, qPrintable(QString::number(seed)));
                for (std::int64_t position = 0; position < program.mesh.devices() && step.kind == StepKind::HaloExchange; ++position)
                    QCOMPARE(bySender[program.mesh.deviceAt(position)], step.sentByIndex[static_cast<std::size_t>(shardIndex(program.mesh, step.axes, position))]);
            }
        }
        QVERIFY2(halos >= 5 && permutes >= 1, qPrintable(QStringLiteral("%1 %2").arg(halos).arg(permutes)));
    }

    /// Device 2 stands at position 0. Groups along y are positions (0, 1) and (2, 3): devices (2, 0) and (3, 1).
    void groupsFollowTheOrderOfDevices()
    {
        const std::string text = "  mesh: {x: 2, y: 2}\n  device_order: [2, 0, 3, 1]\n  tensors: {a: [8, 8], b: [8, 4]}\n  ops: [{name: c, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}]\n"
                                 "  annotations: [{tensor: a, dims: [[x], [y]]}]\n  wanted: {c: [[x], []]}\n";
        const ShardedWorkload lowered = lowerSharding(partition(problemOf(text)).value().program).value();
        QCOMPARE(lowered.workload->families.size(), std::size_t{2});
        const GroupFamily& family = lowered.workload->families[1];
        QCOMPARE(QString::fromStdString(family.name()), QString("y"));
        const auto two = family.membership(2);
        QCOMPARE(two.position, 0);
        QCOMPARE(family.member(two.group, 1), 0);
        QCOMPARE(family.member(family.membership(3).group, 1), 1);
        QVERIFY(family.membership(3).group != two.group);
    }

    void whatRemovesACollectiveDoes()
    {
        const ShardProblem problem = problemOf(gatheredProduct(false));
        const ShardPlan plan = partition(problem).value();
        const ShardTimes times = simulateSharding(ringOf(4), plan.program, {}).value();
        const auto removals = shardRemovals(ringOf(4), problem, plan, times, {});
        QVERIFY(removals && !removals.value().empty());
        std::int64_t last = 0;
        for (const ShardRemoval& removal : removals.value()) {
            ShardProblem changed = problem;
            std::erase_if(changed.annotations, [&](const TensorAnnotation& note) { return note.tensor == removal.tensor; });
            if (removal.note)
                changed.annotations.push_back(*removal.note);
            const ShardPlan other = partition(changed).value();
            QVERIFY(std::ranges::none_of(other.program.steps, [&](const ProgramStep& step) { return step.kind == StepKind::AllGather && other.program.value(step.out).name == "w"; }));
            QCOMPARE(removal.finishPs, simulateSharding(ringOf(4), other.program, {}).value().finishPs);
            QVERIFY(removal.finishPs >= last); // Fastest first.
            last = removal.finishPs;
        }
        // A whole w on every device leaves the product alone.
        QCOMPARE(removals.value().front().finishPs, std::int64_t{131072});
        QVERIFY(removals.value().front().text.find("w") != std::string::npos);
    }

    void whatCannotBeSimulatedIsRefused()
    {
        const ShardPlan plan = partition(problemOf(gatheredProduct(false))).value();
        QVERIFY(!simulateSharding(ringOf(2), plan.program, {}));
        Design bare = ringOf(4);
        auto spec = std::make_shared<PlatformSpec>(*bare.platform);
        spec->npu.peak.reset();
        bare.platform = spec;
        const auto refused = simulateSharding(bare, plan.program, {});
        QVERIFY(!refused && refused.error().message.find("no peak rate") != std::string::npos);
        // 65536 devices of 64 halo exchanges: as many tasks as ranks times steps.
        std::string chain = "  mesh: {x: 65536}\n  tensors: {x0: [1, 131072, 1, 1], k: [3, 1, 1, 1]}\n  annotations: [{tensor: x0, dims: [[], [x], [], []]}]\n  ops:\n";
        for (int i = 0; i < 64; ++i)
            chain += "    - {name: x" + std::to_string(i + 1) + ", op: conv, in: [x" + std::to_string(i) + ", k], window: [3, 1], pad: [[1, 1], [0, 0]]}\n";
        const auto many = lowerSharding(partition(problemOf(chain)).value().program);
        QVERIFY(!many && many.error().code == ErrorCode::Unsupported && many.error().text().find("4000000") != std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = simulateSharding(ringOf(4), plan.program, {}, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(ShardTimesTest)
#include "tst_shard_times.moc"
