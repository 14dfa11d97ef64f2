#pragma once

#include "core/trace/tracebuilder.h"
#include "core/trace/wire.h"

#include <cstdint>
#include <span>

namespace fabricscope {

/// Scans one Node message of the current schema into the builder (without endNode). The bytes are followed by kWirePadding readable ones.
WireFault scanNode(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder);

/// The same for a node of 0.0.1, 0.0.2 or 0.0.3 (manual: formats 3.2), translated to today's numbers. In etscanold.cpp.
WireFault scanOldNode(const std::uint8_t* p, const std::uint8_t* end, EtDialect dialect, TraceBuilder& builder);

/// Reads GlobalMetadata, also of the weeks when its attributes were in field 1.
WireFault scanMetadata(const std::uint8_t* p, const std::uint8_t* end, EtMetadata& metadata);

/// One AttributeProto with everything in it.
WireFault scanAttribute(const std::uint8_t* p, const std::uint8_t* end, EtAttribute& attribute);

/// True when a first message is a Node, so the file has no metadata.
bool looksLikeNode(const std::uint8_t* p, const std::uint8_t* end);

/// Gathers what the first nodes of a file use and names the schema.
class DialectVote {
public:
    void look(const std::uint8_t* p, const std::uint8_t* end);
    EtDialect verdict(bool hasMetadata) const;

private:
    int m_current = 0;     // field 10 holds an attribute
    int m_attribute11 = 0; // field 11 holds an old attribute
    int m_as002 = 0;
    int m_as003 = 0;
    int m_flat = 0;        // numbers in fields 12 and up
    int m_flatRuntime = 0;
    int m_packedDeps = 0;
};

} // namespace fabricscope
