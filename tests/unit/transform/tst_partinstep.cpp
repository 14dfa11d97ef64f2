// A part of a step in the whole step: what a schedule brings there, by hand.
#include "core/transform/partinstep.h"

#include "core/design/loadworkload.h"
#include "core/platform/platform.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::transform;

namespace {

/// What a design of the tests may differ in.
struct StepCase {
    std::string mesh = "{axes: [dp], shape: [4]}";
    std::string optimizer = "adam";
    std::string more{};           ///< Of the plan.
    std::string model{};          ///< Of the transformer.
    std::string memory = "1 TB/s";
    std::int64_t batch = 8;
    std::string algorithm = "auto";
    std::string dimensions = "{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}";
};

Design designOf(const StepCase& of)
{
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions: [" + of.dimensions + "]\n  npu: {peak: 10 TFLOP/s, memory_bandwidth: " + of.memory
        + ", memory: 80 GiB}\nworkload:\n  model:\n    family: transformer\n    dtype: {param: fp32, act: fp32, grad: fp32, master: fp32, moments: fp32}\n    optimizer: " + of.optimizer
        + "\n    transformer: {layers: 4, hidden: 64, heads: 4, ff: 256, vocab: 512, seq: 32" + of.model + "}\n    train: {global_batch: " + std::to_string(of.batch)
        + ", micro_batch: 2}\n  plan:\n    mesh: " + of.mesh + "\n" + of.more + "collectives: {default: {algorithm: " + of.algorithm + "}}\n";
    auto read = readDesignText(text, "step.yaml");
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return std::move(read).value().design;
}

WorkloadPtr workloadOf(const Design& design)
{
    const auto platform = Platform::create(*design.platform);
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    auto loaded = loadWorkload(design, platform.value());
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().workload;
}

/// A part cut out, transformed by the schedule published for it, and the step with it.
struct StepOutcome {
    PartOfStep part;
    Transformed made;
    StepTimes times;
};

PartOfStep partOf(const Design& design, ModelPart kind)
{
    auto part = partOfStep(design, kind);
    if (!part)
        qFatal("%s", part.error().text().c_str());
    return std::move(part).value();
}

Transformed madeOf(const PartOfStep& part, const Schedule& steps)
{
    auto made = transformed(part.file, steps);
    if (!made || made.value().refused)
        qFatal("%s", made ? refusalError(*made.value().refused).text().c_str() : made.error().text().c_str());
    return std::move(made).value();
}

StepOutcome simulatedOf(const Design& design, ModelPart kind, const std::optional<std::string>& schedule = std::nullopt)
{
    StepOutcome all;
    all.part = partOf(design, kind);
    Schedule steps = all.part.file.schedule;
    if (schedule) {
        auto read = parseSchedule(*schedule, "steps");
        if (!read)
            qFatal("%s", read.error().text().c_str());
        steps = std::move(read).value();
    }
    all.made = madeOf(all.part, steps);
    const auto times = simulateStep(design, kind, all.part, all.part.file.timing, all.made);
    if (!times)
        qFatal("%s", times.error().text().c_str());
    all.times = times.value();
    return all;
}

/// Sizes of the collectives of rank 0 whose name begins so.
std::vector<std::pair<CollectiveOp, std::int64_t>> collectivesOf(const Workload& workload, const std::string& name)
{
    std::vector<std::pair<CollectiveOp, std::int64_t>> list;
    const RankGraph& graph = workload.graph(0);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Collective && graph.name(task).starts_with(name))
            list.emplace_back(graph.op[static_cast<std::size_t>(task)], graph.bytes[static_cast<std::size_t>(task)]);
    }
    return list;
}

std::int64_t gradientBytesOf(const Design& design)
{
    std::int64_t bytes = 0;
    for (const auto& [op, size] : collectivesOf(*workloadOf(design), "gradients"))
        bytes += size;
    return bytes;
}

/// 4-way tensor parallelism inside of a node, a stage of the pipeline on each of so many nodes.
StepCase stagesOf(int stages, const std::string& latency = "0 ns")
{
    StepCase of;
    of.mesh = "{axes: [pp, tp], shape: [" + std::to_string(stages) + ", 4]}";
    of.algorithm = "ring";
    of.dimensions = "{shape: switch, size: 4, bandwidth: 100 GB/s, latency: " + latency + "}, {shape: switch, size: " + std::to_string(stages) + ", bandwidth: 25 GB/s, latency: " + latency + "}";
    return of;
}

PartTask bucketTask(CollectiveOp op, std::int64_t bytes)
{
    PartTask task;
    task.name = "s";
    task.communicates = true;
    task.op = op;
    task.bytes = bytes;
    task.inBuckets = true;
    return task;
}

} // namespace

class PartInStepTest : public QObject {
    Q_OBJECT

private slots:
    /// One bucket: gradients, then Adam that reads 4 bytes of gradients, and reads and writes weights and two moments: 28 bytes of an element at 1 TB/s. Fused it is hidden.
    void aFusedOptimizerTakesThePlansTimeAway()
    {
        const Design design = designOf({.more = "    data: {bucket_mb: 1000}\n"});
        const StepOutcome all = simulatedOf(design, ModelPart::Optimizer);
        const std::int64_t elements = gradientBytesOf(design) / 4;
        QCOMPARE((all.times.plan - all.times.scheduled).ps, elements * 28);
        // Nothing else is in the way: the part gains in the step what it gains alone.
        QCOMPARE((all.times.written - all.times.scheduled).ps, (all.made.beforeTimes.total - all.made.afterTimes.total).ps);
        QCOMPARE(all.times.places, std::int64_t{1});
    }

    /// Norms: gradients are reduced, then the scalars, then weights gathered.
    void barriersStayBarriers()
    {
        const StepOutcome all = simulatedOf(designOf({.optimizer = "lamb", .more = "    data: {bucket_mb: 1000}\n"}), ModelPart::Optimizer);
        QVERIFY(all.made.afterTimes.kernels.size() == 1);
        QCOMPARE((all.times.written - all.times.scheduled).ps, (all.made.beforeTimes.total - all.made.afterTimes.total).ps);
    }

    /// Weights decay beside the step of Adam, of what is read anyway: the same traffic.
    void weightsDecayInAdamW()
    {
        const PartOfStep decays = partOf(designOf({.optimizer = "adamw"}), ModelPart::Optimizer);
        const PartOfStep plain = partOf(designOf({}), ModelPart::Optimizer);
        const Transformed made = madeOf(decays, decays.file.schedule);
        QCOMPARE(made.afterTimes.total.ps, madeOf(plain, plain.file.schedule).afterTimes.total.ps);
        const auto readsW = [](const PartOfStep& part) {
            const Stage& update = *part.file.program.stage("w1");
            int leaves = 0;
            for (const ExprNode& node : update.expr.nodes)
                leaves += node.kind == ExprNode::Kind::Leaf && update.in[static_cast<std::size_t>(node.leaf)].name == "w" ? 1 : 0;
            return leaves;
        };
        QCOMPARE(readsW(plain), 1);
        QCOMPARE(readsW(decays), 2);
    }

    void stepsThatAreNotFusedRunOneBehindTheOther()
    {
        const Design design = designOf({.more = "    data: {bucket_mb: 1000}\n"});
        for (const char* const steps : {"", "split s\n", "split s\nreorder s.ag {m1, v1, w1}\n", "fuse {m1, v1, w1}\n"}) {
            const StepOutcome all = simulatedOf(design, ModelPart::Optimizer, steps);
            QCOMPARE((all.times.written - all.times.scheduled).ps, (all.made.beforeTimes.total - all.made.afterTimes.total).ps);
        }
    }

    /// Buckets of 64 kB beside the backward pass stay buckets, also where sums are split.
    void bucketsStayBuckets()
    {
        const Design design = designOf({.more = "    data: {bucket_mb: 0.064}\n"});
        const WorkloadPtr plan = workloadOf(design);
        const auto before = collectivesOf(*plan, "gradients");
        QVERIFY(before.size() > 3);
        std::int64_t elements = 0;
        const auto replaced = withOptimizer(*plan, 4, [&](std::int64_t count) -> Result<std::vector<PartTask>> {
            elements = count;
            PartTask update;
            update.name = "w1";
            update.time = {7000};
            PartTask gather = bucketTask(CollectiveOp::AllGather, count * 2);
            gather.inBuckets = false;
            return std::vector<PartTask>{bucketTask(CollectiveOp::ReduceScatter, count * 4), update, gather};
        });
        QVERIFY(replaced);
        QCOMPARE(elements, gradientBytesOf(design) / 4);
        const Workload& made = *replaced.value().workload;
        const auto after = collectivesOf(made, "gradients s");
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i) {
            QVERIFY(after[i].first == CollectiveOp::ReduceScatter);
            QCOMPARE(after[i].second, before[i].second);
        }
        const auto gathers = collectivesOf(made, "optimizer s");
        QCOMPARE(gathers.size(), std::size_t{1});
        QCOMPARE(gathers.front().second, elements * 2);
        QCOMPARE(made.graph(0).size(), plan->graph(0).size() + 1); // The optimizer is two tasks now.
        // A smaller number of bytes to gather is shared out, too.
        const auto both = withOptimizer(*plan, 4, [&](std::int64_t count) -> Result<std::vector<PartTask>> {
            return std::vector<PartTask>{bucketTask(CollectiveOp::ReduceScatter, count * 4), bucketTask(CollectiveOp::AllGather, count * 2)};
        });
        QVERIFY(both);
        const auto halves = collectivesOf(*both.value().workload, "gradients s");
        QCOMPARE(halves.size(), 2 * before.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(2 * halves[2 * i + 1].second, before[i].second);
    }

    void aBlockGainsInEveryLayerAndMicroBatch_data()
    {
        QTest::addColumn<int>("part");
        QTest::newRow("attention") << static_cast<int>(ModelPart::Attention);
        QTest::newRow("mlp") << static_cast<int>(ModelPart::Mlp);
    }

    /// Tensor parallel over 4: 4 micro-batches of 2 sequences through 4 layers, one behind the other. Memory is so fast that only products, sums and launches count: the plan has none of
    /// the 5 us that each of the kernels (product, bias, dropout, residual) takes to start, and does 2 operations of dropout and residual for each of 64 x 64 elements.
    void aBlockGainsInEveryLayerAndMicroBatch()
    {
        QFETCH(int, part);
        const StepOutcome all = simulatedOf(designOf({.mesh = "{axes: [tp], shape: [4]}", .memory = "1000000 TB/s"}), static_cast<ModelPart>(part));
        QCOMPARE(all.times.places, std::int64_t{16});
        QCOMPARE(all.part.count, std::int64_t{16});
        QCOMPARE((all.times.written - all.times.scheduled).ps, 16 * (all.made.beforeTimes.total - all.made.afterTimes.total).ps);
        std::int64_t kernels = 0;
        for (const TimedKernel& kernel : all.made.beforeTimes.kernels)
            kernels += kernel.time.communicates ? 0 : 1;
        const std::int64_t residual = 64 * 64 / 10 * 2; // ps at 10 TFLOP/s, with dropout
        const std::int64_t expected = 16 * (kernels * 5'000'000 - residual);
        QVERIFY2(std::abs((all.times.written - all.times.plan).ps - expected) < 16 * 1000, qPrintable(QString::number((all.times.written - all.times.plan).ps - expected)));
    }

    /// Two stages of 2 layers; 1F1B: the rank with the most has 2 layers x 8 micro-batches.
    void stagesHaveThePartInTheirOwnLayers()
    {
        const StepOutcome all = simulatedOf(designOf({.mesh = "{axes: [pp, tp], shape: [2, 2]}", .batch = 16}), ModelPart::Mlp);
        QCOMPARE(all.times.places, std::int64_t{16});
        QVERIFY(all.times.scheduled < all.times.written);
        const std::int64_t gain = (all.made.beforeTimes.total - all.made.afterTimes.total).ps;
        // At least those of one rank, at most those on the longest way that the estimate takes: 2 x (8 + 1).
        QVERIFY((all.times.written - all.times.scheduled).ps >= 16 * gain && (all.times.written - all.times.scheduled).ps <= 18 * gain + 18 * 1000);
    }

    /// Both ways through two stages: a rank has all 4 layers, for 4 of the 8 micro-batches each.
    void twoDirectionsShareTheMicroBatches()
    {
        const StepOutcome all = simulatedOf(designOf({.mesh = "{axes: [pp, tp], shape: [2, 2]}", .more = "    pipeline: {schedule: dualpipe}\n", .batch = 16}), ModelPart::Attention);
        QCOMPARE(all.times.places, std::int64_t{16});
        QCOMPARE(all.part.count, std::int64_t{20});
    }

    /// Layers 1 and 3 have experts: the dense feed-forward part is in the others.
    void layersWithExpertsHaveNoDensePart()
    {
        const StepOutcome all = simulatedOf(designOf({.mesh = "{axes: [tp], shape: [4]}", .model = ", moe: {experts: 4, top_k: 1, every: 2, phase: 1, expert_ff: 64}"}), ModelPart::Mlp);
        QCOMPARE(all.times.places, std::int64_t{8});
        QCOMPARE(all.part.count, std::int64_t{8});
    }

    /// One micro-batch passes the boundary once. Where links have no latency nothing but the part differs: after each step of the schedule the step gains what the program gains alone.
    void aBoundaryGainsInTheStepWhatItGainsAlone()
    {
        StepCase of = stagesOf(2);
        of.batch = 2;
        const Design design = designOf(of);
        const PartOfStep part = partOf(design, ModelPart::PipelineBoundary);
        QCOMPARE(part.file.schedule.size(), std::size_t{4});
        for (std::size_t taken = 0; taken <= 4; ++taken) {
            const Transformed made = madeOf(part, Schedule(part.file.schedule.begin(), part.file.schedule.begin() + static_cast<std::ptrdiff_t>(taken)));
            const auto times = simulateStep(design, ModelPart::PipelineBoundary, part, part.file.timing, made);
            QVERIFY2(times, times ? "" : times.error().text().c_str());
            const std::int64_t alone = (made.beforeTimes.total - made.afterTimes.total).ps;
            const std::int64_t gain = (times.value().written - times.value().scheduled).ps;
            QVERIFY2(std::abs(gain - alone) <= 10, qPrintable(QStringLiteral("%1 steps: %2 ps, alone %3 ps").arg(taken).arg(gain).arg(alone)));
            QCOMPARE(times.value().places, std::int64_t{1});
            QVERIFY(taken < 2 || gain > 0);
        }
    }

    /// As blocks: kernels of the program start in 5 us each, and the plan does 2 operations of dropout and residual for each of 64 x 64 elements.
    void aBoundaryTakesThePlansPlace()
    {
        StepCase of = stagesOf(2, "1 us");
        of.batch = 2;
        of.memory = "1000000 TB/s";
        const StepOutcome all = simulatedOf(designOf(of), ModelPart::PipelineBoundary);
        std::int64_t kernels = 0;
        for (const TimedKernel& kernel : all.made.beforeTimes.kernels)
            kernels += kernel.time.communicates ? 0 : 1;
        const std::int64_t expected = kernels * 5'000'000 - 64 * 64 / 10 * 2;
        QVERIFY2(std::abs((all.times.written - all.times.plan).ps - expected) < 1000, qPrintable(QString::number((all.times.written - all.times.plan).ps - expected)));
    }

    /// 64 x 64 numbers of FP32 in 4 chunks: a quarter of them is sent, in a first chunk, two, and a last one.
    void messagesOfAChainHaveAFirstAndALastChunk()
    {
        const PartOfStep part = partOf(designOf(stagesOf(2)), ModelPart::PipelineBoundary);
        const Transformed made = madeOf(part, part.file.schedule);
        CommTimes comm(part.file.timing, made.after.ranks, made.after.groups, {});
        const auto tasks = boundaryTasks(made.after, made.afterTimes, comm);
        QVERIFY(tasks);
        std::vector<std::int64_t> messages;
        std::vector<std::pair<bool, CollectiveOp>> collectives;
        for (const BoundaryTask& task : tasks.value()) {
            if (task.part.message)
                messages.push_back(task.part.bytes);
            else if (task.part.communicates)
                collectives.emplace_back(task.behind, task.part.op);
            if (task.part.communicates && !task.part.message)
                QCOMPARE(task.part.bytes, std::int64_t{64 * 64 * 4});
        }
        QCOMPARE(messages, (std::vector<std::int64_t>{1024, 2048, 1024}));
        QCOMPARE(collectives, (std::vector<std::pair<bool, CollectiveOp>>{{false, CollectiveOp::ReduceScatter}, {true, CollectiveOp::AllGather}}));
    }

    void everyScheduleHasItsBoundaries_data()
    {
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<int>("places");
        // 8 micro-batches, each sent once by the first stages.
        QTest::newRow("gpipe") << "gpipe" << 8;
        QTest::newRow("1f1b") << "1f1b" << 8;
        QTest::newRow("zb_h1") << "zb_h1" << 8;
        QTest::newRow("interleaved") << "interleaved, virtual: 2" << 16; // By the first place from two of its stages.
        QTest::newRow("dualpipe") << "dualpipe" << 4;                    // Each place is the first stage of one of two ways.
    }

    void everyScheduleHasItsBoundaries()
    {
        QFETCH(QString, pipeline);
        QFETCH(int, places);
        StepCase of = stagesOf(2, "1 us");
        of.batch = 16;
        of.more = "    pipeline: {schedule: " + pipeline.toStdString() + "}\n";
        const Design design = designOf(of);
        const StepOutcome all = simulatedOf(design, ModelPart::PipelineBoundary);
        QCOMPARE(all.times.places, std::int64_t{places});
        // Each message has a receive of its bytes and tag; forward ones are three of each boundary, together a quarter of 64 x 64 numbers of FP32.
        CommTimes comm(all.part.file.timing, all.made.after.ranks, all.made.after.groups, {});
        const auto tasks = boundaryTasks(all.made.after, all.made.afterTimes, comm);
        QVERIFY(tasks);
        const BlockWork work;
        const ReplacedPart replaced = withBoundary(*workloadOf(design), [&work](std::int64_t) { return &work; }, tasks.value());
        using Message = std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::int64_t>; // From, to, tag, bytes.
        std::map<Message, int> open;
        std::int64_t forward = 0;
        std::int64_t pieces = 0;
        const Workload& workload = *replaced.workload;
        for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
            const RankGraph& graph = workload.graph(rank);
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                const auto i = static_cast<std::size_t>(task);
                const bool sends = graph.kind[i] == TaskKind::Send;
                if (!sends && graph.kind[i] != TaskKind::Receive)
                    continue;
                const std::int32_t peer = graph.peerIsRelative ? rank + graph.peer[i] : graph.peer[i];
                open[sends ? Message{rank, peer, graph.tag[i], graph.bytes[i]} : Message{peer, rank, graph.tag[i], graph.bytes[i]}] += sends ? 1 : 16;
                if (sends && !graph.name(task).ends_with("gradient")) {
                    forward += graph.bytes[i];
                    ++pieces;
                }
            }
        }
        for (const auto& [message, count] : open)
            QCOMPARE(count, 17);
        QCOMPARE(pieces % 3, std::int64_t{0});
        QCOMPARE(forward, pieces / 3 * 64 * 64 * 4 / 4);
    }

    void whatCannotBeIsRefused()
    {
        const auto routed = partOfStep(designOf({.mesh = "{axes: [tp], shape: [4]}", .model = ", moe: {experts: 4, top_k: 1, every: 1, expert_ff: 64}"}), ModelPart::Mlp);
        QVERIFY(!routed && routed.error().text().find("every layer has experts") != std::string::npos);
        const auto parallel = partOfStep(designOf({.mesh = "{axes: [tp], shape: [4]}", .model = ", parallel_residual: true, norms_per_layer: 1"}), ModelPart::Mlp);
        QVERIFY(!parallel && parallel.error().text().find("share one all-reduce") != std::string::npos);
        // A stage without layers ends with the sum of the embedding, which is no part.
        StepCase ends = stagesOf(2);
        ends.more = "    pipeline: {layers: [0, 4]}\n";
        const Design design = designOf(ends);
        const PartOfStep part = partOf(design, ModelPart::PipelineBoundary);
        const auto times = simulateStep(design, ModelPart::PipelineBoundary, part, part.file.timing, madeOf(part, part.file.schedule));
        QVERIFY(!times && times.error().text().find("no place for the part") != std::string::npos);
        Design reference = designOf({});
        reference.model.model = Model::AstraUnaware;
        const StepOutcome own = simulatedOf(designOf({}), ModelPart::Optimizer);
        const auto astra = simulateStep(reference, ModelPart::Optimizer, own.part, own.part.file.timing, own.made);
        QVERIFY(!astra && astra.error().text().find("compute by operations") != std::string::npos);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = simulateStep(designOf({}), ModelPart::Optimizer, own.part, own.part.file.timing, own.made, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(PartInStepTest)
#include "tst_partinstep.moc"
