#pragma once

#include "core/measure/accuracysets.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

/// A row of a table as it was predicted; seconds.
struct ValidatedRow {
    std::size_t row = 0;
    std::optional<double> predicted; ///< Absent: `reason` says why.
    double measured = 0;
    bool fitted = false;             ///< The set was fitted to it: it does not score.
    std::string reason;
};

/// A table of measurements, predicted.
struct Validated {
    MeasuredTable table;
    std::vector<SetScore> sets;      ///< The first is all rows.
    std::vector<ValidatedRow> rows;  ///< In the order of the table.
    std::vector<RankedModel> models; ///< Where rows name their model by params_b.
};

std::string validatedText(const Validated& validated);
std::string validatedJson(const Validated& validated);

/// A set of the accuracy table.
struct AccuracyLine {
    const AccuracySet* set = nullptr;
    AccuracyResult result;
};
/// One line for each set; `parts`: also for the sets it is made of.
std::string accuracyText(const std::vector<AccuracyLine>& lines, bool parts);
std::string accuracyJson(const std::vector<AccuracyLine>& lines);

} // namespace fabricscope::cli
