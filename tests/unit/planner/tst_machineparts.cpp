// Plans on parts of a machine and what they cost, against searches and bills of each part.
#include "core/cost/hardwarebill.h"
#include "core/design/file/readdesign.h"
#include "core/run/machineparts.h"
#include "core/run/planedit.h"
#include "core/run/plansimulation.h"
#include "core/run/rundesign.h"
#include "core/scenario/designplan.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

using namespace fabricscope;

namespace {

const char* const kPartedDimensions = "[{shape: switch, size: 4, bandwidth: 300 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}]";

std::string partedText(const std::string& platform)
{
    return "fabricscope: 1\nplatform:\n  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}\n  " + platform +
           "\nworkload:\n  model: {transformer: {layers: 8, hidden: 2048, heads: 16, vocab: 32000, seq: 1024}, train: {global_batch: 32, micro_batch: 1}}\n  plan: {mesh: {axes: [dp], shape: [8]}}\n";
}

struct PartedMachine {
    Design design;
    Platform platform;
    PlanNpu npu;
    Result<PlanSearchResult> search(const PlanSearchSpec& search, const CostConfig* costs = nullptr) const { return searchMachine(design, platform, costs, npu, 8, search); }
    const PlannedWorkload& planned() const { return std::get<PlannedWorkload>(*design.workload); }
};

PartedMachine partedMachine(const std::string& platform = std::string("dimensions: ") + kPartedDimensions)
{
    auto loaded = readDesignText(partedText(platform), "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    auto made = Platform::create(*loaded.value().design.platform);
    PartedMachine machine{std::move(loaded.value().design), std::move(made).value(), {}};
    machine.npu = planNpuOf(machine.design, machine.platform);
    return machine;
}

/// All plans of all parts are listed.
PlanSearchSpec allParts(std::vector<PlanObjective> objectives)
{
    PlanSearchSpec search;
    search.vary = {PlanVariable::Tensor, PlanVariable::Pipeline, PlanVariable::Data, PlanVariable::Npus};
    search.objectives = std::move(objectives);
    search.top = kMostTopPlans;
    return search;
}

CostConfig partPrices()
{
    CostConfig costs;
    costs.npu.price = 30'000;
    costs.npu.power = 1000;
    return costs;
}

} // namespace

class MachinePartsTest : public QObject {
    Q_OBJECT

private slots:
    void partsFillDimensionsFromTheLowestOn_data()
    {
        QTest::addColumn<QByteArray>("dimensions");
        QTest::addColumn<QList<qint64>>("parts");
        const auto ring = [](int size) { return QByteArray("{shape: ring, size: ") + QByteArray::number(size) + ", bandwidth: 50 GB/s, latency: 1 us}"; };
        QTest::newRow("one") << QByteArray("[" + ring(12) + "]") << QList<qint64>{1, 2, 3, 4, 6, 12};
        QTest::newRow("two") << QByteArray("[" + ring(6) + ", " + ring(4) + "]") << QList<qint64>{1, 2, 3, 6, 12, 24};
        QTest::newRow("three") << QByteArray("[" + ring(2) + ", " + ring(3) + ", " + ring(5) + "]") << QList<qint64>{1, 2, 6, 30};
    }
    void partsFillDimensionsFromTheLowestOn()
    {
        QFETCH(const QByteArray, dimensions);
        QFETCH(const QList<qint64>, parts);
        const auto loaded = readDesignText("fabricscope: 1\nplatform:\n  dimensions: " + dimensions.toStdString() + "\nworkload: {collective: all_reduce, size: 1 MiB}\n", "d.yaml");
        QVERIFY(loaded);
        const auto platform = Platform::create(*loaded.value().design.platform);
        QVERIFY(platform);
        const std::vector<std::int64_t> found = machineParts(platform.value(), parts.back());
        QCOMPARE(QList<qint64>(found.begin(), found.end()), parts);
    }

    void everyPartIsSearchedAsIfItWereAlone()
    {
        const PartedMachine machine = partedMachine();
        const auto all = machine.search(allParts({PlanObjective::StepTime}));
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        std::size_t expected = 0;
        for (const std::int64_t npus : {1, 2, 4, 8}) {
            // The same switches with fewer NPUs: as many as the part has.
            const std::string dimensions = npus == 8 ? kPartedDimensions : npus == 1 ? "" : "[{shape: switch, size: " + std::to_string(npus) + ", bandwidth: 300 GB/s, latency: 1 us}]";
            std::size_t listed = 0;
            for (const SearchedPlan& plan : all.value().plans) {
                if (plan.choice.block.ranks() != npus)
                    continue;
                ++listed;
                QCOMPARE(plan.isPart, npus < 8);
                if (dimensions.empty())
                    continue; // A platform of one NPU has no dimension; there is one plan for it.
                const PartedMachine small = partedMachine("dimensions: " + dimensions);
                QCOMPARE(estimatedStep(*small.planned().model, plan, npus, small.npu), std::optional(plan.parts.step()));
            }
            std::size_t mixes = 0; // Ordered factorisations in three that the batch of 32 and the 8 layers allow: all of them.
            for (std::int64_t tensor = 1; tensor <= npus; tensor *= 2) {
                for (std::int64_t pipeline = 1; tensor * pipeline <= npus; pipeline *= 2)
                    ++mixes;
            }
            QCOMPARE(listed, mixes);
            expected += mixes;
        }
        QCOMPARE(all.value().plans.size(), expected);
        QVERIFY(std::is_sorted(all.value().plans.begin(), all.value().plans.end(), [](const SearchedPlan& a, const SearchedPlan& b) { return a.parts.step() < b.parts.step(); }));
    }

    void costAndEnergyAreTheShareOfTheMachine()
    {
        const PartedMachine machine = partedMachine();
        const CostConfig costs = partPrices();
        const auto bill = hardwareBill(*machine.design.platform, &costs);
        QVERIFY(bill && bill.value().perYear() && bill.value().siteWatts());
        const auto all = machine.search(allParts({PlanObjective::Cost, PlanObjective::Energy}), &costs);
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        double before = 0;
        for (const SearchedPlan& plan : all.value().plans) {
            const double share = static_cast<double>(plan.choice.block.ranks()) / 8;
            const double seconds = static_cast<double>(plan.step()) * 1e-12;
            const double tokens = 32 * 1024;
            constexpr double kYear = 365.0 * 24 * 3600;
            QVERIFY(std::abs(*plan.dollarsPerToken() / (*bill.value().perYear() * share / kYear * seconds / tokens) - 1) < 1e-9);
            QVERIFY(std::abs(*plan.joulesPerToken() / (*bill.value().siteWatts() * share * seconds / tokens) - 1) < 1e-9);
            QVERIFY(*plan.dollarsPerToken() >= before);
            before = *plan.dollarsPerToken();
        }
        // Fewer NPUs wait less: the cheapest plan has not the shortest step.
        const auto fastest = std::min_element(all.value().plans.begin(), all.value().plans.end(), [](const SearchedPlan& a, const SearchedPlan& b) { return a.step() < b.step(); });
        QVERIFY(fastest->choice.block.ranks() > all.value().plans.front().choice.block.ranks());
    }

    void theFrontIsThatOfAllPlans()
    {
        const PartedMachine machine = partedMachine();
        const auto all = machine.search(allParts({PlanObjective::Npus, PlanObjective::StepTime}));
        QVERIFY(all);
        const auto& plans = all.value().plans;
        std::vector<std::size_t> front;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            const bool beaten = std::any_of(plans.begin(), plans.end(), [&](const SearchedPlan& other) {
                const auto npus = other.choice.block.ranks() - plans[i].choice.block.ranks();
                const auto step = other.step() - plans[i].step();
                return npus <= 0 && step <= 0 && (npus < 0 || step < 0);
            });
            if (!beaten)
                front.push_back(i);
        }
        QCOMPARE(all.value().front, front);
        QCOMPARE(plans.front().choice.block.ranks(), 1);
        // One of each size at least is kept where only one is asked for.
        PlanSearchSpec few = allParts({PlanObjective::Npus, PlanObjective::StepTime});
        few.top = 1;
        const auto kept = machine.search(few);
        QVERIFY(kept);
        QVERIFY(kept.value().plans.size() >= front.size());
    }

    void aPartRunsOnTheFirstNpus()
    {
        const PartedMachine machine = partedMachine();
        PlanSearchSpec search = allParts({PlanObjective::StepTime});
        search.fixed.npus = 4;
        auto found = machine.search(search);
        QVERIFY2(found, found ? "" : found.error().text().c_str());
        PlanSearchResult& result = found.value();
        QVERIFY(simulatePlans(machine.design, *machine.planned().model, search, result.plans.size(), {}, result));
        for (const SearchedPlan& plan : result.plans) {
            QVERIFY2(plan.simulated, plan.problem.c_str());
            QCOMPARE(plan.choice.block.ranks(), 4);
            // A machine of four takes as long.
            const PartedMachine small = partedMachine("dimensions: [{shape: switch, size: 4, bandwidth: 300 GB/s, latency: 1 us}]");
            SearchedPlan whole = plan;
            whole.isPart = false;
            const auto alone = runDesign(std::make_shared<const Design>(designWith(small.design, *small.planned().model, whole)), {}, {}, {});
            QVERIFY2(alone, alone ? "" : alone.error().text().c_str());
            QCOMPARE(alone.value()->record().finish.ps, plan.simulated->ps);
            // So does the design it is written to.
            auto yaml = YamlDocument::parse(partedText(std::string("dimensions: ") + kPartedDimensions), "d.yaml");
            QVERIFY(yaml);
            QVERIFY(usePlan(yaml.value(), machine.design, plan));
            const auto written = readDesignText(yaml.value().text(), "d.yaml");
            QVERIFY2(written, written ? "" : written.error().text().c_str());
            const auto ran = runDesign(std::make_shared<const Design>(written.value().design), {}, {}, {});
            QVERIFY2(ran, ran ? "" : ran.error().text().c_str());
            QCOMPARE(ran.value()->record().finish.ps, plan.simulated->ps);
        }
    }

    void whatCannotBeIsRefused()
    {
        const PartedMachine machine = partedMachine();
        const auto unpriced = machine.search(allParts({PlanObjective::Cost}));
        QVERIFY(!unpriced);
        QCOMPARE(unpriced.error().place.field, std::string("search.objective"));
        QVERIFY(unpriced.error().message.find("costs.npu.price") != std::string::npos);
        PlanSearchSpec odd = allParts({PlanObjective::StepTime});
        odd.fixed.npus = 3;
        const auto ragged = machine.search(odd);
        QVERIFY(!ragged);
        QCOMPARE(ragged.error().expected, std::string("one of 1, 2, 4, 8"));
        const PartedMachine placed = partedMachine(std::string("dimensions: ") + kPartedDimensions + "\n  placement: {jobs: [{name: a, ranks: 8}]}");
        const auto twice = placed.search(allParts({PlanObjective::StepTime}));
        QVERIFY(!twice);
        QCOMPARE(twice.error().expected, std::string("no npus in the search, or no platform.placement"));
        // Degrees that only the whole machine has: the parts without a plan are left out.
        PlanSearchSpec wide = allParts({PlanObjective::StepTime});
        wide.fixed.tensor = 8;
        const auto whole = machine.search(wide);
        QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
        QVERIFY(std::none_of(whole.value().plans.begin(), whole.value().plans.end(), [](const SearchedPlan& plan) { return plan.isPart; }));
    }
};

FABRICSCOPE_TEST(MachinePartsTest)
#include "tst_machineparts.moc"
