#pragma once

#include "core/model/graph/opgraph.h"

#include <vector>

namespace fabricscope {

/// A graph with ops behind its own that make the gradients of all floating inputs and parameters.
struct BackwardGraph {
    OpGraph graph;                   ///< The forward ops first, then the backward ones.
    std::size_t forwardOps = 0;
    std::vector<TensorId> gradients; ///< Per tensor of the forward graph; -1: none. Of a result its seed, an input "grad NAME" of the same shape.
    /// Per tensor of `graph` the forward tensor whose shape and meaning it has (a gradient or a part of it); -1: none.
    std::vector<TensorId> like;
};

/// Derives the gradients: reverse mode, one or few ops per operand of each op (products of einsums, gathers as scatter_add, ...); several contributions are added, those of
/// products, which may be partial sums, first. Nothing is derived for tensors that are not floating, index operands, predicates, and where no floating input contributes. Errors: Unsupported
/// (a gradient of ScatterAdd's ids never arises; of a slice with strides above 1; Pool by minimum), with the place of the op. O(graph).
Result<BackwardGraph> withGradients(const OpGraph& forward);

} // namespace fabricscope
