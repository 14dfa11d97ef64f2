#include "core/sim/common/dimensionuses.h"

namespace fabricscope {

std::int32_t portsPerNpu(const Dimension& dimension)
{
    return dimension.shape == Shape::Switch && dimension.size > 1 ? 2 : dimension.linksPerNpu();
}

std::vector<DimensionUse> dimensionUses(const Platform& platform)
{
    std::vector<DimensionUse> uses;
    if (platform.isExplicit()) {
        uses.resize(1);
        uses[0].name = "links";
        uses[0].links = platform.linkCount();
        return uses;
    }
    for (const Dimension& dimension : platform.dimensions()) {
        const std::size_t number = uses.size();
        DimensionUse& use = uses.emplace_back();
        use.name = "dimension " + std::to_string(number) + ", " + std::string(shapeName(dimension.shape)) + "(" + std::to_string(dimension.size) + ")";
        use.links = std::int64_t{portsPerNpu(dimension)} * platform.npuCount();
    }
    return uses;
}

} // namespace fabricscope
