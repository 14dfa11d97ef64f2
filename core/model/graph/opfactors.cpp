#include "core/model/graph/opfactors.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// Collects the rule of one op.
class FactorBuilder {
public:
    FactorBuilder(const OpGraph& graph, const GraphOp& op) : m_graph(graph), m_op(op)
    {
        for (std::size_t i = 0; i <= op.inputs.size(); ++i)
            m_rule.dims.emplace_back(shape(i).size());
    }

    OpFactors build();

private:
    const TensorShape& shape(std::size_t tensor) const { return m_graph.tensor(tensor < m_op.inputs.size() ? m_op.inputs[tensor] : m_op.output).shape; }
    std::size_t result() const { return m_op.inputs.size(); }
    int make(std::int64_t size, FactorType type)
    {
        m_rule.factors.push_back({size, type});
        return static_cast<int>(m_rule.factors.size()) - 1;
    }
    void hold(std::size_t tensor, std::size_t dim, int factor) { m_rule.dims[tensor][dim].push_back(factor); }
    /// A factor for the dim of each tensor listed.
    void join(FactorType type, std::initializer_list<std::pair<std::size_t, std::size_t>> places)
    {
        const auto& [tensor, dim] = *(places.end() - 1);
        const int factor = make(shape(tensor)[dim], type);
        for (const auto& [holder, at] : places)
            hold(holder, at, factor);
    }

    void einsum();
    void elementwise();
    void reshape();
    void alike(FactorType changed);
    void reduce();
    void broadcast();
    void convolution(std::size_t x, std::size_t kernel, std::size_t y);
    void windowed(std::size_t y, FactorType spatial);
    void gather();
    void scatter();
    void opaque();

    const OpGraph& m_graph;
    const GraphOp& m_op;
    OpFactors m_rule;
};

bool plainWindow(const WindowDim& w)
{
    return w.size == 1 && w.stride == 1 && w.padLow == 0 && w.padHigh == 0;
}

void FactorBuilder::einsum()
{
    std::map<char, int> known;
    const std::string& kept = m_op.letters.back();
    for (std::size_t i = 0; i <= result(); ++i) {
        for (std::size_t d = 0; d < m_op.letters[i].size(); ++d) {
            const char letter = m_op.letters[i][d];
            if (!known.contains(letter))
                known[letter] = make(shape(i)[d], kept.find(letter) == std::string::npos ? FactorType::Reduction : FactorType::PassThrough);
            hold(i, d, known[letter]);
        }
    }
}

void FactorBuilder::elementwise()
{
    const TensorShape& whole = shape(result());
    for (std::size_t d = 0; d < whole.size(); ++d) {
        const int factor = make(whole[d], FactorType::PassThrough);
        hold(result(), d, factor);
        for (std::size_t i = 0; i < result(); ++i) {
            const std::size_t missing = whole.size() - shape(i).size();
            if (d >= missing && shape(i)[d - missing] == whole[d])
                hold(i, d - missing, factor);
        }
    }
}

void FactorBuilder::reshape()
{
    const TensorShape& from = shape(0);
    const TensorShape& to = shape(1);
    std::size_t i = 0;
    std::size_t j = 0;
    std::int64_t a = from.empty() ? 1 : from[0];
    std::int64_t b = to.empty() ? 1 : to[0];
    const auto advance = [](const TensorShape& shape, std::size_t& dim, std::int64_t& rest) {
        while (rest == 1 && dim < shape.size()) {
            ++dim;
            rest = dim < shape.size() ? shape[dim] : 1;
        }
    };
    advance(from, i, a);
    advance(to, j, b);
    while (i < from.size() && j < to.size()) {
        const std::int64_t common = std::gcd(a, b);
        if (common > 1) {
            const int factor = make(common, FactorType::PassThrough);
            hold(0, i, factor);
            hold(1, j, factor);
            a /= common;
            b /= common;
        } else {
            // No common prefix: whole dims until the products meet.
            std::int64_t left = a;
            std::int64_t right = b;
            hold(0, i, make(a, FactorType::NeedReplication));
            hold(1, j, make(b, FactorType::NeedReplication));
            while (left != right) {
                const bool first = left < right;
                std::size_t& dim = first ? i : j;
                const std::int64_t size = (first ? from : to)[++dim];
                (first ? left : right) *= size;
                if (size > 1)
                    hold(first ? 0 : 1, dim, make(size, FactorType::NeedReplication));
            }
            a = b = 1;
        }
        advance(from, i, a);
        advance(to, j, b);
    }
}

/// Operands and result have the same dims; those that differ or that the op changes get `changed`.
void FactorBuilder::alike(FactorType changed)
{
    for (std::size_t d = 0; d < shape(result()).size(); ++d) {
        bool touched = m_op.kind == GraphOpKind::Reverse ? std::ranges::count(m_op.dims, static_cast<std::int64_t>(d)) > 0 && shape(0)[d] > 1 : false;
        if (m_op.kind == GraphOpKind::Slice || m_op.kind == GraphOpKind::Pad)
            touched = shape(0)[d] != shape(result())[d];
        else if (m_op.kind == GraphOpKind::Concat)
            touched = m_op.dim == static_cast<std::int64_t>(d) && result() > 1;
        else if (m_op.kind != GraphOpKind::Reverse)
            touched = m_op.dim == static_cast<std::int64_t>(d);
        const int factor = make(shape(result())[d], touched ? changed : FactorType::PassThrough);
        for (std::size_t i = 0; i <= result(); ++i)
            hold(i, d, factor);
    }
}

void FactorBuilder::reduce()
{
    m_rule.reduce = m_op.reduce;
    std::size_t kept = 0;
    for (std::size_t d = 0; d < shape(0).size(); ++d) {
        const bool gone = std::ranges::count(m_op.dims, static_cast<std::int64_t>(d)) > 0;
        const int factor = make(shape(0)[d], gone ? FactorType::Reduction : FactorType::PassThrough);
        hold(0, d, factor);
        if (!gone)
            hold(1, kept++, factor);
    }
}

void FactorBuilder::broadcast()
{
    for (std::size_t d = 0; d < shape(1).size(); ++d) {
        const int factor = make(shape(1)[d], FactorType::PassThrough);
        hold(1, d, factor);
        const auto source = std::ranges::find(m_op.dims, static_cast<std::int64_t>(d));
        const auto at = static_cast<std::size_t>(source - m_op.dims.begin());
        if (source != m_op.dims.end() && shape(0)[at] == shape(1)[d])
            hold(0, at, factor);
    }
}

/// Indices of the three tensors of a convolution among operands and result, whichever of them the op makes.
void FactorBuilder::convolution(std::size_t x, std::size_t kernel, std::size_t y)
{
    const auto type = [&](std::size_t absent) { return result() == absent ? FactorType::Reduction : FactorType::PassThrough; };
    const auto three = [&](std::int64_t size, std::size_t absent) { return make(size, type(absent)); };
    const int batch = three(shape(x)[0], kernel);
    hold(x, 0, batch);
    hold(y, 0, batch);
    const std::size_t spatials = m_op.windows.size();
    const std::size_t channels = spatials + 1;
    for (std::size_t d = 0; d < spatials; ++d) {
        const WindowDim& w = m_op.windows[d];
        const bool plain = plainWindow(w);
        // The gradient of the kernel sums over windows; that of the input reads windows of dy where every position has one.
        const bool windows = m_op.kind == GraphOpKind::Conv || (m_op.kind == GraphOpKind::ConvInputGrad && w.stride == 1);
        const FactorType spatial = plain || result() == kernel ? type(kernel) : windows ? FactorType::Permutation : FactorType::NeedReplication;
        const int factor = make(shape(m_op.kind == GraphOpKind::ConvInputGrad ? x : y)[d + 1], spatial);
        hold(x, d + 1, factor);
        hold(y, d + 1, factor);
        if (w.size > 1)
            hold(kernel, d, make(w.size, FactorType::NeedReplication));
    }
    const std::int64_t groups = m_op.groups;
    if (groups > 1) {
        const int group = make(groups, FactorType::PassThrough);
        hold(x, channels, group);
        hold(kernel, channels, group);
        hold(y, channels, group);
    }
    const int in = three(shape(kernel)[spatials], y);
    hold(x, channels, in);
    hold(kernel, spatials, in);
    const int out = three(shape(kernel)[channels] / groups, x);
    hold(kernel, channels, out);
    hold(y, channels, out);
}

/// Pooling (y = 1) and its gradient (y: dy, also the result is like x).
void FactorBuilder::windowed(std::size_t y, FactorType spatial)
{
    for (std::size_t d = 0; d < 4; ++d) {
        const bool moving = d == 1 || d == 2;
        const int factor = make(shape(y)[d], moving && !plainWindow(m_op.windows[d - 1]) ? spatial : FactorType::PassThrough);
        for (std::size_t i = 0; i <= result(); ++i)
            hold(i, d, factor);
    }
}

void FactorBuilder::gather()
{
    const auto at = static_cast<std::size_t>(m_op.dim);
    const auto batch = static_cast<std::size_t>(m_op.batch);
    const std::size_t ids = shape(1).size() - batch;
    for (std::size_t d = 0; d < shape(0).size(); ++d) {
        if (d == at)
            hold(0, d, make(shape(0)[d], FactorType::Reduction));
        else if (d < batch)
            join(FactorType::PassThrough, {{0, d}, {1, d}, {2, d}});
        else
            join(FactorType::PassThrough, {{0, d}, {2, d < at ? d : d - 1 + ids}});
    }
    for (std::size_t d = 0; d < ids; ++d)
        join(FactorType::PassThrough, {{1, batch + d}, {2, at + d}});
}

void FactorBuilder::scatter()
{
    const bool based = m_op.inputs.size() == 3;
    const std::size_t ids = based ? 1 : 0;
    const auto at = static_cast<std::size_t>(m_op.dim);
    const auto batch = static_cast<std::size_t>(m_op.batch);
    const std::size_t rows = shape(ids).size() - batch;
    // Where the order of updates counts, or their product with the base, parts of them cannot be joined.
    const bool joinable = m_op.reduce == ReduceKind::Sum || m_op.reduce == ReduceKind::Max || m_op.reduce == ReduceKind::Min;
    m_rule.reduce = joinable ? m_op.reduce : ReduceKind::Sum;
    for (std::size_t d = 0; d < shape(result()).size(); ++d) {
        const int factor = make(shape(result())[d], FactorType::PassThrough);
        if (based)
            hold(0, d, factor);
        if (d < batch)
            hold(ids, d, factor);
        if (d != at)
            hold(ids + 1, d < at ? d : d - 1 + rows, factor);
        hold(result(), d, factor);
    }
    for (std::size_t d = 0; d < rows; ++d)
        join(joinable ? FactorType::Reduction : FactorType::NeedReplication, {{ids, batch + d}, {ids + 1, at + d}});
}

void FactorBuilder::opaque()
{
    const auto batch = static_cast<std::size_t>(m_op.batch);
    for (std::size_t d = 0; d < batch; ++d) {
        const int factor = make(shape(0)[d], FactorType::PassThrough);
        for (std::size_t i = 0; i <= result(); ++i)
            hold(i, d, factor);
    }
    for (std::size_t i = 0; i <= result(); ++i) {
        for (std::size_t d = batch; d < shape(i).size(); ++d)
            hold(i, d, make(shape(i)[d], FactorType::NeedReplication));
    }
}

OpFactors FactorBuilder::build()
{
    if (isElementwise(m_op.kind)) {
        elementwise();
        return std::move(m_rule);
    }
    switch (m_op.kind) {
    case GraphOpKind::Einsum:
        einsum();
        break;
    case GraphOpKind::Reshape:
        reshape();
        break;
    case GraphOpKind::Transpose:
        for (std::size_t d = 0; d < m_op.dims.size(); ++d)
            join(FactorType::PassThrough, {{0, static_cast<std::size_t>(m_op.dims[d])}, {1, d}});
        break;
    case GraphOpKind::Broadcast:
        broadcast();
        break;
    case GraphOpKind::Reduce:
        reduce();
        break;
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Concat:
    case GraphOpKind::Reverse:
        alike(FactorType::Permutation);
        break;
    case GraphOpKind::Conv:
        convolution(0, 1, 2);
        break;
    case GraphOpKind::ConvInputGrad:
        convolution(2, 1, 0);
        break;
    case GraphOpKind::ConvKernelGrad:
        convolution(0, 2, 1);
        break;
    case GraphOpKind::Pool:
        windowed(1, FactorType::Permutation);
        break;
    case GraphOpKind::PoolGrad:
        windowed(1, FactorType::NeedReplication);
        break;
    case GraphOpKind::Gather:
        gather();
        break;
    case GraphOpKind::ScatterAdd:
        scatter();
        break;
    case GraphOpKind::Opaque:
        opaque();
        break;
    default:
        alike(FactorType::NeedReplication);
        break;
    }
    return std::move(m_rule);
}

} // namespace

OpFactors factorsOf(const OpGraph& graph, const GraphOp& op)
{
    return FactorBuilder(graph, op).build();
}

Linearity linearityOf(const GraphOp& op, std::size_t operand)
{
    switch (op.kind) {
    case GraphOpKind::Add:
    case GraphOpKind::Sub:
    case GraphOpKind::Concat:
        return Linearity::Together;
    case GraphOpKind::Select:
        return operand == 0 ? Linearity::None : Linearity::Together;
    case GraphOpKind::ScatterAdd:
        return op.reduce != ReduceKind::Sum || operand + 2 == op.inputs.size() ? Linearity::None : op.inputs.size() == 3 ? Linearity::Together : Linearity::Alone;
    case GraphOpKind::Einsum:
    case GraphOpKind::Mul:
    case GraphOpKind::Conv:
    case GraphOpKind::ConvInputGrad:
    case GraphOpKind::ConvKernelGrad:
    case GraphOpKind::Neg:
    case GraphOpKind::Copy:
    case GraphOpKind::Cast:
    case GraphOpKind::Dropout:
    case GraphOpKind::Reshape:
    case GraphOpKind::Transpose:
    case GraphOpKind::Broadcast:
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Reverse:
        return Linearity::Alone;
    case GraphOpKind::Div:
    case GraphOpKind::Gather:
        return operand == 0 ? Linearity::Alone : Linearity::None;
    case GraphOpKind::Reduce:
    case GraphOpKind::CumSum:
    case GraphOpKind::Pool:
        return op.reduce == ReduceKind::Sum || op.reduce == ReduceKind::Mean ? Linearity::Alone : Linearity::None;
    case GraphOpKind::UnaryGrad:
    case GraphOpKind::SoftmaxGrad:
    case GraphOpKind::LayerNormGrad:
    case GraphOpKind::SortGrad:
    case GraphOpKind::TopKGrad:
    case GraphOpKind::PoolGrad:
        return operand == 1 ? Linearity::Alone : Linearity::None;
    case GraphOpKind::ChoiceGrad:
        return operand + 1 == op.inputs.size() ? Linearity::Alone : Linearity::None;
    default:
        return Linearity::None;
    }
}

} // namespace fabricscope
