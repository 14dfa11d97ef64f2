#pragma once

#include "core/sharding/stablehlo/mlirtext.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fabricscope::mlir {

/// What a region of scalars returns for these arguments (truth values as 0 and 1); none where it has an op that is not computed here, or uses what stands around it. O(ops).
std::optional<std::vector<double>> returnOf(const Region& region, const std::vector<double>& arguments);

/// How a comparator of `operands` tensors, as sort has it, orders: by the first tensor alone.
enum class ElementOrder : std::uint8_t { Rising, Falling };
/// None: by something else, or it is not understood.
std::optional<ElementOrder> orderOf(const Region& comparator, std::size_t operands);

/// Of a region over (value, index, value, index) that returns one of the two pairs: Max or Min by the values, by the index where they are equal (argmax, argmin). None: something else.
std::optional<ReduceKind> pairJoinOf(const Region& region);

} // namespace fabricscope::mlir
