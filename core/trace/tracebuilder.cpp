#include "core/trace/tracebuilder.h"

#include "core/base/index.h"
#include "core/base/showntext.h"

#include <cstring>
#include <limits>

namespace fabricscope {

namespace {

bool isAscii(std::string_view text)
{
    const char* p = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, p += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, 8);
        if (word & 0x8080808080808080U)
            return false;
    }
    for (; left > 0; --left, ++p) {
        if (static_cast<unsigned char>(*p) & 0x80U)
            return false;
    }
    return true;
}

/// Names are shown and written into JSON, so bytes that are no UTF-8 become '?'. False where there were such.
bool appendValid(std::string& out, std::string_view text)
{
    if (isAscii(text)) {
        out.append(text);
        return true;
    }
    bool valid = true;
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0)
            out.push_back('?');
        else
            out.append(text.substr(0, length));
        valid = valid && length > 0;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return valid;
}

} // namespace

bool TraceBuilder::learnAttributeStart(const std::uint8_t* p, const std::uint8_t* end)
{
    constexpr std::size_t kMost = 16;
    if (end - p < 4 || p[0] != 0x0a || p[1] > kMost || end - p < p[1] + 4)
        return false;
    const std::size_t nameEnd = 2U + p[1];
    const bool flag = p[nameEnd] == 0xd8 && p[nameEnd + 1] == 0x01; // bool_val, field 27
    if (!flag && p[nameEnd] != 0x48 && p[nameEnd] != 0x68) // int64_val, uint64_val
        return false;
    const std::size_t length = nameEnd + (flag ? 2 : 1);
    if (length > kMost)
        return false;
    AttributeStart start;
    std::memcpy(&start.first, p, 8);
    std::memcpy(&start.second, p + 8, 8);
    auto& slot = const_cast<AttributeStart&>(attributeStart(start.first, start.second));
    const auto mask = [](std::size_t bytes) { return bytes >= 8 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (8 * bytes)); };
    start.firstMask = mask(length);
    start.secondMask = length > 8 ? mask(length - 8) : 0;
    start.length = static_cast<std::uint32_t>(length);
    const int code = etAttributeCode(reinterpret_cast<const char*>(p + 2), p[1]);
    if (code >= static_cast<int>(kEtFields) || code == static_cast<int>(EtField::PgName) || code == static_cast<int>(EtField::InvolvedDim))
        return false; // a number means something else there
    if (flag && code >= 0 && code != static_cast<int>(EtField::IsCpuOp))
        return false; // a bool of more than one bit would not be 0 or 1
    start.slot = code < 0 ? kIgnoredSlot : static_cast<std::uint32_t>(code);
    slot = start;
    return true;
}

void TraceBuilder::setUnusual(EtAttributeName name, std::int64_t value)
{
    if (name.field == EtField::PgName) {
        setText(name, std::to_string(value));
    } else if (name.field == EtField::InvolvedDim) {
        setOdd(name, EtOddity::List);
    } else {
        m_aliasPresent |= bit(name.field);
        m_aliasValues[at(name.field)] = value;
    }
}

void TraceBuilder::setTooLarge(EtAttributeName name)
{
    setInteger(name, std::numeric_limits<std::int64_t>::max());
    if (name.field != EtField::PgName && name.field != EtField::InvolvedDim)
        mark(name.field, EtOddity::TooLarge);
}

void TraceBuilder::setText(EtAttributeName name, std::string_view text)
{
    if (name.field != EtField::PgName) {
        setOdd(name, EtOddity::Text);
        return;
    }
    const std::int64_t index = groupIndex(text);
    if (name.alias) {
        m_aliasPresent |= bit(name.field);
        m_aliasValues[at(name.field)] = index;
    } else {
        claim(name.field);
        m_values[at(name.field)] = index;
    }
}

void TraceBuilder::setDimensions(EtAttributeName name, std::uint32_t bits, std::uint32_t count)
{
    if (name.field != EtField::InvolvedDim) {
        setOdd(name, EtOddity::List);
        return;
    }
    const auto value = static_cast<std::int64_t>((static_cast<std::uint64_t>(count) << 32) | bits);
    if (name.alias) {
        m_aliasPresent |= bit(name.field);
        m_aliasValues[at(name.field)] = value;
    } else {
        claim(name.field);
        m_values[at(name.field)] = value;
    }
}

void TraceBuilder::setOdd(EtAttributeName name, EtOddity what)
{
    if (name.alias)
        return;
    mark(name.field, what);
    m_present &= ~bit(name.field);
}

void TraceBuilder::setGroupTable(std::string_view text)
{
    m_trace.m_groupTables.emplace_back(m_trace.size(), std::string(text));
}

std::int64_t TraceBuilder::groupIndex(std::string_view name)
{
    auto& names = m_trace.m_groupNames;
    if (!names.empty() && names.back() == name)
        return static_cast<std::int64_t>(names.size()) - 1;
    std::string valid;
    appendValid(valid, name);
    const auto [place, added] = m_groups.try_emplace(std::move(valid), static_cast<std::int64_t>(names.size()));
    if (added)
        names.push_back(place->first);
    return place->second;
}

/// A name with bytes above 127: checked.
void TraceBuilder::appendOddName(std::string_view name)
{
    std::string valid;
    if (!appendValid(valid, name))
        m_trace.m_repairedNames.push_back(m_trace.size());
    m_trace.m_names.append(valid.data(), valid.size());
}

/// Copies in blocks of 16 bytes, past the end too: names are short and of all lengths.
inline void TraceBuilder::appendName()
{
    const std::size_t size = m_name.size();
    char* const to = m_trace.m_names.room(size + 16);
    std::uint64_t high = 0;
    std::size_t done = 0;
    for (; done + 16 <= size; done += 16) {
        std::uint64_t block[2];
        std::memcpy(block, m_name.data() + done, 16);
        std::memcpy(to + done, block, 16);
        high |= block[0] | block[1];
    }
    if (done < size) {
        std::uint64_t block[2];
        std::memcpy(block, m_name.data() + done, 16);
        std::memcpy(to + done, block, 16);
        const std::size_t left = size - done;
        high |= left >= 8 ? block[0] | (block[1] & ~(~std::uint64_t{0} << (8 * (left - 8)))) : block[0] & ~(~std::uint64_t{0} << (8 * left));
    }
    if (high & 0x8080808080808080U) [[unlikely]]
        appendOddName(m_name);
    else
        m_trace.m_names.added(size);
}

bool TraceBuilder::endNode(std::uint64_t recordBegin)
{
    RankTrace& t = m_trace;
    m_present &= ~kIgnoredBit;
    for (std::uint32_t left = m_aliasPresent & ~m_present; left != 0; left &= left - 1) {
        const auto field = static_cast<std::size_t>(std::countr_zero(left));
        m_values[field] = m_aliasValues[field];
        m_present |= 1U << field;
    }
    appendName();
    if (recordBegin >> 32 != m_recordHigh) [[unlikely]] {
        t.m_recordWraps.push_back(t.size());
        ++m_recordHigh;
    }
    RankTrace::Row row;
    row.id = m_id;
    row.bits = m_present | ((m_present & bit(EtField::IsCpuOp)) != 0 && m_values[0] != 0 ? 1U << RankTrace::kHostShift : 0U);
    if (m_type >= 0 && m_type < kEtNodeTypes) [[likely]] {
        row.bits |= static_cast<std::uint32_t>(m_type) << RankTrace::kTypeShift;
    } else {
        row.bits |= RankTrace::kTypeUnknown << RankTrace::kTypeShift;
        t.m_unknownTypes.emplace_back(t.size(), m_type);
    }
    row.valueBegin = static_cast<std::uint32_t>(t.m_values.size());
    std::int64_t* const values = t.m_values.room(kEtFields);
    std::size_t count = 0;
    for (std::uint32_t left = m_present & RankTrace::kPacked; left != 0; left &= left - 1)
        values[count++] = m_values[at(std::countr_zero(left))];
    t.m_values.added(count);
    row.nameEnd = static_cast<std::uint32_t>(t.m_names.size());
    row.dataEnd = static_cast<std::uint32_t>(t.m_dataDeps.size());
    row.ctrlEnd = static_cast<std::uint32_t>(t.m_ctrlDeps.size());
    row.recordLow = static_cast<std::uint32_t>(recordBegin);
    t.m_rows.push_back(row);
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 64;
    return ((t.m_names.size() | t.m_values.size() | t.m_dataDeps.size() | t.m_ctrlDeps.size() | t.m_rows.size()) >> 31) == 0
        || (t.m_names.size() < kMost && t.m_values.size() < kMost && t.m_dataDeps.size() < kMost && t.m_ctrlDeps.size() < kMost && t.m_rows.size() < kMost);
}

void TraceBuilder::reserveFor(std::uint64_t done, std::uint64_t total)
{
    if (done == 0 || total <= done)
        return;
    const double factor = static_cast<double>(total) / static_cast<double>(done) * 1.03;
    const auto grow = [factor](auto& column) { column.reserve(static_cast<std::size_t>(static_cast<double>(column.size()) * factor) + 64); };
    grow(m_trace.m_rows);
    grow(m_trace.m_values);
    grow(m_trace.m_dataDeps);
    grow(m_trace.m_ctrlDeps);
    grow(m_trace.m_names);
}

RankTrace TraceBuilder::take()
{
    m_trace.m_rows.trim();
    m_trace.m_values.trim();
    m_trace.m_dataDeps.trim();
    m_trace.m_ctrlDeps.trim();
    m_trace.m_names.trim();
    m_trace.m_odd.shrink_to_fit();
    return std::move(m_trace);
}

} // namespace fabricscope
