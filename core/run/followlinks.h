#pragma once

#include "core/base/result.h"
#include "core/record/linkseries.h"
#include "core/run/rundesign.h"

#include <memory>
#include <stop_token>

namespace fabricscope {

using LinkSeriesPtr = std::shared_ptr<const LinkSeries>;

/// May the links of a run be followed one by one, in seconds? A complete run, but not under astra-unaware, which has no single links, of which all links that carried something are known, with at most so many
/// crossings of links by messages.
bool canFollowLinks(const RunResult& result);
constexpr std::int64_t kMostCrossings = 4'000'000;

/// How busy every link was over time, under flow by the rate it had: the run is made again, event by event, and is the same to the picosecond. Errors: Cancelled, MemoryLimit.
/// \pre canFollowLinks(). O(crossings * log).
Result<LinkSeriesPtr> followLinks(const RunResult& result, std::stop_token stop = {});

} // namespace fabricscope
