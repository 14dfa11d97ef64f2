#pragma once

#include "core/base/digest.h"
#include "core/trace/column.h"
#include "core/trace/etnode.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// Properties of a node that a run or the linter needs; all others are decoded when asked for (readNode).
enum class EtField : std::uint8_t {
    IsCpuOp,     ///< 0 or 1.
    NumOps, TensorSize, CommType, CommSize,
    InvolvedDim, ///< Low 32 bits: one bit per dimension; high 32 bits: how many dimensions were listed.
    PgName,      ///< Index into RankTrace::groupNames().
    CommPriority, CommSrc, CommDst, CommTag, Stream,
    Duration,    ///< Microseconds; only when given and not 0.
    Start,       ///< Microseconds; only when given and not 0.
    MsgChunkCount, MsgChunkIndex, TotalChunkCount, ChunkOffset, LocalTimeStep, ThreadBlock, IsReceiveReduce, TieOrder ///< Custom collectives.
};
constexpr std::size_t kEtFields = 22;
/// Name of the attribute in the file.
std::string_view etFieldName(EtField field);

/// A property that is there but not as a run needs it.
enum class EtOddity : std::uint8_t {
    Twice,   ///< Given more than once; the last one holds.
    Text,    ///< A string where a number is due (or a number list for a name).
    Real,    ///< float or double where an integer is due.
    List,    ///< A list where one number is due, or the other way round.
    Empty,   ///< The attribute has a name and no value.
    TooLarge ///< Above 2^63 - 1.
};

/// Which form of the schema a file has.
enum class EtDialect : std::uint8_t { Current, V001, V002, V003, Json };
std::string_view etDialectName(EtDialect dialect);

/// The nodes of one rank, in file order: a row of 32 bytes each and what varies packed behind. Immutable once read; identical ranks share one.
class RankTrace {
public:
    struct Odd {
        std::uint32_t node = 0;
        EtField field = EtField::IsCpuOp;
        EtOddity what = EtOddity::Twice;
        friend bool operator==(const Odd&, const Odd&) = default;
    };

    std::uint32_t size() const { return static_cast<std::uint32_t>(m_rows.size()); }
    std::uint64_t id(std::uint32_t node) const { return m_rows[node].id; }
    /// EtNodeType as in the file, translated to current numbers; unknown ones kept.
    std::int32_t type(std::uint32_t node) const
    {
        const std::uint32_t code = (m_rows[node].bits >> kTypeShift) & kTypeUnknown;
        return code < kTypeUnknown ? static_cast<std::int32_t>(code) : unknownType(node);
    }
    bool is(std::uint32_t node, EtNodeType wanted) const { return type(node) == static_cast<std::int32_t>(wanted); }
    /// Valid UTF-8.
    std::string_view name(std::uint32_t node) const
    {
        const std::uint32_t begin = node == 0 ? 0 : m_rows[node - 1].nameEnd;
        return {m_names.data() + begin, m_rows[node].nameEnd - begin};
    }
    /// Node ids, as listed.
    std::span<const std::uint64_t> dataDependencies(std::uint32_t node) const
    {
        const std::uint32_t begin = node == 0 ? 0 : m_rows[node - 1].dataEnd;
        return {m_dataDeps.data() + begin, m_rows[node].dataEnd - begin};
    }
    std::span<const std::uint64_t> ctrlDependencies(std::uint32_t node) const
    {
        const std::uint32_t begin = node == 0 ? 0 : m_rows[node - 1].ctrlEnd;
        return {m_ctrlDeps.data() + begin, m_rows[node].ctrlEnd - begin};
    }
    std::size_t dataDependencyCount() const { return m_dataDeps.size(); }
    std::size_t ctrlDependencyCount() const { return m_ctrlDeps.size(); }
    std::size_t nameBytes() const { return m_names.size(); }

    bool has(std::uint32_t node, EtField field) const { return (m_rows[node].bits & bit(field)) != 0; }
    /// The value, or `otherwise` when the node has none. O(1).
    std::int64_t value(std::uint32_t node, EtField field, std::int64_t otherwise = 0) const
    {
        const Row& row = m_rows[node];
        if (!(row.bits & bit(field)))
            return otherwise;
        if (field == EtField::IsCpuOp)
            return row.bits >> kHostShift;
        return m_values[row.valueBegin + static_cast<std::uint32_t>(std::popcount(row.bits & kPacked & (bit(field) - 1)))];
    }
    bool onHost(std::uint32_t node) const { return (m_rows[node].bits >> kHostShift) != 0; }
    /// Communicator group as text; empty when the node names none.
    std::string_view groupName(std::uint32_t node) const;
    /// Byte offset of the node's message in the unpacked file, at the length in front of it; 0 in JSON.
    std::uint64_t recordBegin(std::uint32_t node) const;
    /// Oddities of one node, in order of appearance. O(log).
    std::span<const Odd> oddities(std::uint32_t node) const;
    bool hasOddities() const { return !m_odd.empty(); }
    /// Nodes whose names held bytes that are no UTF-8, ascending: '?' stands for each of those.
    std::span<const std::uint32_t> repairedNames() const { return m_repairedNames; }

    /// Distinct values of pg_name.
    const std::vector<std::string>& groupNames() const { return m_groupNames; }
    /// METADATA nodes: node and inputs.values.
    const std::vector<std::pair<std::uint32_t, std::string>>& groupTables() const { return m_groupTables; }
    const EtMetadata& metadata() const { return m_metadata; }
    EtDialect dialect() const { return m_dialect; }
    /// Of the file's (unpacked) bytes.
    Digest content() const { return m_content; }
    void setContent(Digest content) { m_content = content; }

    friend bool operator==(const RankTrace&, const RankTrace&) = default;

private:
    friend class TraceBuilder;

    /// Where the parts of node i end; they begin where those of node i-1 end.
    struct Row {
        std::uint64_t id = 0;
        std::uint32_t bits = 0;       ///< One per EtField given; then the type, and the value of is_cpu_op.
        std::uint32_t valueBegin = 0; ///< The values of the bits of kPacked, ascending.
        std::uint32_t nameEnd = 0;
        std::uint32_t dataEnd = 0;
        std::uint32_t ctrlEnd = 0;
        std::uint32_t recordLow = 0;  ///< Low half of recordBegin.
    };
    static constexpr std::uint32_t bit(EtField field) { return 1U << static_cast<unsigned>(field); }
    static constexpr std::uint32_t kPacked = (1U << kEtFields) - 2; ///< All fields but IsCpuOp.
    static constexpr unsigned kTypeShift = 24;
    static constexpr std::uint32_t kTypeUnknown = 15;
    static constexpr unsigned kHostShift = 31;

    std::int32_t unknownType(std::uint32_t node) const;

    Column<Row> m_rows;
    Column<std::int64_t> m_values;
    Column<std::uint64_t> m_dataDeps;
    Column<std::uint64_t> m_ctrlDeps;
    Column<char> m_names;
    std::vector<std::uint32_t> m_recordWraps; ///< Nodes where recordBegin passes a multiple of 2^32.
    std::vector<std::pair<std::uint32_t, std::int32_t>> m_unknownTypes;
    std::vector<std::uint32_t> m_repairedNames;
    std::vector<std::string> m_groupNames;
    std::vector<Odd> m_odd; ///< Sorted by node; sparse.
    std::vector<std::pair<std::uint32_t, std::string>> m_groupTables;
    EtMetadata m_metadata;
    EtDialect m_dialect = EtDialect::Current;
    Digest m_content;
};

} // namespace fabricscope
