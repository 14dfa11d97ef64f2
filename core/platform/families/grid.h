#pragma once

#include "core/platform/fabric/family.h"

#include <array>
#include <vector>

namespace fabricscope {

/// NPUs on a grid, the first coordinate fastest; axes of more than two may be closed.
struct Grid {
    std::vector<std::int64_t> sizes{};
    std::vector<bool> wrap{};
    std::int64_t parallel = 1; ///< Cables of an axis of two.

    std::int64_t npus() const { return product(sizes); }
};

FabricPlan planOf(const Grid& grid);
void wire(const Grid& grid, const CableSink& sink);

} // namespace fabricscope
