#pragma once

#include "core/base/error.h"
#include "core/platform/platform.h"

#include <optional>

namespace fabricscope {

/// What a graph of these dimensions is not, for who writes dimensions as nodes and links or counts their switches: three or more dimensions of switches are often meant as a
/// rail-optimised Clos, where the cables up from a leaf are shared (warning "switch-dimensions"). Nothing for fewer. O(dimensions).
std::optional<Diagnostic> switchDimensionsWarning(const PlatformSpec& spec);

} // namespace fabricscope
