// Ops that look at all elements along a dim: reductions, sums so far, order, and their gradients.
#include "core/sharding/execute/opkernels.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace fabricscope::kernels {

namespace {

using Line = std::vector<Exact>;

bool hasPoison(const Line& line)
{
    return std::ranges::any_of(line, [](Exact x) { return x.isPoison(); });
}

Exact sumOf(const Line& line)
{
    return std::accumulate(line.begin(), line.end(), Exact());
}

Exact meanOf(const Line& line)
{
    return sumOf(line) * Exact(static_cast<std::int64_t>(line.size())).inverse();
}

Line softmaxLine(const Line& x)
{
    Line y;
    for (const Exact value : x)
        y.push_back(ofUnary(GraphOpKind::Exp, value));
    const Exact share = sumOf(y).inverse();
    for (Exact& value : y)
        value = value * share;
    return y;
}

Line softmaxGradLine(const Line& y, const Line& dy)
{
    Exact dot;
    for (std::size_t i = 0; i < y.size(); ++i)
        dot += y[i] * dy[i];
    Line dx;
    for (std::size_t i = 0; i < y.size(); ++i)
        dx.push_back(y[i] * (dy[i] - dot));
    return dx;
}

/// Returns 1 / root of the variance, by inverseRoot(), and makes the line (x - mean) times it.
Exact normalise(Line& x)
{
    const Exact mean = meanOf(x);
    Line squares;
    for (Exact& value : x) {
        value = value - mean;
        squares.push_back(value * value);
    }
    const Exact scale = inverseRoot(meanOf(squares));
    for (Exact& value : x)
        value = value * scale;
    return scale;
}

/// scale * (dy - mean(dy) - y * mean(dy * y)), y being the normalised line.
Line normGradLine(Line x, const Line& dy)
{
    const Exact scale = normalise(x);
    Line products;
    for (std::size_t i = 0; i < x.size(); ++i)
        products.push_back(x[i] * dy[i]);
    const Exact meanDy = meanOf(dy);
    const Exact meanProduct = meanOf(products);
    Line dx;
    for (std::size_t i = 0; i < x.size(); ++i)
        dx.push_back(scale * (dy[i] - meanDy - x[i] * meanProduct));
    return dx;
}

/// Places of the line in rising (or falling) order of their values, equal ones as they stand. \pre no poison.
std::vector<std::size_t> orderOf(const Line& x, bool falling)
{
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return falling ? lower(x[b], x[a]) : lower(x[a], x[b]); });
    return order;
}

Line sortedLine(const Line& x, bool falling, std::size_t count)
{
    if (hasPoison(x))
        return Line(count, Exact::poison());
    Line y;
    const auto order = orderOf(x, falling);
    for (std::size_t i = 0; i < count; ++i)
        y.push_back(x[order[i]]);
    return y;
}

Line sortGradLine(const Line& x, const Line& dy, bool falling)
{
    if (hasPoison(x))
        return Line(x.size(), Exact::poison());
    Line dx(x.size());
    const auto order = orderOf(x, falling);
    for (std::size_t i = 0; i < dy.size(); ++i)
        dx[order[i]] = dy[i];
    return dx;
}

Line lineResult(const GraphOp& op, const Line& first, const Line& second, std::size_t count)
{
    switch (op.kind) {
    case GraphOpKind::Softmax:
        return softmaxLine(first);
    case GraphOpKind::SoftmaxGrad:
        return softmaxGradLine(first, second);
    case GraphOpKind::LayerNorm: {
        Line y = first;
        normalise(y);
        return y;
    }
    case GraphOpKind::LayerNormGrad:
        return normGradLine(first, second);
    case GraphOpKind::Sort:
        return sortedLine(first, false, count);
    case GraphOpKind::TopK:
        return sortedLine(first, true, count);
    case GraphOpKind::SortGrad:
        return sortGradLine(first, second, false);
    case GraphOpKind::TopKGrad:
        return sortGradLine(first, second, true);
    default: { // CumSum
        Line y = first;
        std::partial_sum(y.begin(), y.end(), y.begin(), [&](Exact a, Exact b) { return combined(op.reduce, a, b); });
        return y;
    }
    }
}

/// The lines of a tensor along a dim: line (a, b) has its elements at (a * length + i) * step + b.
struct LineForm {
    std::int64_t before = 1;
    std::int64_t length = 1;
    std::int64_t step = 1;

    explicit LineForm(const TensorShape& shape, std::int64_t dim)
    {
        const auto own = static_cast<std::size_t>(dim);
        for (std::size_t d = 0; d < shape.size(); ++d)
            (d < own ? before : d == own ? length : step) *= shape[d];
    }
    std::size_t place(std::int64_t a, std::int64_t i, std::int64_t b) const { return static_cast<std::size_t>((a * length + i) * step + b); }
    void read(const DenseTensor& tensor, std::int64_t a, std::int64_t b, Line& line) const
    {
        line.clear();
        for (std::int64_t i = 0; i < length; ++i)
            line.push_back(tensor.values[place(a, i, b)]);
    }
};

} // namespace

void reduce(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out)
{
    const auto own = rowMajorStrides(out.shape);
    std::vector<std::int64_t> strides(in[0]->shape.size(), 0);
    std::int64_t count = 1;
    std::size_t kept = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        if (std::ranges::count(op.dims, static_cast<std::int64_t>(d)) > 0)
            count *= in[0]->shape[d];
        else
            strides[d] = own[kept++];
    }
    std::ranges::fill(out.values, identityOf(op.reduce));
    std::size_t i = 0;
    for (Odometer at(in[0]->shape, {strides}); !at.done(); at.next(), ++i) {
        Exact& sum = out.values[static_cast<std::size_t>(at.place(0))];
        sum = combined(op.reduce, sum, in[0]->values[i]);
    }
    if (op.reduce != ReduceKind::Mean)
        return;
    const Exact share = Exact(frame.meanCount > 0 ? frame.meanCount : count).inverse();
    for (Exact& value : out.values)
        value = value * share;
}

void lines(const GraphOp& op, const Operands& in, DenseTensor& out)
{
    const LineForm form(out.shape, op.dim);
    const LineForm first(in[0]->shape, op.dim);
    const LineForm second(in.back()->shape, op.dim);
    Line x;
    Line dy;
    for (std::int64_t a = 0; a < form.before; ++a) {
        for (std::int64_t b = 0; b < form.step; ++b) {
            first.read(*in[0], a, b, x);
            if (in.size() > 1)
                second.read(*in[1], a, b, dy);
            const Line y = lineResult(op, x, dy, static_cast<std::size_t>(form.length));
            for (std::int64_t i = 0; i < form.length; ++i)
                out.values[form.place(a, i, b)] = y[static_cast<std::size_t>(i)];
        }
    }
}

void opaque(const GraphOp& op, const Operands& in, DenseTensor& out)
{
    const std::int64_t batches = elementsOf({out.shape.begin(), out.shape.begin() + op.batch});
    const std::size_t own = out.values.size() / static_cast<std::size_t>(batches);
    for (std::size_t batch = 0; batch < static_cast<std::size_t>(batches); ++batch) {
        Line all;
        for (const DenseTensor* operand : in) {
            const std::size_t count = operand->values.size() / static_cast<std::size_t>(batches);
            for (std::size_t i = 0; i < count; ++i)
                all.push_back(operand->values[batch * count + i]);
        }
        const Exact drawn = ofNamed(op.function, all);
        for (std::size_t i = 0; i < own; ++i)
            out.values[batch * own + i] = ofNamed(op.function, std::array{drawn, Exact(static_cast<std::int64_t>(i))});
    }
}

} // namespace fabricscope::kernels
