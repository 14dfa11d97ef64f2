#pragma once

#include "core/design/file/reader.h"

namespace fabricscope {

/// Parts of the platform section that say what the fabric is by other means than dimensions and nodes.
/// `file`, with `kind` (fabrickind.h) where its content does not say it, and `link_figures`; reads the file and remembers its name for the hash.
void readFabricFile(DesignReading& reading, const MapReader& map, PlatformSpec& spec);

/// `topology: "Ring(4)_Switch(8)"` with `bandwidth` or `npu_bandwidth` and `latency`: one value, or a list with one per dimension that has
/// none in its brackets.
void readTopology(DesignReading& reading, const MapReader& map, PlatformSpec& spec);

/// Is there a dimension with `sizes`?
bool hasUnequalGroups(const MapReader& map);
/// Groups of unequal size: `inside` and `join` are the dimensions as read; of `join` only `size` may be left out. `fields` are their places.
void addUnequalGroups(DesignReading& reading, const MapReader& map, std::vector<Dimension> dimensions, PlatformSpec& spec);

} // namespace fabricscope
