// Inference as a workload of a plan, what runs of plans say, and the imbalance of experts.
#include "core/design/file/readdesign.h"
#include "core/model/passcost.h"
#include "core/model/presetmodels.h"
#include "core/plan/inference/servedwork.h"
#include "core/plan/lower/planworkload.h"
#include "core/report/planfigures.h"
#include "core/run/rundesign.h"
#include "tests/unit/plan/planmodels.h"
#include "tests/unit/support/testprogram.h"

#include <numeric>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A small model without learned positions, so that prompts may be long.
ModelSpec smallModel()
{
    ModelSpec model = gpt(4, 64, 8, 512, 64);
    model.transformer.positions = PositionKind::Rotary;
    model.transformer.flashAttention = true;
    return model;
}

PlanSpec served(std::int64_t d, std::int64_t p, std::int64_t t, InferencePlan inference)
{
    PlanSpec plan = planOf(d, p, 1, t);
    plan.inference = inference;
    return plan;
}

InferencePlan generating(std::int64_t batch, std::int64_t prompt, std::int64_t output)
{
    InferencePlan inference;
    inference.batch = batch;
    inference.prompt = prompt;
    inference.output = output;
    return inference;
}

WorkloadPtr lowered(const ModelSpec& model, const PlanSpec& plan)
{
    auto workload = lowerPlan(plan, &model, static_cast<std::int32_t>(ranksOf(plan)));
    if (!workload)
        qFatal("%s", workload.error().text().c_str());
    return workload.value();
}

/// Operations of the tasks of a rank whose names begin like this.
std::int64_t operationsOf(const RankGraph& graph, std::string_view name)
{
    std::int64_t sum = 0;
    for (TaskIndex task = 0; task < graph.size(); ++task)
        sum += graph.name(task).starts_with(name) ? graph.operations[at(task)] : 0;
    return sum;
}

std::string error(const ModelSpec& model, const PlanSpec& plan)
{
    const auto layout = layoutOf(&model, plan, ranksOf(plan));
    return layout ? "accepted" : layout.error().place.field;
}

/// A plan on NPUs joined to all others at 100 GB/s without latency.
RunResultPtr runOf(const ModelSpec* model, const PlanSpec& plan)
{
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: fully_connected, size: " + std::to_string(ranksOf(plan))
        + ", bandwidth: 100 GB/s, latency: 0 ns}\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 80 GiB}\nworkload:\n  steps:\n    - {compute: 1 us}\nmodel: {name: links, endpoint_delay: 0 ns}\n";
    auto loaded = readDesignText(text, {}, {});
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    Design design = loaded.value().design;
    design.workload = std::make_shared<const WorkloadSpec>(PlannedWorkload{model ? std::make_shared<const ModelSpec>(*model) : nullptr, std::make_shared<const PlanSpec>(plan)});
    auto result = runDesign(std::make_shared<const Design>(design), {}, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

const PlanFigures& figuresOf(const RunResultPtr& run)
{
    if (!run->summary.plan)
        qFatal("no figures");
    return *run->summary.plan;
}

std::int64_t exposedOf(const PlanFigures& figures, PlanTraffic kind)
{
    return (*figures.exposed)[static_cast<std::size_t>(kind)];
}

/// The rows are those of the ranks they name.
void compareExposed(const RunResultPtr& run)
{
    const PlanFigures& figures = figuresOf(run);
    QVERIFY(figures.exposed.has_value());
    const std::int64_t first = figures.exposedRanks.intervals().front().first;
    for (const RankClass& row : run->record().classes) {
        if (row.ranks.contains(first))
            QCOMPARE(std::accumulate(figures.exposed->begin(), figures.exposed->end(), std::int64_t{0}), row.times.exposedComm.ps);
    }
}

} // namespace

class InferenceTest : public QObject {
    Q_OBJECT

private slots:
    void flopsAndCacheOfLlama70bAreThePublishedOnes()
    {
        const auto preset = presetModel("llama-3-70b");
        QVERIFY(preset);
        const ModelSpec& model = preset.value();
        const auto flops = [&](std::int64_t batch, std::int64_t prompt, std::int64_t output) { return analysed(model, served(1, 1, 8, generating(batch, prompt, output))).modelFlops; };
        QVERIFY(flops(1, 2048, 1) == WideCount{280377566429184} + 5500242493440);
        QVERIFY(flops(1, 8192, 1) == WideCount{1121503961677824} + 87971667640320);
        QVERIFY(flops(16, 4095, 2) - flops(16, 4095, 1) == WideCount{2224054861824} + 171798691840);
        // 327680 bytes per token over 8 ranks; the last token that comes out is not kept.
        const PlanAnalysis analysis = analysed(model, served(1, 1, 8, generating(16, 4095, 2)));
        QCOMPARE(analysis.memory.front().kvCache, std::int64_t{327680} / 8 * 16 * 4096);
        QVERIFY(analysis.memory.front().parameters >= std::int64_t{70553706496} * 2 / 8);
        QCOMPARE(analysis.memory.front().gradients + analysis.memory.front().optimizer + analysis.memory.front().activations, std::int64_t{0});
    }

    void aRankComputesWhatTheModelDoesInEveryPass()
    {
        const ModelSpec model = smallModel();
        InferencePlan inference = generating(3, 50, 4);
        const auto costOf = [&](const PassShape& pass) {
            const auto cost = inferenceCost(model, pass);
            return cost.value().linearFlops + cost.value().attentionFlops + cost.value().vectorFlops;
        };
        const WorkloadPtr whole = lowered(model, served(1, 1, 1, inference));
        QCOMPARE(operationsOf(whole->graph(0), "prefill"), costOf(PassShape::prefill(3, 50)));
        for (std::int64_t token = 2; token <= 4; ++token)
            QCOMPARE(operationsOf(whole->graph(0), "decode " + std::to_string(token)), costOf(PassShape::decode(3, 50 + token - 1)));
        // Chunks add up; logits of the last alone.
        inference.chunk = 16;
        const WorkloadPtr chunked = lowered(model, served(1, 1, 1, inference));
        // The final norm, too, works on the 2 tokens of the last chunk alone.
        QCOMPARE(operationsOf(chunked->graph(0), "prefill"), operationsOf(whole->graph(0), "prefill") - 5 * 64 * 3 * 48);
        // Stages share the layers.
        const WorkloadPtr staged = lowered(model, served(1, 2, 1, inference));
        QCOMPARE(operationsOf(staged->graph(0), "prefill") + operationsOf(staged->graph(1), "prefill"), operationsOf(chunked->graph(0), "prefill"));
    }

    void layersSumOverTheTensorGroupAndLogitsAreGathered()
    {
        const ModelSpec model = smallModel();
        const WorkloadPtr workload = lowered(model, served(1, 1, 4, generating(2, 32, 3)));
        const RankGraph& graph = workload->graph(0);
        std::map<std::pair<CollectiveOp, std::int64_t>, int> calls;
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            if (graph.kind[at(task)] == TaskKind::Collective)
                ++calls[{graph.op[at(task)], graph.bytes[at(task)]}];
        }
        // 4 layers x 2 and the embedding; two bytes of 64 numbers per token; three passes give logits of 512 words for 2 sequences.
        const std::map<std::pair<CollectiveOp, std::int64_t>, int> wanted{{{CollectiveOp::AllReduce, 2 * 32 * 64 * 2}, 9}, {{CollectiveOp::AllReduce, 2 * 64 * 2}, 18}, {{CollectiveOp::AllGather, 2 * 512 * 2}, 3}};
        QVERIFY(calls == wanted);
        const PlanAnalysis analysis = analysed(model, served(1, 1, 4, generating(2, 32, 3)));
        const auto count = [&](PlanCommunication::Kind kind) { return summed(analysis, [kind](const auto& row) { return row.kind == kind; }, [](const auto& row) { return row.count; }); };
        QVERIFY(count(PlanCommunication::Kind::AllReduce) == 27);
        QVERIFY(count(PlanCommunication::Kind::AllGather) == 3);
    }

    void fewerKvHeadsThanRanksAreCopied()
    {
        ModelSpec model = smallModel();
        model.transformer.kvHeads = 2;
        // 2 x 2 heads of 8 numbers of two bytes in 4 layers: 256 B a token; on 8 ranks every one has one of the two heads.
        const PlanAnalysis analysis = analysed(model, served(1, 1, 8, generating(1, 100, 1)));
        QCOMPARE(analysis.memory.front().kvCache, std::int64_t{256} / 2 * 100);
    }

    void tokensComeWhenTheirTasksEnd()
    {
        const ModelSpec model = smallModel();
        for (const auto& [p, t, m] : {std::tuple{1, 1, 1}, {1, 4, 1}, {2, 1, 1}, {2, 2, 2}}) {
            PlanSpec plan = served(1, p, t, generating(4, 64, 5));
            plan.pipeline.emplace().microBatches = m;
            if (p == 1)
                plan.pipeline.reset();
            const RunResultPtr run = runOf(&model, plan);
            QVERIFY(run->record().complete);
            const PlanFigures& figures = figuresOf(run);
            QVERIFY(figures.served && figures.served->perToken);
            QCOMPARE(figures.served->steps, std::int64_t{4});
            QCOMPARE(figures.served->allSteps, std::int64_t{4});
            // The last token ends the run.
            QVERIFY(std::abs(figures.served->firstToken + 4 * *figures.served->perToken - run->record().finish.ps) < 4);
            const double seconds = static_cast<double>(run->record().finish.ps) * 1e-12;
            QVERIFY(std::abs(*figures.tokensPerSecond * seconds - 20) < 1e-3);
            compareExposed(run);
        }
    }

    void poolsHandTheCacheOver()
    {
        const ModelSpec model = smallModel();
        const RunResultPtr alone = runOf(&model, served(1, 1, 1, generating(4, 64, 3)));
        PlanSpec plan = served(2, 1, 1, generating(4, 64, 3));
        plan.inference->prefillReplicas = 1;
        const RunResultPtr pools = runOf(&model, plan);
        QVERIFY(pools->record().complete);
        QCOMPARE(figuresOf(pools).served->firstToken, figuresOf(alone).served->firstToken);
        // 2 x 64 numbers of two bytes in 4 layers for 64 tokens of 4 sequences, and their first tokens, at 100 GB/s.
        const std::int64_t bytes = std::int64_t{2} * 64 * 2 * 4 * 64 * 4 + 4 * 4;
        const std::int64_t later = pools->record().finish.ps - alone->record().finish.ps;
        QVERIFY2(std::abs(later - bytes * 10) < 1000, std::to_string(later).c_str());
        QVERIFY(exposedOf(figuresOf(pools), PlanTraffic::Transfer) > 0);
        compareExposed(pools);
        // Two replicas to decode for each that prefills: the second batch comes later.
        PlanSpec three = served(3, 1, 1, generating(4, 64, 3));
        three.inference->prefillReplicas = 1;
        const RunResultPtr queued = runOf(&model, three);
        QVERIFY(queued->record().complete);
        QCOMPARE(figuresOf(queued).served->firstToken, 2 * figuresOf(alone).served->firstToken);
    }

    void someStepsStandForAll()
    {
        const ModelSpec model = smallModel();
        PlanSpec plan = served(1, 1, 1, generating(1, 32, 101));
        const auto layout = layoutOf(&model, plan, 1);
        QCOMPARE(inferencePasses(layout.value()).size(), std::size_t{101});
        const std::int64_t every = *figuresOf(runOf(&model, plan)).served->perToken;
        plan.inference->decodeSteps = 5;
        const auto sampled = layoutOf(&model, plan, 1);
        std::vector<std::int64_t> keys;
        for (const InferencePass& pass : inferencePasses(sampled.value()))
            keys.push_back(pass.shape.keys);
        QVERIFY((keys == std::vector<std::int64_t>{32, 33, 57, 82, 107, 132}));
        const RunResultPtr run = runOf(&model, plan);
        const PlanFigures& figures = figuresOf(run);
        QCOMPARE(figures.served->steps, std::int64_t{5});
        QVERIFY(std::abs(*figures.served->perToken - every) < every / 100);
    }

    void latencyGrowsWithTheBatchUpToWhatFits()
    {
        const auto preset = presetModel("llama-3-70b");
        PlanNpu npu;
        npu.peak = 989.4e12;
        npu.memoryBandwidth = 3.35e12;
        npu.memory = std::int64_t{80} << 30;
        const PlanSpec plan = served(1, 1, 8, generating(16, 2048, 128));
        const PlanAnalysis analysis = analysed(preset.value(), plan, npu);
        QVERIFY(analysis.batches.size() > 4);
        QCOMPARE(analysis.batches.front().batch, std::int64_t{16});
        for (std::size_t i = 2; i < analysis.batches.size(); ++i) {
            QVERIFY(analysis.batches[i].batch > analysis.batches[i - 1].batch);
            QVERIFY(*analysis.batches[i].perToken > *analysis.batches[i - 1].perToken);
            QVERIFY(analysis.batches[i].peak <= *npu.memory);
        }
        // Not below the published bounds: 5.19 ms to read the weights once; 36.1 ms of FLOPs for a prompt of 2048.
        QVERIFY(*analysis.batches[1].perToken > 5.19e-3 && *analysis.batches[1].perToken < 5.19e-3 * 1.1);
        QVERIFY(*analysis.batches[1].firstToken > 36.1e-3 && *analysis.batches[1].firstToken < 36.1e-3 * 1.3);
        // The largest fits and one more does not.
        InferencePlan more = *plan.inference;
        more.batch = analysis.batches.back().batch + 1;
        const PlanAnalysis above = analysed(preset.value(), served(1, 1, 8, more), npu);
        QCOMPARE(above.findings.size(), std::size_t{1});
        QCOMPARE(above.findings.front().expected, "a batch of at most " + std::to_string(analysis.batches.back().batch));
    }

    void whatInferenceCannotBeIsRefused()
    {
        const ModelSpec model = smallModel();
        const auto field = [&](std::int64_t d, std::int64_t p, std::int64_t c, std::int64_t t, auto change) {
            PlanSpec plan = planOf(d, p, c, t);
            plan.inference = generating(4, 32, 8);
            change(plan);
            return error(model, plan);
        };
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec&) {}), std::string("accepted"));
        QCOMPARE(field(1, 1, 2, 1, [](PlanSpec&) {}), std::string("workload.plan.context.axis"));
        QCOMPARE(field(2, 1, 1, 1, [](PlanSpec& plan) { plan.data.emplace().zero = 1; }), std::string("workload.plan.data.zero"));
        QCOMPARE(field(1, 1, 1, 2, [](PlanSpec& plan) { plan.tensor.emplace().sequenceParallel = true; }), std::string("workload.plan.tensor.sequence_parallel"));
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec& plan) { plan.recompute = Recompute::Full; }), std::string("workload.plan.recompute"));
        QCOMPARE(field(1, 2, 1, 1, [](PlanSpec& plan) { plan.pipeline.emplace().schedule = PipelineSchedule::ZeroBubbleH1; }), std::string("workload.plan.pipeline.schedule"));
        QCOMPARE(field(1, 2, 1, 1, [](PlanSpec& plan) { plan.pipeline.emplace().microBatches = 3; }), std::string("workload.plan.pipeline.micro_batches"));
        QCOMPARE(field(3, 1, 1, 1, [](PlanSpec& plan) { plan.inference->prefillReplicas = 2; }), std::string("workload.plan.inference.prefill_replicas"));
        // Of 12 replicas those can prefill of which the others are a multiple: 1, 2, 3, 4 and 6.
        for (const auto& [prefill, expected] : {std::pair{5, "4 or 6"}, {9, "6"}, {12, "6"}}) {
            PlanSpec pools = served(12, 1, 1, generating(4, 32, 8));
            pools.inference->prefillReplicas = prefill;
            const auto layout = layoutOf(&model, pools, 12);
            QVERIFY(!layout);
            QCOMPARE(layout.error().expected.substr(0, layout.error().expected.find(',')), std::string(expected));
        }
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec& plan) { plan.inference->decodeSteps = 8; }), std::string("workload.plan.inference.decode_steps"));
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec& plan) { plan.inference->output = 5000; }), std::string("workload.plan.inference.output"));
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec& plan) { plan.inference->output = 5000, plan.inference->decodeSteps = 9; }), std::string("accepted"));
        QCOMPARE(field(1, 1, 1, 1, [](PlanSpec& plan) { plan.inference->prompt = 5000, plan.inference->chunk = 1; }), std::string("workload.plan.inference.chunk"));
        QCOMPARE(field(2, 1, 1, 1, [](PlanSpec& plan) { plan.mesh.deviceOrder = {1, 0}; }), std::string("workload.plan.mesh.device_order"));
        ModelSpec encoder = model;
        encoder.transformer.head = HeadKind::Pooler;
        QCOMPARE(error(encoder, served(1, 1, 1, generating(1, 8, 1))), std::string("workload.plan.inference"));
    }

    void theBubbleOfAPipelineIsItsClosedForm()
    {
        const Quantity unit{1, "ms", Measure::Time};
        for (const auto& [p, m] : {std::pair{4, 8}, {3, 5}, {8, 8}}) {
            PlanSpec plan = planOf(1, p, 1, 1);
            PipelinePlan pipeline;
            pipeline.microBatches = m;
            pipeline.times = {StageTimes{unit, Quantity{2, "ms", Measure::Time}, std::nullopt, std::nullopt}};
            plan.pipeline = pipeline;
            const RunResultPtr run = runOf(nullptr, plan);
            const PlanFigures& figures = figuresOf(run);
            QVERIFY(!figures.hasModel && figures.bubbleShare);
            QVERIFY2(std::abs(*figures.bubbleShare - (p - 1.0) / (m + p - 1.0)) < 1e-6, std::to_string(*figures.bubbleShare).c_str());
            compareExposed(run);
        }
    }

    void exposedTimeIsOfTheKindThatCausesIt()
    {
        ModelSpec model = gpt(4, 256, 8, 512, 64);
        model.train = {8, 1};
        const auto only = [&](const PlanSpec& plan, std::vector<PlanTraffic> kinds) {
            const RunResultPtr run = runOf(&model, plan);
            compareExposed(run);
            for (const auto& [word, kind] : kPlanTraffic) {
                const bool wanted = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
                QVERIFY2((exposedOf(figuresOf(run), kind) > 0) == wanted, std::string(word).c_str());
            }
            const double whole = 1e12 * static_cast<double>(ranksOf(plan)) * static_cast<double>(run->record().finish.ps) * 1e-12;
            QVERIFY(std::abs(*figuresOf(run).mfu - static_cast<double>(figuresOf(run).modelFlops) / whole) < 1e-9);
            QVERIFY(std::abs(*figuresOf(run).tokensPerSecond - 8 * 64 / (static_cast<double>(run->record().finish.ps) * 1e-12)) < 1);
            QCOMPARE(figuresOf(run).npuMemory, std::optional<std::int64_t>(std::int64_t{80} << 30));
        };
        only(planOf(1, 1, 1, 4), {PlanTraffic::Tensor});
        PlanSpec data = planOf(4, 1, 1, 1);
        data.data.emplace().overlap = false;
        only(data, {PlanTraffic::Data});
        PlanSpec ulysses = planOf(1, 1, 4, 1);
        ulysses.context.emplace().kind = ContextPlan::Kind::Ulysses;
        only(ulysses, {PlanTraffic::Context, PlanTraffic::Data});
        // Blocks of attention hide the messages of a ring.
        only(planOf(1, 1, 4, 1), {PlanTraffic::Data});
    }

    void theFullestRankOfExpertsIsLoaded()
    {
        ModelSpec model = gpt(2, 64, 8, 512, 64);
        MoeSpec& moe = model.transformer.moe;
        moe.experts = 8;
        moe.expertFf = 128;
        moe.capacityFactor = 0;
        model.train = {8, 1};
        PlanSpec plan = planOf(4, 1, 1, 1);
        plan.expert.emplace().dispatch = ExpertPlan::Dispatch::Dropless;
        const PlanAnalysis mean = analysed(model, plan);
        const WorkloadPtr meanWork = lowered(model, plan);
        plan.expert->imbalance = 1.5;
        const PlanAnalysis full = analysed(model, plan);
        const WorkloadPtr fullWork = lowered(model, plan);
        const auto bytes = [](const PlanAnalysis& analysis) { return summed(analysis, [](const auto& row) { return row.kind == PlanCommunication::Kind::AllToAll; }, [](const auto& row) { return row.count * row.bytes; }); };
        // 2 rows of 64 numbers for each of 64 tokens, there and back, forward and backward, in 2 layers and 2 micro-batches.
        QVERIFY(bytes(mean) == WideCount{2 * 64 * 64 * 2} * 4 * 2 * 2);
        QVERIFY(bytes(full) == bytes(mean) * 3 / 2);
        QVERIFY(full.stepFlops == mean.stepFlops && full.modelFlops == mean.modelFlops);
        QVERIFY(full.memory.front().activations > mean.memory.front().activations);
        QCOMPARE(full.memory.front().parameters, mean.memory.front().parameters);
        // Products of experts: 2 matrices of 64 x 128 on 128 rows forward, twice that backward; activation 8 operations, as many backward.
        const std::int64_t rows = 128;
        const std::int64_t experts = rows * (3 * 2 * 2 * 64 * 128 + 2 * 8 * 128) * 2 * 2;
        const auto operations = [](const WorkloadPtr& work) { return operationsOf(work->graph(0), ""); };
        QCOMPARE(operations(fullWork) - operations(meanWork), experts / 2);
        plan.expert->dispatch = ExpertPlan::Dispatch::Capacity;
        model.transformer.moe.capacityFactor = 1.25;
        QCOMPARE(error(model, plan), std::string("workload.plan.expert.imbalance"));
    }

    void anInferencePlanIsWrittenAndReadBack()
    {
        const std::string text = "fabricscope: 1\nplatform: {topology: Ring(2)_Switch(2), bandwidth: 50 GB/s, latency: 1 us}\nworkload:\n  model: gpt2\n  plan:\n    mesh: {axes: [dp, tp], shape: [2, 2]}\n    inference: {batch: 4, prompt: 128, output: 32, chunk: 64, decode_steps: 5, prefill_replicas: 1}\n";
        const auto loaded = readDesignText(text, "made.yaml");
        QVERIFY(loaded);
        const auto again = readDesignText(writeDesign(loaded.value().design), "again.yaml");
        QVERIFY(again);
        const auto& plan = *std::get<PlannedWorkload>(*again.value().design.workload).plan;
        QVERIFY(plan.inference && *plan.inference == (InferencePlan{4, 128, 32, 64, 5, 1}));
        QVERIFY(designHash(loaded.value().design) == designHash(again.value().design));
    }
};

FABRICSCOPE_TEST(InferenceTest)
#include "tst_inference.moc"
