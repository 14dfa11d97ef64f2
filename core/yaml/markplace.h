#pragma once

#include "core/base/error.h"

#include <yaml-cpp/mark.h>

#include <string>

namespace fabricscope {

/// Where yaml-cpp says that something stands; of a null mark the file alone. \param field may be empty.
Place placeOf(std::string file, const YAML::Mark& mark, std::string field = {});

} // namespace fabricscope
