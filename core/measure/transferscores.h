#pragma once

#include "core/measure/fabricfit.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// How far a fabric is from the rows of a set that it was not fitted to.
struct SetScore {
    std::string name;
    ErrorFigures figures;                  ///< Of the rows that score.
    std::optional<double> below1MiBPct;    ///< Absent: no row of these sizes scores.
    std::optional<double> to64MiBPct;
    std::optional<double> abovePct;
    std::optional<double> from64KiBPct;    ///< Of the rows that score and could have been fitted.
    std::size_t fittedRows = 0;
    std::vector<std::string> fitted;       ///< Names of fitted numbers; empty: none.
    std::optional<double> bestInSamplePct; ///< Error of as many numbers fitted to all rows of 64 KiB and more.
    std::string fabric;                    ///< YAML of the fitted sections; empty: nothing was fitted.
};

/// A row, in seconds.
struct PredictedTransfer {
    MeasuredTransfer transfer;
    std::optional<double> predicted; ///< Absent: `reason` says why.
    bool fitted = false;             ///< The fabric was fitted to it: it does not score.
    std::string reason;
};

struct ScoredSet {
    SetScore score;
    std::vector<PredictedTransfer> rows;
};

/// Rows by bytes; of those of at least 64 KiB the 1st, 3rd, 5th, ... are fitted, all others score. Of a site of several sets each for itself, one fabric for all.
/// Errors: those of the fitter. \pre sets are not empty
Result<ScoredSet> fitAndScore(const std::vector<TransferSet>& site, const std::string& name, FabricFitter& fitter);
/// A fabric fitted to all of `others`: all of `rows` score. \pre neither is empty
Result<ScoredSet> scoreFitted(const std::vector<MeasuredTransfer>& others, const std::vector<MeasuredTransfer>& rows, const std::string& name, FabricFitter& fitter);
/// On a fabric as it is: all rows score.
Result<ScoredSet> scoreOn(const Design& fabric, const TransferSet& set, const std::stop_token& stop);

/// Figures of the rows that score, by size.
void fillScore(SetScore& score, const std::vector<PredictedTransfer>& rows);
/// The rows of all sets together; the fitted numbers are those of the set that has most.
SetScore scoreTogether(const std::string& name, const std::vector<ScoredSet>& sets);

} // namespace fabricscope
