#pragma once

#include "core/planner/placementtimes.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope::cli {

/// A placement as a table of its instructions, its ratios and rounds.
std::string placementText(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);
/// The same as JSON (manual: json).
std::string placementJson(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);

/// One file and number of devices of --table.
struct PlacementTableRow {
    std::string file;
    std::int64_t devices = 0;
    UnequalPlacement best;
    PlacementTimes times;
    std::optional<double> even; ///< Cost of the best program with even ratios; none: it does not fit.
    std::optional<std::int64_t> evenNs;
};

/// The rows as a table of Markdown, seconds "estimated / simulated"; both in placetable.cpp.
std::string placementTableText(const std::vector<PlacementTableRow>& rows);
std::string placementTableJson(const std::vector<PlacementTableRow>& rows);

} // namespace fabricscope::cli
