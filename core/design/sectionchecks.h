#pragma once

#include "core/design/design.h"

namespace fabricscope {

/// Problems of one section of a design, with their places; parts of validate().
Diagnostics validateNetwork(const Design& design);
Diagnostics validateCompute(const Design& design);
Diagnostics validateScheduling(const Design& design);
/// Figures that cannot be meant (valueranges.h), but for those of the platform; work on 0 bytes.
Diagnostics validateValues(const Design& design);

} // namespace fabricscope
