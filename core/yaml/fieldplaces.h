#pragma once

#include "core/base/error.h"

#include <map>
#include <string>

namespace fabricscope {

/// Where the fields of a design stand: field path ("platform.dimensions[0].size") to place.
using FieldPlaces = std::map<std::string, Place>;

/// Place of a field, or of the nearest part around it that is known; always with `field` set. In fieldreader.cpp.
Place placeOf(const FieldPlaces& places, const std::string& field);

} // namespace fabricscope
