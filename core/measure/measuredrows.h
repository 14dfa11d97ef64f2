#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A table of measurements: CSV with a header; cells may stand between quotes.
struct MeasuredTable {
    struct Row {
        int line = 0; ///< Of the file, 1 the header's.
        std::vector<std::string> cells; ///< As many as the header has.
    };
    std::string file;
    std::vector<std::string> header;
    std::vector<Row> rows;

    /// Its column; -1: there is none.
    std::int32_t column(std::string_view name) const;
    const std::string& cell(const Row& row, std::string_view name) const; ///< "" where there is no such column.
    /// A number above 0; nothing where the cell is empty or no number.
    std::optional<double> number(const Row& row, std::string_view name) const;
    /// A whole number of 1 to 2^31, or an error that names line and column.
    Result<std::int64_t> whole(const Row& row, std::string_view name) const;
};

/// Reads at most 100,000 rows. Errors: an open quote, rows of other lengths than the header's, no header; with line.
Result<MeasuredTable> readMeasuredRows(std::string_view text, const std::string& file);

/// How far predictions are from measurements. In errorfigures.cpp.
struct ErrorFigures {
    std::int64_t rows = 0;
    double errorPct = 0;   ///< Geometric mean of the larger over the smaller of the two, less 1.
    double mapePct = 0;    ///< Mean of |predicted - measured| / measured.
    double kendallTau = 0; ///< Of their orders, ties taken out (tau-b); 0 of fewer than two rows.
};
/// Pairs of predicted and measured, all above 0. O(n log n).
ErrorFigures errorFigures(const std::vector<std::pair<double, double>>& pairs);

/// Rows of one model as plans to choose from: how good the choice by prediction is. In errorfigures.cpp.
struct RankedModel {
    std::string model;      ///< The cell that names it.
    std::int64_t rows = 0;  ///< Predicted.
    double overBestPct = 0; ///< How much longer the row predicted best was measured than the best one.
    double kendallTau = 0;  ///< Of the orders by prediction and by measurement; 0 of fewer than two rows.
};
/// Pairs of predicted and measured by the name of their model, in the order of first appearance; those of equal predictions by the order of rows. O(n log n).
std::vector<RankedModel> rankedModels(const std::vector<std::pair<std::string, std::pair<double, double>>>& rows);

} // namespace fabricscope
