#pragma once

#include "core/insight/designchanges.h"
#include "core/run/rundesign.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// One change of a waterfall: the finish before and after it, all changes before it being made.
struct WaterfallItem {
    std::size_t change = 0; ///< Number of a row of DesignChanges.
    SimTime from;
    SimTime to;
    bool apart = true;      ///< False: a design with it and without the next gives no time; the next item that does contains it.
    std::string why{};      ///< Where it is not apart: what became of that design. No trailing stop.

    SimTime delta() const { return to - from; }
};

/// Over which orders the changes of a waterfall are means.
struct WaterfallMean {
    int orders = 0;      ///< 0: it is of one order, the one of its items.
    bool all = false;    ///< All orders there are.
    int withoutTime = 0; ///< Designs between that give no time: what they change counts with the next change of their order.

    explicit operator bool() const { return orders > 0; }
};

/// Why B takes another time than A. Each item starts where the one before ends, the first at A and the last at B, so their deltas add up to B - A
/// exactly. Items of zero are listed. Of a mean, from and to are sums of means: times of no design, which may be negative.
struct Waterfall {
    SimTime a;
    SimTime b;
    std::vector<WaterfallItem> items;
    WaterfallMean mean{};
};

/// What an axis of all its times spans.
struct WaterfallSpan {
    SimTime low;  ///< Above zero where the changes are small: then the axis begins shortly before the least time, and should say so. Below zero for some means.
    SimTime high;
};

/// O(items).
WaterfallSpan spanOf(const Waterfall& waterfall);

struct WaterfallOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t memoryLimit = 0;                   ///< Bytes, of each run; 0: none.
    std::vector<std::string> order{};               ///< Of compareDesigns(): fields to change first, in this order; the others follow as the file has them.
    bool mean = false;                              ///< Of compareDesigns(): meanWaterfall() instead of one order.
    std::function<void(int done, int of)> progress; ///< Runs done, on the calling thread. May be empty.
};

/// Makes the changes one after the other and runs the design after each but the last, after which it is B: one run less than there are changes.
/// \param order numbers of rows of `changes`, each once, all of them; empty: as they stand
/// Without changes A and B must have taken the same time. Errors: Stuck, where A or B never ends; Cancelled, MemoryLimit, Internal.
Result<Waterfall> waterfall(const DesignChanges& changes, const RunRecord& a, const RunRecord& b, std::vector<std::size_t> order, const WaterfallOptions& options,
                            const std::stop_token& stop = {});

/// A design between A and B, run.
struct DesignBetween {
    std::optional<SimTime> finish;
    std::string why{}; ///< There is none: it is refused, its files are gone, the engine does not do it, or it never ends.
};

/// A with the named rows of B. Told to stop: throws StopRequested (stop.h) or is Cancelled. Errors: Cancelled, MemoryLimit, Internal.
Result<DesignBetween> runBetween(const DesignChanges& changes, std::span<const std::size_t> numbers, const WaterfallOptions& options, const std::stop_token& stop);

/// Numbers of the rows: those of the named fields first, in that order, then the others as they stand. O(rows * fields).
std::vector<std::size_t> orderOf(const DesignChanges& changes, const std::vector<std::string>& fields);

} // namespace fabricscope
