#pragma once

#include "core/insight/explain.h"

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// For people, at most about 100 columns: the time and its parts, the diagnosis, the longest rows of blame, the parameters. Told to stop: throws StopRequested.
/// `tree`: also whyTree(), its longest nodes.
std::string explanationText(const Explanation& explanation, bool tree = false, const std::stop_token& stop = {});
/// {"schema": 1, "result": {...}, "run": {...}} (manual: json). `tree`: also whyTree(), all of it. Told to stop: throws StopRequested.
std::string explanationJson(const Explanation& explanation, bool tree = false, const std::stop_token& stop = {});

/// Times of a path by what they went by for, longest first; they add up to the time explained.
std::vector<std::pair<PathCause, std::int64_t>> causesOf(const CriticalPath& path);
/// Rows of blame of tasks of one name on one rank are one, longest first.
std::vector<BlameRow> withoutNodes(const std::vector<BlameRow>& blame);
/// "serialisation", "remote memory": for people.
std::string causeText(PathCause cause);

} // namespace fabricscope
