#pragma once

#include "core/draw/drawing.h"
#include "core/insight/designset.h"

namespace fabricscope {

/// The platforms of all designs that have one, two beside one another, with their letters and names and the heat of their runs: an NPU is as large in each, as of a size that
/// all of them fit at. Empty where fewer than two designs have one, or all have the same. `width` in pixels.
Drawing designsFigure(const DesignSet& set, double width = 720);

} // namespace fabricscope
