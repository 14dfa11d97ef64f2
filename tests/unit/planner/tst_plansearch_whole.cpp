// The plans of spaces small enough to simulate wholly, against what the search finds in them; and what would change the winner, against searches with the changed figure.
#include "core/design/design.h"
#include "core/run/plansimulation.h"
#include "core/run/planturns.h"
#include "core/scenario/designplan.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

using namespace fabricscope;

namespace {

struct Space {
    const char* platform;
    const char* model;
    std::int64_t ranks;
    std::vector<PlanVariable> vary;
    double leastTau; ///< What is today, rounded down.
};

const PlanVariable T = PlanVariable::Tensor, P = PlanVariable::Pipeline, D = PlanVariable::Data, M = PlanVariable::MicroBatch, R = PlanVariable::Recompute, Z = PlanVariable::Zero, C = PlanVariable::Context, O = PlanVariable::MeshOrder, S = PlanVariable::Schedule;

const Space kPods{"npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}\n  dimensions: [{shape: switch, size: 8, bandwidth: 300 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}]",
                  "transformer: {layers: 24, hidden: 4096, heads: 32, vocab: 51200, seq: 2048}, train: {global_batch: 64, micro_batch: 1}", 16, {T, P, D, M}, 0.95};
const Space kSlowNetwork{"npu: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 40 GiB}\n  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 5 GB/s, latency: 5 us}]",
                         "transformer: {layers: 8, hidden: 2048, heads: 16, vocab: 32000, seq: 1024}, train: {global_batch: 32, micro_batch: 1}", 8, {T, P, D, R, Z}, 0.9};
const Space kOneRing{"npu: {peak: 150 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 40 GiB}\n  dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, latency: 500 ns}]",
                     "transformer: {layers: 16, hidden: 2048, heads: 16, vocab: 32000, seq: 2048}, train: {global_batch: 32, micro_batch: 1}", 8, {T, P, D, M}, 0.94};
const Space kOrders{"npu: {peak: 200 TFLOP/s, memory_bandwidth: 2 TB/s, memory: 80 GiB}\n  dimensions: [{shape: fully_connected, size: 4, npu_bandwidth: 200 GB/s, latency: 700 ns}, {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2 us}]",
                    "transformer: {layers: 16, hidden: 3072, heads: 24, vocab: 32000, seq: 2048}, train: {global_batch: 32, micro_batch: 1}", 16, {T, P, D, O}, 0.95};
const Space kLong{"npu: {peak: 200 TFLOP/s, memory_bandwidth: 2 TB/s, memory: 80 GiB}\n  dimensions: [{shape: switch, size: 8, bandwidth: 150 GB/s, latency: 1 us}]",
                  "transformer: {layers: 8, hidden: 2048, heads: 16, vocab: 32000, seq: 8192}, train: {global_batch: 16, micro_batch: 1}", 8, {T, P, D, C, M}, 0.98};

const Space kSchedules{"npu: {peak: 200 TFLOP/s, memory_bandwidth: 2 TB/s, memory: 80 GiB}\n  dimensions: [{shape: switch, size: 4, bandwidth: 200 GB/s, latency: 1 us}, {shape: switch, size: 4, bandwidth: 12 GB/s, latency: 2 us}]",
                    "transformer: {layers: 16, hidden: 3072, heads: 24, vocab: 32000, seq: 2048}, train: {global_batch: 32, micro_batch: 1}", 16, {T, P, D, S}, 0.9};

std::string textOf(const Space& space)
{
    return std::string("fabricscope: 1\nplatform:\n  ") + space.platform + "\nworkload:\n  model: {" + space.model + "}\n  plan: {mesh: {axes: [dp], shape: [" + std::to_string(space.ranks) + "]}}\n";
}

struct Searched {
    Design design;
    PlanNpu npu;
    PlanSearchSpec search;
    PlanSearchResult result;
    const ModelSpec& model() const { return *std::get<PlannedWorkload>(*design.workload).model; }
    const PlanSpec& plan() const { return *std::get<PlannedWorkload>(*design.workload).plan; }
};

std::unique_ptr<Searched> searched(const Space& space, std::int64_t top)
{
    auto loaded = readDesignText(textOf(space), "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto platform = Platform::create(*loaded.value().design.platform);
    auto out = std::make_unique<Searched>(Searched{std::move(loaded.value().design), {}, {}, {}});
    out->npu = planNpuOf(out->design, platform.value());
    out->search.vary = space.vary;
    out->search.top = top;
    auto result = searchPlans(out->model(), out->plan(), space.ranks, out->npu, out->search);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    out->result = std::move(result).value();
    return out;
}

void addSpaces()
{
    QTest::addColumn<const Space*>("space");
    QTest::newRow("pods of 8") << &kPods;
    QTest::newRow("slow network") << &kSlowNetwork;
    QTest::newRow("one ring") << &kOneRing;
    QTest::newRow("orders of axes") << &kOrders;
    QTest::newRow("long sequences") << &kLong;
    QTest::newRow("schedules") << &kSchedules;
}

} // namespace

Q_DECLARE_METATYPE(const Space*)

class PlanSearchWholeTest : public QObject {
    Q_OBJECT

private slots:
    void theBestOfTheTopIsTheBestOfAll_data() { addSpaces(); }
    void theBestOfTheTopIsTheBestOfAll()
    {
        QFETCH(const Space*, space);
        const auto all = searched(*space, kMostTopPlans);
        QVERIFY(all->result.plans.size() > 20);
        QVERIFY(simulatePlans(all->design, all->model(), all->search, all->result.plans.size(), {}, all->result));
        std::int64_t best = INT64_MAX;
        for (const SearchedPlan& plan : all->result.plans) {
            QVERIFY2(plan.simulated, plan.problem.c_str());
            best = std::min(best, plan.simulated->ps);
        }
        const auto few = searched(*space, 20);
        QVERIFY(simulatePlans(few->design, few->model(), few->search, 20, {}, few->result));
        const double over = static_cast<double>(few->result.plans.front().simulated->ps) / static_cast<double>(best) - 1;
        const double tau = rankAgreement(all->result.plans).value_or(0);
        qInfo("%zu plans, best of 20 %.3f %% over the best, Kendall tau %.3f", all->result.plans.size(), over * 100, tau);
        QVERIFY2(over <= 0.01, qPrintable(QString::number(over)));
        QVERIFY2(tau >= 0.9, qPrintable(QString::number(tau)));
        QVERIFY2(tau >= space->leastTau, qPrintable(QString::number(tau)));
    }

    void aTurnIsWhereAnotherPlanWins_data() { addSpaces(); }
    void aTurnIsWhereAnotherPlanWins()
    {
        QFETCH(const Space*, space);
        const auto own = searched(*space, 1);
        const SearchedPlan& best = own->result.plans.front();
        const auto turns = planTurns(own->design, own->model(), own->plan(), space->ranks, own->search, own->result.plans, {});
        QVERIFY2(turns, turns ? "" : turns.error().text().c_str());
        const auto platform = Platform::create(*own->design.platform);
        QCOMPARE(turns.value().size(), 2 * platform.value().dimensions().size() + 2);
        // Plans that are tried first change nothing.
        const auto several = planTurns(own->design, own->model(), own->plan(), space->ranks, own->search, searched(*space, 20)->result.plans, {});
        QVERIFY(several);
        for (std::size_t i = 0; i < turns.value().size(); ++i) {
            QCOMPARE(several.value()[i].plan.has_value(), turns.value()[i].plan.has_value());
            QVERIFY(std::abs(several.value()[i].to / turns.value()[i].to - 1) < 4e-6);
        }
        for (const PlanTurn& turn : turns.value()) {
            const bool isMemory = turn.field == "platform.npu.memory";
            if (isMemory && turn.more && !turn.plan) {
                PlanNpu unlimited = planNpuOf(own->design, platform.value());
                unlimited.memory.reset();
                const auto found = searchPlans(own->model(), own->plan(), space->ranks, unlimited, own->search);
                QVERIFY(found && !found.value().plans.empty());
                QCOMPARE(found.value().plans.front().parts.step(), estimatedStep(own->model(), best, space->ranks, unlimited).value());
                continue;
            }
            // A little before it nothing is shorter than the winner, a little behind something is; at the end of what was tried still nothing.
            for (const bool behind : {false, true}) {
                const double shift = isMemory ? 1 / turn.to : 0.01;
                const double figure = turn.to * (behind == turn.more ? 1 + shift : 1 - shift);
                const Design changed = designWithFigure(own->design, turn.field, behind && (isMemory || !turn.plan) ? turn.to : figure);
                const auto there = Platform::create(*changed.platform);
                const PlanNpu npu = planNpuOf(changed, there.value());
                const auto found = searchPlans(own->model(), own->plan(), space->ranks, npu, own->search);
                QVERIFY(found);
                const bool fits = !npu.memory || best.memory <= *npu.memory;
                const std::int64_t kept = estimatedStep(own->model(), best, space->ranks, npu).value();
                if (found.value().plans.empty()) {
                    QVERIFY(!turn.plan && behind && !fits);
                    continue;
                }
                const std::int64_t shortest = found.value().plans.front().parts.step();
                const bool wins = fits && shortest == kept;
                if (!behind || !turn.plan)
                    QVERIFY2(wins, qPrintable(QString::fromStdString(turn.field) + QString::number(turn.to)));
                else
                    QVERIFY2(!wins, qPrintable(QString::fromStdString(turn.field) + QString::number(turn.to)));
            }
        }
    }
};

FABRICSCOPE_TEST(PlanSearchWholeTest)
#include "tst_plansearch_whole.moc"
