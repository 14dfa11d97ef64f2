#include "core/sharding/stablehlo/hlobuilder.h"

#include "core/base/showntext.h"
#include <charconv>

namespace fabricscope::mlir {

namespace {

std::string_view withoutDialect(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::optional<ReduceKind> joinOfWord(std::string_view word, bool truth)
{
    if (word == "add" && !truth)
        return ReduceKind::Sum;
    if (word == "multiply" && !truth)
        return ReduceKind::Product;
    if (word == "maximum" || (truth && (word == "or" || word == "add")))
        return ReduceKind::Max;
    if (word == "minimum" || (truth && (word == "and" || word == "multiply")))
        return ReduceKind::Min;
    return std::nullopt;
}

/// The body "^bb0(%a, %b): %c = OP %a, %b; return %c".
std::optional<ReduceKind> joinOfRegion(const Region& region)
{
    if (region.arguments.size() != 2 || region.ops.size() != 2 || region.ops[0].operands.size() != 2 || region.ops[0].results.size() != 1)
        return std::nullopt;
    const Operation& op = region.ops[0];
    const std::string& a = region.arguments[0].name;
    const std::string& b = region.arguments[1].name;
    const bool both = (op.operands[0] == a && op.operands[1] == b) || (op.operands[0] == b && op.operands[1] == a);
    const bool returned = withoutDialect(region.ops[1].name) == "return" && region.ops[1].operands == std::vector<std::string>{op.results[0].first};
    return both && returned ? joinOfWord(withoutDialect(op.name), region.arguments[0].type.element == ElementType::Bool) : std::nullopt;
}

} // namespace

std::optional<ReduceKind> joinOf(const Operation& op)
{
    if (op.regions.size() == 1)
        return joinOfRegion(op.regions[0]);
    const bool truth = !op.resultTypes.empty() && op.resultTypes[0].element == ElementType::Bool;
    for (std::size_t i = 0; i + 1 < op.words.size(); ++i) {
        if (op.words[i].text == "applies")
            return joinOfWord(withoutDialect(op.words[i + 1].text), truth);
    }
    return std::nullopt;
}

bool isZeroLiteral(const std::string& literal)
{
    if (literal == "false")
        return true;
    if (literal.starts_with("0x"))
        return literal.find_first_not_of('0', 2) == std::string::npos;
    double value = 1;
    const auto [end, problem] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    return problem == std::errc{} && end == literal.data() + literal.size() && value == 0;
}

bool isIdentityOf(ReduceKind kind, const HloValue& value)
{
    // Infinities stand as bits; finite ends as programs for integers and half precision write them.
    static constexpr std::string_view kLeast[] = {"0xFF800000", "0xFF80", "0xFC00", "0xFFF0000000000000", "-inf", "false", "-128", "-32768", "-2147483648", "-9223372036854775808"};
    static constexpr std::string_view kGreatest[] = {"0x7F800000", "0x7F80", "0x7C00", "0x7FF0000000000000", "inf", "true", "127", "32767", "2147483647", "9223372036854775807"};
    if (kind == ReduceKind::Sum)
        return isZeroLiteral(value.literal);
    if (kind == ReduceKind::Product) {
        double number = 0;
        const auto [end, problem] = std::from_chars(value.literal.data(), value.literal.data() + value.literal.size(), number);
        return problem == std::errc{} && end == value.literal.data() + value.literal.size() && number == 1;
    }
    for (const std::string_view text : kind == ReduceKind::Max ? kLeast : kGreatest) {
        if (value.literal == text)
            return true;
    }
    return false;
}

void HloBuilder::begin(const Operation& op, const std::string& prefix)
{
    m_op = &op;
    m_name = prefix + (op.results.empty() ? op.name : op.results.front().first);
}

void HloBuilder::fail(ErrorCode code, std::string message, std::string expected)
{
    const std::string name = m_op->results.empty() ? m_op->name : m_name + " (" + m_op->name + ')';
    if (!m_error)
        m_error = Error{code, "op " + name + ": " + std::move(message), m_op->place, std::move(expected)};
}

void HloBuilder::setError(Error error)
{
    if (!m_error)
        m_error = std::move(error);
}

std::string HloBuilder::freeName(const std::string& wanted)
{
    std::string name = wanted;
    for (int i = 2; m_graph.find(name); ++i)
        name = wanted + "~" + std::to_string(i);
    return name;
}

TensorId HloBuilder::input(const TensorShape& shape, ElementType type, const std::string& suffix, const std::string& literal)
{
    if (m_error)
        return -1;
    GraphTensor tensor{freeName(m_name + suffix), shape, type, -1, m_op->place};
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
    if (!literal.empty() && problem == std::errc{} && end == literal.data() + literal.size() && !isFloating(type))
        tensor.number = number;
    const Result<TensorId> id = m_graph.addInput(std::move(tensor));
    if (!id)
        setError(id.error());
    return id ? id.value() : -1;
}

TensorId HloBuilder::counting(const TensorShape& shape, ElementType type, std::int64_t dim, const std::string& suffix)
{
    if (m_error)
        return -1;
    const Result<TensorId> id = m_graph.addInput({freeName(m_name + suffix), shape, type, -1, m_op->place, dim});
    if (!id)
        setError(id.error());
    return id ? id.value() : -1;
}

HloValue HloBuilder::constant(ElementType type, const std::string& literal)
{
    const auto [known, fresh] = m_constants.emplace(std::pair(type, literal), -1);
    if (fresh)
        known->second = input({}, type, ".is" + literal, literal);
    return {known->second, true, {}, literal};
}

TensorId HloBuilder::inputPerDevice(ElementType type, const PerDevice& of)
{
    const TensorId id = input(leadOf(of), type);
    if (id >= 0)
        keepPerDevice(id, of);
    return id;
}

TensorId HloBuilder::add(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix, const std::function<void(GraphOp&)>& set)
{
    if (m_error)
        return -1;
    GraphOp op = described(kind, std::move(operands), suffix, set);
    const std::optional<PerDevice> of = joinOfOperands(op.inputs);
    if (of)
        lift(op, *of);
    return insert(std::move(op), of);
}

TensorId HloBuilder::addWhole(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix, const std::optional<PerDevice>& of, const std::function<void(GraphOp&)>& set)
{
    return m_error ? -1 : insert(described(kind, std::move(operands), suffix, set), of);
}

GraphOp HloBuilder::described(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix, const std::function<void(GraphOp&)>& set)
{
    GraphOp op;
    op.kind = kind;
    op.name = freeName(m_name + suffix);
    op.inputs = std::move(operands);
    op.place = m_op->place;
    if (set)
        set(op);
    return op;
}

TensorId HloBuilder::insert(GraphOp op, const std::optional<PerDevice>& of)
{
    if (m_error)
        return -1;
    const Result<TensorId> id = m_graph.addOp(std::move(op));
    if (!id) {
        setError(id.error());
        return -1;
    }
    if (of)
        keepPerDevice(id.value(), *of);
    return id.value();
}

void HloBuilder::keepPerDevice(TensorId tensor, const PerDevice& of)
{
    m_perDevice.emplace(tensor, of);
    m_placed(tensor, of);
}

HloValue HloBuilder::finish(GraphOpKind kind, std::vector<TensorId> operands, const std::function<void(GraphOp&)>& set)
{
    const TensorId id = add(kind, std::move(operands), {}, [&](GraphOp& op) {
        op.type = resultType().element;
        if (set)
            set(op);
    });
    if (id >= 0 && shapeOf(id) != resultType().shape)
        fail(ErrorCode::InvalidInput, "comes out as " + shapeText(shapeOf(id)) + " and is said to be " + fabricscope::shownText(resultType().text.text, 80));
    return {id, false, resultType().shape, {}};
}

TensorId HloBuilder::transposed(TensorId tensor, const std::vector<std::int64_t>& perm, const std::string& suffix)
{
    bool same = true;
    for (std::size_t d = 0; d < perm.size(); ++d)
        same = same && perm[d] == static_cast<std::int64_t>(d);
    return same ? tensor : add(GraphOpKind::Transpose, {tensor}, suffix, [&](GraphOp& op) { op.dims = perm; });
}

TensorId HloBuilder::reshaped(TensorId tensor, TensorShape shape, const std::string& suffix)
{
    return m_error || shapeOf(tensor) == shape ? tensor : add(GraphOpKind::Reshape, {tensor}, suffix, [&](GraphOp& op) { op.shape = std::move(shape); });
}

TensorId HloBuilder::whole(const HloValue& value, const std::string& suffix)
{
    if (m_error || !value.splat || value.shape.empty())
        return value.tensor;
    return add(GraphOpKind::Broadcast, {value.tensor}, suffix, [&](GraphOp& op) { op.shape = value.shape; });
}

TensorShape HloBuilder::shapeOf(TensorId tensor) const
{
    if (tensor < 0)
        return {};
    TensorShape shape = m_graph.tensor(tensor).shape;
    if (const PerDevice* const of = perDevice(tensor))
        shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(of->axes.size()));
    return shape;
}

std::vector<std::int64_t> HloBuilder::integers(std::string_view key, std::vector<std::int64_t> otherwise)
{
    const auto found = m_op->attributes.find(key);
    if (found == m_op->attributes.end())
        return otherwise;
    auto list = integersOf(found->second.text);
    if (!list)
        fail(ErrorCode::InvalidInput, std::string(key) + " cannot be read", "integers");
    return list ? *std::move(list) : otherwise;
}

std::vector<std::int64_t> HloBuilder::needed(std::string_view key, std::string_view other)
{
    const bool first = m_op->attributes.contains(key);
    if (!first && (other.empty() || !m_op->attributes.contains(other)))
        fail(ErrorCode::InvalidInput, "has no " + std::string(key));
    return integers(first ? key : other, {});
}

std::int64_t HloBuilder::integer(std::string_view key, std::int64_t otherwise)
{
    const std::vector<std::int64_t> list = integers(key, {otherwise});
    if (list.size() != 1)
        fail(ErrorCode::InvalidInput, std::string(key) + " is no number", "one integer");
    return list.size() == 1 ? list[0] : otherwise;
}

std::vector<std::int64_t> HloBuilder::fieldIntegers(const Attributes& fields, std::string_view key, std::vector<std::int64_t> otherwise)
{
    const auto found = fields.find(key);
    if (found == fields.end())
        return otherwise;
    auto list = integersOf(found->second.text);
    if (!list)
        fail(ErrorCode::InvalidInput, std::string(key) + " cannot be read", "integers");
    return list ? *std::move(list) : otherwise;
}

} // namespace fabricscope::mlir
