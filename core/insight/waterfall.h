#pragma once

#include "core/insight/designchanges.h"
#include "core/run/rundesign.h"

#include <functional>
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

/// Why B takes another time than A. Each item starts where the one before ends, the first at A and the last at B, so their deltas add up to B - A
/// exactly. Items of zero are listed.
struct Waterfall {
    SimTime a;
    SimTime b;
    std::vector<WaterfallItem> items;
};

/// What an axis of all its times spans.
struct WaterfallSpan {
    SimTime low;  ///< Not zero where the changes are small: then the axis begins shortly before the least time, and should say so.
    SimTime high;
};

/// O(items).
WaterfallSpan spanOf(const Waterfall& waterfall);

struct WaterfallOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t memoryLimit = 0;                   ///< Bytes, of each run; 0: none.
    std::function<void(int done, int of)> progress; ///< Runs done, on the calling thread. May be empty.
};

/// Makes the changes one after the other and runs the design after each but the last, after which it is B: one run less than there are changes.
/// \param order numbers of rows of `changes`, each once, all of them; empty: as they stand
/// Without changes A and B must have taken the same time. Errors: Stuck, where A or B never ends; Cancelled, MemoryLimit, Internal.
Result<Waterfall> waterfall(const DesignChanges& changes, const RunRecord& a, const RunRecord& b, std::vector<std::size_t> order, const WaterfallOptions& options,
                            const std::stop_token& stop = {});

} // namespace fabricscope
