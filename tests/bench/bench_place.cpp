// Search for the program of a 12-layer transformer on 64 unequal devices: the whole placement at ratios by speed (A*), the same with ratios and rounds, and how it
// grows with layers and devices. The baseline is uniform-cost search on the same question. Wanted: below 10 s on two cores for 64 devices and 12 layers.
#include "core/planner/placefile.h"

#include <benchmark/benchmark.h>

#include <string>

using namespace fabricscope;

namespace {

PlacementProblem problemOf(std::int64_t devices, std::int64_t layers, const char* ratios)
{
    const std::string fast = std::to_string(devices / 4);
    const std::string slow = std::to_string(devices - devices / 4);
    const std::string text = "fabricscope: 1\nplace:\n  batch: " + std::to_string(32 * devices) + "\n  model: {preset: bert, layers: " + std::to_string(layers)
        + "}\n  ratios: " + ratios + "\n  cluster:\n    devices: [{name: fast, speed: 3.859 TFLOP/s, count: " + fast + "}, {name: slow, speed: 2.149 TFLOP/s, count: " + slow
        + "}]\n    collectives: {all_gather: {latency: 100 us, bandwidth: 9.463 GB/s}, grouped_all_gather: {latency: 100 us, bandwidth: 9.146 GB/s}, "
          "all_reduce: {latency: 100 us, bandwidth: 5.906 GB/s}, reduce_scatter: {latency: 100 us, bandwidth: 9.74 GB/s}, all_to_all: {latency: 100 us, bandwidth: 24.59 GB/s}}\n";
    return readPlaceFile(YamlDocument::parse(text, "bench").value()).value().problem;
}

void search(benchmark::State& state, SearchMethod method, const char* ratios)
{
    const PlacementProblem problem = problemOf(state.range(0), state.range(1), ratios);
    std::int64_t expanded = 0;
    for (auto _ : state) {
        const Result<UnequalPlacement> placement = place(problem, method);
        if (!placement)
            return state.SkipWithError("no program");
        expanded = placement.value().expanded;
        benchmark::DoNotOptimize(placement.value().cost);
    }
    state.counters["states"] = static_cast<double>(expanded);
}

} // namespace

BENCHMARK_CAPTURE(search, uniform_cost, SearchMethod::NoBound, "proportional")->Args({64, 12})->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, bound, SearchMethod::Bound, "proportional")->Args({64, 12})->Args({8, 12})->Args({512, 12})->Args({64, 3})->Args({64, 6})->Args({64, 24})->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(search, ratios_and_rounds, SearchMethod::Bound, "optimised")->Args({64, 12})->Unit(benchmark::kMillisecond)->Iterations(1);
