#include "core/scenario/minimax.h"

#include <algorithm>
#include <cstddef>

namespace fabricscope {

std::vector<double> minimaxWeights(const std::vector<std::vector<double>>& rows)
{
    // With y = x / (largest column): maximise sum y, where no column of y * rows exceeds 1. The slack variables are a first basis.
    constexpr double kTiny = 1e-12;
    const std::size_t count = rows.size();
    const std::size_t columns = rows.empty() ? 0 : rows[0].size();
    double largest = 0;
    for (const std::vector<double>& row : rows)
        largest = std::max(largest, *std::max_element(row.begin(), row.end()));

    const std::size_t width = count + columns + 1; // y, slack, right-hand side
    std::vector<std::vector<double>> table(columns, std::vector<double>(width, 0.0));
    std::vector<double> gain(width, 0.0);
    std::vector<std::size_t> basis(columns);
    for (std::size_t d = 0; d < columns; ++d) {
        for (std::size_t o = 0; o < count; ++o)
            table[d][o] = rows[o][d] / largest;
        table[d][count + d] = 1;
        table[d][width - 1] = 1;
        basis[d] = count + d;
    }
    std::fill(gain.begin(), gain.begin() + static_cast<std::ptrdiff_t>(count), 1.0);

    for (;;) {
        std::size_t entering = 0; // Bland: the first that gains, and of equal ratios the lowest variable leaves; so it ends.
        while (entering + 1 < width && gain[entering] <= kTiny)
            ++entering;
        if (entering + 1 == width)
            break;
        std::size_t leaving = columns;
        double best = 0;
        for (std::size_t d = 0; d < columns; ++d) {
            if (table[d][entering] <= kTiny)
                continue;
            const double ratio = table[d][width - 1] / table[d][entering];
            if (leaving == columns || ratio < best - kTiny || (ratio <= best + kTiny && basis[d] < basis[leaving])) {
                leaving = d;
                best = ratio;
            }
        }
        if (leaving == columns)
            break;
        const double pivot = table[leaving][entering];
        for (double& value : table[leaving])
            value /= pivot;
        const auto reduce = [&](std::vector<double>& row) {
            const double factor = row[entering];
            for (std::size_t i = 0; i < width; ++i)
                row[i] -= factor * table[leaving][i];
        };
        for (std::size_t d = 0; d < columns; ++d) {
            if (d != leaving)
                reduce(table[d]);
        }
        reduce(gain);
        basis[leaving] = entering;
    }

    std::vector<double> weights(count, 0.0);
    double sum = 0;
    for (std::size_t d = 0; d < columns; ++d) {
        if (basis[d] < count) {
            weights[basis[d]] = std::max(table[d][width - 1], 0.0);
            sum += weights[basis[d]];
        }
    }
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

} // namespace fabricscope
