#pragma once

#include "core/trace/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// Kind of an attribute's value; the number is the field of AttributeProto that holds it. Lists are scalar + 1.
enum class EtKind : std::uint8_t {
    None = 0, Double = 3, DoubleList = 4, Float = 5, FloatList = 6, Int32 = 7, Int32List = 8, Int64 = 9, Int64List = 10,
    Uint32 = 11, Uint32List = 12, Uint64 = 13, Uint64List = 14, Sint32 = 15, Sint32List = 16, Sint64 = 17, Sint64List = 18,
    Fixed32 = 19, Fixed32List = 20, Fixed64 = 21, Fixed64List = 22, Sfixed32 = 23, Sfixed32List = 24, Sfixed64 = 25, Sfixed64List = 26,
    Bool = 27, BoolList = 28, String = 29, StringList = 30, Bytes = 31, BytesList = 32
};

constexpr bool isListKind(EtKind kind) { return kind != EtKind::None && static_cast<int>(kind) % 2 == 0; }
constexpr EtKind scalarOf(EtKind kind) { return isListKind(kind) ? static_cast<EtKind>(static_cast<int>(kind) - 1) : kind; }
constexpr bool isRealKind(EtKind kind) { return scalarOf(kind) == EtKind::Double || scalarOf(kind) == EtKind::Float; }
constexpr bool isTextKind(EtKind kind) { return scalarOf(kind) == EtKind::String || scalarOf(kind) == EtKind::Bytes; }
constexpr bool isIntegerKind(EtKind kind) { return kind != EtKind::None && !isRealKind(kind) && !isTextKind(kind); }

/// One attribute of a node or of the metadata. The values are in the member that fits the kind: one entry for a scalar.
struct EtAttribute {
    std::string name;
    EtKind kind = EtKind::None;
    std::vector<std::int64_t> integers; ///< Every integer kind and bool; uint64 and fixed64 as the same 64 bits.
    std::vector<double> reals;
    std::vector<std::string> strings;   ///< String and bytes kinds.
    std::string doc;

    static EtAttribute integer(std::string name, std::int64_t value, EtKind kind = EtKind::Int64) { return {std::move(name), kind, {value}, {}, {}, {}}; }
    static EtAttribute boolean(std::string name, bool value) { return {std::move(name), EtKind::Bool, {value ? 1 : 0}, {}, {}, {}}; }
    static EtAttribute text(std::string name, std::string value) { return {std::move(name), EtKind::String, {}, {}, {std::move(value)}, {}}; }
    friend bool operator==(const EtAttribute&, const EtAttribute&) = default;
};

/// IOInfo: text as the profiler wrote it.
struct EtIo {
    std::string values;
    std::string shapes;
    std::string types;
    friend bool operator==(const EtIo&, const EtIo&) = default;
};

/// A node with everything the file says about it; for writing, and for looking at one node closely.
struct EtNode {
    std::uint64_t id = 0;
    std::string name;
    std::int32_t type = 0; ///< EtNodeType, or a number we do not know.
    std::vector<std::uint64_t> ctrlDeps;
    std::vector<std::uint64_t> dataDeps;
    std::uint64_t startMicros = 0;
    std::uint64_t durationMicros = 0;
    EtIo inputs;
    EtIo outputs;
    std::vector<EtAttribute> attributes;
    friend bool operator==(const EtNode&, const EtNode&) = default;
};

struct EtMetadata {
    std::string version;
    std::vector<EtAttribute> attributes;
    friend bool operator==(const EtMetadata&, const EtMetadata&) = default;

    /// Text of the first attribute `name` of kind string; empty when absent. In ranktrace.cpp.
    std::string textOf(const std::string& name) const;
};

} // namespace fabricscope
