// What plans cannot be, with the field and the nearest plan that can; axes and groups of those that can.
#include "tests/unit/plan/planmodels.h"
#include "tests/unit/support/testprogram.h"

#include <QSet>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ModelSpec smallGpt()
{
    ModelSpec model = gpt(12, 768, 12, 50257, 1024);
    model.train = {64, 1};
    return model;
}

/// A change of a plan of 2 x 2 x 2 ranks and its model, the field that is refused and what the message says.
struct Refusal {
    const char* name;
    void (*change)(ModelSpec& model, PlanSpec& plan, std::int64_t& ranks);
    const char* field;
    const char* message;
    const char* nearest;
};

const Refusal kRefusals[] = {
    {"ranks", [](ModelSpec&, PlanSpec&, std::int64_t& ranks) { ranks = 16; }, "mesh.shape", "the mesh has 8 ranks and there are 16 NPUs", "dp of 4 or pp of 4 or tp of 4"},
    {"heads", [](ModelSpec&, PlanSpec& plan, std::int64_t& ranks) { plan.mesh.shape[2] = 8, ranks = 32; }, "tensor.axis", "12 heads are not divided by 8 ranks", "\"tp\" of 6 or 12"},
    {"kv heads", [](ModelSpec& model, PlanSpec& plan, std::int64_t& ranks) { model.transformer.kvHeads = 4, plan.mesh.shape[2] = 6, ranks = 24; }, "tensor.axis", "4 KV heads are not divided by 6 ranks", "\"tp\" of 4 or 12"},
    {"columns", [](ModelSpec& model, PlanSpec&, std::int64_t&) { model.transformer.ff = 3073; }, "tensor.axis", "3073 columns", "\"tp\" of 1"},
    {"columns and heads", [](ModelSpec& model, PlanSpec& plan, std::int64_t& ranks) { model.transformer.ff = 3087, plan.mesh.shape[2] = 12, ranks = 48; }, "tensor.axis", "3087 columns", "\"tp\" of 3"},
    {"stages", [](ModelSpec&, PlanSpec& plan, std::int64_t& ranks) { plan.mesh.shape[1] = 16, ranks = 64; }, "pipeline.axis", "16 stages (16 ranks of 1) for 12 layers", "at most 12"},
    {"chunks", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->schedule = PipelineSchedule::Interleaved, plan.pipeline->virtualStages = 8; }, "pipeline.virtual", "16 stages", "at most 6 chunks"},
    {"chunks of 1f1b", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->virtualStages = 2; }, "pipeline.virtual", "1f1b has one chunk", "interleaved"},
    {"layers", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->layers = {6, 5}; }, "pipeline.layers", "11 layers together and the model 12", "12"},
    {"numbers of layers", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->layers = {12}; }, "pipeline.layers", "1 numbers of layers of 2 stages", "every stage"},
    {"batch", [](ModelSpec& model, PlanSpec&, std::int64_t&) { model.train.global = 63; }, "mesh.shape", "63 is not divided by 2 replicas", "62 or 64"},
    {"micro-batches", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->microBatches = 8; }, "pipeline.micro_batches", "makes 32", "32"},
    {"no batch", [](ModelSpec& model, PlanSpec&, std::int64_t&) { model.train.global = 0; }, "pipeline.micro_batches", "how many micro-batches", "global_batch"},
    {"odd dualpipe", [](ModelSpec& model, PlanSpec& plan, std::int64_t& ranks) { plan.mesh.shape = {1, 3, 2}, ranks = 6, plan.pipeline = PipelinePlan{}, plan.pipeline->schedule = PipelineSchedule::DualPipe, model.train.global = 12; },
     "pipeline.axis", "even number", "4 ranks"},
    {"few for dualpipe", [](ModelSpec& model, PlanSpec& plan, std::int64_t&) { plan.pipeline = PipelinePlan{}, plan.pipeline->schedule = PipelineSchedule::DualPipe, model.train.global = 6; }, "pipeline.micro_batches", "not 3", "4 micro-batches"},
    {"unused axis", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.mesh.axes[0] = "x"; }, "mesh.axes", "nothing is split over axis \"x\"", "axis: x"},
    {"unknown axis", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.tensor.emplace().axis = "model"; }, "tensor.axis", "no axis \"model\"", "dp, pp, tp"},
    {"an axis twice", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.tensor.emplace().axis = "dp"; }, "tensor.axis", "used by data", "of its own"},
    {"double name", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.mesh.axes[1] = "dp"; }, "mesh.axes", "two axes", "of its own"},
    {"order", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.mesh.order = PlanMesh::Order::Listed, plan.mesh.slowestFirst = {"tp", "dp"}; }, "mesh.order", "2 of 3 axes", "every axis once"},
    {"devices", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.mesh.deviceOrder = {0, 1, 2, 3, 4, 5, 6, 6}; }, "mesh.device_order", "rank 6 is listed twice", "0 to 7"},
    {"experts", [](ModelSpec& model, PlanSpec& plan, std::int64_t&) { model.transformer.moe.experts = 7, model.transformer.moe.expertFf = 3072, plan.expert = ExpertPlan{}; }, "expert.axis", "7 experts are not divided by 2", "\"ep\" of 1 or 7"},
    {"no experts", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.expert = ExpertPlan{}; }, "expert.axis", "no experts", "no section"},
    {"degree", [](ModelSpec& model, PlanSpec& plan, std::int64_t&) { model.transformer.moe.experts = 6, model.transformer.moe.expertFf = 3072, plan.expert.emplace().degree = 3; }, "expert.degree", "3 ranks do not divide the 2", "2"},
    {"sequence", [](ModelSpec& model, PlanSpec& plan, std::int64_t&) { model.transformer.seq = 1023, plan.tensor.emplace().sequenceParallel = true; }, "tensor.sequence_parallel", "1023 tokens", "1 or 3"},
    {"ulysses", [](ModelSpec& model, PlanSpec& plan, std::int64_t& ranks) { plan.mesh.axes[0] = "cp", plan.mesh.shape[0] = 4, ranks = 16, model.transformer.kvHeads = 12, plan.context.emplace().kind = ContextPlan::Kind::Ulysses; },
     "context.axis", "6 heads of a rank are not divided by 4", "3 or 6"},
    {"shard without zero", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.data.emplace().shard = 2; }, "data.shard", "without ZeRO", "zero"},
    {"shard", [](ModelSpec&, PlanSpec& plan, std::int64_t&) { plan.data = DataPlan{}, plan.data->zero = 3, plan.data->shard = 3; }, "data.shard", "3 ranks do not divide the 2", "2"},
};

} // namespace

class PlanLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void whatCannotBeIsRefusedWithTheNearestThatCan_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(kRefusals)); ++i)
            QTest::newRow(kRefusals[i].name) << i;
    }
    void whatCannotBeIsRefusedWithTheNearestThatCan()
    {
        QFETCH(int, index);
        const Refusal& refusal = kRefusals[index];
        ModelSpec model = smallGpt();
        PlanSpec plan = planOf(2, 2, 1, 2);
        std::int64_t ranks = 8;
        QVERIFY(layoutOf(&model, plan, ranks));
        refusal.change(model, plan, ranks);
        const auto layout = layoutOf(&model, plan, ranks);
        QVERIFY(!layout);
        const Error& error = layout.error();
        QCOMPARE(QString::fromStdString(error.place.field), QStringLiteral("workload.plan.") + QString::fromUtf8(refusal.field));
        QVERIFY2(error.message.find(refusal.message) != std::string::npos, error.text().c_str());
        QVERIFY2(error.expected.find(refusal.nearest) != std::string::npos, error.text().c_str());
    }

    /// Every order of axes: ranks of a group differ along its axis alone, and every rank is in one group.
    void groupsGoAlongTheirAxesInAnyOrder()
    {
        PlanSpec plan = planOf(2, 3, 1, 4);
        std::vector<std::string> order = plan.mesh.axes;
        std::sort(order.begin(), order.end());
        do {
            for (const bool shuffled : {false, true}) {
                plan.mesh.order = PlanMesh::Order::Listed;
                plan.mesh.slowestFirst = order;
                plan.mesh.deviceOrder.clear();
                for (std::int64_t i = 0; shuffled && i < 24; ++i)
                    plan.mesh.deviceOrder.push_back(i * 7 % 24);
                ModelSpec model = smallGpt();
                const auto layout = layoutOf(&model, plan, 24);
                QVERIFY2(bool(layout), layout ? "" : layout.error().text().c_str());
                const PlanGrid& grid = layout.value().grid;
                const auto family = grid.family(layout.value().tensorGroup);
                QVERIFY(bool(family));
                QSet<qint64> seen;
                for (std::int64_t g = 0; g < family.value().groupCount(); ++g) {
                    QCOMPARE(family.value().groupSize(g), std::int64_t{4});
                    const std::int64_t first = family.value().member(g, 0);
                    for (std::int64_t i = 0; i < 4; ++i) {
                        const std::int64_t rank = family.value().member(g, i);
                        seen.insert(rank);
                        QCOMPARE(grid.coordinate(rank, grid.find("tp")), static_cast<std::int64_t>(i));
                        QCOMPARE(grid.coordinate(rank, grid.find("dp")), grid.coordinate(first, grid.find("dp")));
                        QCOMPARE(grid.coordinate(rank, grid.find("pp")), grid.coordinate(first, grid.find("pp")));
                    }
                }
                QCOMPARE(seen.size(), 24);
                // The fastest axis has neighbouring places.
                QCOMPARE(grid.rankAt(1), shuffled ? std::int64_t{7} : std::int64_t{1});
                QCOMPARE(grid.axes()[static_cast<std::size_t>(grid.find(order.back()))].stride, std::int64_t{1});
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }

    void expertsInsideDataShareItsNeighbours()
    {
        ModelSpec model = smallGpt();
        model.transformer.moe.experts = 8;
        model.transformer.moe.expertFf = 3072;
        PlanSpec plan = planOf(8, 1, 1, 2);
        plan.expert.emplace().degree = 4;
        const auto layout = layoutOf(&model, plan, 16);
        QVERIFY2(bool(layout), layout ? "" : layout.error().text().c_str());
        QCOMPARE(layout.value().expertSize, std::int64_t{4});
        QCOMPARE(layout.value().replicas, std::int64_t{8});
        QVERIFY(layout.value().expertGroup.axes == (std::vector<GroupFamily::Axis>{{4, 2}}));
        QVERIFY(layout.value().expertDataGroup.axes == (std::vector<GroupFamily::Axis>{{2, 8}}));
        QVERIFY(layout.value().denseGroup.axes == (std::vector<GroupFamily::Axis>{{8, 2}}));
    }

    void layersAreSpreadAsEvenlyAsCanBe()
    {
        ModelSpec model = smallGpt();
        model.transformer.layers = 14;
        PlanSpec plan = planOf(1, 4, 1, 1);
        QCOMPARE(layoutOf(&model, plan, 4).value().stageLayers, (std::vector<std::int64_t>{4, 4, 3, 3}));
        plan.pipeline = PipelinePlan{};
        plan.pipeline->layers = {2, 4, 4, 4};
        QCOMPARE(layoutOf(&model, plan, 4).value().stageLayers, (std::vector<std::int64_t>{2, 4, 4, 4}));
        plan.pipeline = PipelinePlan{};
        plan.pipeline->schedule = PipelineSchedule::ZeroBubbleV;
        const PlanLayout bent = layoutOf(&model, plan, 4).value();
        QCOMPARE(bent.stages(), std::int64_t{8});
        QCOMPARE(bent.stagesOfRank(0), (std::vector<std::int64_t>{0, 7}));
        QCOMPARE(bent.stagesOfRank(3), (std::vector<std::int64_t>{3, 4}));
    }
};

FABRICSCOPE_TEST(PlanLayoutTest)
#include "tst_plan_layout.moc"
