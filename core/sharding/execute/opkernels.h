#pragma once

#include "core/base/stop.h"
#include "core/base/result.h"
#include "core/sharding/execute/densetensor.h"

namespace fabricscope {

/// What an op that runs on parts of tensors knows of the whole; as it is: it runs on whole tensors.
struct OpFrame {
    TensorShape whole;                ///< Dropout: dims of the whole result; empty: those of the part.
    std::vector<std::int64_t> offset; ///< Dropout: where the part begins, one per dim; empty: at 0.
    std::int64_t meanCount = 0;       ///< Reduce by Mean: what sums are divided by; 0: as many as are reduced.
    std::int64_t rows = 0;            ///< Gather, ScatterAdd: rows of the whole table along `dim`; 0: those of the part.
    std::int64_t firstRow = 0;        ///< Gather, ScatterAdd: which of them is the first of the part. Ids of other rows give 0 and add nothing.
};

/// Result of an op on its operands, by its definition in opgraph.h with numbers as exactnumber.h has them. `result`: dims of the result, which must be those that the op has on
/// such operands (inferShape()). LayerNorm divides by the root with inverseRoot(); padding of windows counts as the identity of their reduction; an id that is poison makes
/// what is gathered poison, and the whole column it is joined to unless what is joined changes nothing. Opaque is a function of all elements of its
/// operands that are of one element of the batch, drawn by a hash: it proves where they lie, not the numbers. Errors: operands do not fit (Internal, with the name of the op). Throws StopRequested.
/// O(stepsOf()).
Result<DenseTensor> computeOp(const GraphOp& op, const std::vector<const DenseTensor*>& operands, const TensorShape& result, const OpFrame& frame, const std::stop_token& stop);

/// Elementary steps computeOp() takes at most, about; saturates at 2^62.
std::int64_t stepsOf(const GraphOp& op, const std::vector<TensorShape>& operands, const TensorShape& result);

// One function per family, in elementwisekernels.cpp, movekernels.cpp, linekernels.cpp, productkernels.cpp, windowkernels.cpp. Operands fit.
namespace kernels {
using Operands = std::vector<const DenseTensor*>;
void elementwise(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out);
void move(const GraphOp& op, const Operands& in, DenseTensor& out);
void gather(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out);
void scatterAdd(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out);
void reduce(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out);
void lines(const GraphOp& op, const Operands& in, DenseTensor& out);
void opaque(const GraphOp& op, const Operands& in, DenseTensor& out);
void einsum(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop);
void convolution(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop);
void pool(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop);
} // namespace kernels

} // namespace fabricscope
