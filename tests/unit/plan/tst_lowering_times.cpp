// Pipelines of given times as task graphs: the simulator gives what dependencies alone give.
#include "core/design/file/readdesign.h"
#include "core/plan/lower/planworkload.h"
#include "core/plan/pipeline/orders.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Schedule = PipelineSchedule;

Quantity ms(double value)
{
    return {value, "ms", Measure::Time};
}

/// A pipeline over p ranks, all stages alike.
PlanSpec planOf(Schedule schedule, std::int32_t p, std::int64_t m, StageTimes whole)
{
    PlanSpec plan;
    plan.mesh = {{"pp"}, {p}, PlanMesh::Order::RowMajor, {}, {}};
    PipelinePlan pipeline;
    pipeline.schedule = schedule;
    pipeline.virtualStages = schedule == Schedule::Interleaved ? 2 : 1;
    pipeline.microBatches = m;
    pipeline.times.assign(static_cast<std::size_t>(p), whole);
    plan.pipeline = pipeline;
    return plan;
}

/// All ranks joined to all others, every link with this latency.
Design meshed(std::int64_t ranks, const std::string& latency)
{
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: fully_connected, size: " + std::to_string(ranks) + ", bandwidth: 100 GB/s, latency: " + latency
        + "}\nworkload:\n  steps:\n    - {compute: 1 us}\nmodel: {name: links, endpoint_delay: 0 ns}\n";
    auto loaded = readDesignText(text, {}, {});
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return loaded.value().design;
}

RunResultPtr runOf(const PlanSpec& plan, std::int64_t ranks, const std::string& latency)
{
    Design design = meshed(ranks, latency);
    design.workload = std::make_shared<const WorkloadSpec>(PlannedWorkload{nullptr, std::make_shared<const PlanSpec>(plan)});
    auto result = runDesign(std::make_shared<const Design>(design), {}, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

/// In milliseconds, in whole nanoseconds rounded down: a link without latency takes a picosecond (manual: models 1). -1: it did not end.
double finishOf(const PlanSpec& plan, std::int64_t ranks, const std::string& latency = "0 ns")
{
    const RunResultPtr run = runOf(plan, ranks, latency);
    return run->record().complete ? static_cast<double>(run->record().finish.ps / 1000) / 1e6 : -1;
}

WorkloadPtr lowered(const PlanSpec& plan, std::int32_t ranks)
{
    auto workload = lowerPlan(plan, nullptr, ranks);
    if (!workload)
        qFatal("%s", workload.error().text().c_str());
    return workload.value();
}

} // namespace

class TestLoweringTimes : public QObject {
    Q_OBJECT

private slots:
    void theSimulatorGivesTheValuesOfA4()
    {
        const StageTimes whole{ms(1), ms(2), {}, {}};
        QCOMPARE(finishOf(planOf(Schedule::GPipe, 4, 8, whole), 4), 33.0);
        QCOMPARE(finishOf(planOf(Schedule::OneForwardOneBackward, 4, 8, whole), 4), 33.0);
        QCOMPARE(finishOf(planOf(Schedule::Interleaved, 4, 8, whole), 4), 28.5);
        QCOMPARE(finishOf(planOf(Schedule::OneForwardOneBackward, 4, 2, whole), 4), 15.0);
        PlanSpec three = planOf(Schedule::Interleaved, 8, 64, whole);
        three.pipeline->virtualStages = 3;
        QCOMPARE(finishOf(three, 8), 199.0); // thirds of a millisecond, in whole picoseconds
    }

    void theSimulatorGivesTheTableOfMakespans_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<QList<double>>("makespans");
        const auto row = [](const char* name, Schedule schedule, QList<double> makespans) { QTest::newRow(name) << static_cast<int>(schedule) << makespans; };
        row("1f1b", Schedule::OneForwardOneBackward, {33, 69, 66, 690, 88, 37});
        row("interleaved v2", Schedule::Interleaved, {28.5, 58.5, 57, 585, 76, 32});
        row("zb_h1", Schedule::ZeroBubbleH1, {27, 55, 60, 564, 73, 30});
        row("zb_h2", Schedule::ZeroBubbleH2, {27, 55, 57, 550, 73, 27.75});
        row("zb_v", Schedule::ZeroBubbleV, {25.5, 51.5, 54, 518.5, 69.5, 28.75});
        row("dualpipe", Schedule::DualPipe, {26, 54, 54, 546, 70, 28.25});
    }
    void theSimulatorGivesTheTableOfMakespans()
    {
        QFETCH(int, schedule);
        QFETCH(QList<double>, makespans);
        struct Column {
            double f, b, w;
            std::int32_t p;
            std::int64_t m;
            const char* latency;
        };
        const Column columns[] = {{1, 1, 1, 4, 8, "0 ns"}, {1, 1, 1, 8, 16, "0 ns"}, {2, 3, 1, 4, 8, "0 ns"}, {10, 11, 9, 8, 16, "0 ns"}, {3, 2, 3, 4, 8, "0 ns"}, {1, 1, 1, 4, 8, "250 us"}};
        for (qsizetype i = 0; i < makespans.size(); ++i) {
            const Column& column = columns[i];
            const StageTimes whole{ms(column.f), ms(column.b), ms(column.w), {}};
            QCOMPARE(finishOf(planOf(static_cast<Schedule>(schedule), column.p, column.m, whole), column.p, column.latency), makespans[i]);
        }
    }

    void overlappedPairsTakeTheirOwnTime()
    {
        const StageTimes whole{ms(1), ms(1), ms(1), {}};
        QCOMPARE(finishOf(planOf(Schedule::DualPipe, 8, 20, whole), 8), 66.0);
        StageTimes together = whole;
        together.together = ms(2.4);
        QCOMPARE(finishOf(planOf(Schedule::DualPipe, 8, 20, together), 8), 57.6);
        QCOMPARE(finishOf(planOf(Schedule::DualPipeV, 4, 10, whole), 4), 33.0);
    }

    void aBackwardPassWithoutWeightTimeIsHalved()
    {
        QCOMPARE(finishOf(planOf(Schedule::ZeroBubbleH1, 4, 8, {ms(1), ms(2), {}, {}}), 4), 27.0);
        QCOMPARE(finishOf(planOf(Schedule::OneForwardOneBackward, 4, 8, {ms(1), ms(1), ms(1), {}}), 4), 33.0);
    }

    void unequalStages()
    {
        // Of two stages the slow one (2 + 4) works without a break between the first forward and the last backward pass of the fast one: 1 + m x 6 + 2.
        PlanSpec plan = planOf(Schedule::OneForwardOneBackward, 2, 4, {ms(1), ms(2), {}, {}});
        plan.pipeline->times[1] = {ms(2), ms(4), {}, {}};
        QCOMPARE(finishOf(plan, 2), 27.0);
    }

    void messagesTakeTheirBytes()
    {
        // One micro-batch through two stages: F, message, F, B, message, B; 100 MB at 100 GB/s is 1 ms.
        PlanSpec plan = planOf(Schedule::GPipe, 2, 1, {ms(1), ms(2), {}, {}});
        plan.pipeline->send = Quantity{100, "MB", Measure::Size};
        QCOMPARE(finishOf(plan, 2), 8.0);
    }

    /// A receive that an operation waited for, gone: some task starts earlier. One that was there in time changes nothing.
    void withoutADependencyTheRunIsAnother()
    {
        const PlanSpec plan = planOf(Schedule::OneForwardOneBackward, 4, 4, {ms(1), ms(2), {}, {}});
        const WorkloadPtr whole = lowered(plan, 4);
        int tried = 0;
        int changed = 0;
        const auto finishWith = [&](const Workload& workload) { return plainFinish(workload); };
        const std::int64_t before = finishWith(*whole);
        QCOMPARE(before, std::int64_t{21} * 1'000'000'000);
        for (std::size_t g = 0; g < whole->graphs.size(); ++g) {
            const RankGraph& graph = *whole->graphs[g];
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                for (const TaskIndex on : graph.dependencies(task)) {
                    if (graph.kind[static_cast<std::size_t>(on)] != TaskKind::Receive)
                        continue;
                    Workload without = *whole;
                    without.graphs[g] = std::make_shared<const RankGraph>(withoutDependency(graph, task, on));
                    ++tried;
                    changed += finishWith(without) != before ? 1 : 0;
                }
            }
        }
        QCOMPARE(tried, 2 * 3 * 4); // two ways, three boundaries, four micro-batches
        QVERIFY(changed >= 3);      // at least the way of the first micro-batch down the pipeline
    }

    void ranksOfOnePlaceShareAGraph()
    {
        PlanSpec plan = planOf(Schedule::OneForwardOneBackward, 4, 8, {ms(1), ms(2), {}, {}});
        plan.mesh = {{"dp", "pp", "tp"}, {3, 4, 2}, PlanMesh::Order::RowMajor, {}, {}};
        const WorkloadPtr workload = lowered(plan, 24);
        QCOMPARE(workload->graphs.size(), std::size_t{4});
        for (std::int32_t rank = 0; rank < 24; ++rank)
            QCOMPARE(workload->graphOfRank[static_cast<std::size_t>(rank)], rank / 2 % 4);
        QCOMPARE(finishOf(plan, 24), 33.0);
    }

    void aDeviceOrderMovesTheNeighbours()
    {
        PlanSpec plan = planOf(Schedule::OneForwardOneBackward, 4, 8, {ms(1), ms(2), {}, {}});
        plan.mesh.deviceOrder = {2, 0, 3, 1};
        const WorkloadPtr workload = lowered(plan, 4);
        const auto peers = [&](std::int32_t rank) {
            std::set<std::int32_t> found;
            const RankGraph& graph = workload->graph(rank);
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Send)
                    found.insert(graph.peerRank(task, rank));
            }
            return found;
        };
        QCOMPARE(peers(2), (std::set<std::int32_t>{0}));
        QCOMPARE(peers(0), (std::set<std::int32_t>{2, 3}));
        QCOMPARE(peers(1), (std::set<std::int32_t>{3}));
        QCOMPARE(finishOf(plan, 4), 33.0);
    }

    void tagsAreUnique()
    {
        for (const Schedule schedule : {Schedule::OneForwardOneBackward, Schedule::Interleaved, Schedule::ZeroBubbleV, Schedule::DualPipe, Schedule::DualPipeV}) {
            const WorkloadPtr workload = lowered(planOf(schedule, 4, 8, {ms(1), ms(1), ms(1), {}}), 4);
            std::set<std::pair<int, std::uint32_t>> sent;
            std::set<std::pair<int, std::uint32_t>> received;
            for (std::int32_t rank = 0; rank < 4; ++rank) {
                const RankGraph& graph = workload->graph(rank);
                for (TaskIndex task = 0; task < graph.size(); ++task) {
                    const auto i = static_cast<std::size_t>(task);
                    if (graph.kind[i] == TaskKind::Send)
                        QVERIFY(sent.emplace(graph.peerRank(task, rank), graph.tag[i]).second);
                    if (graph.kind[i] == TaskKind::Receive)
                        QVERIFY(received.emplace(rank, graph.tag[i]).second);
                }
            }
            QVERIFY(!sent.empty());
            QCOMPARE(sent, received);
        }
    }

    void plansThatCannotBeAreRefused()
    {
        const StageTimes whole{ms(1), ms(2), {}, {}};
        const auto refusal = [](const PlanSpec& plan, std::int32_t ranks) {
            const auto workload = lowerPlan(plan, nullptr, ranks);
            return workload ? QString() : QString::fromStdString(workload.error().text());
        };
        QVERIFY(refusal(planOf(Schedule::DualPipe, 4, 7, whole), 4).contains("workload.plan.pipeline.micro_batches"));
        QVERIFY(refusal(planOf(Schedule::GPipe, 4, 8, whole), 8).contains("workload.plan.mesh"));
        PlanSpec plan = planOf(Schedule::GPipe, 4, 8, whole);
        plan.pipeline->times.pop_back();
        QVERIFY(refusal(plan, 4).contains("workload.plan.pipeline.times"));
        plan = planOf(Schedule::GPipe, 4, 8, whole);
        plan.pipeline->times[2].forward = {1e9, "s", Measure::Time};
        QVERIFY(refusal(plan, 4).contains("workload.plan.pipeline.times[2].forward"));
        plan = planOf(Schedule::GPipe, 4, 8, whole);
        plan.pipeline->microBatches.reset();
        QVERIFY(refusal(plan, 4).contains("micro_batches"));
        plan.pipeline->microBatches = 1 << 20;
        QVERIFY(refusal(plan, 4).contains("at most"));
    }

private:
    static RankGraph withoutDependency(const RankGraph& graph, TaskIndex task, TaskIndex on)
    {
        RankGraph less = graph;
        less.depends.clear();
        less.dependBegin = {0};
        for (TaskIndex t = 0; t < graph.size(); ++t) {
            for (const TaskIndex before : graph.dependencies(t)) {
                if (t != task || before != on)
                    less.depends.push_back(before);
            }
            less.dependBegin.push_back(static_cast<std::uint32_t>(less.depends.size()));
        }
        return less;
    }

    /// The end of graphs of computations and messages that take no time, by relaxation until nothing moves; a rank computes in the order of its tasks.
    static std::int64_t plainFinish(const Workload& workload)
    {
        std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::int64_t> sent;
        std::vector<std::vector<std::int64_t>> ends;
        for (std::int32_t rank = 0; rank < workload.rankCount; ++rank)
            ends.emplace_back(static_cast<std::size_t>(workload.graph(rank).size()), 0);
        std::int64_t last = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
                const RankGraph& graph = workload.graph(rank);
                std::int64_t free = 0;
                for (TaskIndex task = 0; task < graph.size(); ++task) {
                    const auto i = static_cast<std::size_t>(task);
                    std::int64_t start = 0;
                    for (const TaskIndex before : graph.dependencies(task))
                        start = std::max(start, ends[static_cast<std::size_t>(rank)][static_cast<std::size_t>(before)]);
                    std::int64_t end = start;
                    if (graph.kind[i] == TaskKind::Compute) {
                        end = free = std::max(start, free) + graph.durationPs[i];
                    } else if (graph.kind[i] == TaskKind::Send) {
                        sent[{rank, graph.peerRank(task, rank), graph.tag[i]}] = start;
                    } else {
                        end = std::max(start, sent[{graph.peerRank(task, rank), rank, graph.tag[i]}]);
                    }
                    moved = moved || ends[static_cast<std::size_t>(rank)][i] != end;
                    ends[static_cast<std::size_t>(rank)][i] = end;
                    last = std::max(last, end);
                }
            }
        }
        return last;
    }
};

FABRICSCOPE_TEST(TestLoweringTimes)
#include "tst_lowering_times.moc"
