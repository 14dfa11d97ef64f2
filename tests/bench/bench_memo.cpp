// A training step of 96 layers on 1,024 ranks: the same few collectives over and over. The memo against the same driver that works every
// collective out by the sweep, with one slow link so that the ranks are not all alike; and the same step without it.
// A pipeline on 256 to 1,024 NPUs, whole commands: outer links just faster than a stage works (49 GB/s), just slower, and slower still.
#include "core/design/design.h"
#include "core/scenario/lowering.h"
#include "core/sim/components/components.h"
#include "core/sim/simulate.h"
#include "tests/bench/wholecommand.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>

using namespace fabricscope;

namespace {

constexpr std::int32_t kLayers = 96;

Step compute(const char* name, double us)
{
    Step step;
    step.name = name;
    step.duration = Quantity{us, "us", Measure::Time};
    return step;
}

Step collective(const char* name, const char* group, CollectiveOp op, double mib)
{
    Step step;
    step.kind = Step::Kind::Collective;
    step.name = name;
    step.op = op;
    step.group = group;
    step.bytes = Quantity{mib, "MiB", Measure::Size};
    return step;
}

/// Ring(8) of 8 NPUs inside, 128 of them in a ring: every layer all-reduces twice inside, forwards and backwards, and the step ends with a
/// reduce-scatter and an all-gather of the gradients of every layer outside.
Design stepDesign(bool slowLink)
{
    PlatformSpec platform;
    platform.dimensions = {{Shape::Ring, 8, {200, "GB/s", Measure::Bandwidth}, false, {500, "ns", Measure::Time}},
                           {Shape::Ring, 128, {50, "GB/s", Measure::Bandwidth}, false, {1, "us", Measure::Time}}};
    platform.npu.memoryBandwidth = Quantity{1600, "GB/s", Measure::Bandwidth};
    if (slowLink)
        platform.linkOverrides.push_back({100, Quantity{20, "GB/s", Measure::Bandwidth}, {}, false});
    StepsWorkload work;
    GroupSpec tensor;
    tensor.name = "tensor";
    tensor.dimensions = {0};
    GroupSpec data;
    data.name = "data";
    data.dimensions = {1};
    work.groups = {tensor, data};
    Step forward;
    forward.kind = Step::Kind::Repeat;
    forward.times = kLayers;
    forward.steps = {compute("attention", 150), collective("attention sum", "tensor", CollectiveOp::AllReduce, 16), compute("mlp", 250),
                     collective("mlp sum", "tensor", CollectiveOp::AllReduce, 16)};
    Step backward = forward;
    for (Step& step : backward.steps)
        step.name += " backward";
    backward.steps[0].duration = Quantity{300, "us", Measure::Time};
    backward.steps[2].duration = Quantity{500, "us", Measure::Time};
    Step gradients;
    gradients.kind = Step::Kind::Repeat;
    gradients.times = kLayers;
    gradients.steps = {collective("gradient", "data", CollectiveOp::ReduceScatter, 32), collective("weights", "data", CollectiveOp::AllGather, 32)};
    work.steps = {forward, backward, gradients};
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(work);
    return design;
}

const Scenario* scenarioOf(benchmark::State& state, bool slowLink)
{
    static std::map<bool, Result<ScenarioPtr>> known;
    const auto found = known.try_emplace(slowLink, prepare(stepDesign(slowLink))).first;
    if (!found->second) {
        state.SkipWithError(found->second.error().text().c_str());
        return nullptr;
    }
    return found->second.value().get();
}

void report(benchmark::State& state, const RunRecord& record)
{
    for (const EngineShare& share : record.engines)
        state.counters[share.engine] = share.share;
    state.counters["finish_ms"] = static_cast<double>(record.finish.ps) / 1e9;
}

void driver(benchmark::State& state, bool memo, bool busyOverTime)
{
    const Scenario* const scenario = scenarioOf(state, true);
    ComponentOptions components;
    components.memo = memo;
    RunOptions options;
    options.busyOverTime = busyOverTime;
    for (auto _ : state) {
        const Result<RunRecord> record = scenario ? simulateComponents(*scenario, options, components, {}) : Result<RunRecord>(Error{});
        if (!record) {
            state.SkipWithError(record.error().text().c_str());
            return;
        }
        report(state, record.value());
    }
}

void engine(benchmark::State& state, bool slowLink, EngineChoice choice)
{
    const Scenario* const scenario = scenarioOf(state, slowLink);
    RunOptions options;
    options.engine = choice;
    for (auto _ : state) {
        const Result<RunRecord> record = scenario ? simulate(*scenario, options) : Result<RunRecord>(Error{});
        if (!record) {
            state.SkipWithError(record.error().text().c_str());
            return;
        }
        report(state, record.value());
    }
}

/// Stages of 8 NPUs and 16 micro-batches, forwards and then backwards: received, worked on and summed in the stage for 0.36 ms, handed on in 0.34 ms at 49 GB/s.
std::string pipelineOf(std::int64_t npus, const std::string& outer)
{
    const std::string later = "8-" + std::to_string(npus - 1);
    const std::string earlier = "0-" + std::to_string(npus - 9);
    const auto pass = [](const std::string& tag, const std::string& from, const std::string& receivers, const std::string& to, const std::string& senders, const std::string& ready) {
        return "    - repeat: 16\n      steps:\n        - {receive: 16 MiB, from: " + from + ", tag: " + tag + ", ranks: " + receivers + ", name: input" + tag + ", after: [" + ready
            + "input" + tag + "]}\n        - {compute: 285 us, name: work" + tag + ", after: [" + ready + "input" + tag + ", sum" + tag
            + "]}\n        - {collective: all_reduce, size: 16 MiB, group: stage, name: sum" + tag + ", after: work" + tag + "}\n        - {send: 16 MiB, to: " + to + ", tag: " + tag
            + ", ranks: " + senders + ", name: output" + tag + ", after: sum" + tag + "}\n";
    };
    return "fabricscope: 1\nplatform: {topology: \"Switch(8)_Switch(" + std::to_string(npus / 8) + ")\", bandwidth: [450 GB/s, " + outer
        + "], latency: [500 ns, 1 us]}\nworkload:\n  groups:\n    - {name: stage, dimensions: [0]}\n  steps:\n" + pass("1", "-8", later, "+8", earlier, "")
        + pass("2", "+8", earlier, "-8", later, "sum1, ");
}

void pipeline(benchmark::State& state, const std::string& outer)
{
    const std::string text = pipelineOf(state.range(0), outer);
    if (const RunResultPtr last = bench::wholeCommand(state, [&text] { return readDesignText(text, "bench"); }))
        report(state, last->record());
}

} // namespace

BENCHMARK_CAPTURE(driver, slow_link_sweep_only, false, false)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(driver, slow_link_memo, true, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(driver, slow_link_memo_busy_over_time, true, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, slow_link_auto, true, EngineChoice::Auto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, without_defect_symmetry, false, EngineChoice::Auto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, without_defect_memo, false, EngineChoice::Memo)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, outer_49, "49 GB/s")->Arg(256)->Arg(512)->Arg(1024)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, outer_45, "45 GB/s")->Arg(256)->Arg(512)->Arg(1024)->Complexity()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, outer_40, "40 GB/s")->Arg(256)->Arg(512)->Arg(1024)->Complexity()->Unit(benchmark::kMillisecond);
