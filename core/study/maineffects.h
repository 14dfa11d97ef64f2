#pragma once

#include "core/study/spacerun.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// The mean of a figure over the designs that are done and have it, by the values of one parameter.
struct MainEffect {
    struct Value {
        std::string label;
        double mean = 0;
        std::int64_t designs = 0; ///< At least 1.
    };
    std::size_t parameter = 0;
    std::vector<Value> values; ///< In the order of the study; those of some design.

    double least() const; ///< Of the means.
    double most() const;
};

/// Of each parameter with two values or more that some design has, those first whose means are furthest apart; none of ranges without points. O(designs x parameters).
std::vector<MainEffect> mainEffects(const StudySpec& space, const StudyTable& table, PointFigure figure);

} // namespace fabricscope
