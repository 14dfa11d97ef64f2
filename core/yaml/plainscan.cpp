#include "core/yaml/plainscan.h"

#include "core/yaml/builder.h"

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace fabricscope {

namespace {

/// What a character may be in a value without quotes.
enum Use : std::uint8_t { kNowhere = 0, kFirst = 1, kInside = 2, kInFlow = 4 };

constexpr std::array<std::uint8_t, 128> makeUses()
{
    std::array<std::uint8_t, 128> uses{};
    for (unsigned c = '0'; c <= 'z'; ++c) {
        if (c <= '9' || (c >= 'A' && c <= 'Z') || c >= 'a')
            uses[c] = kFirst | kInside | kInFlow;
    }
    for (const char c : std::string_view("_./+"))
        uses[static_cast<unsigned char>(c)] = kFirst | kInside | kInFlow;
    for (const char c : std::string_view("-<>=()*%@;$^|~ "))
        uses[static_cast<unsigned char>(c)] = kInside | kInFlow;
    for (const char c : std::string_view("[]{},:"))
        uses[static_cast<unsigned char>(c)] = kInside;
    return uses;
}

constexpr std::array<std::uint8_t, 128> kUses = makeUses();

/// Longest key; yaml-cpp takes none of more than 1024 bytes.
constexpr std::size_t kLongestKey = 200;

class PlainScanner {
public:
    PlainScanner(std::string_view text, YamlBuilder& builder) : m_text(text), m_builder(builder) {}

    bool run()
    {
        if (!plainLines() || !nextContent() || m_at == m_text.size())
            return false;
        m_builder.OnDocumentStart(mark());
        return block(-1) && m_at == m_text.size();
    }

private:
    /// No line is too long, starts or ends a document, or has a character that is no plain text.
    bool plainLines() const
    {
        std::size_t start = 0;
        for (std::size_t i = 0; i <= m_text.size(); ++i) {
            if (i == m_text.size() || m_text[i] == '\n') {
                const std::string_view head = m_text.substr(start, std::min<std::size_t>(3, i - start));
                if (i - start > kPlainLine || head == "---" || head == "...")
                    return false;
                start = i + 1;
            } else if (m_text[i] < 0x20 || m_text[i] > 0x7e) {
                return false;
            }
        }
        return true;
    }

    char at(std::size_t place) const { return place < m_text.size() ? m_text[place] : '\n'; }
    char peek() const { return at(m_at); }
    std::ptrdiff_t column() const { return static_cast<std::ptrdiff_t>(m_at - m_lineStart); }
    bool atDash() const { return peek() == '-' && (at(m_at + 1) == ' ' || at(m_at + 1) == '\n'); }

    YAML::Mark mark() const
    {
        YAML::Mark here;
        here.pos = static_cast<int>(m_at);
        here.line = m_line;
        here.column = static_cast<int>(column());
        return here;
    }

    /// Behind blanks; a comment begins a line or follows a blank. False where a '#' stands anywhere else.
    bool skipInLine()
    {
        const std::size_t from = m_at;
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
        if (m_at < m_text.size() && m_text[m_at] == '#') {
            if (m_at == from && m_at != m_lineStart)
                return false;
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        }
        return true;
    }

    /// To the next content in this line or another, or to the end.
    bool nextContent()
    {
        for (;;) {
            if (!skipInLine())
                return false;
            if (m_at == m_text.size() || m_text[m_at] != '\n')
                return true;
            m_lineStart = ++m_at;
            ++m_line;
        }
    }

    /// A value in block form, deeper than `indent`; afterwards at the next content.
    bool block(std::ptrdiff_t indent)
    {
        if (column() <= indent)
            return false;
        if (atDash())
            return blockList();
        const char c = peek();
        if (c != '[' && c != '{' && c != '"' && c != '\'' && keyLength() > 0)
            return blockMap();
        if (indent < 0 && c != '[' && c != '{')
            return false; // Without a list or map around it a value may go on in the next line.
        return inLine() && lineEnds();
    }

    bool blockList()
    {
        const std::ptrdiff_t indent = column();
        m_builder.OnSequenceStart(mark(), {}, 0, YAML::EmitterStyle::Block);
        do {
            ++m_at;
            if (!nextContent() || m_at == m_text.size() || !block(indent))
                return false;
        } while (m_at < m_text.size() && column() == indent && atDash());
        m_builder.OnSequenceEnd();
        return m_at == m_text.size() || column() <= indent;
    }

    bool blockMap()
    {
        const std::ptrdiff_t indent = column();
        m_builder.OnMapStart(mark(), {}, 0, YAML::EmitterStyle::Block);
        do {
            const std::size_t length = keyLength();
            if (atDash() || length == 0 || isNull(m_text.substr(m_at, length)))
                return false;
            m_builder.OnScalar(mark(), "?", 0, std::string(m_text.substr(m_at, length)));
            m_at += length + 1;
            const int line = m_line;
            if (!nextContent() || m_at == m_text.size())
                return false;
            if (m_line == line ? !(inLine() && lineEnds()) : column() == indent && atDash() ? !blockList() : !block(indent))
                return false;
        } while (m_at < m_text.size() && column() == indent && !atDash());
        m_builder.OnMapEnd();
        return m_at == m_text.size() || column() <= indent;
    }

    /// The value ends with its line; moves to the next content.
    bool lineEnds() { return skipInLine() && peek() == '\n' && nextContent(); }

    /// Of the key of a block map that begins here; 0: there is none.
    std::size_t keyLength() const
    {
        const std::size_t length = plainLength(kInside);
        return length <= kLongestKey && at(m_at + length) == ':' ? length : 0;
    }

    /// Of a value without quotes that begins here, up to the ": " behind a key, a comment, the end of the line or, in [] and {}, what ends it
    /// there; 0: none, or one that yaml-cpp should judge.
    std::size_t plainLength(Use use) const
    {
        const char first = peek();
        const bool minus = first == '-' && (kUses[static_cast<unsigned char>(at(m_at + 1))] & kFirst) != 0;
        if (!minus && (kUses[static_cast<unsigned char>(first)] & kFirst) == 0)
            return 0;
        std::size_t end = m_at + 1;
        for (;; ++end) {
            const char c = at(end);
            if (c == '\n' || (c == ':' && (at(end + 1) == ' ' || at(end + 1) == '\n')))
                break;
            if (c == ' ' && (at(end + 1) == ' ' || at(end + 1) == '\n' || at(end + 1) == '#'))
                break;
            if (use == kInFlow && (c == ',' || c == ']' || c == '}'))
                break;
            if ((kUses[static_cast<unsigned char>(c)] & use) == 0)
                return 0;
        }
        return at(end - 1) == ' ' ? end - 1 - m_at : end - m_at;
    }

    static bool isNull(std::string_view value) { return value == "~" || value == "null" || value == "Null" || value == "NULL"; }

    /// A value that ends in this line; afterwards behind it.
    bool inLine(Use use = kInside)
    {
        switch (peek()) {
        case '[':
            return flowList();
        case '{':
            return flowMap();
        case '"':
        case '\'':
            return quoted();
        default:
            return plain(use);
        }
    }

    bool plain(Use use)
    {
        const std::size_t length = plainLength(use);
        const std::string_view value = m_text.substr(m_at, length);
        if (length == 0 || isNull(value))
            return false;
        m_builder.OnScalar(mark(), "?", 0, std::string(value));
        m_at += length;
        return true;
    }

    bool quoted()
    {
        const char quote = peek();
        const YAML::Mark begin = mark();
        std::size_t end = m_at + 1;
        while (at(end) != quote) {
            if (at(end) == '\n' || at(end) == '\\')
                return false;
            ++end;
        }
        if (at(end + 1) == '\'' || at(end + 1) == '"')
            return false;
        m_builder.OnScalar(begin, "!", 0, std::string(m_text.substr(m_at + 1, end - m_at - 1)));
        m_at = end + 1;
        return true;
    }

    void blanks()
    {
        while (peek() == ' ' && m_at < m_text.size())
            ++m_at;
    }

    /// What stands between brackets, from the open one: nothing, or entries that `entry` reads, with a comma between two.
    template <class Entry>
    bool between(char close, const Entry& entry)
    {
        ++m_at;
        blanks();
        if (peek() != close) {
            for (;;) {
                if (!entry())
                    return false;
                blanks();
                if (peek() == close)
                    break;
                if (peek() != ',')
                    return false;
                ++m_at;
                blanks();
            }
        }
        ++m_at;
        return true;
    }

    bool flowList()
    {
        m_builder.OnSequenceStart(mark(), {}, 0, YAML::EmitterStyle::Flow);
        if (!between(']', [this] { return inLine(kInFlow); }))
            return false;
        m_builder.OnSequenceEnd();
        return true;
    }

    bool flowMap()
    {
        m_builder.OnMapStart(mark(), {}, 0, YAML::EmitterStyle::Flow);
        if (!between('}', [this] { return flowEntry(); }))
            return false;
        m_builder.OnMapEnd();
        return true;
    }

    /// "key: value".
    bool flowEntry()
    {
        if (peek() == '[' || peek() == '{' || peek() == '"' || peek() == '\'' || plainLength(kInFlow) > kLongestKey || !plain(kInFlow))
            return false;
        if (peek() != ':' || at(m_at + 1) != ' ')
            return false;
        m_at += 2;
        blanks();
        return inLine(kInFlow);
    }

    std::string_view m_text;
    YamlBuilder& m_builder;
    std::size_t m_at = 0;
    std::size_t m_lineStart = 0;
    int m_line = 0;
};

} // namespace

bool scanPlainYaml(std::string_view text, YamlBuilder& builder)
{
    return PlainScanner(text, builder).run();
}

} // namespace fabricscope
