#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope {

/// A packing problem: maximise (or minimise) sum cost_j x_j, 0 <= x_j <= most_j, with rows sum a_ij x_j <= b_i. Solved by GLPK.
class LinearProgram {
public:
    /// `limits`: b_i, all finite.
    explicit LinearProgram(std::vector<double> limits);

    struct Column {
        double cost = 1;
        double most = -1;      ///< Upper bound; below 0: none.
        bool integer = false;
        std::vector<std::pair<std::int32_t, double>> entries; ///< (row, a), each row once.
    };
    void add(Column column) { m_columns.push_back(std::move(column)); }
    /// Row `row` must be reached exactly.
    void fix(std::int32_t row) { m_equal[at(row)] = true; }

    struct Solution {
        bool found = false;           ///< Optimal, or for integer problems the best within the limit.
        bool optimal = false;
        double value = 0;
        std::vector<double> x;
        std::vector<double> duals;    ///< By row; of problems without integers.
    };
    /// Deterministic: what limits the search for integers is its number of steps, not time. Throws std::bad_alloc.
    Solution maximise(std::int64_t mostSteps = kMostSteps, const std::stop_token& stop = {}) const { return solve(true, mostSteps, stop); }
    Solution minimise(std::int64_t mostSteps = kMostSteps, const std::stop_token& stop = {}) const { return solve(false, mostSteps, stop); }
    static constexpr std::int64_t kMostSteps = 20'000;

private:
    struct Question;
    Solution solve(bool maximise, std::int64_t mostSteps, const std::stop_token& stop) const;

    std::vector<double> m_limits;
    std::vector<bool> m_equal;
    std::vector<Column> m_columns;
};

} // namespace fabricscope
