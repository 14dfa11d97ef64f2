#pragma once

#include "core/measure/rowpredictions.h"
#include "core/measure/transferscores.h"

#include <span>
#include <stop_token>
#include <string_view>

namespace fabricscope {

/// A line of the accuracy table: measured rows, and how they are predicted.
struct AccuracySet {
    enum class How : std::uint8_t {
        EachSystem, ///< A fabric fitted to each set of rows.
        OneSite,    ///< A fabric fitted to all sets of a site.
        OtherSites, ///< A fabric fitted to all other sites with the same GPU: nothing of the own site is known.
        Presets,    ///< Presets as they are.
        Steps       ///< predictRows(): with numbers of the machine, some of them fitted to every second row.
    };
    std::string_view name;
    std::string_view title;
    MeasuredKind kind = MeasuredKind::Collectives;
    How how = How::EachSystem;
    std::string_view file; ///< Of resources/measured, without its ending.
    std::string_view more = {}; ///< A second one; empty: none.
};

/// All sets, in the order of the table.
std::span<const AccuracySet> accuracySets();

/// A set with its parts: the first score is all of it.
struct AccuracyResult {
    std::vector<SetScore> scores;
};

/// Predicts the rows of a set; `tables` are those of its files. Rows of systems with fewer than four rows of 64 KiB and more are left out: two cannot be fitted and scored.
/// Errors: those of predicting, Cancelled.
Result<AccuracyResult> accuracyOf(const AccuracySet& set, const std::vector<MeasuredTable>& tables, const std::stop_token& stop);

} // namespace fabricscope
