#include "core/language/scriptloops.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace fabricscope {

namespace {

bool isWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Goes through a Lua text keyword by keyword, leaving out texts and comments.
class Reader {
public:
    explicit Reader(std::string_view text) : m_text(text) {}

    /// The next name, keyword or "..."; empty at the end.
    std::string_view next()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (isWord(c)) {
                const std::size_t begin = m_at;
                while (m_at < m_text.size() && isWord(m_text[m_at]))
                    ++m_at;
                return m_text.substr(begin, m_at - begin);
            }
            if (c == '"' || c == '\'')
                quoted(c);
            else if (c == '[' && longBracket())
                continue;
            else if (c == '-' && m_text.substr(m_at, 2) == "--")
                comment();
            else if (m_text.substr(m_at, 3) == "...") {
                m_at += 3;
                return "...";
            } else
                step();
        }
        return {};
    }
    int line() const { return m_line; }

private:
    void step()
    {
        if (m_text[m_at] == '\n')
            ++m_line;
        ++m_at;
    }
    void quoted(char quote)
    {
        step();
        while (m_at < m_text.size() && m_text[m_at] != quote) {
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
                step();
            step();
        }
        if (m_at < m_text.size())
            step();
    }
    bool longBracket()
    {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && m_text[end] == '=')
            ++end;
        if (end >= m_text.size() || m_text[end] != '[')
            return false;
        const std::size_t level = end - m_at - 1;
        const std::string close = "]" + std::string(level, '=') + "]";
        const std::size_t found = std::min(m_text.find(close, end), m_text.size());
        while (m_at < std::min(found + close.size(), m_text.size()))
            step();
        return true;
    }
    void comment()
    {
        m_at += 2;
        if (m_at < m_text.size() && m_text[m_at] == '[' && longBracket())
            return;
        while (m_at < m_text.size() && m_text[m_at] != '\n')
            ++m_at;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
};

} // namespace

std::vector<ScriptLoop> findLoops(std::string_view text)
{
    struct Block {
        int line = 0;
        bool loop = false;
        bool wantsDo = false;
    };
    std::vector<ScriptLoop> out;
    std::vector<Block> open;
    Reader reader(text);
    for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
        if (word == "for" || word == "while")
            open.push_back({reader.line(), true, true});
        else if (word == "repeat")
            open.push_back({reader.line(), true, false});
        else if (word == "function" || word == "if")
            open.push_back({reader.line(), false, false});
        else if (word == "do" && !open.empty() && open.back().wantsDo)
            open.back().wantsDo = false;
        else if (word == "do")
            open.push_back({reader.line(), false, false});
        else if ((word == "end" || word == "until") && !open.empty()) {
            if (open.back().loop)
                out.push_back({open.back().line, reader.line()});
            open.pop_back();
        }
    }
    return out;
}

int findVarargs(std::string_view text)
{
    Reader reader(text);
    for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
        if (word == "...")
            return reader.line();
    }
    return 0;
}

int loopAround(const std::vector<ScriptLoop>& loops, int line)
{
    for (const ScriptLoop& loop : loops) {
        if (loop.begin <= line && line <= loop.end)
            return loop.begin;
    }
    return 0;
}

} // namespace fabricscope
