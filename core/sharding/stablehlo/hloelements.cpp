// Functions of elements and what stands for nothing but a choice of them.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

struct ElementFunction {
    std::string_view word;
    GraphOpKind kind = GraphOpKind::Map;
    std::size_t operands = 1;
};

constexpr ElementFunction kElementFunctions[] = {{"add", GraphOpKind::Add, 2}, {"subtract", GraphOpKind::Sub, 2}, {"multiply", GraphOpKind::Mul, 2}, {"divide", GraphOpKind::Div, 2},
    {"maximum", GraphOpKind::Max, 2}, {"minimum", GraphOpKind::Min, 2}, {"tanh", GraphOpKind::Tanh}, {"logistic", GraphOpKind::Sigmoid}, {"exponential", GraphOpKind::Exp},
    {"log", GraphOpKind::Log}, {"sqrt", GraphOpKind::Sqrt}, {"negate", GraphOpKind::Neg}, {"convert", GraphOpKind::Cast}, {"copy", GraphOpKind::Copy}, {"select", GraphOpKind::Select, 3},
    {"compare", GraphOpKind::Map, 2}, {"power", GraphOpKind::Map, 2}, {"remainder", GraphOpKind::Map, 2}, {"atan2", GraphOpKind::Map, 2}, {"and", GraphOpKind::Map, 2}, {"or", GraphOpKind::Map, 2},
    {"xor", GraphOpKind::Map, 2}, {"shift_left", GraphOpKind::Map, 2}, {"shift_right_arithmetic", GraphOpKind::Map, 2}, {"shift_right_logical", GraphOpKind::Map, 2}, {"next_after", GraphOpKind::Map, 2},
    {"polygamma", GraphOpKind::Map, 2}, {"zeta", GraphOpKind::Map, 2}, {"abs"}, {"cbrt"}, {"ceil"}, {"floor"}, {"cosine"}, {"sine"}, {"tan"}, {"rsqrt"}, {"sign"}, {"not"}, {"popcnt"},
    {"count_leading_zeros"}, {"exponential_minus_one"}, {"log_plus_one"}, {"is_finite"}, {"is_inf"}, {"round_nearest_afz"}, {"round_nearest_even"}, {"reduce_precision"}, {"erf"}, {"erf_inv"}, {"erfc"},
    {"lgamma"}, {"digamma"}, {"acos"}, {"acosh"}, {"asin"}, {"asinh"}, {"atan"}, {"atanh"}, {"cosh"}, {"sinh"}, {"square"}, {"bessel_i1e"}};

const ElementFunction* elementFunctionOf(std::string_view word)
{
    const auto found = std::ranges::find(kElementFunctions, word, &ElementFunction::word);
    return found == std::end(kElementFunctions) ? nullptr : found;
}

/// "compare LT": which comparison is part of the function.
std::string functionName(const Operation& op, std::string_view word)
{
    std::string name(word);
    if (word == "compare") {
        const auto given = op.attributes.find("comparison_direction");
        name += " ";
        name += given != op.attributes.end() ? given->second.text : op.words.empty() ? std::string_view("?") : op.words.front().text;
    }
    return name;
}

} // namespace

bool isElementFunction(std::string_view word)
{
    return elementFunctionOf(word) != nullptr;
}

HloValue readElementFunction(HloBuilder& builder, std::string_view word, const HloOperands& in)
{
    const ElementFunction& function = *elementFunctionOf(word);
    if (in.size() != function.operands) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(function.operands));
        return {};
    }
    const TensorShape& shape = builder.resultType().shape;
    std::vector<TensorId> operands;
    bool splat = true; // Only scalars: the result is one, too.
    for (const HloValue& value : in) {
        operands.push_back(value.tensor);
        splat = splat && value.splat;
        if (value.shape != shape && !value.shape.empty())
            builder.fail(ErrorCode::InvalidInput, "an operand is " + shapeText(value.shape) + ", the result " + shapeText(shape), "equal shapes");
    }
    const auto set = [&](GraphOp& op) {
        op.type = builder.resultType().element;
        if (op.kind == GraphOpKind::Map)
            op.function = functionName(builder.operation(), word);
    };
    if (splat)
        return {builder.add(function.kind, std::move(operands), {}, set), true, shape, {}};
    return builder.finish(function.kind, std::move(operands), set);
}

HloValue readClamp(HloBuilder& builder, const HloOperands& in)
{
    // (least, x, most)
    const TensorId low = builder.add(GraphOpKind::Max, {builder.whole(in[1], ".x"), in[0].tensor}, ".low");
    return builder.finish(GraphOpKind::Min, {low, in[2].tensor});
}

HloValue readConstant(HloBuilder& builder)
{
    const Operation& op = builder.operation();
    const auto value = op.attributes.find("value");
    std::string_view text = value != op.attributes.end() ? value->second.text : std::string_view();
    for (const Span& word : op.words) {
        if (word.text.starts_with("dense"))
            text = word.text;
    }
    const std::size_t close = text.find('>');
    if (!text.starts_with("dense") || close == std::string_view::npos) {
        builder.fail(ErrorCode::InvalidInput, "has no value", "such as dense<0.0>");
        return {};
    }
    const Type& type = builder.resultType();
    const std::string_view inner = trimmed(text.substr(std::min(text.find('<') + 1, close), close - std::min(text.find('<') + 1, close)));
    const bool hex = inner.starts_with("\""); // All bytes, of many elements.
    if (inner.find('[') == std::string_view::npos && !hex && text.starts_with("dense<"))
        return {builder.input({}, type.element), true, type.shape, std::string(inner.substr(0, 48))};
    return {builder.input(type.shape, type.element), false, type.shape, {}};
}

HloValue readIota(HloBuilder& builder)
{
    const Type& type = builder.resultType();
    return {builder.input(type.shape, type.element), false, type.shape, {}};
}

} // namespace fabricscope::mlir
