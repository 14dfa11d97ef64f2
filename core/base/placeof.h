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

} // namespace fabricscope
