#pragma once

#include "core/sharding/stablehlo/hlobuilder.h"

#include <string_view>

namespace fabricscope::mlir {

/// How an op that becomes ops of the graph is read.
struct HloOpRow {
    std::string_view word; ///< Without its dialect.
    std::size_t least = 1; ///< Operands.
    std::size_t most = 1;
    HloValue (*read)(HloBuilder& builder, const HloOperands& in, Diagnostics& notes) = nullptr;
};

/// The row of "stablehlo.reshape"; null: none. Functions of elements have none.
const HloOpRow* hloOpRow(std::string_view name);
/// "reshape" of "stablehlo.reshape", "mhlo.reshape" and "chlo.reshape"; empty for other dialects.
std::string_view hloWord(std::string_view name);
/// Does the op only say how a tensor lies (sdy.sharding_constraint, sdy.all_gather, ...)?
bool isShardingOp(std::string_view name);
/// Any op that may stand in a program that is read.
bool isKnownHloOp(std::string_view name);

} // namespace fabricscope::mlir
