// Designs with a model and a plan: written and read back, hashed, checked.
#include "core/design/design.h"
#include "core/model/presetmodels.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"
#include "core/model/modelspec.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <fstream>

using namespace fabricscope;

namespace {

std::string designText(const std::string& model, const std::string& plan = "mesh: {axes: [dp, tp], shape: [2, 2]}")
{
    return "fabricscope: 1\nplatform: {topology: Ring(2)_Switch(2), bandwidth: 50 GB/s, latency: 1 us}\nworkload:\n  model: " + model + "\n  plan: {" + plan + "}\n";
}

Design readBack(const std::string& text)
{
    auto loaded = readDesignText(text, "made.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    return std::move(loaded).value().design;
}

const PlannedWorkload& plannedOf(const Design& design)
{
    return std::get<PlannedWorkload>(*design.workload);
}

/// Without rows of a table of positions that the model has not.
ModelSpec counting(ModelSpec model)
{
    if (model.transformer.positions != PositionKind::Learned)
        model.transformer.positionRows = 0;
    return model;
}

} // namespace

class PlanDesignsTest : public QObject {
    Q_OBJECT

private slots:
    void everyPresetIsWrittenAndReadBackAsTheSame()
    {
        int seen = 0;
        for (const ModelPreset& preset : modelPresets()) {
            const Design design = readBack(designText("{preset: " + std::string(preset.name) + ", train: {global_batch: 8, micro_batch: 2}}"));
            const std::string text = writeDesign(design);
            const Design again = readBack(text);
            // Layers of convolutional presets have members that their kind does not use.
            if (plannedOf(design).model->family != ComputeFamily::Convnet)
                QVERIFY2(counting(*plannedOf(again).model) == counting(*plannedOf(design).model), text.c_str());
            QVERIFY(*plannedOf(again).plan == *plannedOf(design).plan);
            QVERIFY(designHash(again) == designHash(design));
            QCOMPARE(writeDesign(again), text);
            ++seen;
        }
        QVERIFY(seen > 30);
    }

    void otherFamiliesAreWrittenToo()
    {
        for (const char* const model : {"{family: dlrm, dlrm: {dense_in: 13, bottom: [512, 128], top: [256, 1], tables: [{rows: 1000, dim: 128}, {rows: 10, dim: 128, pooling: 3, count: 4}]}, train: {global_batch: 64}}",
                                        "{family: convnet, convnet: {input: [3, 32, 32], layers: [{conv: {out: 16, k: 3, pad: 1, bias: false}}, bn, relu, {residual: {body: [{conv: {out: 16, k: 1}}], shortcut: [{conv: {out: 16, k: 1}}]}}, {pool: {k: 2, kind: avg}}, {pool: {kind: global}}, {fc: 10}]}, train: {global_batch: 64}}",
                                        "{family: graph, graph: {sizes: {b: 4, s: 8, m: 16}, params: [w], ops: [{name: p, eq: \"bs,sm->bm\", in: [x, w], out: y}]}, train: {global_batch: 64}}"}) {
            const Design design = readBack(designText(model, "mesh: {axes: [dp], shape: [4]}"));
            const Design again = readBack(writeDesign(design));
            QVERIFY2(*plannedOf(again).model == *plannedOf(design).model, writeDesign(design).c_str());
        }
    }

    void theHashHasThePlanAndNotTheNameOfTheModel()
    {
        const auto hash = [](const std::string& model, const std::string& plan) { return designHash(readBack(designText(model, plan))); };
        const std::string mesh = "mesh: {axes: [dp, tp], shape: [2, 2]}";
        const Digest plain = hash("gpt2", mesh);
        QVERIFY(hash("{preset: gpt2, name: mine}", mesh) == plain);
        QVERIFY(hash("{preset: gpt2, train: {micro_batch: 2}}", mesh) != plain);
        QVERIFY(hash("gpt2", mesh + ", recompute: full") != plain);
        QVERIFY(hash("gpt2", mesh + ", recompute: none") == plain);
        QVERIFY(hash("gpt2", "mesh: {axes: [tp, dp], shape: [2, 2]}") != plain);
    }

    void problemsNameTheirLine()
    {
        const std::string text = "fabricscope: 1\nplatform: {topology: Ring(8), bandwidth: 50 GB/s, latency: 1 us}\nworkload:\n  model: {preset: gpt2, train: {global_batch: 8}}\n  plan:\n    mesh: {axes: [tp], shape: [8]}\n    tensor:\n      axis: tp\n";
        const Diagnostics problems = validate(readBack(text));
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().place.line, 8);
        QCOMPARE(problems.front().place.field, std::string("workload.plan.tensor.axis"));
        QVERIFY(problems.front().message.find("12 heads are not divided by 8 ranks") == 0);
        QCOMPARE(problems.front().expected, std::string("\"tp\" of 6 or 12"));
    }

    /// Four devices in order: product 2 x 2 x 4 x 8 FLOPs at 1 TFLOP/s and an all-reduce; the same from a file, and refused where the platform is smaller.
    void aShardedGraphIsAWorkload()
    {
        const std::string section = "{mesh: {x: 2, y: 2}, tensors: {a: [4, 8], b: [8, 4]}, ops: [{name: c, op: einsum, eq: \"mk,kn->mn\", in: [a, b]}], annotations: [{tensor: a, dims: [[x], [y]]}], wanted: {c: [[x], []]}}";
        const auto text = [](const std::string& shard, int ranks) {
            return "fabricscope: 1\nplatform: {topology: Ring(" + std::to_string(ranks) + "), bandwidth: 50 GB/s, latency: 1 us, npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}}\nworkload:\n  shard: " + shard + "\n";
        };
        const Design design = readBack(text(section, 4));
        QVERIFY(plannedOf(design).plan->graph != nullptr);
        const std::string written = writeDesign(design);
        const Design again = readBack(written);
        QVERIFY(designHash(again) == designHash(design));
        QCOMPARE(writeDesign(again), written);
        QVERIFY(validate(design).empty() || validate(design).front().severity != Severity::Error);
        const Platform platform = Platform::create(*design.platform).value();
        const auto workload = loadWorkload(design, platform);
        QVERIFY(workload);
        const RankGraph& graph = workload.value().workload->graph(3);
        int collectives = 0;
        std::int64_t operations = 0;
        for (TaskIndex t = 0; t < graph.size(); ++t) {
            collectives += graph.kind[static_cast<std::size_t>(t)] == TaskKind::Collective;
            operations += graph.operations[static_cast<std::size_t>(t)];
        }
        QCOMPARE(collectives, 1);
        QCOMPARE(operations, std::int64_t{2} * 2 * 4 * 4);

        const Diagnostics found = validate(readBack(text(section, 2)));
        QVERIFY(!found.empty() && found.front().message.find("the mesh has 4 devices, the platform 2 ranks") != std::string::npos);
        const auto wrong = readDesignText(text("{mesh: {x: 2}, tensors: {a: [4]}, annotations: [{tensor: b}]}", 2), "made.yaml");
        QVERIFY(!wrong && wrong.error().place.field.find("workload.shard.annotations") != std::string::npos);

        QTemporaryDir folder;
        const std::string file = folder.filePath("layer.yaml").toStdString();
        std::ofstream(file) << "fabricscope: 1\nshard: " + section + "\n";
        const Design other = readBack(text(file, 4));
        QCOMPARE(loadWorkload(other, platform).value().workload->taskCount(), workload.value().workload->taskCount());
        QVERIFY(writeDesign(other).find("layer.yaml") != std::string::npos);
        const std::string hash = designHash(other).hex();
        std::ofstream(file) << "fabricscope: 1\n# other bytes\nshard: " + section + "\n";
        QVERIFY(designHash(readBack(text(file, 4))).hex() != hash);
        QVERIFY(!readDesignText(text("nowhere.yaml", 4), "made.yaml"));
    }
};

FABRICSCOPE_TEST(PlanDesignsTest)
#include "tst_plan_designs.moc"
