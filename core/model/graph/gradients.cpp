#include "core/model/graph/gradients.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

/// Builds the backward ops, last op first.
class GradientBuilder {
public:
    explicit GradientBuilder(const OpGraph& forward) : m_forward(forward)
    {
        m_out.graph = forward;
        m_out.forwardOps = forward.ops.size();
        m_out.gradients.assign(forward.tensors.size(), -1);
        m_out.like.assign(forward.tensors.size(), -1);
        m_parts.resize(forward.tensors.size());
        m_needed.assign(forward.tensors.size(), 0);
    }

    Result<BackwardGraph> build();

private:
    const GraphTensor& tensor(TensorId id) const { return m_out.graph.tensor(id); }
    const TensorShape& shape(TensorId id) const { return tensor(id).shape; }
    bool needs(TensorId id) const { return m_needed[static_cast<std::size_t>(id)] != 0; }

    void markNeeded();
    void seed(TensorId id);
    TensorId sumOfParts(TensorId id);
    void opGradients(const GraphOp& op, TensorId dy);
    void einsum(const GraphOp& op, TensorId dy);
    void elementwise(const GraphOp& op, TensorId dy);
    void product(const GraphOp& op, TensorId dy);
    void choice(const GraphOp& op, TensorId dy);
    void moved(const GraphOp& op, TensorId dy);
    void sliced(const GraphOp& op, TensorId dy, const std::string& name);
    void along(const GraphOp& op, TensorId dy, GraphOpKind kind, TensorId with);
    void reduce(const GraphOp& op, TensorId dy);
    void convolution(const GraphOp& op, TensorId dy);
    void scatter(const GraphOp& op, TensorId dy);

    /// Adds an op named after the tensor whose gradient it helps to make; -1 after an error, which is kept.
    TensorId add(GraphOp op, TensorId like, const std::string& what);
    TensorId make(GraphOpKind kind, std::vector<TensorId> in, TensorId like, const std::string& what, const std::function<void(GraphOp&)>& set = {});
    /// A part of the gradient of an operand; of one that was repeated (broadcast) the sums over what was repeated.
    void give(TensorId operand, TensorId part, bool product);
    TensorId reducedTo(TensorId part, TensorId operand);
    void refuse(const GraphOp& op, std::string message)
    {
        if (!m_error)
            m_error = Error{ErrorCode::Unsupported, "op " + op.name + " (" + std::string(wordOf(op.kind)) + "): " + std::move(message), op.place, {}};
    }

    struct Part {
        TensorId tensor = -1;
        bool product = false; ///< Of an einsum or the like.
    };

    const OpGraph& m_forward;
    BackwardGraph m_out;
    std::vector<std::vector<Part>> m_parts;
    std::vector<char> m_needed;
    std::optional<Error> m_error;
    std::int64_t m_made = 0;
};

/// Operands by which an op may be derived.
bool isDerivable(const GraphOp& op, std::size_t operand)
{
    if (op.kind == GraphOpKind::Gather || op.kind == GraphOpKind::Select)
        return op.kind == GraphOpKind::Gather ? operand == 0 : operand != 0;
    return op.kind != GraphOpKind::ScatterAdd || operand + 2 != op.inputs.size();
}

void GradientBuilder::markNeeded()
{
    std::vector<char> index(m_forward.tensors.size(), 0);
    for (const GraphOp& op : m_forward.ops) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            if (!isDerivable(op, i))
                index[static_cast<std::size_t>(op.inputs[i])] = 1;
        }
    }
    for (std::size_t t = 0; t < m_forward.tensors.size(); ++t) {
        const GraphTensor& known = m_forward.tensors[t];
        m_needed[t] = known.producer < 0 && isFloating(known.type) && !index[t];
    }
    for (const GraphOp& op : m_forward.ops) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            if (isDerivable(op, i) && needs(op.inputs[i]) && isFloating(tensor(op.output).type))
                m_needed[static_cast<std::size_t>(op.output)] = 1;
        }
    }
}

TensorId GradientBuilder::add(GraphOp op, TensorId like, const std::string& what)
{
    if (m_error)
        return -1;
    op.name = what;
    for (int copy = 2; m_out.graph.find(op.name); ++copy)
        op.name = what + " #" + std::to_string(copy + m_made++);
    const Result<TensorId> id = m_out.graph.addOp(std::move(op));
    if (!id) {
        m_error = id.error();
        return -1;
    }
    m_out.like.push_back(like);
    return id.value();
}

TensorId GradientBuilder::make(GraphOpKind kind, std::vector<TensorId> in, TensorId like, const std::string& what, const std::function<void(GraphOp&)>& set)
{
    if (m_error || std::ranges::count(in, -1) > 0)
        return -1;
    GraphOp op;
    op.kind = kind;
    op.inputs = std::move(in);
    if (set)
        set(op);
    return add(std::move(op), like, what);
}

TensorId GradientBuilder::reducedTo(TensorId part, TensorId operand)
{
    const TensorShape from = shape(part);
    const TensorShape to = shape(operand);
    if (from == to)
        return part;
    std::vector<std::int64_t> gone;
    const std::size_t missing = from.size() - to.size();
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (d < missing || (to[d - missing] == 1 && from[d] != 1))
            gone.push_back(static_cast<std::int64_t>(d));
    }
    const std::string name = "grad " + tensor(operand).name;
    TensorShape kept;
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (std::ranges::count(gone, static_cast<std::int64_t>(d)) == 0)
            kept.push_back(from[d]);
    }
    const TensorId sum = make(GraphOpKind::Reduce, {part}, kept == to ? operand : -1, name + " summed", [&](GraphOp& op) { op.dims = gone; });
    return kept == to || sum < 0 ? sum : make(GraphOpKind::Reshape, {sum}, operand, name + " shaped", [&](GraphOp& op) { op.shape = to; });
}

void GradientBuilder::give(TensorId operand, TensorId part, bool product)
{
    if (part < 0 || m_error)
        return;
    part = reducedTo(part, operand);
    m_parts[static_cast<std::size_t>(operand)].push_back({part, product});
}

void GradientBuilder::seed(TensorId id)
{
    GraphTensor input{"grad " + tensor(id).name, shape(id), tensor(id).type, -1, tensor(id).place};
    const Result<TensorId> made = m_out.graph.addInput(std::move(input));
    if (!made) {
        m_error = made.error();
        return;
    }
    m_out.like.push_back(id);
    m_parts[static_cast<std::size_t>(id)].push_back({made.value(), false});
}

TensorId GradientBuilder::sumOfParts(TensorId id)
{
    std::vector<Part>& parts = m_parts[static_cast<std::size_t>(id)];
    if (parts.empty() || m_error)
        return -1;
    std::ranges::stable_sort(parts, [](const Part& a, const Part& b) { return a.product > b.product; });
    TensorId sum = parts.front().tensor;
    for (std::size_t i = 1; i < parts.size() && sum >= 0; ++i)
        sum = make(GraphOpKind::Add, {sum, parts[i].tensor}, id, i + 1 == parts.size() ? "grad " + tensor(id).name : "grad " + tensor(id).name + " of " + std::to_string(i + 1));
    return sum;
}

void GradientBuilder::einsum(const GraphOp& op, TensorId dy)
{
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (!needs(op.inputs[i]))
            continue;
        const std::string& wanted = op.letters[i];
        std::string known = op.letters.back();
        std::vector<TensorId> in = {dy};
        std::vector<std::string> letters = {op.letters.back()};
        for (std::size_t j = 0; j < op.inputs.size(); ++j) {
            if (j == i)
                continue;
            in.push_back(op.inputs[j]);
            letters.push_back(op.letters[j]);
            known += op.letters[j];
        }
        // Letters of this operand alone were summed over: their gradient is the same everywhere.
        std::string held;
        std::vector<std::int64_t> places;
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            if (known.find(wanted[d]) != std::string::npos) {
                held += wanted[d];
                places.push_back(static_cast<std::int64_t>(d));
            }
        }
        letters.push_back(held);
        const bool whole = held == wanted;
        const std::string name = "grad " + tensor(op.inputs[i]).name + " by " + op.name;
        TensorId part = make(GraphOpKind::Einsum, in, whole ? op.inputs[i] : -1, whole ? name : name + " short", [&](GraphOp& made) { made.letters = letters; });
        if (!whole) {
            part = make(GraphOpKind::Broadcast, {part}, op.inputs[i], name, [&](GraphOp& made) {
                made.shape = shape(op.inputs[i]);
                made.dims = places;
            });
        }
        give(op.inputs[i], part, true);
    }
}

void GradientBuilder::product(const GraphOp& op, TensorId dy)
{
    const TensorId a = op.inputs[0];
    const TensorId b = op.inputs[1];
    const auto name = [&](TensorId operand) { return "grad " + tensor(operand).name + " by " + op.name; };
    if (op.kind == GraphOpKind::Mul) {
        if (needs(a))
            give(a, make(GraphOpKind::Mul, {dy, b}, op.output, name(a)), false);
        if (needs(b))
            give(b, make(GraphOpKind::Mul, {dy, a}, op.output, name(b) + " (right)"), false);
        return;
    }
    if (needs(a))
        give(a, make(GraphOpKind::Div, {dy, b}, op.output, name(a)), false);
    if (needs(b)) {
        const TensorId scaled = make(GraphOpKind::Mul, {dy, op.output}, op.output, name(b) + " times y");
        const TensorId share = make(GraphOpKind::Div, {scaled, b}, op.output, name(b) + " over");
        give(b, make(GraphOpKind::Neg, {share}, op.output, name(b) + " (right)"), false);
    }
}

void GradientBuilder::choice(const GraphOp& op, TensorId dy)
{
    for (std::size_t i = op.kind == GraphOpKind::Select ? 1 : 0; i < op.inputs.size(); ++i) {
        if (!needs(op.inputs[i]))
            continue;
        std::vector<TensorId> in = op.kind == GraphOpKind::Select ? std::vector<TensorId>{op.inputs[0], dy} : std::vector<TensorId>{op.inputs[0], op.inputs[1], dy};
        give(op.inputs[i], make(GraphOpKind::ChoiceGrad, std::move(in), op.output, "grad " + tensor(op.inputs[i]).name + " by " + op.name + (i + 1 == op.inputs.size() ? " (right)" : ""), [&](GraphOp& made) {
            made.of = op.kind;
            made.side = static_cast<int>(op.kind == GraphOpKind::Select ? i - 1 : i);
        }), false);
    }
}

void GradientBuilder::elementwise(const GraphOp& op, TensorId dy)
{
    const TensorId x = op.inputs[0];
    const std::string name = "grad " + tensor(x).name + " by " + op.name;
    switch (op.kind) {
    case GraphOpKind::Add:
    case GraphOpKind::Sub:
        if (needs(x))
            give(x, dy, false);
        if (needs(op.inputs[1]))
            give(op.inputs[1], op.kind == GraphOpKind::Add ? dy : make(GraphOpKind::Neg, {dy}, op.output, "grad " + tensor(op.inputs[1]).name + " by " + op.name + " (right)"), false);
        return;
    case GraphOpKind::Mul:
    case GraphOpKind::Div:
        return product(op, dy);
    case GraphOpKind::Max:
    case GraphOpKind::Min:
    case GraphOpKind::Select:
        return choice(op, dy);
    case GraphOpKind::Neg:
        return give(x, make(GraphOpKind::Neg, {dy}, x, name), false);
    case GraphOpKind::Copy:
        return give(x, dy, false);
    case GraphOpKind::Cast:
        return give(x, make(GraphOpKind::Cast, {dy}, x, name, [&](GraphOp& made) { made.type = tensor(x).type; }), false);
    case GraphOpKind::Map:
        return refuse(op, "function " + op.function + " has no gradient here");
    case GraphOpKind::Dropout:
        return give(x, make(GraphOpKind::Dropout, {dy}, x, name, [&](GraphOp& made) {
            made.seed = op.seed;
            made.rate = op.rate;
        }), false);
    default:
        return give(x, make(GraphOpKind::UnaryGrad, {x, dy}, x, name, [&](GraphOp& made) { made.of = op.kind; }), false);
    }
}

void GradientBuilder::moved(const GraphOp& op, TensorId dy)
{
    const TensorId x = op.inputs[0];
    const TensorShape from = shape(x);
    const std::string name = "grad " + tensor(x).name + " by " + op.name;
    switch (op.kind) {
    case GraphOpKind::Reshape:
        return give(x, make(GraphOpKind::Reshape, {dy}, x, name, [&](GraphOp& made) { made.shape = from; }), false);
    case GraphOpKind::Transpose:
        return give(x, make(GraphOpKind::Transpose, {dy}, x, name, [&](GraphOp& made) {
            made.dims.resize(op.dims.size());
            for (std::size_t d = 0; d < op.dims.size(); ++d)
                made.dims[static_cast<std::size_t>(op.dims[d])] = static_cast<std::int64_t>(d);
        }), false);
    case GraphOpKind::Reverse:
        return give(x, make(GraphOpKind::Reverse, {dy}, x, name, [&](GraphOp& made) { made.dims = op.dims; }), false);
    case GraphOpKind::Slice:
        return sliced(op, dy, name);
    case GraphOpKind::Pad:
        return give(x, make(GraphOpKind::Slice, {dy}, x, name, [&](GraphOp& made) {
            made.starts = op.low;
            for (std::size_t d = 0; d < from.size(); ++d)
                made.limits.push_back(op.low[d] + from[d]);
        }), false);
    default:
        break;
    }
    // Concat: each operand gets its rows.
    std::int64_t start = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const std::int64_t rows = shape(op.inputs[i])[static_cast<std::size_t>(op.dim)];
        if (needs(op.inputs[i])) {
            give(op.inputs[i], make(GraphOpKind::Slice, {dy}, op.inputs[i], "grad " + tensor(op.inputs[i]).name + " by " + op.name + " at " + std::to_string(start), [&](GraphOp& made) {
                made.starts.assign(shape(dy).size(), 0);
                made.limits = shape(dy);
                made.starts[static_cast<std::size_t>(op.dim)] = start;
                made.limits[static_cast<std::size_t>(op.dim)] = start + rows;
            }), false);
        }
        start += rows;
    }
}

/// Elements go back to their places, zeros between them: with a stride s a dim of r becomes r x 1, padded to r x s, r s, cut behind the last element.
void GradientBuilder::sliced(const GraphOp& op, TensorId dy, const std::string& name)
{
    constexpr TensorId kFree = -1; // What is between has other dims than x and lies as propagation says.
    const TensorId x = op.inputs[0];
    const TensorShape from = shape(x);
    TensorId spread = dy;
    for (std::size_t d = 0; d < from.size(); ++d) {
        const std::int64_t stride = d < op.strides.size() ? op.strides[d] : 1;
        TensorShape now = shape(spread);
        const std::int64_t rows = now[d];
        if (stride == 1 || rows == 1)
            continue;
        if (now.size() == OpGraph::kMaxDims)
            return refuse(op, "the gradient of a slice with strides above 1 of as many dims is not derived");
        const std::string step = name + " along " + std::to_string(d);
        const auto reshaped = [&](TensorId what, TensorShape to, const char* part) { return make(GraphOpKind::Reshape, {what}, kFree, step + part, [&](GraphOp& made) { made.shape = std::move(to); }); };
        TensorShape split = now;
        split.insert(split.begin() + static_cast<std::ptrdiff_t>(d) + 1, 1);
        const TensorId apart = reshaped(spread, split, ", apart");
        const TensorId padded = make(GraphOpKind::Pad, {apart}, kFree, step + ", padded", [&](GraphOp& made) {
            made.low.assign(split.size(), 0);
            made.high.assign(split.size(), 0);
            made.high[d + 1] = stride - 1;
        });
        now[d] = rows * stride;
        const TensorId joined = reshaped(padded, now, ", joined");
        spread = make(GraphOpKind::Slice, {joined}, kFree, step, [&](GraphOp& made) {
            made.starts.assign(now.size(), 0);
            made.limits = now;
            made.limits[d] -= stride - 1;
        });
        if (m_error)
            return;
    }
    const TensorShape size = shape(spread);
    give(x, make(GraphOpKind::Pad, {spread}, x, name, [&](GraphOp& made) {
        made.low = op.starts;
        for (std::size_t d = 0; d < from.size(); ++d)
            made.high.push_back(from[d] - op.starts[d] - size[d]);
    }), false);
}

void GradientBuilder::along(const GraphOp& op, TensorId dy, GraphOpKind kind, TensorId with)
{
    give(op.inputs[0], make(kind, {with, dy}, op.inputs[0], "grad " + tensor(op.inputs[0]).name + " by " + op.name, [&](GraphOp& made) {
        made.dim = op.dim;
        made.k = op.k;
        made.windows = op.windows;
        made.reduce = op.reduce;
    }), false);
}

void GradientBuilder::reduce(const GraphOp& op, TensorId dy)
{
    const TensorId x = op.inputs[0];
    const std::string name = "grad " + tensor(x).name + " by " + op.name;
    std::vector<std::int64_t> places;
    std::int64_t joined = 1;
    for (std::size_t d = 0; d < shape(x).size(); ++d) {
        if (std::ranges::count(op.dims, static_cast<std::int64_t>(d)) == 0)
            places.push_back(static_cast<std::int64_t>(d));
        else
            joined *= shape(x)[d];
    }
    if (op.reduce == ReduceKind::Product)
        return refuse(op, "the gradient of a product of elements is not derived");
    const auto spread = [&](TensorId from, const std::string& what) {
        return make(GraphOpKind::Broadcast, {from}, x, what, [&](GraphOp& made) {
            made.shape = shape(x);
            made.dims = places;
            made.k = op.reduce == ReduceKind::Mean ? joined : 0;
        });
    };
    const TensorId wide = spread(dy, name);
    if (op.reduce == ReduceKind::Sum || op.reduce == ReduceKind::Mean)
        return give(x, wide, false);
    const TensorId best = spread(op.output, name + " best");
    give(x, make(GraphOpKind::ChoiceGrad, {x, best, wide}, x, name + " taken", [](GraphOp& made) { made.of = GraphOpKind::Reduce; }), false);
}

void GradientBuilder::convolution(const GraphOp& op, TensorId dy)
{
    const auto set = [&](TensorId like) {
        return [&op, this, like](GraphOp& made) {
            made.windows = op.windows;
            made.groups = op.groups;
            made.shape = shape(like);
        };
    };
    if (needs(op.inputs[0]))
        give(op.inputs[0], make(GraphOpKind::ConvInputGrad, {dy, op.inputs[1]}, op.inputs[0], "grad " + tensor(op.inputs[0]).name + " by " + op.name, set(op.inputs[0])), true);
    if (needs(op.inputs[1]))
        give(op.inputs[1], make(GraphOpKind::ConvKernelGrad, {op.inputs[0], dy}, op.inputs[1], "grad " + tensor(op.inputs[1]).name + " by " + op.name, set(op.inputs[1])), true);
}

void GradientBuilder::scatter(const GraphOp& op, TensorId dy)
{
    const bool based = op.inputs.size() == 3;
    if (op.reduce != ReduceKind::Sum)
        return refuse(op, "the gradient of updates that are not added is not derived");
    if (based && needs(op.inputs[0]))
        give(op.inputs[0], dy, false);
    const TensorId updates = op.inputs.back();
    if (needs(updates))
        give(updates, make(GraphOpKind::Gather, {dy, op.inputs[op.inputs.size() - 2]}, updates, "grad " + tensor(updates).name + " by " + op.name, [&](GraphOp& made) {
            made.dim = op.dim;
            made.batch = op.batch;
        }), false);
}

void GradientBuilder::opGradients(const GraphOp& op, TensorId dy)
{
    if (isElementwise(op.kind))
        return elementwise(op, dy);
    switch (op.kind) {
    case GraphOpKind::Einsum:
        return einsum(op, dy);
    case GraphOpKind::Broadcast: {
        std::vector<std::int64_t> gone;
        for (std::size_t d = 0; d < op.shape.size(); ++d) {
            const auto at = std::ranges::find(op.dims, static_cast<std::int64_t>(d));
            if (at == op.dims.end() || shape(op.inputs[0])[static_cast<std::size_t>(at - op.dims.begin())] != op.shape[d])
                gone.push_back(static_cast<std::int64_t>(d));
        }
        const std::string name = "grad " + tensor(op.inputs[0]).name + " by " + op.name;
        const TensorId sum = gone.empty() ? dy : make(GraphOpKind::Reduce, {dy}, -1, name + " sum", [&](GraphOp& made) { made.dims = gone; });
        return give(op.inputs[0], make(GraphOpKind::Reshape, {sum}, op.inputs[0], name, [&](GraphOp& made) { made.shape = shape(op.inputs[0]); }), true);
    }
    case GraphOpKind::Reduce:
        return reduce(op, dy);
    case GraphOpKind::Softmax:
        return along(op, dy, GraphOpKind::SoftmaxGrad, op.output);
    case GraphOpKind::LayerNorm:
        return along(op, dy, GraphOpKind::LayerNormGrad, op.inputs[0]);
    case GraphOpKind::Sort:
        return along(op, dy, GraphOpKind::SortGrad, op.inputs[0]);
    case GraphOpKind::TopK:
        return along(op, dy, GraphOpKind::TopKGrad, op.inputs[0]);
    case GraphOpKind::Pool:
        return op.reduce == ReduceKind::Min ? refuse(op, "the gradient of pooling by minimum is not derived") : along(op, dy, GraphOpKind::PoolGrad, op.inputs[0]);
    case GraphOpKind::CumSum: {
        if (op.reduce != ReduceKind::Sum)
            return refuse(op, "the gradient of other joins than sums is not derived");
        const std::string name = "grad " + tensor(op.inputs[0]).name + " by " + op.name;
        const auto reverse = [&](GraphOp& made) { made.dims = {op.dim}; };
        const TensorId turned = make(GraphOpKind::Reverse, {dy}, op.inputs[0], name + " turned", reverse);
        const TensorId sums = make(GraphOpKind::CumSum, {turned}, op.inputs[0], name + " sums", [&](GraphOp& made) { made.dim = op.dim; });
        return give(op.inputs[0], make(GraphOpKind::Reverse, {sums}, op.inputs[0], name, reverse), false);
    }
    case GraphOpKind::Gather:
        return give(op.inputs[0], make(GraphOpKind::ScatterAdd, {op.inputs[1], dy}, op.inputs[0], "grad " + tensor(op.inputs[0]).name + " by " + op.name, [&](GraphOp& made) {
            made.dim = op.dim;
            made.batch = op.batch;
            made.size = shape(op.inputs[0])[static_cast<std::size_t>(op.dim)];
        }), true);
    case GraphOpKind::ScatterAdd:
        return scatter(op, dy);
    case GraphOpKind::Conv:
        return convolution(op, dy);
    case GraphOpKind::Opaque:
        return refuse(op, "the gradient of " + op.function + " is not derived");
    default:
        return moved(op, dy);
    }
}

Result<BackwardGraph> GradientBuilder::build()
{
    markNeeded();
    for (const TensorId id : m_forward.results()) {
        if (needs(id))
            seed(id);
    }
    for (std::size_t i = m_forward.ops.size(); i-- > 0 && !m_error;) {
        const GraphOp& op = m_forward.ops[i];
        if (!needs(op.output))
            continue;
        const TensorId dy = sumOfParts(op.output);
        m_out.gradients[static_cast<std::size_t>(op.output)] = dy;
        if (dy >= 0)
            opGradients(op, dy);
    }
    for (std::size_t t = 0; t < m_forward.tensors.size() && !m_error; ++t) {
        if (m_forward.tensors[t].producer < 0 && m_needed[t])
            m_out.gradients[t] = sumOfParts(static_cast<TensorId>(t));
    }
    if (m_error)
        return *m_error;
    return std::move(m_out);
}

} // namespace

Result<BackwardGraph> withGradients(const OpGraph& forward)
{
    return GradientBuilder(forward).build();
}

} // namespace fabricscope
