// Plans written as Chakra traces and read back run the same.
#include "core/design/file/readdesign.h"
#include "core/model/modelspec.h"
#include "core/plan/lower/planworkload.h"
#include "core/run/rundesign.h"
#include "core/workload/exportedtraces.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <QTemporaryDir>
#include <fstream>

using namespace fabricscope;

namespace {

Design read(const std::string& workload, const std::string& folder)
{
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: fully_connected, size: 4, bandwidth: 100 GB/s, latency: 700 ns}\n"
                             "    - {shape: switch, size: 2, bandwidth: 50 GB/s, latency: 1500 ns}\n"
                             "  npu: {peak: 100 TFLOP/s, memory_bandwidth: 2 TB/s}\nworkload: "
        + workload + "\ncollectives: {default: {algorithm: ring, chunks: 2}}\nmodel: {name: links}\n";
    auto loaded = readDesignText(text, folder + "/design.yaml", {});
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return loaded.value().design;
}

RunResultPtr runOf(const Design& design)
{
    auto result = runDesign(std::make_shared<const Design>(design), {}, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

ModelSpec smallModel()
{
    ModelSpec model;
    TransformerSpec& of = model.transformer;
    of.layers = 8;
    of.hidden = 1024;
    of.heads = of.kvHeads = 16;
    of.headDim = 64;
    of.ff = 4096;
    of.vocab = 8192;
    of.seq = of.positionRows = 512;
    of.tiedEmbedding = true;
    model.train.micro = 1;
    return model;
}

PlanSpec planOf(std::vector<std::string> axes, std::vector<std::int64_t> shape)
{
    PlanSpec plan;
    plan.mesh = {std::move(axes), std::move(shape), PlanMesh::Order::RowMajor, {}, {}};
    plan.pipeline = PipelinePlan{};
    plan.pipeline->microBatches = 4;
    return plan;
}

void write(const std::string& path, const std::string& text)
{
    std::ofstream(path) << text;
}

} // namespace

class TestLoweringTraces : public QObject {
    Q_OBJECT

private slots:
    void tracesReadBackRunTheSame_data()
    {
        QTest::addColumn<int>("number");
        for (const int i : {0, 1, 2, 3, 4})
            QTest::newRow(std::to_string(i).c_str()) << i;
    }
    void tracesReadBackRunTheSame()
    {
        QFETCH(int, number);
        PlanSpec plan = planOf({"dp", "pp", "tp"}, {2, 2, 2});
        bool hasModel = true;
        switch (number) {
        case 0: break;
        case 1: plan.tensor = TensorPlan{"tp", true, true}; plan.data = DataPlan{}; plan.data->zero = 3; break;
        case 2: plan.pipeline->schedule = PipelineSchedule::ZeroBubbleV; plan.data = DataPlan{}; plan.data->zero = 1; break;
        case 3: plan = planOf({"cp", "pp"}, {4, 2}); break;
        case 4:
            hasModel = false;
            plan.pipeline->send = Quantity{1, "MB", Measure::Size};
            plan.pipeline->times.assign(2, {{1, "ms", Measure::Time}, {2, "ms", Measure::Time}, {}, {}});
            break;
        }
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        const ModelSpec model = smallModel();
        const auto workload = lowerPlan(plan, hasModel ? &model : nullptr, 8);
        QVERIFY(workload);
        const ExportedTraces traces(*workload.value());
        QVERIFY(traces.write(path + "/t", nullptr, {}));
        const std::string groups = traces.groupsText();
        QCOMPARE(groups.empty(), !hasModel);
        if (!groups.empty())
            write(path + "/t.json", groups);

        Design direct = read("{steps: [{compute: 1 us}]}", path);
        direct.workload = std::make_shared<const WorkloadSpec>(PlannedWorkload{hasModel ? std::make_shared<const ModelSpec>(model) : nullptr, std::make_shared<const PlanSpec>(plan)});
        const RunResultPtr first = runOf(direct);
        const RunResultPtr second = runOf(read("{trace: t" + std::string(groups.empty() ? "" : ", comm_groups: t.json") + "}", path));
        QVERIFY(first->record().complete);
        QVERIFY(second->record().complete);
        QVERIFY(first->record().finish.ps > 0);
        QCOMPARE(second->record().finish.ps, first->record().finish.ps);
        QCOMPARE(traces.notes().size(), std::size_t{0});
    }

    void groupsAreNamedInOrderAndOnlyThoseThatAreUsed()
    {
        const ModelSpec model = smallModel();
        const auto workload = lowerPlan(planOf({"dp", "tp", "pp"}, {2, 2, 1}), &model, 4);
        QVERIFY(workload);
        QCOMPARE(ExportedTraces(*workload.value()).groupsText(), std::string("{\n  \"1\": [0, 1],\n  \"2\": [2, 3],\n  \"3\": [0, 2],\n  \"4\": [1, 3]\n}\n"));
        const auto alone = lowerPlan(planOf({"pp"}, {1}), &model, 1);
        QVERIFY(alone);
        QCOMPARE(ExportedTraces(*alone.value()).groupsText(), std::string());
    }

    void durationsThatTracesCannotHoldAreNoted()
    {
        PlanSpec plan = planOf({"pp"}, {2});
        plan.pipeline->times.assign(2, {{1500, "ns", Measure::Time}, {10, "ns", Measure::Time}, {}, {}});
        const auto workload = lowerPlan(plan, nullptr, 2);
        QVERIFY(workload);
        const ExportedTraces traces(*workload.value());
        QCOMPARE(traces.notes().size(), std::size_t{1});
        QVERIFY(traces.notes().front().message.find("16 durations") != std::string::npos); // 4 micro-batches, both ways, two stages
        for (const EtNode& node : traces.nodesOf(0)) {
            if (node.name == "F0")
                QCOMPARE(node.durationMicros, std::uint64_t{2});
            if (node.name == "BW0")
                QCOMPARE(node.durationMicros, std::uint64_t{1});
        }
    }
};

FABRICSCOPE_TEST(TestLoweringTraces)
#include "tst_lowering_traces.moc"
