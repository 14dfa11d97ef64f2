#pragma once

#include "core/sim/simulate.h"

#include <benchmark/benchmark.h>

#include <cstdint>

namespace fabricscope::bench {

/// Simulates once per iteration and returns the messages of all of them; an error ends the benchmark.
inline std::int64_t simulateAgain(benchmark::State& state, const Result<ScenarioPtr>& scenario, const RunOptions& options)
{
    std::int64_t messages = 0;
    for (auto _ : state) {
        const auto record = scenario ? simulate(*scenario.value(), options) : Result<RunRecord>(scenario.error());
        if (!record) {
            state.SkipWithError(record.error().text().c_str());
            return messages;
        }
        messages += record.value().engines.front().messages;
    }
    return messages;
}

} // namespace fabricscope::bench
