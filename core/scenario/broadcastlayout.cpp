#include "core/scenario/broadcastlayout.h"

namespace fabricscope {

GroupLayout startingAt(GroupLayout layout, std::int32_t rank)
{
    const std::int32_t first = layout.positionOf(rank);
    if (first <= 0)
        return layout;
    std::vector<std::int32_t> turned;
    for (std::int32_t position = 0; position < layout.size(); ++position) {
        std::int32_t from = 0;
        std::int32_t stride = 1;
        for (const std::int32_t extent : layout.extents) {
            from += (position / stride + first / stride) % extent * stride;
            stride *= extent;
        }
        turned.push_back(layout.rankAt(from));
    }
    layout.base = 0;
    layout.strides.clear();
    layout.list = std::move(turned);
    return layout;
}

} // namespace fabricscope
