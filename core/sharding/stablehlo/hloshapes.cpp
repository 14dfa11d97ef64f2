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
    const std::int64_t counts = in[0].counts >= 0 && in[0].counts < std::ssize(dims) ? dims[static_cast<std::size_t>(in[0].counts)] : -1;
    std::ranges::sort(dims);
    HloValue made = builder.finish(GraphOpKind::Broadcast, {turned}, [&](GraphOp& op) {
        op.shape = shape;
        op.dims = dims;
    });
    if (counts >= 0 && counts < std::ssize(shape) && shape[static_cast<std::size_t>(counts)] == in[0].shape[static_cast<std::size_t>(in[0].counts)])
        made.counts = counts;
    return made;
}

namespace {

/// Where a dim of the operand is in a shape that differs from its own in dims of size 1 only; -1: nowhere.
std::int64_t dimAmongOnes(const TensorShape& from, std::int64_t dim, const TensorShape& to)
{
    const auto longOnes = [](const TensorShape& shape) {
        std::vector<std::int64_t> dims;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (shape[d] != 1)
                dims.push_back(static_cast<std::int64_t>(d));
        }
        return dims;
    };
    const std::vector<std::int64_t> own = longOnes(from);
    const std::vector<std::int64_t> made = longOnes(to);
    const bool same = std::ranges::equal(own, made, [&](std::int64_t a, std::int64_t b) { return from[static_cast<std::size_t>(a)] == to[static_cast<std::size_t>(b)]; });
    const auto found = std::ranges::find(own, dim);
    return same && found != own.end() ? made[static_cast<std::size_t>(found - own.begin())] : -1;
}

} // namespace

HloValue readReshape(HloBuilder& builder, const HloOperands& in)
{
    const TensorShape& shape = builder.resultType().shape;
    if (in[0].splat && elementsOf(in[0].shape) == elementsOf(shape)) {
        HloValue value = in[0];
        value.shape = shape;
        return value;
    }
    HloValue made = builder.finish(GraphOpKind::Reshape, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) { op.shape = shape; });
    made.counts = in[0].counts < 0 ? -1 : dimAmongOnes(in[0].shape, in[0].counts, shape);
    return made;
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

TensorId spacedOut(HloBuilder& builder, TensorId tensor, const std::vector<std::int64_t>& between, const std::string& suffix)
{
    for (std::size_t d = 0; d < between.size() && !builder.failed(); ++d) {
        const TensorShape shape = builder.shapeOf(tensor);
        const std::string own = suffix + "." + std::to_string(d);
        if (between[d] < 0 || between[d] > OpGraph::kMaxElements / elementsOf(shape) - 1) {
            builder.fail(ErrorCode::InvalidInput, std::to_string(between[d]) + " zeros between elements of " + shapeText(shape) + " are not possible", "from 0, at most 2^48 elements");
            return -1;
        }
        if (between[d] == 0 || shape[d] == 1)
            continue;
        // Each element becomes a line of its own, which is filled up; the last line ends with its element.
        const auto at = static_cast<std::ptrdiff_t>(d);
        TensorShape lines = shape;
        lines.insert(lines.begin() + at + 1, 1);
        std::vector<std::int64_t> none(lines.size(), 0);
        std::vector<std::int64_t> behind = none;
        behind[d + 1] = between[d];
        tensor = builder.reshaped(tensor, lines, own + ".lines");
        tensor = builder.add(GraphOpKind::Pad, {tensor}, own + ".filled", [&](GraphOp& op) {
            op.low = none;
            op.high = behind;
        });
        TensorShape flat = shape;
        flat[d] *= between[d] + 1;
        tensor = builder.reshaped(tensor, flat, own + ".flat");
        flat[d] -= between[d];
        tensor = builder.add(GraphOpKind::Slice, {tensor}, own, [&](GraphOp& op) {
            op.starts.assign(flat.size(), 0);
            op.limits = flat;
        });
    }
    return tensor;
}

TensorId trimmedEnds(HloBuilder& builder, TensorId tensor, std::vector<std::int64_t>& low, std::vector<std::int64_t>& high, const std::string& suffix)
{
    const TensorShape shape = builder.shapeOf(tensor);
    const auto negative = [](std::int64_t size) { return size < 0; };
    if (builder.failed() || (std::ranges::none_of(low, negative) && std::ranges::none_of(high, negative)))
        return tensor;
    if (low.size() != shape.size() || high.size() != shape.size()) {
        builder.fail(ErrorCode::InvalidInput, "its padding does not fit " + shapeText(shape), "one size per dim");
        return -1;
    }
    return builder.add(GraphOpKind::Slice, {tensor}, suffix, [&](GraphOp& op) {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            // What is cut off may be padding of the other end: then nothing of the operand is left, which the op refuses.
            op.starts.push_back(std::clamp<std::int64_t>(-std::max(low[d], -shape[d]), 0, shape[d]));
            op.limits.push_back(shape[d] - std::clamp<std::int64_t>(-std::max(high[d], -shape[d]), 0, shape[d]));
            low[d] = std::max<std::int64_t>(low[d], 0);
            high[d] = std::max<std::int64_t>(high[d], 0);
        }
    });
}

HloValue readPad(HloBuilder& builder, const HloOperands& in, Diagnostics& notes)
{
    std::vector<std::int64_t> low = builder.needed("low", "edge_padding_low");
    std::vector<std::int64_t> high = builder.needed("high", "edge_padding_high");
    const std::vector<std::int64_t> between = builder.integers(builder.operation().attributes.contains("interior") ? "interior" : "interior_padding", {});
    if (!between.empty() && between.size() != in[0].shape.size())
        builder.fail(ErrorCode::InvalidInput, "interior has " + std::to_string(between.size()) + " entries", std::to_string(in[0].shape.size()));
    if (builder.failed())
        return {};
    TensorId operand = spacedOut(builder, builder.whole(in[0], ".operand"), between, ".spaced");
    operand = trimmedEnds(builder, operand, low, high, ".trimmed");
    if (!isZeroLiteral(in[1].literal))
        notes.push_back(note("padded-with-zeros", "op " + builder.name() + " (" + builder.operation().name + ") is read as if it padded with zeros: shardings and bytes are the same", builder.operation().place));
    return builder.finish(GraphOpKind::Pad, {operand}, [&](GraphOp& op) {
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
    HloValue made = builder.finish(GraphOpKind::Concat, std::move(operands), [&](GraphOp& op) { op.dim = dim.size() == 1 ? dim[0] : -1; });
    if (!builder.failed() && !isFloating(builder.resultType().element)) { // Ids, maybe, of several dims.
        made.joined = dim[0];
        made.parts = in;
        for (HloValue& part : made.parts)
            part.parts.clear();
    }
    return made;
}

} // namespace fabricscope::mlir
