#include "core/study/constraint.h"

#include "core/base/showntext.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricscope {

struct Constraint::Node {
    enum class Kind : std::uint8_t { Number, Word, Name, Negate, Not, Add, Subtract, Multiply, Divide, Less, LessEqual, Greater, GreaterEqual, Equal, Unequal, And, Or };
    /// What comes out of it.
    enum class Type : std::uint8_t { Number, Word, Truth };
    Kind kind = Kind::Number;
    Type type = Type::Number;
    Measure measure = Measure::Count;
    double number = 0;
    std::string word;
    std::vector<std::shared_ptr<const Node>> parts;
};

namespace {

using Node = Constraint::Node;
using Kind = Node::Kind;
using Type = Node::Type;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMostNested = 64;
constexpr std::size_t kMostCharacters = 4096;

std::string_view measureWord(Measure measure)
{
    switch (measure) {
    case Measure::Time:
        return "a time, as 5 us";
    case Measure::Size:
        return "a size, as 80 GB";
    case Measure::Bandwidth:
        return "a bandwidth, as 50 GB/s";
    case Measure::Operations:
        return "operations, as 1 TFLOP";
    case Measure::ComputeRate:
        return "a rate, as 1 TFLOP/s";
    case Measure::Count:
        break;
    }
    return "a number without a unit";
}

double inBase(const Quantity& quantity)
{
    return quantity.measure == Measure::Time ? static_cast<double>(toSimTime(quantity).ps) : quantity.base();
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

class ConstraintParser {
public:
    ConstraintParser(const std::string& text, const Constraint::Kinds& kinds) : m_text(text), m_kinds(kinds) {}

    Result<NodePtr> parse()
    {
        NodePtr root = either();
        skip();
        if (!m_error && m_at < m_text.size())
            fail("\"" + rest() + "\" is too much", "and, or, or the end");
        if (!m_error && root->type != Type::Truth)
            failAt(0, "this is no condition", "a comparison, as memory_peak <= 80 GB");
        if (m_error)
            return *m_error;
        return root;
    }
    std::set<std::string> names() && { return std::move(m_names); }
    std::vector<std::pair<std::string, std::string>> comparedWords() && { return std::move(m_comparedWords); }

private:
    NodePtr fail(std::string message, std::string expected = {}) { return failAt(m_at, std::move(message), std::move(expected)); }
    NodePtr failAt(std::size_t at, std::string message, std::string expected = {})
    {
        if (!m_error)
            m_error = invalidInput(std::move(message) + " (character " + std::to_string(at + 1) + ")", {}, std::move(expected));
        m_at = m_text.size();
        return std::make_shared<const Node>();
    }
    std::string rest() const { return shownText(m_text.substr(m_at, 20)); }
    void skip()
    {
        m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); // A block of YAML has line ends.
    }
    bool take(std::string_view token)
    {
        skip();
        if (m_text.compare(m_at, token.size(), token) != 0)
            return false;
        if (isLetter(token.front()) && m_at + token.size() < m_text.size() && (isLetter(m_text[m_at + token.size()]) || isDigit(m_text[m_at + token.size()])))
            return false;
        m_at += token.size();
        return true;
    }

    static NodePtr make(Kind kind, Type type, Measure measure, std::vector<NodePtr> parts)
    {
        auto node = std::make_shared<Node>();
        node->kind = kind;
        node->type = type;
        node->measure = measure;
        node->parts = std::move(parts);
        return node;
    }

    NodePtr joined(NodePtr (ConstraintParser::*inner)(), std::string_view word, Kind kind)
    {
        NodePtr left = (this->*inner)();
        for (std::size_t at = m_at; !m_error && take(word); at = m_at) {
            NodePtr right = (this->*inner)();
            if (!m_error && (left->type != Type::Truth || right->type != Type::Truth))
                return failAt(at, "\"" + std::string(word) + "\" joins conditions", "a comparison on both sides");
            left = make(kind, Type::Truth, Measure::Count, {left, right});
        }
        return left;
    }
    NodePtr either() { return joined(&ConstraintParser::both, "or", Kind::Or); }
    NodePtr both() { return joined(&ConstraintParser::negated, "and", Kind::And); }
    NodePtr negated()
    {
        const std::size_t at = m_at;
        if (!take("not"))
            return comparison();
        if (++m_nested > kMostNested)
            return fail("nested too deeply");
        NodePtr inner = negated();
        --m_nested;
        if (!m_error && inner->type != Type::Truth)
            return failAt(at, "\"not\" stands before a condition", "a comparison");
        return make(Kind::Not, Type::Truth, Measure::Count, {inner});
    }

    NodePtr comparison()
    {
        NodePtr left = sum();
        skip();
        const std::size_t at = m_at;
        for (const auto& [token, kind] : {std::pair<std::string_view, Kind>{"<=", Kind::LessEqual}, {">=", Kind::GreaterEqual}, {"==", Kind::Equal}, {"!=", Kind::Unequal}, {"<", Kind::Less}, {">", Kind::Greater}}) {
            if (m_error || !take(token))
                continue;
            m_comparesWord = left->type == Type::Word;
            NodePtr right = sum();
            m_comparesWord = false;
            if (m_error)
                return right;
            if (left->type == Type::Truth || right->type == Type::Truth)
                return failAt(at, "a condition is compared", "a number or a word on both sides");
            if (left->type != right->type)
                return failAt(at, "a word is compared with a number", "both of one kind");
            if (left->type == Type::Word && kind != Kind::Equal && kind != Kind::Unequal)
                return failAt(at, "words have no order", "== or !=");
            if (left->measure != right->measure)
                return failAt(at, "the sides of \"" + std::string(token) + "\" measure different things", std::string(measureWord(left->measure)));
            for (const auto& [name, word] : {std::pair{left, right}, {right, left}}) {
                if (name->kind == Kind::Name && word->kind == Kind::Word)
                    m_comparedWords.emplace_back(name->word, word->word);
            }
            return make(kind, Type::Truth, Measure::Count, {left, right});
        }
        return left;
    }

    bool areNumbers(const NodePtr& left, const NodePtr& right, std::size_t at, std::string_view token)
    {
        if (m_error)
            return false;
        if (left->type == Type::Number && right->type == Type::Number)
            return true;
        failAt(at, "\"" + std::string(token) + "\" takes numbers", "a number on both sides");
        return false;
    }

    NodePtr sum()
    {
        NodePtr left = product();
        for (;;) {
            skip();
            const std::size_t at = m_at;
            const bool plus = !m_error && take("+");
            if (!plus && (m_error || !take("-")))
                return left;
            NodePtr right = product();
            if (!areNumbers(left, right, at, plus ? "+" : "-"))
                return left;
            if (left->measure != right->measure)
                return failAt(at, "the sides of \"" + std::string(plus ? "+" : "-") + "\" measure different things", std::string(measureWord(left->measure)));
            left = make(plus ? Kind::Add : Kind::Subtract, Type::Number, left->measure, {left, right});
        }
    }

    NodePtr product()
    {
        NodePtr left = unary();
        for (;;) {
            skip();
            const std::size_t at = m_at;
            const bool times = !m_error && take("*");
            if (!times && (m_error || !take("/")))
                return left;
            NodePtr right = unary();
            if (!areNumbers(left, right, at, times ? "*" : "/"))
                return left;
            Measure measure = left->measure;
            if (times && left->measure != Measure::Count && right->measure != Measure::Count)
                return failAt(at, "two numbers with units are multiplied", "at most one of them with a unit");
            if (times && left->measure == Measure::Count)
                measure = right->measure;
            if (!times && right->measure != Measure::Count) {
                if (left->measure != right->measure)
                    return failAt(at, "numbers of different units are divided", "by the same unit, or by a number without one");
                measure = Measure::Count;
            }
            left = make(times ? Kind::Multiply : Kind::Divide, Type::Number, measure, {left, right});
        }
    }

    NodePtr unary()
    {
        const std::size_t at = m_at;
        if (!take("-"))
            return primary();
        if (++m_nested > kMostNested)
            return fail("nested too deeply");
        NodePtr inner = unary();
        --m_nested;
        if (!m_error && inner->type != Type::Number)
            return failAt(at, "\"-\" stands before a number", "a number");
        return make(Kind::Negate, Type::Number, inner->measure, {inner});
    }

    NodePtr primary()
    {
        skip();
        if (m_at >= m_text.size())
            return fail("the expression ends too early", "a figure, a parameter or a number");
        if (take("(")) {
            if (++m_nested > kMostNested)
                return fail("nested too deeply");
            NodePtr inner = either();
            --m_nested;
            if (!m_error && !take(")"))
                return fail("a bracket is not closed", ")");
            return inner;
        }
        const char c = m_text[m_at];
        if (isDigit(c) || c == '.')
            return number();
        if (c == '"' || c == '\'')
            return quoted(c);
        if (isLetter(c))
            return name();
        return fail("\"" + rest() + "\" is not understood", "a figure, a parameter or a number");
    }

    NodePtr quoted(char quote)
    {
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string::npos)
            return fail("a quotation is not closed", std::string(1, quote));
        NodePtr node = wordOf(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return node;
    }

    static NodePtr wordOf(std::string word)
    {
        auto node = std::make_shared<Node>();
        node->kind = Kind::Word;
        node->type = Type::Word;
        node->word = std::move(word);
        return node;
    }

    NodePtr name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isLetter(m_text[m_at]) || isDigit(m_text[m_at])))
            ++m_at;
        const std::string word = m_text.substr(begin, m_at - begin);
        const std::optional<NamedValue> kind = m_kinds(word);
        if (!kind && m_comparesWord)
            return wordOf(word);
        if (!kind) {
            std::string known;
            for (const FigureRow& row : figureRows())
                known += (known.empty() ? "a parameter, or one of " : ", ") + std::string(row.key);
            return failAt(begin, "\"" + word + "\" is no figure and no parameter", known);
        }
        m_names.insert(word);
        auto node = std::make_shared<Node>();
        node->kind = Kind::Name;
        node->type = kind->isWord ? Type::Word : Type::Number;
        node->measure = kind->measure;
        node->word = word;
        return node;
    }

    /// With its unit, where one follows.
    NodePtr number()
    {
        const std::size_t begin = m_at;
        double value = 0;
        const auto [end, code] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        if (code != std::errc() || !std::isfinite(value))
            return fail("\"" + rest() + "\" is no number", "a number");
        m_at = static_cast<std::size_t>(end - m_text.data());
        const std::string digits = m_text.substr(begin, m_at - begin);
        std::size_t unit = m_at;
        while (unit < m_text.size() && m_text[unit] == ' ')
            ++unit;
        std::size_t word = unit;
        while (word < m_text.size() && isLetter(m_text[word]))
            ++word;
        auto node = std::make_shared<Node>();
        node->number = value;
        const std::string unitWord = m_text.substr(unit, word - unit);
        if (unitWord.empty() || unitWord == "and" || unitWord == "or")
            return node;
        std::size_t rate = word;
        if (m_text.compare(word, 2, "/s") == 0 && (word + 2 >= m_text.size() || !isLetter(m_text[word + 2])))
            rate = word + 2;
        for (const std::size_t last : {rate, word}) {
            for (const Measure measure : {Measure::Time, Measure::Size, Measure::Bandwidth, Measure::Operations, Measure::ComputeRate}) {
                const Result<Quantity> quantity = parseQuantity(digits + " " + m_text.substr(unit, last - unit), measure);
                if (!quantity)
                    continue;
                node->number = inBase(quantity.value());
                node->measure = measure;
                m_at = last;
                return node;
            }
        }
        return failAt(unit, "unknown unit \"" + unitWord + "\"", "a unit such as us, GB, GB/s, Gbit/s or TFLOP/s");
    }

    const std::string& m_text;
    const Constraint::Kinds& m_kinds;
    std::size_t m_at = 0;
    int m_nested = 0;
    bool m_comparesWord = false;
    std::set<std::string> m_names;
    std::vector<std::pair<std::string, std::string>> m_comparedWords;
    std::optional<Error> m_error;
};

std::optional<double> numberOf(const Node& node, const Constraint::Values& values)
{
    switch (node.kind) {
    case Kind::Number:
        return node.number;
    case Kind::Name:
        return values(node.word).number;
    default:
        break;
    }
    const std::optional<double> left = numberOf(*node.parts[0], values);
    if (!left || node.kind == Kind::Negate)
        return left ? std::optional(-*left) : std::nullopt;
    const std::optional<double> right = numberOf(*node.parts[1], values);
    if (!right)
        return std::nullopt;
    switch (node.kind) {
    case Kind::Add:
        return *left + *right;
    case Kind::Subtract:
        return *left - *right;
    case Kind::Multiply:
        return *left * *right;
    default:
        return *left / *right;
    }
}

std::string wordIn(const Node& node, const Constraint::Values& values)
{
    return node.kind == Kind::Name ? values(node.word).word : node.word;
}

bool compared(Kind kind, double left, double right)
{
    switch (kind) {
    case Kind::Less:
        return left < right;
    case Kind::LessEqual:
        return left <= right;
    case Kind::Greater:
        return left > right;
    case Kind::GreaterEqual:
        return left >= right;
    case Kind::Equal:
        return left == right;
    default:
        return left != right;
    }
}

std::optional<bool> truthOf(const Node& node, const Constraint::Values& values)
{
    if (node.kind == Kind::Not) {
        const std::optional<bool> inner = truthOf(*node.parts[0], values);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (node.kind == Kind::And || node.kind == Kind::Or) {
        // One side may be enough.
        const std::optional<bool> left = truthOf(*node.parts[0], values);
        const std::optional<bool> right = truthOf(*node.parts[1], values);
        const bool decides = node.kind == Kind::Or;
        if (left == decides || right == decides)
            return decides;
        return left && right ? std::optional(!decides) : std::nullopt;
    }
    if (node.parts[0]->type == Type::Word)
        return (wordIn(*node.parts[0], values) == wordIn(*node.parts[1], values)) == (node.kind == Kind::Equal);
    const std::optional<double> left = numberOf(*node.parts[0], values);
    const std::optional<double> right = numberOf(*node.parts[1], values);
    const bool known = left && right && !std::isnan(*left) && !std::isnan(*right); // 0 / 0 is nothing.
    return known ? std::optional(compared(node.kind, *left, *right)) : std::nullopt;
}

} // namespace

Result<Constraint> Constraint::parse(const std::string& text, const Kinds& kinds)
{
    if (text.size() > kMostCharacters)
        return invalidInput("the expression has " + std::to_string(text.size()) + " characters", {}, "at most " + std::to_string(kMostCharacters));
    ConstraintParser parser(text, kinds);
    Result<NodePtr> root = parser.parse();
    if (!root)
        return std::move(root).error();
    Constraint out;
    out.m_text = text;
    out.m_root = std::move(root).value();
    out.m_names = std::move(parser).names();
    out.m_comparedWords = std::move(parser).comparedWords();
    return out;
}

std::optional<bool> Constraint::holds(const Values& values) const
{
    return truthOf(*m_root, values);
}

} // namespace fabricscope
