#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// Groups of different size, and what joins them.
struct UnequalGroups {
    Dimension inside;                ///< Shape and figures within a group; `size` does not count.
    std::vector<std::int32_t> sizes; ///< NPUs of each group, e.g. 4 and 6.
    std::optional<Dimension> join;   ///< Switch that joins all NPUs; its size is the number of groups. Absent: one group.
};

/// The groups written out as nodes and links. NPUs are numbered group by group and called "group0.npu0", ...; a Switch inside a group is
/// "group0.switch", the one that joins them "switch". `npu_bandwidth` is divided by the links an NPU has in its own group.
/// Errors (field "platform.dimensions[...]"): no group, a size outside 1..2^20, more than 2^20 NPUs or kMaxUnequalLinks links, several groups
/// without a switch, a joining dimension that is no Switch or has another size.
Result<PlatformSpec> expandUnequalGroups(const UnequalGroups& groups);

/// Is it such a platform? Its ways are those of dimensions. Told by the names of its nodes, so that it is one also when it was saved as nodes and links. O(nodes).
bool isUnequalGroups(const PlatformSpec& spec);

constexpr std::int64_t kMaxUnequalLinks = 1 << 20; ///< As many as a routed graph may have (kMaxGraphLinks): every link is stored.

} // namespace fabricscope
