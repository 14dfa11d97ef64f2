// FLOPs, memory and collectives of plans against numbers of the Megatron papers and closed forms.
#include "tests/unit/plan/planmodels.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr double kGiB = 1073741824.0;

double shareOff(double got, double wanted)
{
    return std::abs(got - wanted) / wanted;
}

} // namespace

class PlanPublishedTest : public QObject {
    Q_OBJECT

private slots:
    void aStepHasThePublishedFlops_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("d");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("t");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("perNpu");
        QTest::addColumn<double>("seconds");
        QTest::newRow("1T on 3072") << 128 << 25600 << 160 << 3072 << 6 << 64 << 8 << 5.1391e19 << 163e12 << 102.63;
        QTest::newRow("1.7B on 32") << 24 << 2304 << 24 << 512 << 32 << 1 << 1 << 1.5467e16 << 137e12 << 3.528;
    }
    void aStepHasThePublishedFlops()
    {
        QFETCH(int, layers);
        QFETCH(int, hidden);
        QFETCH(int, heads);
        QFETCH(int, batch);
        QFETCH(int, d);
        QFETCH(int, p);
        QFETCH(int, t);
        QFETCH(double, flops);
        QFETCH(double, perNpu);
        QFETCH(double, seconds);
        ModelSpec model = gpt(layers, hidden, heads);
        model.train = {batch, 1};
        PlanSpec plan = planOf(d, p, 1, t);
        plan.recompute = Recompute::Full;
        const PlanAnalysis analysis = analysed(model, plan);
        const auto executed = static_cast<double>(analysis.stepFlops);
        QVERIFY(shareOff(executed, flops) < 1e-4);
        QVERIFY(shareOff(executed / perNpu / static_cast<double>(ranksOf(plan)), seconds) < 2e-4);
        // Without recomputation: 72 B s L h^2 (1 + s / 6h + V / 12hL), and nothing else changes with the plan.
        const double h = hidden;
        const double usual = 72.0 * batch * 2048 * layers * h * h * (1 + 2048 / (6 * h) + 51200 / (12 * h * layers));
        QVERIFY(shareOff(static_cast<double>(analysis.modelFlops), usual) < 1e-12);
    }

    void theFirstStageKeepsThePublishedActivations_data()
    {
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("v");
        QTest::addColumn<double>("plain");
        QTest::addColumn<double>("selective");
        QTest::addColumn<double>("states");
        QTest::newRow("22B") << 6144 << 64 << 48 << 4 << 1 << 1 << 59.25 << 9.56 << 45.5625;
        QTest::newRow("175B") << 12288 << 96 << 96 << 1 << 8 << 3 << 66.84 << 12.35 << 45.5625;
        QTest::newRow("530B") << 20480 << 128 << 105 << 1 << 35 << 3 << 114.02 << 23.08 << 31.6406;
        QTest::newRow("1T") << 25600 << 160 << 128 << 1 << 64 << 1 << 131.25 << 26.56 << 32.9590;
    }
    void theFirstStageKeepsThePublishedActivations()
    {
        QFETCH(int, hidden);
        QFETCH(int, heads);
        QFETCH(int, layers);
        QFETCH(int, batch);
        QFETCH(int, p);
        QFETCH(int, v);
        QFETCH(double, plain);
        QFETCH(double, selective);
        QFETCH(double, states);
        ModelSpec model = gpt(layers, hidden, heads);
        model.types.grad = NumberType::Fp32; // 18 bytes per parameter
        model.train = {std::int64_t{4} * p * batch, batch};
        PlanSpec plan = planOf(1, p, 1, 8);
        plan.pipeline = p > 1 ? std::optional(PipelinePlan{}) : std::nullopt;
        if (v > 1) {
            plan.pipeline->schedule = PipelineSchedule::Interleaved;
            plan.pipeline->virtualStages = v;
        }
        plan.tensor.emplace();
        const PlanAnalysis without = analysed(model, plan);
        QVERIFY(std::abs(static_cast<double>(memoryOfRank(without, 0).activations) / kGiB - plain) < 0.01);
        plan.tensor->sequenceParallel = true;
        plan.recompute = Recompute::Selective;
        const PlanAnalysis with = analysed(model, plan);
        QVERIFY(std::abs(static_cast<double>(memoryOfRank(with, 0).activations) / kGiB - selective) < 0.01);
        // The published states are those of the matrices of layers alone; table, positions, biases and norms come on top.
        const PlanMemory& row = memoryOfRank(with, 0);
        const std::int64_t h = hidden;
        const std::int64_t inLayers = layers / p * (7 * h / 8 + 6 * h);
        const std::int64_t around = (51200 / 8 + 2048) * h + (p == 1 ? 2 * h : 0);
        const double matrices = static_cast<double>(row.parameters + row.gradients + row.optimizer - 18 * (inLayers + around)) / kGiB;
        QVERIFY2(std::abs(matrices - states) < 0.01, qPrintable(QString::number(matrices)));
    }

    void tensorParallelismSendsThePublishedCollectives()
    {
        ModelSpec model = gpt(40, 5120, 40, 50257);
        model.train = {1, 1};
        PlanSpec plan = planOf(1, 1, 1, 8);
        plan.tensor.emplace();
        plan.tensor->vocabularyParallel = false;
        const auto forward = [](const PlanCommunication& row) { return row.phase == PlanPhase::Forward; };
        const auto count = [](const PlanAnalysis& of, PlanCommunication::Kind kind) {
            return static_cast<int>(summed(of, [kind](const PlanCommunication& row) { return row.kind == kind && row.phase == PlanPhase::Forward && row.bytes == 20'971'520; }, [](const PlanCommunication& row) { return row.count; }));
        };
        const auto sent = [&](const PlanAnalysis& of) { return static_cast<std::int64_t>(summed(of, forward, [](const PlanCommunication& row) { return row.sentPerRank(); })); };
        const PlanAnalysis plain = analysed(model, plan);
        QCOMPARE(count(plain, PlanCommunication::Kind::AllReduce), 80);
        QCOMPARE(sent(plain), std::int64_t{2'936'012'800});
        plan.tensor->vocabularyParallel = true;
        QCOMPARE(count(analysed(model, plan), PlanCommunication::Kind::AllReduce), 81);
        plan.tensor->vocabularyParallel = false;
        plan.tensor->sequenceParallel = true;
        const PlanAnalysis split = analysed(model, plan);
        QCOMPARE(count(split, PlanCommunication::Kind::AllReduce), 0);
        QCOMPARE(count(split, PlanCommunication::Kind::AllGather), 80);
        QCOMPARE(count(split, PlanCommunication::Kind::ReduceScatter), 80);
        QCOMPARE(sent(split), std::int64_t{2'936'012'800});
    }

    /// n = local parameters x 4 B of gradients to scatter, x 2 B of weights to gather.
    void sharedStatesSendWhatTheyHold()
    {
        ModelSpec model = gpt(8, 1024, 16, 32000, 512);
        model.types.grad = NumberType::Fp32;
        model.train = {8, 1};
        for (const std::int32_t zero : {1, 2}) {
            PlanSpec plan = planOf(4, 1, 1, 2);
            plan.data.emplace();
            plan.data->zero = zero;
            plan.data->bucketMb = 1e6;
            const PlanAnalysis analysis = analysed(model, plan);
            // V h / 2, positions, layers 12 h^2 / 2 with 7h of biases divided and 6h not, final norm.
            const std::int64_t local = 16000 * 1024 + 512 * 1024 + 8 * (6 * 1024 * 1024 + 7 * 1024 / 2 + 6 * 1024) + 2 * 1024;
            const auto bytesOf = [&](PlanCommunication::Kind kind) {
                return static_cast<std::int64_t>(summed(analysis, [kind](const PlanCommunication& row) { return row.kind == kind && row.group.name == "dp"; }, [](const PlanCommunication& row) { return row.count * row.bytes; }));
            };
            QCOMPARE(bytesOf(PlanCommunication::Kind::ReduceScatter), 4 * local * (zero == 2 ? 2 : 1)); // Two micro-batches.
            QCOMPARE(bytesOf(PlanCommunication::Kind::AllGather), 2 * local);
            QCOMPARE(bytesOf(PlanCommunication::Kind::AllReduce), 0);
            QCOMPARE(memoryOfRank(analysis, 0).optimizer, 12 * local / 4);
        }
    }

    void aRingOfContextSendsKeysAndValues()
    {
        ModelSpec model = gpt(4, 1024, 16, 32000, 512);
        model.transformer.kvHeads = 4;
        model.train = {1, 1};
        PlanSpec plan = planOf(1, 1, 4, 2);
        plan.context.emplace();
        const PlanAnalysis ring = analysed(model, plan);
        const auto forward = [](const PlanCommunication& row) { return row.group.name == "cp" && row.phase == PlanPhase::Forward; };
        // 128 tokens, 2 of 4 KV heads of 64, keys and values, 2 B; three steps in each of four layers.
        QCOMPARE(static_cast<std::int64_t>(summed(ring, forward, [](const PlanCommunication& row) { return row.sentPerRank(); })), std::int64_t{4 * 3 * 128 * 2 * 64 * 2 * 2});
        plan.context->kind = ContextPlan::Kind::Ulysses;
        const PlanAnalysis heads = analysed(model, plan);
        // Q and O of 8 heads, K and V of 4 (2 and their copies, for four ranks).
        QCOMPARE(static_cast<std::int64_t>(summed(heads, forward, [](const PlanCommunication& row) { return row.count * row.bytes; })), std::int64_t{4 * 128 * 64 * 2 * (8 + 8 + 4 + 4)});
        QCOMPARE(static_cast<int>(summed(heads, forward, [](const PlanCommunication& row) { return row.count; })), 16);
    }
};

FABRICSCOPE_TEST(PlanPublishedTest)
#include "tst_plan_published.moc"
