#include "core/base/kendall.h"

#include <cmath>

namespace fabricscope {

std::optional<double> kendallTau(const std::vector<std::pair<double, double>>& pairs)
{
    double order = 0;
    double untiedFirst = 0;
    double untiedSecond = 0;
    const auto sign = [](double a, double b) { return a > b ? 1.0 : a < b ? -1.0 : 0.0; };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double first = sign(pairs[i].first, pairs[j].first);
            const double second = sign(pairs[i].second, pairs[j].second);
            order += first * second;
            untiedFirst += first * first;
            untiedSecond += second * second;
        }
    }
    return untiedFirst > 0 && untiedSecond > 0 ? std::optional(order / std::sqrt(untiedFirst * untiedSecond)) : std::nullopt;
}

} // namespace fabricscope
