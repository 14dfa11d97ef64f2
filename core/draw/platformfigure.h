#pragma once

#include "core/draw/drawing.h"
#include "core/draw/platformheat.h"
#include "core/platform/platform.h"

namespace fabricscope {

struct PlatformFigureOptions {
    double width = 720;      ///< Of the picture.
    double mostHeight = 420; ///< The platform is scaled to fit.
    bool dimensionColors = false; ///< Links in the colour of their dimension; else by heat.
};

/// The platform as on the canvas: NPUs, links, switches, groups, with overridden links taken out of their bundles. Groups named "npus",
/// "links", "overrides" hold those shapes. 2^20 NPUs are drawn as groups: the size of the picture does not depend on the number of NPUs.
Drawing platformFigure(const Platform& platform, const PlatformHeat& heat, const PlatformFigureOptions& options = {});

/// The scale of heat with what its ends mean, one line high.
Drawing heatLegend();

/// "37 → D2 switch", or names of an explicit graph.
std::string linkText(const Platform& platform, LinkId link);
/// "128 NPUs in groups of 8; ..." in one sentence: sizes and shapes from the inside out.
std::string platformSentence(const Platform& platform);

} // namespace fabricscope
