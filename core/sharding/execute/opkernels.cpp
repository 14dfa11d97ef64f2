#include "core/sharding/execute/opkernels.h"

#include <algorithm>
#include <array>
#include <map>

namespace fabricscope {

namespace {

Error misfit(const GraphOp& op, const std::string& what)
{
    return Error{ErrorCode::Internal, "op " + op.name + " (" + std::string(wordOf(op.kind)) + "): " + what, op.place, {}};
}

/// The result of an op on operands of these shapes; the op with its operands renumbered.
Result<TensorShape> shapeOn(GraphOp& op, const std::vector<TensorShape>& operands)
{
    OpGraph graph;
    op.inputs.clear();
    for (const TensorShape& shape : operands) {
        const auto id = graph.addInput({std::to_string(op.inputs.size()), shape, ElementType::Fp32, -1, {}});
        if (!id)
            return id.error();
        op.inputs.push_back(id.value());
    }
    return inferShape(graph, op);
}

/// x, kernel and y of a convolution or one of its gradients; without a kernel those of pooling.
std::array<TensorShape, 3> windowShapes(const GraphOp& op, const std::vector<TensorShape>& in, const TensorShape& result)
{
    switch (op.kind) {
    case GraphOpKind::Conv:
        return {in[0], in[1], result};
    case GraphOpKind::ConvInputGrad:
        return {result, in[1], in[0]};
    case GraphOpKind::ConvKernelGrad:
        return {in[0], result, in[1]};
    case GraphOpKind::Pool:
        return {in[0], {}, result};
    default: // PoolGrad
        return {in[0], {}, in[1]};
    }
}

/// What inferShape() takes as given of gradients.
Status checkGradient(const GraphOp& op, const std::vector<TensorShape>& in, const TensorShape& result)
{
    switch (op.kind) {
    case GraphOpKind::ChoiceGrad:
        return in.size() == (op.of == GraphOpKind::Select ? 2u : 3u) ? Status() : misfit(op, "has " + std::to_string(in.size()) + " operands");
    case GraphOpKind::SoftmaxGrad:
    case GraphOpKind::LayerNormGrad:
    case GraphOpKind::SortGrad:
        return in[0] == in[1] ? Status() : misfit(op, "operands are " + shapeText(in[0]) + " and " + shapeText(in[1]));
    case GraphOpKind::TopKGrad: {
        TensorShape most = in[0];
        const auto dim = static_cast<std::size_t>(op.dim);
        if (in[1].size() == most.size())
            most[dim] = std::min(most[dim], in[1][dim]);
        return most == in[1] ? Status() : misfit(op, "operands are " + shapeText(in[0]) + " and " + shapeText(in[1]));
    }
    case GraphOpKind::PoolGrad:
    case GraphOpKind::ConvInputGrad:
    case GraphOpKind::ConvKernelGrad: {
        const auto [x, kernel, y] = windowShapes(op, in, result);
        GraphOp forward = op;
        forward.kind = op.kind == GraphOpKind::PoolGrad ? GraphOpKind::Pool : GraphOpKind::Conv;
        const auto shape = shapeOn(forward, op.kind == GraphOpKind::PoolGrad ? std::vector<TensorShape>{x} : std::vector<TensorShape>{x, kernel});
        if (!shape)
            return shape.error();
        return shape.value() == y ? Status() : misfit(op, "windows of " + shapeText(x) + " give " + shapeText(shape.value()) + ", not " + shapeText(y));
    }
    default:
        return {};
    }
}

Status checkFits(GraphOp& op, const std::vector<TensorShape>& shapes, const TensorShape& result)
{
    const auto shape = shapeOn(op, shapes);
    if (!shape)
        return Error{ErrorCode::Internal, shape.error().message, op.place, {}};
    if (shape.value() != result)
        return misfit(op, "gives " + shapeText(shape.value()) + ", not " + shapeText(result));
    return checkGradient(op, shapes, result);
}

} // namespace

std::int64_t stepsOf(const GraphOp& op, const std::vector<TensorShape>& operands, const TensorShape& result)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    const auto times = [](std::int64_t a, std::int64_t b) { return b > 0 && a > kMost / b ? kMost : a * b; };
    std::int64_t steps = elementsOf(result);
    if (op.kind == GraphOpKind::Einsum) {
        std::map<char, std::int64_t> sizes;
        for (std::size_t t = 0; t < operands.size() && t < op.letters.size(); ++t) {
            for (std::size_t d = 0; d < operands[t].size() && d < op.letters[t].size(); ++d)
                sizes[op.letters[t][d]] = operands[t][d];
        }
        steps = 1;
        for (const auto& [letter, size] : sizes)
            steps = times(steps, size);
        return times(steps, static_cast<std::int64_t>(operands.size()));
    }
    if ((op.kind == GraphOpKind::Conv || op.kind >= GraphOpKind::ConvInputGrad || op.kind == GraphOpKind::Pool || op.kind == GraphOpKind::PoolGrad) && operands.size() <= 2 && !op.windows.empty()) {
        if (operands.size() == 2 || op.kind == GraphOpKind::Pool) {
            const auto [x, kernel, y] = windowShapes(op, operands, result);
            std::int64_t taps = 1;
            for (const WindowDim& window : op.windows)
                taps = times(taps, window.size);
            return times(times(elementsOf(y), taps), kernel.size() > 2 ? kernel[kernel.size() - 2] : 2);
        }
    }
    for (const TensorShape& shape : operands)
        steps = std::min(kMost, steps + elementsOf(shape));
    const bool ordered = op.kind == GraphOpKind::Sort || op.kind == GraphOpKind::TopK || op.kind == GraphOpKind::SortGrad || op.kind == GraphOpKind::TopKGrad;
    return times(steps, ordered ? 20 : 1);
}

Result<DenseTensor> computeOp(const GraphOp& op, const std::vector<const DenseTensor*>& operands, const TensorShape& result, const OpFrame& frame, const std::stop_token& stop)
{
    std::vector<TensorShape> shapes;
    for (const DenseTensor* operand : operands)
        shapes.push_back(operand->shape);
    GraphOp fitted = op; // Strides of Slice may be left out.
    if (Status fits = checkFits(fitted, shapes, result); !fits)
        return fits.error();
    checkStop(stop);
    DenseTensor out(result);
    if (isElementwise(op.kind)) {
        kernels::elementwise(fitted, operands, frame, out);
        return out;
    }
    switch (op.kind) {
    case GraphOpKind::Einsum:
        kernels::einsum(fitted, operands, out, stop);
        break;
    case GraphOpKind::Reduce:
        kernels::reduce(fitted, operands, frame, out);
        break;
    case GraphOpKind::Gather:
        kernels::gather(fitted, operands, frame, out);
        break;
    case GraphOpKind::ScatterAdd:
        kernels::scatterAdd(fitted, operands, frame, out);
        break;
    case GraphOpKind::Conv:
    case GraphOpKind::ConvInputGrad:
    case GraphOpKind::ConvKernelGrad:
        kernels::convolution(fitted, operands, out, stop);
        break;
    case GraphOpKind::Pool:
    case GraphOpKind::PoolGrad:
        kernels::pool(fitted, operands, out, stop);
        break;
    case GraphOpKind::Reshape:
    case GraphOpKind::Transpose:
    case GraphOpKind::Broadcast:
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Concat:
    case GraphOpKind::Reverse:
        kernels::move(fitted, operands, out);
        break;
    case GraphOpKind::Opaque:
        kernels::opaque(fitted, operands, out);
        break;
    default:
        kernels::lines(fitted, operands, out);
        break;
    }
    return out;
}

} // namespace fabricscope
