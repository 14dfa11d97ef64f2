// Going back and forth in a replay, and what the time of a move consists of.
#include "core/base/index.h"
#include "core/step/collectivereplay.h"
#include "core/step/idlepath.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/stepcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ScenarioPtr share(Scenario scenario)
{
    return std::make_shared<const Scenario>(std::move(scenario));
}

/// The state of a chunk at a time, from nothing: every move that has ended by then, one after the other.
std::vector<PartState> rebuilt(const CollectiveReplay& replay, std::int32_t chunk, std::int64_t time)
{
    std::vector<PartState> state = replay.initialState(chunk);
    const auto parts = static_cast<std::size_t>(replay.parts());
    for (const std::uint32_t number : replay.completionOrder(chunk)) {
        const ReplayMove& move = replay.moves()[number];
        if (move.donePs > time)
            continue;
        const std::span<const PartIndex> carried = replay.partsOf(move);
        for (std::size_t i = 0; i < carried.size(); ++i) {
            if (replay.partBytes(chunk, carried[i]) == 0)
                continue;
            PartState& source = state[static_cast<std::size_t>(move.source) * parts + static_cast<std::size_t>(carried[i])];
            PartState& target = state[static_cast<std::size_t>(move.target) * parts + static_cast<std::size_t>(carried[i])];
            const bool adds = move.effect == MoveEffect::Adds;
            target.contributions = move.effect == MoveEffect::Joins ? replay.heldAfter(move, i) : source.contributions + (adds ? target.contributions : 0);
            target.passedOn = false;
            if (adds || move.effect == MoveEffect::Moves)
                source = {0, true};
        }
    }
    return state;
}

void walk(const CollectiveReplayPtr& replay, std::int32_t chunk, std::mt19937_64& random, int stops)
{
    ReplayCursor cursor(replay, chunk);
    std::vector<std::int64_t> times; // Of all moves: begins, ends and just before them.
    for (const std::uint32_t number : replay->completionOrder(chunk)) {
        const ReplayMove& move = replay->moves()[number];
        times.insert(times.end(), {move.readyPs, move.donePs, move.donePs - 1});
    }
    if (times.empty())
        return;
    for (int stop = 0; stop < stops; ++stop) {
        const std::int64_t time = stop % 7 == 0 ? (stop % 2 == 0 ? replay->beginPs() - 1 : replay->endPs()) : times[random() % times.size()];
        cursor.setTime(time);
        QCOMPARE(cursor.timePs(), time);
        const std::vector<PartState> expected = rebuilt(*replay, chunk, time);
        QVERIFY(std::equal(expected.begin(), expected.end(), cursor.state().begin(), cursor.state().end()));

        std::vector<std::uint32_t> under;
        std::size_t arrived = 0;
        for (const std::uint32_t number : replay->completionOrder(chunk)) {
            const ReplayMove& move = replay->moves()[number];
            arrived += move.donePs <= time ? 1 : 0;
            if (move.readyPs <= time && time < move.donePs)
                under.push_back(number);
        }
        QCOMPARE(cursor.arrived(), arrived);
        QCOMPARE(cursor.underWay(), under);
        const std::span<const ReplayStep> steps = replay->steps(chunk);
        std::int32_t shown = -1;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].beginPs <= time)
                shown = static_cast<std::int32_t>(i);
        }
        QCOMPARE(cursor.currentStep(), shown);
    }
}

/// A random fabric: dimensions with some links changed, or an explicit graph with switches; some reducers of their own rate.
PlatformSpec randomFabric(std::mt19937_64& random)
{
    const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
    const auto rate = [&] { return Quantity{static_cast<double>(pick(1'000'000, 90'000'000'000)), "B/s", Measure::Bandwidth}; };
    const auto latency = [&] { return Quantity{static_cast<double>(pick(0, 900'000)), "ps", Measure::Time}; };
    PlatformSpec spec;
    if (pick(0, 3) == 0) {
        for (int npu = 0; npu < 4; ++npu)
            spec.nodes.push_back({"npu" + std::to_string(npu), NodeKind::Npu});
        spec.nodes.push_back({"left", NodeKind::Switch});
        spec.nodes.push_back({"right", NodeKind::Switch});
        const auto join = [&](NodeId a, NodeId b) {
            spec.links.push_back({a, b, rate(), latency()});
            spec.links.push_back({b, a, rate(), latency()});
        };
        join(0, 4);
        join(1, 4);
        join(2, 5);
        join(3, 5);
        join(4, 5);
    } else {
        static const char* const kTopologies[] = {"Ring(7)", "Switch(5)", "FullyConnected(4)", "Ring(4)_Switch(3)", "Ring(3)_FullyConnected(3)_Switch(2)"};
        spec = astraPlatform(kTopologies[pick(0, 4)], {1, 1, 1}, {1, 1, 1});
        for (Dimension& dimension : spec.dimensions) {
            dimension.bandwidth = rate();
            dimension.latency = latency();
        }
        for (LinkId link = 0; link < 6; link += 2) {
            LinkOverride change;
            change.link = link;
            change.bandwidth = rate();
            spec.linkOverrides.push_back(change);
        }
    }
    if (pick(0, 1) == 0) {
        NpuOverride change;
        change.node = 1;
        change.memoryBandwidth = rate();
        spec.npuOverrides.push_back(change);
    }
    return spec;
}

} // namespace

class TestStepCursor : public QObject {
    Q_OBJECT

private slots:
    void C3_randomWalkOfTheCursorRestoresTheExactState();
    void C3_customAlgorithmsWalkBackToo();
    void C5_idlePathIsWhatTheEngineGivesALoneMessage();
    void C5_partsOfTheDurationAddUpExactly();
    void C5_severalBuffersAreReducedByTheirOwnRule();
    void C5_aMessageBehindAnotherSaysWhichHeldItsLink();
};

void TestStepCursor::C3_randomWalkOfTheCursorRestoresTheExactState()
{
    std::mt19937_64 random(seeded(3));
    int chunks = 0;
    for (const std::uint64_t seed : Seeds(1000, 40)) {
        const auto scenario = randomStepScenario(seed);
        for (std::size_t instance = 0; instance < scenario->structure->instances.size(); ++instance) {
            const auto replay = CollectiveReplay::create(scenario, static_cast<std::int32_t>(instance));
            if (!replay)
                continue;
            for (std::int32_t chunk = 0; chunk < replay.value()->chunks(); ++chunk, ++chunks) {
                walk(replay.value(), chunk, random, 40);
                if (QTest::currentTestFailed()) {
                    qWarning("seed %d, instance %d, chunk %d", static_cast<int>(seed), static_cast<int>(instance), chunk);
                    return;
                }
            }
        }
    }
    QVERIFY(chunks > cases(80));
}

void TestStepCursor::C3_customAlgorithmsWalkBackToo()
{
    std::mt19937_64 random(seeded(4));
    for (const bool named : {true, false}) {
        LinksScenario builder(astraPlatform("Switch(6)", {50}, {500}));
        const ProgramPtr program = customRing(6, named, 70'000);
        for (std::int32_t rank = 0; rank < 6; ++rank) {
            const TaskIndex wait = builder.compute(rank, rank * 1'234'567);
            builder.collective(rank, 0, 600'000, program, {6}, {wait});
        }
        const auto replay = CollectiveReplay::create(share(builder.build()), 0);
        QVERIFY(bool(replay));
        walk(replay.value(), 0, random, 200);
    }
}

void TestStepCursor::C5_idlePathIsWhatTheEngineGivesALoneMessage()
{
    std::mt19937_64 random(seeded(5));
    const auto pick = [&random](std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)); };
    int reduced = 0;
    for (int round = 0; round < cases(400); ++round) {
        LinksScenario builder(randomFabric(random));
        const std::int32_t npus = builder.platform().npuCount();
        if (pick(0, 5) == 0)
            builder.model = Model::Ideal;
        if (pick(0, 1) == 0)
            builder.reducerRate = pick(1'000'000, 200'000'000'000);
        if (pick(0, 2) == 0)
            builder.injection = pick(1'000'000, 90'000'000'000);
        if (pick(0, 2) == 0)
            builder.ejection = pick(1'000'000, 90'000'000'000);
        builder.endpointDelayPs = pick(0, 1) * pick(0, 10'000);
        builder.pieceBytes = pick(0, 3) == 0 ? pick(1000, 300'000) : 256 * 1024;
        const std::int64_t bytes = pick(0, 2) == 0 ? pick(1, 2000) : pick(1, 3 << 20);
        const bool reduces = pick(0, 1) == 0;
        const auto source = static_cast<std::int32_t>(pick(0, npus - 1));
        const auto target = static_cast<std::int32_t>((source + pick(1, npus - 1)) % npus);
        const FamilyId pair = builder.addFamily({{source, target}});
        const ProgramPtr program = oneMessage(bytes, reduces);
        builder.collective(source, pair, bytes, program, {2});
        builder.collective(target, pair, bytes, program, {2});
        const auto scenario = share(builder.build());
        const LinksRun run = runLinks(*scenario);
        QCOMPARE(run.messages.size(), std::size_t{1});
        const IdlePath path = idlePath(*scenario, source, target, bytes, reduces ? 1 : 0);
        QCOMPARE(path.done, run.messages[0].donePs - run.messages[0].readyPs);
        QCOMPARE(path.ownLink, run.messages[0].leftPs - run.messages[0].readyPs);
        QCOMPARE(idlePath(*scenario, source, target, bytes, 0).done, path.arrival);
        reduced += path.done > path.arrival ? 1 : 0;

        const auto replay = CollectiveReplay::create(scenario, 0);
        QVERIFY(bool(replay));
        const MoveWhy why = replay.value()->why(0);
        QCOMPARE(why.waiting, std::int64_t{0});
        QCOMPARE(why.waitedFor, std::int64_t{-1});
        QCOMPARE(why.duration(), path.done);
        QCOMPARE(why.reduction, path.done - path.arrival);
    }
    QVERIFY(reduced > cases(20));
}

void TestStepCursor::C5_partsOfTheDurationAddUpExactly()
{
    std::int64_t moves = 0;
    std::int64_t waited = 0;
    std::int64_t blamed = 0;
    for (const std::uint64_t seed : Seeds(2000, 60)) {
        const auto scenario = randomStepScenario(seed);
        const Platform& platform = scenario->structure->platform;
        for (std::size_t instance = 0; instance < scenario->structure->instances.size(); ++instance) {
            const auto result = CollectiveReplay::create(scenario, static_cast<std::int32_t>(instance));
            if (!result)
                continue;
            const CollectiveReplay& replay = *result.value();
            for (std::uint32_t number = 0; number < replay.moves().size(); ++number) {
                const ReplayMove& move = replay.moves()[number];
                const MoveWhy why = replay.why(number);
                ++moves;
                QCOMPARE(why.waiting + why.serialisation + why.latency + why.reduction, move.donePs - move.readyPs);
                QVERIFY(why.waiting >= 0 && why.serialisation > 0 && why.latency > 0 && why.reduction >= 0);
                QVERIFY(move.reduces || why.reduction == 0);

                std::vector<LinkId> route;
                platform.route(replay.nodeAt(move.source), replay.nodeAt(move.target), route);
                QVERIFY(route == why.route);
                QCOMPARE(std::size_t(why.hops), route.size());
                std::int64_t latency = 0;
                std::int64_t slowest = INT64_MAX;
                for (const LinkId link : route) {
                    latency += platform.latency(link).ps;
                    slowest = std::min(slowest, platform.bandwidth(link).bytesPerSecond);
                }
                QCOMPARE(why.latency, latency);
                QCOMPARE(why.slowestRate, slowest);
                // Cut-through: the slowest link alone, but for rounding once per piece and hop.
                if (!scenario->params->injection && !scenario->params->ejection) {
                    const std::int64_t exact = mulDivCeil(move.bytes, kPsPerSecond, slowest);
                    const std::int64_t pieces = move.bytes / scenario->params->pieceBytes + 1;
                    QVERIFY(why.serialisation >= exact && why.serialisation <= exact + pieces * why.hops);
                }
                waited += why.waiting > 0 ? 1 : 0;
                if (why.waitedFor >= 0) {
                    ++blamed;
                    const ReplayMove& other = replay.moves()[at(why.waitedFor)];
                    QVERIFY(why.waiting > 0);
                    QCOMPARE(other.source, move.source);
                    QVERIFY(other.leftPs > move.readyPs && other.leftPs <= move.leftPs);
                    QCOMPARE(replay.why(static_cast<std::uint32_t>(why.waitedFor)).route.front(), route.front());
                }
            }
        }
    }
    QVERIFY(moves > cases(8000));
    QVERIFY(waited > cases(1000));
    QVERIFY(blamed > cases(500));
}

void TestStepCursor::C5_severalBuffersAreReducedByTheirOwnRule()
{
    // 1000 bytes at 1 GB/s take 1 us; k buffers into one at 1 GB/s take (k + 2) / k us each, from when the head is there.
    PlatformSpec spec = astraPlatform("FullyConnected(4)", {1}, {500});
    spec.dimensions[0].bandwidth = Quantity{1, "GB/s", Measure::Bandwidth};
    LinksScenario builder(spec);
    builder.reducerRate = 1'000'000'000;
    const Scenario scenario = builder.build();
    for (const std::int32_t k : {1, 2, 4}) {
        const IdlePath path = idlePath(scenario, 0, 1, 1000, k);
        QCOMPARE(path.arrival, std::int64_t{1'500'000});
        QCOMPARE(path.done, std::int64_t{500'000 + (k + 2) * 1'000'000 / k});
    }
}

void TestStepCursor::C5_aMessageBehindAnotherSaysWhichHeldItsLink()
{
    // Through a switch three messages of 1 us leave a rank one after the other: the third waits 2 us, equally long for both.
    PlatformSpec spec = astraPlatform("Switch(4)", {1}, {500});
    spec.dimensions[0].bandwidth = Quantity{1, "GB/s", Measure::Bandwidth};
    LinksScenario builder(spec);
    builder.collectiveByAll(CollectiveOp::AllGather, 4000, {Algorithm::Direct});
    const auto replay = CollectiveReplay::create(share(builder.build()), 0);
    QVERIFY(bool(replay));
    QCOMPARE(replay.value()->moves().size(), std::size_t{12});
    for (std::uint32_t number = 0; number < 12; ++number) {
        const ReplayMove& move = replay.value()->moves()[number];
        const MoveWhy why = replay.value()->why(number);
        QCOMPARE(why.hops, 2);
        QCOMPARE(why.latency, std::int64_t{1'000'000});
        QCOMPARE(why.serialisation, std::int64_t{1'000'000});
        QCOMPARE(why.waiting, std::int64_t{1'000'000} * (move.slot - 1));
        if (move.slot == 1) {
            QCOMPARE(why.waitedFor, std::int64_t{-1});
            continue;
        }
        QVERIFY(why.waitedFor >= 0);
        const ReplayMove& other = replay.value()->moves()[at(why.waitedFor)];
        QCOMPARE(other.source, move.source);
        QCOMPARE(other.slot, 1);
    }
}

FABRICSCOPE_TEST(TestStepCursor)
#include "tst_step_cursor.moc"
