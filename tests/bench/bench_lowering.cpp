// How long a plan takes to become task graphs; their memory is counted from their columns.
#include "core/model/presetmodels.h"
#include "core/plan/lower/planworkload.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace fabricscope;

namespace {

/// GPT-3 175B: 96 layers, 64 micro-batches of one sequence on each replica.
void lowerGpt(benchmark::State& state)
{
    ModelSpec model;
    TransformerSpec& of = model.transformer;
    of.layers = 96;
    of.hidden = 12288;
    of.heads = of.kvHeads = 96;
    of.headDim = 128;
    of.ff = 49152;
    of.vocab = 51200;
    of.seq = of.positionRows = 2048;
    model.train.micro = 1;
    PlanSpec plan;
    const std::int64_t pipeline = state.range(1);
    plan.mesh = {{"dp", "pp", "tp"}, {state.range(0) / pipeline / 8, pipeline, 8}, PlanMesh::Order::RowMajor, {}, {}};
    plan.tensor = TensorPlan{"tp", true, true};
    plan.data = DataPlan{};
    plan.data->zero = static_cast<std::int32_t>(state.range(2));
    plan.pipeline = PipelinePlan{};
    plan.pipeline->microBatches = 64;
    std::int64_t tasks = 0;
    std::int64_t bytes = 0;
    for (auto _ : state) {
        const auto workload = lowerPlan(plan, &model, static_cast<std::int32_t>(state.range(0)));
        if (!workload)
            std::abort();
        tasks = bytes = 0;
        for (const auto& graph : workload.value()->graphs) {
            tasks += graph->size();
            bytes += static_cast<std::int64_t>(graph->kind.capacity() * (2 + 8 + 4 + 8 * 4 + 1 + 4 * 4 + 4) + graph->depends.capacity() * 4 + graph->names.capacity());
        }
        benchmark::DoNotOptimize(workload.value());
    }
    state.counters["tasks"] = static_cast<double>(tasks);
    state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

} // namespace

BENCHMARK(lowerGpt)->Args({1024, 8, 1})->Args({1024, 8, 3})->Args({1024, 16, 1})->Args({16384, 16, 1})->Unit(benchmark::kMillisecond);
