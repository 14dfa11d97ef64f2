#include "core/cases/caseformula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace fabricscope {

/// Reads a formula from left to right, an operand at a time.
class CaseFormula::Parser {
public:
    Parser(const std::string& text, const Names& names) : m_text(text), m_names(names) {}

    Result<CaseFormula> read()
    {
        sum(0);
        if (!m_error && m_at < m_text.size())
            fail("nothing can stand here", "an operator: + - * /");
        if (m_error)
            return *m_error;
        CaseFormula formula;
        formula.m_text = m_text;
        formula.m_steps = std::move(m_steps);
        return formula;
    }

private:
    static constexpr int kMostLevels = 64;

    char next()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
        return m_at < m_text.size() && !m_error ? m_text[m_at] : '\0';
    }

    bool take(char wanted)
    {
        if (next() != wanted)
            return false;
        ++m_at;
        return true;
    }

    void fail(const std::string& message, const std::string& expected)
    {
        if (!m_error)
            m_error = invalidInput("\"" + m_text + "\", character " + std::to_string(m_at + 1) + ": " + message, {}, expected);
    }

    void sum(int level)
    {
        product(level);
        for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
            ++m_at;
            product(level);
            m_steps.push_back({sign == '+' ? Op::Add : Op::Subtract});
        }
    }

    void product(int level)
    {
        operand(level);
        for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
            ++m_at;
            operand(level);
            m_steps.push_back({sign == '*' ? Op::Multiply : Op::Divide});
        }
    }

    void operand(int level)
    {
        if (level > kMostLevels)
            return fail("too many brackets", "at most " + std::to_string(kMostLevels));
        const char first = next();
        if (take('-')) {
            operand(level + 1);
            m_steps.push_back({Op::Negate});
        } else if (take('(')) {
            sum(level + 1);
            close();
        } else if ((first >= '0' && first <= '9') || first == '.') {
            number();
        } else if (first >= 'a' && first <= 'z') {
            name(level);
        } else {
            fail("a number is missing", "a number, the name of one, or (");
        }
    }

    void close()
    {
        if (!take(')'))
            fail("a bracket is not closed", ")");
    }

    void number()
    {
        Step step;
        const auto [end, problem] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), step.number);
        if (problem != std::errc{})
            return fail("this is no number", "digits with a point");
        m_at = static_cast<std::size_t>(end - m_text.data());
        m_steps.push_back(step);
    }

    void name(int level)
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'))
            ++m_at;
        const std::string_view word = std::string_view(m_text).substr(begin, m_at - begin);
        if (next() == '(' && (word == "min" || word == "max"))
            return extreme(word == "min" ? Op::Least : Op::Most, level);
        const std::optional<std::size_t> known = m_names(word);
        if (!known) {
            m_at = begin;
            return fail("there is no number \"" + std::string(word) + "\" above", "the name of one that stands above");
        }
        m_steps.push_back({Op::Name, 0, *known});
    }

    void extreme(Op op, int level)
    {
        take('(');
        sum(level + 1);
        while (take(',')) {
            sum(level + 1);
            m_steps.push_back({op});
        }
        close();
    }

    const std::string& m_text;
    const Names& m_names;
    std::size_t m_at = 0;
    std::vector<Step> m_steps;
    std::optional<Error> m_error;
};

Result<CaseFormula> CaseFormula::parse(const std::string& text, const Names& names)
{
    return Parser(text, names).read();
}

std::vector<std::size_t> CaseFormula::uses() const
{
    std::vector<std::size_t> used;
    for (const Step& step : m_steps) {
        if (step.op == Op::Name && std::find(used.begin(), used.end(), step.name) == used.end())
            used.push_back(step.name);
    }
    return used;
}

std::optional<double> CaseFormula::value(std::span<const double> values) const
{
    std::vector<double> stack;
    for (const Step& step : m_steps) {
        if (step.op == Op::Number || step.op == Op::Name) {
            stack.push_back(step.op == Op::Number ? step.number : values[step.name]);
            continue;
        }
        if (step.op == Op::Negate) {
            stack.back() = -stack.back();
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        double& left = stack.back();
        switch (step.op) {
        case Op::Add: left += right; break;
        case Op::Subtract: left -= right; break;
        case Op::Multiply: left *= right; break;
        case Op::Divide: left /= right; break;
        case Op::Least: left = std::min(left, right); break;
        default: left = std::max(left, right); break;
        }
    }
    return std::isfinite(stack.back()) ? std::optional(stack.back()) : std::nullopt;
}

} // namespace fabricscope
