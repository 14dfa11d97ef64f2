#pragma once

#include "core/report/runjson.h"
#include "core/run/rundesign.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace fabricscope::bench {

/// Whether there is no value; the benchmark then says why and must return.
template <typename T>
bool failed(benchmark::State& state, const Result<T>& result)
{
    if (!result)
        state.SkipWithError(result.error().text().c_str());
    return !result;
}

/// What `simulate` and `collective` do: `read` gives a Result<LoadedDesign>, which is checked, run and told as JSON without rows of ranks. N is the
/// first argument. Returns the last run; null where one failed.
template <typename Read>
RunResultPtr wholeCommand(benchmark::State& state, const Read& read)
{
    RunDesignOptions options;
    options.taskTimes = false;
    RunResultPtr last;
    for (auto _ : state) {
        const Result<LoadedDesign> loaded = read();
        const auto result = loaded ? runDesign(std::make_shared<const Design>(loaded.value().design), loaded.value().diagnostics, options)
                                   : Result<RunResultPtr>(loaded.error());
        if (failed(state, result))
            return nullptr;
        last = result.value();
        benchmark::DoNotOptimize(runJson(last->summary, last->cost, RankRows::None));
    }
    state.SetComplexityN(state.range(0));
    return last;
}

} // namespace fabricscope::bench
