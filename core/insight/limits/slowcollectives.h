#pragma once

#include "core/insight/explain.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// Sentences about collectives on the path that take more than a quarter longer than their lower bound, that of any algorithm (core/bounds): one for each kind that could
/// save a tenth of the time, most first. The edit lets `auto` choose, where no rule of the design chooses for some of them. None where `auto` chose already or bounds are not known.
/// Told to stop: throws StopRequested. O(pieces + instances + ranks * families).
std::vector<DiagnosisItem> slowCollectives(const Explanation& explanation, const std::stop_token& stop = {});

/// Runs the design once more with the edit of these items, and notes what that saves. Errors: those of runDesign(), but for Unsupported: then nothing is confirmed.
Status confirmSlowCollectives(Explanation& explanation, const ExplainOptions& options, const std::stop_token& stop = {});

} // namespace fabricscope
