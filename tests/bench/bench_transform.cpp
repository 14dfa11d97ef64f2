// The search for schedules: programs of Adam per second (goal 1,000) and their growth with stages; the baseline times one program once.
#include "core/transform/stepsearch.h"
#include "core/transform/timedschedule.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace fabricscope;

namespace {

/// Adam on 128 ranks over so many parameter tensors of their own, each with an all-reduce.
transform::TransformFile adamOf(std::int64_t tensors)
{
    std::string declared;
    std::string stages;
    std::string outputs;
    std::string sliced;
    for (std::int64_t i = 0; i < tensors; ++i) {
        const std::string k = std::to_string(i);
        declared += "    g" + k + ": {shape: [N], layout: local}\n    w" + k + ": {shape: [N]}\n    m" + k + ": {shape: [N]}\n    v" + k + ": {shape: [N]}\n";
        stages += "    - {name: s" + k + ", op: all_reduce, in: [g" + k + "]}\n    - {name: p" + k + ", op: update, target: m" + k + ", expr: \"0.9*m" + k + " + 0.1*s" + k + "\"}\n    - {name: q" + k + ", op: update, target: v" + k + ", expr: \"0.99*v" + k
            + " + 0.01*s" + k + "*s" + k + "\"}\n    - {name: u" + k + ", op: update, target: w" + k + ", expr: \"w" + k + " - 0.1*p" + k + "/(sqrt(q" + k + ") + 1e-8)\"}\n";
        outputs += (i > 0 ? ", u" : "u") + k;
        sliced += (i > 0 ? ", m" : "m") + k + ", v" + k;
    }
    const std::string text = "fabricscope: 1\ntransform:\n  ranks: 128\n  sizes: {N: 268435456}\n  tensors:\n" + declared + "  stages:\n" + stages + "  outputs: [" + outputs + "]\n  may_slice: [" + sliced
        + "]\n  platform: {dimensions: [{shape: switch, size: 128, bandwidth: 80.6 GB/s, latency: 0 ns}], npu: {memory_bandwidth: 792 GB/s, peak: 15 TFLOP/s}}\n  collectives: {default: {algorithm: ring}}\n";
    auto file = transform::readTransformText(text, "bench");
    if (!file)
        std::abort();
    return std::move(file).value();
}

void search(benchmark::State& state)
{
    const transform::TransformFile file = adamOf(state.range(0));
    transform::SearchLimits limits;
    limits.programs = 300;
    std::size_t found = 0;
    for (auto _ : state) {
        const auto made = transform::searchSchedules(file, {}, limits);
        if (!made)
            std::abort();
        found += made.value().programs.size();
    }
    state.counters["programs"] = benchmark::Counter(static_cast<double>(found), benchmark::Counter::kIsRate);
    state.SetComplexityN(static_cast<std::int64_t>(file.program.stages.size()));
}

void timeOnce(benchmark::State& state)
{
    const transform::TransformFile file = adamOf(state.range(0));
    for (auto _ : state) {
        transform::ScheduleTimer timer(file);
        benchmark::DoNotOptimize(timer.trace({}));
    }
}

BENCHMARK(search)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK(timeOnce)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

} // namespace
