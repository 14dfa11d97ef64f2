#include "core/base/jsonbuilder.h"
#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/base/showntext.h"
#include "core/trace/etfile.h"
#include "core/trace/tracebuilder.h"
#include "core/trace/wire.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace fabricscope {

namespace {

using Json = nlohmann::json;

/// "ctrlDeps", "ctrl_deps" and "CtrlDeps" are one key.
std::string normalised(std::string_view key)
{
    std::string out;
    for (const char c : key) {
        if (c != '_')
            out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return out;
}

/// A whole number: also as text (protobuf writes 64-bit numbers so) and as 20971520.0.
std::optional<std::uint64_t> wholeNumber(const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? 1 : 0;
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>();
    if (value.is_number_integer())
        return static_cast<std::uint64_t>(value.get<std::int64_t>());
    if (value.is_number_float()) {
        const double real = value.get<double>();
        if (real == std::floor(real) && std::abs(real) < 9007199254740992.0)
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(real));
        return std::nullopt;
    }
    if (!value.is_string())
        return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    const char* const end = text.data() + text.size();
    if (!text.empty() && text[0] == '-') {
        std::int64_t number = 0;
        const auto [stop, code] = std::from_chars(text.data(), end, number);
        return code == std::errc() && stop == end ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
    }
    std::uint64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), end, number);
    return code == std::errc() && stop == end && !text.empty() ? std::optional(number) : std::nullopt;
}

bool isNegative(const Json& value)
{
    return (value.is_number() && !value.is_number_unsigned() && value.get<double>() < 0) || (value.is_string() && value.get_ref<const std::string&>().starts_with('-'));
}

std::optional<std::int32_t> nodeType(const Json& value)
{
    if (const auto number = wholeNumber(value)) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
        return static_cast<std::int32_t>(std::min(*number, kMost));
    }
    if (!value.is_string())
        return std::nullopt;
    const std::string name = normalised(value.get<std::string>());
    static constexpr std::pair<std::string_view, EtNodeType> kNames[] = {{"metadata", EtNodeType::Metadata}, {"memload", EtNodeType::MemLoad},
        {"memstore", EtNodeType::MemStore}, {"send", EtNodeType::Send}, {"recv", EtNodeType::Receive}, {"coll", EtNodeType::Collective},
        {"comp", EtNodeType::Comp}, {"invalid", EtNodeType::Invalid}};
    for (const auto& [part, type] : kNames) {
        if (name.find(part) != std::string::npos)
            return static_cast<std::int32_t>(type);
    }
    return std::nullopt;
}

std::optional<std::int64_t> commType(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    for (std::int64_t type = 0; type < kEtCommTypes; ++type) {
        if (name == etCommTypeName(type))
            return type;
    }
    return std::nullopt;
}

/// Reads the nodes of one JSON file.
class JsonNodes {
public:
    explicit JsonNodes(const Place& place) : m_place(place) { m_builder.setDialect(EtDialect::Json); }

    /// Takes one node; false after an error.
    bool node(const Json& object);
    void metadata(const Json& object);
    bool isNode(const Json& object) const
    {
        return std::any_of(object.items().begin(), object.items().end(), [](const auto& item) {
            const std::string key = normalised(item.key());
            return key == "id" || key == "type" || key == "nodetype" || key == "datadeps";
        });
    }
    bool failed() const { return m_error.has_value(); }
    Error error() const { return *m_error; }
    RankTrace take() { return m_builder.take(); }

private:
    bool fail(const Json& object, std::string message);
    /// The builder reads past the end of names, so they need room there.
    void setName(const std::string& name)
    {
        m_name.assign(name).append(kWirePadding, '\0');
        m_builder.setName(std::string_view(m_name).substr(0, name.size()));
    }
    void attribute(std::string_view name, const Json& value);
    void namedAttribute(const Json& object);
    bool dependencies(const Json& object, const Json& list, bool ctrl);

    Place m_place;
    TraceBuilder m_builder;
    std::string m_name;
    std::optional<Error> m_error;
};

bool JsonNodes::fail(const Json& object, std::string message)
{
    Place place = m_place;
    for (const auto& item : object.items()) {
        if (normalised(item.key()) != "id")
            continue;
        if (const auto id = wholeNumber(item.value())) {
            place.node = static_cast<std::int64_t>(*id);
            place.hasNode = true;
        }
    }
    m_error = invalidInput(std::move(message), std::move(place));
    return false;
}

void JsonNodes::attribute(std::string_view name, const Json& value)
{
    const auto known = etAttributeName(name.data(), name.size());
    if (!known || value.is_null())
        return;
    if (value.is_array()) {
        std::uint32_t bits = 0;
        std::uint32_t count = 0;
        for (const Json& entry : value) {
            if (count < 32 && wholeNumber(entry).value_or(0) != 0)
                bits |= 1U << count;
            ++count;
        }
        m_builder.setDimensions(*known, bits, count);
    } else if (known->field == EtField::PgName && value.is_string()) {
        m_builder.setText(*known, value.get_ref<const std::string&>());
    } else if (const auto number = wholeNumber(value)) {
        if (static_cast<std::int64_t>(*number) < 0 && !isNegative(value))
            m_builder.setTooLarge(*known);
        else
            m_builder.setInteger(*known, static_cast<std::int64_t>(*number));
    } else if (value.is_string()) {
        const auto type = known->field == EtField::CommType ? commType(value.get<std::string>()) : std::nullopt;
        if (type)
            m_builder.setInteger(*known, *type);
        else
            m_builder.setText(*known, value.get_ref<const std::string&>());
    } else {
        m_builder.setOdd(*known, value.is_number() ? EtOddity::Real : EtOddity::List);
    }
}

/// {"name": "comm_size", "int64Val": "1048576"}
void JsonNodes::namedAttribute(const Json& object)
{
    if (!object.is_object() || !object.contains("name") || !object["name"].is_string())
        return;
    const std::string& name = object["name"].get_ref<const std::string&>();
    for (const auto& item : object.items()) {
        const std::string key = normalised(item.key());
        if (key.ends_with("list") && item.value().is_object() && item.value().contains("values"))
            return attribute(name, item.value()["values"]);
        const bool real = key == "doubleval" || key == "floatval";
        if (key.ends_with("val")) {
            const auto known = etAttributeName(name.data(), name.size());
            if (real && known)
                return m_builder.setOdd(*known, EtOddity::Real);
            if (key == "stringval" && known && known->field != EtField::PgName)
                return m_builder.setOdd(*known, EtOddity::Text);
            return attribute(name, item.value());
        }
    }
}

bool JsonNodes::dependencies(const Json& object, const Json& list, bool ctrl)
{
    if (list.is_null())
        return true;
    if (!list.is_array())
        return fail(object, "the dependencies are no list");
    for (const Json& entry : list) {
        const auto id = wholeNumber(entry);
        if (!id)
            return fail(object, "a dependency is no node id");
        if (ctrl)
            m_builder.addCtrl(*id);
        else
            m_builder.addData(*id);
    }
    return true;
}

bool JsonNodes::node(const Json& object)
{
    if (!object.is_object())
        return fail(Json::object(), "an entry of the list of nodes is no object");
    m_builder.beginNode();
    bool typed = false;
    for (const auto& item : object.items()) {
        const std::string key = normalised(item.key());
        const Json& value = item.value();
        if (key == "id") {
            const auto id = wholeNumber(value);
            if (!id)
                return fail(object, "the id of a node is no whole number");
            m_builder.setId(*id);
        } else if (key == "name") {
            if (value.is_string())
                setName(value.get_ref<const std::string&>());
        } else if (key == "nodetype" || key == "type") {
            const auto type = nodeType(value);
            if (!type)
                return fail(object, "unknown node type " + shownText(value.dump(-1, ' ', true, Json::error_handler_t::replace), kQuotedCharacters));
            m_builder.setType(*type);
            typed = true;
        } else if (key == "datadeps" || key == "ctrldeps") {
            if (!dependencies(object, value, key == "ctrldeps"))
                return false;
        } else if (key == "runtime" || key == "durationmicros" || key == "duration" || key == "starttimemicros") {
            const auto number = wholeNumber(value);
            if (!value.is_null() && (!number || static_cast<std::int64_t>(*number) < 0))
                return fail(object, "the " + shownText(item.key(), kQuotedCharacters) + " is no whole number of microseconds");
            if (number.value_or(0) != 0)
                m_builder.setPlain(key == "starttimemicros" ? EtField::Start : EtField::Duration, static_cast<std::int64_t>(*number));
        } else if (key == "attr" && value.is_array()) {
            for (const Json& entry : value)
                namedAttribute(entry);
        } else if (key == "inputs") {
            if (value.is_object() && value.contains("values") && value["values"].is_string() && object.value("type", Json()) == "METADATA_NODE")
                m_builder.setGroupTable(value["values"].get_ref<const std::string&>());
        } else {
            attribute(item.key(), value);
        }
    }
    const bool jsonizer = object.contains("attr"); // leaves out a type of 0
    if (!typed && !jsonizer)
        return fail(object, "the node has no type: this JSON is no Chakra trace (a PyTorch trace must be converted with chakra_converter)");
    if (!m_builder.endNode(0))
        return fail(object, "the file is too large");
    return true;
}

void JsonNodes::metadata(const Json& object)
{
    EtMetadata& metadata = m_builder.metadata();
    for (const auto& item : object.items()) {
        if (normalised(item.key()) == "version" && item.value().is_string())
            metadata.version = item.value().get<std::string>();
        if (normalised(item.key()) != "attr" || !item.value().is_array())
            continue;
        for (const Json& entry : item.value()) {
            if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
                continue;
            const std::string name = entry["name"].get<std::string>();
            for (const auto& part : entry.items()) {
                if (normalised(part.key()) == "stringval" && part.value().is_string())
                    metadata.attributes.push_back(EtAttribute::text(name, part.value().get<std::string>()));
                else if (const auto number = wholeNumber(part.value()); number && part.key() != "name")
                    metadata.attributes.push_back(EtAttribute::integer(name, static_cast<std::int64_t>(*number)));
            }
        }
    }
}

/// End of the object or array that starts at `begin`; npos when it is not closed.
std::size_t endOfValue(std::string_view text, std::size_t begin)
{
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

Error parseError(std::string_view text, std::size_t at, Place place, const char* what)
{
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    const auto lineStart = before.rfind('\n');
    place.column = static_cast<int>(before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1));
    return invalidInput(what, std::move(place));
}

constexpr const char* kNotJson = "looks like JSON text, but is not valid JSON here; a Chakra trace is binary";

/// {"workload_graph": [...]} or {"nodes": [...]}: nodes are taken out while parsing, so the whole is never in memory.
class DocumentNodes : public JsonBuilder {
public:
    DocumentNodes(JsonNodes& nodes, const std::stop_token& stop) : JsonBuilder(stop), m_nodes(nodes) {}
    bool listed() const { return m_listed; }

protected:
    bool keyRead(const std::string& name, std::size_t levels, bool) override
    {
        if (levels == 1)
            m_inList = name == "workload_graph" || name == "nodes";
        return true;
    }
    void listBegins(std::size_t levels) override { m_listed = m_listed || (levels == 1 && m_inList); }
    bool keeps(const Json& object, std::size_t levels) override
    {
        if (levels != 2 || !m_inList)
            return true;
        if (!m_nodes.failed())
            m_nodes.node(object);
        return false;
    }

private:
    JsonNodes& m_nodes;
    bool m_inList = false;
    bool m_listed = false;
};

Result<RankTrace> readDocument(std::string_view text, const Place& place, const std::stop_token& stop)
{
    JsonNodes nodes(place);
    DocumentNodes reader(nodes, stop);
    try {
        if (!Json::sax_parse(text.begin(), text.end(), &reader))
            return parseError(text, reader.errorByte(), place, kNotJson);
        if (nodes.failed())
            return nodes.error();
        const Json document = reader.take();
        if (reader.listed())
            return nodes.take();
        if (document.is_object() && (document.contains("version") || document.contains("attr"))) {
            nodes.metadata(document);
            return nodes.take();
        }
    } catch (const Json::exception&) {
        return invalidInput("the JSON text is not understood as a Chakra trace", place);
    }
    return invalidInput("this is JSON, but no Chakra trace: it has neither \"workload_graph\" nor \"nodes\"", place);
}

/// What chakra_jsonizer writes: the metadata and every node as objects one after the other.
Result<RankTrace> readSequence(std::string_view text, const Place& place, const std::stop_token& stop)
{
    JsonNodes nodes(place);
    bool first = true;
    for (std::size_t begin = text.find_first_not_of(" \t\r\n"); begin < text.size(); begin = text.find_first_not_of(" \t\r\n", begin)) {
        checkStop(stop);
        const std::size_t end = text[begin] == '{' ? endOfValue(text, begin) : std::string_view::npos;
        if (end == std::string_view::npos)
            return parseError(text, begin, place, text[begin] == '{' ? "the JSON text ends inside the object that starts here" : kNotJson);
        try {
            const Json object = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end));
            if (first && !nodes.isNode(object))
                nodes.metadata(object);
            else if (!nodes.node(object))
                return nodes.error();
        } catch (const Json::parse_error& error) {
            return parseError(text, begin + error.byte, place, kNotJson);
        } catch (const Json::exception&) {
            return parseError(text, begin, place, "the JSON object that starts here is not understood as a node");
        }
        first = false;
        begin = end;
    }
    return nodes.take();
}

} // namespace

Result<RankTrace> readTraceJson(std::string_view text, const Place& place, const std::stop_token& stop)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return invalidInput("the file has no text", place);
    if (Status levels = checkJsonLevels(text, place); !levels)
        return std::move(levels).error();
    const std::size_t end = endOfValue(text, begin);
    const bool one = end == std::string_view::npos || text.find_first_not_of(" \t\r\n", end) == std::string_view::npos;
    return untilStopped([&] { return one ? readDocument(text, place, stop) : readSequence(text, place, stop); });
}

} // namespace fabricscope
