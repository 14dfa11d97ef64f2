// Windows: reduce_window and, as the gradient of the largest in each, select_and_scatter.
#include "core/sharding/stablehlo/hlobuilder.h"
#include "core/sharding/stablehlo/scalarregion.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// How a tensor becomes [batch, height, width, channels], whose height and width windows move over.
struct WideDims {
    std::vector<std::int64_t> order; ///< Of its dims: none or one that stays, those with windows, none or one that stays.
    std::size_t before = 0;          ///< 0 or 1 dims that stay in front.
    std::vector<WindowDim> windows;  ///< Of height and width.
};

/// None after an error: windows over more than two dims, or with more than two others.
std::optional<WideDims> wideDims(HloBuilder& builder, const TensorShape& shape)
{
    const std::size_t rank = shape.size();
    const std::vector<std::int64_t> ones(rank, 1);
    const std::vector<std::int64_t> size = builder.needed("window_dimensions");
    const std::vector<std::int64_t> stride = builder.integers("window_strides", ones);
    const std::vector<std::int64_t> dilation = builder.integers("window_dilations", ones);
    const std::vector<std::int64_t> base = builder.integers("base_dilations", ones);
    const std::vector<std::int64_t> pad = builder.integers("padding", std::vector<std::int64_t>(2 * rank, 0));
    if (rank == 0 || size.size() != rank || stride.size() != rank || dilation.size() != rank || pad.size() != 2 * rank || std::ranges::any_of(base, [](std::int64_t b) { return b != 1; })) {
        builder.refuse("its windows do not fit " + shapeText(shape) + " or dilate it", "one entry per dim");
        return std::nullopt;
    }
    std::vector<std::int64_t> moving, still;
    for (std::size_t d = 0; d < rank; ++d)
        (size[d] != 1 || stride[d] != 1 || pad[2 * d] != 0 || pad[2 * d + 1] != 0 ? moving : still).push_back(static_cast<std::int64_t>(d));
    while (!still.empty() && moving.size() < 2 && (still.size() > 2 || moving.empty())) { // A window of size 1.
        const auto other = still.begin() + std::ssize(still) / 2;
        moving.push_back(*other);
        still.erase(other);
    }
    if (moving.size() > 2 || still.size() > 2) {
        builder.refuse("windows over " + std::to_string(moving.size()) + " dims of " + shapeText(shape) + " are not read", "over one or two dims, at most two others");
        return std::nullopt;
    }
    std::ranges::sort(moving);
    WideDims wide;
    wide.before = still.empty() ? 0 : 1;
    wide.order.assign(still.begin(), still.begin() + std::min<std::ptrdiff_t>(1, std::ssize(still)));
    wide.order.insert(wide.order.end(), moving.begin(), moving.end());
    wide.order.insert(wide.order.end(), still.begin() + std::min<std::ptrdiff_t>(1, std::ssize(still)), still.end());
    for (const std::int64_t dim : moving) {
        const auto d = static_cast<std::size_t>(dim);
        wide.windows.push_back({size[d], stride[d], pad[2 * d], pad[2 * d + 1], dilation[d]});
    }
    return wide;
}

TensorId asWide(HloBuilder& builder, const HloValue& value, const WideDims& wide, const std::string& suffix)
{
    const TensorId turned = builder.transposed(builder.whole(value, suffix), wide.order, suffix + ".turned");
    TensorShape shape = builder.shapeOf(turned);
    if (builder.failed() || shape.size() == 4)
        return turned;
    shape.insert(shape.begin(), 1 - wide.before, 1);
    shape.insert(shape.begin() + 1 + std::ssize(wide.windows), 2 - wide.windows.size(), 1);
    shape.resize(4, 1);
    return builder.reshaped(turned, shape, suffix + ".wide");
}

/// Adds the op over wide tensors and gives its result the dims of the program.
HloValue readWide(HloBuilder& builder, GraphOpKind kind, std::vector<TensorId> operands, const WideDims& wide, ReduceKind reduce)
{
    const auto set = [&](GraphOp& op) {
        op.reduce = reduce;
        op.windows = wide.windows;
        op.windows.resize(2);
    };
    if (wide.order.size() == 4 && std::ranges::is_sorted(wide.order))
        return builder.finish(kind, std::move(operands), set);
    TensorId made = builder.add(kind, std::move(operands), ".windows", set);
    if (builder.failed())
        return {};
    TensorShape shape = builder.shapeOf(made);
    if (shape.size() != wide.order.size()) {
        shape.resize(3 + wide.order.size() - wide.windows.size() - wide.before);
        shape.erase(shape.begin() + 1 + std::ssize(wide.windows), shape.begin() + 3);
        shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(1 - wide.before));
        made = builder.reshaped(made, shape, ".narrow");
    }
    std::vector<std::int64_t> back(wide.order.size());
    for (std::size_t d = 0; d < back.size(); ++d)
        back[static_cast<std::size_t>(wide.order[d])] = static_cast<std::int64_t>(d);
    return builder.finish(GraphOpKind::Transpose, {made}, [&](GraphOp& op) { op.dims = back; });
}

/// Does a region of two scalars return what the function does?
template <typename Function>
bool isRegionOf(const Region& region, const Function& function)
{
    for (const double a : {-2.0, 0.0, 1.0, 3.0}) {
        for (const double b : {-2.0, 0.0, 1.0, 3.0}) {
            const auto made = returnOf(region, {a, b});
            if (!made || made->size() != 1 || made->front() != function(a, b))
                return false;
        }
    }
    return true;
}

} // namespace

HloValue readReduceWindow(HloBuilder& builder, const HloOperands& in)
{
    const auto kind = joinOf(builder.operation());
    if (in.size() != 2 || !kind) {
        builder.refuse(in.size() != 2 ? "windows of several tensors at once are not read" : "joins elements by a function that is not read", "add, multiply, maximum, minimum; of truth values or, and");
        return {};
    }
    if (!isIdentityOf(*kind, in[1])) {
        builder.refuse("its initial value is not read", "0 of a sum, the least number of a maximum, the largest of a minimum");
        return {};
    }
    const auto wide = wideDims(builder, in[0].shape);
    if (!wide)
        return {};
    const auto plain = [](const WindowDim& w) { return w.size == 1 && w.stride == 1 && w.padLow == 0 && w.padHigh == 0; };
    for (std::size_t i = 0; i < wide->windows.size() && !builder.failed(); ++i) {
        const WindowDim& w = wide->windows[i];
        const std::int64_t at = wide->order[wide->before + i];
        const bool alone = wide->windows.size() == 1 || plain(wide->windows[1 - i]);
        if (alone && w.size > 1 && w.size == in[0].shape[static_cast<std::size_t>(at)] && w.padLow == w.size - 1 && w.padHigh == 0 && w.stride == 1 && w.dilation == 1)
            return builder.finish(GraphOpKind::CumSum, {builder.whole(in[0], ".operand")}, [&](GraphOp& op) {
                op.dim = at;
                op.reduce = *kind;
            });
    }
    return readWide(builder, GraphOpKind::Pool, {asWide(builder, in[0], *wide, ".operand")}, *wide, *kind);
}

HloValue readSelectAndScatter(HloBuilder& builder, const HloOperands& in)
{
    const Operation& op = builder.operation();
    const bool first = op.regions.size() == 2 && isRegionOf(op.regions[0], [](double a, double b) { return a >= b ? 1.0 : 0.0; });
    if (!first || !isRegionOf(op.regions[1], [](double a, double b) { return a + b; }) || !isZeroLiteral(in[2].literal)) {
        builder.refuse("selects or scatters by functions that are not read", "the largest of a window by GE, added to 0");
        return {};
    }
    const auto wide = wideDims(builder, in[0].shape);
    if (!wide)
        return {};
    if (in[1].shape.size() != in[0].shape.size()) {
        builder.fail(ErrorCode::InvalidInput, "operands are " + shapeText(in[0].shape) + " and " + shapeText(in[1].shape), "as many dims");
        return {};
    }
    return readWide(builder, GraphOpKind::PoolGrad, {asWide(builder, in[0], *wide, ".operand"), asWide(builder, in[1], *wide, ".source")}, *wide, ReduceKind::Max);
}

} // namespace fabricscope::mlir
