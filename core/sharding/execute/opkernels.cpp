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
    case OpKind::Conv:
        return {in[0], in[1], result};
    case OpKind::ConvInputGrad:
        return {result, in[1], in[0]};
    case OpKind::ConvKernelGrad:
        return {in[0], result, in[1]};
    case OpKind::Pool:
        return {in[0], {}, result};
    default: // PoolGrad
        return {in[0], {}, in[1]};
    }
}

/// What inferShape() takes as given of gradients.
Status checkGradient(const GraphOp& op, const std::vector<TensorShape>& in, const TensorShape& result)
{
    switch (op.kind) {
    case OpKind::ChoiceGrad:
        return in.size() == (op.of == OpKind::Select ? 2u : 3u) ? Status() : misfit(op, "has " + std::to_string(in.size()) + " operands");
    case OpKind::SoftmaxGrad:
    case OpKind::LayerNormGrad:
    case OpKind::SortGrad:
        return in[0] == in[1] ? Status() : misfit(op, "operands are " + shapeText(in[0]) + " and " + shapeText(in[1]));
    case OpKind::TopKGrad: {
        TensorShape most = in[0];
        const auto dim = static_cast<std::size_t>(op.dim);
        if (in[1].size() == most.size())
            most[dim] = std::min(most[dim], in[1][dim]);
        return most == in[1] ? Status() : misfit(op, "operands are " + shapeText(in[0]) + " and " + shapeText(in[1]));
    }
    case OpKind::PoolGrad:
    case OpKind::ConvInputGrad:
    case OpKind::ConvKernelGrad: {
        const auto [x, kernel, y] = windowShapes(op, in, result);
        GraphOp forward = op;
        forward.kind = op.kind == OpKind::PoolGrad ? OpKind::Pool : OpKind::Conv;
        const auto shape = shapeOn(forward, op.kind == OpKind::PoolGrad ? std::vector<TensorShape>{x} : std::vector<TensorShape>{x, kernel});
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
    if (op.kind == OpKind::Einsum) {
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
    if ((op.kind == OpKind::Conv || op.kind >= OpKind::ConvInputGrad || op.kind == OpKind::Pool || op.kind == OpKind::PoolGrad) && operands.size() <= 2 && op.windows.size() == 2) {
        if (operands.size() == 2 || op.kind == OpKind::Pool) {
            const auto [x, kernel, y] = windowShapes(op, operands, result);
            return times(times(elementsOf(y), times(op.windows[0].size, op.windows[1].size)), kernel.size() == 4 ? kernel[2] : 2);
        }
    }
    for (const TensorShape& shape : operands)
        steps = std::min(kMost, steps + elementsOf(shape));
    const bool ordered = op.kind == OpKind::Sort || op.kind == OpKind::TopK || op.kind == OpKind::SortGrad || op.kind == OpKind::TopKGrad;
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
    case OpKind::Einsum:
        kernels::einsum(fitted, operands, out, stop);
        break;
    case OpKind::Reduce:
        kernels::reduce(fitted, operands, frame, out);
        break;
    case OpKind::Gather:
        kernels::gather(fitted, operands, frame, out);
        break;
    case OpKind::ScatterAdd:
        kernels::scatterAdd(fitted, operands, frame, out);
        break;
    case OpKind::Conv:
    case OpKind::ConvInputGrad:
    case OpKind::ConvKernelGrad:
        kernels::convolution(fitted, operands, out, stop);
        break;
    case OpKind::Pool:
    case OpKind::PoolGrad:
        kernels::pool(fitted, operands, out, stop);
        break;
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Broadcast:
    case OpKind::Slice:
    case OpKind::Pad:
    case OpKind::Concat:
    case OpKind::Reverse:
        kernels::move(fitted, operands, out);
        break;
    default:
        kernels::lines(fitted, operands, out);
        break;
    }
    return out;
}

} // namespace fabricscope
