// The form of a document: members, types, names. Its meaning is checked in check.cpp.

#include "core/base/jsontext.h"
#include "core/base/stop.h"
#include "core/formats/infragraph/infragraph.h"
#include "core/base/showntext.h"
#include "core/yaml/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>

namespace fabricscope {

namespace {

constexpr std::string_view kNameLetters = "letters, digits, blanks and - _ ( ) < > [ ]";

bool isNameLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-_()<>[] \t\n\r\f\v").find(c) != std::string_view::npos;
}

std::string cleanedName(const std::string& name)
{
    std::string out;
    for (const char c : name) {
        if (isNameLetter(c))
            out += c;
        else if (static_cast<unsigned char>(c) < 0x80 && (out.empty() || out.back() != '_'))
            out += '_';
    }
    return out.empty() ? "name" : out;
}

bool oneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Does an unquoted scalar stand for a number, a truth value or a date instead of a text?
bool looksLikeOtherType(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    if (oneOf(lower, {"yes", "no", "true", "false", "on", "off", ".inf", "-.inf", "+.inf", ".nan"}))
        return true;
    if (lower.empty() || lower.find_first_of("0123456789") == std::string::npos)
        return false;
    double number = 0;
    const char* begin = lower.data() + (lower[0] == '+' ? 1 : 0);
    const char* end = lower.data() + lower.size();
    if (const auto read = std::from_chars(begin, end, number); read.ptr == end && begin != end)
        return true;
    if (lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b"))
        return lower.find_first_not_of("0123456789abcdef_", 2) == std::string::npos;
    // 1_000, 10:30 and 2026-07-14.
    const bool digits = lower.find_first_not_of("0123456789_:.+-") == std::string::npos;
    const bool date = lower.size() >= 8 && lower[4] == '-' && std::count(lower.begin(), lower.end(), '-') == 2 && lower.find_first_not_of("0123456789-") == std::string::npos;
    return date || (digits && lower[0] != '-' && lower[0] != '_' && lower.find('-') == std::string::npos);
}

class Reader {
public:
    Reader(const YamlDocument& source, InfraReading& reading, const std::stop_token& stop)
        : m_stop(stop)
        , m_source(source)
        , m_reading(reading)
        , m_document(reading.document)
    {
    }

    void read()
    {
        const YamlNode& root = m_source.root();
        if (root.isNull() || (root.isMap() && root.entries.empty()))
            return error("empty", root, "", "empty infrastructure", "devices and instances");
        if (!root.isMap())
            return error("type", root, "", "not an InfraGraph document", "devices, links, instances and edges");
        if (root.find("infrastructure")) {
            warnUnknown(root, "", {"infrastructure", "annotations"});
            const YamlNode& inner = root.find("infrastructure")->value;
            if (!isMap(inner, "infrastructure"))
                return;
            if (inner.entries.empty())
                return error("empty", inner, "infrastructure", "empty infrastructure", "devices and instances");
            readInfrastructure(inner, "infrastructure.");
            if (const YamlEntry* annotations = root.find("annotations"))
                readAnnotations(annotations->value);
        } else if (root.find("inventory") || root.find("connections")) {
            error("pre-standard", root, "", "a document of the time before the standard (2025): its members were different", "devices, links, instances and edges as in schema 2.4");
        } else if (root.find("devices") || root.find("instances")) {
            readInfrastructure(root, "");
        } else if (root.find("components")) {
            readLoneDevice(root);
        } else if (root.find("directed") || root.find("multigraph")) {
            error("expanded", root, "", "an expanded graph (node-link form), which nobody reads back", "the InfraGraph document it was made of");
        } else if (root.find("nodes") || root.find("edges") || root.find("links") || root.find("graph")) {
            error("annotation-only", root, "", "annotations without the infrastructure they belong to", "a document with devices and instances, or one with infrastructure and annotations");
        } else {
            error("type", root, "", "not an InfraGraph document", "devices, links, instances and edges");
        }
    }

private:
    void report(Severity severity, const char* rule, Place place, std::string message, std::string expected)
    {
        constexpr std::size_t kMost = 1000; // Nobody reads more; the first error is always kept.
        const bool first = severity == Severity::Error && m_reading.sound;
        m_reading.sound = m_reading.sound && !first;
        if (m_reading.diagnostics.size() >= kMost && !first)
            return;
        Diagnostic found;
        found.severity = severity;
        found.rule = std::string("infragraph-") + rule;
        found.message = std::move(message);
        found.place = std::move(place);
        found.expected = std::move(expected);
        m_reading.diagnostics.push_back(std::move(found));
    }
    void error(const char* rule, const YamlNode& node, const std::string& field, std::string message, std::string expected = {})
    {
        report(Severity::Error, rule, m_source.place(node, field), std::move(message), std::move(expected));
    }

    /// Asked for every item of every list.
    bool isMap(const YamlNode& node, const std::string& field)
    {
        checkStop(m_stop);
        if (node.isMap())
            return true;
        error("type", node, field, "not a mapping");
        return false;
    }

    /// Members the schema does not know are ignored by every reader; said once per name.
    void warnUnknown(const YamlNode& map, const std::string& field, std::initializer_list<std::string_view> known)
    {
        for (const YamlEntry& entry : map.entries) {
            if (oneOf(entry.key, known) || !m_unknown.insert(entry.key).second)
                continue;
            YamlNode at = YamlNode::scalar(entry.key);
            at.line = entry.line;
            at.column = entry.column;
            report(Severity::Warning, "unknown-member", m_source.place(at, field.empty() ? entry.key : field + '.' + entry.key), "the schema has no member \"" + entry.key + "\": ignored", {});
        }
    }

    const YamlNode* member(const YamlNode& map, const std::string& field, std::string_view key, bool required)
    {
        const YamlEntry* entry = map.find(key);
        if (entry && !entry->value.isNull())
            return &entry->value;
        if (required)
            error("missing-field", map, field, '"' + std::string(key) + "\" is missing");
        return nullptr;
    }

    std::string text(const YamlNode& map, const std::string& field, std::string_view key, bool required, std::string otherwise = {})
    {
        const YamlNode* node = member(map, field, key, required);
        if (!node)
            return otherwise;
        const std::string path = field + '.' + std::string(key);
        if (!node->isScalar()) {
            error("type", *node, path, "not a text", "a text");
            return otherwise;
        }
        if (!node->quoted && looksLikeOtherType(node->text)) {
            error("type", *node, path, node->text + " is read as a number, a truth value or a date", "a text; in quotes: \"" + node->text + '"');
            return otherwise;
        }
        return node->text;
    }

    std::string name(const YamlNode& map, const std::string& field, bool required)
    {
        std::string given = text(map, field, "name", required);
        const YamlEntry* entry = map.find("name");
        if (!entry || !entry->value.isScalar())
            return given;
        const bool bad = given.empty() ? entry->value.quoted : !std::all_of(given.begin(), given.end(), isNameLetter);
        if (bad)
            error("name", entry->value, field + ".name", '"' + given + "\" is no name; \"" + cleanedName(given) + "\" would be one", std::string(kNameLetters));
        return given;
    }

    std::int32_t count(const YamlNode& map, const std::string& field)
    {
        const YamlNode* node = member(map, field, "count", true);
        if (!node)
            return 0;
        double value = 0;
        const bool scalar = node->isScalar() && !node->quoted;
        const char* end = node->text.data() + node->text.size();
        const auto read = std::from_chars(node->text.data(), end, value);
        if (!scalar || read.ec != std::errc{} || read.ptr != end || value != std::floor(value) || std::abs(value) > 2147483647.0) {
            error("type", *node, field + ".count", node->isScalar() ? quotedText(node->text) + " is no count" : "not a number", "a whole number without quotes");
            return 0;
        }
        return static_cast<std::int32_t>(value);
    }

    /// A number that may have a fraction. A latency may be 0, a bandwidth may not.
    std::optional<double> number(const YamlNode& node, const std::string& field, bool zeroAllowed)
    {
        double value = 0;
        const char* end = node.text.data() + node.text.size();
        const auto read = std::from_chars(node.text.data(), end, value);
        if (node.isScalar() && !node.quoted && read.ec == std::errc{} && read.ptr == end && std::isfinite(value)) {
            if (value > 0 || (value == 0 && zeroAllowed))
                return value;
            error("rate", node, field, node.text + " is not possible", zeroAllowed ? "0 or more" : "a value above 0");
            return std::nullopt;
        }
        error("type", node, field, node.isScalar() ? quotedText(node.text) + " is no number" : "not a number", "a number without quotes");
        return std::nullopt;
    }

    /// `choice` and the member it names; of several such members the last one counts, as in the reference.
    template <typename Figure>
    std::optional<Figure> figure(const YamlNode& map, const std::string& field, const std::array<std::string_view, 3>& units)
    {
        if (!isMap(map, field))
            return std::nullopt;
        warnUnknown(map, field, {"choice", units[0], units[1], units[2]});
        int chosen = -1;
        int given = 0;
        for (const YamlEntry& entry : map.entries) {
            const bool isChoice = entry.key == "choice";
            if (entry.value.isNull())
                continue;
            const std::string_view unit = isChoice && entry.value.isScalar() ? std::string_view(entry.value.text) : std::string_view(entry.key);
            const auto found = std::find(units.begin(), units.end(), unit);
            if (found != units.end())
                chosen = static_cast<int>(found - units.begin());
            else if (isChoice)
                error("value", entry.value, field + ".choice", "unknown unit " + quotedText(unit),
                      std::string(units[0]) + ", " + std::string(units[1]) + " or " + std::string(units[2]));
            given += !isChoice && found != units.end() ? 1 : 0;
        }
        if (given > 1)
            report(Severity::Warning, "several-units", m_source.place(map, field), "several figures are given: " + (chosen < 0 ? std::string("none") : std::string(units[static_cast<std::size_t>(chosen)])) + " counts", "one");
        if (chosen < 0)
            return std::nullopt;
        const auto index = static_cast<std::size_t>(chosen);
        const YamlEntry* value = map.find(units[index]);
        if (!value || value->value.isNull())
            return std::nullopt;
        const auto read = number(value->value, field + '.' + std::string(units[index]), std::is_same_v<Figure, InfraLatency>);
        if (!read)
            return std::nullopt;
        Figure out;
        out.unit = static_cast<typename Figure::Unit>(chosen);
        out.value = *read;
        out.text = value->value.text;
        return out;
    }

    template <typename Item, typename ReadItem>
    void list(const YamlNode& map, const std::string& field, std::string_view key, bool required, std::vector<Item>& out, ReadItem readItem)
    {
        const YamlNode* node = member(map, field.empty() ? "" : field.substr(0, field.size() - 1), key, required);
        if (!node)
            return;
        const std::string path = field + std::string(key);
        if (!node->isSequence())
            return error("type", *node, path, "not a list");
        for (std::size_t i = 0; i < node->items.size(); ++i) {
            const std::string itemField = path + '[' + std::to_string(i) + ']';
            if (isMap(node->items[i], itemField))
                out.push_back(readItem(node->items[i], itemField));
        }
    }

    InfraLink readLink(const YamlNode& map, const std::string& field)
    {
        warnUnknown(map, field, {"name", "description", "physical"});
        InfraLink link;
        link.place = m_source.place(map, field);
        link.name = name(map, field, true);
        link.description = text(map, field, "description", false);
        const YamlNode* physical = member(map, field, "physical", false);
        if (!physical || !isMap(*physical, field + ".physical"))
            return link;
        warnUnknown(*physical, field + ".physical", {"bandwidth", "latency"});
        if (const YamlNode* node = member(*physical, field, "bandwidth", false))
            link.bandwidth = figure<InfraBandwidth>(*node, field + ".physical.bandwidth", {"gigabits_per_second", "gigabytes_per_second", "gigatransfers_per_second"});
        if (const YamlNode* node = member(*physical, field, "latency", false))
            link.latency = figure<InfraLatency>(*node, field + ".physical.latency", {"ms", "us", "ns"});
        return link;
    }

    InfraComponent readComponent(const YamlNode& map, const std::string& field)
    {
        warnUnknown(map, field, {"name", "description", "count", "choice", "custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch"});
        InfraComponent component;
        component.place = m_source.place(map, field);
        component.name = name(map, field, true);
        component.description = text(map, field, "description", false);
        component.count = count(map, field);
        bool chosen = false;
        for (const YamlEntry& entry : map.entries) {
            const bool isChoice = entry.key == "choice";
            const std::string_view word = isChoice && entry.value.isScalar() ? std::string_view(entry.value.text) : std::string_view(entry.key);
            bool known = false;
            for (int i = 0; i <= static_cast<int>(InfraChoice::Switch) && !entry.value.isNull(); ++i) {
                if (word == infraChoiceName(static_cast<InfraChoice>(i))) {
                    component.choice = static_cast<InfraChoice>(i);
                    known = chosen = true;
                }
            }
            if (isChoice && !known) {
                error("value", entry.value, field + ".choice", "unknown choice " + quotedText(word), "custom, device, cpu, xpu, nic, memory, port or switch");
                chosen = true;
            }
        }
        if (!chosen)
            error("missing-field", map, field, "\"choice\" is missing", "custom, device, cpu, xpu, nic, memory, port or switch");
        const YamlNode* custom = member(map, field, "custom", false);
        if (custom && isMap(*custom, field + ".custom"))
            component.customType = text(*custom, field + ".custom", "type", false);
        if (chosen && component.choice == InfraChoice::Custom && component.customType.empty())
            report(Severity::Warning, "custom-type", component.place, "the custom part " + component.name + " has no type: taken as \"custom\"", "custom: {type: ...}");
        return component;
    }

    InfraEndpoint readEndpoint(const YamlNode& map, const std::string& field, std::string_view key, const char* prefix)
    {
        InfraEndpoint endpoint;
        endpoint.place = m_source.place(map, field);
        const YamlNode* node = member(map, field, key, true);
        const std::string path = field + '.' + std::string(key);
        if (!node || !isMap(*node, path))
            return endpoint;
        warnUnknown(*node, path, {prefix, "component"});
        endpoint.place = m_source.place(*node, path);
        endpoint.prefix = text(*node, path, prefix, std::string_view(prefix) == "instance");
        endpoint.component = text(*node, path, "component", true);
        return endpoint;
    }

    InfraRule readRule(const YamlNode& map, const std::string& field, const char* prefix)
    {
        warnUnknown(map, field, {"ep1", "ep2", "scheme", "link"});
        InfraRule rule;
        rule.place = m_source.place(map, field);
        rule.ep1 = readEndpoint(map, field, "ep1", prefix);
        rule.ep2 = readEndpoint(map, field, "ep2", prefix);
        rule.link = text(map, field, "link", true);
        const YamlNode* scheme = member(map, field, "scheme", false);
        if (!scheme)
            return rule;
        for (const InfraScheme known : {InfraScheme::OneToOne, InfraScheme::ManyToMany, InfraScheme::Ring}) {
            if (scheme->isScalar() && scheme->text == infraSchemeName(known))
                rule.scheme = known;
        }
        if (!rule.scheme) {
            error("value", *scheme, field + ".scheme", "unknown scheme" + (scheme->isScalar() ? " " + quotedText(scheme->text) : std::string()), "one2one or many2many");
            rule.scheme = InfraScheme::OneToOne;
        }
        return rule;
    }

    InfraDevice readDevice(const YamlNode& map, const std::string& field)
    {
        warnUnknown(map, field, {"name", "description", "components", "links", "edges"});
        InfraDevice device;
        device.place = m_source.place(map, field);
        device.name = name(map, field, true);
        device.description = text(map, field, "description", false);
        const std::string inside = field.empty() ? "" : field + '.';
        list(map, inside, "components", true, device.components, [this](const YamlNode& item, const std::string& at) { return readComponent(item, at); });
        list(map, inside, "links", true, device.links, [this](const YamlNode& item, const std::string& at) { return readLink(item, at); });
        list(map, inside, "edges", true, device.rules, [this](const YamlNode& item, const std::string& at) { return readRule(item, at, "device"); });
        return device;
    }

    InfraInstance readInstance(const YamlNode& map, const std::string& field)
    {
        warnUnknown(map, field, {"name", "description", "device", "count"});
        InfraInstance instance;
        instance.place = m_source.place(map, field);
        instance.name = name(map, field, true);
        instance.description = text(map, field, "description", false);
        instance.device = text(map, field, "device", true);
        instance.count = count(map, field);
        return instance;
    }

    void readInfrastructure(const YamlNode& map, const std::string& field)
    {
        warnUnknown(map, field.empty() ? "" : field.substr(0, field.size() - 1), {"name", "description", "devices", "links", "instances", "edges"});
        const std::string own = field.empty() ? "" : field.substr(0, field.size() - 1);
        m_document.name = name(map, own, false);
        m_document.description = text(map, own, "description", false);
        list(map, field, "devices", false, m_document.devices, [this](const YamlNode& item, const std::string& at) { return readDevice(item, at); });
        list(map, field, "links", false, m_document.links, [this](const YamlNode& item, const std::string& at) { return readLink(item, at); });
        list(map, field, "instances", false, m_document.instances, [this](const YamlNode& item, const std::string& at) { return readInstance(item, at); });
        list(map, field, "edges", false, m_document.rules, [this](const YamlNode& item, const std::string& at) { return readRule(item, at, "instance"); });
    }

    void readLoneDevice(const YamlNode& map)
    {
        InfraDevice device = readDevice(map, "");
        InfraInstance instance;
        instance.name = instance.device = m_document.name = device.name;
        instance.count = 1;
        instance.place = device.place;
        m_document.devices.push_back(std::move(device));
        m_document.instances.push_back(std::move(instance));
        report(Severity::Note, "lone-device", m_source.place(map), "the document holds a device only: taken as one instance of it", {});
    }

    InfraAnnotation readAnnotation(const YamlNode& map, const std::string& field, bool edge)
    {
        InfraAnnotation annotation;
        annotation.place = m_source.place(map, field);
        annotation.first = text(map, field, edge ? "ep1" : "name", true);
        if (edge)
            annotation.second = text(map, field, "ep2", true);
        const YamlNode* attributes = member(map, field, "attributes", false);
        if (attributes && attributes->isSequence()) {
            for (std::size_t i = 0; i < attributes->items.size(); ++i)
                readAttribute(attributes->items[i], field + ".attributes[" + std::to_string(i) + ']', annotation.attributes);
        }
        return annotation;
    }

    void readAttribute(const YamlNode& map, const std::string& field, std::vector<InfraAttribute>& out)
    {
        if (!isMap(map, field))
            return;
        InfraAttribute attribute{text(map, field, "attribute", true), text(map, field, "value", true)};
        if (oneOf(attribute.name, {"type", "instance", "instance_idx", "device", "composed_device", "link"}))
            ++m_derived;
        else
            out.push_back(std::move(attribute));
    }

    void readAnnotations(const YamlNode& map)
    {
        if (map.isNull() || !isMap(map, "annotations"))
            return;
        warnUnknown(map, "annotations", {"nodes", "edges", "links", "graph"});
        const auto filled = [this](const YamlNode& list, const std::string& field, std::vector<InfraAnnotation>& out, bool edge) {
            if (list.isNull())
                return;
            if (!list.isSequence())
                return error("type", list, field, "not a list");
            for (std::size_t i = 0; i < list.items.size(); ++i) {
                const std::string at = field + '[' + std::to_string(i) + ']';
                if (!isMap(list.items[i], at))
                    continue;
                InfraAnnotation annotation = readAnnotation(list.items[i], at, edge);
                out.push_back(std::move(annotation));
            }
        };
        for (const YamlEntry& entry : map.entries) {
            const std::string field = "annotations." + entry.key;
            if (entry.key == "nodes")
                filled(entry.value, field, m_document.nodeAnnotations, false);
            else if (entry.key == "edges")
                filled(entry.value, field, m_document.edgeAnnotations, true);
            else if (entry.key == "links")
                filled(entry.value, field, m_document.linkAnnotations, false);
            else if (entry.key == "graph" && entry.value.isSequence())
                for (std::size_t i = 0; i < entry.value.items.size(); ++i)
                    readAttribute(entry.value.items[i], field + '[' + std::to_string(i) + ']', m_document.graphAttributes);
        }
        if (m_derived > 0)
            report(Severity::Note, "derived-attributes", m_source.place(map, "annotations"), std::to_string(m_derived) + " attributes that follow from the document itself are ignored", {});
    }

    const std::stop_token& m_stop;
    const YamlDocument& m_source;
    InfraReading& m_reading;
    InfraDocument& m_document;
    std::set<std::string> m_unknown;
    std::int64_t m_derived = 0;
};

/// JSON that the YAML reader stumbles over (tabs before keys) is written anew; places are then those of the new text.
Result<YamlDocument> parseEither(const std::string& text, const std::string& file, const std::stop_token& stop)
{
    auto document = YamlDocument::parse(text, file, stop);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (document || first == std::string::npos || text[first] != '{')
        return document;
    // In one line: with indentation nested lists would grow many times.
    const std::string written = [&] {
        const auto json = parseJson(text, file, stop);
        std::string line;
        if (json)
            appendJson(line, json.value().root, stop);
        return line;
    }();
    if (written.empty())
        return document;
    auto again = YamlDocument::parse(written, file, stop);
    return again ? std::move(again) : std::move(document);
}

} // namespace

InfraReading inspectInfraGraph(const std::string& text, const std::string& file, const std::stop_token& stop)
{
    InfraReading reading;
    reading.document.file = file;
    auto source = parseEither(text, file, stop);
    checkStop(stop);
    if (!source) {
        reading.sound = false;
        reading.diagnostics.push_back(finding("infragraph-syntax", std::move(source).error()));
        return reading;
    }
    const auto failed = [&] {
        return std::any_of(reading.diagnostics.begin(), reading.diagnostics.end(), [](const Diagnostic& found) { return found.severity == Severity::Error; });
    };
    Reader(source.value(), reading, stop).read();
    if (!failed())
        checkInfraGraph(reading.document, reading.diagnostics, stop);
    reading.sound = !failed();
    if (reading.sound)
        checkInfraExpansion(reading.document, reading.diagnostics, stop);
    return reading;
}

} // namespace fabricscope
