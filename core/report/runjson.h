#pragma once

#include "core/record/runrecord.h"

#include <string>

namespace fabricscope {

} // namespace fabricscope
