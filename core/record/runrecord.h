#pragma once

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/rankset.h"
#include "core/base/units.h"
#include "core/design/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Times of one rank; ranks with equal values form a class.
struct RankTimes {
    bool finished = true;
    SimTime finish;          ///< End of the last task; of a stuck rank: its last event.
    SimTime exposedComm;     ///< astra-*: as the reference defines it (finish - compute); else communication in flight and no compute.
    SimTime compute;         ///< Length of the union of NPU compute tasks.
    SimTime comm;            ///< ... of collectives, sends and receives, from issue to end.
    SimTime host;            ///< ... of host tasks.
    SimTime memory;          ///< ... of remote memory accesses.
    // Roofline figures as the reference prints them; only with roofline on.
    double computeBoundShare = 0;
    double computeUtilisation = 0;
    double memoryUtilisation = 0;
    double operationIntensity = 0;

    friend bool operator==(const RankTimes&, const RankTimes&) = default;
};

/// Start and end of every task of a class of ranks, in task order; -1: never issued or never ended.
struct TaskTimes {
    std::vector<std::int64_t> issuePs;
    std::vector<std::int64_t> endPs;
    friend bool operator==(const TaskTimes&, const TaskTimes&) = default;
};

/// Ranks whose times are the same in every respect.
struct RankClass {
    RankSet ranks;
    std::int32_t job = 0;
    RankTimes times;
    std::shared_ptr<const TaskTimes> tasks; ///< Absent when not recorded.
};

/// Busy time of a resource over the run in equal buckets; the bucket width doubles until the run fits.
/// Deterministic: depends only on the busy intervals. All in ps.
class BusyPyramid {
public:
    static constexpr std::size_t kBuckets = 1024;

    void add(std::int64_t beginPs, std::int64_t endPs); ///< A busy interval; O(buckets covered).
    std::int64_t bucketPs() const { return m_width; }
    const std::vector<std::int64_t>& busyPs() const { return m_busy; }
    std::int64_t total() const { return m_total; }
    /// What bucketPs() and busyPs() gave, read back from a file.
    static BusyPyramid restored(std::int64_t bucketPs, std::vector<std::int64_t> busy)
    {
        BusyPyramid pyramid;
        pyramid.m_width = bucketPs;
        for (const std::int64_t part : busy)
            pyramid.m_total += part;
        pyramid.m_busy = std::move(busy);
        return pyramid;
    }

private:
    std::int64_t m_width = 1 << 10;
    std::int64_t m_total = 0;
    std::vector<std::int64_t> m_busy;
};

/// Use of one dimension (all its links together) or of one explicit link class.
struct DimensionUse {
    std::string name;            ///< "dimension 0, Ring(8)".
    std::int64_t links = 0;
    std::int64_t messages = 0;   ///< Message hops.
    std::int64_t bytes = 0;
    std::int64_t busyPs = 0;     ///< Sum over links.
    std::int64_t peakLinkPs = 0; ///< Busiest link.
    BusyPyramid busy;            ///< Over all links.
    double busyShare(SimTime finish) const; ///< busyPs / (links * finish), 0..1; may exceed 1 under astra-unaware (phantom bandwidth).
};

/// Use of one directed link.
struct LinkUse {
    std::int64_t link = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t busyPs = 0;
};

/// A rank that cannot go on, and what it waits for; a ring of these is a deadlock.
struct Wait {
    std::int32_t rank = 0;
    std::uint64_t node = 0;
    std::string task;               ///< "ALL_REDUCE 'grad' in group 3".
    std::string reason;             ///< "rank 2 has not entered; it is in ALL_GATHER node 4".
    std::vector<std::int32_t> onRanks;
};

struct EngineShare {
    std::string engine;
    std::int64_t messages = 0;
    double share = 1;
};

struct MemoryUse; // memoryuse.h

/// What a run leaves behind: times, totals, digests; no log of messages. Immutable once published.
struct RunRecord {
    Model model = Model::Links;
    std::string version;
    bool complete = true;             ///< Every rank finished.
    std::optional<SimTime> cutAt;     ///< Simulated only up to here: the run goes on, or was cancelled. Then not complete, and no waits.
    SimTime finish;                   ///< Of the last rank.
    std::optional<SimTime> lowerBound;
    std::int32_t rankCount = 0;
    std::vector<RankClass> classes;   ///< In ascending order of their first rank.
    std::vector<std::int32_t> finishOrder; ///< Ranks in the order they finished; under astra-* the order of the result lines.
    std::vector<DimensionUse> dimensions;
    std::vector<LinkUse> links;       ///< Busiest first; at most kMaxLinks, complete when `allLinks`.
    bool allLinks = false;
    std::vector<Wait> waits;          ///< Not empty when !complete.
    Diagnostics diagnostics;          ///< Assumptions (notes) and warnings of the run.
    Digest fingerprint;               ///< Of all task times.
    CommutativeDigest messages;       ///< Of all messages (messagerecord.h), links and ideal.
    std::int64_t events = 0;
    std::vector<EngineShare> engines;
    std::shared_ptr<const MemoryUse> memory; ///< Live bytes of ranks over time; absent: not followed.

    static constexpr std::size_t kMaxLinks = 4096;
};

using RunRecordPtr = std::shared_ptr<const RunRecord>;

} // namespace fabricscope
