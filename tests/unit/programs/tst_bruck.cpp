// The native rules bruck_gather and circulant: their times, the programs they are, what their messages carry, and what refuses them.
#include "core/generate/generate.h"
#include "core/program/nativerule.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/testprogram.h"
#include "tests/unit/support/verified.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kLatency = 500'000; ///< Of a link, ps.
constexpr std::int64_t kPsPerByte = 10;    ///< 100 GB/s: no duration is rounded.

PlatformSpec evenPlatform(const std::string& topology, std::size_t dimensions = 1)
{
    PlatformSpec spec = astraPlatform(topology, std::vector<double>(dimensions, 1), std::vector<double>(dimensions, 1));
    for (Dimension& dimension : spec.dimensions) {
        dimension.bandwidth = {1e12 / static_cast<double>(kPsPerByte), "B/s", Measure::Bandwidth};
        dimension.latency = {static_cast<double>(kLatency), "ps", Measure::Time};
    }
    return spec;
}

ProgramPtr native(const std::vector<std::int32_t>& axes, std::int32_t chunks = 1)
{
    return templateProgram(CollectiveOp::AllGather, axes, std::vector<Algorithm>(axes.size(), Algorithm::Bruck), chunks);
}

ProgramPtr generated(std::int32_t ranks, std::int32_t chunks = 1)
{
    GenerateRequest request;
    request.algorithm = "bruck";
    request.op = CollectiveOp::AllGather;
    request.axes = {ranks};
    request.chunks = chunks;
    return generateProgram(request).value();
}

Scenario scenarioOf(const std::string& topology, const ProgramPtr& program, std::int64_t bytes, Model model)
{
    const std::vector<std::int32_t> axes = program->isTemplate() ? program->asTemplate().axes : std::vector<std::int32_t>{program->ranks};
    LinksScenario scenario(evenPlatform(topology, static_cast<std::size_t>(std::count(topology.begin(), topology.end(), '('))));
    scenario.model = model;
    for (std::int32_t rank = 0; rank < program->ranks; ++rank)
        scenario.collective(rank, 0, bytes, program, axes);
    return scenario.build();
}

std::int64_t finishOf(const std::string& topology, const ProgramPtr& program, std::int64_t bytes, Model model = Model::Links, EngineChoice engine = EngineChoice::Events)
{
    RunOptions options;
    options.engine = engine;
    Scenario scenario = scenarioOf(topology, program, bytes, model);
    if (engine == EngineChoice::Symmetry) { // All ranks have the same tasks: it wants to see that they are one list.
        auto structure = std::make_shared<Structure>(*scenario.structure);
        auto workload = std::make_shared<Workload>(*structure->workload);
        std::fill(workload->graphs.begin(), workload->graphs.end(), workload->graphs.front());
        std::fill(workload->graphOfRank.begin(), workload->graphOfRank.end(), 0);
        std::fill(structure->ordinalsOfRank.begin(), structure->ordinalsOfRank.end(), structure->ordinalsOfRank.front());
        structure->workload = std::move(workload);
        scenario.structure = std::move(structure);
    }
    const auto record = simulate(scenario, options);
    if (!record)
        qWarning("%s", record.error().message.c_str());
    return record && record.value().complete ? record.value().finish.ps : -1;
}

std::string named(const char* shape, int ranks)
{
    return std::string(shape) + '(' + std::to_string(ranks) + ')';
}

} // namespace

class BruckTest : public QObject {
    Q_OBJECT

private slots:
    /// Rounds of 1, 2, 4, .. blocks of y bytes, each after the one before: ceil(log2 n) (a + ..) with n - 1 blocks in all. On a switch a = 2 L. The
    /// last round has fewer blocks where n is no power of two; with more than half of those before it still needs the round before.
    void takesItsRoundsOnASwitch()
    {
        for (const auto& [ranks, rounds] : {std::pair{2, 1}, {3, 2}, {4, 2}, {7, 3}, {8, 3}, {13, 4}, {15, 4}, {16, 4}, {64, 6}}) {
            const std::int64_t bytes = std::int64_t{ranks} * 1000;
            // 3 = 2 + 1: the only block of round 1 is the own one, which goes behind that of round 0.
            const std::int64_t alphas = ranks == 3 ? 1 : rounds;
            const std::int64_t expected = alphas * 2 * kLatency + (ranks - 1) * 1000 * kPsPerByte;
            QCOMPARE(finishOf(named("Switch", ranks), native({ranks}), bytes), expected);
            QCOMPARE(finishOf(named("Switch", ranks), native({ranks}), bytes, Model::Links, EngineChoice::Symmetry), expected);
        }
    }

    /// Of any number of ranks, any bytes, in several chunks: message by message what the generator writes out.
    void isTheGeneratedProgram()
    {
        for (int ranks = 2; ranks <= 18; ++ranks) {
            for (const char* const shape : {"Switch", "Ring", "FullyConnected"}) {
                for (const Model model : {Model::Links, Model::Ideal, Model::Flow}) {
                    const std::int64_t bytes = std::int64_t{ranks} * 4096;
                    const std::int64_t expected = finishOf(named(shape, ranks), generated(ranks), bytes, model);
                    QVERIFY(expected > 0);
                    QCOMPARE(finishOf(named(shape, ranks), native({ranks}), bytes, model), expected);
                }
            }
            for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{5}, std::int64_t{99'991}})
                QCOMPARE(finishOf(named("Switch", ranks), native({ranks}), bytes), finishOf(named("Switch", ranks), generated(ranks), bytes));
        }
    }

    void writtenOutItIsValidAndAsFast()
    {
        for (const std::vector<std::int32_t>& axes : {std::vector<std::int32_t>{2}, {3}, {5}, {6}, {7}, {8}, {11}, {16}, {3, 5}, {4, 3}}) {
            for (const std::int32_t chunks : {1, 3}) {
                const ProgramPtr program = native(axes, chunks);
                QCOMPARE(verifierObjects(*program), std::string());
                const auto expanded = expandTemplate(program);
                QVERIFY2(static_cast<bool>(expanded), expanded ? "" : expanded.error().message.c_str());
                QCOMPARE(verifierObjects(*expanded.value()), std::string());
                if (axes.size() == 1 && chunks == 1) {
                    const std::string topology = named("Switch", axes[0]);
                    QCOMPARE(finishOf(topology, expanded.value(), axes[0] * 4096), finishOf(topology, program, axes[0] * 4096));
                }
            }
        }
    }

    /// Written out by hand: round k takes the blocks from the sender's own on, as many as it has or as are missing.
    void steppingShowsTheBlocksOfEveryMessage()
    {
        for (const int ranks : {2, 3, 6, 7, 8, 13}) {
            const auto replay = CollectiveReplay::create(std::make_shared<const Scenario>(scenarioOf(named("Switch", ranks), native({ranks}), ranks * 1000, Model::Links)), 0);
            QVERIFY2(static_cast<bool>(replay), replay ? "" : replay.error().message.c_str());
            const CollectiveReplay& shown = *replay.value();
            QCOMPARE(static_cast<int>(shown.parts()), ranks);
            std::set<std::pair<int, int>> have; // (position, block)
            for (int r = 0; r < ranks; ++r)
                have.insert({r, r});
            for (const std::uint32_t number : shown.completionOrder(0)) {
                const ReplayMove& move = shown.moves()[number];
                const int row = 1 << move.step;
                QCOMPARE(static_cast<int>(move.target), (move.source + ranks - row) % ranks);
                std::set<PartIndex> expected;
                for (int i = 0; i < std::min(row, ranks - row); ++i)
                    expected.insert((move.source + i) % ranks);
                std::set<PartIndex> carried;
                for (const PartIndex part : shown.partsOf(move)) {
                    carried.insert(part);
                    QVERIFY(have.count({move.source, part}) == 1);
                    QVERIFY(have.insert({move.target, part}).second);
                }
                QVERIFY(carried == expected);
                QVERIFY(!move.reduces && move.effect == MoveEffect::Copies);
            }
            QCOMPARE(static_cast<int>(have.size()), ranks * ranks);
        }
    }

    /// The rounds of the gather backwards: first n - 2^(m-1) blocks, then half of what there is left each time. The second step waits for the first where that brought blocks of it, so
    /// where n > 3/2 2^(m-1).
    void circulantTakesAsLongBackwards()
    {
        for (const auto& [ranks, scattering, gathering] : {std::tuple{2, 1, 1}, {3, 1, 1}, {4, 2, 2}, {7, 3, 3}, {8, 3, 3}, {13, 4, 4}, {15, 4, 4}, {16, 4, 4}, {64, 6, 6}}) {
            const std::int64_t bytes = std::int64_t{ranks} * 1000;
            const std::int64_t sending = (ranks - 1) * 1000 * kPsPerByte;
            const auto program = [n = ranks](CollectiveOp op) { return templateProgram(op, {n}, {Algorithm::Circulant}); };
            for (const EngineChoice engine : {EngineChoice::Events, EngineChoice::Symmetry}) {
                const auto took = [&, n = ranks](CollectiveOp op) { return finishOf(named("Switch", n), program(op), bytes, Model::Links, engine); };
                QCOMPARE(took(CollectiveOp::ReduceScatter), scattering * 2 * kLatency + sending);
                QCOMPARE(took(CollectiveOp::AllGather), gathering * 2 * kLatency + sending);
                QCOMPARE(took(CollectiveOp::AllReduce), (scattering + gathering) * 2 * kLatency + 2 * sending);
            }
        }
        QCOMPARE(finishOf("Switch(6)", templateProgram(CollectiveOp::ReduceScatter, {6}, {Algorithm::Circulant}), 6000), 2 * 2 * kLatency + 5 * 1000 * kPsPerByte);
    }

    /// Every contribution gets to its block once, whatever the sizes, and to everybody after that.
    void circulantWrittenOutIsValidAndAsFast()
    {
        for (const std::int32_t ranks : {2, 3, 5, 6, 7, 8, 11, 13, 16, 33}) {
            for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather}) {
                QCOMPARE(verifierObjects(*templateProgram(op, {ranks}, {Algorithm::Circulant}, 3)), std::string());
                const ProgramPtr program = templateProgram(op, {ranks}, {Algorithm::Circulant});
                const auto expanded = expandTemplate(program);
                QVERIFY2(static_cast<bool>(expanded), expanded ? "" : expanded.error().message.c_str());
                QCOMPARE(verifierObjects(*expanded.value()), std::string());
                QCOMPARE(finishOf(named("Switch", ranks), expanded.value(), ranks * 4096), finishOf(named("Switch", ranks), program, ranks * 4096));
            }
        }
    }

    void steppingShowsTheSumsOfCirculant()
    {
        for (const int ranks : {2, 3, 6, 7, 13}) {
            const ProgramPtr program = templateProgram(CollectiveOp::AllReduce, {ranks}, {Algorithm::Circulant});
            const auto replay = CollectiveReplay::create(std::make_shared<const Scenario>(scenarioOf(named("Switch", ranks), program, ranks * 1000, Model::Links)), 0);
            QVERIFY2(static_cast<bool>(replay), replay ? "" : replay.error().message.c_str());
            const CollectiveReplay& shown = *replay.value();
            std::map<std::pair<int, int>, int> held; // Contributions by (position, part).
            for (int r = 0; r < ranks; ++r) {
                for (int part = 0; part < ranks; ++part)
                    held[{r, part}] = 1;
            }
            for (const std::uint32_t number : shown.completionOrder(0)) {
                const ReplayMove& move = shown.moves()[number];
                for (const PartIndex part : shown.partsOf(move)) {
                    int& own = held[{move.target, part}];
                    own = held[{move.source, part}] + (move.reduces ? own : 0);
                }
            }
            for (const auto& [where, contributions] : held)
                QCOMPARE(contributions, ranks);
        }
    }

    void gathersOnlyAndIsNotAmongWhatAutoTries()
    {
        const NativeRule& rule = nativeRule(Algorithm::Bruck);
        QVERIFY(parseAlgorithm("bruck_gather") == Algorithm::Bruck && algorithmMeant("BruckGather") == Algorithm::Bruck);
        QVERIFY(!parseAlgorithm("bruck")); // The generator, for all-to-all too.
        for (const PhaseKind kind : {PhaseKind::ReduceScatter, PhaseKind::AllReduce, PhaseKind::AllToAll, PhaseKind::Broadcast})
            QVERIFY(!rule.does(kind));
        QVERIFY(rule.does(PhaseKind::AllGather) && !rule.tried && !rule.inReference);
        Program wrong = *templateProgram(CollectiveOp::AllGather, {4}, {Algorithm::Ring});
        auto body = wrong.asTemplate();
        body.phases[0] = {PhaseKind::ReduceScatter, Algorithm::Bruck, 0, 0, false};
        wrong.body = body;
        wrong.op = CollectiveOp::ReduceScatter;
        QVERIFY(QByteArray::fromStdString(verifierObjects(wrong)).contains("There is no bruck_gather reduce_scatter"));
    }
};

FABRICSCOPE_TEST(BruckTest)
#include "tst_bruck.moc"
