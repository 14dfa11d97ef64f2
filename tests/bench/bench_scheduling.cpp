// Orders between dimensions on the fabrics of the Themis paper's kind: what each scheduler makes of an all-reduce of 1 GiB in 64 chunks.
// Counters: simulated time, utilisation of the bandwidth of all dimensions together, and both against the baseline of the same fabric.
#include "core/scenario/lowering.h"
#include "tests/unit/support/cases/themisfabrics.h"

#include <benchmark/benchmark.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

void schedule(benchmark::State& state, const PlatformSpec& platform, DimensionScheduler scheduler, InsideScheduler inside)
{
    const RunRecord baseline = runDesign(themisDesign(platform, DimensionScheduler::Baseline));
    const Design design = themisDesign(platform, scheduler, inside);
    RunRecord record;
    for (auto _ : state)
        record = runDesign(design);
    const double before = utilisation(platform, baseline);
    const double now = utilisation(platform, record);
    state.counters["simulated_ms"] = static_cast<double>(record.finish.ps) * 1e-9;
    state.counters["utilisation_percent"] = 100 * now;
    state.counters["utilisation_ratio"] = now / before;
    state.counters["speed_up"] = static_cast<double>(baseline.finish.ps) / static_cast<double>(record.finish.ps);
}

const int kRegistered = [] {
    for (const ThemisFabric& fabric : themisFabrics()) {
        for (const auto& [name, scheduler] : kDimensionSchedulers) {
            for (const auto& [word, inside] : kInsideSchedulers) {
                benchmark::RegisterBenchmark((fabric.name + "/" + std::string(name) + "/" + std::string(word)).c_str(),
                                             [platform = fabric.platform, scheduler = scheduler, inside = inside](benchmark::State& state) { schedule(state, platform, scheduler, inside); })
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
    return 0;
}();

} // namespace
