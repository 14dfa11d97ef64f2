// What `algorithm: auto` finds for all sizes of a sweep; the baseline asks for every size by itself, as if nothing were known of the others.
#include "core/choose/tuner.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace fabricscope;

namespace {

Design switchOf(std::int64_t ranks)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: " + std::to_string(ranks)
                                     + ", bandwidth: 100 GB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n",
                                 "bench");
    if (!loaded)
        std::abort();
    return std::move(loaded).value().design;
}

const std::vector<std::int64_t> kSizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20};

void sizesAlone(benchmark::State& state)
{
    const Design design = switchOf(state.range(0));
    for (auto _ : state) {
        for (const std::int64_t size : kSizes)
            benchmark::DoNotOptimize(tuneSizes(design, {CollectiveOp::AllReduce, {size}, 1, {}}));
    }
    state.SetComplexityN(state.range(0));
}

void together(benchmark::State& state, const std::vector<std::int64_t>& sizes)
{
    const Design design = switchOf(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(tuneSizes(design, {CollectiveOp::AllReduce, sizes, 1, {}}));
    state.SetComplexityN(state.range(0));
}

void sizesTogether(benchmark::State& state)
{
    together(state, kSizes);
}

/// Every doubling, as the command is used.
void doublings21(benchmark::State& state)
{
    together(state, parseSizes("1KiB..1GiB").value());
}

BENCHMARK(sizesAlone)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(sizesTogether)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(doublings21)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
