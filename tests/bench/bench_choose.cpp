// `algorithm: auto` on square tori; the baseline runs the one candidate that is chosen.
#include "core/choose/choose.h"
#include "core/sim/simulate.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace fabricscope;

namespace {

Design torusOf(std::int64_t side, const std::string& algorithm)
{
    const std::string size = std::to_string(side);
    auto loaded = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(" + size + ")_Ring(" + size
                                     + ")\", bandwidth: [100 GB/s, 50 GB/s], latency: [250 ns, 500 ns]}\nworkload: {collective: all_reduce, size: 64 MiB}\n"
                                       "collectives: {default: {chunks: 4, algorithm: "
                                     + algorithm + "}}\n",
                                 "bench");
    if (!loaded)
        std::abort();
    return std::move(loaded).value().design;
}

void run(benchmark::State& state, const std::string& algorithm)
{
    const Design design = torusOf(state.range(0), algorithm);
    for (auto _ : state) {
        const auto scenario = prepareChosen(design);
        if (!scenario)
            std::abort();
        benchmark::DoNotOptimize(simulate(*scenario.value()));
    }
    state.SetComplexityN(state.range(0) * state.range(0));
}

void chosen(benchmark::State& state)
{
    run(state, "auto");
}

void named(benchmark::State& state)
{
    run(state, "bidirectional_ring");
}

BENCHMARK(chosen)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(named)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);

} // namespace
