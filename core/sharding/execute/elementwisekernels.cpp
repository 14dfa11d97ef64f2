#include "core/sharding/execute/opkernels.h"

#include <algorithm>
#include <span>

namespace fabricscope::kernels {

namespace {

/// Strides of an operand along the dims of the result: 0 where it is repeated.
std::vector<std::int64_t> repeatedStrides(const TensorShape& operand, const TensorShape& result)
{
    const auto own = rowMajorStrides(operand);
    const std::size_t missing = result.size() - operand.size();
    std::vector<std::int64_t> strides(result.size(), 0);
    for (std::size_t d = 0; d < operand.size(); ++d)
        strides[missing + d] = operand[d] == 1 ? 0 : own[d];
    return strides;
}

Exact choiceGradient(const GraphOp& op, const Exact* v)
{
    if (op.of == GraphOpKind::Select) {
        if (v[0].isPoison())
            return v[0];
        return v[0].isZero() == (op.side == 1) ? v[1] : v[1] * Exact(0);
    }
    if (v[0].isPoison() || v[1].isPoison())
        return Exact::poison();
    bool taken = v[0] == v[1];
    if (op.of == GraphOpKind::Max || op.of == GraphOpKind::Min) {
        const bool first = op.of == GraphOpKind::Max ? !lower(v[0], v[1]) : !lower(v[1], v[0]);
        taken = first == (op.side == 0);
    }
    return taken ? v[2] : v[2] * Exact(0);
}

Exact elementOf(const GraphOp& op, std::span<const Exact> given)
{
    const Exact* v = given.data();
    switch (op.kind) {
    case GraphOpKind::Add:
        return v[0] + v[1];
    case GraphOpKind::Sub:
        return v[0] - v[1];
    case GraphOpKind::Mul:
        return v[0] * v[1];
    case GraphOpKind::Div:
        return v[0] * v[1].inverse();
    case GraphOpKind::Max:
        return higherOf(v[0], v[1]);
    case GraphOpKind::Min:
        return lowerOf(v[0], v[1]);
    case GraphOpKind::Map:
        return ofNamed(op.function, given);
    case GraphOpKind::Select:
        return v[0].isPoison() ? v[0] : v[0].isZero() ? v[2] : v[1];
    case GraphOpKind::UnaryGrad:
        return derivativeOf(op.of, v[0]) * v[1];
    case GraphOpKind::ChoiceGrad:
        return choiceGradient(op, v);
    default:
        return ofUnary(op.kind, v[0]);
    }
}

/// Zero where an element is dropped, poison or not: a mask does not multiply.
void dropout(const GraphOp& op, const DenseTensor& in, const OpFrame& frame, DenseTensor& out)
{
    const TensorShape& whole = frame.whole.empty() ? out.shape : frame.whole;
    const auto strides = rowMajorStrides(whole);
    std::int64_t first = 0;
    for (std::size_t d = 0; d < frame.offset.size() && d < strides.size(); ++d)
        first += frame.offset[d] * strides[d];
    std::size_t i = 0;
    for (Odometer at(out.shape, {strides}, {first}); !at.done(); at.next(), ++i)
        out.values[i] = isDropped(op.seed, op.rate, at.place(0)) ? Exact() : in.values[i];
}

} // namespace

void elementwise(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out)
{
    if (op.kind == GraphOpKind::Dropout)
        return dropout(op, *in[0], frame, out);
    std::vector<std::vector<std::int64_t>> strides;
    for (const DenseTensor* operand : in)
        strides.push_back(repeatedStrides(operand->shape, out.shape));
    std::size_t i = 0;
    Exact values[3];
    const std::span<const Exact> given(values, std::min<std::size_t>(in.size(), 3));
    for (Odometer at(out.shape, std::move(strides)); !at.done(); at.next(), ++i) {
        for (std::size_t t = 0; t < given.size(); ++t)
            values[t] = in[t]->values[static_cast<std::size_t>(at.place(t))];
        out.values[i] = elementOf(op, given);
    }
}

} // namespace fabricscope::kernels
