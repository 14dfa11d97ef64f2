// The best plans of a search against every plan of the space, each analysed alone.
#include "core/design/design.h"
#include "core/design/file/searchsection.h"
#include "core/planner/placeddesign.h"
#include "core/run/plansimulation.h"
#include "core/scenario/designplan.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace fabricscope;

namespace {

/// Small enough to try everything: 12 plans of degrees on 8 NPUs, some of which lack memory.
std::string machineText(const std::string& memory, const std::string& moe = {}, const std::string& search = {})
{
    return "fabricscope: 1\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: " + memory + "}\n  dimensions:\n    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
        "    - {shape: switch, size: 2, bandwidth: 5 GB/s, latency: 5 us}\nworkload:\n  model:\n    transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1024, seq: 128" + moe + "}\n"
        "    train: {global_batch: 16, micro_batch: 1}\n  plan: {mesh: {axes: [dp], shape: [8]}, framework: 0 B}\n" + search;
}

struct Machine {
    Design design;
    Platform platform;
    PlanNpu npu;
    const ModelSpec& model() const { return *std::get<PlannedWorkload>(*design.workload).model; }
    const PlanSpec& plan() const { return *std::get<PlannedWorkload>(*design.workload).plan; }
};

std::unique_ptr<Machine> machineOf(const std::string& text)
{
    auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto platform = Platform::create(*loaded.value().design.platform);
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    auto machine = std::make_unique<Machine>(Machine{std::move(loaded.value().design), std::move(platform).value(), {}});
    machine->npu = planNpuOf(machine->design, machine->platform);
    return machine;
}

/// One plan, analysed alone.
struct TriedPlan {
    double ps = 0;         ///< Of a step.
    std::int64_t peak = 0; ///< Bytes of the fullest rank.
};

/// All dense plans on eight ranks. How much memory an NPU has changes none of them.
std::vector<TriedPlan> allPlans(const Machine& machine)
{
    std::vector<TriedPlan> plans;
    for (const std::int64_t tensor : {1, 2, 4, 8}) {
        for (const std::int64_t pipeline : {1, 2, 4, 8}) {
            for (const std::int64_t context : {1, 2, 4, 8}) {
                if (8 % (tensor * pipeline * context) != 0)
                    continue;
                const std::int64_t data = 8 / (tensor * pipeline * context);
                std::vector<std::pair<std::string, std::int64_t>> axes;
                for (const auto& [name, size] : std::vector<std::pair<std::string, std::int64_t>>{{"cp", context}, {"dp", data}, {"pp", pipeline}, {"tp", tensor}}) {
                    if (size > 1)
                        axes.emplace_back(name, size);
                }
                do {
                    for (std::int64_t micro = 1; micro <= 16 / data; micro *= 2) {
                        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                            for (const std::int32_t zero : data * context > 1 ? std::vector<std::int32_t>{0, 1, 2, 3} : std::vector<std::int32_t>{0}) {
                                std::vector<std::pair<PipelineSchedule, std::int32_t>> schedules{{PipelineSchedule::OneForwardOneBackward, 1}};
                                for (const auto& [word, schedule] : kPipelineSchedules) {
                                    if (pipeline > 1 && schedule == PipelineSchedule::Interleaved) {
                                        for (std::int64_t chunks = 2; chunks <= 4 / pipeline; chunks *= 2)
                                            schedules.emplace_back(schedule, static_cast<std::int32_t>(chunks));
                                    } else if (pipeline > 1 && schedule != PipelineSchedule::OneForwardOneBackward) {
                                        schedules.emplace_back(schedule, 1);
                                    }
                                }
                                for (const auto& [schedule, chunks] : schedules) {
                                    PlanSpec plan;
                                    for (const auto& [name, size] : axes) {
                                        plan.mesh.axes.push_back(name);
                                        plan.mesh.shape.push_back(size);
                                    }
                                    if (data == 1) {
                                        plan.mesh.axes.insert(plan.mesh.axes.begin(), "dp");
                                        plan.mesh.shape.insert(plan.mesh.shape.begin(), 1);
                                    }
                                    plan.data = DataPlan{};
                                    plan.data->zero = zero;
                                    if (pipeline > 1) {
                                        plan.pipeline = PipelinePlan{};
                                        plan.pipeline->schedule = schedule;
                                        plan.pipeline->virtualStages = chunks;
                                    }
                                    plan.recompute = recompute;
                                    plan.framework = machine.plan().framework;
                                    ModelSpec model = machine.model();
                                    model.train.micro = micro;
                                    const auto analysis = analysePlan(&model, plan, 8, machine.npu);
                                    if (!analysis)
                                        continue;
                                    std::int64_t peak = 0;
                                    for (const PlanMemory& row : analysis.value().memory)
                                        peak = std::max(peak, row.peak());
                                    plans.push_back({analysis.value().times->step * 1e12, peak});
                                }
                            }
                        }
                    }
                } while (std::next_permutation(axes.begin(), axes.end()));
            }
        }
    }
    return plans;
}

/// The steps of those that fit, in picoseconds, ascending.
std::vector<double> stepsThatFit(const std::vector<TriedPlan>& plans, std::int64_t memory)
{
    std::vector<double> steps;
    for (const TriedPlan& plan : plans) {
        if (plan.peak <= memory)
            steps.push_back(plan.ps);
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

PlanSearchSpec searchOf(std::int64_t top)
{
    PlanSearchSpec search;
    search.top = top;
    return search;
}

/// 2,048 replicas of one layer, buckets of so many 10^6 bytes; `vocabulary` decides what the last bucket is.
std::string replicasText(const std::string& bucket, const std::string& vocabulary, const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 64 GiB}\n  dimensions: [{shape: switch, size: 2048, bandwidth: 50 GB/s, latency: 1 us}]\nworkload:\n  model:\n"
        "    transformer: {layers: 1, hidden: 256, heads: 4, vocab: " + vocabulary + ", seq: 64}\n    train: {global_batch: 2048, micro_batch: 1}\n  plan: {mesh: {axes: [dp], shape: [2048]}, data: {bucket_mb: " + bucket + "}}\n" + more;
}

RunRecord runOf(const Design& design)
{
    const auto prepared = prepareToRun(design, 1, {});
    if (!prepared)
        qFatal("%s", prepared.error().text().c_str());
    RunOptions options;
    options.taskTimes = false;
    auto record = simulate(*prepared.value().scenario, options, {});
    if (!record || !record.value().complete)
        qFatal("the run does not end");
    return std::move(record).value();
}

PlanSearchResult simulatedReplicas(const Machine& machine)
{
    PlanSearchSpec search = searchOf(1);
    search.vary = {PlanVariable::Recompute};
    auto found = searchPlans(machine.model(), machine.plan(), 2048, machine.npu, search);
    if (!found || !simulatePlans(machine.design, machine.model(), search, 1, {}, found.value()))
        qFatal("no plan is simulated");
    return std::move(found).value();
}

} // namespace

class PlanSearchTest : public QObject {
    Q_OBJECT

    std::vector<TriedPlan> m_tried; ///< By the first that needs them.

private slots:
    void theBestAreThoseOfTryingAll_data()
    {
        QTest::addColumn<QByteArray>("memory");
        QTest::newRow("room for all") << QByteArray("64 GiB");
        QTest::newRow("room for some") << QByteArray("48 MiB");
    }
    void theBestAreThoseOfTryingAll()
    {
        QFETCH(QByteArray, memory);
        const auto machine = machineOf(machineText(memory.toStdString()));
        if (m_tried.empty())
            m_tried = allPlans(*machine);
        const std::vector<double> expected = stepsThatFit(m_tried, *machine->npu.memory);
        QVERIFY(expected.size() > 100);
        for (const std::size_t top : {std::size_t{1}, std::size_t{50}, expected.size()}) {
            const auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(static_cast<std::int64_t>(top)));
            QVERIFY2(found, found ? "" : found.error().text().c_str());
            QCOMPARE(found.value().plans.size(), top);
            for (std::size_t i = 0; i < top; ++i) // Parts are whole picoseconds.
                QVERIFY2(std::abs(static_cast<double>(found.value().plans[i].parts.step()) - expected[i]) <= 4, qPrintable(QStringLiteral("plan %1 of %2: %3, not %4").arg(i).arg(top).arg(found.value().plans[i].parts.step()).arg(expected[i], 0, 'f')));
        }
        const auto all = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(kMostTopPlans));
        QCOMPARE(all.value().plans.size(), expected.size());
        QCOMPARE(all.value().counts.pruned, 0);
    }

    void unevenStagesAreNotPrunedAway()
    {
        // The busiest place of a bidirectional schedule computes less than that of 1f1b where layers do not divide and the head is heavy.
        const auto machine = machineOf("fabricscope: 1\nplatform:\n  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}\n  dimensions: [{shape: switch, size: 4, bandwidth: 300 GB/s, latency: 1 us}]\n"
                                       "workload:\n  model:\n    transformer: {layers: 3, hidden: 256, heads: 8, vocab: 50000, seq: 512}\n    train: {global_batch: 64, micro_batch: 1}\n  plan: {mesh: {axes: [dp], shape: [4]}}\n");
        PlanSearchSpec search = searchOf(3);
        search.vary = {PlanVariable::Tensor, PlanVariable::Pipeline, PlanVariable::Data, PlanVariable::MicroBatch, PlanVariable::Schedule};
        const auto few = searchPlans(machine->model(), machine->plan(), 4, machine->npu, search);
        search.top = kMostTopPlans;
        const auto all = searchPlans(machine->model(), machine->plan(), 4, machine->npu, search);
        QVERIFY(few && all);
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(few.value().plans[i].parts.step(), all.value().plans[i].parts.step());
    }

    /// Four places for three layers can be by hand alone, so that no other schedule than that of the design can: 1f1b cannot.
    void layersByHandForAnotherScheduleAreFound_data()
    {
        QTest::addColumn<QByteArray>("pipeline");
        QTest::addColumn<QByteArray>("memory");
        QTest::newRow("gpipe") << QByteArray("schedule: gpipe, layers: [1, 1, 1, 0]") << QByteArray("64 GiB");
        QTest::newRow("gpipe, little memory") << QByteArray("schedule: gpipe, layers: [1, 1, 1, 0]") << QByteArray("37 MB");
        QTest::newRow("zb-h1") << QByteArray("schedule: zb_h1, layers: [0, 1, 1, 1]") << QByteArray("64 GiB");
        QTest::newRow("dualpipe") << QByteArray("schedule: dualpipe, layers: [1, 1, 1, 0]") << QByteArray("64 GiB");
        QTest::newRow("dualpipe-v") << QByteArray("schedule: dualpipe_v, layers: [1, 0, 1, 0, 0, 0, 1, 0]") << QByteArray("64 GiB");
        QTest::newRow("interleaved") << QByteArray("schedule: interleaved, virtual: 2, layers: [1, 0, 0, 1, 0, 0, 1, 0]") << QByteArray("64 GiB");
    }
    void layersByHandForAnotherScheduleAreFound()
    {
        QFETCH(QByteArray, pipeline);
        QFETCH(QByteArray, memory);
        const auto machine = machineOf("fabricscope: 1\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: " + memory.toStdString() + "}\n  dimensions: [{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 1 us}]\n"
                                       "workload:\n  model:\n    transformer: {layers: 3, hidden: 256, heads: 4, vocab: 1024, seq: 128}\n    train: {global_batch: 32, micro_batch: 1}\n"
                                       "  plan: {mesh: {axes: [dp, pp], shape: [2, 4]}, framework: 0 B, data: {axis: dp}, pipeline: {axis: pp, " + pipeline.toStdString() + "}}\n");
        std::vector<TriedPlan> tried;
        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
            for (const std::int32_t zero : {0, 1, 2, 3}) {
                for (const std::int64_t micro : {1, 2, 4, 8, 16}) {
                    PlanSpec plan = machine->plan();
                    plan.recompute = recompute;
                    plan.data->zero = zero;
                    ModelSpec model = machine->model();
                    model.train.micro = micro;
                    const auto analysis = analysePlan(&model, plan, 8, machine->npu);
                    if (!analysis)
                        continue;
                    std::int64_t peak = 0;
                    for (const PlanMemory& row : analysis.value().memory)
                        peak = std::max(peak, row.peak());
                    tried.push_back({analysis.value().times->step * 1e12, peak});
                }
            }
        }
        const std::vector<double> expected = stepsThatFit(tried, *machine->npu.memory);
        QVERIFY(!expected.empty());
        PlanSearchSpec search = searchOf(kMostTopPlans);
        search.vary = {PlanVariable::Recompute, PlanVariable::Zero, PlanVariable::MicroBatch};
        for (const std::size_t top : {std::size_t{1}, expected.size(), std::size_t{kMostTopPlans}}) {
            search.top = static_cast<std::int64_t>(top);
            const auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
            QVERIFY2(found, found ? "" : found.error().text().c_str());
            const PlanSearchCounts& counts = found.value().counts;
            QCOMPARE(counts.considered, 60);
            QCOMPARE(counts.considered, counts.refusedPlans() + counts.overMemory + counts.pruned + counts.estimated);
            QCOMPARE(counts.refusedPlans(), 60 - static_cast<std::int64_t>(tried.size()));
            QCOMPARE(found.value().plans.size(), std::min(top, expected.size()));
            for (std::size_t i = 0; i < found.value().plans.size(); ++i)
                QVERIFY2(std::abs(static_cast<double>(found.value().plans[i].parts.step()) - expected[i]) <= 4, qPrintable(QStringLiteral("plan %1: %2, not %3").arg(i).arg(found.value().plans[i].parts.step()).arg(expected[i], 0, 'f')));
        }
    }

    void everyPlanIsCountedOnce()
    {
        const auto machine = machineOf(machineText("48 MiB"));
        const auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(3));
        const PlanSearchCounts& counts = found.value().counts;
        QCOMPARE(counts.considered, counts.refusedPlans() + counts.overMemory + counts.pruned + counts.estimated);
        QVERIFY(counts.pruned > 0);
        QVERIFY(counts.overMemory > 0);
        QVERIFY(counts.refusedPlans() > 0);
    }

    void threadsChangeNothing()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        PlanSearchOptions two;
        two.threads = 2;
        const auto alone = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(20));
        const auto shared = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(20), two);
        QCOMPARE(alone.value().plans.size(), shared.value().plans.size());
        for (std::size_t i = 0; i < alone.value().plans.size(); ++i)
            QVERIFY(alone.value().plans[i].choice == shared.value().plans[i].choice && alone.value().plans[i].parts == shared.value().plans[i].parts);
        QCOMPARE(alone.value().counts.estimated, shared.value().counts.estimated);
    }

    void whatIsGivenIsKept()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        PlanSearchSpec search = searchOf(1000);
        search.fixed.tensor = 2;
        search.fixed.schedule = PipelineSchedule::GPipe;
        search.fixed.zero = 1;
        search.vary = {PlanVariable::Pipeline, PlanVariable::Data};
        const auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(found.value().plans.size(), 3U); // Pipelines of 1, 2 and 4 stages.
        for (const SearchedPlan& plan : found.value().plans) {
            QCOMPARE(plan.choice.block.tensor, 2);
            QCOMPARE(plan.choice.block.context, 1);
            QCOMPARE(plan.choice.block.microBatch, 1);
            QVERIFY(plan.choice.block.pipeline == 1 || plan.choice.schedule == PipelineSchedule::GPipe);
            QCOMPARE(plan.choice.zero, 1);
        }
    }

    void theFrontIsWhatNothingBeats()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        PlanSearchSpec search = searchOf(kMostTopPlans);
        search.objectives = {PlanObjective::StepTime, PlanObjective::Memory};
        const auto every = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        search.top = 1;
        const auto few = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        std::set<std::pair<std::int64_t, std::int64_t>> expected;
        const std::vector<SearchedPlan>& plans = every.value().plans;
        for (const SearchedPlan& plan : plans) {
            const bool beaten = std::any_of(plans.begin(), plans.end(), [&](const SearchedPlan& other) {
                return other.parts.step() <= plan.parts.step() && other.memory <= plan.memory && (other.parts.step() < plan.parts.step() || other.memory < plan.memory);
            });
            if (!beaten)
                expected.emplace(plan.parts.step(), plan.memory);
        }
        std::set<std::pair<std::int64_t, std::int64_t>> found;
        for (const std::size_t i : few.value().front)
            found.emplace(few.value().plans[i].parts.step(), few.value().plans[i].memory);
        QVERIFY(expected.size() > 2);
        QVERIFY(found == expected);
    }

    void simulationRanksTheBest()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        PlanSearchSpec search = searchOf(4);
        search.vary = {PlanVariable::Tensor, PlanVariable::Pipeline, PlanVariable::Data};
        auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        QVERIFY(simulatePlans(machine->design, machine->model(), search, 4, {}, found.value()));
        const std::vector<SearchedPlan>& plans = found.value().plans;
        QCOMPARE(plans.size(), 4U);
        for (std::size_t i = 0; i < plans.size(); ++i) {
            QVERIFY2(plans[i].simulated, plans[i].problem.c_str());
            QVERIFY(i == 0 || plans[i - 1].simulated->ps <= plans[i].simulated->ps);
            QVERIFY(plans[i].simulated->ps > plans[i].parts.computing / 2);
        }
        QVERIFY(rankAgreement(plans));
    }

    /// 3,000,100 bytes do not cut into equal blocks of 2,048 ranks; the next 65,536 do: the plan says those, so that its design takes as long. The plan of the design keeps its own.
    void bucketsOfManyRanksAreWholeBlocks()
    {
        const auto machine = machineOf(replicasText("3.0001", "1024"));
        const PlanSearchResult found = simulatedReplicas(*machine);
        const SearchedPlan& best = found.plans.front();
        QCOMPARE(best.plan.data->bucketMb, 3.01465625);
        QVERIFY2(best.simulated, best.problem.c_str());
        QCOMPARE(best.simulated->ps, runOf(designWith(machine->design, machine->model(), best)).finish.ps);
        QVERIFY(found.own && found.own->choice == best.choice);
        QCOMPARE(found.own->plan.data->bucketMb, 3.0001);
        QVERIFY2(found.own->simulated, found.own->problem.c_str());
        QCOMPARE(found.own->simulated->ps, runOf(machine->design).finish.ps);
    }

    /// With an odd vocabulary no two of 2,048 ranks sum the same of the last bucket: 2 x 2,047 steps round the ring of all of them, by 16 chunks, are 134 million messages.
    void aRunOfTooManyMessagesIsLeftOut()
    {
        const PlanSearchResult found = simulatedReplicas(*machineOf(replicasText("1000", "1023", "collectives: {default: {algorithm: ring, chunks: 16}}\n")));
        QVERIFY(!found.plans.front().simulated);
        QCOMPARE(found.plans.front().problem, std::string("too few of its ranks do the same for its 134152192 messages"));
    }

    void aRunOfTooManyEventsIsLeftOut()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        const RunRecord run = runOf(machine->design);
        QVERIFY(run.events > 1);
        const auto whole = simulatedStep(machine->design, run.events, {});
        QVERIFY2(bool(whole), whole ? "" : whole.error().text().c_str());
        QCOMPARE(whole.value().ps, run.finish.ps);
        const auto cut = simulatedStep(machine->design, run.events - 1, {});
        QVERIFY(!cut);
        QCOMPARE(cut.error().message, "its run has more than " + std::to_string(run.events - 1) + " events");
    }

    void expertsStayInsideData()
    {
        const auto machine = machineOf(machineText("64 GiB", ", moe: {experts: 4, top_k: 1, expert_ff: 512}"));
        PlanSearchSpec search = searchOf(kMostTopPlans);
        search.vary = {PlanVariable::Expert, PlanVariable::Tensor, PlanVariable::Data};
        const auto found = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        std::set<std::pair<std::int64_t, std::int64_t>> mixes;
        for (const SearchedPlan& plan : found.value().plans) {
            QCOMPARE(plan.choice.block.data % plan.choice.block.expert, 0);
            mixes.emplace(plan.choice.block.tensor, plan.choice.block.expert);
        }
        QVERIFY(mixes == (std::set<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {4, 1}, {4, 2}}));
    }

    void theFileSaysWhatIsTried_data()
    {
        QTest::addColumn<QByteArray>("search");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("nothing wrong") << QByteArray("search: {vary: [tensor, mesh_order], fixed: {zero: 1, schedule: zb_h1, mesh_order: [tp, dp]}, objective: [memory, step_time], top: 7}\n") << QByteArray();
        QTest::newRow("unknown word") << QByteArray("search: {vary: [tensors]}\n") << QByteArray("unknown value \"tensors\"");
        QTest::newRow("twice") << QByteArray("search: {vary: [zero, zero]}\n") << QByteArray("stands here twice");
        QTest::newRow("no such key") << QByteArray("search: {varies: [zero]}\n") << QByteArray("varies");
        QTest::newRow("beyond") << QByteArray("search: {fixed: {zero: 4}}\n") << QByteArray("4");
        QTest::newRow("objective") << QByteArray("search: {objective: [speed]}\n") << QByteArray("unknown value \"speed\"");
    }
    void theFileSaysWhatIsTried()
    {
        QFETCH(QByteArray, search);
        QFETCH(QByteArray, message);
        const auto loaded = readDesignText(machineText("1 GiB", {}, search.toStdString()), "d.yaml");
        if (!message.isEmpty()) {
            QVERIFY(!loaded);
            QVERIFY2(loaded.error().text().find(message.toStdString()) != std::string::npos, loaded.error().text().c_str());
            QVERIFY(loaded.error().place.line > 10);
            return;
        }
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const auto document = YamlDocument::parse(machineText("1 GiB", {}, search.toStdString()), "d.yaml");
        const auto spec = readPlanSearch(document.value());
        QVERIFY(spec);
        QVERIFY(spec.value().vary == (std::vector<PlanVariable>{PlanVariable::Tensor, PlanVariable::MeshOrder}));
        QCOMPARE(spec.value().top, 7);
        QVERIFY(spec.value().objectives == (std::vector<PlanObjective>{PlanObjective::Memory, PlanObjective::StepTime}));
        QCOMPARE(*spec.value().fixed.zero, 1);
        QVERIFY(*spec.value().fixed.schedule == PipelineSchedule::ZeroBubbleH1);
        QVERIFY(spec.value().fixed.meshOrder == (std::vector<std::string>{"tp", "dp"}));
    }

    /// Each stage of DualPipe is on two places; what its passes send round the ring of context hides behind the same attention as elsewhere.
    void aPassTakesAsLongInBothDirections()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        const auto firstPass = [&](PipelineSchedule schedule) -> std::int64_t {
            PlanSpec plan = machine->plan();
            plan.mesh.axes = {"dp", "cp", "pp"};
            plan.mesh.shape = {1, 2, 4}; // Context over the slow dimension: not all is hidden.
            plan.data = DataPlan{};
            plan.pipeline = PipelinePlan{};
            plan.pipeline->schedule = schedule;
            const auto analysis = analysePlan(&machine->model(), plan, 8, machine->npu);
            if (!analysis || !analysis.value().times->operations)
                return -1;
            const PipelineTimes::Span& span = analysis.value().times->operations->operations[0][0];
            return span.end - span.start;
        };
        const std::int64_t expected = firstPass(PipelineSchedule::OneForwardOneBackward);
        QVERIFY(expected > 0);
        QCOMPARE(firstPass(PipelineSchedule::DualPipe), expected);
    }

    void whatCannotBeIsSaid()
    {
        const auto machine = machineOf(machineText("64 GiB"));
        PlanSearchSpec search = searchOf(5);
        search.fixed.tensor = 3;
        const auto none = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        QVERIFY(!none);
        QVERIFY(none.error().message.find("search.fixed") != std::string::npos);
        search = searchOf(5);
        search.fixed.meshOrder = {"dp", "xp"};
        const auto unknown = searchPlans(machine->model(), machine->plan(), 8, machine->npu, search);
        QVERIFY(!unknown && unknown.error().place.field == "search.fixed.mesh_order[1]");
        ModelSpec unsized = machine->model();
        unsized.train.global = 0;
        QVERIFY(!searchPlans(unsized, machine->plan(), 8, machine->npu, searchOf(5)));
        PlanSpec served = machine->plan();
        served.inference.emplace();
        QVERIFY(!searchPlans(machine->model(), served, 8, machine->npu, searchOf(5)));
        PlanNpu blind = machine->npu;
        blind.peak.reset();
        blind.seconds = {};
        QVERIFY(!searchPlans(machine->model(), machine->plan(), 8, blind, searchOf(5)));
        PlanSearchOptions stopped;
        std::stop_source source;
        source.request_stop();
        stopped.stop = source.get_token();
        const auto cut = searchPlans(machine->model(), machine->plan(), 8, machine->npu, searchOf(5), stopped);
        QVERIFY(!cut && cut.error().code == ErrorCode::Cancelled);
    }
};

FABRICSCOPE_TEST(PlanSearchTest)
#include "tst_plansearch.moc"
