// Convolutions, pooling and their gradients: one walk through windows each.
#include "core/sharding/execute/opkernels.h"

namespace fabricscope::kernels {

namespace {

/// Position of the operand that tap t of window o covers; -1: padding.
std::int64_t covered(const WindowDim& w, std::int64_t o, std::int64_t tap, std::int64_t size)
{
    const std::int64_t position = o * w.stride - w.padLow + tap * w.dilation;
    return position >= 0 && position < size ? position : -1;
}

/// Walks through windows and their taps that are no padding, spatial dims as one number each: of the result, the kernel and the operand.
template <typename Use>
class TapWalk {
public:
    TapWalk(const GraphOp& op, const TensorShape& x, const TensorShape& y, const std::stop_token& stop, const Use& use) : m_op(op), m_x(x), m_y(y), m_stop(stop), m_use(use) {}

    void along(std::size_t d, std::int64_t y, std::int64_t tap, std::int64_t x) const
    {
        if (d == m_op.windows.size())
            return m_use(y, tap, x);
        const WindowDim& w = m_op.windows[d];
        for (std::int64_t o = 0; o < m_y[d + 1]; ++o) {
            checkStop(m_stop);
            for (std::int64_t t = 0; t < w.size; ++t) {
                if (const std::int64_t position = covered(w, o, t, m_x[d + 1]); position >= 0)
                    along(d + 1, y * m_y[d + 1] + o, tap * w.size + t, x * m_x[d + 1] + position);
            }
        }
    }

private:
    const GraphOp& m_op;
    const TensorShape& m_x;
    const TensorShape& m_y;
    const std::stop_token& m_stop;
    const Use& m_use;
};

/// Calls use(place of a window with its batch, tap, place it covers with its batch) for every window and every tap of it that is no padding.
template <typename Use>
void eachTap(const GraphOp& op, const TensorShape& x, const TensorShape& y, const std::stop_token& stop, const Use& use)
{
    const TapWalk<Use> walk(op, x, y, stop, use);
    for (std::int64_t n = 0; n < y[0]; ++n)
        walk.along(0, n, 0, n);
}

std::size_t placeIn(std::int64_t row, std::int64_t length, std::int64_t c)
{
    return static_cast<std::size_t>(row * length + c);
}

void poolGradient(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop)
{
    const DenseTensor& x = *in[0];
    const DenseTensor& dy = *in[1];
    const Exact share = op.reduce == ReduceKind::Mean ? Exact(op.windows[0].size * op.windows[1].size).inverse() : Exact(1);
    if (op.reduce == ReduceKind::Sum || op.reduce == ReduceKind::Mean) {
        return eachTap(op, x.shape, dy.shape, stop, [&](auto window, auto, auto from) {
            for (std::int64_t c = 0; c < x.shape[3]; ++c)
                out.values[placeIn(from, x.shape[3], c)] += dy.values[placeIn(window, x.shape[3], c)] * share;
        });
    }
    // The place of the first extreme of every window; -1: all of it is padding; -2: poison.
    std::vector<std::int64_t> taken(dy.values.size(), -1);
    eachTap(op, x.shape, dy.shape, stop, [&](auto window, auto, auto from) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            std::int64_t& best = taken[placeIn(window, x.shape[3], c)];
            const std::size_t place = placeIn(from, x.shape[3], c);
            const Exact value = x.values[place];
            if (best == -2 || value.isPoison())
                best = -2;
            else if (best < 0 || (op.reduce == ReduceKind::Max ? lower(x.values[static_cast<std::size_t>(best)], value) : lower(value, x.values[static_cast<std::size_t>(best)])))
                best = static_cast<std::int64_t>(place);
        }
    });
    eachTap(op, x.shape, dy.shape, stop, [&](auto window, auto, auto from) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            const std::size_t at = placeIn(window, x.shape[3], c);
            const std::size_t place = placeIn(from, x.shape[3], c);
            if (taken[at] == -2)
                out.values[place] = Exact::poison();
            else if (taken[at] == static_cast<std::int64_t>(place))
                out.values[place] += dy.values[at];
        }
    });
}

} // namespace

void convolution(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop)
{
    // The op reads two of x, kernel and y and adds their products to the third.
    const DenseTensor* const dx = &out;
    const DenseTensor& x = op.kind == GraphOpKind::ConvInputGrad ? *dx : *in[0];
    const DenseTensor& kernel = op.kind == GraphOpKind::Conv || op.kind == GraphOpKind::ConvInputGrad ? *in[1] : *dx;
    const DenseTensor& y = op.kind == GraphOpKind::Conv ? *dx : op.kind == GraphOpKind::ConvInputGrad ? *in[0] : *in[1];
    const std::int64_t perGroup = kernel.shape[op.windows.size()];
    const std::int64_t outPerGroup = kernel.shape.back() / op.groups;
    eachTap(op, x.shape, y.shape, stop, [&](auto window, auto tap, auto from) {
        for (std::int64_t co = 0; co < y.shape.back(); ++co) {
            const std::int64_t group = co / outPerGroup;
            for (std::int64_t ci = 0; ci < perGroup; ++ci) {
                const std::size_t atX = placeIn(from, x.shape.back(), group * perGroup + ci);
                const std::size_t atKernel = placeIn(tap * perGroup + ci, kernel.shape.back(), co);
                const std::size_t atY = placeIn(window, y.shape.back(), co);
                if (op.kind == GraphOpKind::Conv)
                    out.values[atY] += x.values[atX] * kernel.values[atKernel];
                else if (op.kind == GraphOpKind::ConvInputGrad)
                    out.values[atX] += y.values[atY] * kernel.values[atKernel];
                else
                    out.values[atKernel] += x.values[atX] * y.values[atY];
            }
        }
    });
}

void pool(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop)
{
    if (op.kind == GraphOpKind::PoolGrad)
        return poolGradient(op, in, out, stop);
    const DenseTensor& x = *in[0];
    for (Exact& value : out.values)
        value = identityOf(op.reduce);
    eachTap(op, x.shape, out.shape, stop, [&](auto window, auto, auto from) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            Exact& sum = out.values[placeIn(window, x.shape[3], c)];
            sum = combined(op.reduce, sum, x.values[placeIn(from, x.shape[3], c)]);
        }
    });
    if (op.reduce == ReduceKind::Mean) {
        const Exact share = Exact(op.windows[0].size * op.windows[1].size).inverse();
        for (Exact& value : out.values)
            value = value * share;
    }
}

} // namespace fabricscope::kernels
