#include "core/hierarchy/boundlevels.h"

#include "core/base/index.h"

#include <utility>

namespace fabricscope {

std::vector<BoundLevel> boundLevels(std::span<const GroupLevels::Used> used, std::span<const std::int32_t> order)
{
    std::vector<BoundLevel> levels;
    std::size_t size = 1;
    for (std::size_t i = 0; i + 1 < used.size(); ++i) {
        size *= at(used[i].extent);
        BoundLevel level{used[i].name, std::vector<std::int32_t>(order.size())};
        for (std::size_t position = 0; position < order.size(); ++position)
            level.blockOf[at(order[position])] = static_cast<std::int32_t>(position / size);
        levels.push_back(std::move(level));
    }
    return levels;
}

} // namespace fabricscope
