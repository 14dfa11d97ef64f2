// Shapes of results. Every function may take the attributes as unchecked: whatever a file says arrives here.
#include "core/model/graph/opgraph.h"

#include <algorithm>

namespace fabricscope {

namespace {

using Shapes = std::vector<const TensorShape*>;

Error shapeError(const GraphOp& op, std::string message, std::string expected = {})
{
    return invalidInput("op " + op.name + " (" + std::string(wordOf(op.kind)) + "): " + std::move(message), op.place, std::move(expected));
}

/// Least and most operands.
std::pair<std::size_t, std::size_t> operandCount(GraphOpKind kind)
{
    if (kind == GraphOpKind::Einsum)
        return {1, 8};
    if (kind == GraphOpKind::Opaque)
        return {1, 64};
    if (kind == GraphOpKind::Concat)
        return {1, 1024};
    if (kind == GraphOpKind::Select)
        return {3, 3};
    if (kind == GraphOpKind::Map)
        return {1, 3};
    if (kind == GraphOpKind::ScatterAdd || kind == GraphOpKind::ChoiceGrad)
        return {2, 3};
    if ((kind >= GraphOpKind::Add && kind <= GraphOpKind::Min) || kind == GraphOpKind::Conv || kind == GraphOpKind::Gather || kind >= GraphOpKind::UnaryGrad)
        return {2, 2};
    return {1, 1};
}

bool validDim(const TensorShape& shape, std::int64_t dim)
{
    return dim >= 0 && dim < static_cast<std::int64_t>(shape.size());
}

Result<TensorShape> einsumShape(const GraphOp& op, const Shapes& in)
{
    if (op.letters.size() != in.size() + 1)
        return shapeError(op, "the equation has " + std::to_string(op.letters.size()) + " terms", std::to_string(in.size() + 1) + ", one per operand and the result");
    std::map<char, std::int64_t> sizes;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::string& letters = op.letters[i];
        if (letters.size() != in[i]->size())
            return shapeError(op, "\"" + letters + "\" has " + std::to_string(letters.size()) + " letters, operand " + std::to_string(i) + " is " + shapeText(*in[i]), "one letter per dim");
        for (std::size_t d = 0; d < letters.size(); ++d) {
            if (letters.find(letters[d], d + 1) != std::string::npos)
                return shapeError(op, std::string("letter ") + letters[d] + " stands twice in \"" + letters + "\"", "each letter once per term");
            const auto [known, added] = sizes.emplace(letters[d], (*in[i])[d]);
            if (!added && known->second != (*in[i])[d])
                return shapeError(op, std::string("letter ") + letters[d] + " has sizes " + std::to_string(known->second) + " and " + std::to_string((*in[i])[d]), "one size");
        }
    }
    TensorShape shape;
    const std::string& result = op.letters.back();
    for (std::size_t d = 0; d < result.size(); ++d) {
        const auto known = sizes.find(result[d]);
        if (known == sizes.end() || result.find(result[d], d + 1) != std::string::npos)
            return shapeError(op, std::string("letter ") + result[d] + " of the result " + (known == sizes.end() ? "is in no operand" : "stands twice"), "letters of operands, each once");
        shape.push_back(known->second);
    }
    return shape;
}

Result<TensorShape> elementwiseShape(const GraphOp& op, const Shapes& in)
{
    TensorShape shape;
    for (const TensorShape* operand : in) {
        if (operand->size() > shape.size())
            shape.insert(shape.begin(), operand->size() - shape.size(), 1);
        for (std::size_t d = 0; d < operand->size(); ++d) {
            std::int64_t& size = shape[shape.size() - operand->size() + d];
            if ((*operand)[d] != 1 && size != 1 && size != (*operand)[d])
                return shapeError(op, "shapes " + shapeText(*in.front()) + " and " + shapeText(*operand) + " do not fit together", "equal dims, or dims of size 1");
            size = std::max(size, (*operand)[d]);
        }
    }
    if (op.kind == GraphOpKind::Map && op.function.empty())
        return shapeError(op, "no function is named", "function: rsqrt");
    if (op.kind == GraphOpKind::Dropout && !(op.rate >= 0 && op.rate < 1))
        return shapeError(op, "rate is out of range", "0 <= rate < 1");
    return shape;
}

/// Elements of the shape an op is given.
Result<std::int64_t> givenElements(const GraphOp& op)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : op.shape) {
        if (size < 1 || size > OpGraph::kMaxElements / elements)
            return shapeError(op, "shape " + shapeText(op.shape) + " is not possible", "sizes from 1, at most 2^48 elements");
        elements *= size;
    }
    return elements;
}

Result<TensorShape> opaqueShape(const GraphOp& op, const Shapes& in)
{
    if (const auto elements = givenElements(op); !elements)
        return elements.error();
    if (op.function.empty())
        return shapeError(op, "no function is named", "function: cholesky");
    for (const TensorShape* operand : in) {
        const auto most = static_cast<std::int64_t>(std::min(operand->size(), op.shape.size()));
        if (op.batch < 0 || op.batch > most || !std::equal(op.shape.begin(), op.shape.begin() + op.batch, operand->begin()))
            return shapeError(op, "batch " + std::to_string(op.batch) + " does not fit " + shapeText(*operand) + " and " + shapeText(op.shape), "so many equal dims in front");
    }
    return op.shape;
}

Result<TensorShape> reshapeShape(const GraphOp& op, const Shapes& in)
{
    const auto elements = givenElements(op);
    if (!elements)
        return elements.error();
    if (elements.value() != elementsOf(*in[0]))
        return shapeError(op, "shape " + shapeText(op.shape) + " has other elements than " + shapeText(*in[0]), std::to_string(elementsOf(*in[0])) + " elements");
    return op.shape;
}

Result<TensorShape> transposeShape(const GraphOp& op, const Shapes& in)
{
    std::vector<char> seen(in[0]->size(), 0);
    TensorShape shape;
    for (const std::int64_t dim : op.dims) {
        if (!validDim(*in[0], dim) || seen[static_cast<std::size_t>(dim)]++)
            return shapeError(op, "perm is no order of the dims of " + shapeText(*in[0]), "every dim once");
        shape.push_back((*in[0])[static_cast<std::size_t>(dim)]);
    }
    if (shape.size() != in[0]->size())
        return shapeError(op, "perm has " + std::to_string(shape.size()) + " dims", std::to_string(in[0]->size()));
    return shape;
}

Result<TensorShape> broadcastShape(const GraphOp& op, const Shapes& in)
{
    if (op.dims.size() != in[0]->size())
        return shapeError(op, "dims has " + std::to_string(op.dims.size()) + " entries", std::to_string(in[0]->size()) + ", one per dim of the operand");
    for (std::size_t i = 0; i < op.dims.size(); ++i) {
        if (!validDim(op.shape, op.dims[i]) || (i && op.dims[i] <= op.dims[i - 1]))
            return shapeError(op, "dims are not rising dims of " + shapeText(op.shape));
        const std::int64_t size = op.shape[static_cast<std::size_t>(op.dims[i])];
        if ((*in[0])[i] != 1 && (*in[0])[i] != size)
            return shapeError(op, "dim " + std::to_string(i) + " of size " + std::to_string((*in[0])[i]) + " cannot become " + std::to_string(size));
    }
    return op.shape;
}

Result<TensorShape> sliceShape(GraphOp& op, const Shapes& in)
{
    const std::size_t dims = in[0]->size();
    if (op.strides.empty())
        op.strides.assign(dims, 1);
    if (op.starts.size() != dims || op.limits.size() != dims || op.strides.size() != dims)
        return shapeError(op, "starts, limits and strides need one entry per dim of " + shapeText(*in[0]));
    TensorShape shape;
    for (std::size_t d = 0; d < dims; ++d) {
        if (op.starts[d] < 0 || op.limits[d] <= op.starts[d] || op.limits[d] > (*in[0])[d] || op.strides[d] < 1)
            return shapeError(op, "dim " + std::to_string(d) + " has no elements from " + std::to_string(op.starts[d]) + " to " + std::to_string(op.limits[d]),
                "0 <= start < limit <= " + std::to_string((*in[0])[d]) + ", stride from 1");
        shape.push_back((op.limits[d] - op.starts[d] - 1) / op.strides[d] + 1);
    }
    return shape;
}

Result<TensorShape> padShape(const GraphOp& op, const Shapes& in)
{
    if (op.low.size() != in[0]->size() || op.high.size() != in[0]->size())
        return shapeError(op, "low and high need one entry per dim of " + shapeText(*in[0]));
    TensorShape shape = *in[0];
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (op.low[d] < 0 || op.high[d] < 0 || op.low[d] > OpGraph::kMaxElements || op.high[d] > OpGraph::kMaxElements)
            return shapeError(op, "padding of dim " + std::to_string(d) + " is not possible", "from 0");
        shape[d] += op.low[d] + op.high[d];
    }
    return shape;
}

Result<TensorShape> concatShape(const GraphOp& op, const Shapes& in)
{
    TensorShape shape = *in[0];
    if (!validDim(shape, op.dim))
        return shapeError(op, "dim " + std::to_string(op.dim) + " is none of " + shapeText(shape));
    const auto dim = static_cast<std::size_t>(op.dim);
    for (std::size_t i = 1; i < in.size(); ++i) {
        TensorShape other = *in[i];
        if (other.size() == shape.size())
            other[dim] = shape[dim];
        if (other != shape)
            return shapeError(op, "operand " + shapeText(*in[i]) + " does not fit " + shapeText(*in[0]), "equal shapes but for dim " + std::to_string(dim));
        shape[dim] += (*in[i])[dim];
    }
    return shape;
}

Result<TensorShape> reduceShape(const GraphOp& op, const Shapes& in)
{
    std::vector<char> gone(in[0]->size(), 0);
    for (const std::int64_t dim : op.dims) {
        if (!validDim(*in[0], dim) || gone[static_cast<std::size_t>(dim)]++)
            return shapeError(op, "dim " + std::to_string(dim) + " is none of " + shapeText(*in[0]) + " or stands twice");
    }
    if (op.kind == GraphOpKind::Reverse)
        return *in[0];
    if (op.reduce == ReduceKind::Last)
        return shapeError(op, "elements that are reduced have no last one");
    TensorShape shape;
    for (std::size_t d = 0; d < gone.size(); ++d) {
        if (!gone[d])
            shape.push_back((*in[0])[d]);
    }
    return shape;
}

/// Spatial part of the result; -1 where the window does not fit.
Result<TensorShape> windowShape(const GraphOp& op, const TensorShape& x, std::int64_t channels)
{
    TensorShape shape = x;
    shape.back() = channels;
    for (std::size_t d = 0; d < op.windows.size(); ++d) {
        const WindowDim& w = op.windows[d];
        constexpr std::int64_t kMost = std::int64_t{1} << 40;
        if (w.size < 1 || w.stride < 1 || w.dilation < 1 || w.padLow < 0 || w.padHigh < 0 || w.size > kMost || w.stride > kMost || w.dilation > kMost / w.size || w.padLow > kMost || w.padHigh > kMost)
            return shapeError(op, "window of dim " + std::to_string(d + 1) + " is not possible", "sizes, strides and dilations from 1, padding from 0");
        const std::int64_t room = x[d + 1] + w.padLow + w.padHigh - w.dilation * (w.size - 1) - 1;
        if (room < 0)
            return shapeError(op, "the window is larger than dim " + std::to_string(d + 1) + " of " + shapeText(x) + " with its padding");
        shape[d + 1] = room / w.stride + 1;
    }
    return shape;
}

Result<TensorShape> convShape(GraphOp& op, const Shapes& in)
{
    const TensorShape& x = *in[0];
    const std::size_t spatials = op.windows.size();
    const bool pool = op.kind == GraphOpKind::Pool;
    if (x.size() != spatials + 2 || (pool ? spatials != 2 : spatials < 1 || spatials > 3))
        return shapeError(op, "operand is " + shapeText(x), pool ? "[batch, height, width, channels] and two windows" : "[batch, one to three dims with a window each, channels]");
    if (pool && op.reduce > ReduceKind::Mean)
        return shapeError(op, "windows are not joined by products", "kind: sum, max, min or mean");
    if (pool)
        return windowShape(op, x, x[3]);
    const TensorShape& kernel = *in[1];
    if (kernel.size() != x.size())
        return shapeError(op, "kernel is " + shapeText(kernel), "[a size per window, input channels, output channels]");
    if (op.groups < 1 || x.back() % op.groups != 0 || x.back() / op.groups != kernel[spatials] || kernel.back() % op.groups != 0)
        return shapeError(op, "channels of " + shapeText(x) + " and " + shapeText(kernel) + " do not fit", "kernel [.., .., channels / groups, a multiple of groups]");
    for (std::size_t d = 0; d < spatials; ++d) {
        if (op.windows[d].size != kernel[d])
            return shapeError(op, "window " + std::to_string(op.windows[d].size) + " is not the size of dim " + std::to_string(d) + " of the kernel", std::to_string(kernel[d]));
    }
    return windowShape(op, x, kernel.back());
}

/// The first dims of what rows are of and of their ids.
Status checkBatch(const GraphOp& op, const TensorShape& rows, const TensorShape& ids)
{
    if (op.batch < 0 || op.batch > op.dim || op.batch > static_cast<std::int64_t>(ids.size()) || !std::equal(ids.begin(), ids.begin() + op.batch, rows.begin()))
        return shapeError(op, "batch " + std::to_string(op.batch) + " does not fit " + shapeText(rows) + " and ids " + shapeText(ids), "so many equal dims before dim " + std::to_string(op.dim));
    return {};
}

Result<TensorShape> gatherShape(const GraphOp& op, const Shapes& in)
{
    if (!validDim(*in[0], op.dim))
        return shapeError(op, "dim " + std::to_string(op.dim) + " is none of " + shapeText(*in[0]));
    if (Status fits = checkBatch(op, *in[0], *in[1]); !fits)
        return fits.error();
    TensorShape shape = *in[0];
    shape.erase(shape.begin() + op.dim);
    shape.insert(shape.begin() + op.dim, in[1]->begin() + op.batch, in[1]->end());
    return shape;
}

Result<TensorShape> scatterShape(const GraphOp& op, const Shapes& in)
{
    const bool based = in.size() == 3;
    const TensorShape& ids = *in[based ? 1 : 0];
    const TensorShape& updates = *in[based ? 2 : 1];
    if (op.dim >= 0 && op.dim <= static_cast<std::int64_t>(updates.size())) {
        if (Status fits = checkBatch(op, updates, ids); !fits)
            return fits.error();
    }
    const auto rows = static_cast<std::ptrdiff_t>(ids.size()) - op.batch;
    if (op.dim < 0 || op.dim + rows > static_cast<std::ptrdiff_t>(updates.size()) || !std::equal(ids.begin() + op.batch, ids.end(), updates.begin() + op.dim))
        return shapeError(op, "updates " + shapeText(updates) + " do not have the dims of ids " + shapeText(ids) + " at dim " + std::to_string(op.dim));
    if (op.reduce == ReduceKind::Mean || (!based && op.reduce != ReduceKind::Sum))
        return shapeError(op, "joins updates by what is not possible here", based ? "kind: sum, max, min, product or last" : "kind: sum without a base");
    if (!based && op.size < 1)
        return shapeError(op, "without a base the size of the scattered dim is needed", "size: N");
    TensorShape shape = updates;
    shape.erase(shape.begin() + op.dim, shape.begin() + op.dim + rows);
    const std::int64_t size = !based ? op.size : validDim(*in[0], op.dim) ? (*in[0])[static_cast<std::size_t>(op.dim)] : 0;
    shape.insert(shape.begin() + op.dim, size);
    if (based && shape != *in[0])
        return shapeError(op, "base " + shapeText(*in[0]) + " does not fit updates " + shapeText(updates));
    return shape;
}

Result<TensorShape> alongDim(const GraphOp& op, const Shapes& in)
{
    if (!validDim(*in[0], op.dim))
        return shapeError(op, "dim " + std::to_string(op.dim) + " is none of " + shapeText(*in[0]));
    if (op.kind == GraphOpKind::CumSum && (op.reduce == ReduceKind::Mean || op.reduce == ReduceKind::Last))
        return shapeError(op, "elements up to each are not joined like that", "kind: sum, max, min or product");
    TensorShape shape = *in[0];
    if (op.kind == GraphOpKind::TopK) {
        std::int64_t& size = shape[static_cast<std::size_t>(op.dim)];
        if (op.k < 1 || op.k > size)
            return shapeError(op, "k is " + std::to_string(op.k), "1 to " + std::to_string(size));
        size = op.k;
    }
    return shape;
}

Result<TensorShape> shapeOfKind(GraphOp& op, const Shapes& in)
{
    if (isElementwise(op.kind))
        return elementwiseShape(op, in);
    switch (op.kind) {
    case GraphOpKind::Einsum:
        return einsumShape(op, in);
    case GraphOpKind::Reshape:
        return reshapeShape(op, in);
    case GraphOpKind::Transpose:
        return transposeShape(op, in);
    case GraphOpKind::Broadcast:
        return broadcastShape(op, in);
    case GraphOpKind::Slice:
        return sliceShape(op, in);
    case GraphOpKind::Pad:
        return padShape(op, in);
    case GraphOpKind::Concat:
        return concatShape(op, in);
    case GraphOpKind::Reverse:
    case GraphOpKind::Reduce:
        return reduceShape(op, in);
    case GraphOpKind::Conv:
    case GraphOpKind::Pool:
        return convShape(op, in);
    case GraphOpKind::Gather:
        return gatherShape(op, in);
    case GraphOpKind::ScatterAdd:
        return scatterShape(op, in);
    case GraphOpKind::Opaque:
        return opaqueShape(op, in);
    case GraphOpKind::PoolGrad:
        return *in[0];
    case GraphOpKind::ConvInputGrad:
    case GraphOpKind::ConvKernelGrad:
        return op.shape;
    default:
        return alongDim(op, in);
    }
}

} // namespace

Result<TensorShape> inferShape(const OpGraph& graph, GraphOp& op)
{
    const auto [least, most] = operandCount(op.kind);
    if (op.inputs.size() < least || op.inputs.size() > most)
        return shapeError(op, "has " + std::to_string(op.inputs.size()) + " operands", least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most));
    Shapes shapes;
    for (const TensorId input : op.inputs) {
        if (input < 0 || static_cast<std::size_t>(input) >= graph.tensors.size())
            return shapeError(op, "an operand is no tensor of the graph");
        shapes.push_back(&graph.tensor(input).shape);
    }
    return shapeOfKind(op, shapes);
}

} // namespace fabricscope
