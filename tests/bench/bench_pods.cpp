// Rail-optimised pods of 512, 1,024, 2,048 GPUs: a collective along the rails and one in the hosts, from the text of the design to the summary, and the engine alone.
// The baseline is the event engine, which follows every GPU. Ring steps grow with the hosts, and with them the messages of one class of ranks.
#include "core/design/design.h"
#include "core/report/runsummary.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <benchmark/benchmark.h>

#include <string>

using namespace fabricscope;

namespace {

std::string podOf(std::int64_t units)
{
    return "fabricscope: 1\nplatform: {topology: \"hgx-h100 x32 / rails 64p 400G x" + std::to_string(units) + " / spine\"}\nworkload:\n  groups:\n    - {name: rail, axes: [{size: "
        + std::to_string(32 * units) + ", stride: 8}]}\n    - {name: host, axes: [{size: 8, stride: 1}]}\n  steps:\n    - {collective: reduce_scatter, size: 64 MiB, group: host}\n"
          "    - {collective: all_reduce, size: 8 MiB, group: rail}\n    - {collective: all_gather, size: 64 MiB, group: host}\ncollectives: {default: {algorithm: ring}}\n";
}

void engine(benchmark::State& state, EngineChoice choice)
{
    const auto loaded = readDesignText(podOf(state.range(0)), "bench");
    const auto scenario = loaded ? prepare(loaded.value().design) : Result<ScenarioPtr>(loaded.error());
    RunOptions options;
    options.engine = choice;
    for (auto _ : state) {
        const auto record = scenario ? simulate(*scenario.value(), options) : Result<RunRecord>(scenario.error());
        if (!record) {
            state.SkipWithError(record.error().text().c_str());
            return;
        }
    }
    state.SetComplexityN(256 * state.range(0));
}

void wholeChain(benchmark::State& state)
{
    for (auto _ : state) {
        const auto loaded = readDesignText(podOf(state.range(0)), "bench");
        const auto scenario = loaded ? prepare(loaded.value().design) : Result<ScenarioPtr>(loaded.error());
        auto made = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
        if (!made) {
            state.SkipWithError(made.error().text().c_str());
            return;
        }
        benchmark::DoNotOptimize(summarise(loaded.value().design, *scenario.value(), std::make_shared<const RunRecord>(std::move(made).value())));
    }
    state.SetComplexityN(256 * state.range(0));
}

BENCHMARK_CAPTURE(engine, pod_symmetry, EngineChoice::Auto)->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, pod_events, EngineChoice::Events)->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(wholeChain)->Name("pod_whole_chain")->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
