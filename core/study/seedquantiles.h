#pragma once

#include "core/study/spacerun.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Which of n sorted numbers bound a quantile of what they are drawn from, whatever that is: each end holds with 95 %. From 0.
struct OrderRanks {
    std::int64_t at = 0;                 ///< The quantile of the numbers themselves.
    std::optional<std::int64_t> low{};   ///< Absent: there are too few numbers.
    std::optional<std::int64_t> high{};  ///< As of 298 numbers and fewer for 0.99, as 0.99^298 is above 5 %.
};

/// O(numbers). \pre 0 < part < 1, numbers > 0
OrderRanks orderRanks(std::int64_t numbers, double part);

/// A figure of one design over seeds.
struct SeedSpread {
    struct Quantile {
        double value = 0;
        std::optional<double> low{}; ///< Absent: open.
        std::optional<double> high{};
    };
    static constexpr std::array<std::pair<const char*, double>, 3> kParts{{{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}}};

    std::int64_t number = 0; ///< Of its first seed.
    std::vector<std::string> labels; ///< Of the other parameters.
    PointFigure figure = PointFigure::StepTime;
    std::int64_t seeds = 0; ///< That are done.
    std::array<Quantile, kParts.size()> quantiles{};
};

/// The parameter that varies `network.seed` alone.
std::optional<std::size_t> seedParameter(const StudySpec& space);

/// Of each objective that a run tells, for each choice of the other parameters, by number; nothing where no parameter is the seed.
std::vector<SeedSpread> seedSpreads(const StudySpec& space, const StudyTable& table);

} // namespace fabricscope
