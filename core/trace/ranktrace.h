#pragma once

#include "core/base/digest.h"
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
    IsCpuOp, NumOps, TensorSize, CommType, CommSize,
    InvolvedDim, ///< Low 32 bits: one bit per dimension; high 32 bits: how many dimensions were listed.
    PgName,      ///< Index into RankTrace::groupNames.
    CommPriority, CommSrc, CommDst, CommTag, Stream,
    Duration,    ///< Microseconds; only when given and not 0.
    Start,       ///< Microseconds; only when given and not 0.
    MsgChunkCount, MsgChunkIndex, TotalChunkCount, ChunkOffset, LocalTimeStep, ThreadBlock, IsReceiveReduce ///< Custom collectives.
};
constexpr std::size_t kEtFields = 21;
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

/// The nodes of one rank as columns, in file order. Immutable once read; identical ranks share one.
/// Values are packed: node i has popcount(present[i]) entries of `values` from valueBegin[i], in the order of EtField.
struct RankTrace {
    struct Odd {
        std::uint32_t node = 0;
        EtField field = EtField::IsCpuOp;
        EtOddity what = EtOddity::Twice;
        friend bool operator==(const Odd&, const Odd&) = default;
    };

    std::vector<std::uint64_t> id;
    std::vector<std::int32_t> type;         ///< As in the file, translated to current numbers; unknown ones kept.
    std::vector<std::uint32_t> present;     ///< Bit per EtField.
    std::vector<std::uint32_t> valueBegin;
    std::vector<std::uint32_t> nameEnd;     ///< Name of node i: names[nameEnd[i-1], nameEnd[i]). Valid UTF-8.
    std::vector<std::uint32_t> dataEnd;     ///< Data dependencies of node i: dataDeps[dataEnd[i-1], dataEnd[i]), as listed.
    std::vector<std::uint32_t> ctrlEnd;
    std::vector<std::uint64_t> recordBegin; ///< Byte offset of the node's message in the unpacked file, at the length in front of it.
    std::vector<std::int64_t> values;
    std::vector<std::uint64_t> dataDeps;    ///< Node ids.
    std::vector<std::uint64_t> ctrlDeps;
    std::string names;
    std::vector<std::string> groupNames;    ///< Distinct values of pg_name.
    std::vector<Odd> odd;                   ///< Sorted by node; sparse.
    std::vector<std::pair<std::uint32_t, std::string>> groupTables; ///< METADATA nodes: inputs.values.
    EtMetadata metadata;
    EtDialect dialect = EtDialect::Current;
    Digest content;                         ///< Of the file's (unpacked) bytes.

    std::uint32_t size() const { return static_cast<std::uint32_t>(id.size()); }
    std::string_view name(std::uint32_t node) const { return part(names, nameEnd, node); }
    std::span<const std::uint64_t> dataDependencies(std::uint32_t node) const { return slice(dataDeps, dataEnd, node); }
    std::span<const std::uint64_t> ctrlDependencies(std::uint32_t node) const { return slice(ctrlDeps, ctrlEnd, node); }
    bool has(std::uint32_t node, EtField field) const { return (present[node] >> static_cast<unsigned>(field)) & 1U; }
    /// The value, or `otherwise` when the node has none. O(1).
    std::int64_t value(std::uint32_t node, EtField field, std::int64_t otherwise = 0) const
    {
        const std::uint32_t bit = 1U << static_cast<unsigned>(field);
        if (!(present[node] & bit))
            return otherwise;
        return values[valueBegin[node] + static_cast<std::uint32_t>(std::popcount(present[node] & (bit - 1)))];
    }
    /// Communicator group as text; empty when the node names none.
    std::string_view groupName(std::uint32_t node) const;
    bool onHost(std::uint32_t node) const { return value(node, EtField::IsCpuOp) != 0; }
    /// Oddities of one node, in order of appearance. O(log).
    std::span<const Odd> oddities(std::uint32_t node) const;
    /// The columns' memory in bytes (capacity).
    std::size_t memoryBytes() const;

    friend bool operator==(const RankTrace&, const RankTrace&) = default;

private:
    static std::string_view part(const std::string& text, const std::vector<std::uint32_t>& end, std::uint32_t node)
    {
        const std::uint32_t begin = node == 0 ? 0 : end[node - 1];
        return std::string_view(text).substr(begin, end[node] - begin);
    }
    static std::span<const std::uint64_t> slice(const std::vector<std::uint64_t>& all, const std::vector<std::uint32_t>& end, std::uint32_t node)
    {
        const std::uint32_t begin = node == 0 ? 0 : end[node - 1];
        return {all.data() + begin, end[node] - begin};
    }
};

} // namespace fabricscope
