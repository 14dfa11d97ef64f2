// Ops that only move elements, and those that look rows up.
#include "core/sharding/execute/opkernels.h"

#include <algorithm>

namespace fabricscope::kernels {

namespace {

/// out = elements of `from` at start + sum of index * stride.
void pick(const DenseTensor& from, std::int64_t start, std::vector<std::int64_t> strides, DenseTensor& out)
{
    std::size_t i = 0;
    for (Odometer at(out.shape, {std::move(strides)}, {start}); !at.done(); at.next(), ++i)
        out.values[i] = from.values[static_cast<std::size_t>(at.place(0))];
}

/// Puts all of `from` into `out` at start + sum of index * stride.
void put(const DenseTensor& from, std::int64_t start, std::vector<std::int64_t> strides, DenseTensor& out)
{
    std::size_t i = 0;
    for (Odometer at(from.shape, {std::move(strides)}, {start}); !at.done(); at.next(), ++i)
        out.values[static_cast<std::size_t>(at.place(0))] = from.values[i];
}

void transpose(const GraphOp& op, const DenseTensor& in, DenseTensor& out)
{
    const auto own = rowMajorStrides(in.shape);
    std::vector<std::int64_t> strides;
    for (const std::int64_t dim : op.dims)
        strides.push_back(own[static_cast<std::size_t>(dim)]);
    pick(in, 0, std::move(strides), out);
}

void broadcast(const GraphOp& op, const DenseTensor& in, DenseTensor& out)
{
    const auto own = rowMajorStrides(in.shape);
    std::vector<std::int64_t> strides(out.shape.size(), 0);
    for (std::size_t d = 0; d < op.dims.size(); ++d) {
        if (in.shape[d] != 1)
            strides[static_cast<std::size_t>(op.dims[d])] = own[d];
    }
    pick(in, 0, std::move(strides), out);
    if (op.k == 0)
        return;
    const Exact share = Exact(op.k).inverse();
    for (Exact& value : out.values)
        value = value * share;
}

void slice(const GraphOp& op, const DenseTensor& in, DenseTensor& out)
{
    auto strides = rowMajorStrides(in.shape);
    std::int64_t start = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        start += op.starts[d] * strides[d];
        strides[d] *= op.strides[d];
    }
    pick(in, start, std::move(strides), out);
}

void pad(const GraphOp& op, const DenseTensor& in, DenseTensor& out)
{
    auto strides = rowMajorStrides(out.shape);
    std::int64_t start = 0;
    for (std::size_t d = 0; d < strides.size(); ++d)
        start += op.low[d] * strides[d];
    put(in, start, std::move(strides), out);
}

void concat(const GraphOp& op, const Operands& in, DenseTensor& out)
{
    const auto strides = rowMajorStrides(out.shape);
    const auto dim = static_cast<std::size_t>(op.dim);
    std::int64_t start = 0;
    for (const DenseTensor* operand : in) {
        put(*operand, start, strides, out);
        start += operand->shape[dim] * strides[dim];
    }
}

void reverse(const GraphOp& op, const DenseTensor& in, DenseTensor& out)
{
    auto strides = rowMajorStrides(in.shape);
    std::int64_t start = 0;
    for (const std::int64_t dim : op.dims) {
        const auto d = static_cast<std::size_t>(dim);
        start += (in.shape[d] - 1) * strides[d];
        strides[d] = -strides[d];
    }
    pick(in, start, std::move(strides), out);
}

/// The dims before and behind the looked-up one as one number each.
struct TableForm {
    std::int64_t before = 1;
    std::int64_t rows = 1;
    std::int64_t behind = 1;

    explicit TableForm(const TensorShape& table, std::int64_t dim)
    {
        for (std::size_t d = 0; d < table.size(); ++d)
            (d < static_cast<std::size_t>(dim) ? before : d == static_cast<std::size_t>(dim) ? rows : behind) *= table[d];
    }
    /// Where the ids of the batch begin that `a` is of, `count` of each.
    std::int64_t firstId(std::int64_t a, std::int64_t batches, std::int64_t count) const { return a / (before / batches) * count; }
    std::size_t place(std::int64_t a, std::int64_t row, std::int64_t b) const { return static_cast<std::size_t>((a * rows + row) * behind + b); }
};

/// Row of the part that an id means; -1: of another part.
std::int64_t partRow(Exact id, std::int64_t rows, const OpFrame& frame)
{
    const std::int64_t row = id.below(frame.rows > 0 ? frame.rows : rows) - frame.firstRow;
    return row >= 0 && row < rows ? row : -1;
}

/// Of the leading dims of ids.
std::int64_t batchesOf(const GraphOp& op, const DenseTensor& ids)
{
    return elementsOf({ids.shape.begin(), ids.shape.begin() + op.batch});
}

} // namespace

void move(const GraphOp& op, const Operands& in, DenseTensor& out)
{
    switch (op.kind) {
    case GraphOpKind::Transpose:
        return transpose(op, *in[0], out);
    case GraphOpKind::Broadcast:
        return broadcast(op, *in[0], out);
    case GraphOpKind::Slice:
        return slice(op, *in[0], out);
    case GraphOpKind::Pad:
        return pad(op, *in[0], out);
    case GraphOpKind::Concat:
        return concat(op, in, out);
    case GraphOpKind::Reverse:
        return reverse(op, *in[0], out);
    default:
        out.values = in[0]->values; // Reshape
    }
}

void gather(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out)
{
    const TableForm table(in[0]->shape, op.dim);
    const std::int64_t batches = batchesOf(op, *in[1]);
    const std::int64_t ids = static_cast<std::int64_t>(in[1]->values.size()) / batches;
    std::size_t i = 0;
    for (std::int64_t a = 0; a < table.before; ++a) {
        for (std::int64_t n = 0; n < ids; ++n) {
            const Exact id = in[1]->values[static_cast<std::size_t>(table.firstId(a, batches, ids) + n)];
            const std::int64_t row = id.isPoison() ? -1 : partRow(id, table.rows, frame);
            for (std::int64_t b = 0; b < table.behind; ++b, ++i)
                out.values[i] = id.isPoison() ? id : row < 0 ? Exact() : in[0]->values[table.place(a, row, b)];
        }
    }
}

void scatterAdd(const GraphOp& op, const Operands& in, const OpFrame& frame, DenseTensor& out)
{
    const bool based = in.size() == 3;
    if (based)
        out.values = in[0]->values;
    const DenseTensor& ids = *in[based ? 1 : 0];
    const DenseTensor& updates = *in[based ? 2 : 1];
    const TableForm table(out.shape, op.dim);
    const std::int64_t batches = batchesOf(op, ids);
    const std::int64_t count = static_cast<std::int64_t>(ids.values.size()) / batches;
    const Exact neutral = identityOf(op.reduce);
    std::size_t i = 0;
    for (std::int64_t a = 0; a < table.before; ++a) {
        for (std::int64_t n = 0; n < count; ++n) {
            const Exact id = ids.values[static_cast<std::size_t>(table.firstId(a, batches, count) + n)];
            const std::int64_t row = id.isPoison() ? -1 : partRow(id, table.rows, frame);
            for (std::int64_t b = 0; b < table.behind; ++b, ++i) {
                const Exact update = updates.values[i];
                if (row >= 0) {
                    Exact& joined = out.values[table.place(a, row, b)];
                    joined = combined(op.reduce, joined, update);
                } else if (id.isPoison() && (op.reduce == ReduceKind::Last || update != neutral))
                    for (std::int64_t r = 0; r < table.rows; ++r)
                        out.values[table.place(a, r, b)] = Exact::poison();
            }
        }
    }
}

} // namespace fabricscope::kernels
