#include "core/transform/stageexpr.h"

#include "core/base/decimal.h"
#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricscope::transform {

namespace {

using Kind = ExprNode::Kind;

constexpr int kMostExprDepth = 64;

struct ExprFunction {
    std::string_view name;
    Kind kind;
    int arguments;
    ElementType type = ElementType::Fp32;
};
constexpr std::array kExprFunctions{ExprFunction{"sqrt", Kind::Sqrt, 1}, ExprFunction{"abs", Kind::Abs, 1}, ExprFunction{"exp", Kind::Exp, 1}, ExprFunction{"tanh", Kind::Tanh, 1},
                                    ExprFunction{"max", Kind::Max, 2}, ExprFunction{"min", Kind::Min, 2}, ExprFunction{"fp32", Kind::Cast, 1, ElementType::Fp32},
                                    ExprFunction{"fp16", Kind::Cast, 1, ElementType::Fp16}, ExprFunction{"bf16", Kind::Cast, 1, ElementType::Bf16}, ExprFunction{"fp64", Kind::Cast, 1, ElementType::Fp64}};

bool isNameByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Recursive descent over one text.
class ExprReading {
public:
    ExprReading(std::string_view text, const ExprNames& names) : m_text(text), m_names(names) {}

    Result<ExprTree> read()
    {
        const std::int32_t root = sum();
        if (root >= 0) {
            skipBlanks();
            if (m_at < m_text.size())
                fail("\"" + std::string(1, m_text[m_at]) + "\" is not expected here", "+, -, *, / or the end");
        }
        if (m_error)
            return *std::move(m_error);
        return std::move(m_tree);
    }

private:
    void skipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n' || m_text[m_at] == '\r'))
            ++m_at;
    }

    std::int32_t fail(std::string message, std::string expected = {}, std::optional<std::size_t> where = {})
    {
        if (!m_error) {
            m_error = Error{ErrorCode::InvalidInput, std::move(message), {}, std::move(expected)};
            m_error->place.offset = static_cast<std::int64_t>(where.value_or(m_at));
        }
        return -1;
    }

    std::int32_t add(ExprNode node)
    {
        if (m_tree.nodes.size() >= kMostExprNodes)
            return fail("the expression is too long", "at most " + std::to_string(kMostExprNodes) + " operations and names");
        m_tree.nodes.push_back(std::move(node));
        return static_cast<std::int32_t>(m_tree.nodes.size()) - 1;
    }

    bool take(char c)
    {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    std::int32_t joined(Kind kind, std::int32_t left, std::int32_t right)
    {
        if (left < 0 || right < 0)
            return -1;
        ExprNode node;
        node.kind = kind;
        node.left = left;
        node.right = right;
        return add(std::move(node));
    }

    std::int32_t sum()
    {
        if (++m_depth > kMostExprDepth)
            return fail("the expression is nested too deeply", "at most " + std::to_string(kMostExprDepth) + " levels");
        std::int32_t left = product();
        while (left >= 0) {
            if (take('+'))
                left = joined(Kind::Add, left, product());
            else if (take('-'))
                left = joined(Kind::Subtract, left, product());
            else
                break;
        }
        --m_depth;
        return left;
    }

    std::int32_t product()
    {
        std::int32_t left = factor();
        while (left >= 0) {
            if (take('*'))
                left = joined(Kind::Multiply, left, factor());
            else if (take('/'))
                left = joined(Kind::Divide, left, factor());
            else
                break;
        }
        return left;
    }

    std::int32_t factor()
    {
        bool negative = false;
        while (take('-'))
            negative = !negative;
        const std::int32_t value = primary();
        if (value < 0 || !negative)
            return value;
        ExprNode node;
        node.kind = Kind::Negate;
        node.left = value;
        return add(std::move(node));
    }

    std::int32_t primary()
    {
        skipBlanks();
        if (m_at >= m_text.size())
            return fail("the expression ends too early", "a number, a name or (");
        if (take('(')) {
            const std::int32_t inner = sum();
            if (inner >= 0 && !take(')'))
                return fail("a parenthesis is not closed", ")");
            return inner;
        }
        const char c = m_text[m_at];
        if ((c >= '0' && c <= '9') || c == '.')
            return number();
        if (isNameByte(c))
            return name();
        return fail("\"" + std::string(1, c) + "\" is not expected here", "a number, a name or (");
    }

    std::int32_t number()
    {
        ExprNode node;
        const char* const begin = m_text.data() + m_at;
        const auto [end, problem] = std::from_chars(begin, m_text.data() + m_text.size(), node.number);
        if (problem != std::errc{} || !std::isfinite(node.number))
            return fail("not a number", "such as 0.9 or 1e-8");
        node.word.assign(begin, end);
        m_at += static_cast<std::size_t>(end - begin);
        if (m_at < m_text.size() && isNameByte(m_text[m_at]))
            return fail("a number runs into a name", "an operation between them");
        return add(std::move(node));
    }

    std::int32_t name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameByte(m_text[m_at]))
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        skipBlanks();
        if (m_at < m_text.size() && m_text[m_at] == '(')
            return function(word, begin);
        ExprNode node;
        if (const auto value = m_names.scalar(word)) {
            node.number = *value;
            node.word = word;
            return add(std::move(node));
        }
        if (const auto operand = m_names.operand(word)) {
            node.kind = Kind::Leaf;
            node.leaf = *operand;
            return add(std::move(node));
        }
        return fail("\"" + std::string(word) + "\" is no scalar, no tensor and no stage above", "a name that is known here", begin);
    }

    std::int32_t function(std::string_view word, std::size_t begin)
    {
        const auto* const found = std::find_if(kExprFunctions.begin(), kExprFunctions.end(), [&](const ExprFunction& each) { return each.name == word; });
        if (found == kExprFunctions.end())
            return fail("there is no function \"" + std::string(word) + "\"", "sqrt, abs, exp, tanh, max, min, fp32, fp16, bf16 or fp64", begin);
        take('(');
        ExprNode node;
        node.kind = found->kind;
        node.type = found->type;
        node.left = sum();
        if (node.left >= 0 && found->arguments == 2) {
            if (!take(','))
                return fail(std::string(word) + " takes two values", ",");
            node.right = sum();
        }
        if (node.left < 0 || (found->arguments == 2 && node.right < 0))
            return -1;
        if (!take(')'))
            return fail("a parenthesis is not closed", ")");
        return add(std::move(node));
    }

    std::string_view m_text;
    const ExprNames& m_names;
    std::size_t m_at = 0;
    int m_depth = 0;
    ExprTree m_tree;
    std::optional<Error> m_error;
};

int strengthOf(Kind kind)
{
    switch (kind) {
    case Kind::Add:
    case Kind::Subtract: return 1;
    case Kind::Multiply:
    case Kind::Divide: return 2;
    case Kind::Negate: return 3;
    default: return 4;
    }
}

std::string_view signOf(Kind kind)
{
    switch (kind) {
    case Kind::Add: return " + ";
    case Kind::Subtract: return " - ";
    case Kind::Multiply: return "*";
    case Kind::Divide: return "/";
    default: return "";
    }
}

std::string callName(const ExprNode& node)
{
    for (const ExprFunction& each : kExprFunctions) {
        if (each.kind == node.kind && (node.kind != Kind::Cast || each.type == node.type))
            return std::string(each.name);
    }
    return "?";
}

} // namespace

Result<ExprTree> parseExpr(std::string_view text, const ExprNames& names)
{
    return ExprReading(text, names).read();
}

std::int64_t bytesOf(ElementType type)
{
    return type == ElementType::Fp64 ? 8 : type == ElementType::Fp32 ? 4 : 2;
}

std::string ExprTree::text(const std::function<std::string(std::int32_t)>& leafText) const
{
    std::vector<std::string> texts;
    for (const ExprNode& node : nodes) {
        const auto inner = [&](std::int32_t child, int least) {
            return strengthOf(nodes[at(child)].kind) < least ? '(' + texts[at(child)] + ')' : texts[at(child)];
        };
        const int strength = strengthOf(node.kind);
        std::string text;
        if (node.kind == Kind::Number)
            text = node.word;
        else if (node.kind == Kind::Leaf)
            text = leafText(node.leaf);
        else if (node.kind == Kind::Negate)
            text = '-' + inner(node.left, 4);
        else if (strength < 3)
            text = inner(node.left, strength) + std::string(signOf(node.kind)) + inner(node.right, strength + 1);
        else
            text = callName(node) + '(' + texts[at(node.left)] + (node.right >= 0 ? ", " + texts[at(node.right)] : std::string()) + ')';
        texts.push_back(std::move(text));
    }
    return texts.empty() ? std::string() : texts.back();
}

double ExprTree::evaluate(const std::function<double(std::int32_t)>& leafValue) const
{
    std::vector<double> values;
    values.reserve(nodes.size());
    for (const ExprNode& node : nodes) {
        const double a = node.left >= 0 ? values[at(node.left)] : 0;
        const double b = node.right >= 0 ? values[at(node.right)] : 0;
        double value = 0;
        switch (node.kind) {
        case Kind::Number: value = node.number; break;
        case Kind::Leaf: value = leafValue(node.leaf); break;
        case Kind::Negate: value = -a; break;
        case Kind::Add: value = a + b; break;
        case Kind::Subtract: value = a - b; break;
        case Kind::Multiply: value = a * b; break;
        case Kind::Divide: value = a / b; break;
        case Kind::Max: value = std::max(a, b); break;
        case Kind::Min: value = std::min(a, b); break;
        case Kind::Sqrt: value = std::sqrt(a); break;
        case Kind::Abs: value = std::abs(a); break;
        case Kind::Exp: value = std::exp(a); break;
        case Kind::Tanh: value = std::tanh(a); break;
        case Kind::Cast: value = a; break; // Rounding would depend on the order of sums: types are checked, not imitated.
        }
        values.push_back(value);
    }
    return values.empty() ? 0 : values.back();
}

} // namespace fabricscope::transform
