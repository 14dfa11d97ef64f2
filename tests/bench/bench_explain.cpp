#include "core/design/design.h"
#include "core/insight/explain.h"

#include <benchmark/benchmark.h>

#include <memory>

using namespace fabricscope;

namespace {

/// An all-reduce of 64 MiB on two dimensions of switches, direct, 8 chunks.
std::shared_ptr<const Design> designOf(std::int32_t size)
{
    PlatformSpec platform;
    for (const double rate : {100.0, 50.0})
        platform.dimensions.push_back({Shape::Switch, size, {rate, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {64, "MiB", Measure::Size}});
    design.collectives.defaults.algorithms = {{false, Algorithm::Direct, 0}};
    design.collectives.defaults.chunks = 8;
    return std::make_shared<const Design>(design);
}

/// The same on one ring, as one chunk: the fewest events a message can take, so what is kept of each counts most.
std::shared_ptr<const Design> ringOf(std::int32_t size)
{
    PlatformSpec platform;
    platform.dimensions.push_back({Shape::Ring, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {64, "MiB", Measure::Size}});
    design.collectives.defaults.algorithms = {{false, Algorithm::Ring, 0}};
    return std::make_shared<const Design>(design);
}

using MakeDesign = std::shared_ptr<const Design> (*)(std::int32_t size);

/// The run alone: what explaining is measured against (manual: speed; at most 1.5 times on the event engine).
void runAlone(benchmark::State& state, EngineChoice engine, MakeDesign make)
{
    const auto design = make(static_cast<std::int32_t>(state.range(0)));
    RunDesignOptions options;
    options.engine = engine;
    options.timeline = false;
    for (auto _ : state)
        benchmark::DoNotOptimize(runDesign(design, {}, options));
}

/// At most 100 ms where 1,024 NPUs do the same.
void explain(benchmark::State& state, EngineChoice engine, MakeDesign make)
{
    const auto design = make(static_cast<std::int32_t>(state.range(0)));
    ExplainOptions options;
    options.engine = engine;
    for (auto _ : state)
        benchmark::DoNotOptimize(explainDesign(design, {}, {}, options));
}

} // namespace

BENCHMARK_CAPTURE(runAlone, auto, EngineChoice::Auto, designOf)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain, auto, EngineChoice::Auto, designOf)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runAlone, events, EngineChoice::Events, designOf)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain, events, EngineChoice::Events, designOf)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runAlone, ring_events, EngineChoice::Events, ringOf)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explain, ring_events, EngineChoice::Events, ringOf)->Arg(1024)->Unit(benchmark::kMillisecond);
