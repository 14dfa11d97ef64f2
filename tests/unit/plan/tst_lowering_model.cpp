// Models spread by plans as task graphs: what they send is what the analysis of the plan lists, and what they compute is the model.
#include "core/model/modelspec.h"
#include "core/plan/analysis.h"
#include "core/plan/lower/planworkload.h"
#include "core/plan/sends.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ModelSpec smallModel(std::int64_t experts = 0)
{
    ModelSpec model;
    model.name = "small";
    TransformerSpec& of = model.transformer;
    of.layers = 8;
    of.hidden = 64;
    of.heads = 8;
    of.kvHeads = 4;
    of.headDim = 8;
    of.ff = 256;
    of.vocab = 512;
    of.seq = 64;
    of.positionRows = 64;
    of.tiedEmbedding = false;
    if (experts > 0) {
        of.moe.experts = static_cast<std::int32_t>(experts);
        of.moe.every = 2;
        of.moe.phase = 1;
        of.moe.expertFf = 128;
        of.moe.capacityFactor = 1;
    }
    model.train.global = 0;
    model.train.micro = 2;
    return model;
}

PlanSpec planOf(std::vector<std::string> axes, std::vector<std::int64_t> shape, std::int64_t microBatches)
{
    PlanSpec plan;
    plan.mesh = {std::move(axes), std::move(shape), PlanMesh::Order::RowMajor, {}, {}};
    PipelinePlan pipeline;
    pipeline.microBatches = microBatches;
    const bool has = std::find(plan.mesh.axes.begin(), plan.mesh.axes.end(), "pp") != plan.mesh.axes.end();
    if (!has) {
        plan.mesh.axes.push_back("pp");
        plan.mesh.shape.push_back(1);
    }
    plan.pipeline = pipeline;
    return plan;
}

std::int64_t ranksOf(const PlanSpec& plan)
{
    std::int64_t ranks = 1;
    for (const std::int64_t size : plan.mesh.shape)
        ranks *= size;
    return ranks;
}

/// Kind, bytes, members of the group (of sends: none).
using Call = std::tuple<int, std::int64_t, std::vector<std::int64_t>>;
using Calls = std::map<Call, std::int64_t>;

Calls callsOf(const Workload& workload, std::int32_t rank)
{
    Calls calls;
    const RankGraph& graph = workload.graph(rank);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        const auto i = static_cast<std::size_t>(task);
        if (graph.kind[i] == TaskKind::Send)
            ++calls[{-1, graph.bytes[i], {}}];
        if (graph.kind[i] != TaskKind::Collective)
            continue;
        const GroupFamily& family = workload.families[static_cast<std::size_t>(graph.family[i])];
        const GroupFamily::Membership own = family.membership(rank);
        std::vector<std::int64_t> members;
        for (std::int64_t position = 0; position < own.size; ++position)
            members.push_back(family.member(own.group, position));
        std::sort(members.begin(), members.end());
        ++calls[{static_cast<int>(graph.op[i]), graph.bytes[i], members}];
    }
    return calls;
}

CollectiveOp opOf(PlanCommunication::Kind kind)
{
    switch (kind) {
    case PlanCommunication::Kind::AllGather: return CollectiveOp::AllGather;
    case PlanCommunication::Kind::ReduceScatter: return CollectiveOp::ReduceScatter;
    case PlanCommunication::Kind::AllToAll: return CollectiveOp::AllToAll;
    default: return CollectiveOp::AllReduce;
    }
}

Calls listedFor(const PlanAnalysis& analysis, const PlanLayout& layout, std::int32_t rank)
{
    Calls calls;
    for (const PlanCommunication& row : analysis.communications) {
        if (!row.ranks.contains(rank))
            continue;
        const auto count = static_cast<std::int64_t>(row.count);
        if (row.kind == PlanCommunication::Kind::Send) {
            calls[{-1, row.bytes, {}}] += count;
            continue;
        }
        std::vector<std::int64_t> members;
        const std::int64_t p = layout.pipelineSize;
        const std::int64_t stride = layout.pipelineAxis < 0 ? 1 : layout.grid.axes()[static_cast<std::size_t>(layout.pipelineAxis)].stride;
        const std::int64_t own = rank / stride % p;
        if (row.group.name == "pp ends" || row.group.name == "pp pairs") {
            members = {rank, rank + (p - 1 - 2 * own) * stride};
        } else {
            const GroupFamily family = layout.grid.family(row.group).value();
            const GroupFamily::Membership in = family.membership(rank);
            for (std::int64_t position = 0; position < in.size; ++position)
                members.push_back(family.member(in.group, position));
        }
        std::sort(members.begin(), members.end());
        calls[{static_cast<int>(opOf(row.kind)), row.bytes, members}] += count;
    }
    return calls;
}

QString shown(const Calls& calls)
{
    QString text;
    for (const auto& [call, count] : calls)
        text += QString("%1 x %2 of %3 B on %4; ").arg(count).arg(std::get<0>(call)).arg(std::get<1>(call)).arg(std::get<2>(call).size());
    return text;
}

/// Empty: the graphs call what the analysis lists.
QString differs(const ModelSpec& model, const PlanSpec& plan)
{
    const auto ranks = static_cast<std::int32_t>(ranksOf(plan));
    const auto workload = lowerPlan(plan, &model, ranks);
    if (!workload)
        return QString::fromStdString(workload.error().text());
    const auto analysis = analysePlan(&model, plan, ranks, {});
    const auto layout = layoutOf(&model, plan, ranks);
    if (!analysis || !layout)
        return "no analysis";
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const Calls made = callsOf(*workload.value(), rank);
        const Calls listed = listedFor(analysis.value(), layout.value(), rank);
        if (made != listed)
            return QString("rank %1 calls %2 and the plan lists %3").arg(rank).arg(shown(made), shown(listed));
    }
    return {};
}

struct Sums {
    double operations = 0;
    std::int64_t computations = 0;
};
Sums computed(const Workload& workload, std::int32_t rank)
{
    Sums sums;
    const RankGraph& graph = workload.graph(rank);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        const auto i = static_cast<std::size_t>(task);
        if (graph.kind[i] == TaskKind::Compute && graph.name(task) != "optimizer") {
            sums.operations += static_cast<double>(graph.operations[i]);
            ++sums.computations;
        }
    }
    return sums;
}

} // namespace

class TestLoweringModel : public QObject {
    Q_OBJECT

private slots:
    void graphsCallWhatThePlanLists_data()
    {
        QTest::addColumn<int>("number");
        for (int i = 0; i < 24; ++i)
            QTest::newRow(std::to_string(i).c_str()) << i;
    }
    void graphsCallWhatThePlanLists()
    {
        QFETCH(int, number);
        ModelSpec model = smallModel();
        PlanSpec plan = planOf({"dp", "pp", "tp"}, {2, 2, 2}, 4);
        switch (number) {
        case 0: break;
        case 1: plan.tensor = TensorPlan{"tp", true, true}; break;
        case 2: plan.tensor = TensorPlan{"tp", false, false}; break;
        case 3: plan.recompute = Recompute::Full; plan.tensor = TensorPlan{"tp", true, true}; break;
        case 4: plan.recompute = Recompute::Selective; break;
        case 5: plan.data = DataPlan{}; plan.data->zero = 1; plan.data->bucketMb = 0.01; break;
        case 6: plan.data = DataPlan{}; plan.data->zero = 2; plan.data->bucketMb = 0.05; break;
        case 7: plan.data = DataPlan{}; plan.data->zero = 3; plan.data->unit = 3; break;
        case 8: plan.data = DataPlan{}; plan.data->zero = 3; plan.data->reshard = false; plan.data->prefetch = 0; break;
        case 9: plan.data = DataPlan{}; plan.data->overlap = false; plan.data->bucketMb = 0.02; break;
        case 10: model.transformer.tiedEmbedding = true; break;
        case 11: model.transformer.tiedEmbedding = true; plan.data = DataPlan{}; plan.data->zero = 3; break;
        case 12: plan = planOf({"dp", "cp", "tp"}, {2, 2, 2}, 3); break;
        case 13: plan = planOf({"cp", "pp"}, {4, 2}, 3); plan.recompute = Recompute::Full; break;
        case 14: plan = planOf({"cp", "tp"}, {4, 2}, 3); plan.context = ContextPlan{"cp", ContextPlan::Kind::Ulysses}; break;
        case 15: model = smallModel(8); plan = planOf({"dp", "pp"}, {4, 2}, 4); plan.expert = ExpertPlan{}; plan.expert->degree = 2; break;
        case 16: model = smallModel(8); plan = planOf({"dp", "ep", "tp"}, {2, 2, 2}, 2); plan.tensor = TensorPlan{"tp", true, true}; break;
        case 17: model = smallModel(8); plan = planOf({"ep", "tp"}, {4, 2}, 2); plan.recompute = Recompute::Full; break;
        case 18: plan.pipeline->schedule = PipelineSchedule::Interleaved; plan.pipeline->virtualStages = 2; break;
        case 19: plan.pipeline->schedule = PipelineSchedule::ZeroBubbleV; break;
        case 20: plan.pipeline->schedule = PipelineSchedule::DualPipe; break;
        case 21: plan.pipeline->schedule = PipelineSchedule::DualPipeV; break;
        case 22: plan = planOf({"dp", "tp"}, {4, 2}, 2); plan.data = DataPlan{}; plan.data->zero = 2; plan.data->shard = 2; break;
        case 23: model.transformer.parallelResidual = true; model.transformer.normsPerLayer = 1; plan.tensor = TensorPlan{"tp", true, true}; break;
        }
        QCOMPARE(differs(model, plan), QString());
    }

    void anAllReduceOfThirteenBillionParameters()
    {
        // A5: GPT-13B on eight ranks, one sequence, fp16: 80 all-reduces of 2 s B h = 20 971 520 bytes forward, besides the vocabulary's.
        ModelSpec model;
        TransformerSpec& of = model.transformer;
        of.layers = 40;
        of.hidden = 5120;
        of.heads = of.kvHeads = 40;
        of.headDim = 128;
        of.ff = 20480;
        of.vocab = 51200;
        of.seq = of.positionRows = 2048;
        model.train.micro = 1;
        PlanSpec plan = planOf({"tp"}, {8}, 1);
        plan.tensor = TensorPlan{"tp", false, false};
        const auto whole = lowerPlan(plan, &model, 8);
        QVERIFY(whole);
        std::map<std::pair<int, bool>, int> counts; // op, forward
        const auto count = [&](const RankGraph& graph) {
            counts.clear();
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                const auto i = static_cast<std::size_t>(task);
                if (graph.kind[i] != TaskKind::Collective || graph.bytes[i] != 20971520)
                    continue;
                ++counts[{static_cast<int>(graph.op[i]), graph.name(task).starts_with("F0")}];
            }
        };
        count(whole.value()->graph(0));
        QCOMPARE((counts[{static_cast<int>(CollectiveOp::AllReduce), true}]), 80);
        QCOMPARE((counts[{static_cast<int>(CollectiveOp::AllReduce), false}]), 80);
        plan.tensor = TensorPlan{"tp", true, false};
        const auto split = lowerPlan(plan, &model, 8);
        QVERIFY(split);
        count(split.value()->graph(0));
        QCOMPARE((counts[{static_cast<int>(CollectiveOp::AllGather), true}]), 80);
        QCOMPARE((counts[{static_cast<int>(CollectiveOp::ReduceScatter), true}]), 80);
        QCOMPARE(split.value()->graphs.size(), std::size_t{1});
    }

    /// However a model is spread, its ranks together compute as much; norms and the like are done by every rank of a tensor group without sequence parallelism.
    void spreadingAModelKeepsItsOperations()
    {
        const ModelSpec model = smallModel();
        const auto total = [&](const PlanSpec& plan) {
            const auto ranks = static_cast<std::int32_t>(ranksOf(plan));
            const auto workload = lowerPlan(plan, &model, ranks);
            if (!workload)
                qFatal("%s", workload.error().text().c_str());
            double sum = 0;
            for (std::int32_t rank = 0; rank < ranks; ++rank)
                sum += computed(*workload.value(), rank).operations;
            return sum;
        };
        const double alone = total(planOf({"dp"}, {1}, 8));
        // 4 micro-batches of 2 sequences on each of 2 replicas: the same sequences. Every task rounds up to a whole operation.
        const auto near = [&](double value) { return std::abs(value / alone - 1) < 1e-4; };
        QVERIFY(near(total(planOf({"dp", "pp"}, {2, 4}, 4))));
        QVERIFY(near(total(planOf({"pp"}, {4}, 8))));
        PlanSpec sequence = planOf({"tp", "pp"}, {4, 2}, 8);
        sequence.tensor = TensorPlan{"tp", true, true};
        QVERIFY(near(total(sequence)));
        PlanSpec context = planOf({"cp"}, {4}, 8);
        QVERIFY(near(total(context)));
        PlanSpec split = planOf({"pp"}, {4}, 8);
        split.pipeline->schedule = PipelineSchedule::ZeroBubbleH1;
        QVERIFY(near(total(split)));
        QVERIFY(total(planOf({"tp"}, {4}, 8)) > alone * 1.001);
        PlanSpec again = planOf({"pp"}, {4}, 8);
        again.recompute = Recompute::Full;
        // Forward once more, of layers: between a quarter and a third more.
        QVERIFY(total(again) > alone * 1.25 && total(again) < alone * 1.34);
    }

    void ranksOfOneStageShareAGraph()
    {
        const ModelSpec model = smallModel();
        const auto workload = lowerPlan(planOf({"dp", "pp", "tp"}, {4, 2, 2}, 4), &model, 16);
        QVERIFY(workload);
        QCOMPARE(workload.value()->graphs.size(), std::size_t{2});
        PlanSpec ring = planOf({"dp", "cp", "pp"}, {2, 4, 2}, 4);
        const auto rings = lowerPlan(ring, &model, 16);
        QVERIFY(rings);
        QCOMPARE(rings.value()->graphs.size(), std::size_t{6}); // first, inner and last of the ring
    }

    void gradientsDoNotWaitForTheEndOfTheBackwardPass()
    {
        const ModelSpec model = smallModel();
        PlanSpec plan = planOf({"dp"}, {4}, 2);
        plan.data = DataPlan{};
        plan.data->bucketMb = 0.05;
        const auto lastBackward = [](const RankGraph& graph) {
            TaskIndex last = -1;
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Compute && graph.name(task) != "optimizer")
                    last = task;
            }
            return last;
        };
        const auto waiting = [&](bool overlap) {
            plan.data->overlap = overlap;
            const auto workload = lowerPlan(plan, &model, 4);
            const RankGraph& graph = workload.value()->graph(0);
            const TaskIndex last = lastBackward(graph);
            int early = 0;
            int late = 0;
            for (TaskIndex task = 0; task < graph.size(); ++task) {
                if (graph.kind[static_cast<std::size_t>(task)] != TaskKind::Collective)
                    continue;
                const auto needs = graph.dependencies(task);
                (std::find(needs.begin(), needs.end(), last) == needs.end() ? early : late) += 1;
            }
            return std::pair(early, late);
        };
        const auto [early, late] = waiting(true);
        QVERIFY(early >= 6); // 8 layers of 46 KB and the head fill buckets of 50 KB before the embedding is reached
        QVERIFY(late >= 1);
        QCOMPARE(waiting(false).first, 0);
        QCOMPARE(waiting(false).second, early + late);
    }

    void tooManyTasksAreRefused()
    {
        const ModelSpec model = smallModel();
        PlanSpec plan = planOf({"dp"}, {4}, 2);
        plan.data = DataPlan{};
        plan.data->bucketMb = 1e-6;
        const auto buckets = lowerPlan(plan, &model, 4);
        QVERIFY(buckets || buckets.error().place.field == "workload.plan.data.bucket_mb");
        plan.data->zero = 2;
        plan.pipeline->microBatches = 1 << 20;
        const auto refused = lowerPlan(plan, &model, 4);
        QVERIFY(!refused);
        QVERIFY(!refused.error().place.field.empty());
    }
};

FABRICSCOPE_TEST(TestLoweringModel)
#include "tst_lowering_model.moc"
