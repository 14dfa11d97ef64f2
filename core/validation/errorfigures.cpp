#include "core/validation/measuredrows.h"

#include "core/base/kendall.h"

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
    out.kendallTau = kendallTau(pairs).value_or(0);
    return out;
}

} // namespace fabricscope
