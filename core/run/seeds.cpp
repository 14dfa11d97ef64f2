#include "core/run/seeds.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

namespace fabricscope {

std::int64_t SeedTimes::percentile(int percent) const
{
    std::vector<std::int64_t> sorted = finishPs;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Result<SeedTimes> simulateSeeds(const Scenario& scenario, const RunOptions& options, std::uint64_t firstSeed, std::int32_t count, int threads, std::stop_token stop)
{
    SeedTimes times;
    times.firstSeed = firstSeed;
    times.finishPs.resize(static_cast<std::size_t>(count), 0);
    std::vector<std::optional<Error>> errors(times.finishPs.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < times.finishPs.size(); i = next++) {
            RunOptions own = options;
            own.seed = firstSeed + i;
            own.taskTimes = false;
            own.busyOverTime = false;
            own.progress = nullptr;
            own.partial = nullptr;
            own.message = nullptr;
            const Result<RunRecord> record = simulate(scenario, own, stop);
            if (!record)
                errors[i] = record.error();
            else if (!record.value().complete)
                errors[i] = Error{ErrorCode::Stuck, "the simulation cannot finish under seed " + std::to_string(own.seed), {}, {}};
            else
                times.finishPs[i] = record.value().finish.ps;
        }
    };
    {
        std::vector<std::jthread> others;
        for (int i = 1; i < std::min(threads, count); ++i)
            others.emplace_back(work);
        work();
    }
    for (const std::optional<Error>& error : errors) {
        if (error)
            return *error;
    }
    return times;
}

} // namespace fabricscope
