// What a replay says of a collective: its steps, who holds what, and that it is the run itself.
#include "core/base/index.h"
#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/stepcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <algorithm>
#include <bit>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

CollectiveReplayPtr replayOf(ScenarioPtr scenario, std::int32_t instance = 0)
{
    auto replay = CollectiveReplay::create(std::move(scenario), instance);
    if (!replay)
        qFatal("%s", replay.error().text().c_str());
    return replay.value();
}

ScenarioPtr share(Scenario scenario)
{
    return std::make_shared<const Scenario>(std::move(scenario));
}

/// One line per position: contributions of its parts, "-" for what it has passed on.
std::vector<std::string> picture(const ReplayCursor& cursor, std::int32_t size, std::int32_t parts)
{
    std::vector<std::string> rows;
    for (std::int32_t position = 0; position < size; ++position) {
        std::string row;
        for (PartIndex part = 0; part < parts; ++part) {
            const PartState& state = cursor.part(position, part);
            if (!row.empty())
                row += ' ';
            row += state.passedOn ? std::string("-") : std::to_string(state.contributions);
        }
        rows.push_back(row);
    }
    return rows;
}

/// Goes through a chunk keeping the very ranks whose data are in a cell, and fails where something is sent that is not held, added
/// twice, copied before it is complete, or is not as many bytes as its parts.
void followSets(const CollectiveReplayPtr& shared, std::int32_t chunk)
{
    const CollectiveReplay& replay = *shared;
    const auto parts = static_cast<std::size_t>(replay.parts());
    const auto size = static_cast<std::size_t>(replay.size());
    const bool travels = replay.op() == CollectiveOp::AllToAll;
    const std::vector<PartState> initial = replay.initialState(chunk);
    std::vector<std::uint32_t> sets(initial.size(), 0);
    for (std::size_t cell = 0; cell < sets.size(); ++cell) {
        // What is its own each rank has: of an all-to-all what it sends, of an all-gather one block, else its summand of all.
        const auto position = cell / parts;
        const auto part = static_cast<PartIndex>(cell % parts);
        const bool own = travels ? cell % parts / size == position : replay.op() != CollectiveOp::AllGather || replay.ownerOf(part) == static_cast<std::int32_t>(position);
        const std::int32_t held = own ? 1 : 0;
        QCOMPARE(initial[cell].contributions, replay.partBytes(chunk, part) == 0 ? replay.complete() : held);
        if (initial[cell].contributions > 0)
            sets[cell] = std::uint32_t{1} << (cell / parts);
    }
    for (const std::uint32_t number : replay.completionOrder(chunk)) {
        const ReplayMove& move = replay.moves()[number];
        std::int64_t bytes = 0;
        for (const PartIndex part : replay.partsOf(move)) {
            const std::int64_t partBytes = replay.partBytes(chunk, part);
            bytes += partBytes;
            if (partBytes == 0)
                continue;
            std::uint32_t& source = sets[static_cast<std::size_t>(move.source) * parts + static_cast<std::size_t>(part)];
            std::uint32_t& target = sets[static_cast<std::size_t>(move.target) * parts + static_cast<std::size_t>(part)];
            QVERIFY2(source != 0, "a rank sends what it does not hold");
            switch (move.effect) {
            case MoveEffect::Adds:
                QVERIFY2((source & target) == 0 && target != 0, "a rank's data are added twice");
                target |= std::exchange(source, 0u);
                break;
            case MoveEffect::Moves:
                QVERIFY2(target == 0, "something that is there is lost");
                target = std::exchange(source, 0u);
                break;
            case MoveEffect::Copies:
                QCOMPARE(std::popcount(source), replay.complete());
                target = source;
                break;
            case MoveEffect::Joins:
                QFAIL("a template has no such moves");
            }
        }
        if (!travels || replay.steps(chunk).back().phase == 0) // Phases of an all-to-all cut the whole chunk, each its own way.
            QCOMPARE(bytes, move.bytes);
    }

    // The counts of the cursor are the sizes of these sets, and every rank has what the operation promises.
    ReplayCursor cursor(shared, chunk);
    cursor.setTime(replay.endPs());
    for (std::size_t position = 0; position < size; ++position) {
        for (std::size_t part = 0; part < parts; ++part) {
            const PartState& state = cursor.part(static_cast<std::int32_t>(position), static_cast<PartIndex>(part));
            const std::int32_t owner = replay.ownerOf(static_cast<PartIndex>(part));
            if (replay.partBytes(chunk, static_cast<PartIndex>(part)) == 0) {
                QCOMPARE(state.contributions, replay.complete());
                continue;
            }
            QCOMPARE(state.contributions, std::popcount(sets[position * parts + part]));
            const bool everywhere = replay.op() == CollectiveOp::AllReduce || replay.op() == CollectiveOp::AllGather;
            const bool due = everywhere || owner == static_cast<std::int32_t>(position);
            QCOMPARE(state.contributions, due ? replay.complete() : 0);
            if (due || replay.op() == CollectiveOp::ReduceScatter || part / size == position)
                QCOMPARE(state.passedOn, !due);
        }
    }
}

} // namespace

class TestStepReplay : public QObject {
    Q_OBJECT

private slots:
    void C2_fourNpuRingFollowsTheScheduleByHand();
    void endsWhereTheOperationPromises_data();
    void endsWhereTheOperationPromises();
    void endsWhereTheOperationPromisesOverSeveralAxes();
    void movesAreThoseOfTheRun();
    void customAlgorithmsCountRanksNotMessages();
    void customAlgorithmsWithoutChunksHaveOnePart();
    void saysWhyThereIsNothingToStepThrough();
    void largeAllToAllsHaveMovesButNoParts();
    void stopsWhenAsked();
    void listsCollectivesByTheirBegin();
    void showsHowFarAStuckRunCame();
};

void TestStepReplay::C2_fourNpuRingFollowsTheScheduleByHand()
{
    // Four NPUs on a ring of 1 GB/s links, 500 ns each: a block of 1000 bytes takes 1 us to leave and 1.5 us to arrive.
    PlatformSpec spec = astraPlatform("Ring(4)", {1}, {500});
    spec.dimensions[0].bandwidth = Quantity{1, "GB/s", Measure::Bandwidth};
    LinksScenario builder(spec);
    builder.collectiveByAll(CollectiveOp::AllReduce, 4000, {Algorithm::Ring});
    const CollectiveReplayPtr replay = replayOf(share(builder.build()));
    QCOMPARE(replay->size(), 4);
    QCOMPARE(replay->parts(), 4);
    QCOMPARE(replay->complete(), 4);
    QCOMPARE(replay->chunks(), 1);
    QCOMPARE(replay->algorithmText(), std::string("ring on D0"));
    const std::span<const ReplayStep> steps = replay->steps(0);
    QCOMPARE(steps.size(), std::size_t{6});

    // Rows: ranks 0 to 3; columns: parts. 4 is complete, "-" passed on.
    const std::vector<std::vector<std::string>> after = {
        {"1 1 2 -", "- 1 1 2", "2 - 1 1", "1 2 - 1"}, {"1 3 - -", "- 1 3 -", "- - 1 3", "3 - - 1"}, {"4 - - -", "- 4 - -", "- - 4 -", "- - - 4"},
        {"4 - - 4", "4 4 - -", "- 4 4 -", "- - 4 4"}, {"4 - 4 4", "4 4 - 4", "4 4 4 -", "- 4 4 4"}, {"4 4 4 4", "4 4 4 4", "4 4 4 4", "4 4 4 4"}};
    std::vector<std::string> before(4, "1 1 1 1");
    ReplayCursor cursor(replay, 0);
    QCOMPARE(cursor.currentStep(), -1);
    for (int k = 0; k < 6; ++k) {
        const ReplayStep& step = steps[at(k)];
        const bool scatters = k < 3;
        QCOMPARE(step.phase, scatters ? 0 : 1);
        QCOMPARE(step.step, k % 3);
        QCOMPARE(step.kind, scatters ? PhaseKind::ReduceScatter : PhaseKind::AllGather);
        QCOMPARE(step.dimension, 0);
        QCOMPARE(step.bytesEach, std::int64_t{1000});
        QCOMPARE(step.beginPs, std::int64_t{1'500'000} * k);
        QCOMPARE(step.endPs, std::int64_t{1'500'000} * (k + 1));
        QCOMPARE(step.moveCount, 4u);
        for (int rank = 0; rank < 4; ++rank) {
            const std::uint32_t number = step.firstMove + static_cast<std::uint32_t>(rank);
            const ReplayMove& move = replay->moves()[number];
            QCOMPARE(move.source, rank);
            QCOMPARE(move.target, (rank + 1) % 4);
            QCOMPARE(move.bytes, std::int64_t{1000});
            QCOMPARE(move.readyPs, step.beginPs);
            QCOMPARE(move.leftPs, step.beginPs + 1'000'000);
            QCOMPARE(move.donePs, step.endPs);
            QCOMPARE(move.reduces, scatters);
            QCOMPARE(replay->partsOf(move).size(), std::size_t{1});
            QCOMPARE(replay->partsOf(move)[0], scatters ? (rank - k + 3) % 4 : (rank - (k - 3) + 4) % 4);
            const MoveWhy why = replay->why(number);
            QCOMPARE(why.route.size(), std::size_t{1});
            QCOMPARE(replay->scenario().structure->platform.linkInfo(why.route[0]).from, rank);
            QCOMPARE(replay->scenario().structure->platform.linkInfo(why.route[0]).to, (rank + 1) % 4);
            QCOMPARE(why.serialisation, std::int64_t{1'000'000});
            QCOMPARE(why.latency, std::int64_t{500'000});
            QCOMPARE(why.waiting, std::int64_t{0});
            QCOMPARE(why.reduction, std::int64_t{0});
            QCOMPARE(why.slowestRate, std::int64_t{1'000'000'000});
        }
        cursor.setTime(step.beginPs);
        QCOMPARE(cursor.currentStep(), k);
        QCOMPARE(cursor.underWay().size(), std::size_t{4});
        cursor.setTime(step.endPs - 1);
        QCOMPARE(picture(cursor, 4, 4), before);
        cursor.setTime(step.endPs);
        before = after[at(k)];
        QCOMPARE(picture(cursor, 4, 4), before);
    }
    QCOMPARE(cursor.underWay().size(), std::size_t{0});
    QCOMPARE(replay->endPs(), std::int64_t{9'000'000});
    for (PartIndex part = 0; part < 4; ++part)
        QCOMPARE(replay->ownerOf(part), part);
}

void TestStepReplay::endsWhereTheOperationPromises_data()
{
    QTest::addColumn<int>("op");
    QTest::addColumn<int>("algorithm");
    const std::pair<CollectiveOp, const char*> ops[] = {{CollectiveOp::AllReduce, "all-reduce"}, {CollectiveOp::ReduceScatter, "reduce-scatter"},
                                                        {CollectiveOp::AllGather, "all-gather"}, {CollectiveOp::AllToAll, "all-to-all"}};
    const std::pair<Algorithm, const char*> algorithms[] = {{Algorithm::Ring, "ring"}, {Algorithm::Direct, "direct"},
                                                            {Algorithm::HalvingDoubling, "halving-doubling"}, {Algorithm::DoubleBinaryTree, "tree"}};
    for (const auto& [op, opName] : ops) {
        for (const auto& [algorithm, name] : algorithms) {
            if ((algorithm == Algorithm::HalvingDoubling && op == CollectiveOp::AllToAll) || (algorithm == Algorithm::DoubleBinaryTree && op != CollectiveOp::AllReduce))
                continue;
            QTest::newRow((std::string(opName) + ", " + name).c_str()) << static_cast<int>(op) << static_cast<int>(algorithm);
        }
    }
}

void TestStepReplay::endsWhereTheOperationPromises()
{
    QFETCH(const int, op);
    QFETCH(const int, algorithm);
    std::mt19937_64 random(static_cast<std::uint64_t>(op * 16 + algorithm));
    for (std::int32_t n = 2; n <= 17; ++n) {
        // Blocks of zero, one and many bytes; the other way round, and few messages at once.
        for (const std::int64_t bytes : {std::int64_t{1} + static_cast<std::int64_t>(random() % 5), std::int64_t{n} + 3, std::int64_t{1} + static_cast<std::int64_t>(random() % 100'000)}) {
            LinksScenario builder(astraPlatform("Switch(" + std::to_string(n) + ")", {50}, {500}));
            const AxisRule rule{static_cast<Algorithm>(algorithm), algorithm == static_cast<int>(Algorithm::Direct) ? n % 3 : 0,
                                algorithm == static_cast<int>(Algorithm::Ring) && n % 2 == 0};
            const ProgramPtr program = mixedProgram(static_cast<CollectiveOp>(op), {n}, {rule}, 2);
            for (std::int32_t rank = 0; rank < n; ++rank)
                builder.collective(rank, 0, bytes, program, {n});
            const auto replay = CollectiveReplay::create(share(builder.build()), 0);
            if (!replay) { // One byte for one of two that needs none of the other.
                QVERIFY(bytes < n);
                continue;
            }
            for (std::int32_t chunk = 0; chunk < 2; ++chunk) {
                followSets(replay.value(), chunk);
                if (QTest::currentTestFailed()) {
                    qWarning("n = %d, %lld bytes, chunk %d", n, static_cast<long long>(bytes), chunk);
                    return;
                }
            }
        }
    }
}

void TestStepReplay::endsWhereTheOperationPromisesOverSeveralAxes()
{
    int seen[4] = {0, 0, 0, 0};
    for (const std::uint64_t seed : Seeds(1, 60, 60)) {
        const auto scenario = randomStepScenario(seed);
        for (std::size_t instance = 0; instance < scenario->structure->instances.size(); ++instance) {
            const CollectiveInstance& definition = scenario->structure->instances[instance];
            const auto replay = CollectiveReplay::create(scenario, static_cast<std::int32_t>(instance));
            if (!replay)
                continue;
            seen[definition.op == CollectiveOp::AllReduce ? 0 : definition.op == CollectiveOp::AllGather ? 1 : definition.op == CollectiveOp::AllToAll ? 2 : 3]
                += definition.program->asTemplate().axes.size() > 1 ? 1 : 0;
            for (std::int32_t chunk = 0; chunk < replay.value()->chunks(); ++chunk) {
                if (replay.value()->completionOrder(chunk).empty())
                    continue;
                followSets(replay.value(), chunk);
                if (QTest::currentTestFailed()) {
                    qWarning("seed %d, instance %d, chunk %d", static_cast<int>(seed), static_cast<int>(instance), chunk);
                    return;
                }
            }
        }
    }
    for (const int count : seen)
        QVERIFY(count > 3);
}

void TestStepReplay::movesAreThoseOfTheRun()
{
    for (const std::uint64_t seed : Seeds(100, 30)) {
        const auto scenario = randomStepScenario(seed);
        const LinksRun run = runLinks(*scenario);
        CommutativeDigest all;
        for (const MessageRecord& message : run.messages) {
            if (message.instance < 0)
                all.add(message.words());
        }
        for (std::size_t instance = 0; instance < scenario->structure->instances.size(); ++instance) {
            const auto result = CollectiveReplay::create(scenario, static_cast<std::int32_t>(instance));
            if (!result)
                continue;
            const CollectiveReplay& replay = *result.value();
            std::int64_t bytes = 0;
            for (const ReplayMove& move : replay.moves()) {
                MessageRecord message;
                message.instance = replay.instance();
                message.source = replay.rankAt(move.source);
                message.target = replay.rankAt(move.target);
                message.chunk = move.chunk;
                message.phase = move.phase;
                message.step = move.step;
                message.slot = move.slot;
                message.bytes = move.bytes;
                message.readyPs = move.readyPs;
                message.leftPs = move.leftPs;
                message.donePs = move.donePs;
                all.add(message.words());
                bytes += move.bytes;
                QCOMPARE(replay.positionOf(message.source), move.source);
            }
            std::int64_t sent = 0;
            for (const MessageRecord& message : run.messages)
                sent += message.instance == replay.instance() ? message.bytes : 0;
            QCOMPARE(bytes, sent);

            // Steps and orders hold every move once, in the order they promise.
            std::size_t covered = 0;
            for (std::int32_t chunk = 0; chunk < replay.chunks(); ++chunk) {
                for (const ReplayStep& step : replay.steps(chunk)) {
                    QCOMPARE(std::size_t{step.firstMove}, covered);
                    covered += step.moveCount;
                    for (std::uint32_t i = step.firstMove; i < step.firstMove + step.moveCount; ++i) {
                        const ReplayMove& move = replay.moves()[i];
                        QVERIFY(move.chunk == chunk && move.phase == step.phase && move.step == step.step);
                        QVERIFY(move.readyPs >= step.beginPs && move.donePs <= step.endPs && move.bytes <= step.bytesEach);
                    }
                }
                const std::span<const std::uint32_t> order = replay.completionOrder(chunk);
                for (std::size_t i = 1; i < order.size(); ++i)
                    QVERIFY(replay.moves()[order[i - 1]].donePs <= replay.moves()[order[i]].donePs);
            }
            QCOMPARE(covered, replay.moves().size());
        }
        QCOMPARE(all.count(), run.record.messages.count());
        QCOMPARE(all.value(), run.record.messages.value());
    }
}

void TestStepReplay::customAlgorithmsCountRanksNotMessages()
{
    LinksScenario builder(astraPlatform("Ring(5)", {50}, {500}));
    const ProgramPtr program = customRing(5, true);
    for (std::int32_t rank = 0; rank < 5; ++rank)
        builder.collective(rank, 0, 5000, program, {5});
    auto scenario = std::make_shared<Scenario>(builder.build());
    auto structure = std::make_shared<Structure>(*scenario->structure);
    structure->instances[0].op = CollectiveOp::AllReduce;
    scenario->structure = structure;
    const CollectiveReplayPtr replay = replayOf(scenario);
    QCOMPARE(replay->parts(), 5);
    QCOMPARE(replay->steps(0).size(), std::size_t{8}); // From the dependencies: the program numbers none.
    ReplayCursor cursor(replay, 0);
    for (std::int32_t k = 0; k < 8; ++k) {
        const ReplayStep& step = replay->steps(0)[at(k)];
        QCOMPARE(step.step, k);
        cursor.setTime(step.endPs);
        // Part p sets out at p + 1 and reaches p + 2 + k with the data of k + 2 ranks; after four steps it is complete.
        for (PartIndex part = 0; part < 5; ++part)
            QCOMPARE(cursor.part((part + 2 + k) % 5, part).contributions, std::min(k + 2, 5));
    }
    for (const PartState& state : cursor.state())
        QCOMPARE(state.contributions, 5);
}

void TestStepReplay::customAlgorithmsWithoutChunksHaveOnePart()
{
    LinksScenario builder(astraPlatform("Ring(4)", {50}, {500}));
    const ProgramPtr program = customRing(4, false, 1000);
    for (std::int32_t rank = 0; rank < 4; ++rank)
        builder.collective(rank, 0, 4000, program, {4});
    const CollectiveReplayPtr replay = replayOf(share(builder.build()));
    QCOMPARE(replay->parts(), 1);
    QCOMPARE(replay->complete(), 4);
    ReplayCursor cursor(replay, 0);
    for (std::int32_t k = 0; k < 6; ++k) {
        cursor.setTime(replay->steps(0)[at(k)].endPs);
        for (std::int32_t position = 0; position < 4; ++position) // Data of the k + 1 ranks before it have come.
            QCOMPARE(cursor.part(position, 0).contributions, std::min(k + 2, 4));
    }
}

void TestStepReplay::saysWhyThereIsNothingToStepThrough()
{
    LinksScenario builder(astraPlatform("Ring(4)", {50}, {500}));
    builder.collectiveByAll(CollectiveOp::AllReduce, 4000, {Algorithm::Ring});
    Scenario scenario = builder.build();
    const auto refusal = [](Scenario changed, std::int32_t instance) {
        const auto replay = CollectiveReplay::create(share(std::move(changed)), instance);
        return replay ? std::string("none") : replay.error().text();
    };
    QCOMPARE(refusal(scenario, 0), std::string("none"));
    QVERIFY(refusal(scenario, 1).find("there is no collective 1") == 0);
    Scenario astra = scenario;
    astra.model = Model::AstraUnaware;
    QCOMPARE(refusal(astra, 0), std::string("Stepping shows the models links and ideal; run this design under links"));
    QVERIFY(collectivesOf(astra, RunRecord{}).empty());

    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->instances[0].replayPs = 5;
    scenario.structure = structure;
    QVERIFY(refusal(scenario, 0).find("time recorded in the trace") != std::string::npos);
    structure = std::make_shared<Structure>(*scenario.structure);
    structure->instances[0].replayPs = -1;
    structure->instances[0].program = nullptr;
    scenario.structure = structure;
    QVERIFY(refusal(scenario, 0).find("sends no messages") != std::string::npos);

    LinksScenario large(astraPlatform("Switch(1500)", {50}, {500}));
    large.collectiveByAll(CollectiveOp::AllReduce, 1 << 20, {Algorithm::Direct}, 16); // 72 million.
    QVERIFY(refusal(large.build(), 0).find("more than 67108864 messages") != std::string::npos);
}

void TestStepReplay::largeAllToAllsHaveMovesButNoParts()
{
    LinksScenario builder(astraPlatform("FullyConnected(450)", {50}, {500}));
    builder.collectiveByAll(CollectiveOp::AllToAll, 1 << 20, {Algorithm::Direct});
    const CollectiveReplayPtr replay = replayOf(share(builder.build()));
    QCOMPARE(replay->moves().size(), std::size_t{450 * 449});
    QCOMPARE(replay->parts(), 0);
    QVERIFY(replay->partsNote().find("too large") != std::string::npos);
    ReplayCursor cursor(replay, 0);
    cursor.setTime(replay->endPs());
    QVERIFY(cursor.state().empty());
    QCOMPARE(cursor.arrived(), replay->moves().size());
    QVERIFY(replay->partsOf(replay->moves()[0]).empty());
}

void TestStepReplay::stopsWhenAsked()
{
    LinksScenario builder(astraPlatform("Ring(64)", {50}, {500}));
    builder.collectiveByAll(CollectiveOp::AllReduce, 1 << 20, {Algorithm::Ring}, 4);
    std::stop_source source;
    source.request_stop();
    const auto replay = CollectiveReplay::create(share(builder.build()), 0, 0, source.get_token());
    QVERIFY(!replay);
    QCOMPARE(replay.error().code, ErrorCode::Cancelled);
    const auto small = CollectiveReplay::create(share(builder.build()), 0, 1 << 20);
    QVERIFY(!small);
    QCOMPARE(small.error().code, ErrorCode::MemoryLimit);
}

void TestStepReplay::listsCollectivesByTheirBegin()
{
    // Ranks 0 and 1 wait 2 us before theirs, 2 and 3 begin at once; then all reduce 400 bytes.
    PlatformSpec spec = astraPlatform("FullyConnected(4)", {1}, {500});
    spec.dimensions[0].bandwidth = Quantity{1, "GB/s", Measure::Bandwidth};
    LinksScenario builder(spec);
    const FamilyId pairs = builder.addFamily({{0, 1}, {2, 3}});
    const ProgramPtr pair = templateProgram(CollectiveOp::AllGather, {2}, {Algorithm::Direct});
    const ProgramPtr all = templateProgram(CollectiveOp::AllReduce, {4}, {Algorithm::Direct});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        const TaskIndex wait = builder.compute(rank, rank < 2 ? 2'000'000 : 0);
        const TaskIndex first = builder.collective(rank, pairs, 2000, pair, {2}, {wait});
        builder.collective(rank, 0, 400, all, {4}, {first});
    }
    const auto scenario = share(builder.build());
    const auto record = simulate(*scenario);
    QVERIFY(bool(record));
    const std::vector<InstanceRun> list = collectivesOf(*scenario, record.value());
    QCOMPARE(list.size(), std::size_t{3});
    QCOMPARE(list[0].ranks, std::string("2-3"));
    QCOMPARE(list[0].beginPs, std::int64_t{0});
    QCOMPARE(list[0].endPs, std::int64_t{1'500'000}); // 1000 bytes at 1 GB/s and 500 ns.
    QCOMPARE(list[0].group, std::int64_t{1});
    QCOMPARE(list[0].family, pairs);
    QCOMPARE(list[1].ranks, std::string("0-3"));      // Ranks 2 and 3 have issued it by then.
    QCOMPARE(list[1].beginPs, std::int64_t{1'500'000});
    QCOMPARE(list[1].endPs, std::int64_t{3'500'000 + 2 * 600'000});
    QVERIFY(list[1].familyName.empty());
    QCOMPARE(list[2].ranks, std::string("0-1"));
    QCOMPARE(list[2].beginPs, std::int64_t{2'000'000});
    QCOMPARE(list[2].endPs, std::int64_t{3'500'000});
    QCOMPARE(list[2].call, list[0].call);
    for (const InstanceRun& run : list)
        QVERIFY(run.steppable && run.chunks == 1);
}

void TestStepReplay::showsHowFarAStuckRunCame()
{
    // Rank 3 waits for a message nobody sends, so it never enters; the next collective is never issued. Backwards, the one byte there is
    // belongs to rank 0, and all but rank 3 can end.
    LinksScenario builder(astraPlatform("FullyConnected(4)", {1}, {500}));
    const FamilyId backwards = builder.addFamily({{3, 2, 1, 0}});
    const ProgramPtr gather = templateProgram(CollectiveOp::AllGather, {4}, {Algorithm::Direct});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        LinksScenario::Tasks before;
        if (rank == 3)
            before = {builder.receive(3, 0, 100)};
        const TaskIndex first = builder.collective(rank, 0, 4000, gather, {4}, before);
        builder.collective(rank, 0, 4000, gather, {4}, {first});
        builder.collective(rank, backwards, 1, gather, {4}, before);
    }
    const auto scenario = share(builder.build());
    const auto record = simulate(*scenario);
    QVERIFY(bool(record) && !record.value().complete);
    const std::vector<InstanceRun> list = collectivesOf(*scenario, record.value());
    QCOMPARE(list.size(), std::size_t{3});
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        QCOMPARE(list[i].beginPs, std::int64_t{0});
        QCOMPARE(list[i].endPs, std::int64_t{-1});
    }
    QCOMPARE(list[1].family, backwards);
    QCOMPARE(list[2].beginPs, std::int64_t{-1});

    // The blocks of the other three have arrived everywhere, that of rank 3 only at rank 3.
    const CollectiveReplayPtr replay = replayOf(scenario, 0);
    QCOMPARE(replay->moves().size(), std::size_t{9});
    ReplayCursor cursor(replay, 0);
    cursor.setTime(replay->endPs());
    QCOMPARE(picture(cursor, 4, 4), (std::vector<std::string>{"1 1 1 0", "1 1 1 0", "1 1 1 0", "1 1 1 1"}));
    const auto second = CollectiveReplay::create(scenario, 1);
    QVERIFY(!second);
    QVERIFY(second.error().message.find("cannot finish") != std::string::npos);
}

FABRICSCOPE_TEST(TestStepReplay)
#include "tst_step_replay.moc"
