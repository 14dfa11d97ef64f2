// What a plan that does not fit is told: the first change that would fit, by the memory of the plan that has it.
#include "tests/unit/plan/planmodels.h"
#include "tests/unit/support/testprogram.h"

#include <algorithm>
#include <cmath>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::int64_t peakOf(const ModelSpec& model, const PlanSpec& plan)
{
    std::int64_t peak = 0;
    for (const PlanMemory& row : analysed(model, plan).memory)
        peak = std::max(peak, row.peak());
    return peak;
}

std::string adviceOf(const ModelSpec& model, const PlanSpec& plan, std::int64_t memory)
{
    PlanNpu npu;
    npu.memory = memory;
    const PlanAnalysis analysis = analysed(model, plan, npu);
    return analysis.findings.empty() ? std::string() : analysis.findings.front().expected;
}

std::string inGigabytes(std::int64_t bytes)
{
    std::string text = QString::number(std::round(static_cast<double>(bytes) / 1e7) / 100).toStdString();
    return text + " GB";
}

PlanSpec changed(PlanSpec plan, void (*change)(PlanSpec& plan))
{
    change(plan);
    return plan;
}

} // namespace

class MemoryAdviceTest : public QObject {
    Q_OBJECT

private slots:
    /// With just the memory that the changed plan needs it is advised, with a byte less something that needs less is.
    void theFirstChangeThatFitsIsNamed()
    {
        ModelSpec model = gpt(8, 2048, 16);
        model.train.global = 64;
        model.train.micro = 4;
        const PlanSpec plan = planOf(8, 1, 1, 1);
        const PlanSpec shared = changed(plan, [](PlanSpec& of) { of.data.emplace().zero = 1; });
        const PlanSpec again = changed(plan, [](PlanSpec& of) { of.recompute = Recompute::Selective; });
        QVERIFY(adviceOf(model, plan, peakOf(model, plan)).empty());
        // By themselves both are cheap; the one that comes first and fits is taken.
        const std::int64_t larger = std::max(peakOf(model, shared), peakOf(model, again));
        QVERIFY(larger < peakOf(model, plan));
        QCOMPARE(adviceOf(model, plan, larger), (peakOf(model, again) <= larger ? "recompute: selective, which needs " + inGigabytes(peakOf(model, again)) : "data.zero: 1, which needs " + inGigabytes(peakOf(model, shared))));
        const PlanSpec all = changed(plan, [](PlanSpec& of) {
            of.data.emplace().zero = 3;
            of.recompute = Recompute::Full;
        });
        QCOMPARE(adviceOf(model, plan, peakOf(model, all)), "data.zero: 3 with recompute: full, which needs " + inGigabytes(peakOf(model, all)));
        // No saving is enough: smaller micro-batches.
        ModelSpec small = model;
        small.train.micro = 1;
        const PlanSpec both = changed(plan, [](PlanSpec& of) {
            of.data.emplace().zero = 1;
            of.recompute = Recompute::Full;
        });
        const std::int64_t least = peakOf(small, both);
        QVERIFY(least < peakOf(model, all));
        QCOMPARE(adviceOf(model, plan, least), "train.micro_batch: 1 with data.zero: 1 and recompute: full, which needs " + inGigabytes(least));
    }

    void anotherMeshOfTheSameRanksIsNamed()
    {
        ModelSpec model = gpt(24, 4096, 32);
        model.train.global = 16;
        model.train.micro = 1;
        const PlanSpec plan = planOf(8, 1, 1, 1);
        PlanSpec whole = plan;
        whole.data.emplace().zero = 3;
        whole.recompute = Recompute::Full;
        // All savings are tried before the mesh is changed.
        QCOMPARE(adviceOf(model, plan, peakOf(model, whole)), "data.zero: 3 with recompute: full, which needs " + inGigabytes(peakOf(model, whole)));
        // Where it is there already, other axes are what is left: the smallest change of the mesh.
        const auto spread = [&whole](std::int64_t tensor, std::int64_t pipeline) {
            PlanSpec of = planOf(8 / tensor / pipeline, pipeline, 1, tensor);
            of.data = whole.data;
            of.recompute = Recompute::Full;
            if (tensor > 1)
                of.tensor.emplace().sequenceParallel = true;
            return of;
        };
        const std::int64_t quarter = peakOf(model, spread(4, 1));
        QVERIFY(peakOf(model, spread(2, 1)) > quarter && peakOf(model, spread(1, 2)) > quarter);
        QCOMPARE(adviceOf(model, whole, quarter), "mesh: {axes: [dp, tp], shape: [2, 4]} with tensor.sequence_parallel: true, which needs " + inGigabytes(quarter));
    }

    void whatNothingFitsIsSaid()
    {
        ModelSpec model = gpt(24, 4096, 32);
        model.train.global = 16;
        const PlanSpec plan = planOf(8, 1, 1, 1);
        // 5.1 billion parameters: a byte for each over 8 ranks, of 16 that states have.
        const std::string advice = adviceOf(model, plan, 640'000'000);
        QCOMPARE(advice, "more NPUs, or NPUs with at least " + inGigabytes(peakOf(model, plan)) + " of memory: no larger tensor or pipeline axis is enough");
    }
};

FABRICSCOPE_TEST(MemoryAdviceTest)
#include "tst_memory_advice.moc"
