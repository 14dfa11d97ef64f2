#include "core/report/jsonwriter.h"

#include "core/base/quantity.h"

#include <cassert>

namespace fabricscope {

namespace {

/// Length of the UTF-8 sequence at `at`; 0 when it is not one (also overlong forms and surrogates).
std::size_t sequenceLength(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || at + length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U)
            return 0;
    }
    if (length > 2) {
        const unsigned second = byte(at + 1);
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
            return 0;
    }
    return length;
}

} // namespace

std::string jsonString(std::string_view text)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequenceLength(text, i);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
            continue;
        }
        const char c = text[i];
        if (length > 1) {
            out += text.substr(i, length);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += "\\u00";
            out += kHex[(static_cast<unsigned char>(c) >> 4) & 15];
            out += kHex[static_cast<unsigned char>(c) & 15];
        } else {
            out += c;
        }
        i += length;
    }
    return out += '"';
}

std::string shareText(std::int64_t part, std::int64_t count, std::int64_t whole)
{
    __extension__ using Wide = __int128;
    constexpr std::int64_t kMillion = 1'000'000;
    const Wide total = Wide{count} * whole;
    if (total <= 0)
        return "0";
    const auto millionths = static_cast<std::int64_t>((Wide{part} * kMillion + total / 2) / total);
    std::string digits = std::to_string(millionths % kMillion);
    digits.insert(0, 6 - digits.size(), '0');
    return std::to_string(millionths / kMillion) + '.' + digits;
}

std::string shareText(std::int64_t part, std::int64_t whole)
{
    return shareText(part, 1, whole);
}

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_levels.empty())
        return;
    Level& level = m_levels.back();
    if (!level.empty)
        m_text += level.compact ? ", " : ",";
    level.empty = false;
    if (!level.compact) {
        m_text += '\n';
        m_text.append(2 * m_levels.size(), ' ');
    }
}

void JsonWriter::begin(char bracket, bool compact)
{
    separate();
    m_text += bracket;
    const bool inCompact = !m_levels.empty() && m_levels.back().compact;
    m_levels.push_back({compact || inCompact, true, bracket == '['});
}

void JsonWriter::end(char bracket)
{
    assert(!m_levels.empty() && !m_afterKey);
    const Level level = m_levels.back();
    m_levels.pop_back();
    if (!level.compact && !level.empty) {
        m_text += '\n';
        m_text.append(2 * m_levels.size(), ' ');
    }
    m_text += bracket;
    if (m_levels.empty())
        m_text += '\n';
}

void JsonWriter::beginObject()
{
    begin('{', false);
}

void JsonWriter::beginCompactObject()
{
    begin('{', true);
}

void JsonWriter::endObject()
{
    end('}');
}

void JsonWriter::beginArray()
{
    begin('[', false);
}

void JsonWriter::beginCompactArray()
{
    begin('[', true);
}

void JsonWriter::endArray()
{
    end(']');
}

void JsonWriter::key(std::string_view name)
{
    assert(!m_afterKey && !m_levels.empty() && !m_levels.back().array);
    separate();
    m_text += jsonString(name);
    m_text += ": ";
    m_afterKey = true;
}

void JsonWriter::raw(std::string_view token)
{
    separate();
    m_text += token;
}

void JsonWriter::string(std::string_view text)
{
    raw(jsonString(text));
}

void JsonWriter::integer(std::int64_t value)
{
    raw(std::to_string(value));
}

void JsonWriter::boolean(bool value)
{
    raw(value ? "true" : "false");
}

void JsonWriter::null()
{
    raw("null");
}

void JsonWriter::number(std::string_view text)
{
    raw(text);
}

void JsonWriter::nanoseconds(SimTime time)
{
    raw(nsText(time));
}

} // namespace fabricscope
