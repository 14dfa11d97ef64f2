// A plan of a search put into the text of a design.
#include "core/design/design.h"
#include "core/design/file/sectiontree.h"
#include "core/run/planedit.h"
#include "core/run/designplans.h"
#include "core/run/plansimulation.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

std::string machineWith(const std::string& workload)
{
    return "fabricscope: 1  # version\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 64 GiB}\n  dimensions: [{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 1 us}]\n" + workload + "notes: at the end  # last\n";
}

constexpr const char* kModel = "transformer: {layers: 4, hidden: 256, heads: 4, vocab: 1024, seq: 128}";

std::string canonicalPlan(const std::string& text)
{
    const auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        return loaded.error().text();
    return renderYaml(workloadTree(loaded.value().design, DesignForm::Canonical, {}), true);
}

} // namespace

class PlanEditTest : public QObject {
    Q_OBJECT

private slots:
    void theTextSaysThePlanAndKeepsTheRest_data()
    {
        QTest::addColumn<QByteArray>("workload");
        QTest::addColumn<QByteArrayList>("kept");
        const QByteArray model = "workload:\n  model:\n    " + QByteArray(kModel) + "\n    train: {global_batch: 16, micro_batch: 1}  # batch\n";
        QTest::newRow("blocks") << model + "  plan:  # plan\n    mesh:\n      axes: [dp]\n      shape: [8]  # all\n    recompute: full  # dear\n    framework: 0 B  # none\n" << QByteArrayList{"# batch", "# plan", "# none"};
        QTest::newRow("flow") << model + "  plan: {mesh: {axes: [dp], shape: [8]}, framework: 0 B}  # one line\n" << QByteArrayList{"# batch", "# one line"};
        QTest::newRow("usual values in words") << model + "  plan:\n    mesh: {axes: [dp], shape: [8]}\n    data: {axis: dp, zero: 0}  # usual\n    recompute: none  # usual too\n    framework: 0 B\n" << QByteArrayList{"# batch"};
        QTest::newRow("no plan but an empty one") << model + "  plan: {mesh: {axes: [tp], shape: [8]}}\n" << QByteArrayList{"# batch"};
    }
    void theTextSaysThePlanAndKeepsTheRest()
    {
        QFETCH(const QByteArray, workload);
        QFETCH(const QByteArrayList, kept);
        const std::string text = machineWith(workload.toStdString());
        const auto loaded = readDesignText(text, "d.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const Design& design = loaded.value().design;
        PlanSearchSpec search;
        search.top = 40;
        search.objectives = {PlanObjective::StepTime, PlanObjective::Memory};
        const auto plans = plansOfDesign(design, search, nullptr);
        QVERIFY2(plans, plans ? "" : plans.error().text().c_str());
        QVERIFY(plans.value().result.plans.size() > 10);
        const auto& model = *std::get<PlannedWorkload>(*design.workload).model;
        for (const SearchedPlan& plan : plans.value().result.plans) {
            auto yaml = YamlDocument::parse(text, "d.yaml");
            QVERIFY(yaml);
            const Status done = usePlan(yaml.value(), design, plan);
            QVERIFY2(done, done ? "" : done.error().text().c_str());
            // As the design of the plan says of itself, not as it was edited.
            QCOMPARE(canonicalPlan(yaml.value().text()), renderYaml(workloadTree(designWith(design, model, plan), DesignForm::Canonical, {}), true));
            for (const QByteArray& remark : kept + QByteArrayList{"# version", "notes: at the end  # last"})
                QVERIFY2(yaml.value().text().find(remark.toStdString()) != std::string::npos, yaml.value().text().c_str());
        }
    }

    void aModelThatIsOnlyNamedGetsRoomForTheBatch()
    {
        const std::string text = machineWith("workload:\n  model: {preset: megatron-1.7b, train: {global_batch: 16, micro_batch: 1}}\n  plan: {mesh: {axes: [dp], shape: [8]}}\n");
        const auto loaded = readDesignText(text, "d.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        SearchedPlan plan;
        plan.plan = *std::get<PlannedWorkload>(*loaded.value().design.workload).plan;
        plan.choice.block.microBatch = 2;
        auto yaml = YamlDocument::parse(text, "d.yaml");
        QVERIFY(usePlan(yaml.value(), loaded.value().design, plan));
        QCOMPARE(yaml.value().text(), QString::fromStdString(text).replace(QStringLiteral("micro_batch: 1"), QStringLiteral("micro_batch: 2")).toStdString());
    }

    void aDesignWithoutAPlanIsRefused()
    {
        const std::string text = machineWith("workload: {collective: all_reduce, size: 1 MiB}\n");
        const auto loaded = readDesignText(text, "d.yaml");
        QVERIFY(loaded);
        auto yaml = YamlDocument::parse(text, "d.yaml");
        const Status done = usePlan(yaml.value(), loaded.value().design, {});
        QVERIFY(!done);
        QCOMPARE(done.error().place.field, std::string("workload"));
        QCOMPARE(yaml.value().text(), text);
    }
};

FABRICSCOPE_TEST(PlanEditTest)
#include "tst_planedit.moc"
