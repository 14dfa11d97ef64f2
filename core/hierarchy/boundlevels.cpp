#include "core/hierarchy/boundlevels.h"

#include "core/base/index.h"

#include <map>
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

std::vector<BoundLevel> boundLevels(const UnevenLevels& levels)
{
    std::vector<BoundLevel> out;
    std::int64_t above = 1; // slots that differ in the digits of higher levels only
    for (const GroupLevels::Used& level : levels.used)
        above *= level.extent;
    for (std::size_t i = 0; i + 1 < levels.used.size(); ++i) {
        above /= levels.used[i].extent;
        std::map<std::int64_t, std::int32_t> blocks; // by those digits
        BoundLevel level{levels.used[i].name, std::vector<std::int32_t>(levels.order.size())};
        for (std::size_t position = 0; position < levels.order.size(); ++position)
            level.blockOf[at(levels.order[position])] = blocks.try_emplace(levels.places[position] % above, static_cast<std::int32_t>(blocks.size())).first->second;
        out.push_back(std::move(level));
    }
    return out;
}

} // namespace fabricscope
