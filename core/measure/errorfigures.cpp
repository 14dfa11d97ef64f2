#include "core/measure/measuredrows.h"

#include "core/base/kendall.h"

#include <algorithm>
#include <cmath>
#include <map>

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

std::vector<RankedModel> rankedModels(const std::vector<std::pair<std::string, std::pair<double, double>>>& rows)
{
    std::vector<RankedModel> models;
    std::vector<std::vector<std::pair<double, double>>> pairs;
    std::map<std::string_view, std::size_t> indices;
    for (const auto& [name, pair] : rows) {
        const auto [found, isNew] = indices.emplace(name, models.size());
        if (isNew) {
            models.push_back({name, 0, 0, 0});
            pairs.emplace_back();
        }
        pairs[found->second].push_back(pair);
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto chosen = std::min_element(pairs[i].begin(), pairs[i].end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto best = std::min_element(pairs[i].begin(), pairs[i].end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        models[i].rows = static_cast<std::int64_t>(pairs[i].size());
        models[i].overBestPct = (chosen->second / best->second - 1) * 100;
        models[i].kendallTau = kendallTau(pairs[i]).value_or(0);
    }
    return models;
}

} // namespace fabricscope
