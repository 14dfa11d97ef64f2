#include "core/design/design.h"
#include "core/report/runsummary.h"
#include "core/record/timelinesource.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/symmetricrun.h"
#include "tests/bench/simulateagain.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;

namespace {

Design designOf(Shape shape, const std::vector<std::int32_t>& sizes)
{
    PlatformSpec platform;
    for (const std::int32_t size : sizes)
        platform.dimensions.push_back({shape, size, {50, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}});
    platform.npu.memoryBandwidth = Quantity{1600, "GB/s", Measure::Bandwidth};
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {64, "MiB", Measure::Size}});
    return design;
}

/// The engine alone.
void engine(benchmark::State& state, Shape shape, std::vector<std::int32_t> sizes, EngineChoice choice)
{
    const auto scenario = prepare(designOf(shape, sizes));
    RunOptions options;
    options.engine = choice;
    const std::int64_t messages = bench::simulateAgain(state, scenario, options);
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

/// A double binary tree of so many NPUs below one switch: with 16 chunks of 4 MiB some 64 n messages.
void tree(benchmark::State& state, EngineChoice choice, std::int32_t chunks)
{
    Design design = designOf(Shape::Switch, {static_cast<std::int32_t>(state.range(0))});
    design.collectives.defaults.algorithms = {{false, Algorithm::DoubleBinaryTree, 0}};
    design.collectives.defaults.chunks = chunks;
    const auto scenario = prepare(design);
    RunOptions options;
    options.engine = choice;
    bench::simulateAgain(state, scenario, options);
    state.SetComplexityN(state.range(0));
}

/// Several rings of different strides, written out, below one switch: 2 n (n - 1) transfers for each number up to n that is coprime to it.
void program(benchmark::State& state, EngineChoice choice)
{
    Design design = designOf(Shape::Switch, {static_cast<std::int32_t>(state.range(0))});
    design.collectives.defaults.program.program = {{ProgramSource::Kind::Generator, "multi_ring", {}, 2, 1, 8, 1}};
    const auto scenario = prepare(design);
    RunOptions options;
    options.engine = choice;
    bench::simulateAgain(state, scenario, options);
    state.SetComplexityN(state.range(0));
}

/// From the design to what views and reports show.
void wholeChain(benchmark::State& state, Shape shape)
{
    const Design design = designOf(shape, {64, 128, 128});
    for (auto _ : state) {
        const auto scenario = prepare(design);
        auto made = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
        if (!made) {
            state.SkipWithError(made.error().text().c_str());
            return;
        }
        const auto record = std::make_shared<const RunRecord>(std::move(made).value());
        const RunSummary summary = summarise(design, *scenario.value(), record);
        benchmark::DoNotOptimize(resultRows(*record));
        benchmark::DoNotOptimize(TimelineSource::create(record, scenario.value()->structure->workload));
    }
}

} // namespace

// 1,048,576 NPUs, and beside it the event engine on the 512 it can do.
BENCHMARK_CAPTURE(engine, symmetry_rings_64x128x128, Shape::Ring, {64, 128, 128}, EngineChoice::Symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, symmetry_switches_64x128x128, Shape::Switch, {64, 128, 128}, EngineChoice::Symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, symmetry_full_64x128x128, Shape::FullyConnected, {64, 128, 128}, EngineChoice::Symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, symmetry_rings_8x8x8, Shape::Ring, {8, 8, 8}, EngineChoice::Symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, events_rings_8x8x8, Shape::Ring, {8, 8, 8}, EngineChoice::Events)->Unit(benchmark::kMillisecond);
// Ranks by classes beside the event engine, which is linear at best; and how both grow.
BENCHMARK_CAPTURE(tree, symmetry, EngineChoice::Symmetry, 16)->RangeMultiplier(4)->Range(64, 65'536)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tree, events, EngineChoice::Events, 16)->RangeMultiplier(4)->Range(64, 4096)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tree, symmetry_many_chunks, EngineChoice::Symmetry, 512)->RangeMultiplier(4)->Range(64, 1024)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tree, events_many_chunks, EngineChoice::Events, 512)->RangeMultiplier(4)->Range(64, 1024)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, symmetry, EngineChoice::Symmetry)->RangeMultiplier(2)->Range(16, 64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, events, EngineChoice::Events)->RangeMultiplier(2)->Range(16, 64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wholeChain, rings, Shape::Ring)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wholeChain, switches, Shape::Switch)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wholeChain, full, Shape::FullyConnected)->Unit(benchmark::kMillisecond);
