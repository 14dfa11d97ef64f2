#pragma once

#include "core/base/index.h"
#include "core/trace/ranktrace.h"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace fabricscope {

namespace detail {
/// Compares text with a literal of 5 to 16 characters by two overlapping words, whose values the compiler knows. The length is checked before.
template <std::size_t N>
bool sameText(const char* text, const char (&literal)[N])
{
    constexpr std::size_t kSize = N - 1;
    static_assert(kSize >= 5 && kSize <= 16);
    using Word = std::conditional_t<(kSize >= 8), std::uint64_t, std::uint32_t>;
    Word a[2];
    Word b[2];
    std::memcpy(a, text, sizeof(Word));
    std::memcpy(a + 1, text + kSize - sizeof(Word), sizeof(Word));
    std::memcpy(b, literal, sizeof(Word));
    std::memcpy(b + 1, literal + kSize - sizeof(Word), sizeof(Word));
    return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}
} // namespace detail

/// A property an attribute name stands for. Older writers use other names: an alias counts only when the real name is absent.
struct EtAttributeName {
    EtField field = EtField::IsCpuOp;
    bool alias = false;
};

/// Field an attribute name stands for, plus kEtAlias for older names; -1 for attributes that no run reads. One number, as this is asked for every attribute.
constexpr int kEtAlias = 64;
inline int etAttributeCode(const char* name, std::size_t length)
{
    using detail::sameText;
    const auto code = [](EtField field, bool alias = false) { return static_cast<int>(field) + (alias ? kEtAlias : 0); };
    switch (length) {
    case 5: return sameText(name, "tb_id") ? code(EtField::ThreadBlock) : -1;
    case 6:
        if (sameText(name, "stream"))
            return code(EtField::Stream);
        return sameText(name, "is_rrc") ? code(EtField::IsReceiveReduce) : -1;
    case 7:
        if (sameText(name, "num_ops"))
            return code(EtField::NumOps);
        if (sameText(name, "pg_name"))
            return code(EtField::PgName);
        return sameText(name, "runtime") ? code(EtField::Duration, true) : -1;
    case 8:
        if (sameText(name, "comm_src"))
            return code(EtField::CommSrc);
        if (sameText(name, "comm_dst"))
            return code(EtField::CommDst);
        return sameText(name, "comm_tag") ? code(EtField::CommTag) : -1;
    case 9:
        if (sameText(name, "is_cpu_op"))
            return code(EtField::IsCpuOp);
        if (sameText(name, "comm_type"))
            return code(EtField::CommType);
        if (sameText(name, "tie_order"))
            return code(EtField::TieOrder);
        return sameText(name, "comm_size") ? code(EtField::CommSize) : -1;
    case 10: return sameText(name, "comm_group") ? code(EtField::PgName, true) : -1;
    case 11: return sameText(name, "tensor_size") ? code(EtField::TensorSize) : -1;
    case 12:
        if (sameText(name, "involved_dim"))
            return code(EtField::InvolvedDim);
        if (sameText(name, "involve_dims"))
            return code(EtField::InvolvedDim, true);
        return sameText(name, "chunk_offset") ? code(EtField::ChunkOffset) : -1;
    case 13:
        if (sameText(name, "comm_priority"))
            return code(EtField::CommPriority);
        if (sameText(name, "msg_chunk_cnt"))
            return code(EtField::MsgChunkCount);
        return sameText(name, "msg_chunk_idx") ? code(EtField::MsgChunkIndex) : -1;
    case 15:
        if (sameText(name, "total_chunk_cnt"))
            return code(EtField::TotalChunkCount);
        if (sameText(name, "local_time_step"))
            return code(EtField::LocalTimeStep);
        return sameText(name, "communicator_id") ? code(EtField::PgName, true) : -1;
    default: return -1;
    }
}

/// The same as a value for the cases that are not in a hurry.
inline std::optional<EtAttributeName> etAttributeName(const char* name, std::size_t length)
{
    const int code = etAttributeCode(name, length);
    if (code < 0)
        return std::nullopt;
    return EtAttributeName{static_cast<EtField>(code % kEtAlias), code >= kEtAlias};
}

/// The first bytes of an attribute's message, up to its value: name and kind, at most 16 bytes.
struct AttributeStart {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t second = 0;
    std::uint64_t firstMask = ~std::uint64_t{0};
    std::uint64_t secondMask = 0;
    std::uint32_t length = 0;
    std::uint32_t slot = 0; ///< Where TraceBuilder::setSlot puts the value.

    bool fits(std::uint64_t a, std::uint64_t b) const { return (((a ^ first) & firstMask) | ((b ^ second) & secondMask)) == 0; }
};

/// Fills a RankTrace node by node; shared by the binary and the JSON readers.
class TraceBuilder {
public:
    void beginNode()
    {
        m_id = 0;
        m_type = 0;
        m_present = 0;
        m_aliasPresent = 0;
        m_name = {};
    }
    void setId(std::uint64_t id) { m_id = id; }
    void setType(std::int32_t type) { m_type = type; }
    std::int32_t type() const { return m_type; }
    /// The text must stay valid until endNode.
    void setName(std::string_view name) { m_name = name; }
    void addData(std::uint64_t id) { m_trace.m_dataDeps.push_back(id); }
    void addCtrl(std::uint64_t id) { m_trace.m_ctrlDeps.push_back(id); }

    /// A plain node field: repeated fields replace each other without remark.
    void setPlain(EtField field, std::int64_t value)
    {
        m_present |= bit(field);
        m_values[at(field)] = value;
    }
    /// A plain number: slot = field, kIgnoredSlot for attributes that nobody reads.
    void setSlot(std::uint32_t slot, std::uint64_t value)
    {
        if (m_present & ~kIgnoredBit & (1U << slot)) [[unlikely]]
            mark(static_cast<EtField>(slot), EtOddity::Twice);
        m_present |= 1U << slot;
        m_values[slot] = static_cast<std::int64_t>(value);
    }
    static constexpr std::uint32_t kIgnoredSlot = 31;
    /// Room for data dependencies that are written in place.
    std::uint64_t* dataRoom(std::size_t count) { return m_trace.m_dataDeps.room(count + 1); }
    void dataAdded(std::size_t count) { m_trace.m_dataDeps.added(count); }

    /// A number of an attribute by its code. \pre the code is not negative.
    void setCoded(int code, std::int64_t value)
    {
        constexpr std::uint64_t kUnusual = (1U << static_cast<unsigned>(EtField::PgName)) | (1U << static_cast<unsigned>(EtField::InvolvedDim));
        if (code >= kEtAlias || ((kUnusual >> code) & 1U)) [[unlikely]] {
            setUnusual({static_cast<EtField>(code % kEtAlias), code >= kEtAlias}, value);
            return;
        }
        claim(static_cast<EtField>(code));
        m_values[at(code)] = value;
    }
    /// A number of an attribute.
    void setInteger(EtAttributeName name, std::int64_t value) { setCoded(static_cast<int>(name.field) + (name.alias ? kEtAlias : 0), value); }
    /// A number above 2^63 - 1, kept as that and marked.
    void setTooLarge(EtAttributeName name);
    void setText(EtAttributeName name, std::string_view text);
    /// involved_dim: bit d set: dimension d takes part.
    void setDimensions(EtAttributeName name, std::uint32_t bits, std::uint32_t count);
    /// The attribute is there, but of no use: the property counts as absent and is marked.
    void setOdd(EtAttributeName name, EtOddity what);
    /// inputs.values of a METADATA node.
    void setGroupTable(std::string_view text);

    /// Ends the node. False when a column would exceed 2^32 entries; the trace must then be dropped.
    /// The name is followed by kWirePadding readable bytes.
    bool endNode(std::uint64_t recordBegin);

    /// What is remembered for attributes that begin with these 16 bytes; it need not fit.
    const AttributeStart& attributeStart(std::uint64_t first, std::uint64_t second) const
    {
        // Bytes 2 to 9 tell all known names apart; the multiplier only has to mix.
        const std::uint64_t name = (first >> 16) | (second << 48);
        return m_starts[((name ^ first << 56) * 0x9e3779b97f4a7c15U) >> 58];
    }
    /// Remembers the start of an attribute of kind int64, uint64 or bool with a short name. False when it is another.
    bool learnAttributeStart(const std::uint8_t* p, const std::uint8_t* end);

    std::uint32_t size() const { return m_trace.size(); }
    /// Makes room for a file of `total` units of which `done` were read, going by what they held.
    void reserveFor(std::uint64_t done, std::uint64_t total);
    EtMetadata& metadata() { return m_trace.m_metadata; }
    void setDialect(EtDialect dialect) { m_trace.m_dialect = dialect; }
    RankTrace take();

private:
    static constexpr std::uint32_t bit(EtField field) { return 1U << static_cast<unsigned>(field); }
    void mark(EtField field, EtOddity what) { m_trace.m_odd.push_back({m_trace.size(), field, what}); }
    /// Notes that the property is given, perhaps again.
    void claim(EtField field)
    {
        if (m_present & bit(field)) [[unlikely]]
            mark(field, EtOddity::Twice);
        m_present |= bit(field);
    }
    void setUnusual(EtAttributeName name, std::int64_t value);
    void appendName();
    void appendOddName(std::string_view name);
    std::int64_t groupIndex(std::string_view name);

    RankTrace m_trace;
    std::uint64_t m_id = 0;
    std::int32_t m_type = 0;
    std::uint32_t m_present = 0;
    std::uint32_t m_aliasPresent = 0;
    std::uint64_t m_recordHigh = 0;
    std::string_view m_name;
    static constexpr std::uint32_t kIgnoredBit = 1U << kIgnoredSlot;
    std::array<std::int64_t, 32> m_values{};
    std::array<std::int64_t, kEtFields> m_aliasValues{};
    std::unordered_map<std::string, std::int64_t> m_groups;
    std::array<AttributeStart, 64> m_starts;
};

} // namespace fabricscope
