#pragma once

#include <vector>

namespace fabricscope {

/// Numbers of at least 0 whose sums, weighted by the coefficients of each row, come close to the targets of the rows.
struct RelativeFit {
    std::vector<double> values; ///< One per column.
    double meanLog = 0;         ///< Mean of |ln(sum / target)|: exp(meanLog) - 1 is the error of the fit.
};

/// Makes the mean of |ln(sum / target)| small: relative least squares, again with weights of 1 over the residual, and of two columns also what is exact in every one or two rows. Exact where the rows are.
/// \pre rows are as many as targets, of equal length (1 to 6), coefficients at least 0, targets above 0. O(rows^3) of two columns and up to 64 rows, else O(rows).
RelativeFit fitRelative(const std::vector<std::vector<double>>& rows, const std::vector<double>& targets);

} // namespace fabricscope
