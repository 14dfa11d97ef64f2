#pragma once

#include "core/draw/platformfigure.h"

namespace fabricscope {

// Pictures of several platforms in which an NPU is as large; in platformfigure.cpp.

/// Pixels of one of the layout (PlatformLayout::size()) that platformFigure() draws at.
double platformFigureScale(const Platform& platform, const PlatformFigureOptions& options = {});
/// platformFigure() at most at this scale. At the least of several platforms all of them fit and are drawn to one scale.
Drawing platformFigureAt(const Platform& platform, const PlatformHeat& heat, double scale, const PlatformFigureOptions& options = {});

} // namespace fabricscope
