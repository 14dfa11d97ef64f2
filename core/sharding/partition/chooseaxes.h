#pragma once

#include "core/model/graph/opfactors.h"
#include "core/sharding/partition/partitionedprogram.h"

#include <stop_token>

namespace fabricscope {

/// Which axes each factor of an op uses, and what that moves.
struct AxisChoice {
    std::vector<AxisList> byFactor;
    std::int64_t sent = 0;           ///< Bytes per device: operands, halos and the result.
    std::int64_t largestMoved = 0;   ///< Bytes of the largest whole tensor that moves.
    std::int64_t shards = 1;         ///< Devices the work is spread over.
    std::optional<RunnerUp> dearest; ///< The collective that sends most.
};

/// What is known before choosing.
struct ChoiceInput {
    const OpGraph* graph = nullptr;
    const GraphOp* op = nullptr;
    const OpFactors* rule = nullptr;
    std::vector<Layout> propagated;            ///< Per operand.
    std::vector<std::vector<Layout>> versions; ///< Per operand the layouts at hand; at least one each.
    Layout target;                             ///< Of the result, as propagated.
    Layout wanted;                             ///< In which the result ends; counts for the bytes.
    bool nested = true;                        ///< May several factors be cut at once where the tensors disagree? Groups along one are then meshes of the others.
};

/// The axes by which the op is cut (manual: sharding 4). Where operands agree on every factor and the result on all but axes that the reduction frees: those. Else of all assignments of
/// lists the tensors have (and their prefixes) those that spread the work over most devices, of these the fewest bytes, then the smallest largest tensor moved, then the first.
/// `second`: the best of the others, where there is one. At most 4,000 assignments are looked at. Throws StopRequested.
AxisChoice chooseAxes(const ChoiceInput& input, std::optional<AxisChoice>& second, const std::stop_token& stop);

/// Layout of an operand or of the result under an assignment; that of the result is unreduced on the axes of reduction factors.
Layout layoutUnder(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& byFactor);

/// Cheapest way to a layout from several; index of the version.
struct CheapestWay {
    std::size_t version = 0;
    std::int64_t sent = 0;
};
CheapestWay cheapestWay(const TensorShape& shape, std::int64_t elementBytes, const std::vector<Layout>& versions, const Layout& to);

/// How a permuted dim of an operand is supplied.
struct WindowSupply {
    std::size_t dim = 0;
    AxisList axes;
    bool whole = false; ///< Gathered (or at hand) whole, then cut locally; else by a halo exchange.
};

/// For each permuted dim of an operand that is cut under the assignment: halo exchange or a whole dim, whichever sends less; whole where a window of a convolution or pooling
/// reaches over more than one neighbour on average.
std::vector<WindowSupply> windowSupplies(const ChoiceInput& input, std::size_t operand, const std::vector<AxisList>& byFactor);

/// Bytes per device of a halo exchange of rows of a value with this local shape along `dim`: the most of any index.
std::int64_t mostHaloBytes(const ChoiceInput& input, std::size_t operand, const WindowSupply& supply, const Layout& layout);

} // namespace fabricscope
