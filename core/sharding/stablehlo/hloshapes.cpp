// Ops that move elements.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace fabricscope::mlir {

HloValue readBroadcast(HloBuilder& builder, const HloOperands& in)
{
    const TensorShape& shape = builder.resultType().shape;
    std::vector<std::int64_t> dims = builder.needed("dims", "broadcast_dimensions");
    if (in[0].splat && (in[0].shape.empty() || dims.size() == in[0].shape.size())) {
        HloValue value = in[0];
        value.shape = shape;
        return value;
    }
    if (in[0].shape.empty())
        return {in[0].tensor, true, shape, {}};
    // The graph wants the dims rising.
    std::vector<std::int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return dims[static_cast<std::size_t>(a)] < dims[static_cast<std::size_t>(b)]; });
    const TensorId turned = builder.transposed(in[0].tensor, order, ".operand");
    std::ranges::sort(dims);
    return builder.finish(GraphOpKind::Broadcast, {turned}, [&](GraphOp& op) {
        op.shape = shape;
        op.dims = dims;
    });
}

HloValue readReshape(HloBuilder& builder, const HloOperands& in)
{
    const TensorShape& shape = builder.resultType().shape;
    if (in[0].splat && elementsOf(in[0].shape) == elementsOf(shape)) {
        HloValue value = in[0];
        value.shape = shape;
        return value;
    }
    return builder.finish(GraphOpKind::Reshape, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) { op.shape = shape; });
}

HloValue readTranspose(HloBuilder& builder, const HloOperands& in)
{
    const std::vector<std::int64_t> perm = builder.needed("dims", "permutation");
    return builder.finish(GraphOpKind::Transpose, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) { op.dims = perm; });
}

HloValue readReverse(HloBuilder& builder, const HloOperands& in)
{
    const std::vector<std::int64_t> dims = builder.needed("dims", "dimensions");
    return builder.finish(GraphOpKind::Reverse, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) { op.dims = dims; });
}

namespace {

/// "[0:4, 0:8:2]"; false: broken.
bool readRanges(std::string_view text, GraphOp& op)
{
    for (const Span& item : itemsOf({text, 0, 0})) {
        std::int64_t parts[3] = {0, 0, 1};
        std::string_view rest = item.text;
        std::size_t count = 0;
        for (; count < 3 && !rest.empty(); ++count) {
            const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), parts[count]);
            if (problem != std::errc{})
                return false;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
            if (!rest.empty() && rest.front() != ':')
                return false;
            if (!rest.empty())
                rest.remove_prefix(1);
        }
        if (count < 2 || !rest.empty())
            return false;
        op.starts.push_back(parts[0]);
        op.limits.push_back(parts[1]);
        op.strides.push_back(parts[2]);
    }
    return true;
}

} // namespace

HloValue readSlice(HloBuilder& builder, const HloOperands& in)
{
    const Operation& op = builder.operation();
    GraphOp ranges;
    const auto words = std::ranges::find_if(op.words, [](const Span& word) { return word.text.starts_with("["); });
    if (words != op.words.end()) {
        if (!readRanges(words->text, ranges))
            builder.fail(ErrorCode::InvalidInput, "its ranges cannot be read", "such as [0:4, 0:8:2]");
    } else {
        ranges.starts = builder.needed("start_indices");
        ranges.limits = builder.needed("limit_indices");
        ranges.strides = builder.integers("strides", std::vector<std::int64_t>(ranges.starts.size(), 1));
    }
    return builder.finish(GraphOpKind::Slice, {builder.whole(in[0], ".operand")}, [&](GraphOp& made) {
        made.starts = ranges.starts;
        made.limits = ranges.limits;
        made.strides = ranges.strides;
    });
}

HloValue readDynamicSlice(HloBuilder& builder, const HloOperands& in)
{
    const std::vector<std::int64_t> sizes = builder.needed("sizes", "slice_sizes");
    const TensorShape& shape = in[0].shape;
    if (sizes.size() != shape.size() || in.size() != shape.size() + 1) {
        builder.fail(ErrorCode::InvalidInput, "needs one start and one size per dim");
        return {};
    }
    std::vector<std::int64_t> starts;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::string& literal = in[d + 1].literal;
        std::int64_t start = 0;
        const auto [end, problem] = std::from_chars(literal.data(), literal.data() + literal.size(), start);
        if (literal.empty() || problem != std::errc{} || end != literal.data() + literal.size()) {
            builder.refuse("its starts are computed", "constants");
            return {};
        }
        if (sizes[d] < 1 || sizes[d] > shape[d]) {
            builder.fail(ErrorCode::InvalidInput, "size " + std::to_string(sizes[d]) + " does not fit " + shapeText(shape));
            return {};
        }
        starts.push_back(std::clamp<std::int64_t>(start, 0, shape[d] - sizes[d]));
    }
    return builder.finish(GraphOpKind::Slice, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) {
        op.starts = starts;
        op.strides.assign(shape.size(), 1);
        for (std::size_t d = 0; d < shape.size(); ++d)
            op.limits.push_back(starts[d] + sizes[d]);
    });
}

HloValue readPad(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    const std::vector<std::int64_t> low = builder.needed("low", "edge_padding_low");
    const std::vector<std::int64_t> high = builder.needed("high", "edge_padding_high");
    for (const std::int64_t between : builder.integers(builder.operation().attributes.contains("interior") ? "interior" : "interior_padding", {})) {
        if (between != 0)
            builder.refuse("padding between elements is not read", "interior = 0");
    }
    for (const auto& list : {low, high}) {
        if (std::ranges::any_of(list, [](std::int64_t size) { return size < 0; }))
            builder.refuse("negative padding is not read", "a slice");
    }
    if (!isZeroLiteral(in[1].literal))
        notes.push_back(note("padded-with-zeros", "op " + builder.name() + " (" + builder.operation().name + ") is read as if it padded with zeros: shardings and bytes are the same", builder.operation().place));
    return builder.finish(GraphOpKind::Pad, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) {
        op.low = low;
        op.high = high;
    });
}

HloValue readConcatenate(HloBuilder& builder, const HloOperands& in)
{
    const std::vector<std::int64_t> dim = builder.needed("dim", "dimension");
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < in.size(); ++i)
        operands.push_back(builder.whole(in[i], ".operand" + std::to_string(i)));
    return builder.finish(GraphOpKind::Concat, std::move(operands), [&](GraphOp& op) { op.dim = dim.size() == 1 ? dim[0] : -1; });
}

} // namespace fabricscope::mlir
