#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

// The sweep engine of `links` and `ideal`: one collective, message by message, without a queue of events.
//
// Lines. The positions of a group that differ on one axis only form a line. Where a ring algorithm runs along it, every link has one
// feeder: what a link carries is what its predecessor carried before, merged with the first sends of this position. A link is FIFO, so
// what it delivers comes in the order served, whatever its speed. Hence no order has to be searched for: a line is gone round link by link,
// each merging one sorted stream with a short sorted list (ringsteps.h). Slow links, slow reducers' owners and late ranks change the
// places where first sends are merged in, and nothing else.
//
// Changing links. A rate that changes at known instants keeps the order. Delays that are drawn do not: there an arrival, too, waits until nothing earlier
// can come (ringsteps.h). Direct phases over links of two NPUs each are not lines but pairs (pairsweep.h).
//
// Windows. First sends of a phase come out of the phase before, on lines of another axis. A line may be served up to the earliest first
// send it does not know yet; a lower bound of that comes from how far the messages of the other lines have to go (maxplus.h).
//
// Verification. At every link (instant of readiness, tie key) must not fall in the order served. Then the order is the one of
// manual: models 3, and by induction over the instants the times are those of the event engine. A link that finds an
// earlier message after a later one gives the whole collective back: the answer is absent and the event engine has to do it.

struct SweepOptions {
    bool messageDigest = false;    ///< Compute CollectiveOutcome::messages (costs time).
    bool busyOverTime = false;     ///< Compute CollectiveOutcome::busy (costs time).
    bool links = true;             ///< Keep CollectiveOutcome::links.
    std::size_t mostLinks = SIZE_MAX; ///< Keep only so many of them, the busiest (of equal ones the first).
    std::int64_t memoryLimit = 0;  ///< Bytes; 0: none.
    std::uint64_t seed = 0;        ///< As RunOptions::seed.
    std::function<void(const MessageRecord&)> message;   ///< As RunOptions::message. May be empty.
    /// Every busy interval (link, begin, end), in no defined order; neighbours are not joined. May be empty.
    std::function<void(LinkId, std::int64_t, std::int64_t)> busy;
    /// At the end: every link in use, the position whose messages it carries, when its work ended. May be empty.
    std::function<void(LinkId, std::int32_t, std::int64_t)> linkEnd;
    /// Share done, 0..1; called a few hundred times at most. May be empty.
    std::function<void(double)> progress;
    /// Serves a first send up to this many ps before it is proven that no earlier message comes; verification finds where that was
    /// wrong. 0: only what is proven.
    std::int64_t hastePs = 0;
};

/// Exit times and resource use of one collective, run alone from idle resources, from the entry times of its members.
struct CollectiveOutcome {
    std::vector<std::int64_t> exitPs;     ///< By position, absolute: done with the collective, last send left its own link.
    std::int64_t quietPs = 0;             ///< From here on every resource is idle and every message delivered.
    std::int64_t messages = 0;
    std::int64_t repeats = 0;             ///< How often part of a line was taken from one that stood like it (linememo.h).
    std::vector<LinkUse> links;           ///< Used links; all: ascending, else busiest first.
    std::int64_t usedLinks = 0;
    std::vector<DimensionUse> dimensions; ///< By dimension; name and number of links are not filled in.
    CommutativeDigest digest;             ///< Of all messages, when asked for.
};

/// Why the sweep does not follow this collective (Unsupported, naming the first thing that stands in the way), or nothing. O(links used)
/// in the worst case.
Status sweepApplies(const Scenario& scenario, std::int32_t instance);

/// Runs one collective. `entriesPs`: by position, absolute, >= 0. Absent: an assumed order did not hold, the event engine has to do it.
/// Errors: those of sweepApplies(), Cancelled, MemoryLimit. Deterministic. About 1 ns per message in rings of equal blocks.
Result<std::optional<CollectiveOutcome>> sweepCollective(const Scenario& scenario, std::int32_t instance, std::span<const std::int64_t> entriesPs,
                                                         const SweepOptions& options, std::stop_token stop);

/// The whole scenario, when it is one collective of all ranks with nothing before or after it. Absent: the event engine has to do it.
/// With EngineChoice::Sweep the reason comes back as an error instead.
std::optional<Result<RunRecord>> trySweep(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);

} // namespace fabricscope
