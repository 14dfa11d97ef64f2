#include "core/trace/ranktrace.h"

#include "core/base/index.h"

#include <algorithm>
#include <limits>

namespace fabricscope {

std::string_view etFieldName(EtField field)
{
    static constexpr std::string_view kNames[kEtFields] = {"is_cpu_op", "num_ops", "tensor_size", "comm_type", "comm_size", "involved_dim",
        "pg_name", "comm_priority", "comm_src", "comm_dst", "comm_tag", "stream", "duration_micros", "start_time_micros", "msg_chunk_cnt",
        "msg_chunk_idx", "total_chunk_cnt", "chunk_offset", "local_time_step", "tb_id", "is_rrc", "tie_order"};
    return kNames[at(field)];
}

std::string_view etDialectName(EtDialect dialect)
{
    switch (dialect) {
    case EtDialect::Current: return "Chakra 0.0.4 / 1.0.0";
    case EtDialect::V001: return "Chakra 0.0.1";
    case EtDialect::V002: return "Chakra 0.0.2";
    case EtDialect::V003: return "Chakra 0.0.3";
    case EtDialect::Json: break;
    }
    return "JSON";
}

std::string EtMetadata::textOf(const std::string& name) const
{
    for (const EtAttribute& attribute : attributes) {
        if (attribute.name == name && attribute.kind == EtKind::String && !attribute.strings.empty())
            return attribute.strings.front();
    }
    return {};
}

std::string_view RankTrace::groupName(std::uint32_t node) const
{
    return has(node, EtField::PgName) ? std::string_view(m_groupNames[at(value(node, EtField::PgName))]) : std::string_view{};
}

std::uint64_t RankTrace::recordBegin(std::uint32_t node) const
{
    const auto wraps = std::upper_bound(m_recordWraps.begin(), m_recordWraps.end(), node) - m_recordWraps.begin();
    return (static_cast<std::uint64_t>(wraps) << 32) | m_rows[node].recordLow;
}

std::int32_t RankTrace::unknownType(std::uint32_t node) const
{
    const auto found = std::lower_bound(m_unknownTypes.begin(), m_unknownTypes.end(), std::pair{node, std::numeric_limits<std::int32_t>::min()});
    return found->second;
}

std::span<const RankTrace::Odd> RankTrace::oddities(std::uint32_t node) const
{
    const auto range = std::equal_range(m_odd.begin(), m_odd.end(), Odd{node, {}, {}}, [](const Odd& a, const Odd& b) { return a.node < b.node; });
    return {range.first, range.second};
}

} // namespace fabricscope
