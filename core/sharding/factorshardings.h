#pragma once

#include "core/model/graph/opfactors.h"
#include "core/sharding/devicelayout.h"

namespace fabricscope {

/// The axes of one tensor of an op, by factor.
struct FactorShardings {
    std::vector<AxisList> byFactor; ///< One per factor of the op; empty where the tensor does not hold it.
    std::vector<AxisList> rest;     ///< Per dim: axes at the end of its list that no factor of it can take (its sizes do not divide).
};

/// Which axes each factor of a dim gets: a dim of one factor hands on all; in a dim of several the first takes as many as divide it, only a full one lets the next have any,
/// and axes are split into sub-axes where a factor ends. O(axes).
FactorShardings toFactors(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& dims);

/// The way back: axes per dim. A factor behind one that is not full in a dim of several factors loses its axes, as does what does not divide there.
std::vector<AxisList> toDims(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& byFactor);

} // namespace fabricscope
