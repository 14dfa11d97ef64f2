#pragma once

#include "core/trace/ranktrace.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fabricscope {

/// A property an attribute name stands for. Older writers use other names: an alias counts only when the real name is absent.
struct EtAttributeName {
    EtField field = EtField::IsCpuOp;
    bool alias = false;
};
/// Looks `name` up; absent for attributes that no run reads.
std::optional<EtAttributeName> etAttributeName(const char* name, std::size_t length);

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
    void addData(std::uint64_t id) { m_trace.dataDeps.push_back(id); }
    void addCtrl(std::uint64_t id) { m_trace.ctrlDeps.push_back(id); }

    /// A plain node field: repeated fields replace each other without remark.
    void setPlain(EtField field, std::int64_t value)
    {
        m_present |= bit(field);
        m_values[static_cast<std::size_t>(field)] = value;
    }
    /// A number of an attribute.
    void setInteger(EtAttributeName name, std::int64_t value);
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
    bool endNode(std::uint64_t recordBegin);

    std::uint32_t size() const { return m_trace.size(); }
    /// Makes room for a file of `total` units of which `done` were read, going by what they held.
    void reserveFor(std::uint64_t done, std::uint64_t total);
    RankTrace& trace() { return m_trace; }
    RankTrace take();

private:
    static constexpr std::uint32_t bit(EtField field) { return 1U << static_cast<unsigned>(field); }
    void mark(EtField field, EtOddity what) { m_trace.odd.push_back({m_trace.size(), field, what}); }
    void claim(EtField field);
    std::int64_t groupIndex(std::string_view name);
    void appendName();

    RankTrace m_trace;
    std::uint64_t m_id = 0;
    std::int32_t m_type = 0;
    std::uint32_t m_present = 0;
    std::uint32_t m_aliasPresent = 0;
    std::string_view m_name;
    std::array<std::int64_t, kEtFields> m_values{};
    std::array<std::int64_t, kEtFields> m_aliasValues{};
    std::unordered_map<std::string, std::int64_t> m_groups;
};

} // namespace fabricscope
