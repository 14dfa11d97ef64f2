#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/sweep.h"
#include "tests/bench/simulateagain.h"

#include <benchmark/benchmark.h>

#include <map>

using namespace fabricscope;

namespace {

/// All-reduce over rings, 50 GB/s and 500 ns per link, in 1 to 16 chunks. `own`: every link towards +1 has a bandwidth of its own, else the
/// first link is four times slower.
ScenarioPtr scenarioOf(const std::vector<std::int32_t>& sizes, std::int64_t mebibytes, std::int32_t chunks, bool own)
{
    static std::map<std::pair<std::vector<std::int32_t>, std::int32_t>, ScenarioPtr> known;
    ScenarioPtr& scenario = known[{sizes, chunks}];
    if (scenario)
        return scenario;
    PlatformSpec platform;
    std::int64_t npus = 1;
    for (const std::int32_t size : sizes) {
        platform.dimensions.push_back({Shape::Ring, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
        npus *= size;
    }
    std::uint64_t state = 1;
    const auto links = static_cast<LinkId>(npus * 2 * static_cast<std::int64_t>(sizes.size()));
    for (LinkId link = 0; link < (own ? links : 1); link += 2) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        LinkOverride& entry = platform.linkOverrides.emplace_back();
        entry.link = link;
        entry.bandwidth = Quantity{own ? 40 + static_cast<double>(state >> 44) / (1 << 16) : 12.5, "GB/s", Measure::Bandwidth};
    }
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {static_cast<double>(mebibytes), "MiB", Measure::Size}});
    design.collectives.defaults.chunks = chunks;
    auto prepared = prepare(design);
    return scenario = prepared ? prepared.value() : nullptr;
}

void engine(benchmark::State& state, EngineChoice choice, std::vector<std::int32_t> sizes, std::int64_t mebibytes, std::int32_t chunks, bool own)
{
    const ScenarioPtr scenario = scenarioOf(sizes, mebibytes, chunks, own);
    if (!scenario) {
        state.SkipWithError("no scenario");
        return;
    }
    RunOptions options;
    options.engine = choice;
    options.busyOverTime = false;
    options.taskTimes = false;
    const std::int64_t messages = bench::simulateAgain(state, scenario, options);
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

} // namespace

// Verification is always on. The event engine beside it on what it can do.
BENCHMARK_CAPTURE(engine, sweep_ring_1024_16_chunks_own_links, EngineChoice::Sweep, {1024}, 1024, 16, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, sweep_ring_128_4_chunks_own_links, EngineChoice::Sweep, {128}, 1024, 4, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, events_ring_128_4_chunks_own_links, EngineChoice::Events, {128}, 1024, 4, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, sweep_torus_256x256_16_chunks_own_links, EngineChoice::Sweep, {256, 256}, 1024, 16, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, sweep_torus_32x64x64_4_chunks_slow_link, EngineChoice::Sweep, {32, 64, 64}, 128, 4, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, sweep_torus_64x128x128_4_chunks_slow_link, EngineChoice::Sweep, {64, 128, 128}, 1024, 4, false)->Unit(benchmark::kMillisecond);
