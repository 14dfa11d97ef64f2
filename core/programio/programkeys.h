#pragma once

#include "core/program/program.h"

#include <array>
#include <string_view>

namespace fabricscope {

// Words for the parts of operations in our files, by the number of the enumerator; the others stand with their enumerations in program.h.

constexpr std::array<std::string_view, 11> kOpKindKeys{"send", "receive", "receive_reduce", "copy", "reduce", "compute", "put", "signal", "wait", "switch_reduce", "switch_multicast"};
constexpr std::array<std::string_view, 5> kBufferKeys{"input", "output", "scratch", "none", "fused"};

} // namespace fabricscope
