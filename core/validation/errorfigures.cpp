#include "core/validation/measuredrows.h"

#include <cmath>

namespace fabricscope {

ErrorFigures errorFigures(const std::vector<std::pair<double, double>>& pairs)
{
    ErrorFigures out;
    out.rows = static_cast<std::int64_t>(pairs.size());
    if (pairs.empty())
        return out;
    double logs = 0;
    double shares = 0;
    for (const auto& [predicted, measured] : pairs) {
        logs += std::abs(std::log(predicted / measured));
        shares += std::abs(predicted - measured) / measured;
    }
    const auto count = static_cast<double>(pairs.size());
    out.errorPct = (std::exp(logs / count) - 1) * 100;
    out.mapePct = shares / count * 100;
    double order = 0;
    double untiedPredicted = 0;
    double untiedMeasured = 0;
    const auto sign = [](double value) { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double a = sign(pairs[i].first - pairs[j].first);
            const double b = sign(pairs[i].second - pairs[j].second);
            order += a * b;
            untiedPredicted += a * a;
            untiedMeasured += b * b;
        }
    }
    if (untiedPredicted > 0 && untiedMeasured > 0)
        out.kendallTau = order / std::sqrt(untiedPredicted * untiedMeasured);
    return out;
}

} // namespace fabricscope
