// Random mixes of parallelism: FLOPs, parameters and bytes are those of the model that is not split.
#include "tests/unit/plan/planmodels.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A plan and a model that fit each other, with the sizes by name.
struct Mix {
    ModelSpec model;
    PlanSpec plan;
    std::int64_t d = 1, p = 1, c = 1, t = 1, v = 1, m = 1;
    bool bent = false; ///< First and last stage on the same rank.
    std::int64_t ranks() const { return d * p * c * t; }
};

Mix drawMix(std::uint64_t seed)
{
    Draw draw(seed);
    Mix mix;
    mix.d = std::int64_t{1} << draw.below(3);
    mix.p = std::int64_t{1} << draw.below(3);
    mix.c = std::int64_t{1} << draw.below(2);
    mix.t = std::int64_t{1} << draw.below(3);
    mix.plan = planOf(mix.d, mix.p, mix.c, mix.t);
    mix.plan.mesh.order = draw.oneIn(3) ? PlanMesh::Order::ColumnMajor : PlanMesh::Order::RowMajor;
    if (mix.d > 1) {
        mix.plan.data.emplace();
        mix.plan.data->zero = draw.below(4);
        mix.plan.data->bucketMb = static_cast<double>(draw.from(1, 40)) / 10;
        mix.plan.data->unit = static_cast<std::int32_t>(draw.from(1, 3));
    }
    if (mix.t > 1)
        mix.plan.tensor.emplace().sequenceParallel = draw.oneIn(2);
    if (mix.c > 1)
        mix.plan.context.emplace().kind = draw.oneIn(2) ? ContextPlan::Kind::Ring : ContextPlan::Kind::Ulysses;
    mix.m = 2 * mix.p * draw.from(1, 3);
    if (mix.p > 1) {
        PipelinePlan& pipeline = mix.plan.pipeline.emplace();
        pipeline.schedule = kPipelineSchedules[static_cast<std::size_t>(draw.below(8))].second;
        const bool chunked = pipeline.schedule == PipelineSchedule::Interleaved;
        mix.bent = pipeline.schedule == PipelineSchedule::ZeroBubbleV || pipeline.schedule == PipelineSchedule::DualPipeV || pipeline.schedule == PipelineSchedule::DualPipe;
        mix.v = mix.bent && pipeline.schedule != PipelineSchedule::DualPipe ? 2 : chunked ? draw.from(2, 3) : 1;
        pipeline.virtualStages = chunked ? static_cast<std::int32_t>(mix.v) : 1;
    }
    mix.plan.recompute = kRecomputes[static_cast<std::size_t>(draw.below(3))].second;
    mix.model = gpt(static_cast<std::int32_t>(mix.p * mix.v * draw.from(1, 3) + (draw.oneIn(2) ? 1 : 0)), 64 * draw.from(1, 3), 8, 4096, 128);
    mix.model.transformer.tiedEmbedding = draw.oneIn(2);
    mix.model.types.grad = draw.oneIn(2) ? NumberType::Fp32 : NumberType::Fp16;
    mix.model.train.micro = draw.from(1, 2);
    mix.model.train.global = mix.d * mix.m * mix.model.train.micro;
    return mix;
}

/// Closed forms of the model alone.
struct Whole {
    double h, s, l, v, b;
    explicit Whole(const ModelSpec& model)
        : h(static_cast<double>(model.transformer.hidden)), s(static_cast<double>(model.transformer.seq)), l(model.transformer.layers), v(static_cast<double>(model.transformer.vocab)), b(static_cast<double>(model.train.global))
    {
    }
    double forwardOfLayers() const { return b * s * l * (24 * h * h + 4 * s * h); }
    double logits() const { return 2 * b * s * h * v; }
};

std::int64_t totalOf(const PlanAnalysis& analysis, std::int64_t PlanMemory::*column)
{
    std::int64_t sum = 0;
    for (const PlanMemory& row : analysis.memory)
        sum += row.*column * row.ranks.count();
    return sum;
}

} // namespace

class PlanMixesTest : public QObject {
    Q_OBJECT

private slots:
    void flopsAreThoseOfTheModel()
    {
        for (const std::uint64_t seed : Seeds(1000, 400, 60)) {
            const Mix mix = drawMix(seed);
            const PlanAnalysis analysis = analysed(mix.model, mix.plan);
            const Whole whole(mix.model);
            const double usual = 3 * (whole.forwardOfLayers() + whole.logits());
            const double again = mix.plan.recompute == Recompute::Full ? whole.forwardOfLayers() : mix.plan.recompute == Recompute::Selective ? whole.b * whole.s * whole.l * 4 * whole.s * whole.h : 0;
            QCOMPARE(static_cast<double>(analysis.modelFlops), usual); // Far below 2^53.
            QCOMPARE(static_cast<double>(analysis.stepFlops), usual + again);
        }
    }

    /// P = V h (twice untied) + s h + L (12 h^2 + 13 h) + 2 h; 6 h of a layer, positions and the final norm are on every tensor rank; a tied table is on two stages.
    void ranksHoldEveryParameterAsOftenAsTheyShould()
    {
        for (const std::uint64_t seed : Seeds(2000, 400, 60)) {
            Mix mix = drawMix(seed);
            const std::int64_t h = mix.model.transformer.hidden;
            const std::int64_t layers = mix.model.transformer.layers;
            const bool tied = mix.model.transformer.tiedEmbedding;
            const std::int64_t table = 4096 * h;
            const std::int64_t everywhere = layers * 6 * h + 128 * h + 2 * h;
            const std::int64_t divided = table * (tied ? 1 : 2) + layers * (12 * h * h + 7 * h);
            const std::int64_t copy = tied && mix.p > 1 && !mix.bent ? table : 0;
            const std::int64_t twice = mix.p > 1 && mix.plan.pipeline->schedule == PipelineSchedule::DualPipe ? 2 : 1;
            const std::int64_t elements = twice * (divided + copy + mix.t * everywhere); // Of one copy of the model.
            const std::int64_t zero = mix.d > 1 ? mix.plan.data->zero : 0;
            const std::int64_t copies = mix.d * mix.c;
            const PlanAnalysis analysis = analysed(mix.model, mix.plan);
            const std::int64_t gradient = mix.model.types.grad == NumberType::Fp32 ? 4 : 2;
            const auto check = [&](std::int64_t PlanMemory::*column, std::int64_t each, std::int64_t from) {
                const std::int64_t wanted = elements * each * (zero >= from ? 1 : copies);
                const std::int64_t got = totalOf(analysis, column);
                // Parts of states are rounded up to whole bytes on each rank.
                QVERIFY2(got >= wanted && got <= wanted + (zero >= from ? 2 * mix.ranks() : 0), qPrintable(QStringLiteral("seed %1: %2 instead of %3").arg(seed).arg(got).arg(wanted)));
            };
            check(&PlanMemory::parameters, 2, 3);
            check(&PlanMemory::gradients, gradient, 2);
            check(&PlanMemory::optimizer, 12, 1);
        }
    }

    /// Sums over all ranks of what one layer sends (manual: plans 5).
    void collectivesAreThoseOfEveryLayer()
    {
        for (const std::uint64_t seed : Seeds(3000, 400, 60)) {
            const Mix mix = drawMix(seed);
            const PlanAnalysis analysis = analysed(mix.model, mix.plan);
            const std::int64_t n = 2 * mix.model.train.micro * 128 * mix.model.transformer.hidden / mix.c; // B s h of 2 bytes
            const WideCount layerPasses = WideCount{mix.model.transformer.layers} * mix.m * mix.d * mix.c * mix.t; // over all ranks
            const auto over = [&](const char* group, PlanPhase phase, auto value) {
                WideCount sum = 0;
                for (const PlanCommunication& row : analysis.communications)
                    sum += row.group.name == group && row.phase == phase ? value(row) * row.ranks.count() : 0;
                return static_cast<double>(sum);
            };
            const auto ofSize = [n](const PlanCommunication& row) { return row.bytes == n ? row.count : WideCount{0}; };
            const bool split = mix.t > 1 && mix.plan.tensor->sequenceParallel;
            const auto ends = static_cast<double>(mix.m * mix.d * mix.c * mix.t); // Embedding, or logits.
            const double again = mix.plan.recompute == Recompute::Full ? 1 : 0;
            const auto layers = static_cast<double>(layerPasses);
            if (mix.t > 1 && !split) {
                QCOMPARE(over("tp", PlanPhase::Forward, ofSize), 2 * layers + ends);
                QCOMPARE(over("tp", PlanPhase::Backward, ofSize), 2 * layers * (1 + again) + ends);
            } else if (mix.t > 1) {
                QCOMPARE(over("tp", PlanPhase::Forward, ofSize), 4 * layers + 2 * ends);
                QCOMPARE(over("tp", PlanPhase::Backward, ofSize), 6 * layers + 4 * layers * again + 3 * ends);
            }
            if (mix.p > 1) {
                // Every boundary once each way, but where the next stage is on the same rank.
                const std::int64_t boundaries = mix.p * mix.v - 1 - (mix.v == 2 && mix.bent ? 1 : 0);
                const double sends = static_cast<double>(boundaries) * ends;
                const auto bytes = static_cast<double>(n / (split ? mix.t : 1));
                const auto sent = [](const PlanCommunication& row) { return row.groupSize > 2 || row.kind == PlanCommunication::Kind::Send ? row.count * row.bytes : WideCount{0}; };
                QCOMPARE(over("pp", PlanPhase::Forward, sent), sends * bytes);
                QCOMPARE(over("pp", PlanPhase::Backward, sent), sends * bytes);
            }
        }
    }

    /// n = local gradients: all-reduced once, or scattered; ZeRO 1 and 2 gather the local parameters once, 3 gathers them before each pass.
    void everyGradientIsReducedAndEveryParameterGathered()
    {
        for (const std::uint64_t seed : Seeds(4000, 400, 60)) {
            Mix mix = drawMix(seed);
            if (mix.d * mix.c == 1)
                continue;
            const std::int32_t zero = mix.d > 1 ? mix.plan.data->zero : 0;
            const PlanAnalysis analysis = analysed(mix.model, mix.plan);
            PlanSpec plain = mix.plan;
            if (plain.data)
                plain.data->zero = 0;
            const PlanAnalysis whole = analysed(mix.model, plain);
            const auto gradients = static_cast<double>(totalOf(whole, &PlanMemory::gradients));
            const auto parameters = static_cast<double>(totalOf(whole, &PlanMemory::parameters));
            // Dualpipe gives half of the micro-batches to each of two directions, each with all parameters.
            const double passes = static_cast<double>(mix.m) / (mix.p > 1 && mix.plan.pipeline->schedule == PipelineSchedule::DualPipe ? 2 : 1);
            const std::string group = mix.c == 1 ? "dp" : mix.d == 1 ? "cp" : "dp+cp";
            const auto sum = [&](PlanCommunication::Kind kind) {
                double bytes = 0;
                for (const PlanCommunication& row : analysis.communications)
                    bytes += row.kind == kind && row.group.name == group ? static_cast<double>(row.count * row.bytes * row.ranks.count()) : 0;
                return bytes;
            };
            QCOMPARE(sum(PlanCommunication::Kind::AllReduce), zero == 0 ? gradients : 0);
            QCOMPARE(sum(PlanCommunication::Kind::ReduceScatter), zero == 0 ? 0 : gradients * (zero == 1 ? 1.0 : zero == 2 ? static_cast<double>(mix.m) : passes));
            QCOMPARE(sum(PlanCommunication::Kind::AllGather), zero == 0 ? 0 : parameters * (zero == 3 ? 2 * passes : 1));
        }
    }

    /// base (34 + q) and its parts for the layers of a stage times what is in flight there, where all stages are alike.
    void activationsAreThoseOfTheFormulas()
    {
        for (const std::uint64_t seed : Seeds(5000, 400, 60)) {
            Mix mix = drawMix(seed);
            mix.model.transformer.layers = static_cast<std::int32_t>(mix.p * mix.v * 2);
            const PlanAnalysis analysis = analysed(mix.model, mix.plan);
            const double h = static_cast<double>(mix.model.transformer.hidden);
            const double base = 128 * static_cast<double>(mix.model.train.micro) * h / static_cast<double>(mix.c);
            const double q = 5.0 * 8 * 128 / h;
            const auto t = static_cast<double>(mix.t);
            const bool split = mix.t > 1 && mix.plan.tensor->sequenceParallel;
            const double core = mix.plan.recompute == Recompute::Selective ? 0 : q;
            const double layer = mix.plan.recompute == Recompute::Full ? 2 * base / (split ? t : 1) : base * (split ? (34 + core) / t : 10 + (24 + core) / t);
            for (const PlanStage& stage : analysis.stages) {
                const double perChunk = static_cast<double>(stage.layers) / static_cast<double>(mix.plan.pipeline && mix.plan.pipeline->schedule == PipelineSchedule::DualPipe ? 2 : mix.v);
                const std::int64_t rank = stage.ranks.intervals().front().first;
                const auto got = static_cast<double>(memoryOfRank(analysis, rank).activations);
                const double wanted = layer * perChunk * static_cast<double>(stage.inFlight);
                QVERIFY2(std::abs(got - wanted) <= 1e-6 * wanted, qPrintable(QStringLiteral("seed %1 stage %2: %3 instead of %4").arg(seed).arg(stage.stage).arg(got).arg(wanted)));
            }
        }
    }

    /// Experts over e ranks: each rank has 1/e of them, all ranks together every one as often as there are copies of the experts.
    void expertsAreHeldByTheRanksThatShareThem()
    {
        for (const std::uint64_t seed : Seeds(6000, 200, 30)) {
            Draw draw(seed);
            const std::int64_t d = std::int64_t{1} << draw.from(0, 3);
            const std::int64_t p = draw.from(1, 2);
            const std::int64_t e = std::int64_t{1} << draw.from(0, d == 1 ? 0 : d == 2 ? 1 : 2);
            ModelSpec model = gpt(4, 128, 8, 4096, 128);
            model.transformer.tiedEmbedding = false;
            MoeSpec& moe = model.transformer.moe;
            moe.experts = 8;
            moe.topK = 2;
            moe.every = 1;
            moe.capacityFactor = draw.oneIn(2) ? 0 : 1.25;
            moe.expertFf = 256;
            model.train = {d * 4, 1};
            PlanSpec plan = planOf(d, p, 1, 1);
            if (d > 1)
                plan.expert.emplace().degree = e;
            if (plan.expert && draw.oneIn(2))
                plan.expert->dispatch = ExpertPlan::Dispatch::Dropless;
            const PlanAnalysis analysis = analysed(model, plan);
            const PlanAnalysis alone = [&] {
                ModelSpec single = model;
                single.train = {1, 1};
                return analysed(single, planOf(1, 1, 1, 1));
            }();
            const std::int64_t experts = 4 * 8 * 2 * 128 * 256 * 2; // Layers, experts, two matrices, bytes.
            const std::int64_t dense = totalOf(alone, &PlanMemory::parameters) - experts;
            QCOMPARE(totalOf(analysis, &PlanMemory::parameters), dense * d + experts * d / e);
            // Dispatch and combine, forward and backward, in every layer: k rows of a token, or room for a quarter more.
            WideCount sent = 0;
            for (const PlanCommunication& row : analysis.communications)
                sent += row.kind == PlanCommunication::Kind::AllToAll ? row.count * row.bytes * row.ranks.count() : 0;
            const bool dropless = moe.capacityFactor == 0 || (plan.expert && plan.expert->dispatch == ExpertPlan::Dispatch::Dropless);
            const std::int64_t rows = dropless ? 2 * 128 : 8 * 40; // ceil(1.25 x 2 x 128 / 8) = 40
            QCOMPARE(static_cast<std::int64_t>(sent), e == 1 ? 0 : d * 4 * 4 * (4 * rows * 128 * 2));
        }
    }
};

FABRICSCOPE_TEST(PlanMixesTest)
#include "tst_plan_mixes.moc"
