// Ops over several tensors at once: elements of one place go together, as one element of the graph.
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/scalarregion.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// One tensor whose elements hold those of all; -1 after an error.
TensorId packed(HloBuilder& builder, const std::vector<TensorId>& tensors, const std::string& suffix)
{
    std::int64_t bytes = 0;
    for (const TensorId tensor : tensors)
        bytes += tensor < 0 ? 0 : bytesOf(builder.graph().tensor(tensor).type);
    if (!builder.failed() && bytes > 8)
        builder.refuse("its elements have " + std::to_string(bytes) + " bytes together", "at most 8");
    const ElementType type = bytes > 4 ? ElementType::Int64 : bytes > 2 ? ElementType::Int32 : ElementType::Int16;
    TensorId made = tensors[0];
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        made = builder.add(GraphOpKind::Map, {made, tensors[i]}, suffix + (i > 1 ? std::to_string(i) : ""), [&](GraphOp& op) {
            op.function = "pack";
            op.type = type;
        });
    }
    return made;
}

/// The results an op declares, out of elements that hold all of them.
std::vector<HloValue> unpacked(HloBuilder& builder, TensorId tensor)
{
    std::vector<HloValue> results;
    const std::vector<Type>& types = builder.operation().resultTypes;
    for (std::size_t i = 0; i < types.size() && !builder.failed(); ++i) {
        if (!types[i].tensor || builder.shapeOf(tensor) != types[i].shape) {
            builder.fail(ErrorCode::InvalidInput, "result " + std::to_string(i) + " comes out as " + shapeText(builder.shapeOf(tensor)), "results of that shape");
            return {};
        }
        const TensorId made = builder.add(GraphOpKind::Map, {tensor}, "#" + std::to_string(i), [&](GraphOp& op) {
            op.function = "unpack " + std::to_string(i);
            op.type = types[i].element;
        });
        results.push_back({made, false, types[i].shape, {}});
    }
    return results;
}

/// All operands from the first to `count` whole, of one shape.
std::vector<TensorId> operandsAlike(HloBuilder& builder, const HloOperands& in, std::size_t count)
{
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < count; ++i) {
        if (in[i].shape != in[0].shape)
            builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(i) + " is " + shapeText(in[i].shape), shapeText(in[0].shape) + " as the first");
        operands.push_back(builder.whole(in[i], ".operand" + std::to_string(i)));
    }
    if (builder.operation().resultTypes.size() != count)
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(builder.operation().resultTypes.size()) + " results", std::to_string(count));
    return operands;
}

} // namespace

std::vector<HloValue> readTopKAndIndices(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 1 || in[0].shape.empty() || builder.operation().resultTypes.size() != 2) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands and " + std::to_string(builder.operation().resultTypes.size()) + " results", "one tensor; values and indices");
        return {};
    }
    const std::int64_t k = largestCount(builder);
    const TensorId operand = builder.whole(in[0], ".operand");
    const TensorId positions = builder.input({in[0].shape.back()}, builder.operation().resultTypes[1].element, ".positions");
    const TensorId most = builder.add(GraphOpKind::TopK, {packed(builder, {operand, positions}, ".pairs")}, ".largest", [&](GraphOp& op) {
        op.k = k;
        op.dim = static_cast<std::int64_t>(in[0].shape.size()) - 1;
    });
    return unpacked(builder, most);
}

std::vector<HloValue> readSortTogether(HloBuilder& builder, const HloOperands& in)
{
    const Operation& op = builder.operation();
    const auto order = op.regions.size() == 1 ? orderOf(op.regions[0], in.size()) : std::nullopt;
    if (!order) {
        builder.refuse("its comparison is not read", "the first tensor rising or falling");
        return {};
    }
    const auto rank = static_cast<std::int64_t>(in[0].shape.size());
    std::int64_t dim = builder.integer("dimension", rank - 1);
    dim += dim < 0 ? rank : 0;
    const TensorId tensor = packed(builder, operandsAlike(builder, in, in.size()), *order == ElementOrder::Rising ? ".rising" : ".falling");
    return unpacked(builder, builder.add(GraphOpKind::Sort, {tensor}, ".sorted", [&](GraphOp& made) { made.dim = dim; }));
}

std::vector<HloValue> readReduceTogether(HloBuilder& builder, const HloOperands& in)
{
    const Operation& op = builder.operation();
    const auto kind = in.size() == 4 && op.regions.size() == 1 ? pairJoinOf(op.regions[0]) : std::nullopt;
    if (!kind) {
        builder.refuse("a reduction of several tensors at once is not read", "one operand and its initial value, or the largest or least with its index (argmax, argmin)");
        return {};
    }
    if (!isIdentityOf(*kind, in[2])) {
        builder.refuse("its initial value is not read", *kind == ReduceKind::Max ? "the least number of its type" : "the largest number of its type");
        return {};
    }
    const std::vector<std::int64_t> dims = builder.needed("dimensions");
    const TensorId pairs = packed(builder, operandsAlike(builder, in, 2), ".pairs");
    return unpacked(builder, builder.add(GraphOpKind::Reduce, {pairs}, ".reduced", [&](GraphOp& made) {
        made.dims = dims;
        made.reduce = *kind;
    }));
}

} // namespace fabricscope::mlir
