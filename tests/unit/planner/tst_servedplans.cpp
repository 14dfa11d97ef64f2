// Plans of inference under bounds of latency, against trying every batch of every plan.
#include "core/design/design.h"
#include "core/planner/best/servedplans.h"
#include "core/scenario/designplan.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>

using namespace fabricscope;

namespace {

struct Served {
    Design design;
    PlanNpu npu;
    const ModelSpec& model() const { return *std::get<PlannedWorkload>(*design.workload).model; }
    const PlanSpec& plan() const { return *std::get<PlannedWorkload>(*design.workload).plan; }
};

/// Keys and values of a sequence take 2 x 4 layers x 256 x 2 B x 144 tokens = 0.59 MB of a whole model, and weights about 8 MB. Empty: the NPU has no memory.
std::unique_ptr<Served> servedBy(const std::string& memory)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 20 GB/s" + (memory.empty() ? memory : ", memory: " + memory) + "}\n  dimensions: [{shape: switch, size: 4, bandwidth: 20 GB/s, latency: 1 us}]\n"
                                     "workload:\n  model: {transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1024, seq: 256}}\n"
                                     "  plan: {mesh: {axes: [dp], shape: [4]}, framework: 0 B, inference: {batch: 1, prompt: 128, output: 16}}\n",
                                 "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto platform = Platform::create(*loaded.value().design.platform);
    auto out = std::make_unique<Served>(Served{std::move(loaded.value().design), {}});
    out->npu = planNpuOf(out->design, platform.value());
    return out;
}

/// The plan of tensor x data on four ranks with that batch.
ServedBatch servedWith(const Served& served, std::int64_t tensor, std::int64_t batch)
{
    PlanSpec plan;
    plan.mesh.axes = {"dp", "tp"};
    plan.mesh.shape = {4 / tensor, tensor};
    plan.framework = served.plan().framework;
    plan.inference = served.plan().inference;
    plan.inference->batch = batch;
    const auto analysis = analysePlan(&served.model(), plan, 4, served.npu);
    if (!analysis)
        qFatal("%s", analysis.error().text().c_str());
    return analysis.value().batches.front();
}

constexpr std::int64_t kTriedBatches = 400; // More than fit.

/// By batch, from 1 on: the most of the time of this test, and the same for all bounds.
std::vector<ServedBatch> allBatches(const Served& served, std::int64_t tensor)
{
    std::vector<ServedBatch> rows;
    for (std::int64_t batch = 1; batch <= kTriedBatches; ++batch)
        rows.push_back(servedWith(served, tensor, batch));
    return rows;
}

/// Tokens per second of the largest batch within the bounds; nothing where none is.
std::optional<std::pair<std::int64_t, double>> largest(const std::vector<ServedBatch>& rows, std::int64_t memory, const ServedBounds& bounds)
{
    std::optional<std::pair<std::int64_t, double>> best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ServedBatch& row = rows[i];
        if (row.peak <= memory && (!bounds.firstToken || *row.firstToken <= *bounds.firstToken) && (!bounds.perToken || *row.perToken <= *bounds.perToken))
            best = {static_cast<std::int64_t>(i) + 1, *row.tokensPerSecond};
    }
    return best;
}

} // namespace

class ServedPlansTest : public QObject {
    Q_OBJECT

private slots:
    void theBatchIsTheLargestWithinTheBounds_data()
    {
        QTest::addColumn<double>("firstToken");
        QTest::addColumn<double>("perToken");
        QTest::newRow("memory alone") << 0.0 << 0.0;
        QTest::newRow("first token") << 0.1 << 0.0;
        QTest::newRow("between tokens") << 0.0 << 0.002;
        QTest::newRow("both") << 0.05 << 0.0015;
    }
    void theBatchIsTheLargestWithinTheBounds()
    {
        QFETCH(double, firstToken);
        QFETCH(double, perToken);
        ServedBounds bounds;
        if (firstToken > 0)
            bounds.firstToken = firstToken;
        if (perToken > 0)
            bounds.perToken = perToken;
        const auto served = servedBy("100 MB");
        PlanSearchSpec search;
        search.vary = {PlanVariable::Tensor, PlanVariable::Data};
        const auto found = searchServedPlans(served->model(), served->plan(), 4, served->npu, search, bounds);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(found.value().considered, 3);
        std::size_t within = 0;
        for (const std::int64_t tensor : {1, 2, 4}) {
            if (!m_batches.contains(tensor))
                m_batches[tensor] = allBatches(*served, tensor);
            const auto expected = largest(m_batches[tensor], *served->npu.memory, bounds);
            QVERIFY(!expected || expected->first < kTriedBatches);
            const auto& plans = found.value().plans;
            const auto plan = std::find_if(plans.begin(), plans.end(), [&](const ServedPlan& one) { return one.choice.block.tensor == tensor; });
            QCOMPARE(plan != plans.end(), expected.has_value());
            if (!expected)
                continue;
            ++within;
            QCOMPARE(plan->figures.batch, expected->first);
            QCOMPARE(*plan->figures.tokensPerSecond, expected->second);
            QCOMPARE(plan->plan.inference->batch, expected->first);
        }
        QCOMPARE(found.value().plans.size(), within);
        QVERIFY(within > 0);
        QVERIFY(std::is_sorted(found.value().plans.begin(), found.value().plans.end(), [](const ServedPlan& a, const ServedPlan& b) { return *a.figures.tokensPerSecond > *b.figures.tokensPerSecond; }));
    }

    /// More than the 256 rows that `plan` shows then.
    void withoutMemoryTheBoundsDecide_data()
    {
        QTest::addColumn<double>("firstToken");
        QTest::addColumn<double>("perToken");
        QTest::newRow("first token") << 5.0 << 0.0;
        QTest::newRow("between tokens") << 0.0 << 0.05;
        QTest::newRow("neither is ever reached") << 1e9 << 1e9;
    }
    void withoutMemoryTheBoundsDecide()
    {
        QFETCH(double, firstToken);
        QFETCH(double, perToken);
        ServedBounds bounds;
        if (firstToken > 0)
            bounds.firstToken = firstToken;
        if (perToken > 0)
            bounds.perToken = perToken;
        const auto served = servedBy({});
        PlanSearchSpec search;
        search.vary = {PlanVariable::Tensor, PlanVariable::Data};
        const auto found = searchServedPlans(served->model(), served->plan(), 4, served->npu, search, bounds);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        QCOMPARE(found.value().plans.size(), 3U);
        for (const ServedPlan& plan : found.value().plans) {
            const std::int64_t batch = plan.figures.batch;
            QVERIFY2(batch > 256, qPrintable(QString::number(batch)));
            const auto keeps = [&](const ServedBatch& row) { return (!bounds.firstToken || *row.firstToken <= *bounds.firstToken) && (!bounds.perToken || *row.perToken <= *bounds.perToken); };
            QVERIFY(keeps(servedWith(*served, plan.choice.block.tensor, batch)));
            if (firstToken > 1e6)
                QCOMPARE(batch, std::int64_t{1} << 20);
            else
                QVERIFY(!keeps(servedWith(*served, plan.choice.block.tensor, batch + 1)));
        }
    }

    void withoutMemoryAndBoundsItIsRefused()
    {
        const auto served = servedBy({});
        const auto found = searchServedPlans(served->model(), served->plan(), 4, served->npu, {}, {});
        QVERIFY(!found);
        QCOMPARE(found.error().place.field, std::string("platform.npu.memory"));
    }

    void whatCannotServeIsCounted()
    {
        PlanSearchSpec search;
        const auto small = servedBy("100 kB");
        const auto none = searchServedPlans(small->model(), small->plan(), 4, small->npu, search, {});
        QVERIFY(none);
        QVERIFY(none.value().plans.empty());
        QVERIFY(none.value().overMemory > 0);
        QCOMPARE(none.value().tooSlow, 0);
        const auto served = servedBy("100 MB");
        ServedBounds bounds;
        bounds.perToken = 1e-9;
        const auto slow = searchServedPlans(served->model(), served->plan(), 4, served->npu, search, bounds);
        QVERIFY(slow && slow.value().plans.empty());
        std::int64_t refused = 0;
        for (const auto& [field, count] : slow.value().refused)
            refused += count;
        QCOMPARE(slow.value().tooSlow + slow.value().overMemory + refused, slow.value().considered);
        QVERIFY(slow.value().tooSlow > 0);
    }

private:
    std::map<std::int64_t, std::vector<ServedBatch>> m_batches; ///< By ranks of the tensor axis, with 100 MB.
};

FABRICSCOPE_TEST(ServedPlansTest)
#include "tst_servedplans.moc"
