#include "core/yaml/tree.h"

#include "core/base/stop.h"

#include <charconv>

namespace fabricscope {

YamlNode::YamlNode() = default;
YamlNode::YamlNode(const YamlNode& other) = default;
YamlNode::YamlNode(YamlNode&& other) noexcept = default;
YamlNode& YamlNode::operator=(const YamlNode& other) = default;
YamlNode& YamlNode::operator=(YamlNode&& other) noexcept = default;
YamlNode::~YamlNode() = default;

const YamlEntry* YamlNode::find(std::string_view key) const
{
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
    return found == entries.end() ? nullptr : &*found;
}

YamlEntry* YamlNode::find(std::string_view key)
{
    return const_cast<YamlEntry*>(std::as_const(*this).find(key));
}

void YamlNode::add(std::string key, YamlNode value)
{
    YamlEntry entry;
    entry.key = std::move(key);
    entry.value = std::move(value);
    entries.push_back(std::move(entry));
}

void YamlNode::set(std::string key, YamlNode value)
{
    if (YamlEntry* const entry = find(key))
        entry->value = std::move(value);
    else
        add(std::move(key), std::move(value));
}

YamlNode YamlNode::scalar(std::string text)
{
    YamlNode node;
    node.kind = Kind::Scalar;
    node.text = std::move(text);
    return node;
}

YamlNode YamlNode::sequence(std::vector<YamlNode> items)
{
    YamlNode node;
    node.kind = Kind::Sequence;
    node.items = std::move(items);
    return node;
}

YamlNode YamlNode::map()
{
    YamlNode node;
    node.kind = Kind::Map;
    return node;
}

bool sameContent(const YamlNode& a, const YamlNode& b)
{
    if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() || a.entries.size() != b.entries.size())
        return false;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (!sameContent(a.items[i], b.items[i]))
            return false;
    }
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
        if (a.entries[i].key != b.entries[i].key || !sameContent(a.entries[i].value, b.entries[i].value))
            return false;
    }
    return true;
}

Result<YamlPath> parseYamlPath(std::string_view path)
{
    const auto refuse = [&] {
        return invalidInput('"' + std::string(path) + "\" is not a path", {}, "keys and item numbers, like platform.dimensions.0.bandwidth");
    };
    YamlPath steps;
    std::string step;
    bool closed = false; // behind a "]", where a dot or another "[" must follow
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (c == '.') {
            if (step.empty() && !closed)
                return refuse();
            if (!closed)
                steps.push_back(std::exchange(step, {}));
            closed = false;
            if (i + 1 == path.size())
                return refuse();
        } else if (c == '[') {
            if (step.empty() && !closed)
                return refuse();
            if (!closed)
                steps.push_back(std::exchange(step, {}));
            const auto close = path.find(']', i);
            if (close == std::string_view::npos || close == i + 1)
                return refuse();
            steps.emplace_back(path.substr(i + 1, close - i - 1));
            i = close;
            closed = true;
        } else if (closed) {
            return refuse();
        } else {
            step += c;
        }
    }
    if (!closed) {
        if (step.empty())
            return refuse();
        steps.push_back(step);
    }
    if (steps.size() > static_cast<std::size_t>(YamlDocument::kMaxDepth))
        return refuse();
    return steps;
}

std::string yamlPathText(const YamlPath& path)
{
    std::string text;
    for (const std::string& step : path) {
        const bool number = !step.empty() && std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (number && !text.empty())
            text += "[" + step + "]";
        else
            text += (text.empty() ? "" : ".") + step;
    }
    return text;
}

namespace {

/// Whether the text can stand without quotes and be read back as the same text.
bool isPlain(const std::string& text, bool inFlow)
{
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
        return false;
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    if (blank(text.front()) || blank(text.back()) || text.back() == ':')
        return false;
    if (std::string_view(",[]{}#&*!|>'\"%@`?:").find(text.front()) != std::string_view::npos)
        return false;
    if (text.front() == '-' && (text.size() == 1 || blank(text[1]) || text[1] == '-'))
        return false;
    if (text == "..." || text == "<<" || text == "=")
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return false;
        if (inFlow && std::string_view(",?[]{}").find(c) != std::string_view::npos)
            return false;
        if (c == ':' && (inFlow || blank(text[i + 1])))
            return false;
        if (c == '#' && blank(text[i - 1]))
            return false;
    }
    return true;
}

std::string quoted(const std::string& text)
{
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

} // namespace

std::string renderYaml(const YamlNode& node, bool inFlow, const std::stop_token& stop)
{
    checkStop(stop);
    std::string out;
    switch (node.kind) {
    case YamlNode::Kind::Null:
        return "null";
    case YamlNode::Kind::Scalar:
        return isPlain(node.text, inFlow) ? node.text : quoted(node.text);
    case YamlNode::Kind::Sequence:
        for (const YamlNode& item : node.items)
            out += (out.empty() ? "" : ", ") + renderYaml(item, true, stop);
        return "[" + out + "]";
    case YamlNode::Kind::Map:
        break;
    }
    for (const YamlEntry& entry : node.entries)
        out += (out.empty() ? "" : ", ") + renderYaml(YamlNode::scalar(entry.key), true) + ": " + renderYaml(entry.value, true, stop);
    return "{" + out + "}";
}

const YamlNode* YamlDocument::find(std::string_view path) const
{
    const auto steps = parseYamlPath(path);
    return steps ? find(steps.value()) : nullptr;
}

const YamlNode* YamlDocument::find(const YamlPath& path) const
{
    const YamlNode* node = m_root.get();
    for (const std::string& step : path) {
        if (node->isMap()) {
            const YamlEntry* entry = node->find(step);
            if (!entry)
                return nullptr;
            node = &entry->value;
        } else if (node->isSequence()) {
            std::size_t index = 0;
            const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
            if (error != std::errc{} || end != step.data() + step.size() || index >= node->items.size())
                return nullptr;
            node = &node->items[index];
        } else {
            return nullptr;
        }
    }
    return node;
}

Place placeOfNode(const YamlNode& node, const std::string& file, std::string field)
{
    Place place;
    place.file = node.origin.empty() ? file : node.origin;
    if (node.origin.empty()) {
        place.line = node.line;
        place.column = node.column;
    }
    place.field = std::move(field);
    return place;
}

} // namespace fabricscope
