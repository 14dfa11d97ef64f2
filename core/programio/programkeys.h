#pragma once

#include "core/program/program.h"

#include <array>
#include <string_view>

namespace fabricscope {

// Words for the parts of a program in our files, by the number of the enumerator.

constexpr std::array<std::string_view, 11> kOpKindKeys{"send", "receive", "receive_reduce", "copy", "reduce", "compute", "put", "signal", "wait", "switch_reduce", "switch_multicast"};
constexpr std::array<std::string_view, 5> kBufferKeys{"input", "output", "scratch", "none", "fused"};
constexpr std::array<std::string_view, 10> kOpKeys{"all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "barrier", "custom"};
constexpr std::array<std::string_view, 4> kProtocolKeys{"any", "simple", "ll", "ll128"};
constexpr std::array<std::string_view, 5> kPhaseKeys{"reduce_scatter", "all_gather", "all_reduce", "all_to_all", "broadcast"};
constexpr std::array<std::string_view, 5> kAlgorithmKeys{"ring", "direct", "halving_doubling", "double_binary_tree", "in_network"};

} // namespace fabricscope
