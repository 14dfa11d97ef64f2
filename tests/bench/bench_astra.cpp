// Messages per second of the astra-* models: the event engine, and one rank standing for all. And how they are compared with `links`.
#include "core/base/index.h"
#include "core/insight/reconcile.h"
#include "tests/bench/wholecommand.h"
#include "tests/unit/support/cases/astracase.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct Machine {
    const char* topology;
    const char* bandwidth;
    const char* latency;
    const char* algorithms;
};

constexpr Machine kMachines[] = {
    {"Ring(1024)", "100", "250", "ring"},
    {"Ring(16) x Ring(16) x Ring(16)", "100|50|25", "250|500|1000", "ring|ring|ring"},
    {"Switch(1024)", "100", "250", "halvingDoubling"},
    {"FullyConnected(256)", "100", "250", "direct"},
};

/// All-reduce of 64 MiB in 4 chunks; arguments: machine, model (1 = aware), engine.
void allReduce(benchmark::State& state)
{
    const Machine& machine = kMachines[at(state.range(0))];
    AstraCase run(machine.topology, machine.bandwidth, machine.latency);
    run.model = state.range(1) == 1 ? Model::AstraAware : Model::AstraUnaware;
    run.useForAll(machine.algorithms);
    run.system.splits = 4;
    run.system.localBandwidthAware = true;
    run.system.localMemoryGBps = 1600;
    run.runCollective(CollectiveOp::AllReduce, 64 << 20);
    RunOptions options;
    options.engine = state.range(2) == 1 ? EngineChoice::Events : EngineChoice::Auto;
    std::int64_t hops = 0;
    for (auto _ : state) {
        const auto record = run.run(options);
        if (!record) {
            state.SkipWithError(record.error().text().c_str());
            return;
        }
        for (const DimensionUse& use : record.value().dimensions)
            hops += use.messages;
    }
    state.SetLabel(machine.topology);
    state.counters["hops/s"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
}

/// An all-reduce on a torus of n^3 whose all-to-all, which nothing runs, would be direct.
void unusedSettings(benchmark::State& state)
{
    const std::string ring = "Ring(" + std::to_string(state.range(0)) + ")";
    AstraCase run(ring + " x " + ring + " x " + ring, "100|50|25", "250|500|1000");
    run.useForAll("ring|ring|ring");
    run.use(CollectiveOp::AllToAll, "direct|direct|direct");
    run.system.splits = 4;
    run.runCollective(CollectiveOp::AllReduce, 64 << 20);
    for (auto _ : state)
        benchmark::DoNotOptimize(run.run());
    state.SetComplexityN(state.range(0) * state.range(0) * state.range(0));
}

/// `compare --models astra-unaware,links` on a torus of n^3: both runs, and what each rule between them is worth.
void comparedWithLinks(benchmark::State& state)
{
    const std::string ring = "Ring(" + std::to_string(state.range(0)) + ")";
    const std::string text = "fabricscope: 1\nplatform: {topology: \"" + ring + '_' + ring + '_' + ring
        + "\", bandwidth: [100 GB/s, 50 GB/s, 25 GB/s], latency: [250 ns, 500 ns, 1 us]}\nworkload: {collective: all_reduce, size: 64 MiB}\ncollectives: {default: {chunks: 4}}\n";
    for (auto _ : state) {
        const auto loaded = readDesignText(text, "bench");
        const auto result = loaded ? reconcile(std::make_shared<const Design>(loaded.value().design), loaded.value().diagnostics, Model::AstraUnaware, Model::Links, {})
                                   : Result<Reconciliation>(loaded.error());
        if (bench::failed(state, result))
            return;
        benchmark::DoNotOptimize(result);
    }
    state.SetComplexityN(state.range(0) * state.range(0) * state.range(0));
}

} // namespace

BENCHMARK(comparedWithLinks)->Arg(16)->Arg(32)->Arg(64)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(unusedSettings)->Arg(8)->Arg(16)->Arg(32)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(allReduce)->ArgsProduct({{0, 1, 2, 3}, {0, 1}, {0, 1}})->Unit(benchmark::kMillisecond);
