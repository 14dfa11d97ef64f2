// Stepping through a collective: making the replay, and going over it. The baseline is the run without keeping a message.
#include "core/base/index.h"
#include "core/program/programbuilder.h"
#include "core/sim/events/events.h"
#include "core/sim/simulate.h"
#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"
#include "core/step/programreplay.h"
#include "tests/unit/support/cases/linkscase.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ScenarioPtr ring(int ranks, int chunks)
{
    LinksScenario builder(astraPlatform("Ring(" + std::to_string(ranks) + ")", {50}, {500}));
    builder.reducerRate = 1'600'000'000'000;
    builder.collectiveByAll(CollectiveOp::AllReduce, std::int64_t{ranks} * chunks * 16384, {Algorithm::Ring}, chunks);
    return std::make_shared<const Scenario>(builder.build());
}

void runAlone(benchmark::State& state)
{
    const ScenarioPtr scenario = ring(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    RunOptions options;
    options.engine = EngineChoice::Events;
    options.taskTimes = false;
    for (auto _ : state) {
        const auto record = simulateEvents(*scenario, options, {});
        if (!record)
            state.SkipWithError("the run failed");
    }
}

void makeReplay(benchmark::State& state)
{
    const ScenarioPtr scenario = ring(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    std::size_t moves = 0;
    for (auto _ : state) {
        const auto replay = CollectiveReplay::create(scenario, 0);
        if (!replay)
            state.SkipWithError("no replay");
        else
            moves += replay.value()->moves().size();
    }
    state.counters["moves/s"] = benchmark::Counter(static_cast<double>(moves), benchmark::Counter::kIsRate);
}

/// All moves of one chunk forward, then back, in a thousand stops each way.
void goOver(benchmark::State& state)
{
    const auto replay = CollectiveReplay::create(ring(static_cast<int>(state.range(0)), 1), 0);
    if (!replay)
        return state.SkipWithError("no replay");
    const CollectiveReplay& r = *replay.value();
    ReplayCursor cursor(replay.value(), 0);
    std::size_t moves = 0;
    for (auto _ : state) {
        for (std::int64_t stop = 0; stop <= 1000; ++stop)
            cursor.setTime(r.beginPs() + (r.endPs() - r.beginPs()) / 1000 * stop);
        cursor.setTime(r.endPs());
        for (std::int64_t stop = 1000; stop >= 0; --stop)
            cursor.setTime(r.beginPs() + (r.endPs() - r.beginPs()) / 1000 * stop - 1);
        moves += 2 * r.moves().size();
    }
    state.counters["moves/s"] = benchmark::Counter(static_cast<double>(moves), benchmark::Counter::kIsRate);
}

void takeApart(benchmark::State& state)
{
    const auto replay = CollectiveReplay::create(ring(256, 8), 0);
    if (!replay)
        return state.SkipWithError("no replay");
    std::uint32_t move = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(replay.value()->why(move));
        move = static_cast<std::uint32_t>((move + 7919) % replay.value()->moves().size());
    }
}

/// The list of a run of 102,400 tasks, 51,200 collectives of pairs.
void listCollectives(benchmark::State& state)
{
    LinksScenario builder(astraPlatform("Ring(128)", {50}, {500}));
    std::vector<std::vector<std::int64_t>> pairs;
    for (std::int64_t rank = 0; rank < 128; rank += 2)
        pairs.push_back({rank, rank + 1});
    const FamilyId family = builder.addFamily(pairs);
    const ProgramPtr program = templateProgram(CollectiveOp::AllReduce, {2}, {Algorithm::Ring});
    for (std::int32_t rank = 0; rank < 128; ++rank) {
        for (int call = 0; call < 800; ++call)
            builder.collective(rank, family, 4096, program, {2});
    }
    const Scenario scenario = builder.build();
    const auto record = simulate(scenario);
    if (!record)
        return state.SkipWithError("the run failed");
    for (auto _ : state)
        benchmark::DoNotOptimize(collectivesOf(scenario, record.value()));
}

/// Ring all-reduce in explicit form, in place: 2 n (n - 1) transfers.
ProgramPtr explicitRing(std::int32_t n)
{
    ProgramBuilder builder(CollectiveOp::AllReduce, n, n);
    std::vector<ProgramBuilder::Op> arrived(static_cast<std::size_t>(n), ProgramBuilder::kNone);
    for (std::int32_t step = 0; step < 2 * (n - 1); ++step) {
        std::vector<ProgramBuilder::Op> next(static_cast<std::size_t>(n));
        for (std::int32_t rank = 0; rank < n; ++rank) {
            const std::int32_t chunk = ((rank - 1 - step) % n + 2 * n) % n;
            const std::int32_t to = (rank + 1) % n;
            ProgramBuilder::How how;
            how.reduce = step < n - 1;
            how.step = step;
            const auto made = builder.transfer({rank, BufferKind::Input, chunk}, {to, BufferKind::Input, chunk}, 1, how);
            if (arrived[at(rank)] != ProgramBuilder::kNone)
                builder.depend(made.send, arrived[at(rank)]);
            next[at(to)] = made.receive;
        }
        arrived = std::move(next);
    }
    return builder.finish("ring", "benchmark");
}

void makeProgramReplay(benchmark::State& state)
{
    const ProgramPtr program = explicitRing(static_cast<std::int32_t>(state.range(0)));
    std::size_t transfers = 0;
    for (auto _ : state) {
        const auto replay = ProgramReplay::create(program);
        if (!replay || !replay.value()->finishes())
            return state.SkipWithError("no replay");
        transfers += replay.value()->transfers();
    }
    state.counters["transfers/s"] = benchmark::Counter(static_cast<double>(transfers), benchmark::Counter::kIsRate);
}

/// The baseline of going back: without an undo log a state is made from the start.
void goFromTheStart(benchmark::State& state)
{
    const auto replay = ProgramReplay::create(explicitRing(static_cast<std::int32_t>(state.range(0))));
    if (!replay)
        return state.SkipWithError("no replay");
    for (auto _ : state) {
        ProgramCursor cursor(replay.value());
        cursor.seek(replay.value()->endOf(replay.value()->steps() - 2));
        benchmark::DoNotOptimize(cursor.position());
    }
}

/// One step back and forward in the middle: O(its changes).
void stepProgram(benchmark::State& state)
{
    const auto replay = ProgramReplay::create(explicitRing(static_cast<std::int32_t>(state.range(0))));
    if (!replay)
        return state.SkipWithError("no replay");
    ProgramCursor cursor(replay.value());
    const std::int32_t middle = replay.value()->steps() / 2;
    cursor.seek(replay.value()->endOf(middle));
    std::size_t transfers = 0;
    for (auto _ : state) {
        cursor.seek(replay.value()->endOf(middle - 1));
        cursor.seek(replay.value()->endOf(middle));
        transfers += 2 * replay.value()->transfersOf(middle).size();
    }
    state.counters["transfers/s"] = benchmark::Counter(static_cast<double>(transfers), benchmark::Counter::kIsRate);
}

/// Step by step through the whole program, and back.
void goOverProgram(benchmark::State& state)
{
    const auto replay = ProgramReplay::create(explicitRing(static_cast<std::int32_t>(state.range(0))));
    if (!replay)
        return state.SkipWithError("no replay");
    ProgramCursor cursor(replay.value());
    std::size_t transfers = 0;
    for (auto _ : state) {
        for (std::int32_t step = 0; step < replay.value()->steps(); ++step)
            cursor.seek(replay.value()->endOf(step));
        for (std::int32_t step = replay.value()->steps(); step-- > 0;)
            cursor.seek(replay.value()->endOf(step - 1));
        transfers += 2 * replay.value()->transfers();
    }
    state.counters["transfers/s"] = benchmark::Counter(static_cast<double>(transfers), benchmark::Counter::kIsRate);
}

} // namespace

BENCHMARK(makeProgramReplay)->Arg(708)->Unit(benchmark::kMillisecond); // 1,001,112 transfers.
BENCHMARK(goOverProgram)->Arg(708)->Unit(benchmark::kMillisecond);
BENCHMARK(stepProgram)->Arg(708)->Unit(benchmark::kMicrosecond);
BENCHMARK(goFromTheStart)->Arg(708)->Unit(benchmark::kMicrosecond);
BENCHMARK(runAlone)->Args({1024, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(makeReplay)->Args({1024, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(goOver)->Arg(708)->Unit(benchmark::kMillisecond); // 1,001,112 moves.
BENCHMARK(takeApart);
BENCHMARK(listCollectives)->Unit(benchmark::kMillisecond);
