#pragma once

#include "core/model/graph/opgraph.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// What happens when a factor is spread over devices (GSPMD, Shardy).
enum class FactorType : std::uint8_t {
    PassThrough,    ///< The same index in operands and result: nothing.
    Reduction,      ///< Absent from the result: the result is partial sums (or maxima: OpFactors::reduce).
    Permutation,    ///< Neighbours' elements are needed: halo exchange.
    NeedReplication ///< The op cannot run on parts of it.
};

struct OpFactor {
    std::int64_t size = 1; ///< Of a permutation factor, whose dims differ in size: that of the result.
    FactorType type = FactorType::PassThrough;
};

/// Factor rule of an op: an einsum-like map from dims to factors.
struct OpFactors {
    std::vector<OpFactor> factors;
    /// [tensor][dim]: the factors of the dim, major to minor; their sizes multiply to that of the dim (but see Permutation; an empty list is a dim of size 1, or one that is
    /// repeated). Tensors are the operands in order, then the result.
    std::vector<std::vector<std::vector<int>>> dims;
    /// How parts of the reduction factors are joined. Mean: each part is summed and divided by the whole count, so that parts add up.
    ReduceKind reduce = ReduceKind::Sum;

    std::size_t resultIndex() const { return dims.size() - 1; }
};

/// Factors by the kind of op: elementwise, transpose, broadcast: all pass-through; reshape: greedy, from the left, gcd-compatible prefixes, where none is left
/// need-replication until both shapes meet again; einsum: letters; conv: batch, group, output channel pass-through, input channel reduction, spatial permutation
/// (pass-through for a window of 1), kernel need-replication; pool, slice, pad, concat, reverse: changed dims permutation; gather: the indexed dim reduction; scatter_add:
/// dims of ids reduction (need-replication of products and where the last update stays), the scattered dim pass-through with local masking; a batch of either pass-through; sort, top_k, cumsum, softmax, layer_norm: `dim` need-replication; opaque: all behind its batch need-replication; gradients alike: spatial
/// dims are a reduction for that of a kernel (whose first operand is read in windows), permutation for that of the input with stride 1, else need-replication. O(dims).
OpFactors factorsOf(const OpGraph& graph, const GraphOp& op);

/// May an operand be partial sums (the whole being the sum over devices), so that the result is too?
enum class Linearity : std::uint8_t {
    None,
    Alone,   ///< Yes, when the other operands are whole.
    Together ///< Yes, when all operands that are `Together` are partial sums over the same devices (or zero on all but one of them).
};

Linearity linearityOf(const GraphOp& op, std::size_t operand);

} // namespace fabricscope
