// Slices whose place is computed.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

/// Where a slice of a dim begins: a number, a scalar of the graph, or at 0, as it is the whole dim.
struct SliceStart {
    std::optional<std::int64_t> known;
    TensorId computed = -1; ///< Within the dim.
};

/// One per dim; empty after an error. As StableHLO says, a slice is moved until it lies within the tensor.
std::vector<SliceStart> sliceStarts(HloBuilder& builder, const TensorShape& shape, const TensorShape& sizes, const HloOperands& in, std::size_t first)
{
    if (sizes.size() != shape.size() || in.size() != shape.size() + first) {
        builder.fail(ErrorCode::InvalidInput, "needs one start and one size per dim of " + shapeText(shape));
        return {};
    }
    std::vector<SliceStart> starts(shape.size());
    for (std::size_t d = 0; d < shape.size() && !builder.failed(); ++d) {
        if (sizes[d] < 1 || sizes[d] > shape[d]) {
            builder.fail(ErrorCode::InvalidInput, "size " + std::to_string(sizes[d]) + " does not fit " + shapeText(shape));
            return {};
        }
        const HloValue& start = in[d + first];
        if (!start.shape.empty()) {
            builder.fail(ErrorCode::InvalidInput, "start " + std::to_string(d) + " is " + shapeText(start.shape), "a scalar per dim");
            return {};
        }
        const std::int64_t last = shape[d] - sizes[d];
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(start.literal.data(), start.literal.data() + start.literal.size(), value);
        if (last == 0) {
            starts[d].known = 0;
        } else if (!start.literal.empty() && problem == std::errc{} && end == start.literal.data() + start.literal.size()) {
            starts[d].known = std::clamp<std::int64_t>(value, 0, last);
        } else if (!builder.failed()) {
            const ElementType type = builder.graph().tensor(start.tensor).type;
            const std::string suffix = ".start" + std::to_string(d);
            const TensorId low = builder.add(GraphOpKind::Max, {start.tensor, builder.constant(type, "0").tensor}, suffix + ".low");
            starts[d].computed = builder.add(GraphOpKind::Min, {low, builder.constant(type, std::to_string(last)).tensor}, suffix);
        }
    }
    return builder.failed() ? std::vector<SliceStart>{} : starts;
}

/// Indices of the elements of a slice along a dim.
TensorId idsFrom(HloBuilder& builder, const SliceStart& start, std::int64_t size, const std::string& suffix)
{
    if (builder.failed())
        return -1;
    const TensorId steps = builder.counting({size}, builder.graph().tensor(start.computed).type, 0, suffix + ".steps");
    return builder.add(GraphOpKind::Add, {steps, start.computed}, suffix);
}

/// Where all starts are known: the operand's lines before the update along the first dim from `from` that it does not fill, the update (in what the operand has there), the lines behind.
std::vector<TensorId> linesAround(HloBuilder& builder, TensorId operand, TensorId update, const std::vector<std::int64_t>& starts, std::size_t from, std::int64_t& dim)
{
    const TensorShape shape = builder.shapeOf(operand);
    const TensorShape sizes = builder.shapeOf(update);
    const auto differs = [&](std::size_t d) { return sizes[d] != shape[d]; };
    std::size_t d = from;
    while (!builder.failed() && !differs(d))
        ++d;
    dim = static_cast<std::int64_t>(d);
    const auto lines = [&](std::int64_t begin, std::int64_t end, const std::string& suffix) {
        return builder.add(GraphOpKind::Slice, {operand}, suffix + std::to_string(d), [&](GraphOp& op) {
            op.starts.assign(shape.size(), 0);
            op.limits = shape;
            op.starts[d] = begin;
            op.limits[d] = end;
        });
    };
    if (builder.failed())
        return {};
    const std::int64_t begin = starts[d];
    const std::int64_t end = begin + sizes[d];
    std::vector<TensorId> parts;
    if (begin > 0)
        parts.push_back(lines(0, begin, ".before"));
    bool more = false;
    for (std::size_t other = d + 1; other < shape.size(); ++other)
        more |= differs(other);
    if (more) {
        std::int64_t inner = 0;
        const std::vector<TensorId> inside = linesAround(builder, lines(begin, end, ".there"), update, starts, d + 1, inner);
        update = builder.add(GraphOpKind::Concat, inside, ".joined" + std::to_string(d), [&](GraphOp& op) { op.dim = inner; });
    }
    parts.push_back(update);
    if (end < shape[d])
        parts.push_back(lines(end, shape[d], ".behind"));
    return parts;
}

/// The update where it goes, zeros around it.
TensorId placedUpdate(HloBuilder& builder, TensorId update, const TensorShape& shape, const std::vector<SliceStart>& starts)
{
    const TensorShape sizes = builder.shapeOf(update);
    std::vector<std::int64_t> low(shape.size(), 0), high(shape.size(), 0);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        low[d] = starts[d].known.value_or(0);
        high[d] = starts[d].known ? shape[d] - sizes[d] - low[d] : 0;
    }
    const auto moved = [](std::int64_t size) { return size != 0; };
    if (std::ranges::any_of(low, moved) || std::ranges::any_of(high, moved)) {
        update = builder.add(GraphOpKind::Pad, {update}, ".padded", [&](GraphOp& op) {
            op.low = low;
            op.high = high;
        });
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (starts[d].known)
            continue;
        const std::string suffix = ".placed" + std::to_string(d);
        update = builder.add(GraphOpKind::ScatterAdd, {idsFrom(builder, starts[d], sizes[d], suffix + ".ids"), update}, suffix, [&](GraphOp& op) {
            op.dim = static_cast<std::int64_t>(d);
            op.size = shape[d];
        });
    }
    return update;
}

/// Truth values of `shape`: which elements are of the update.
TensorId updateMask(HloBuilder& builder, const TensorShape& shape, const TensorShape& sizes, const std::vector<SliceStart>& starts)
{
    TensorId mask = -1;
    for (std::size_t d = 0; d < shape.size() && !builder.failed(); ++d) {
        if (sizes[d] == shape[d])
            continue;
        const std::string suffix = ".inside" + std::to_string(d);
        const ElementType type = starts[d].known ? ElementType::Int32 : builder.graph().tensor(starts[d].computed).type;
        const TensorId start = starts[d].known ? builder.constant(type, std::to_string(*starts[d].known)).tensor : starts[d].computed;
        const TensorId positions = builder.counting({shape[d]}, type, 0, suffix + ".positions");
        const auto truth = [](const std::string& function) {
            return [function](GraphOp& op) {
                op.function = function;
                op.type = ElementType::Bool;
            };
        };
        const TensorId line = builder.add(GraphOpKind::Map, {positions, start}, suffix + ".line", truth("within " + std::to_string(sizes[d]) + " from"));
        const TensorId own = builder.add(GraphOpKind::Broadcast, {line}, suffix, [&](GraphOp& op) {
            op.shape = shape;
            op.dims = {static_cast<std::int64_t>(d)};
        });
        mask = mask < 0 ? own : builder.add(GraphOpKind::Map, {mask, own}, suffix + ".and", truth("and"));
    }
    return mask;
}

} // namespace

HloValue finishReplaced(HloBuilder& builder, TensorId operand, TensorId update, const std::vector<std::int64_t>& starts)
{
    if (builder.failed())
        return {};
    if (builder.shapeOf(update) == builder.shapeOf(operand))
        return builder.finish(GraphOpKind::Copy, {update});
    std::int64_t dim = 0;
    std::vector<TensorId> parts = linesAround(builder, operand, update, starts, 0, dim);
    return builder.finish(GraphOpKind::Concat, std::move(parts), [&](GraphOp& op) { op.dim = dim; });
}

HloValue readDynamicSlice(HloBuilder& builder, const HloOperands& in)
{
    const std::vector<std::int64_t> sizes = builder.needed("sizes", "slice_sizes");
    const std::vector<SliceStart> starts = sliceStarts(builder, in[0].shape, sizes, in, 1);
    if (builder.failed())
        return {};
    GraphOp cut;
    std::vector<std::size_t> gathered;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        cut.starts.push_back(starts[d].known.value_or(0));
        cut.limits.push_back(starts[d].known ? *starts[d].known + sizes[d] : in[0].shape[d]);
        if (!starts[d].known)
            gathered.push_back(d);
    }
    const auto setCut = [&](GraphOp& op) {
        op.starts = cut.starts;
        op.limits = cut.limits;
    };
    TensorId tensor = builder.whole(in[0], ".operand");
    if (gathered.empty())
        return builder.finish(GraphOpKind::Slice, {tensor}, setCut);
    if (cut.limits != in[0].shape || std::ranges::any_of(cut.starts, [](std::int64_t start) { return start != 0; }))
        tensor = builder.add(GraphOpKind::Slice, {tensor}, ".cut", setCut);
    for (const std::size_t d : gathered) {
        const std::string suffix = ".dim" + std::to_string(d);
        const TensorId ids = idsFrom(builder, starts[d], sizes[d], suffix + ".ids");
        const auto along = [&](GraphOp& op) { op.dim = static_cast<std::int64_t>(d); };
        if (d == gathered.back())
            return builder.finish(GraphOpKind::Gather, {tensor, ids}, along);
        tensor = builder.add(GraphOpKind::Gather, {tensor, ids}, suffix, along);
    }
    return {};
}

HloValue readDynamicUpdateSlice(HloBuilder& builder, const HloOperands& in)
{
    const TensorShape& shape = in[0].shape;
    const TensorShape& sizes = in[1].shape;
    const std::vector<SliceStart> starts = sliceStarts(builder, shape, sizes, in, 2);
    if (builder.failed())
        return {};
    const TensorId update = builder.whole(in[1], ".update");
    if (sizes == shape)
        return builder.finish(GraphOpKind::Copy, {update});
    const TensorId operand = builder.whole(in[0], ".operand");
    if (std::ranges::all_of(starts, [](const SliceStart& start) { return start.known.has_value(); })) {
        std::vector<std::int64_t> places;
        for (const SliceStart& start : starts)
            places.push_back(*start.known);
        return finishReplaced(builder, operand, update, places);
    }
    const TensorId mask = updateMask(builder, shape, sizes, starts);
    return builder.finish(GraphOpKind::Select, {mask, placedUpdate(builder, update, shape, starts), operand});
}

} // namespace fabricscope::mlir
