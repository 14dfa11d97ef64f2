#include "core/yaml/fieldreader.h"

#include "core/base/nearestword.h"
#include "core/base/stop.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricscope {

void FieldContext::error(const YamlNode& node, const std::string& field, std::string message, std::string expected, ErrorCode code)
{
    error({code, std::move(message), document.place(node, field), std::move(expected)}, code == ErrorCode::Unsupported ? "unsupported" : "design-field");
}

void FieldContext::error(Error problem, std::string rule)
{
    if (!m_firstError)
        m_firstError = problem;
    // Nobody reads more, and millions would take many times the memory of the file.
    constexpr std::size_t kMost = 1000;
    if (diagnostics.size() < kMost)
        diagnostics.push_back(finding(std::move(rule), std::move(problem)));
    else if (diagnostics.size() == kMost)
        diagnostics.push_back(finding("more-errors", {ErrorCode::InvalidInput, "more errors follow that are not listed", {}, {}}));
}

std::string nearestOf(std::string_view given, const std::vector<std::string_view>& known)
{
    std::string text;
    for (const std::string_view key : known)
        text += (text.empty() ? "" : ", ") + std::string(key);
    const std::string_view best = nearestWord(given, known);
    return best.empty() ? text : text + "; nearest: " + std::string(best);
}

std::optional<std::string> readText(FieldContext& context, const YamlNode& node, const std::string& field)
{
    if (node.isScalar())
        return node.text;
    context.error(node, field, node.isNull() ? "no value" : "a text is needed here, not a list or mapping");
    return std::nullopt;
}

std::optional<Quantity> readQuantity(FieldContext& context, const YamlNode& node, const std::string& field, Measure measure)
{
    if (context.watch)
        context.watch->quantity(node, field, measure);
    const auto given = readText(context, node, field);
    if (!given)
        return std::nullopt;
    auto quantity = parseQuantity(*given, measure);
    if (quantity)
        return std::move(quantity).value();
    context.error(node, field, quantity.error().message, quantity.error().expected);
    return std::nullopt;
}

std::optional<std::int64_t> readInteger(FieldContext& context, const YamlNode& node, const std::string& field, std::int64_t least, std::int64_t most)
{
    const auto given = readText(context, node, field);
    if (!given)
        return std::nullopt;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(given->data(), given->data() + given->size(), value);
    if (problem == std::errc{} && end == given->data() + given->size() && value >= least && value <= most)
        return value;
    context.error(node, field, "\"" + *given + "\" is not possible here", "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
}

MapReader::MapReader(FieldContext& context, const YamlNode& node, std::string field, std::vector<std::string_view> known)
    : m_context(context)
    , m_node(node)
    , m_field(std::move(field))
{
    checkStop(m_context.stop);
    if (!node.isMap()) {
        std::string keys;
        for (const std::string_view key : known)
            keys += (keys.empty() ? "" : ", ") + std::string(key);
        m_context.error(node, m_field, node.isNull() ? "no value" : "a mapping is needed here", "keys of " + keys);
        return;
    }
    if (m_context.watch)
        m_context.watch->keys(node, m_field, known);
    for (const YamlEntry& entry : node.entries) {
        if (std::find(known.begin(), known.end(), entry.key) != known.end())
            continue;
        YamlNode at = YamlNode::scalar(entry.key);
        at.line = entry.line;
        at.column = entry.column;
        at.origin = entry.value.origin;
        m_context.error(at, this->field(entry.key), "unknown key \"" + entry.key + "\"", "one of " + nearestOf(entry.key, known));
    }
}

std::string MapReader::field(std::string_view key) const
{
    return m_field.empty() ? std::string(key) : m_field + "." + std::string(key);
}

const YamlNode* MapReader::node(std::string_view key) const
{
    const YamlEntry* entry = m_node.isMap() ? m_node.find(key) : nullptr;
    if (!entry)
        return nullptr;
    if (entry->value.isNull()) {
        m_context.error(entry->value, field(key), "no value");
        return nullptr;
    }
    return &entry->value;
}

const YamlNode* MapReader::required(std::string_view key) const
{
    if (m_node.isMap() && !m_node.find(key))
        m_context.error(m_node, m_field, "\"" + std::string(key) + "\" is missing");
    return node(key);
}

std::optional<std::string> MapReader::text(std::string_view key) const
{
    const YamlNode* value = node(key);
    if (!value)
        return std::nullopt;
    if (value->isScalar())
        return value->text; // Without putting together the name of the field, which only errors need.
    return readText(m_context, *value, field(key));
}

std::optional<Quantity> MapReader::quantity(std::string_view key, Measure measure) const
{
    const YamlNode* value = node(key);
    if (!value)
        return std::nullopt;
    if (value->isScalar() && !m_context.watch) {
        if (auto quantity = parseQuantity(value->text, measure))
            return std::move(quantity).value();
    }
    return readQuantity(m_context, *value, field(key), measure);
}

std::optional<std::int64_t> MapReader::integer(std::string_view key, std::int64_t least, std::int64_t most) const
{
    const YamlNode* value = node(key);
    return value ? readInteger(m_context, *value, field(key), least, most) : std::nullopt;
}

std::optional<std::int32_t> MapReader::integer32(std::string_view key, std::int32_t least, std::int32_t most) const
{
    const auto value = integer(key, least, most);
    return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}

std::optional<double> MapReader::number(std::string_view key, double least) const
{
    const auto given = text(key);
    if (!given)
        return std::nullopt;
    double value = 0;
    const auto [end, problem] = std::from_chars(given->data(), given->data() + given->size(), value);
    if (problem == std::errc{} && end == given->data() + given->size() && std::isfinite(value) && value > least)
        return value;
    error(key, "\"" + *given + "\" is not possible here", least < -1e9 ? "a number" : "a number above " + std::to_string(static_cast<int>(least)));
    return std::nullopt;
}

std::optional<bool> MapReader::boolean(std::string_view key) const
{
    return choice<bool>(key, {{"true", true}, {"false", false}});
}

std::vector<std::pair<const YamlNode*, std::string>> MapReader::list(std::string_view key) const
{
    std::vector<std::pair<const YamlNode*, std::string>> items;
    const YamlNode* value = node(key);
    if (!value)
        return items;
    if (!value->isSequence()) {
        error(key, "a list is needed here");
        return items;
    }
    for (std::size_t i = 0; i < value->items.size(); ++i) {
        checkStop(m_context.stop);
        items.emplace_back(&value->items[i], field(key) + "[" + std::to_string(i) + "]");
    }
    return items;
}

void MapReader::watchWords(std::string_view key, const std::vector<std::string_view>& known) const
{
    if (const YamlNode* value = m_context.watch ? node(key) : nullptr)
        m_context.watch->words(*value, field(key), known);
}

void MapReader::error(std::string_view key, std::string message, std::string expected, ErrorCode code) const
{
    const YamlEntry* entry = m_node.isMap() ? m_node.find(key) : nullptr;
    m_context.error(entry ? entry->value : m_node, field(key), std::move(message), std::move(expected), code);
}

} // namespace fabricscope
