#include "core/study/seedquantiles.h"

#include "core/base/index.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricscope {

namespace {

constexpr double kHolds = 0.95;

bool isOfRun(PointFigure figure)
{
    const FigureNeeds needs = rowOf(figure).needs;
    return needs == FigureNeeds::Run || needs == FigureNeeds::PlanRun || needs == FigureNeeds::RunAndParts;
}

} // namespace

OrderRanks orderRanks(std::int64_t numbers, double part)
{
    const auto count = static_cast<double>(numbers);
    OrderRanks ranks;
    ranks.at = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(part * count - 1e-9)) - 1, 0, numbers - 1);
    // Number k from 0 is no more than the quantile where at least k + 1 of all are, no less where at most k are below: both by the binomial distribution.
    double log = count * std::log1p(-part);
    double below = 0; // Chance of at most k.
    for (std::int64_t k = 0; k < numbers; ++k) {
        below += std::exp(log);
        if (1 - below >= kHolds)
            ranks.low = k;
        if (!ranks.high && below >= kHolds)
            ranks.high = k;
        log += std::log((count - static_cast<double>(k)) / static_cast<double>(k + 1)) + std::log(part) - std::log1p(-part);
    }
    return ranks;
}

std::optional<std::size_t> seedParameter(const StudySpec& space)
{
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        if (space.parameters[i].fields == std::vector<std::string>{"network.seed"})
            return i;
    }
    return std::nullopt;
}

std::vector<SeedSpread> seedSpreads(const StudySpec& space, const StudyTable& table)
{
    std::vector<SeedSpread> out;
    const std::optional<std::size_t> seed = seedParameter(space);
    if (!seed)
        return out;
    for (const StudyObjective& objective : space.objectives) {
        if (!isOfRun(objective.figure))
            continue;
        std::map<std::vector<std::string>, std::pair<std::int64_t, std::vector<double>>> groups;
        for (const StudyTableRow& row : table.rows) {
            if (row.state != StudyTableRow::State::Done || !row.figures[objective.figure])
                continue;
            std::vector<std::string> labels = row.labels;
            labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(*seed));
            auto& [number, values] = groups.try_emplace(std::move(labels), row.number, std::vector<double>()).first->second;
            values.push_back(*row.figures[objective.figure]);
        }
        const auto begin = static_cast<std::ptrdiff_t>(out.size());
        for (auto& [labels, group] : groups) {
            auto& [number, values] = group;
            std::sort(values.begin(), values.end());
            SeedSpread spread{number, labels, objective.figure, static_cast<std::int64_t>(values.size()), {}};
            for (std::size_t i = 0; i < SeedSpread::kParts.size(); ++i) {
                const OrderRanks ranks = orderRanks(spread.seeds, SeedSpread::kParts[i].second);
                SeedSpread::Quantile& quantile = spread.quantiles[i];
                quantile.value = values[at(ranks.at)];
                if (ranks.low)
                    quantile.low = values[at(*ranks.low)];
                if (ranks.high)
                    quantile.high = values[at(*ranks.high)];
            }
            out.push_back(std::move(spread));
        }
        std::sort(out.begin() + begin, out.end(), [](const SeedSpread& a, const SeedSpread& b) { return a.number < b.number; });
    }
    return out;
}

} // namespace fabricscope
