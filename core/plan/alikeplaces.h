#pragma once

#include "core/plan/spreadmodel.h"

namespace fabricscope {

// Of a model seen through a plan; in spreadmodel.cpp.

/// The same model with the stages of another layout, which differs in nothing but the schedule, the order of the axes and what is shared of states. `layout` outlives it. O(layers + stages).
void restage(SpreadModel& spread, const PlanLayout& layout);

/// Places of the pipeline that hold the same parts of the model: what one of them computes and sends, the others do.
struct AlikePlaces {
    std::vector<std::size_t> classOf;  ///< By place.
    std::vector<std::int64_t> example; ///< By class: its first place.
};
/// O(places x classes x stages of a place).
AlikePlaces alikePlaces(const SpreadModel& spread);

} // namespace fabricscope
