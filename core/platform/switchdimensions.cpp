#include "core/platform/switchdimensions.h"

#include <algorithm>

namespace fabricscope {

std::optional<Diagnostic> switchDimensionsWarning(const PlatformSpec& spec)
{
    const auto switches = std::count_if(spec.dimensions.begin(), spec.dimensions.end(), [](const Dimension& dimension) { return dimension.shape == Shape::Switch && dimension.size > 1; });
    if (switches < 3)
        return std::nullopt;
    Place place;
    place.field = "platform.dimensions";
    return warning("switch-dimensions", "every NPU has a port of its own at the switches of each of the " + std::to_string(switches)
                       + " dimensions of switches: this is no rail-optimised Clos, where the cables up from a leaf are shared; that is a fabric of rails under a spine", place);
}

} // namespace fabricscope
