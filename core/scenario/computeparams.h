#pragma once

#include "core/design/computeconfig.h"
#include "core/design/design.h"
#include "core/scenario/scenario.h"

#include <memory>

namespace fabricscope {

constexpr std::int64_t kMillion = 1'000'000; ///< Shares are whole millionths.

/// A table of shares in integers.
struct ShareTable {
    struct Point {
        std::int64_t upTo = 0;  ///< INT64_MAX: no end.
        std::int64_t share = 0; ///< Millionths, 1..10^6.
    };
    std::vector<Point> points;  ///< Ascending; empty: everything reaches the whole.

    /// Share of an operation of this size, in millionths. Steps: that of the first entry whose upTo is not exceeded, else of the last.
    /// Linear: up to the first entry its share, from entry a to entry b  a.share + (b.share - a.share) (amount - a.upTo) / (b.upTo - a.upTo)
    /// rounded down, at least 1; above the last entry its share. O(log points).
    std::int64_t of(std::int64_t amount, bool linear) const;
};

/// Section `compute` of a design in the units of the engines.
struct ComputeParams {
    struct Kind {
        std::string name; ///< Pattern; the general tables have none.
        ShareTable operations;
        ShareTable bytes;
        bool hasOperations = false;
        bool hasBytes = false;
    };
    struct Resident {
        std::string name;
        std::int64_t bytes = 0;
        RankSet ranks; ///< Empty: all.
    };

    bool linear = false;
    Kind general;
    std::vector<Kind> kinds;
    bool followMemory = true;       ///< Live bytes, where anything is known of them.
    bool memoryWanted = false;      ///< The design asks for it.
    std::vector<Resident> resident;
    // Slow-down, millionths.
    std::int64_t smShare = 0;
    std::int64_t bandwidthShare = 0;
    std::int64_t mostShare = 0;
    std::int64_t reducerLoss = 0;

    bool hasEfficiency() const { return general.hasOperations || general.hasBytes || !kinds.empty(); }
    /// Computation depends on what is under way, which only the event engine follows.
    bool needsEvents() const { return smShare > 0 || bandwidthShare > 0 || reducerLoss > 0; }
    /// Shares of peak and memory bandwidth this operation reaches, in millionths.
    std::int64_t operationsShare(std::string_view name, std::int64_t operations) const;
    std::int64_t bytesShare(std::string_view name, std::int64_t bytes) const;
};

/// The tables of a section `compute` alone.
ComputeParams efficiencyOf(const ComputeConfig& config);

/// Does the name fit the pattern ("*" any characters, "?" one)? O(name * pattern) at worst.
bool fitsPattern(std::string_view name, std::string_view pattern);

/// Time of a task of the compute slot, as two bounds: it takes the larger one. A time that does not follow from operations and bytes is both.
struct ComputeWork {
    std::int64_t operationsPs = 0;
    std::int64_t bytesPs = 0;
    std::int64_t duration() const { return operationsPs > bytesPs ? operationsPs : bytesPs; }
};

/// What the workload says the task takes.
std::int64_t recordedDuration(const RankGraph& graph, TaskIndex task);

/// What the task takes on the NPU of this rank when nothing else runs there. In this order: a duration of our own steps; with roofline
/// ceil(operations 10^18 / (peak share)) and ceil(bytes 10^18 / (memory bandwidth share)) as far as known, one rounding each, the share of an efficiency
/// table in millionths (10^6 without one); the recorded duration. Divided by the NPU's speed, rounded up.
ComputeWork computeWork(const Structure& structure, const Params& params, std::int32_t rank, TaskIndex task);

/// Absent when the design says nothing. Adds what it used to `params.list`; \pre the rest of `params` is complete.
std::shared_ptr<const ComputeParams> makeComputeParams(const Design& design, const Structure& structure, Params& params, Diagnostics& diagnostics);

} // namespace fabricscope
