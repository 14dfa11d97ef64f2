// Ops over lines: reduce, sort, top_k.
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/scalarregion.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

constexpr std::string_view kJoins = "add, multiply, maximum, minimum; of truth values or, and";

} // namespace

HloValue readReduce(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 2) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "as many initial values as tensors");
        return {};
    }
    const auto kind = joinOf(builder.operation());
    if (!kind) {
        builder.refuse("joins elements by a function that is not read", std::string(kJoins));
        return {};
    }
    const std::vector<std::int64_t> dims = builder.needed("dimensions");
    const auto set = [&](GraphOp& op) {
        op.dims = dims;
        op.reduce = *kind;
    };
    const TensorId operand = builder.whole(in[0], ".operand");
    if (isIdentityOf(*kind, in[1]))
        return builder.finish(GraphOpKind::Reduce, {operand}, set);
    const TensorId reduced = builder.add(GraphOpKind::Reduce, {operand}, ".reduced", set);
    const GraphOpKind join = *kind == ReduceKind::Sum ? GraphOpKind::Add : *kind == ReduceKind::Product ? GraphOpKind::Mul : *kind == ReduceKind::Max ? GraphOpKind::Max : GraphOpKind::Min;
    return builder.finish(join, {reduced, in[1].tensor});
}

HloValue readSort(HloBuilder& builder, const HloOperands& in)
{
    const Operation& op = builder.operation();
    const auto order = op.regions.size() == 1 ? orderOf(op.regions[0], 1) : std::nullopt;
    if (!order) {
        builder.refuse("its comparison is not read", "elements rising or falling");
        return {};
    }
    const auto rank = static_cast<std::int64_t>(in[0].shape.size());
    std::int64_t dim = builder.integer("dimension", rank - 1);
    dim += dim < 0 ? rank : 0;
    const TensorId x = builder.whole(in[0], ".operand");
    if (*order == ElementOrder::Rising)
        return builder.finish(GraphOpKind::Sort, {x}, [&](GraphOp& made) { made.dim = dim; });
    const TensorId rising = builder.add(GraphOpKind::Sort, {x}, ".rising", [&](GraphOp& made) { made.dim = dim; });
    return builder.finish(GraphOpKind::Reverse, {rising}, [&](GraphOp& made) { made.dims = {dim}; });
}

std::int64_t largestCount(HloBuilder& builder)
{
    const auto called = builder.operation().attributes.find("mhlo.attributes");
    if (called == builder.operation().attributes.end())
        return builder.integer("k", 0);
    const Attributes fields = fieldsOf(called->second);
    const std::vector<std::int64_t> k = builder.fieldIntegers(fields, "k");
    if (k.size() != 1)
        builder.fail(ErrorCode::InvalidInput, "has no k", "k = 8");
    if (builder.fieldIntegers(fields, "largest", {1}) != std::vector<std::int64_t>{1})
        builder.refuse("the least are not read", "largest = true");
    return k.size() == 1 ? k[0] : 0;
}

HloValue readTopK(HloBuilder& builder, const HloOperands& in)
{
    if (in.size() != 1) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "one tensor");
        return {};
    }
    const std::int64_t k = largestCount(builder);
    return builder.finish(GraphOpKind::TopK, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) {
        op.k = k;
        op.dim = static_cast<std::int64_t>(in[0].shape.size()) - 1;
    });
}

} // namespace fabricscope::mlir
