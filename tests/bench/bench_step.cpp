// Stepping through a collective: making the replay, and going over it. The baseline is the run without keeping a message.
#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/linkscase.h"

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

} // namespace

BENCHMARK(runAlone)->Args({1024, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(makeReplay)->Args({1024, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(goOver)->Arg(708)->Unit(benchmark::kMillisecond); // 1,001,112 moves.
BENCHMARK(takeApart);
BENCHMARK(listCollectives)->Unit(benchmark::kMillisecond);
