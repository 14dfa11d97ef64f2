#include "core/yaml/brackets.h"

#include <algorithm>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::size_t kDeepest = 4096; ///< Deeper ones are no text that people write.

class BracketScan {
public:
    BracketScan(std::string_view text, std::size_t end) : m_text(text.substr(0, std::min(end, text.size()))) {}

    std::optional<OpenBracket> run()
    {
        while (m_at < m_text.size())
            step();
        return m_open.empty() ? std::nullopt : std::optional(m_open.back());
    }

private:
    char before() const { return m_at == m_lineStart ? '\n' : m_text[m_at - 1]; }
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

    void newLine()
    {
        ++m_line;
        m_lineStart = m_at;
        m_last = '\n';
    }

    /// Could a value begin here? Elsewhere a bracket or a quote is part of a plain one.
    bool beginsValue() const
    {
        constexpr std::string_view kInFlow = "[{,:\n";
        constexpr std::string_view kInBlock = ":-?\n";
        if (!m_open.empty())
            return isBlank(before()) || kInFlow.find(before()) != std::string_view::npos;
        return isBlank(before()) && kInBlock.find(m_last) != std::string_view::npos;
    }

    void step()
    {
        const char c = m_text[m_at];
        if (c == '\n') {
            ++m_at;
            return newLine();
        }
        if (c == '#' && isBlank(before()))
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else if ((c == '"' || c == '\'') && beginsValue())
            skipQuoted(c);
        else if ((c == '|' || c == '>') && m_open.empty() && beginsValue())
            skipBlockText();
        else
            take(c);
    }

    void take(char c)
    {
        const bool closes = !m_open.empty() && c == (m_open.back().bracket == '{' ? '}' : ']');
        if (closes)
            m_open.pop_back();
        else if ((c == '{' || c == '[') && m_open.size() < kDeepest && (!m_open.empty() || beginsValue()))
            m_open.push_back({c, m_line, static_cast<int>(m_at - m_lineStart) + 1});
        if (!isBlank(c))
            m_last = c;
        ++m_at;
    }

    void skipQuoted(char quote)
    {
        m_last = quote;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '\n') {
                ++m_line;
                m_lineStart = m_at + 1;
            } else if (c == '\\' && quote == '"' && m_at + 1 < m_text.size() && m_text[m_at + 1] != '\n') {
                ++m_at;
            } else if (c == quote && quote == '\'' && m_at + 1 < m_text.size() && m_text[m_at + 1] == quote) {
                ++m_at; // A doubled one is one of the value.
            } else if (c == quote) {
                ++m_at;
                return;
            }
        }
    }

    /// Lines that stand farther to the right than the one it begins in.
    void skipBlockText()
    {
        const std::size_t indent = indentOf(m_lineStart);
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
        while (m_at < m_text.size()) {
            const std::size_t start = m_at + 1;
            const std::size_t depth = indentOf(start);
            const bool isEmpty = start + depth >= m_text.size() || m_text[start + depth] == '\n';
            if (!isEmpty && depth <= indent)
                return;
            ++m_line;
            m_lineStart = start;
            m_at = std::min(m_text.find('\n', start), m_text.size());
        }
    }

    std::size_t indentOf(std::size_t start) const
    {
        const std::size_t first = m_text.find_first_not_of(' ', start);
        return (first == std::string_view::npos ? m_text.size() : first) - std::min(start, m_text.size());
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_lineStart = 0;
    int m_line = 1;
    char m_last = '\n'; ///< Of this line, blanks aside.
    std::vector<OpenBracket> m_open;
};

} // namespace

std::optional<OpenBracket> innermostBracket(std::string_view text, std::size_t offset)
{
    return BracketScan(text, offset).run();
}

std::size_t offsetOfMark(std::string_view text, int line, int column)
{
    std::size_t start = 0;
    for (int i = 0; i < line; ++i) {
        const std::size_t end = text.find('\n', start);
        if (end == std::string_view::npos)
            return text.size();
        start = end + 1;
    }
    return std::min(start + static_cast<std::size_t>(std::max(column, 0)), text.size());
}

} // namespace fabricscope
