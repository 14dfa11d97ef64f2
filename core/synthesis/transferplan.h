#pragma once

#include "core/synthesis/synthesis.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// One chunk over one link. The link is busy from start to end.
struct PlannedTransfer {
    std::int32_t link = 0;     ///< Index into SynthesisGraph::links.
    std::int32_t item = 0;     ///< Chunk that travels, see the planner.
    std::int64_t startPs = 0;
    std::int64_t endPs = 0;
};

/// Transfers in the order of their start, then of the link. One at a time on a link; a chunk leaves a rank only after it has arrived there.
struct TransferPlan {
    std::vector<PlannedTransfer> transfers;
    std::int64_t finishPs = 0;
};

/// Time a chunk of `bytes` takes over each link: latency + bytes / bandwidth, rounded up to whole ps. At least 1.
std::vector<std::int64_t> transferTimes(const SynthesisGraph& graph, std::int64_t bytes);


/// Chunks that every rank must get, each at first at one rank: all-gather, broadcast.
struct SpreadTask {
    const SynthesisGraph* graph = nullptr; ///< Without switches.
    std::vector<std::int64_t> timePs;      ///< By link.
    std::vector<std::int32_t> home;        ///< By item: the rank that has it.
};

/// When a search must end: stop token, time limit, or a plan that is longer than the best known.
class Halt {
public:
    using Clock = std::chrono::steady_clock;
    Halt() = default;
    Halt(std::stop_token stop, std::optional<Clock::time_point> deadline)
        : m_stop(std::move(stop))
        , m_deadline(deadline)
    {
    }
    bool now() const { return m_stop.stop_requested() || (m_deadline && Clock::now() >= *m_deadline); }

private:
    std::stop_token m_stop;
    std::optional<Clock::time_point> m_deadline;
};

/// Pseudo-random numbers that are the same on every machine (splitmix64).
class PlanRandom {
public:
    explicit PlanRandom(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next()
    {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    /// 0..n-1. \pre n > 0.
    std::uint64_t below(std::uint64_t n) { return next() % n; }

private:
    std::uint64_t m_state;
};

} // namespace fabricscope
