#pragma once

#include "core/record/timelinesource.h"
#include "core/run/rundesign.h"
#include "widgets/base/valuerows.h"
#include "widgets/timeline/geometry.h"

#include <QString>

#include <optional>
#include <vector>

namespace fabricscope {

/// What an inspector says about a selected thing. A plain value.
struct SelectionDetails {
    QString title;
    QString subtitle;
    std::optional<Activity> swatch; ///< Of an interval.
    int dimension = -1;             ///< Of a link or dimension, for its chip.
    std::vector<ValueRow> rows;
    QString whyTitle;               ///< "Why 2.543 ms"; empty: nothing to explain.
    QString whyUnit;                ///< Of the values of `why`.
    std::vector<ValueRow> why;      ///< Parts, then their exact sum.
    std::int32_t instance = -1;     ///< Collective that can be stepped through; -1: none.
    std::int64_t rank = -1;         ///< For "Show on timeline"; -1: none.
};

/// An interval of the timeline. `rankClass`, `task`: of it in the record; with -1 it is looked for by id and times.
SelectionDetails eventDetailsOf(const RunResult& result, const TimelineEvent& event, std::int32_t rankClass = -1, TaskIndex task = -1);
SelectionDetails linkDetails(const RunResult& result, LinkId link);
SelectionDetails npuDetails(const RunResult& result, NodeId npu);
SelectionDetails dimensionDetails(const RunResult& result, int dimension);
SelectionDetails rangeDetails(const TimeRange& range, const TimelineSums& sums);

/// Parts and their sum in one unit with as many digits as show all of them exactly: ms, µs or ns with three decimals, or ps.
struct ExactRows {
    QString unit;
    std::vector<ValueRow> rows; ///< The last is the sum.
};
ExactRows exactRows(const std::vector<std::pair<QString, std::int64_t>>& partsPs, const QString& sumLabel);

} // namespace fabricscope
