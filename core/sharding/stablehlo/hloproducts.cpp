// Products: dot_general and convolution.
#include "core/sharding/stablehlo/hlobuilder.h"

#include "core/sharding/stablehlo/mlirscan.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace fabricscope::mlir {

namespace {

/// "[1] x [0]": left and right.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> dimPairs(HloBuilder& builder, std::string_view key)
{
    const auto found = builder.operation().attributes.find(key);
    if (found == builder.operation().attributes.end())
        return {};
    Scanner scanner(found->second.text);
    const auto left = scanner.peek() == '[' ? integersOf(scanner.balanced().text) : std::nullopt;
    const bool times = scanner.accept("x");
    const auto right = times && scanner.peek() == '[' ? integersOf(scanner.balanced().text) : std::nullopt;
    if (!left || !right || !scanner.atEnd()) {
        builder.fail(ErrorCode::InvalidInput, std::string(key) + " cannot be read", "such as [1] x [0]");
        return {};
    }
    return {*left, *right};
}

struct DotDims {
    std::vector<std::int64_t> batchLeft, batchRight, sumLeft, sumRight;
};

/// Einsum with one letter per dim: batch, free dims of the left, free dims of the right.
HloValue readProduct(HloBuilder& builder, const HloOperands& in, const DotDims& dims)
{
    std::string left(in[0].shape.size(), ' ');
    std::string right(in[1].shape.size(), ' ');
    std::string result;
    char next = 'a';
    const auto pair = [&](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, bool kept) {
        bool fine = a.size() == b.size();
        for (std::size_t i = 0; i < a.size() && fine; ++i) {
            fine = a[i] >= 0 && a[i] < static_cast<std::int64_t>(left.size()) && b[i] >= 0 && b[i] < static_cast<std::int64_t>(right.size());
            fine = fine && left[static_cast<std::size_t>(a[i])] == ' ' && right[static_cast<std::size_t>(b[i])] == ' ';
            if (!fine)
                break;
            left[static_cast<std::size_t>(a[i])] = right[static_cast<std::size_t>(b[i])] = next;
            if (kept)
                result += next;
            ++next;
        }
        if (!fine)
            builder.fail(ErrorCode::InvalidInput, "its dims do not fit " + shapeText(in[0].shape) + " and " + shapeText(in[1].shape), "pairs of dims, each once");
    };
    pair(dims.batchLeft, dims.batchRight, true);
    pair(dims.sumLeft, dims.sumRight, false);
    for (std::string* letters : {&left, &right}) {
        for (char& letter : *letters) {
            if (letter == ' ') {
                letter = next++;
                result += letter;
            }
        }
    }
    return builder.finish(GraphOpKind::Einsum, {builder.whole(in[0], ".lhs"), builder.whole(in[1], ".rhs")}, [&](GraphOp& op) { op.letters = {left, right, result}; });
}

} // namespace

HloValue readDotGeneral(HloBuilder& builder, const HloOperands& in)
{
    DotDims dims;
    const auto& attributes = builder.operation().attributes;
    if (const auto numbers = attributes.find("dot_dimension_numbers"); numbers != attributes.end()) {
        const Attributes fields = fieldsOf(numbers->second);
        dims.batchLeft = builder.fieldIntegers(fields, "lhs_batching_dimensions");
        dims.batchRight = builder.fieldIntegers(fields, "rhs_batching_dimensions");
        dims.sumLeft = builder.fieldIntegers(fields, "lhs_contracting_dimensions");
        dims.sumRight = builder.fieldIntegers(fields, "rhs_contracting_dimensions");
    } else {
        std::tie(dims.batchLeft, dims.batchRight) = dimPairs(builder, "batching_dims");
        std::tie(dims.sumLeft, dims.sumRight) = dimPairs(builder, "contracting_dims");
    }
    return readProduct(builder, in, dims);
}

HloValue readDot(HloBuilder& builder, const HloOperands& in)
{
    if (in[0].shape.empty() || in[1].shape.empty()) {
        builder.fail(ErrorCode::InvalidInput, "an operand is a scalar", "a vector or a matrix");
        return {};
    }
    return readProduct(builder, in, {{}, {}, {static_cast<std::int64_t>(in[0].shape.size()) - 1}, {0}});
}

namespace {

/// Where the dims of one operand of a convolution are: the two named ones, then the spatial ones.
struct ConvOrder {
    std::int64_t first = -1;
    std::int64_t second = -1;
    std::vector<std::int64_t> spatial;
};

/// "[b, 0, 1, f]" with the letters of its two other dims.
std::optional<ConvOrder> convOrder(std::string_view text, std::string_view first, std::string_view second)
{
    ConvOrder order;
    const std::vector<Span> items = itemsOf({text, 0, 0});
    if (items.size() < 2)
        return std::nullopt;
    order.spatial.assign(items.size() - 2, -1);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        std::size_t number = 0;
        const std::string_view item = items[i].text;
        if (item == first) {
            order.first = at;
        } else if (item == second) {
            order.second = at;
        } else if (std::from_chars(item.data(), item.data() + item.size(), number).ec != std::errc{} || number >= order.spatial.size()) {
            return std::nullopt;
        } else {
            order.spatial[number] = at;
        }
    }
    const bool all = order.first >= 0 && order.second >= 0 && std::ranges::count(order.spatial, -1) == 0;
    return all ? std::optional(order) : std::nullopt;
}

struct ConvDims {
    ConvOrder x, kernel, y;
};

std::optional<ConvDims> convDims(HloBuilder& builder)
{
    const auto& attributes = builder.operation().attributes;
    auto found = attributes.find("dim_numbers");
    if (found == attributes.end())
        found = attributes.find("dimension_numbers");
    std::string_view text = found == attributes.end() ? std::string_view() : found->second.text;
    if (const std::size_t open = text.find('<'); open != std::string_view::npos && text.back() == '>')
        text = text.substr(open + 1, text.size() - open - 2);
    Scanner scanner(text);
    const std::string_view x = scanner.balanced().text;
    const bool times = scanner.accept("x");
    const std::string_view kernel = scanner.balanced().text;
    const bool gives = scanner.accept("->");
    const std::string_view y = scanner.balanced().text;
    const auto a = convOrder(x, "b", "f");
    const auto k = convOrder(kernel, "i", "o");
    const auto b = convOrder(y, "b", "f");
    if (!times || !gives || !a || !k || !b || a->spatial.size() != k->spatial.size() || a->spatial.size() != b->spatial.size()) {
        builder.fail(ErrorCode::InvalidInput, "its dim_numbers cannot be read", "such as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
        return std::nullopt;
    }
    return ConvDims{*a, *k, *b};
}

/// Attributes of windows in both forms.
struct ConvWindow {
    std::vector<std::int64_t> stride, pad, dilation;
    std::vector<std::int64_t> base; ///< Dilation of the operand.
    bool reversed = false;
};

ConvWindow convWindow(HloBuilder& builder, std::size_t spatial)
{
    const std::vector<std::int64_t> ones(spatial, 1);
    const std::vector<std::int64_t> none(spatial, 0);
    ConvWindow window;
    std::vector<std::int64_t> reversal;
    const auto& attributes = builder.operation().attributes;
    if (const auto pretty = attributes.find("window"); pretty != attributes.end()) {
        const Attributes fields = fieldsOf(pretty->second);
        window.stride = builder.fieldIntegers(fields, "stride", ones);
        window.pad = builder.fieldIntegers(fields, "pad", std::vector<std::int64_t>(2 * spatial, 0));
        window.base = builder.fieldIntegers(fields, "lhs_dilate", ones);
        window.dilation = builder.fieldIntegers(fields, "rhs_dilate", ones);
        reversal = builder.fieldIntegers(fields, "reverse", none);
    } else {
        window.stride = builder.integers("window_strides", ones);
        window.pad = builder.integers("padding", std::vector<std::int64_t>(2 * spatial, 0));
        window.base = builder.integers("lhs_dilation", ones);
        window.dilation = builder.integers("rhs_dilation", ones);
        reversal = builder.integers("window_reversal", none);
    }
    if (window.stride.size() != spatial || window.dilation.size() != spatial || window.base.size() != spatial || window.pad.size() != 2 * spatial)
        builder.fail(ErrorCode::InvalidInput, "its window is not of " + std::to_string(spatial) + " dims", "one stride, pair of pads and dilation per spatial dim");
    const auto turned = std::ranges::count_if(reversal, [](std::int64_t flag) { return flag != 0; });
    if (turned != 0 && turned != static_cast<std::ptrdiff_t>(spatial))
        builder.refuse("a window turned in one dim only is not read", "all or none");
    window.reversed = turned != 0;
    return window;
}

/// Dims in the order of the graph: `front`, spatial, `back`.
std::vector<std::int64_t> permOf(std::vector<std::int64_t> front, const ConvOrder& order, const std::vector<std::int64_t>& back)
{
    front.insert(front.end(), order.spatial.begin(), order.spatial.end());
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

/// The operand [b, spatial dims, f] with what the graph has no window for: dilation and negative padding.
TensorId preparedOperand(HloBuilder& builder, TensorId x, ConvWindow& window)
{
    std::vector<std::int64_t> between = {0}, low = {0}, high = {0};
    for (std::size_t d = 0; d < window.base.size(); ++d) {
        between.push_back(window.base[d] - 1);
        low.push_back(window.pad[2 * d]);
        high.push_back(window.pad[2 * d + 1]);
    }
    for (std::vector<std::int64_t>* const list : {&between, &low, &high})
        list->push_back(0);
    x = spacedOut(builder, x, between, ".lhs.dilated");
    x = trimmedEnds(builder, x, low, high, ".lhs.trimmed");
    for (std::size_t d = 0; d < window.base.size(); ++d) {
        window.pad[2 * d] = low[d + 1];
        window.pad[2 * d + 1] = high[d + 1];
    }
    return x;
}

/// Groups of the batch [b, spatial, f] as groups of channels: each has results of its own, and images with the same place in their groups go together.
TensorId withGroupedBatch(HloBuilder& builder, TensorId x, std::int64_t groups)
{
    TensorShape shape = builder.shapeOf(x);
    if (builder.failed() || groups == 1)
        return x;
    if (groups < 1 || shape[0] % groups != 0) {
        builder.fail(ErrorCode::InvalidInput, "batch_group_count " + std::to_string(groups) + " does not divide a batch of " + std::to_string(shape[0]));
        return -1;
    }
    TensorShape split = shape;
    split[0] /= groups;
    split.insert(split.begin(), groups);
    std::vector<std::int64_t> perm(split.size());
    std::iota(perm.begin(), perm.end() - 1, 1);
    perm.back() = std::ssize(split) - 1;
    perm[perm.size() - 2] = 0;
    shape[0] /= groups;
    shape.back() *= groups;
    return builder.reshaped(builder.transposed(builder.reshaped(x, split, ".lhs.split"), perm, ".lhs.groups"), shape, ".lhs.grouped");
}

/// Makes a result [b, spatial, f] the declared one.
HloValue orderedResult(HloBuilder& builder, TensorId made, const ConvOrder& order)
{
    const std::vector<std::int64_t> from = permOf({order.first}, order, {order.second});
    std::vector<std::int64_t> perm(from.size());
    for (std::size_t d = 0; d < from.size(); ++d)
        perm[static_cast<std::size_t>(from[d])] = static_cast<std::int64_t>(d);
    return builder.finish(GraphOpKind::Transpose, {made}, [&](GraphOp& op) { op.dims = perm; });
}

} // namespace

HloValue readConvolution(HloBuilder& builder, const HloOperands& in)
{
    const auto dims = convDims(builder);
    if (!dims)
        return {};
    const std::size_t spatial = dims->x.spatial.size();
    if (spatial < 1 || spatial > 3) {
        builder.refuse("a convolution over " + std::to_string(spatial) + " dims is not read", "one to three spatial dims");
        return {};
    }
    if (in[0].shape.size() != spatial + 2 || in[1].shape.size() != spatial + 2) {
        builder.fail(ErrorCode::InvalidInput, "its operands are " + shapeText(in[0].shape) + " and " + shapeText(in[1].shape), std::to_string(spatial + 2) + " dims");
        return {};
    }
    ConvWindow window = convWindow(builder, spatial);
    const std::int64_t groups = builder.integer("feature_group_count", 1);
    const std::int64_t batchGroups = builder.integer("batch_group_count", 1);
    if (batchGroups != 1 && groups != 1)
        builder.fail(ErrorCode::InvalidInput, "has groups of the batch and of features", "one of batch_group_count and feature_group_count above 1");
    if (builder.failed())
        return {};
    TensorId x = builder.transposed(builder.whole(in[0], ".lhs.whole"), permOf({dims->x.first}, dims->x, {dims->x.second}), ".lhs");
    TensorId kernel = builder.transposed(builder.whole(in[1], ".rhs.whole"), permOf({}, dims->kernel, {dims->kernel.first, dims->kernel.second}), ".rhs");
    x = withGroupedBatch(builder, x, batchGroups);
    if (window.reversed) {
        kernel = builder.add(GraphOpKind::Reverse, {kernel}, ".rhs.turned", [&](GraphOp& op) {
            op.dims.resize(spatial);
            std::iota(op.dims.begin(), op.dims.end(), 0);
        });
    }
    x = preparedOperand(builder, x, window);
    const TensorShape sizes = builder.shapeOf(kernel);
    const auto set = [&](GraphOp& op) {
        op.groups = groups * batchGroups;
        op.type = builder.resultType().element;
        for (std::size_t d = 0; d < spatial && d < sizes.size(); ++d)
            op.windows.push_back({sizes[d], window.stride[d], window.pad[2 * d], window.pad[2 * d + 1], window.dilation[d]});
    };
    const std::vector<std::int64_t> from = permOf({dims->y.first}, dims->y, {dims->y.second});
    if (std::ranges::is_sorted(from))
        return builder.finish(GraphOpKind::Conv, {x, kernel}, set);
    return orderedResult(builder, builder.add(GraphOpKind::Conv, {x, kernel}, ".conv", set), dims->y);
}

} // namespace fabricscope::mlir
