#pragma once

#include "core/design/edits/edits.h"

namespace fabricscope {

// followDimensions() is in dimensionedits.cpp, what all edits use in edits.cpp.

/// Old and new dimensions of a fabric, and which became which.
struct DimensionChange {
    std::vector<Dimension> before;
    std::vector<Dimension> after;
    std::vector<std::int32_t> target; ///< Number in `after` of each of `before`; -1: gone.
};

/// Carries overrides, listed nodes, groups and algorithms per dimension over to the new numbers.
Status followDimensions(YamlDocument& yaml, const DimensionChange& change, edits::Dropped* dropped);

/// Gives the key at `path` another name, in place.
Status renameKey(YamlDocument& yaml, const std::string& path, const std::string& name);

/// Takes out item `index` of the list at `list`; with the last item the list goes, and what holds it when nothing else is in it.
Status removeListItem(YamlDocument& yaml, const std::string& list, std::size_t index);

} // namespace fabricscope
