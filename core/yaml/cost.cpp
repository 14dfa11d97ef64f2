#include "core/yaml/cost.h"

#include "core/base/placeof.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fabricscope {

namespace {

/// sizeof(YAML::Token) and its share of the queue; a scalar and an opening bracket bring a possible key as a second one.
constexpr std::size_t kToken = 90;
/// A node of YAML::Load with its shared parts.
constexpr std::size_t kLoadedNode = 450;
/// More brackets than anybody nests.
constexpr std::ptrdiff_t kManyOpen = 1000;

constexpr std::array<std::uint8_t, 256> makeTokens()
{
    std::array<std::uint8_t, 256> tokens{};
    tokens['['] = tokens['{'] = 4; // itself and the first value in it
    tokens[']'] = tokens['}'] = 1;
    tokens[','] = tokens[':'] = tokens['?'] = 3; // itself and the value behind it
    tokens['&'] = tokens['*'] = tokens['!'] = 4;
    return tokens;
}

/// Tokens that a character brings at most.
constexpr std::array<std::uint8_t, 256> kTokens = makeTokens();

} // namespace

void YamlCost::check() const
{
    if (m_held + m_waiting <= m_limit)
        return;
    if (m_opened > kManyOpen)
        throw YamlRefusal{"nested too deeply", m_line, 0, "at most 64 levels"};
    throw YamlRefusal{"reading it would take more memory than a file of this size may", m_line, 0, "longer values, fewer anchors and aliases, or lists in block form"};
}

std::size_t YamlTokenCount::bytesFor(std::string_view part, std::ptrdiff_t& opened)
{
    std::size_t tokens = 0;
    for (const char c : part) {
        if (c == '\n') {
            m_lineStart = true;
            m_comment = false;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r')
            continue;
        if (m_lineStart) {
            m_comment = c == '#'; // Either a comment or part of a scalar: no tokens in both cases.
            m_lineStart = false;
        }
        if (m_comment)
            continue;
        const bool quote = c == '"' || c == '\'';
        tokens += quote ? (m_afterQuote ? 2 : 0) : kTokens[static_cast<unsigned char>(c)]; // Values in quotes may stand without anything between them.
        m_afterQuote = quote;
        opened += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    return tokens * kToken;
}

YamlText::int_type YamlText::underflow()
{
    constexpr std::size_t kPart = 4096;
    const std::string_view part = m_rest.substr(0, kPart);
    if (part.empty())
        return traits_type::eof();
    checkStop(m_stop);
    m_rest.remove_prefix(part.size());
    std::ptrdiff_t opened = 0;
    const std::size_t bytes = m_count.bytesFor(part, opened);
    m_cost.addTokens(bytes, opened);
    char* const begin = const_cast<char*>(part.data()); // A stream's buffer is not const, but nobody writes into it.
    setg(begin, begin, begin + part.size());
    return traits_type::to_int_type(*begin);
}

Status checkYamlLoad(std::string_view text, const std::string& file)
{
    YamlTokenCount count;
    std::ptrdiff_t opened = 0;
    std::size_t bytes = 0;
    int line = 0;
    for (std::string_view rest = text; !rest.empty() && bytes <= YamlCost::limit(text.size());) {
        const std::string_view part = rest.substr(0, rest.find('\n') + 1); // empty without an end of line
        const std::string_view row = part.empty() ? rest : part;
        const std::size_t tokens = count.bytesFor(row, opened);
        bytes += tokens + (tokens / (3 * kToken) + 1) * kLoadedNode; // A value needs a separator, a bracket or a line.
        rest.remove_prefix(row.size());
        ++line;
    }
    if (bytes <= YamlCost::limit(text.size()))
        return {};
    Place place = placeOfLine(file, line);
    if (opened > kManyOpen)
        return invalidInput("nested too deeply", std::move(place));
    return invalidInput("reading it would take more memory than a file of this size may", std::move(place), "fewer values");
}

} // namespace fabricscope
