#include "core/report/jsonwriter.h"

#include "core/base/decimal.h"
#include "core/base/quantity.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <cassert>

namespace fabricscope {

namespace {

/// A character by its number, as JSON has it: two halves above U+FFFF.
std::string unicodeEscape(std::string_view sequence)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::uint32_t c = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() > 1) {
        c &= 0x7FU >> sequence.size();
        for (const char byte : sequence.substr(1))
            c = c << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
    }
    std::string out;
    const auto add = [&](std::uint32_t unit) {
        out += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4)
            out += kHex[unit >> static_cast<unsigned>(shift) & 15U];
    };
    if (c < 0x10000) {
        add(c);
    } else {
        add(0xD7C0U + (c >> 10U));
        add(0xDC00U + (c & 0x3FFU));
    }
    return out;
}

} // namespace

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8Length(text.substr(i));
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
            continue;
        }
        const char c = text[i];
        if (length > 1) {
            // What hides or reorders its neighbours on a terminal means the same by its number.
            const std::string_view sequence = text.substr(i, length);
            out += shownText(sequence) == sequence ? std::string(sequence) : unicodeEscape(sequence);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += unicodeEscape(text.substr(i, 1));
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
    return fixedDecimal(millionths, 6);
}

std::string shareText(std::int64_t part, std::int64_t whole)
{
    return shareText(part, 1, whole);
}

void JsonWriter::separate()
{
    checkStop(m_stop);
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
