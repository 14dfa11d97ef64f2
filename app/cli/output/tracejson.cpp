#include "app/cli/output/tracejson.h"

#include "core/base/quantity.h"
#include "core/report/jsonwriter.h"
#include "core/trace/schema.h"

#include <array>
#include <cmath>

namespace fabricscope::cli {

namespace {

/// Name of the JSON key that holds a value of this kind: "int64Val"; of a list "int64List".
std::string_view kindStem(EtKind kind)
{
    static constexpr std::array<std::string_view, 15> kStems{"double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64",
                                                             "fixed32", "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes"};
    return kStems[(static_cast<std::size_t>(scalarOf(kind)) - 3) / 2];
}

bool is64Bit(EtKind kind)
{
    return kindStem(kind).ends_with("64");
}

std::string base64(std::string_view bytes)
{
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            out += j <= count ? kDigits[(group >> (18 - 6 * j)) & 63U] : '=';
    }
    return out;
}

void writeInteger(JsonWriter& json, EtKind kind, std::int64_t value)
{
    if (scalarOf(kind) == EtKind::Bool)
        return json.boolean(value != 0);
    const bool isUnsigned = scalarOf(kind) == EtKind::Uint64 || scalarOf(kind) == EtKind::Fixed64;
    const std::string digits = isUnsigned ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
    if (is64Bit(kind))
        json.string(digits);
    else
        json.number(digits);
}

void writeReal(JsonWriter& json, double value)
{
    if (std::isnan(value))
        json.string("NaN");
    else if (std::isinf(value))
        json.string(value < 0 ? "-Infinity" : "Infinity");
    else
        json.number(Quantity{value, "", Measure::Count}.text());
}

void writeEntry(JsonWriter& json, const EtAttribute& attribute, std::size_t i)
{
    if (isRealKind(attribute.kind))
        writeReal(json, attribute.reals[i]);
    else if (isTextKind(attribute.kind))
        json.string(scalarOf(attribute.kind) == EtKind::Bytes ? base64(attribute.strings[i]) : attribute.strings[i]);
    else
        writeInteger(json, attribute.kind, attribute.integers[i]);
}

std::size_t entries(const EtAttribute& attribute)
{
    return isRealKind(attribute.kind) ? attribute.reals.size() : isTextKind(attribute.kind) ? attribute.strings.size() : attribute.integers.size();
}

void writeAttributes(JsonWriter& json, const std::vector<EtAttribute>& attributes)
{
    if (attributes.empty())
        return;
    json.key("attr");
    json.beginArray();
    for (const EtAttribute& attribute : attributes) {
        json.beginCompactObject();
        json.member("name", attribute.name);
        if (!attribute.doc.empty()) {
            json.member("docString", attribute.doc);
        }
        if (attribute.kind != EtKind::None) {
            const bool list = isListKind(attribute.kind);
            json.key(std::string(kindStem(attribute.kind)) + (list ? "List" : "Val"));
            if (list) {
                json.beginCompactObject();
                json.key("values");
                json.beginCompactArray();
            }
            for (std::size_t i = 0; i < entries(attribute); ++i)
                writeEntry(json, attribute, i);
            if (list) {
                json.endArray();
                json.endObject();
            }
        }
        json.endObject();
    }
    json.endArray();
}

void writeIds(JsonWriter& json, std::string_view key, const std::vector<std::uint64_t>& ids)
{
    if (ids.empty())
        return;
    json.key(key);
    json.beginCompactArray();
    for (const std::uint64_t id : ids)
        json.string(std::to_string(id));
    json.endArray();
}

void writeIo(JsonWriter& json, std::string_view key, const EtIo& io)
{
    if (io == EtIo{})
        return;
    json.key(key);
    json.beginObject();
    for (const auto& [name, text] : {std::pair{"values", &io.values}, {"shapes", &io.shapes}, {"types", &io.types}}) {
        if (text->empty())
            continue;
        json.member(name, *text);
    }
    json.endObject();
}

std::string nodeJson(const EtNode& node)
{
    JsonWriter json;
    json.beginObject();
    json.member("id", std::to_string(node.id));
    if (!node.name.empty()) {
        json.member("name", node.name);
    }
    json.key("type");
    if (const std::string_view name = etNodeTypeName(node.type); !name.empty())
        json.string(name);
    else
        json.integer(node.type);
    writeIds(json, "ctrlDeps", node.ctrlDeps);
    writeIds(json, "dataDeps", node.dataDeps);
    for (const auto& [key, micros] : {std::pair{"startTimeMicros", node.startMicros}, {"durationMicros", node.durationMicros}}) {
        if (micros == 0)
            continue;
        json.member(key, std::to_string(micros));
    }
    writeIo(json, "inputs", node.inputs);
    writeIo(json, "outputs", node.outputs);
    writeAttributes(json, node.attributes);
    json.endObject();
    return json.text();
}

} // namespace

std::string etJson(const EtMetadata& metadata, const std::vector<EtNode>& nodes)
{
    JsonWriter json;
    json.beginObject();
    json.member("version", metadata.version.empty() ? "0.0.4" : metadata.version);
    writeAttributes(json, metadata.attributes);
    json.endObject();
    std::string out = json.text();
    for (const EtNode& node : nodes)
        out += nodeJson(node);
    return out;
}

} // namespace fabricscope::cli
