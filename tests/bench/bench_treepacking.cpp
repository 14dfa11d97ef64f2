// Packing of trees next to the largest fractional packing alone, and optimal small schedules.
#include "core/synthesis/exact.h"
#include "core/synthesis/treecandidates.h"
#include "core/synthesis/treepacking.h"
#include "tests/unit/support/cases/dgx1.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

TreeGraph dgx1v()
{
    return directGraph(dgx1Graph("DGX-1V", {0, 1, 2, 3, 4, 5, 6, 7}));
}

/// Baseline: what multiplicative weights alone reach, with many trees and an error of 5 %.
void BM_FractionalPackingDgx1(benchmark::State& state)
{
    const TreeGraph graph = dgx1v();
    double rate = 0;
    std::int32_t trees = 0;
    for (auto _ : state) {
        TreeCandidates candidates;
        rate = multiplicativeWeights(graph, 0, 0.05, candidates, {});
        trees = candidates.size();
    }
    state.counters["rate"] = rate;
    state.counters["trees"] = trees;
}
BENCHMARK(BM_FractionalPackingDgx1)->Unit(benchmark::kMillisecond);

void BM_BroadcastTreesDgx1(benchmark::State& state)
{
    const TreeGraph graph = dgx1v();
    TreePacking packing;
    for (auto _ : state)
        packing = packArborescences(graph, 0);
    state.counters["rate"] = packing.rate.value();
    state.counters["trees"] = static_cast<double>(packing.trees.size());
}
BENCHMARK(BM_BroadcastTreesDgx1)->Unit(benchmark::kMillisecond);

void BM_AllReduceTreesDgx1(benchmark::State& state)
{
    const TreeGraph graph = dgx1v();
    TreePacking packing;
    for (auto _ : state)
        packing = packSpanningTrees(graph, 0);
    state.counters["rate"] = packing.rate.value();
    state.counters["trees"] = static_cast<double>(packing.trees.size());
}
BENCHMARK(BM_AllReduceTreesDgx1)->Unit(benchmark::kMillisecond);

/// Steps, rounds, chunks of an all-gather on a DGX-1 (the released SCCL with Z3: 1.1, 7.6, 32, 43 s, manual: synthesis 5).
void BM_ExactAllGatherDgx1(benchmark::State& state)
{
    const SynthesisGraph graph = dgx1Graph("DGX-1V", {0, 1, 2, 3, 4, 5, 6, 7});
    const StepsRoundsChunks point{static_cast<std::int32_t>(state.range(0)), static_cast<std::int32_t>(state.range(1)), static_cast<std::int32_t>(state.range(2))};
    ExactSchedule schedule;
    for (auto _ : state)
        schedule = exactSchedule(graph, CollectiveOp::AllGather, 0, point);
    state.counters["feasible"] = schedule.feasible == Feasible::Yes ? 1 : 0;
}
BENCHMARK(BM_ExactAllGatherDgx1)->Args({2, 3, 2})->Args({2, 4, 3})->Args({3, 4, 3})->Args({3, 5, 4})->Args({3, 6, 5})->Args({3, 7, 6})->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
