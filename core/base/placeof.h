#pragma once

#include "core/base/error.h"

#include <string>
#include <utility>

namespace fabricscope {

/// A whole file, as the user named it.
inline Place placeOfFile(std::string file)
{
    Place place;
    place.file = std::move(file);
    return place;
}

/// A line of it, and a column; both 1-based, 0: unknown.
inline Place placeOfLine(std::string file, int line, int column = 0)
{
    Place place = placeOfFile(std::move(file));
    place.line = line;
    place.column = column;
    return place;
}

} // namespace fabricscope
