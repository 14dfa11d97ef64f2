// Ops over lines and windows: reduce, reduce_window, sort, top_k.
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/scalarregion.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

constexpr std::string_view kJoins = "add, maximum, minimum; of truth values or, and";

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
    const GraphOpKind join = *kind == ReduceKind::Sum ? GraphOpKind::Add : *kind == ReduceKind::Max ? GraphOpKind::Max : GraphOpKind::Min;
    return builder.finish(join, {reduced, in[1].tensor});
}

HloValue readReduceWindow(HloBuilder& builder, const HloOperands& in)
{
    const auto kind = joinOf(builder.operation());
    if (in.size() != 2 || !kind) {
        builder.refuse(in.size() != 2 ? "windows of several tensors at once are not read" : "joins elements by a function that is not read", std::string(kJoins));
        return {};
    }
    const std::size_t rank = in[0].shape.size();
    const std::vector<std::int64_t> ones(rank, 1);
    const std::vector<std::int64_t> size = builder.needed("window_dimensions");
    const std::vector<std::int64_t> stride = builder.integers("window_strides", ones);
    const std::vector<std::int64_t> dilation = builder.integers("window_dilations", ones);
    const std::vector<std::int64_t> base = builder.integers("base_dilations", ones);
    const std::vector<std::int64_t> pad = builder.integers("padding", std::vector<std::int64_t>(2 * rank, 0));
    if (size.size() != rank || stride.size() != rank || dilation.size() != rank || pad.size() != 2 * rank || std::ranges::any_of(base, [](std::int64_t b) { return b != 1; })) {
        builder.refuse("its windows do not fit " + shapeText(in[0].shape) + " or dilate it", "one entry per dim");
        return {};
    }
    std::vector<std::int64_t> moving, still;
    for (std::size_t d = 0; d < rank; ++d)
        (size[d] != 1 || stride[d] != 1 || pad[2 * d] != 0 || pad[2 * d + 1] != 0 ? moving : still).push_back(static_cast<std::int64_t>(d));
    if (*kind == ReduceKind::Sum && moving.size() == 1) {
        const auto d = static_cast<std::size_t>(moving[0]);
        if (size[d] == in[0].shape[d] && pad[2 * d] == size[d] - 1 && pad[2 * d + 1] == 0 && stride[d] == 1 && dilation[d] == 1)
            return builder.finish(GraphOpKind::CumSum, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) { op.dim = moving[0]; });
    }
    if (rank != 4 || moving.size() > 2) {
        builder.refuse("windows over " + std::to_string(moving.size()) + " dims of " + shapeText(in[0].shape) + " are not read", "four dims, windows over two of them, or the sum of all before");
        return {};
    }
    while (moving.size() < 2) { // A window of size 1.
        moving.push_back(still[1]);
        still.erase(still.begin() + 1);
    }
    std::ranges::sort(moving);
    const std::vector<std::int64_t> perm = {still[0], moving[0], moving[1], still[1]};
    std::vector<std::int64_t> back(4);
    for (std::size_t d = 0; d < 4; ++d)
        back[static_cast<std::size_t>(perm[d])] = static_cast<std::int64_t>(d);
    const auto set = [&](GraphOp& op) {
        op.reduce = *kind;
        for (const std::int64_t dim : moving) {
            const auto d = static_cast<std::size_t>(dim);
            op.windows.push_back({size[d], stride[d], pad[2 * d], pad[2 * d + 1], dilation[d]});
        }
    };
    const TensorId x = builder.transposed(builder.whole(in[0], ".operand"), perm, ".turned");
    if (std::ranges::is_sorted(perm))
        return builder.finish(GraphOpKind::Pool, {x}, set);
    return builder.finish(GraphOpKind::Transpose, {builder.add(GraphOpKind::Pool, {x}, ".pool", set)}, [&](GraphOp& op) { op.dims = back; });
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

HloValue readTopK(HloBuilder& builder, const HloOperands& in)
{
    const std::int64_t k = builder.integer("k", 0);
    return builder.finish(GraphOpKind::TopK, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) {
        op.k = k;
        op.dim = static_cast<std::int64_t>(in[0].shape.size()) - 1;
    });
}

} // namespace fabricscope::mlir
