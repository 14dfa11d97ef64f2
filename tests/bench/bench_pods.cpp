// Rail-optimised pods of 512, 1,024, 2,048 GPUs: a collective along the rails and one in the hosts, from the text of the design to the summary, and the engine alone.
// The baseline is the event engine, which follows every GPU. Ring steps grow with the hosts, and with them the messages of one class of ranks.
// Whole chains of larger graphs below: a default all-reduce of big pods and of graphs at random, an all-to-all over fat trees. Graphs at random opened.
#include "core/design/design.h"
#include "core/design/validate.h"
#include "core/draw/platformlayout.h"
#include "core/report/runsummary.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/bench/simulateagain.h"
#include "tests/bench/wholecommand.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <random>
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
    bench::simulateAgain(state, scenario, options);
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

/// From the text to the summary; the baseline ends where the run would begin.
void whole(benchmark::State& state, const std::string& text, bool runs, EngineChoice choice = EngineChoice::Auto)
{
    RunOptions options;
    options.engine = choice;
    for (auto _ : state) {
        const auto loaded = readDesignText(text, "bench");
        const auto scenario = loaded ? prepare(loaded.value().design) : Result<ScenarioPtr>(loaded.error());
        auto made = scenario && runs ? simulate(*scenario.value(), options) : Result<RunRecord>(RunRecord{});
        if (!scenario || !made) {
            state.SkipWithError((scenario ? made.error() : scenario.error()).text().c_str());
            return;
        }
        if (runs)
            benchmark::DoNotOptimize(summarise(loaded.value().design, *scenario.value(), std::make_shared<const RunRecord>(std::move(made).value())));
    }
    state.SetComplexityN(state.range(0));
}

/// A default all-reduce of a pod whose spines have a port for every leaf, and so many at least.
std::string bigPodOf(std::int64_t npus, std::int64_t leastPorts)
{
    return "fabricscope: 1\nplatform: {topology: \"hgx-h100 x32 / rails 64p 400G x" + std::to_string(npus / 256) + " / spine " + std::to_string(std::max(leastPorts, npus / 32))
        + "p\"}\nworkload: {collective: all_reduce, size: 64 MiB}\n";
}

/// The default all-reduce of pods of 4,096 to 1,048,576 GPUs: by levels, one rank of a class for all. What is not simulated is looked through once.
void bigPod(benchmark::State& state, bool runs)
{
    whole(state, bigPodOf(state.range(0), 512), runs);
}

/// The same of 256 to 16,384 GPUs with all that the command does: lower bounds and the result as JSON too.
void podCommand(benchmark::State& state)
{
    const std::string text = bigPodOf(state.range(0), 64);
    bench::wholeCommand(state, [&text] { return readDesignText(text, "bench"); });
}

/// All-to-all over k-ary fat trees of 54 to 1,024 hosts: a way of its own for every pair. Messages grow with the square of the hosts. The baseline is the
/// event engine, message by message.
void fatTreeAllToAll(benchmark::State& state, const std::string& routing, EngineChoice choice)
{
    std::int64_t k = 2;
    while (k * k * k / 4 < state.range(0))
        k += 2;
    whole(state, "fabricscope: 1\nplatform: {topology: \"npu / fat_tree " + std::to_string(k) + " 400G\"}\nworkload: {collective: all_to_all, size: 64 MiB}\n"
              "network: {seed: 1, routing: {policy: " + routing + "}}\n", true, choice);
}

/// A graph at random, 100 links from every NPU.
std::string randomGraphOf(std::int64_t npus)
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (std::int64_t npu = 0; npu < npus; ++npu)
        text += "    - {name: n" + std::to_string(npu) + "}\n";
    text += "  links:\n";
    std::mt19937_64 dice(1);
    for (std::int64_t link = 0; link < 100 * npus; ++link) {
        const std::int64_t from = link / 100;
        const std::int64_t step = link % 100 == 0 ? 1 : 1 + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(npus - 1));
        text += "    - {from: n" + std::to_string(from) + ", to: n" + std::to_string((from + step) % npus) + ", bandwidth: 50 GB/s, latency: 500 ns}\n";
    }
    return text + "workload: {collective: all_reduce, size: 1 MiB}\n";
}

/// Graphs of 500, 1,000, 2,000 NPUs: levels are looked for, and ruled out.
void randomGraph(benchmark::State& state, bool runs)
{
    whole(state, randomGraphOf(state.range(0)), runs);
}

/// Graphs of so many links read and checked as `lint` does, and laid out for the canvas.
void graphOpened(benchmark::State& state)
{
    const std::string text = randomGraphOf(state.range(0) / 100);
    for (auto _ : state) {
        const LoadedDesign loaded = inspectDesignText(text, "bench");
        std::optional<Platform> platform;
        benchmark::DoNotOptimize(validate(loaded.design, {}, platform));
        if (!platform) {
            state.SkipWithError("no platform");
            return;
        }
        benchmark::DoNotOptimize(PlatformLayout(*platform));
    }
    state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(bigPod, prepared, false)->Arg(4096)->Arg(8192)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bigPod, all_reduce, true)->Arg(4096)->Arg(8192)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bigPod, all_reduce_million, true)->Arg(65536)->Arg(262144)->Arg(1048576)->Iterations(1)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(podCommand)->Arg(256)->Arg(1024)->Arg(4096)->Arg(16384)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fatTreeAllToAll, shortest, "shortest", EngineChoice::Auto)->Arg(54)->Arg(128)->Arg(250)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fatTreeAllToAll, ecmp, "ecmp", EngineChoice::Auto)->Arg(128)->Arg(432)->Arg(1024)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fatTreeAllToAll, ecmp_events, "ecmp", EngineChoice::Events)->Arg(54)->Arg(128)->Arg(250)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(randomGraph, prepared, false)->Arg(500)->Arg(1000)->Arg(2000)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(randomGraph, all_reduce, true)->Arg(500)->Arg(1000)->Arg(2000)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(graphOpened)->Arg(50'000)->Arg(100'000)->Arg(200'000)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, pod_symmetry, EngineChoice::Auto)->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, pod_events, EngineChoice::Events)->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(wholeChain)->Name("pod_whole_chain")->Arg(2)->Arg(4)->Arg(8)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
