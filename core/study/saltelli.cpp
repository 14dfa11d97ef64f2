#include "core/study/saltelli.h"

#include "core/base/seededhash.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace fabricscope {

namespace {

/// What a row adds to each sum, so that a resample is a sum over rows.
class RowTerms {
public:
    RowTerms(std::span<const double> outputs, std::size_t dimensions) : m_dimensions(dimensions), m_rows(outputs.size() / (dimensions + 2))
    {
        const std::size_t width = dimensions + 2;
        double mean = 0; // Taken off, or products of large outputs drown what differs.
        for (std::size_t row = 0; row < m_rows; ++row)
            mean += (outputs[row * width] + outputs[row * width + 1]) / 2 / static_cast<double>(m_rows);
        m_terms.reserve(m_rows * columns());
        for (std::size_t row = 0; row < m_rows; ++row) {
            const double a = outputs[row * width] - mean;
            const double b = outputs[row * width + 1] - mean;
            m_terms.push_back((a + b) / 2);
            m_terms.push_back((a * a + b * b) / 2);
            for (std::size_t i = 0; i < dimensions; ++i) {
                const double mixed = outputs[row * width + 2 + i] - mean;
                m_terms.push_back(b * (mixed - a));
                m_terms.push_back((a - mixed) * (a - mixed) / 2);
            }
        }
    }

    std::size_t rows() const { return m_rows; }
    /// First order and total of each input, over these rows; empty: they have no variance.
    std::vector<double> sharesOf(const std::vector<std::size_t>& rows) const
    {
        std::vector<double> sums(columns(), 0);
        for (const std::size_t row : rows) {
            for (std::size_t column = 0; column < columns(); ++column)
                sums[column] += m_terms[row * columns() + column];
        }
        for (double& sum : sums)
            sum /= static_cast<double>(rows.size());
        const double variance = sums[1] - sums[0] * sums[0];
        if (!(variance > 0) || !std::isfinite(variance))
            return {};
        std::vector<double> shares(sums.begin() + 2, sums.end());
        for (double& share : shares)
            share /= variance;
        return shares;
    }

private:
    std::size_t columns() const { return 2 + 2 * m_dimensions; }

    std::size_t m_dimensions;
    std::size_t m_rows;
    std::vector<double> m_terms;
};

/// By share, the values of all resamples.
std::vector<std::vector<double>> resampled(const RowTerms& terms, std::size_t shares, std::uint64_t seed)
{
    constexpr std::size_t kManyRows = 20'000;
    const std::int64_t resamples = terms.rows() > kManyRows ? 100 : 400;
    std::vector<std::vector<double>> out(shares);
    std::vector<std::size_t> rows(terms.rows());
    for (std::int64_t resample = 0; resample < resamples; ++resample) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] = seededHash(seed, {resample, static_cast<std::int64_t>(i)}) % rows.size();
        const std::vector<double> found = terms.sharesOf(rows);
        for (std::size_t i = 0; i < found.size(); ++i)
            out[i].push_back(found[i]);
    }
    return out;
}

} // namespace

std::optional<VarianceShares> varianceShares(std::span<const double> outputs, std::size_t dimensions, std::uint64_t seed)
{
    const RowTerms terms(outputs, dimensions);
    // Rounding would make a variance of what is the same for all.
    if (terms.rows() < 2 || std::adjacent_find(outputs.begin(), outputs.end(), std::not_equal_to<>()) == outputs.end())
        return std::nullopt;
    std::vector<std::size_t> all(terms.rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<double> values = terms.sharesOf(all);
    if (values.empty())
        return std::nullopt;
    std::vector<std::vector<double>> drawn = resampled(terms, values.size(), seed);
    VarianceShares out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::sort(drawn[i].begin(), drawn[i].end());
        const std::size_t outside = drawn[i].size() / 40; // 2.5 % at each end.
        ResampledShare share{values[i], values[i], values[i]};
        if (!drawn[i].empty()) {
            share.low = std::min(values[i], drawn[i][outside]);
            share.high = std::max(values[i], drawn[i][drawn[i].size() - 1 - outside]);
        }
        (i % 2 == 0 ? out.first : out.total).push_back(share);
    }
    return out;
}

} // namespace fabricscope
