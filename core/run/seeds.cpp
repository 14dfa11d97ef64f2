#include "core/run/seeds.h"

#include "core/base/outofmemory.h"
#include "core/base/workers.h"

#include <algorithm>
#include <optional>

namespace fabricscope {

std::int64_t SeedTimes::percentile(int percent) const
{
    std::vector<std::int64_t> sorted = finishPs;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

namespace {

/// The finish time under one seed.
Result<std::int64_t> finishUnder(const Scenario& scenario, const RunOptions& options, std::uint64_t seed, const std::stop_token& stop)
{
    RunOptions own = options;
    own.seed = seed;
    own.taskTimes = false;
    own.busyOverTime = false;
    own.progress = nullptr;
    own.partial = nullptr;
    own.message = nullptr;
    const Result<RunRecord> record = simulate(scenario, own, stop);
    if (!record)
        return record.error();
    if (!record.value().complete)
        return Error{ErrorCode::Stuck, "the simulation cannot finish under seed " + std::to_string(seed), {}, {}};
    return record.value().finish.ps;
}

Result<SeedTimes> simulateAll(const Scenario& scenario, const RunOptions& options, std::uint64_t firstSeed, std::int32_t count, int threads, const std::stop_token& stop)
{
    SeedTimes times;
    times.firstSeed = firstSeed;
    times.finishPs.resize(static_cast<std::size_t>(count), 0);
    std::vector<std::optional<Error>> errors(times.finishPs.size());
    forEachItem(times.finishPs.size(), threads, [&](std::size_t i) {
        Result<std::int64_t> finish = finishUnder(scenario, options, firstSeed + i, stop);
        if (finish)
            times.finishPs[i] = finish.value();
        else
            errors[i] = std::move(finish).error();
        return !errors[i]; // Earlier seeds have begun: the first error is among them.
    });
    for (const std::optional<Error>& error : errors) {
        if (error)
            return *error;
    }
    return times;
}

} // namespace

Result<SeedTimes> simulateSeeds(const Scenario& scenario, const RunOptions& options, std::uint64_t firstSeed, std::int32_t count, int threads, std::stop_token stop)
{
    return catchOutOfMemory([&] { return simulateAll(scenario, options, firstSeed, count, threads, stop); });
}

} // namespace fabricscope
