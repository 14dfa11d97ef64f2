#include "core/trace/tracebuilder.h"

#include <cstring>
#include <limits>

namespace fabricscope {

namespace {

template <std::size_t N>
bool same(const char* text, const char (&literal)[N])
{
    return std::memcmp(text, literal, N - 1) == 0;
}

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

/// Length of the valid UTF-8 sequence at `p`, 0 when there is none.
std::size_t utf8Length(const unsigned char* p, std::size_t left)
{
    const unsigned char lead = p[0];
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || length > left)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((p[i] & 0xc0U) != 0x80)
            return 0;
    }
    const bool bad = (lead == 0xe0 && p[1] < 0xa0) || (lead == 0xed && p[1] > 0x9f) || (lead == 0xf0 && p[1] < 0x90) || (lead == 0xf4 && p[1] > 0x8f);
    return bad ? 0 : length;
}

/// Names are shown and written into JSON, so bytes that are no UTF-8 become '?'.
void appendValid(std::string& out, std::string_view text)
{
    if (isAscii(text)) {
        out.append(text);
        return;
    }
    const auto* const p = reinterpret_cast<const unsigned char*>(text.data());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8Length(p + i, text.size() - i);
        if (length == 0)
            out.push_back('?');
        else
            out.append(text.substr(i, length));
        i += length == 0 ? 1 : length;
    }
}

} // namespace

std::optional<EtAttributeName> etAttributeName(const char* name, std::size_t length)
{
    using Found = EtAttributeName;
    switch (length) {
    case 5:
        if (same(name, "tb_id"))
            return Found{EtField::ThreadBlock};
        break;
    case 6:
        if (same(name, "stream"))
            return Found{EtField::Stream};
        if (same(name, "is_rrc"))
            return Found{EtField::IsReceiveReduce};
        break;
    case 7:
        if (same(name, "num_ops"))
            return Found{EtField::NumOps};
        if (same(name, "pg_name"))
            return Found{EtField::PgName};
        if (same(name, "runtime"))
            return Found{EtField::Duration, true};
        break;
    case 8:
        if (same(name, "comm_src"))
            return Found{EtField::CommSrc};
        if (same(name, "comm_dst"))
            return Found{EtField::CommDst};
        if (same(name, "comm_tag"))
            return Found{EtField::CommTag};
        break;
    case 9:
        if (same(name, "comm_type"))
            return Found{EtField::CommType};
        if (same(name, "comm_size"))
            return Found{EtField::CommSize};
        if (same(name, "is_cpu_op"))
            return Found{EtField::IsCpuOp};
        break;
    case 10:
        if (same(name, "comm_group"))
            return Found{EtField::PgName, true};
        break;
    case 11:
        if (same(name, "tensor_size"))
            return Found{EtField::TensorSize};
        break;
    case 12:
        if (same(name, "involved_dim"))
            return Found{EtField::InvolvedDim};
        if (same(name, "involve_dims"))
            return Found{EtField::InvolvedDim, true};
        if (same(name, "chunk_offset"))
            return Found{EtField::ChunkOffset};
        break;
    case 13:
        if (same(name, "comm_priority"))
            return Found{EtField::CommPriority};
        if (same(name, "msg_chunk_cnt"))
            return Found{EtField::MsgChunkCount};
        if (same(name, "msg_chunk_idx"))
            return Found{EtField::MsgChunkIndex};
        break;
    case 15:
        if (same(name, "total_chunk_cnt"))
            return Found{EtField::TotalChunkCount};
        if (same(name, "local_time_step"))
            return Found{EtField::LocalTimeStep};
        if (same(name, "communicator_id"))
            return Found{EtField::PgName, true};
        break;
    default:
        break;
    }
    return std::nullopt;
}

/// Notes that the property is given again.
void TraceBuilder::claim(EtField field)
{
    if (m_present & bit(field))
        mark(field, EtOddity::Twice);
    m_present |= bit(field);
}

void TraceBuilder::setInteger(EtAttributeName name, std::int64_t value)
{
    if (name.field == EtField::PgName) {
        setText(name, std::to_string(value));
    } else if (name.field == EtField::InvolvedDim) {
        setOdd(name, EtOddity::List);
    } else if (name.alias) {
        m_aliasPresent |= bit(name.field);
        m_aliasValues[static_cast<std::size_t>(name.field)] = value;
    } else {
        claim(name.field);
        m_values[static_cast<std::size_t>(name.field)] = value;
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
        m_aliasValues[static_cast<std::size_t>(name.field)] = index;
    } else {
        claim(name.field);
        m_values[static_cast<std::size_t>(name.field)] = index;
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
        m_aliasValues[static_cast<std::size_t>(name.field)] = value;
    } else {
        claim(name.field);
        m_values[static_cast<std::size_t>(name.field)] = value;
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
    m_trace.groupTables.emplace_back(m_trace.size(), std::string(text));
}

std::int64_t TraceBuilder::groupIndex(std::string_view name)
{
    auto& names = m_trace.groupNames;
    if (!names.empty() && names.back() == name)
        return static_cast<std::int64_t>(names.size()) - 1;
    std::string valid;
    appendValid(valid, name);
    const auto [place, added] = m_groups.try_emplace(std::move(valid), static_cast<std::int64_t>(names.size()));
    if (added)
        names.push_back(place->first);
    return place->second;
}

void TraceBuilder::appendName()
{
    if (!m_name.empty())
        appendValid(m_trace.names, m_name);
    m_trace.nameEnd.push_back(static_cast<std::uint32_t>(m_trace.names.size()));
}

bool TraceBuilder::endNode(std::uint64_t recordBegin)
{
    for (std::uint32_t left = m_aliasPresent & ~m_present; left != 0; left &= left - 1) {
        const auto field = static_cast<std::size_t>(std::countr_zero(left));
        m_values[field] = m_aliasValues[field];
        m_present |= 1U << field;
    }
    RankTrace& t = m_trace;
    appendName();
    t.id.push_back(m_id);
    t.type.push_back(m_type);
    t.present.push_back(m_present);
    t.valueBegin.push_back(static_cast<std::uint32_t>(t.values.size()));
    for (std::uint32_t left = m_present; left != 0; left &= left - 1)
        t.values.push_back(m_values[static_cast<std::size_t>(std::countr_zero(left))]);
    t.dataEnd.push_back(static_cast<std::uint32_t>(t.dataDeps.size()));
    t.ctrlEnd.push_back(static_cast<std::uint32_t>(t.ctrlDeps.size()));
    t.recordBegin.push_back(recordBegin);
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 64;
    return ((t.names.size() | t.values.size() | t.dataDeps.size() | t.ctrlDeps.size() | t.id.size()) >> 31) == 0
        || (t.names.size() < kMost && t.values.size() < kMost && t.dataDeps.size() < kMost && t.ctrlDeps.size() < kMost && t.id.size() < kMost);
}

void TraceBuilder::reserveFor(std::uint64_t done, std::uint64_t total)
{
    if (done == 0 || total <= done)
        return;
    const double factor = static_cast<double>(total) / static_cast<double>(done) * 1.03;
    const auto grow = [factor](auto& column) { column.reserve(static_cast<std::size_t>(static_cast<double>(column.size()) * factor) + 16); };
    RankTrace& t = m_trace;
    grow(t.id);
    grow(t.type);
    grow(t.present);
    grow(t.valueBegin);
    grow(t.nameEnd);
    grow(t.dataEnd);
    grow(t.ctrlEnd);
    grow(t.recordBegin);
    grow(t.values);
    grow(t.dataDeps);
    grow(t.ctrlDeps);
    grow(t.names);
}

RankTrace TraceBuilder::take()
{
    RankTrace& t = m_trace;
    const auto trim = [](auto& column) {
        if (column.capacity() > column.size() + column.size() / 8 + 64 || column.capacity() < 65536)
            column.shrink_to_fit();
    };
    trim(t.id);
    trim(t.type);
    trim(t.present);
    trim(t.valueBegin);
    trim(t.nameEnd);
    trim(t.dataEnd);
    trim(t.ctrlEnd);
    trim(t.recordBegin);
    trim(t.values);
    trim(t.dataDeps);
    trim(t.ctrlDeps);
    trim(t.names);
    trim(t.odd);
    return std::move(m_trace);
}

} // namespace fabricscope
