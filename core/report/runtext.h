#pragma once

#include "core/report/runjson.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// The result for people, at most about 100 columns: step time, use of the dimensions, ranks, warnings, assumptions, engines.
/// `rows`: Classes shows the slowest classes, All one line per rank, None no table of ranks. Told to stop: throws StopRequested
/// (stop.h).
std::string runText(const RunSummary& summary, const RunCost& cost, RankRows rows, const SeedSummary* seeds = nullptr, const std::stop_token& stop = {});

/// What `algorithm: auto` decided: a table per collective, the fastest candidates first.
std::string choicesText(const std::vector<CollectiveChoice>& choices);
/// "all_reduce of 64 MiB over 8 ranks", with the group where it is not all ranks.
std::string choiceTitle(const CollectiveChoice& choice);

/// A share of 0..1 as a percentage with one decimal, rounded from integers: "91.2 %".
std::string percentText(std::int64_t part, std::int64_t count, std::int64_t whole);

/// What the ranks that cannot go on wait for, one line each, at most 17 lines.
std::string waitsText(const RunRecord& record);

} // namespace fabricscope
