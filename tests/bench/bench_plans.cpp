// A model of 96 layers spread by tensor x pipeline x data over 256 to 16,384 GPUs: from the text of the design to the summary, and the engine alone; and all its plans ranked. Copies along data and tensor
// stand for each other, so that the engine's part hardly grows with them; what grows is the list of collectives. The baseline is the event engine, which follows every GPU.
#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"
#include "core/report/runsummary.h"
#include "core/scenario/designplan.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/bench/simulateagain.h"

#include <benchmark/benchmark.h>

#include <string>

using namespace fabricscope;

namespace {

/// Tensor 8 in the hosts, pipeline of 16, the rest data; `batches` per copy and step.
std::string planOf(std::int64_t npus, std::int64_t layers, std::int64_t batches)
{
    const std::string hosts = std::to_string(npus / 8);
    const std::string copies = std::to_string(npus / 128);
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 8, bandwidth: 450 GB/s, latency: 1 us}, {shape: switch, size: " + hosts
        + ", bandwidth: 50 GB/s, latency: 2 us}]\n  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}\nworkload:\n  model:\n    family: transformer\n"
          "    transformer: {layers: " + std::to_string(layers) + ", hidden: 12288, heads: 96, vocab: 51200, seq: 2048}\n    train: {global_batch: " + std::to_string(npus / 128 * batches)
        + ", micro_batch: 1}\n  plan:\n    mesh: {axes: [dp, pp, tp], shape: [" + copies + ", 16, 8]}\n    data: {zero: 1}\n    tensor: {sequence_parallel: true}\n    recompute: selective\n";
}

Result<ScenarioPtr> preparedPlan(std::int64_t npus, std::int64_t layers, std::int64_t batches)
{
    const auto loaded = readDesignText(planOf(npus, layers, batches), "bench");
    return loaded ? prepare(loaded.value().design) : Result<ScenarioPtr>(loaded.error());
}

void engine(benchmark::State& state, EngineChoice choice, std::int64_t layers, std::int64_t batches)
{
    RunOptions options;
    options.engine = choice;
    bench::simulateAgain(state, preparedPlan(state.range(0), layers, batches), options);
    state.SetComplexityN(state.range(0));
}

void wholeChain(benchmark::State& state)
{
    for (auto _ : state) {
        const auto loaded = readDesignText(planOf(state.range(0), 96, 8), "bench");
        const auto scenario = loaded ? prepare(loaded.value().design) : Result<ScenarioPtr>(loaded.error());
        auto made = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
        if (!made) {
            state.SkipWithError(made.error().text().c_str());
            return;
        }
        benchmark::DoNotOptimize(summarise(loaded.value().design, *scenario.value(), std::make_shared<const RunRecord>(std::move(made).value())));
    }
    state.SetComplexityN(state.range(0));
}

/// Without the run: model, plan, tasks and collectives of all groups.
void made(benchmark::State& state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(preparedPlan(state.range(0), 96, 8));
    state.SetComplexityN(state.range(0));
}

/// All plans of 175 billion parameters on 1,024 GPUs by the estimate; plans per second count those that are ranked or left out.
void ranked(benchmark::State& state)
{
    std::string text = planOf(1024, 96, 16);
    text.replace(text.find("recompute: selective"), std::string::npos, "recompute: none\nsearch: {top: 20}\n");
    const auto loaded = readDesignText(text, "bench");
    const auto platform = loaded ? Platform::create(*loaded.value().design.platform) : Result<Platform>(loaded.error());
    if (!platform) {
        state.SkipWithError(platform.error().text().c_str());
        return;
    }
    const Design& design = loaded.value().design;
    const auto& planned = std::get<PlannedWorkload>(*design.workload);
    PlanSearchOptions options;
    options.threads = static_cast<int>(state.range(0));
    std::int64_t plans = 0;
    for (auto _ : state) {
        const auto found = searchPlans(*planned.model, *planned.plan, 1024, planNpuOf(design, platform.value()), PlanSearchSpec{}, options);
        if (!found) {
            state.SkipWithError(found.error().text().c_str());
            return;
        }
        plans += found.value().counts.considered;
    }
    state.counters["plans/s"] = benchmark::Counter(static_cast<double>(plans), benchmark::Counter::kIsRate);
}

BENCHMARK(ranked)->Name("plan_ranking")->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(made)->Name("plan_prepared")->Arg(256)->Arg(1024)->Arg(4096)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(wholeChain)->Name("plan_whole_chain")->Arg(256)->Arg(1024)->Arg(4096)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, plan, EngineChoice::Auto, 96, 8)->Arg(256)->Arg(1024)->Arg(4096)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
// A layer per stage and two micro-batches, for which every GPU can be followed.
BENCHMARK_CAPTURE(engine, small_plan, EngineChoice::Auto, 16, 2)->Arg(128)->Arg(256)->Arg(512)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, small_plan_events, EngineChoice::Events, 16, 2)->Arg(128)->Arg(256)->Arg(512)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
