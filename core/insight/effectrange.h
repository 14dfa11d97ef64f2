#pragma once

#include "core/insight/explain.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

namespace fabricscope {

/// What the line of an effect says of the finish with the number at so many per cent of what it is: times with rates as their reciprocal, all else as it was.
std::int64_t finishOnLine(std::int64_t finishPs, const ParameterEffect& effect, std::int32_t percent);

/// How much the simulated finish may be off the line: a picosecond for every piece of the path, as each is rounded by itself, and a millionth of what the
/// number decides, as the number is rounded too.
std::int64_t lineTolerance(const CriticalPath& path, const ParameterEffect& effect);

/// Finds the ranges of the effects that decide most by simulating again, at most `options.mostConfirmed` of them. Steps of 1, 5, 20 and 50 per cent are tried
/// until the finish leaves the line, then the last of them is halved down to one per cent: what lies between simulated changes is taken to hold.
/// `found`: told after each of so many effects; may be empty. Errors: those of simulate(). \pre the explanation is of the whole run
Status findRanges(Explanation& explanation, const ExplainOptions& options, const std::function<void(std::size_t done, std::size_t of)>& found, const std::stop_token& stop = {});

/// How runs with a changed number are simulated: only the finish is wanted.
RunOptions finishOnly(const ExplainOptions& options);

} // namespace fabricscope
