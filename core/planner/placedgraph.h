#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// Where a tensor of a single-device graph comes from.
enum class TensorRole : std::uint8_t { Input, Parameter, Result };

struct PlacedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    TensorRole role = TensorRole::Result;
    double bytes = 0;   ///< Of the whole tensor.
    int batchDim = -1;  ///< Dimension that counts samples; -1: none.
    bool gradient = true; ///< False of what has none (integers).
    /// Groups of elements of each dimension that stay together when it is split: shape / units each. linkUnits() finds them.
    std::vector<std::int64_t> units;
};

/// What becomes of an op when one of its factors is split (workload of GSPMD: the rules of the partitioner).
enum class PlacedFactor : std::uint8_t {
    PassThrough, ///< The result is split.
    Summed,      ///< The parts are added.
    Blocked      ///< It cannot be split.
};

/// How addends of operands pass an op.
enum class AddendRule : std::uint8_t {
    None,
    Together, ///< Of all operands at once: sums, and all that is linear in its one operand.
    OneOf     ///< Of one operand, while the others are whole: products.
};

/// One op as factors: which index of the computation runs along which dimension of each tensor.
struct PlacedOp {
    std::string name;
    std::vector<int> inputs;                    ///< Tensors.
    int output = -1;
    std::vector<PlacedFactor> factors;
    std::vector<std::vector<int>> inputFactors; ///< By operand and dimension: the (major) factor; -1: none.
    std::vector<int> outputFactors;
    AddendRule addends = AddendRule::None;
    double flops = 0;    ///< Forward, of the whole op.
    bool movable = true; ///< May its result be communicated? (manual: placement 2)
    int resplitFrom = -1; ///< Copies a tensor of this segment to the parts of the op's own segment; -1: an op of the graph.
    bool matrix = false; ///< A product of two operands: its weight gradient is one of the other operand and the result's gradient.
};

/// A single-device graph ready to be placed; ops stand in a topological order, one result each. At most kMostOps ops and kMostTensors tensors of kMostDims dimensions.
struct PlacedGraph {
    static constexpr std::size_t kMostOps = 5000;
    static constexpr std::size_t kMostDims = 12;

    std::vector<PlacedTensor> tensors;
    std::vector<PlacedOp> ops;

    /// Sets PlacedTensor::units: dimensions joined by factors are split at the same places, so they share the largest number of groups all of them have.
    /// O(dimensions of all ops).
    void linkUnits();
};

} // namespace fabricscope
