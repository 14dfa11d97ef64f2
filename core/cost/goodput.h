#pragma once

#include <cstdint>

namespace fabricscope {

/// Failures come at random, so and so often; also while a checkpoint is written and while the job restarts (manual: costs 3). Seconds.
struct FailureTimes {
    double mtbf = 0;       ///< Of the job.
    double checkpoint = 0; ///< That one stops the step.
    double restart = 0;    ///< Detect, start again, read.
};

/// Useful time between checkpoints: first order, higher order, exact. \pre mtbf and checkpoint are positive
double youngInterval(const FailureTimes& times);
double dalyInterval(const FailureTimes& times);
double bestInterval(const FailureTimes& times);

/// Share of the time that is of use. \pre mtbf and interval are positive
double goodput(const FailureTimes& times, double interval);

/// Useful time until a number of segments is done, with failures drawn from a seed.
struct SimulatedGoodput {
    std::int64_t failures = 0;
    double clock = 0; ///< Seconds until the last segment was kept.
    double share = 0;
};
SimulatedGoodput simulateGoodput(const FailureTimes& times, double interval, std::int64_t segments, std::uint64_t seed);

} // namespace fabricscope
