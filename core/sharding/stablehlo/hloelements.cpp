// Functions of elements and what stands for nothing but a choice of them.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

struct ElementFunction {
    std::string_view word;
    GraphOpKind kind = GraphOpKind::Map;
    std::size_t operands = 1;
};

constexpr ElementFunction kElementFunctions[] = {{"add", GraphOpKind::Add, 2}, {"subtract", GraphOpKind::Sub, 2}, {"multiply", GraphOpKind::Mul, 2}, {"divide", GraphOpKind::Div, 2},
    {"maximum", GraphOpKind::Max, 2}, {"minimum", GraphOpKind::Min, 2}, {"tanh", GraphOpKind::Tanh}, {"logistic", GraphOpKind::Sigmoid}, {"exponential", GraphOpKind::Exp},
    {"log", GraphOpKind::Log}, {"sqrt", GraphOpKind::Sqrt}, {"negate", GraphOpKind::Neg}, {"convert", GraphOpKind::Cast}, {"bitcast_convert"}, {"copy", GraphOpKind::Copy}, {"select", GraphOpKind::Select, 3},
    {"compare", GraphOpKind::Map, 2}, {"power", GraphOpKind::Map, 2}, {"remainder", GraphOpKind::Map, 2}, {"atan2", GraphOpKind::Map, 2}, {"and", GraphOpKind::Map, 2}, {"or", GraphOpKind::Map, 2},
    {"xor", GraphOpKind::Map, 2}, {"shift_left", GraphOpKind::Map, 2}, {"shift_right_arithmetic", GraphOpKind::Map, 2}, {"shift_right_logical", GraphOpKind::Map, 2}, {"next_after", GraphOpKind::Map, 2},
    {"polygamma", GraphOpKind::Map, 2}, {"zeta", GraphOpKind::Map, 2}, {"abs"}, {"cbrt"}, {"ceil"}, {"floor"}, {"cosine"}, {"sine"}, {"tan"}, {"rsqrt"}, {"sign"}, {"not"}, {"popcnt"},
    {"count_leading_zeros"}, {"exponential_minus_one"}, {"log_plus_one"}, {"is_finite"}, {"is_inf"}, {"round_nearest_afz"}, {"round_nearest_even"}, {"reduce_precision"}, {"erf"}, {"erf_inv"}, {"erfc"},
    {"lgamma"}, {"digamma"}, {"acos"}, {"acosh"}, {"asin"}, {"asinh"}, {"atan"}, {"atanh"}, {"cosh"}, {"sinh"}, {"square"}, {"bessel_i1e"},
    {"complex", GraphOpKind::Map, 2}, {"real"}, {"imag"}};

const ElementFunction* elementFunctionOf(std::string_view word)
{
    const auto found = std::ranges::find(kElementFunctions, word, &ElementFunction::word);
    return found == std::end(kElementFunctions) ? nullptr : found;
}

/// "compare LT": which comparison is part of the function.
std::string functionName(const Operation& op, std::string_view word)
{
    std::string name(word);
    if (word == "compare")
        name.append(" ").append(comparisonOf(op));
    return name;
}

/// An integer or truth value; none for other constants.
std::optional<std::int64_t> integerLiteral(const std::string& literal)
{
    if (literal == "true" || literal == "false")
        return literal == "true" ? 1 : 0;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    return problem == std::errc{} && end == literal.data() + literal.size() ? std::optional(value) : std::nullopt;
}

/// Of integers within 32 bits, so that nothing can overflow; none: a function that is not computed here.
std::optional<std::int64_t> computed(std::string_view function, const std::vector<std::int64_t>& in)
{
    const std::int64_t a = in[0];
    const std::int64_t b = in.size() > 1 ? in[1] : 0;
    const std::pair<std::string_view, std::int64_t> rows[] = {{"add", a + b}, {"subtract", a - b}, {"multiply", a * b}, {"maximum", std::max(a, b)}, {"minimum", std::min(a, b)}, {"convert", a}, {"negate", -a},
        {"compare EQ", a == b}, {"compare NE", a != b}, {"compare LT", a < b}, {"compare LE", a <= b}, {"compare GT", a > b}, {"compare GE", a >= b}, {"and", a & b}, {"or", a | b}, {"xor", a ^ b}};
    if (function == "select" && in.size() == 3)
        return a ? in[1] : in[2];
    for (const auto& [word, value] : rows) {
        if (word == function)
            return value;
    }
    return std::nullopt;
}

/// What counts from 0 is no less than a constant up to 0.
std::optional<std::string> countedLiteral(std::string_view function, const HloOperands& in)
{
    if (in.size() != 2 || in[0].counts < 0 || (function != "compare LT" && function != "compare GE"))
        return std::nullopt;
    const auto least = in[1].splat ? integerLiteral(in[1].literal) : std::nullopt;
    if (!least || *least > 0)
        return std::nullopt;
    return function == "compare LT" ? "false" : "true";
}

/// The operand that a select takes by a condition that is known; null: it has to be computed.
const HloValue* chosenOperand(const HloBuilder& builder, std::string_view word, const HloOperands& in)
{
    if (word != "select" || !in[0].splat || (in[0].literal != "true" && in[0].literal != "false"))
        return nullptr;
    const HloValue& chosen = in[in[0].literal == "true" ? 1 : 2];
    return chosen.shape == builder.resultType().shape ? &chosen : nullptr;
}

/// The result where all operands are integers that are known, as the counters of loops are.
std::optional<std::string> foldedLiteral(const HloBuilder& builder, std::string_view function, const HloOperands& in)
{
    constexpr std::int64_t kMost = 0x7fffffff;
    const ElementType made = builder.resultType().element;
    const auto isInteger = [](ElementType type) { return type == ElementType::Bool || type == ElementType::Int8 || type == ElementType::Int16 || type == ElementType::Int32 || type == ElementType::Int64; };
    std::vector<std::int64_t> known;
    for (const HloValue& value : in) {
        const auto integer = integerLiteral(value.literal);
        if (!value.splat || !integer || *integer > kMost || *integer < -kMost || !isInteger(builder.graph().tensor(value.tensor).type))
            return std::nullopt;
        known.push_back(*integer);
    }
    const auto result = isInteger(made) && !known.empty() ? computed(function, known) : std::nullopt;
    // 127 fits every integer; of wider ones what does not is left to the graph, and so is what has no sign.
    const std::int64_t most = made == ElementType::Int8 ? 127 : made == ElementType::Int16 ? 32767 : kMost;
    if (!result || *result > most || *result < (builder.resultType().text.text.find("xui") != std::string_view::npos || builder.resultType().text.text.starts_with("tensor<ui") ? 0 : -most))
        return std::nullopt;
    if (made != ElementType::Bool)
        return std::to_string(*result);
    return *result == 0 ? "false" : *result == 1 ? std::optional<std::string>("true") : std::nullopt;
}

} // namespace

std::string_view comparisonOf(const Operation& op)
{
    const auto given = op.attributes.find("comparison_direction");
    std::string_view text = given != op.attributes.end() ? given->second.text : op.words.empty() ? std::string_view("?") : op.words.front().text;
    constexpr std::string_view kKey = "comparison_direction "; // "#stablehlo<comparison_direction LT>".
    if (const std::size_t key = text.find(kKey); key != std::string_view::npos) {
        text.remove_prefix(key + kKey.size());
        text = text.substr(0, text.find('>'));
    }
    return trimmed(text);
}

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
    if (builder.failed())
        return {};
    const std::string name = function.kind == GraphOpKind::Map ? functionName(builder.operation(), word) : std::string(word);
    auto literal = foldedLiteral(builder, name, in);
    if (!literal)
        literal = countedLiteral(name, in);
    for (const HloValue& value : literal ? in : HloOperands{})
        builder.bypass(value.tensor);
    if (literal) {
        HloValue value = builder.constant(builder.resultType().element, *literal);
        value.shape = shape;
        return value;
    }
    if (const HloValue* const chosen = chosenOperand(builder, word, in)) {
        for (const HloValue& value : in)
            builder.bypass(value.tensor);
        return *chosen;
    }
    if (splat)
        return {builder.add(function.kind, std::move(operands), {}, set), true, shape, {}};
    HloValue made = builder.finish(function.kind, std::move(operands), set);
    made.counts = function.kind == GraphOpKind::Cast ? in[0].counts : -1;
    return made;
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
    const bool list = inner.starts_with("[") && inner.size() <= 256 && type.shape.size() == 1 && !isFloating(type.element); // Ids.
    const bool hex = inner.starts_with("\""); // All bytes, of many elements.
    if (inner.find('[') == std::string_view::npos && !hex && text.starts_with("dense<"))
        return {builder.input({}, type.element, {}, std::string(inner)), true, type.shape, std::string(inner.substr(0, 48))};
    return {builder.input(type.shape, type.element), false, type.shape, list ? std::string(inner) : std::string()};
}

HloValue readRandom(HloBuilder& builder, const HloOperands&)
{
    const Type& type = builder.resultType();
    return {builder.input(type.shape, type.element), false, type.shape, {}};
}

std::vector<HloValue> readRandomBits(HloBuilder& builder)
{
    std::vector<HloValue> made;
    for (const Type& type : builder.operation().resultTypes) {
        if (!type.tensor)
            builder.fail(ErrorCode::InvalidInput, "has a result that is no tensor", "a state and bits");
        made.push_back({builder.input(type.shape, type.element, made.empty() ? ".state" : ".bits"), false, type.shape, {}});
    }
    return made;
}

HloValue readIota(HloBuilder& builder)
{
    const Type& type = builder.resultType();
    const std::int64_t dim = builder.integer(builder.operation().attributes.contains("dim") ? "dim" : "iota_dimension", 0);
    if (dim < 0 || dim >= std::ssize(type.shape)) {
        builder.fail(ErrorCode::InvalidInput, "counts along dim " + std::to_string(dim) + " of " + shapeText(type.shape), "one of its dims");
        return {};
    }
    return {builder.counting(type.shape, type.element, dim), false, type.shape, {}, dim};
}

} // namespace fabricscope::mlir
