#include "core/planner/placedops.h"

#include "core/base/index.h"
#include "core/model/graph/opfactors.h"

#include <algorithm>

namespace fabricscope {

namespace {

double elementsIn(const OpGraph& graph, TensorId id)
{
    return static_cast<double>(elementsOf(graph.tensor(id).shape));
}

double largestElements(const OpGraph& graph, const GraphOp& op)
{
    double most = elementsIn(graph, op.output);
    for (const TensorId id : op.inputs)
        most = std::max(most, elementsIn(graph, id));
    return most;
}

double factorProduct(const OpGraph& graph, const GraphOp& op)
{
    double product = 1;
    for (const OpFactor& factor : factorsOf(graph, op).factors)
        product *= static_cast<double>(factor.size);
    return product;
}

/// Multiply-adds of a convolution: each element of the result takes a window of each channel of its group.
double convolutionSteps(const OpGraph& graph, const GraphOp& op)
{
    double steps = elementsIn(graph, op.output);
    const TensorShape& kernel = graph.tensor(op.inputs[1]).shape;
    for (std::size_t dim = 0; dim + 1 < kernel.size(); ++dim)
        steps *= static_cast<double>(kernel[dim]);
    return steps;
}

bool isMovable(GraphOpKind kind)
{
    switch (kind) {
    case GraphOpKind::Relu:
    case GraphOpKind::Gelu:
    case GraphOpKind::Silu:
    case GraphOpKind::Tanh:
    case GraphOpKind::Sigmoid:
    case GraphOpKind::Exp:
    case GraphOpKind::Log:
    case GraphOpKind::Sqrt:
    case GraphOpKind::Neg:
    case GraphOpKind::Copy:
    case GraphOpKind::Cast:
    case GraphOpKind::Dropout:
    case GraphOpKind::Reshape:
    case GraphOpKind::Transpose:
    case GraphOpKind::Broadcast:
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Concat:
    case GraphOpKind::Reverse:
    case GraphOpKind::Reduce:
    case GraphOpKind::Pool:
        return false;
    default:
        return true;
    }
}

AddendRule addendsOf(const GraphOp& op)
{
    bool together = true;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const Linearity linearity = linearityOf(op, i);
        together = together && (linearity == Linearity::Together || (linearity == Linearity::Alone && op.inputs.size() == 1));
    }
    if (together)
        return AddendRule::Together;
    return op.kind == GraphOpKind::Mul ? AddendRule::OneOf : AddendRule::None;
}

/// The major factor of every dimension; what stands behind one is blocked.
std::vector<int> majorFactors(const std::vector<std::vector<int>>& dims, const OpFactors& rule, std::vector<PlacedFactor>& factors)
{
    std::vector<int> majors;
    for (const std::vector<int>& list : dims) {
        int major = -1;
        for (const int factor : list) {
            if (rule.factors[at(factor)].size <= 1)
                continue;
            if (major < 0)
                major = factor;
            else
                factors[at(factor)] = PlacedFactor::Blocked;
        }
        majors.push_back(major);
    }
    return majors;
}

PlacedOp placedOpOf(const OpGraph& graph, const GraphOp& op)
{
    PlacedOp placed;
    placed.name = op.name;
    placed.inputs.assign(op.inputs.begin(), op.inputs.end());
    placed.output = op.output;
    const OpFactors rule = factorsOf(graph, op);
    const bool adds = rule.reduce == ReduceKind::Sum || rule.reduce == ReduceKind::Mean;
    for (const OpFactor& factor : rule.factors) {
        const bool passes = factor.type == FactorType::PassThrough;
        placed.factors.push_back(passes ? PlacedFactor::PassThrough : factor.type == FactorType::Reduction && adds ? PlacedFactor::Summed : PlacedFactor::Blocked);
    }
    for (std::size_t i = 0; i + 1 < rule.dims.size(); ++i)
        placed.inputFactors.push_back(majorFactors(rule.dims[i], rule, placed.factors));
    placed.outputFactors = majorFactors(rule.dims.back(), rule, placed.factors);
    placed.addends = addendsOf(op);
    placed.flops = forwardFlops(graph, op);
    placed.movable = isMovable(op.kind);
    placed.matrix = op.kind == GraphOpKind::Einsum && op.inputs.size() == 2;
    return placed;
}

} // namespace

double forwardFlops(const OpGraph& graph, const GraphOp& op)
{
    if (op.flops)
        return *op.flops;
    switch (op.kind) {
    case GraphOpKind::Einsum:
        return (op.inputs.size() > 1 ? 2 : 1) * factorProduct(graph, op);
    case GraphOpKind::Conv:
        return 2 * convolutionSteps(graph, op);
    case GraphOpKind::Softmax:
    case GraphOpKind::LayerNorm:
        return 5 * elementsIn(graph, op.output);
    case GraphOpKind::Gelu:
        return 8 * elementsIn(graph, op.output);
    case GraphOpKind::Pool: {
        double window = 1;
        for (const WindowDim& dim : op.windows)
            window *= static_cast<double>(dim.size);
        return window * elementsIn(graph, op.output);
    }
    case GraphOpKind::Copy:
    case GraphOpKind::Cast:
    case GraphOpKind::Reshape:
    case GraphOpKind::Transpose:
    case GraphOpKind::Broadcast:
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Concat:
    case GraphOpKind::Reverse:
    case GraphOpKind::Gather:
        return 0;
    default:
        return largestElements(graph, op);
    }
}

Result<PlacedGraph> placedGraphOf(const OpGraph& graph, const PlacedGraphNotes& notes)
{
    if (graph.ops.size() > PlacedGraph::kMostOps)
        return Error{ErrorCode::Unsupported, std::to_string(graph.ops.size()) + " ops are too many to be placed", {}, "at most " + std::to_string(PlacedGraph::kMostOps)};
    PlacedGraph placed;
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        const GraphTensor& tensor = graph.tensors[id];
        PlacedTensor own;
        own.name = tensor.name;
        own.shape = tensor.shape;
        own.bytes = static_cast<double>(elementsOf(tensor.shape)) * static_cast<double>(bytesOf(tensor.type));
        own.gradient = isFloating(tensor.type);
        if (tensor.producer < 0)
            own.role = notes.parameters.contains(static_cast<TensorId>(id)) ? TensorRole::Parameter : TensorRole::Input;
        if (const auto batch = notes.batchDims.find(static_cast<TensorId>(id)); batch != notes.batchDims.end())
            own.batchDim = batch->second;
        placed.tensors.push_back(std::move(own));
    }
    constexpr double kMostFlops = 1e30;
    for (const GraphOp& op : graph.ops) {
        if (op.flops && *op.flops > kMostFlops)
            return Error{ErrorCode::InvalidInput, "op " + op.name + " has more FLOPs than any machine computes", {}, "at most 1e30"};
        placed.ops.push_back(placedOpOf(graph, op));
    }
    placed.linkUnits();
    return placed;
}

} // namespace fabricscope
