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

std::size_t placeIn(const TensorShape& s, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d)
{
    return static_cast<std::size_t>(((a * s[1] + b) * s[2] + c) * s[3] + d);
}

/// Calls use(n, oh, ow, kh, kw, h, w) for every window and every tap of it that is no padding.
template <typename Use>
void eachTap(const GraphOp& op, const TensorShape& x, const TensorShape& y, const std::stop_token& stop, Use&& use)
{
    for (std::int64_t n = 0; n < y[0]; ++n) {
        for (std::int64_t oh = 0; oh < y[1]; ++oh) {
            checkStop(stop);
            for (std::int64_t ow = 0; ow < y[2]; ++ow) {
                for (std::int64_t kh = 0; kh < op.windows[0].size; ++kh) {
                    const std::int64_t h = covered(op.windows[0], oh, kh, x[1]);
                    for (std::int64_t kw = 0; h >= 0 && kw < op.windows[1].size; ++kw) {
                        const std::int64_t w = covered(op.windows[1], ow, kw, x[2]);
                        if (w >= 0)
                            use(n, oh, ow, kh, kw, h, w);
                    }
                }
            }
        }
    }
}

void poolGradient(const GraphOp& op, const Operands& in, DenseTensor& out, const std::stop_token& stop)
{
    const DenseTensor& x = *in[0];
    const DenseTensor& dy = *in[1];
    const Exact share = op.reduce == ReduceKind::Mean ? Exact(op.windows[0].size * op.windows[1].size).inverse() : Exact(1);
    if (op.reduce == ReduceKind::Sum || op.reduce == ReduceKind::Mean) {
        return eachTap(op, x.shape, dy.shape, stop, [&](auto n, auto oh, auto ow, auto, auto, auto h, auto w) {
            for (std::int64_t c = 0; c < x.shape[3]; ++c)
                out.values[placeIn(x.shape, n, h, w, c)] += dy.values[placeIn(dy.shape, n, oh, ow, c)] * share;
        });
    }
    // The place of the first extreme of every window; -1: all of it is padding; -2: poison.
    std::vector<std::int64_t> taken(dy.values.size(), -1);
    eachTap(op, x.shape, dy.shape, stop, [&](auto n, auto oh, auto ow, auto, auto, auto h, auto w) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            std::int64_t& best = taken[placeIn(dy.shape, n, oh, ow, c)];
            const std::size_t place = placeIn(x.shape, n, h, w, c);
            const Exact value = x.values[place];
            if (best == -2 || value.isPoison())
                best = -2;
            else if (best < 0 || (op.reduce == ReduceKind::Max ? lower(x.values[static_cast<std::size_t>(best)], value) : lower(value, x.values[static_cast<std::size_t>(best)])))
                best = static_cast<std::int64_t>(place);
        }
    });
    eachTap(op, x.shape, dy.shape, stop, [&](auto n, auto oh, auto ow, auto, auto, auto h, auto w) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            const std::size_t window = placeIn(dy.shape, n, oh, ow, c);
            const std::size_t place = placeIn(x.shape, n, h, w, c);
            if (taken[window] == -2)
                out.values[place] = Exact::poison();
            else if (taken[window] == static_cast<std::int64_t>(place))
                out.values[place] += dy.values[window];
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
    const std::int64_t perGroup = kernel.shape[2];
    const std::int64_t outPerGroup = kernel.shape[3] / op.groups;
    eachTap(op, x.shape, y.shape, stop, [&](auto n, auto oh, auto ow, auto kh, auto kw, auto h, auto w) {
        for (std::int64_t co = 0; co < y.shape[3]; ++co) {
            const std::int64_t group = co / outPerGroup;
            for (std::int64_t ci = 0; ci < perGroup; ++ci) {
                const std::size_t atX = placeIn(x.shape, n, h, w, group * perGroup + ci);
                const std::size_t atKernel = placeIn(kernel.shape, kh, kw, ci, co);
                const std::size_t atY = placeIn(y.shape, n, oh, ow, co);
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
    eachTap(op, x.shape, out.shape, stop, [&](auto n, auto oh, auto ow, auto, auto, auto h, auto w) {
        for (std::int64_t c = 0; c < x.shape[3]; ++c) {
            Exact& sum = out.values[placeIn(out.shape, n, oh, ow, c)];
            sum = combined(op.reduce, sum, x.values[placeIn(x.shape, n, h, w, c)]);
        }
    });
    if (op.reduce == ReduceKind::Mean) {
        const Exact share = Exact(op.windows[0].size * op.windows[1].size).inverse();
        for (Exact& value : out.values)
            value = value * share;
    }
}

} // namespace fabricscope::kernels
