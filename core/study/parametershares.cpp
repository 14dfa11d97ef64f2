#include "core/study/parametershares.h"

#include "core/base/decimal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace fabricscope {

namespace {

/// Of one figure; empty: it has no spread.
std::vector<double> sharesOf(const StudySpec& space, const std::vector<double>& values)
{
    // Rounding would make a spread of what is the same for all.
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end())
        return {};
    const auto count = static_cast<double>(values.size());
    double mean = 0;
    for (const double value : values)
        mean += value / count;
    double spread = 0;
    for (const double value : values)
        spread += (value - mean) * (value - mean);
    if (!(spread > 0) || !std::isfinite(spread))
        return {};
    std::vector<double> out;
    std::size_t rest = values.size(); // The first parameter varies slowest.
    for (const StudyParameter& parameter : space.parameters) {
        const std::size_t size = parameter.choices.size();
        rest /= size;
        std::vector<double> sums(size, 0);
        for (std::size_t i = 0; i < values.size(); ++i)
            sums[i / rest % size] += values[i] - mean;
        const double each = count / static_cast<double>(size);
        double between = 0;
        for (const double sum : sums)
            between += sum * sum / each;
        out.push_back(std::min(between / spread, 1.0));
    }
    return out;
}

} // namespace

std::vector<ParameterShares> parameterShares(const StudySpec& space, const StudyTable& table)
{
    std::vector<ParameterShares> out;
    if (space.sampling.kind != StudySampling::Kind::Grid || static_cast<std::int64_t>(table.rows.size()) != space.designCount())
        return out;
    for (const StudyObjective& objective : space.objectives) {
        std::vector<double> values;
        for (const StudyTableRow& row : table.rows) {
            if (!row.figures[objective.figure])
                break;
            values.push_back(*row.figures[objective.figure]);
        }
        if (values.size() != table.rows.size())
            continue;
        ParameterShares shares;
        shares.figure = objective.figure;
        shares.alone = sharesOf(space, values);
        if (shares.alone.empty())
            continue;
        shares.together = 1;
        for (const double share : shares.alone)
            shares.together -= share;
        shares.together = std::max(shares.together, 0.0);
        out.push_back(std::move(shares));
    }
    return out;
}

std::vector<SampledShares> sampledShares(const StudySpec& space, const StudyTable& table)
{
    std::vector<SampledShares> out;
    if (space.sampling.kind != StudySampling::Kind::Saltelli || static_cast<std::int64_t>(table.rows.size()) != space.designCount())
        return out;
    const std::size_t width = space.parameters.size() + 2;
    for (const StudyObjective& objective : space.objectives) {
        std::vector<double> values;
        for (std::size_t row = 0; row < table.rows.size(); row += width) {
            for (std::size_t i = row; i < row + width && table.rows[i].figures[objective.figure]; ++i)
                values.push_back(*table.rows[i].figures[objective.figure]);
            values.resize(values.size() / width * width); // All of a row or none.
        }
        std::optional<VarianceShares> shares = varianceShares(values, space.parameters.size(), space.sampling.seed);
        if (shares)
            out.push_back({objective.figure, static_cast<std::int64_t>(values.size() / width), std::move(*shares)});
    }
    return out;
}

std::string sharesText(const StudySpec& space, const StudyTable& table)
{
    const auto percent = [](double share) { return shortDecimal(std::llround(share * 1000), 1) + " %"; };
    std::string out;
    for (const ParameterShares& shares : parameterShares(space, table)) {
        out.append("spread of ").append(rowOf(shares.figure).key).append(": ");
        for (std::size_t i = 0; i < shares.alone.size(); ++i)
            out.append(space.parameters[i].name).append(" ").append(percent(shares.alone[i])).append(", ");
        out.append("together ").append(percent(shares.together)).append("\n");
    }
    const auto interval = [&percent](const ResampledShare& share) { return percent(share.value) + " (" + percent(share.low) + " to " + percent(share.high) + ")"; };
    for (const SampledShares& sampled : sampledShares(space, table)) {
        out.append("spread of ").append(rowOf(sampled.figure).key).append(" over ").append(std::to_string(sampled.rows)).append(" rows, alone and in all:");
        for (std::size_t i = 0; i < space.parameters.size(); ++i)
            out.append(i > 0 ? ", " : " ").append(space.parameters[i].name).append(" ").append(interval(sampled.shares.first[i])).append(" and ").append(interval(sampled.shares.total[i]));
        out.append("\n");
    }
    return out;
}

} // namespace fabricscope
