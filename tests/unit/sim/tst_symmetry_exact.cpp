#include "core/sim/common/foldedbusy.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/shrinkcase.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <optional>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

RunRecord exactRun(const Scenario& scenario, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return std::move(record).value();
}

/// Runs the cases of some seeds on both engines, under this model if there is one; returns how many the symmetry engine took.
int compare(std::uint64_t firstSeed, int count, const SymmetricLimits& limits, std::optional<Model> model = {})
{
    int folded = 0;
    for (int i = 0; i < count; ++i) {
        CaseSpec spec = symmetricCase(firstSeed + static_cast<std::uint64_t>(i), limits);
        spec.model = model.value_or(spec.model);
        const Scenario scenario = sharedBuild(spec);
        const RunRecord truth = exactRun(scenario, EngineChoice::Events);
        const RunRecord answer = exactRun(scenario, EngineChoice::Auto);
        folded += answer.engines.front().engine == "symmetry" ? 1 : 0;
        if (const std::string found = difference(answer, truth); !found.empty()) {
            const CaseSpec small = shrink(spec, [](const CaseSpec& each) {
                const Scenario smaller = sharedBuild(each);
                return !difference(exactRun(smaller, EngineChoice::Auto), exactRun(smaller, EngineChoice::Events)).empty();
            });
            qWarning("seed %llu: %s\n%s", static_cast<unsigned long long>(firstSeed) + static_cast<unsigned long long>(i), found.c_str(), small.text().c_str());
            return -1;
        }
    }
    return folded;
}

} // namespace

class TestSymmetryExact : public QObject {
    Q_OBJECT

private slots:
    void oneGroupEqualsTheEventEngine()
    {
        SymmetricLimits limits;
        limits.families = false;
        QCOMPARE_GE(compare(1, cases(1200), limits), cases(1000));
    }

    void groupsAlongDimensionsEqualTheEventEngine()
    {
        // Some meet another family in a dimension of halving-doubling and fall back.
        QCOMPARE_GE(compare(100'000, cases(1500), {}), cases(1200));
    }

    void tiesInEveryInstantEqualTheEventEngine()
    {
        SymmetricLimits limits;
        limits.equal = true;
        QCOMPARE_GE(compare(200'000, cases(1500), limits), cases(1200));
    }

    void halvingDoublingAnywhereIsExactOrLeftToTheEventEngine()
    {
        SymmetricLimits limits;
        limits.anyHalving = true;
        limits.equal = true;
        const int folded = compare(300'000, cases(600), limits);
        QVERIFY(folded > cases(100));
        QVERIFY(folded < cases(600));
    }

    void flowsEqualTheEventEngine()
    {
        QCOMPARE_GE(compare(400'000, cases(1000), {}, Model::Flow), cases(800));
        SymmetricLimits limits;
        limits.equal = true;
        QCOMPARE_GE(compare(500'000, cases(600), limits, Model::Flow), cases(450));
    }

    // Ring all-reduce over 8 ranks, 1 MiB, 50 GiB/s, 500 ns: 14 steps of L + x/B with x = 128 KiB, each x/B rounded up to a picosecond.
    void theClosedFormOfARing()
    {
        LinksScenario builder(astraPlatform("Ring(8)", {50}, {500}));
        builder.collectiveByAll(CollectiveOp::AllReduce, 1 << 20, {Algorithm::Ring});
        Scenario scenario = builder.build();
        auto structure = std::make_shared<Structure>(*scenario.structure);
        auto workload = std::make_shared<Workload>(*structure->workload);
        workload->graphs.resize(1);
        workload->graphOfRank.clear();
        structure->workload = workload;
        structure->ordinalsOfRank.resize(1);
        scenario.structure = structure;
        const RunRecord record = exactRun(scenario, EngineChoice::Symmetry);
        QCOMPARE(record.engines.front().engine, std::string("symmetry"));
        QCOMPARE(record.engines.front().messages, std::int64_t{8 * 14});
        QCOMPARE(record.finish.ps, std::int64_t{14} * (500'000 + 2'441'407));
    }

    void aMillionRanksInRings()
    {
        // 64 x 128 x 128, 64 MiB: phases of n-1 steps of L + D(x), x a 64th, 128th, 128th of what is held, there and back.
        auto structure = std::make_shared<Structure>();
        const PlatformSpec spec = astraPlatform("Ring(64)_Ring(128)_Ring(128)", {50, 50, 50}, {500, 500, 500});
        structure->platform = Platform::create(spec).value();
        constexpr std::int32_t kRanks = 1 << 20;
        structure->placement = Placement::identity(kRanks);
        CaseSpec one = worldCollective({{Shape::Ring, 2, 1, 1}}, CollectiveOp::AllReduce, 64 << 20, 1, standardBody(CollectiveOp::AllReduce, {2}, {Algorithm::Ring}));
        const Scenario small = sharedBuild(one);
        auto workload = std::make_shared<Workload>();
        workload->rankCount = kRanks;
        workload->graphs = {small.structure->workload->graphs.front()};
        workload->families = {GroupFamily::world(kRanks)};
        structure->workload = workload;
        structure->ordinalsOfRank = {small.structure->ordinalsOfRank.front()};
        structure->instanceBase = {{0}};
        structure->streamCount = 1;
        structure->layouts = {{0, {64, 128, 128}, {1, 64, 8192}, {}}};
        CollectiveInstance instance;
        instance.bytes = 64 << 20;
        instance.program = templateProgram(CollectiveOp::AllReduce, {64, 128, 128}, {Algorithm::Ring});
        structure->instances = {instance};
        Params params;
        for (const Dimension& dimension : spec.dimensions) {
            params.linkRate.push_back(dimension.linkBandwidth());
            params.linkLatency.push_back(dimension.linkLatency());
        }
        Scenario scenario;
        scenario.structure = structure;
        scenario.params = std::make_shared<const Params>(params);
        scenario.costs = std::make_shared<const CostTable>(params);

        const RunRecord record = exactRun(scenario, EngineChoice::Auto);
        const auto cost = [](std::int64_t bytes) { return mulDivCeil(bytes, kPsPerSecond, std::int64_t{50} << 30); };
        // A block of 1 MiB is four pieces on one link: together they take D(1 MiB).
        const std::int64_t expected = 2 * (63 * (500'000 + cost(1 << 20)) + 127 * (500'000 + cost(1 << 13)) + 127 * (500'000 + cost(1 << 6)));
        QCOMPARE(record.finish.ps, expected);
        QCOMPARE(record.engines.front().messages, std::int64_t{kRanks} * 2 * (63 + 127 + 127));
        QCOMPARE(record.classes.size(), std::size_t{1});
        QCOMPARE(record.classes.front().ranks, RankSet::range(0, kRanks));
        QCOMPARE(record.finishOrder.size(), std::size_t{kRanks});
        QCOMPARE(record.dimensions[0].bytes, std::int64_t{kRanks} * 2 * 63 * (1 << 20));
        QCOMPARE(record.dimensions[0].peakLinkPs, 2 * 63 * cost(1 << 20));
        QCOMPARE(record.links.size(), RunRecord::kMaxLinks);
        // Only the links towards +1 of the first dimension: port 0 of every NPU.
        for (std::size_t i = 0; i < record.links.size(); ++i)
            QCOMPARE(record.links[i].link, static_cast<std::int64_t>(2 * i));
    }

    /// Long rings alone in the network, whose steps repeat, against the event engine.
    void longRingsEqualTheEventEngine()
    {
        std::uint64_t seed = 600'000;
        for (const Shape shape : {Shape::Ring, Shape::Switch, Shape::FullyConnected}) {
            for (const std::int32_t size : {4, 5, 6, 17, 60}) {
                for (int variant = 0; variant < 16; ++variant, ++seed) {
                    CaseSpec spec = symmetricCase(seed, {});
                    const CollectiveOp op = std::array{CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather}[seed % 3];
                    const std::int64_t block = std::array<std::int64_t, 4>{1, 700, 5000, 1024}[seed % 4];
                    CaseSpec ring = worldCollective({{shape, size, 3'000'000'000 + variant, 400 * variant}, {Shape::Ring, 2, 9'000'000'000, 70'000}}, op,
                                                    block * size * 2, 1, standardBody(op, {size, 2}, {Algorithm::Ring}));
                    ring.model = spec.model;
                    ring.reducerRate = spec.reducerRate;
                    ring.injection = spec.injection;
                    ring.ejection = spec.ejection;
                    ring.endpointDelayPs = spec.endpointDelayPs;
                    ring.pieceBytes = spec.pieceBytes;
                    CaseSpec::Task compute; // Ends somewhere in the first steps.
                    compute.durationPs = 50'000 * (variant % 4);
                    for (auto& tasks : ring.tasks)
                        tasks.push_back(compute);
                    const Scenario scenario = sharedBuild(ring);
                    const RunRecord truth = exactRun(scenario, EngineChoice::Events);
                    const RunRecord answer = exactRun(scenario, EngineChoice::Symmetry);
                    const std::string found = difference(answer, truth);
                    QVERIFY2(found.empty(), (found + '\n' + ring.text()).c_str());
                    QCOMPARE(answer.engines.front().messages, truth.engines.front().messages);
                }
            }
        }
    }

    void busyIntervalsAddedTogetherEqualThoseAddedOneByOne()
    {
        for (std::int64_t seed = 1; seed <= 200; ++seed) {
            const std::int64_t length = 1 + seed * 7919 % 5000;
            const std::int64_t period = length + seed * 104'729 % 3000;
            const std::int64_t begin = seed * 31 % 10'000;
            const std::int64_t count = 1 + seed * seed % 3000;
            BusyPyramid together;
            BusyPyramid alone;
            for (BusyPyramid* const busy : {&together, &alone})
                busy->add(3, 5000 * seed);
            events::addRepeated(together, begin, length, period, count);
            for (std::int64_t i = 0; i < count; ++i)
                alone.add(begin + i * period, begin + i * period + length);
            QCOMPARE(together.bucketPs(), alone.bucketPs());
            QVERIFY(together.busyPs() == alone.busyPs());
            QCOMPARE(together.total(), alone.total());
        }
    }

    void messagesOfRankZeroAreHandedOver()
    {
        for (const std::uint64_t seed : Seeds(500'000, 60)) {
            const Scenario scenario = sharedBuild(symmetricCase(seed, {}));
            const Result<FoldedScenario> folded = foldScenario(scenario);
            if (!folded)
                continue;
            std::vector<std::array<std::int64_t, 11>> truth;
            std::vector<std::array<std::int64_t, 11>> answer;
            RunOptions options;
            options.engine = EngineChoice::Events;
            options.message = [&](const MessageRecord& message) {
                if (message.source == 0)
                    truth.push_back(message.words());
            };
            QVERIFY(simulate(scenario, options));
            options.message = [&](const MessageRecord& message) { answer.push_back(message.words()); };
            QVERIFY(simulateFolded(folded.value(), options, {}));
            std::sort(truth.begin(), truth.end());
            std::sort(answer.begin(), answer.end());
            QVERIFY(answer == truth);
        }
    }
};

FABRICSCOPE_TEST(TestSymmetryExact)
#include "tst_symmetry_exact.moc"
