#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// Which node runs which rank. Several jobs share one rank numbering: job j owns the ranks firstRank(j)..
/// Ranks are numbered through all jobs; nodes without a rank are idle.
class Placement {
public:
    struct Job {
        std::string name;
        std::int32_t ranks = 0;
        std::int32_t firstNode = 0;      ///< With `nodes` empty: rank r of the job runs on firstNode + r * stride.
        std::int32_t stride = 1;
        std::vector<NodeId> nodes;       ///< Explicit list, one per rank; empty: the formula above.
        friend bool operator==(const Job&, const Job&) = default;
    };

    Placement() = default;
    /// Rank r on node r, one job of `ranks`.
    static Placement identity(std::int32_t ranks);
    /// Rank r on the r-th NPU that is left, in ascending order; `identity` where none is removed.
    /// \pre ranks <= platform.remainingNpus().
    static Placement onRemaining(const Platform& platform, std::int32_t ranks);
    /// Refuses nodes outside 0..npus-1 and nodes used twice.
    static Result<Placement> create(std::vector<Job> jobs, std::int32_t npus);
    /// Refuses removed NPUs too.
    static Result<Placement> create(std::vector<Job> jobs, const Platform& platform);

    std::int32_t rankCount() const { return m_rankCount; }
    NodeId nodeOf(std::int32_t rank) const;
    std::int32_t jobOf(std::int32_t rank) const;
    std::span<const Job> jobs() const { return m_jobs; }
    bool isIdentity() const { return m_identity; }
    friend bool operator==(const Placement&, const Placement&) = default;

private:
    std::vector<Job> m_jobs;
    std::vector<std::int32_t> m_firstRank;
    std::int32_t m_rankCount = 0;
    bool m_identity = true;
};

} // namespace fabricscope
