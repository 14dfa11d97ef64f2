#include "core/measure/relativefit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace fabricscope {

namespace {

using Rows = std::vector<std::vector<double>>;

constexpr int kRounds = 60;
constexpr std::size_t kMostRowsByPairs = 64;

double meanLogOf(const Rows& rows, const std::vector<double>& values)
{
    double sum = 0;
    for (const std::vector<double>& row : rows) {
        double ratio = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            ratio += row[i] * values[i];
        sum += ratio > 0 ? std::abs(std::log(ratio)) : 100;
    }
    return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

/// Solves the symmetric system by elimination with pivots; columns without weight are 0.
std::vector<double> solved(Rows matrix, std::vector<double> right)
{
    const std::size_t count = right.size();
    std::vector<double> values(count, 0);
    std::vector<std::size_t> pivotOf(count, count);
    std::vector<bool> used(count, false);
    for (std::size_t column = 0; column < count; ++column) {
        std::size_t best = count;
        for (std::size_t row = 0; row < count; ++row) {
            if (!used[row] && (best == count || std::abs(matrix[row][column]) > std::abs(matrix[best][column])))
                best = row;
        }
        if (best == count || !(std::abs(matrix[best][column]) > 1e-11))
            continue;
        used[best] = true;
        pivotOf[column] = best;
        for (std::size_t row = 0; row < count; ++row) {
            if (row == best)
                continue;
            const double share = matrix[row][column] / matrix[best][column];
            for (std::size_t i = column; i < count; ++i)
                matrix[row][i] -= share * matrix[best][i];
            right[row] -= share * right[best];
        }
    }
    for (std::size_t column = 0; column < count; ++column) {
        if (pivotOf[column] < count)
            values[column] = right[pivotOf[column]] / matrix[pivotOf[column]][column];
    }
    return values;
}

/// Least squares of sum = 1 with these weights; columns that would be negative are left out, the worst first.
std::vector<double> leastSquares(const Rows& rows, const std::vector<double>& weights)
{
    const std::size_t count = rows.front().size();
    std::vector<bool> in(count, true);
    while (true) {
        Rows matrix(count, std::vector<double>(count, 0));
        std::vector<double> right(count, 0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t i = 0; i < count; ++i) {
                if (!in[i])
                    continue;
                right[i] += weights[r] * rows[r][i];
                for (std::size_t j = 0; j < count; ++j)
                    matrix[i][j] += in[j] ? weights[r] * rows[r][i] * rows[r][j] : 0;
            }
        }
        std::vector<double> values = solved(std::move(matrix), std::move(right));
        const auto least = std::min_element(values.begin(), values.end());
        if (*least >= 0)
            return values;
        in[static_cast<std::size_t>(least - values.begin())] = false;
    }
}

} // namespace

RelativeFit fitRelative(const std::vector<std::vector<double>>& rows, const std::vector<double>& targets)
{
    RelativeFit best;
    if (rows.empty())
        return best;
    const std::size_t count = rows.front().size();
    // Shares of the targets, columns of size 1.
    std::vector<double> scale(count, 0);
    Rows shares = rows;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < count; ++i) {
            shares[r][i] /= targets[r];
            scale[i] = std::max(scale[i], shares[r][i]);
        }
    }
    for (std::vector<double>& row : shares) {
        for (std::size_t i = 0; i < count; ++i)
            row[i] = scale[i] > 0 ? row[i] / scale[i] : 0;
    }
    best.meanLog = std::numeric_limits<double>::infinity();
    const auto offer = [&](const std::vector<double>& values) {
        const double error = meanLogOf(shares, values);
        if (error < best.meanLog)
            best = {values, error};
    };
    std::vector<double> weights(rows.size(), 1);
    for (int round = 0; round < kRounds && best.meanLog > 1e-12; ++round) {
        const std::vector<double> values = leastSquares(shares, weights);
        offer(values);
        const double floor = std::max(1e-7, 1e-2 * std::pow(0.8, round));
        for (std::size_t r = 0; r < shares.size(); ++r) {
            double ratio = 0;
            for (std::size_t i = 0; i < count; ++i)
                ratio += shares[r][i] * values[i];
            weights[r] = 1 / std::max(std::abs(ratio - 1), floor);
        }
    }
    if (count == 2 && rows.size() <= kMostRowsByPairs && best.meanLog > 1e-12) {
        for (std::size_t a = 0; a < shares.size(); ++a) {
            if (shares[a][0] > 0)
                offer({1 / shares[a][0], 0});
            if (shares[a][1] > 0)
                offer({0, 1 / shares[a][1]});
            for (std::size_t b = a + 1; b < shares.size(); ++b) {
                const double area = shares[a][0] * shares[b][1] - shares[a][1] * shares[b][0];
                const std::vector<double> values{(shares[b][1] - shares[a][1]) / area, (shares[a][0] - shares[b][0]) / area};
                if (std::abs(area) > 1e-11 && values[0] >= 0 && values[1] >= 0)
                    offer(values);
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        best.values[i] = scale[i] > 0 ? best.values[i] / scale[i] : 0;
    return best;
}

} // namespace fabricscope
