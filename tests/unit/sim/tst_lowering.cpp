#include "core/program/phaserules.h"
#include "core/scenario/groupshape.h"
#include "core/scenario/instances.h"
#include "core/scenario/involveddims.h"
#include "core/scenario/lowering.h"
#include "core/scenario/staticorder.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;

namespace {

Dimension dimension(Shape shape, std::int32_t size)
{
    return {shape, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}};
}

Platform platform(std::vector<Dimension> dimensions)
{
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions);
    spec.npu.memoryBandwidth = Quantity{1600, "GB/s", Measure::Bandwidth};
    auto created = Platform::create(std::move(spec));
    Q_ASSERT(created);
    return std::move(created).value();
}

GroupFamily listed(std::vector<std::vector<std::int64_t>> groups, std::int64_t ranks)
{
    auto family = GroupFamily::listed("g", std::move(groups), ranks);
    Q_ASSERT(family);
    return std::move(family).value();
}

/// A rank graph of collectives over family 1 with the given sizes; every task depends on the one before when `chain`.
std::shared_ptr<RankGraph> collectives(const std::vector<std::pair<CollectiveOp, std::int64_t>>& list, bool chain, FamilyId family = 1)
{
    auto graph = std::make_shared<RankGraph>();
    graph->dependBegin.push_back(0);
    for (std::size_t i = 0; i < list.size(); ++i) {
        graph->kind.push_back(TaskKind::Collective);
        graph->flags.push_back(0);
        graph->sourceId.push_back(10 + i);
        graph->nameEnd.push_back(0);
        graph->durationUs.push_back(0);
        graph->operations.push_back(0);
        graph->bytes.push_back(list[i].second);
        graph->op.push_back(list[i].first);
        graph->family.push_back(family);
        graph->peer.push_back(0);
        graph->tag.push_back(0);
        graph->involved.push_back(0);
        if (chain && i > 0)
            graph->depends.push_back(static_cast<TaskIndex>(i - 1));
        graph->dependBegin.push_back(static_cast<std::uint32_t>(graph->depends.size()));
    }
    return graph;
}

Design designFor(const Platform& machine)
{
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(machine.spec());
    design.collectives.defaults.chunks = 2;
    return design;
}

} // namespace

class LoweringTest : public QObject {
    Q_OBJECT

private slots:
    void wholeMachineRunsOverEveryDimensionLargerThanOne()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Switch, 1), dimension(Shape::Switch, 3)});

        const GroupShape shape = groupShape(machine, Placement::identity(12), GroupFamily::world(12), 0, false);

        QCOMPARE(shape.layout.extents, (std::vector<std::int32_t>{4, 3}));
        QCOMPARE(shape.dimensionOfAxis, (std::vector<std::int32_t>{0, 2}));
        QVERIFY(shape.layout.list.empty()); // no storage per rank
        for (std::int32_t position = 0; position < 12; ++position)
            QCOMPARE(shape.layout.rankAt(position), position);
    }

    void subGridIsRunAxisByAxisInAscendingCoordinates()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Switch, 3)});
        // Coordinates {1, 3} x {0, 2}, listed in an order of their own.
        const GroupFamily family = listed({{11, 1, 9, 3}}, 12);

        const GroupShape shape = groupShape(machine, Placement::identity(12), family, 0, false);

        QCOMPARE(shape.layout.extents, (std::vector<std::int32_t>{2, 2}));
        std::vector<std::int32_t> ranks;
        for (std::int32_t position = 0; position < 4; ++position)
            ranks.push_back(shape.layout.rankAt(position));
        QCOMPARE(ranks, (std::vector<std::int32_t>{1, 3, 9, 11}));
    }

    void irregularGroupIsOneAxisInListedOrder()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Switch, 3)});
        const GroupFamily family = listed({{5, 0, 2}}, 12);

        const GroupShape shape = groupShape(machine, Placement::identity(12), family, 0, false);

        QCOMPARE(shape.dimensionOfAxis, (std::vector<std::int32_t>{-1}));
        QCOMPARE(shape.layout.list, (std::vector<std::int32_t>{5, 0, 2}));
        QCOMPARE(shape.layout.positionOf(2), 2);
        QCOMPARE(shape.layout.positionOf(3), -1);
    }

    void placementDecidesTheShapeNotTheRankNumbers()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Switch, 3)});
        // Ranks 0, 1 on the nodes 0 and 4: they differ in dimension 1 only.
        const auto placement = Placement::create({{"job", 2, 0, 1, {0, 4}}}, 12);
        QVERIFY(placement);

        const GroupShape shape = groupShape(machine, placement.value(), GroupFamily::world(2), 0, false);

        QCOMPARE(shape.dimensionOfAxis, (std::vector<std::int32_t>{1}));
    }

    void allReduceScattersUpAndGathersDown()
    {
        const Platform machine = platform({dimension(Shape::FullyConnected, 4), dimension(Shape::Ring, 3)});

        const auto planned = planCollective(machine, Placement::identity(12), GroupFamily::world(12), 0, CollectiveOp::AllReduce, 1024, {});

        QVERIFY(planned);
        const TemplateBody& body = planned.value().program->asTemplate();
        const std::vector<PhaseTemplate> expected{{PhaseKind::ReduceScatter, Algorithm::Direct, 0, 0, false},
                                                  {PhaseKind::ReduceScatter, Algorithm::Ring, 1, 0, false},
                                                  {PhaseKind::AllGather, Algorithm::Ring, 1, 0, false},
                                                  {PhaseKind::AllGather, Algorithm::Direct, 0, 0, false}};
        QVERIFY(body.phases == expected);
    }

    void treeSitsOnTopOfTheHierarchyAndNowhereElse()
    {
        const Platform machine = platform({dimension(Shape::FullyConnected, 4), dimension(Shape::Ring, 3)});
        CollectiveSetting onTop;
        onTop.algorithms = {{false, Algorithm::Direct, 0}, {false, Algorithm::DoubleBinaryTree, 0}};
        CollectiveSetting below;
        below.algorithms = {{false, Algorithm::DoubleBinaryTree, 0}, {false, Algorithm::Ring, 0}};

        const auto planned = planCollective(machine, Placement::identity(12), GroupFamily::world(12), 0, CollectiveOp::AllReduce, 1024, onTop);
        const auto refused = planCollective(machine, Placement::identity(12), GroupFamily::world(12), 0, CollectiveOp::AllReduce, 1024, below);

        QVERIFY(planned);
        QCOMPARE(planned.value().program->asTemplate().phases.size(), std::size_t{3});
        QVERIFY(planned.value().program->asTemplate().phases[1].kind == PhaseKind::AllReduce);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("last dimension") != std::string::npos);
    }

    void listOfAlgorithmsMustFitTheDimensions()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Ring, 3), dimension(Shape::Ring, 2)});
        CollectiveSetting two;
        two.algorithms = {{false, Algorithm::Ring, 0}, {false, Algorithm::Ring, 0}};

        const auto planned = planCollective(machine, Placement::identity(24), GroupFamily::world(24), 0, CollectiveOp::AllReduce, 1024, two);

        QVERIFY(!planned);
        QVERIFY(planned.error().text().find("2 entries for 3 dimensions") != std::string::npos);
    }

    void staticOrderIsTopologicalAndPrefersLowIds()
    {
        // 0 -> 3, 2 -> 1: the order is 0, 2, 1, 3.
        auto graph = collectives({{CollectiveOp::AllReduce, 1}, {CollectiveOp::AllReduce, 2}, {CollectiveOp::AllReduce, 3}, {CollectiveOp::AllReduce, 4}}, false);
        graph->depends = {2, 0};
        graph->dependBegin = {0, 0, 1, 1, 2};

        const StaticOrder order = staticOrder(*graph, 2);

        QCOMPARE(order.collectives[1], (std::vector<TaskIndex>{0, 2, 1, 3}));
        QCOMPARE(order.ordinal, (std::vector<std::int32_t>{0, 2, 1, 3}));
    }

    void membersWithAnotherOrderAreMatchedByOperationAndSize()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4)});
        auto workload = std::make_shared<Workload>();
        workload->rankCount = 4;
        workload->families = {GroupFamily::world(4), listed({{0, 1, 2, 3}}, 4)};
        workload->graphs = {collectives({{CollectiveOp::AllReduce, 64}, {CollectiveOp::AllGather, 64}}, true),
                            collectives({{CollectiveOp::AllGather, 64}, {CollectiveOp::AllReduce, 64}}, true)};
        workload->graphOfRank = {0, 0, 1, 1};

        const auto scenario = lower(designFor(machine), machine, workload);

        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        const Structure& structure = *scenario.value()->structure;
        QCOMPARE(structure.instances.size(), std::size_t{2});
        QCOMPARE(structure.instanceOf(0, 0), structure.instanceOf(2, 1)); // the all-reduce
        QCOMPARE(structure.instanceOf(0, 1), structure.instanceOf(2, 0)); // the all-gather
    }

    void membersThatDisagreeAreNamed()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4)});
        auto workload = std::make_shared<Workload>();
        workload->rankCount = 4;
        workload->families = {GroupFamily::world(4), listed({{0, 1, 2, 3}}, 4)};
        workload->graphs = {collectives({{CollectiveOp::AllReduce, 1 << 20}}, true), collectives({{CollectiveOp::AllReduce, 2 << 20}}, true)};
        workload->graphOfRank = {0, 0, 0, 1};

        const auto scenario = lower(designFor(machine), machine, workload);

        QVERIFY(!scenario);
        const std::string text = scenario.error().text();
        QVERIFY2(text.find("rank 0 runs all_reduce of 1 MiB (node 10), rank 3 runs all_reduce of 2 MiB (node 10)") != std::string::npos, text.c_str());
    }

    void equalCollectivesShareOneProgram()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4)});
        auto workload = std::make_shared<Workload>();
        workload->rankCount = 4;
        workload->families = {GroupFamily::world(4), listed({{0, 1}, {2, 3}}, 4)};
        workload->graphs = {collectives({{CollectiveOp::AllReduce, 64}, {CollectiveOp::AllReduce, 128}}, false)};

        const auto scenario = lower(designFor(machine), machine, workload);

        QVERIFY(scenario);
        const auto& instances = scenario.value()->structure->instances;
        QCOMPARE(instances.size(), std::size_t{4});
        for (const CollectiveInstance& instance : instances)
            QCOMPARE(instance.program, instances[0].program);
        QVERIFY(instances[0].stream != instances[2].stream); // one stream per group
    }

    void involvedDimensionsBecomeGroupFamilies()
    {
        const Platform machine = platform({dimension(Shape::Ring, 4), dimension(Shape::Switch, 3)});
        auto graph = collectives({{CollectiveOp::AllReduce, 64}}, false, 0);
        graph->involved[0] = 0b10;
        graph->flags[0] = TaskFlag::kInvolvedGiven;
        auto workload = std::make_shared<Workload>();
        workload->rankCount = 12;
        workload->families = {GroupFamily::world(12)};
        workload->graphs = {graph};

        const auto resolved = resolveInvolvedDimensions(workload, machine, Placement::identity(12));

        QVERIFY(resolved);
        QCOMPARE(resolved.value()->families.size(), std::size_t{2});
        const GroupFamily& family = resolved.value()->families[1];
        QCOMPARE(family.groupCount(), 4);
        QCOMPARE(family.member(family.membership(5).group, 2), 9); // 5 = (1, 1), so its group is 1, 5, 9
        QCOMPARE(resolved.value()->graphs[0]->family[0], 1);
    }

    void oneMillionRanksAreLoweredWithoutStoragePerRank()
    {
        const Platform machine = platform({dimension(Shape::Ring, 64), dimension(Shape::Ring, 128), dimension(Shape::Switch, 128)});
        auto workload = std::make_shared<Workload>();
        workload->rankCount = 1 << 20;
        workload->families = {GroupFamily::world(1 << 20)};
        workload->graphs = {collectives({{CollectiveOp::AllReduce, 1 << 26}}, false, 0)};

        const auto scenario = lower(designFor(machine), machine, workload);

        QVERIFY(scenario);
        const Structure& structure = *scenario.value()->structure;
        QCOMPARE(structure.layouts.size(), std::size_t{1});
        QVERIFY(structure.layouts[0].list.empty());
        QCOMPARE(structure.ordinalsOfRank.size(), std::size_t{1});
    }
};

FABRICSCOPE_TEST(LoweringTest)
#include "tst_lowering.moc"
