#include "core/report/collectivebounds.h"
#include "core/run/rundesign.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

class BoundsRowsTest : public QObject {
    Q_OBJECT

private slots:
    void aRowPerKindOfCollective()
    {
        LinksScenario scenario(astraPlatform("FullyConnected(8)", {50}, {500}));
        scenario.collectiveByAll(CollectiveOp::AllGather, 1 << 20, {Algorithm::Direct});
        scenario.collectiveByAll(CollectiveOp::AllReduce, 1 << 20, {Algorithm::Direct});
        scenario.collectiveByAll(CollectiveOp::AllReduce, 1 << 20, {Algorithm::Direct});
        const Scenario built = scenario.build();
        const auto [rows, note] = collectiveBounds(built, runLinks(built).record);
        QVERIFY(note.empty());
        QCOMPARE(rows.size(), std::size_t{2});
        // manual: models 6.2: 2 (L + x / B) = 5882.8125 ns for the all-reduce, half of it for the all-gather.
        QCOMPARE(rows[0].op, std::string("all_gather"));
        QVERIFY(rows[0].exact && rows[0].best.ps - rows[0].bound.ps <= 1);
        QCOMPARE(rows[0].latency.ps, 500'000);
        QCOMPARE(rows[1].count, 2);
        QVERIFY(rows[1].bound <= rows[1].best && rows[1].best <= rows[1].worst);
        // The bound has the latency once: L + 2 x / B.
        QVERIFY(std::abs(static_cast<double>(rows[1].bound.ps) - 5'382'812.5) <= 2);
    }

    void groupsOfAFamilyShareTheirRow()
    {
        LinksScenario scenario(astraPlatform("Ring(4)_Switch(8)", {100, 50}, {500, 1000}));
        std::vector<std::vector<std::int64_t>> columns;
        for (std::int64_t i = 0; i < 4; ++i) {
            columns.emplace_back();
            for (std::int64_t j = 0; j < 8; ++j)
                columns.back().push_back(i + 4 * j);
        }
        const FamilyId family = scenario.addFamily(columns);
        const ProgramPtr program = templateProgram(CollectiveOp::AllReduce, {8}, {Algorithm::Ring}, 4);
        for (std::int32_t rank = 0; rank < 32; ++rank)
            scenario.collective(rank, family, 8 << 20, program, {8});
        const Scenario built = scenario.build();
        const auto rows = collectiveBounds(built, runLinks(built).record).rows;
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].count, 4);
        QCOMPARE(rows[0].ranks, 8);
        QCOMPARE(rows[0].cut, std::string("dimension 1 of every NPU")); // not over the rings, which no message of theirs takes
        QVERIFY(rows[0].bound <= rows[0].best);
    }

    void onlyWhereLinksAreShared()
    {
        LinksScenario scenario(astraPlatform("Switch(8)", {50}, {500}));
        scenario.model = Model::Ideal;
        scenario.collectiveByAll(CollectiveOp::AllGather, 1 << 20, {Algorithm::Direct});
        const Scenario built = scenario.build();
        QVERIFY(collectiveBounds(built, runLinks(built).record).rows.empty());
    }

    /// Every engine makes its record the same way: a run of one collective has its bound, whoever follows it; runs that nobody sees have none.
    void aRunOfOneCollectiveHasALowerBoundUnderEveryEngine()
    {
        const auto ofDesign = [](const std::string& workload, EngineChoice engine) {
            const auto design = readDesignText("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: fully_connected, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n" + workload, "d.yaml");
            if (!design)
                qFatal("%s", design.error().text().c_str());
            RunDesignOptions options;
            options.engine = engine;
            const auto run = runDesign(std::make_shared<const Design>(design.value().design), design.value().diagnostics, options);
            if (!run)
                qFatal("%s", run.error().text().c_str());
            return run.value();
        };
        const std::string one = "workload: {collective: all_gather, size: 1 MiB}\ncollectives: {default: {algorithm: ring}}\n"; // Which the engine sweep takes.
        std::set<std::string> engines;
        for (const EngineChoice engine : {EngineChoice::Auto, EngineChoice::Events, EngineChoice::Symmetry, EngineChoice::Sweep}) {
            const RunResultPtr run = ofDesign(one, engine);
            engines.insert(run->record().engines[0].engine);
            // Whatever the algorithm, each of seven links brings a shard of 128 KiB: 500 ns + 131,072 B / 50 GB/s.
            QVERIFY(run->record().lowerBound);
            QCOMPARE(run->record().lowerBound->ps, 3'121'440);
            QCOMPARE(run->summary.collectiveBounds.size(), std::size_t{1});
            const auto unseen = simulate(*run->scenario, {});
            QVERIFY(unseen && !unseen.value().lowerBound);
        }
        QVERIFY(engines.size() >= 3);
        QVERIFY(!ofDesign("workload: {steps: [{collective: all_gather, size: 1 MiB}, {compute: 1 us}]}\n", EngineChoice::Auto)->record().lowerBound);
    }
};

FABRICSCOPE_TEST(BoundsRowsTest)
#include "tst_bounds_rows.moc"
