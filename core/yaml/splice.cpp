// Editing: every edit is worked out twice, as a splice of the text and as a change of the tree. The new text is read back and
// must give the changed tree; otherwise the edit is refused and nothing has happened.

#include "core/yaml/tree.h"

#include <atomic>
#include <charconv>

namespace fabricscope {

namespace {

std::optional<std::size_t> itemNumber(const std::string& step)
{
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (step.empty() || error != std::errc{} || end != step.data() + step.size())
        return std::nullopt;
    return index;
}

/// The value wrapped in the steps from `first` on, for keys that do not exist yet.
YamlNode nested(const YamlPath& steps, std::size_t first, const YamlNode& value)
{
    if (first == steps.size())
        return value;
    YamlNode inner = nested(steps, first + 1, value);
    if (steps[first] == "0")
        return YamlNode::sequence({std::move(inner)});
    YamlNode node = YamlNode::map();
    node.add(steps[first], std::move(inner));
    return node;
}

void stamp(YamlNode& node, const std::string& origin)
{
    node.origin = origin;
    node.line = node.column = 0;
    for (YamlNode& item : node.items)
        stamp(item, origin);
    for (YamlEntry& entry : node.entries)
        stamp(entry.value, origin);
}

Error pathError(const YamlPath& steps, std::size_t count, std::string message, std::string expected = {})
{
    Place place;
    place.field = yamlPathText(YamlPath(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count)));
    return invalidInput(std::move(message), place, std::move(expected));
}

/// How far a path leads into an existing tree.
template <typename Node>
struct WalkOf {
    Node* node = nullptr;
    Node* parent = nullptr;
    std::size_t depth = 0;  ///< Steps that exist.
    std::size_t index = 0;  ///< Of `node` in `parent`.
    bool inFlow = false;    ///< `node` stands inside [] or {}.
    bool shared = false;    ///< An alias or aliased anchor lies on the way.
};
using Walk = WalkOf<YamlNode>;

template <typename Node>
Result<WalkOf<Node>> walk(Node& root, const YamlPath& steps)
{
    WalkOf<Node> at;
    at.node = &root;
    at.shared = root.shared;
    for (; at.depth < steps.size(); ++at.depth) {
        const std::string& step = steps[at.depth];
        Node* child = nullptr;
        if (at.node->isMap()) {
            auto* const entry = at.node->find(step);
            if (!entry)
                return at;
            child = &entry->value;
            at.index = static_cast<std::size_t>(entry - at.node->entries.data());
        } else if (at.node->isSequence()) {
            const auto index = itemNumber(step);
            const std::size_t length = at.node->items.size();
            if (!index || *index > length)
                return pathError(steps, at.depth + 1, "there is no item \"" + step + "\" in a list of " + std::to_string(length),
                                 "0 to " + std::to_string(length));
            if (*index == length)
                return at;
            child = &at.node->items[*index];
            at.index = *index;
        } else if (at.node->isNull()) {
            return at;
        } else {
            return pathError(steps, at.depth, "\"" + at.node->text + "\" is a value and has no \"" + step + "\"");
        }
        at.inFlow = at.inFlow || at.node->flow;
        at.parent = at.node;
        at.node = child;
        at.shared = at.shared || child->shared;
    }
    return at;
}

/// The tree half of `set`; nodes of an overlay carry their origin.
void setInTree(Walk& at, const YamlPath& steps, const YamlNode& value, const std::string& origin = {})
{
    const bool replaces = at.depth == steps.size() || at.node->isNull();
    YamlNode node = nested(steps, at.depth + (replaces ? 0 : 1), value);
    if (!origin.empty())
        stamp(node, origin);
    if (replaces) {
        *at.node = std::move(node);
    } else if (at.node->isMap()) {
        at.node->add(steps[at.depth], std::move(node));
    } else {
        at.node->items.push_back(std::move(node));
    }
}

} // namespace

/// Where a node hangs: what stands before it and whether it is inside [] or {}.
struct YamlDocument::Slot {
    std::size_t holderEnd = 0; ///< Behind the colon or dash.
    bool needsColon = false;   ///< A flow map names only the key.
    bool isRoot = false;
    bool inFlow = false;
};

Error YamlDocument::refusal(const YamlNode& node, std::string message) const
{
    return {ErrorCode::Unsupported, std::move(message), place(node), {}};
}

std::size_t YamlDocument::lineStart(std::size_t offset) const
{
    const std::size_t before = offset == 0 ? std::string::npos : m_text.rfind('\n', offset - 1);
    return before == std::string::npos ? 0 : before + 1;
}

std::size_t YamlDocument::lineEnd(std::size_t offset) const
{
    const std::size_t end = std::min(m_text.find('\n', offset), m_text.size());
    return end > offset && m_text[end - 1] == '\r' ? end - 1 : end;
}

std::string YamlDocument::newline() const
{
    const std::size_t first = m_text.find('\n');
    return first != std::string::npos && first > 0 && m_text[first - 1] == '\r' ? "\r\n" : "\n";
}

Status YamlDocument::splice(std::size_t begin, std::size_t end, const std::string& replacement, const YamlNode& expected)
{
    std::string text = m_text;
    text.replace(begin, end - begin, replacement);
    auto edited = parse(std::move(text), m_file);
    if (!edited || !sameContent(edited.value().root(), expected)) {
        Place place;
        place.file = m_file;
        place.line = 1 + static_cast<int>(std::count(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
        return Error{ErrorCode::Unsupported, "this place is written in a way that cannot be edited here; change it as text", place, {}};
    }
    *this = std::move(edited).value();
    return {};
}

Status YamlDocument::replaceNode(const YamlNode& node, const Slot& slot, const YamlNode& value, const YamlNode& expected)
{
    const bool collection = value.isSequence() || value.isMap();
    const std::string text = renderYaml(value, slot.inFlow);
    const bool block = (node.isSequence() || node.isMap()) && !node.flow;
    const bool absent = node.isNull() && node.valueBegin == node.end;
    if (slot.isRoot) {
        if (!absent)
            return splice(node.valueBegin, node.end, text, expected);
        if (!value.isMap() || m_text.find("---") != std::string::npos)
            return splice(m_text.size(), m_text.size(), text + newline(), expected);
        std::string lines = !m_text.empty() && m_text.back() != '\n' ? newline() : "";
        for (const YamlEntry& entry : value.entries)
            lines += renderYaml(YamlNode::scalar(entry.key), false) + ": " + renderYaml(entry.value, false) + newline();
        return splice(m_text.size(), m_text.size(), lines, expected);
    }
    if (block && node.valueBegin != node.begin)
        return splice(node.valueBegin, node.end, text, expected);
    if (block || absent)
        return splice(slot.holderEnd, block ? node.end : slot.holderEnd, (slot.needsColon ? ": " : " ") + text, expected);
    const bool glued = node.valueBegin > 0 && m_text[node.valueBegin - 1] == ':' && !collection; // {"a":1}
    return splice(node.valueBegin, node.end, (glued ? " " : "") + text, expected);
}

Status YamlDocument::createEntry(const YamlNode& map, const std::string& key, const YamlNode& value, bool inFlow, const YamlNode& expected)
{
    const std::string pair = renderYaml(YamlNode::scalar(key), inFlow || map.flow) + ": " + renderYaml(value, inFlow || map.flow);
    if (map.flow) {
        if (map.entries.empty())
            return splice(map.valueBegin + 1, map.valueBegin + 1, pair, expected);
        const std::size_t end = map.entries.back().value.end;
        return splice(end, end, ", " + pair, expected);
    }
    const std::size_t key0 = map.entries.front().keyBegin;
    const std::size_t bom = m_text.compare(0, 3, "\xef\xbb\xbf") == 0 && lineStart(key0) == 0 ? 3 : 0;
    const std::size_t end = lineEnd(map.entries.back().value.end);
    return splice(end, end, newline() + std::string(key0 - lineStart(key0) - bom, ' ') + pair, expected);
}

Status YamlDocument::createItem(const YamlNode& sequence, std::size_t index, const YamlNode& value, bool inFlow, const YamlNode& expected)
{
    const std::string text = renderYaml(value, inFlow || sequence.flow);
    const bool last = index == sequence.items.size();
    if (sequence.flow) {
        if (sequence.items.empty())
            return splice(sequence.valueBegin + 1, sequence.valueBegin + 1, text, expected);
        const std::size_t at = last ? sequence.items.back().end : sequence.items[index].begin;
        return splice(at, at, last ? ", " + text : text + ", ", expected);
    }
    const std::size_t dash = sequence.items.front().marker;
    const std::string indent(dash - lineStart(dash), ' ');
    if (!last) {
        const std::size_t at = sequence.items[index].marker;
        return splice(at, at, "- " + text + newline() + indent, expected);
    }
    const std::size_t end = lineEnd(sequence.items.back().end);
    return splice(end, end, newline() + indent + "- " + text, expected);
}

Status YamlDocument::removeChild(const YamlNode& parent, std::size_t index, const Slot& slot, const YamlNode& expected)
{
    const std::size_t count = parent.isMap() ? parent.entries.size() : parent.items.size();
    const auto begin = [&](std::size_t i) {
        return parent.isMap() ? parent.entries[i].keyBegin : parent.flow ? parent.items[i].begin : parent.items[i].marker;
    };
    const auto end = [&](std::size_t i) { return parent.isMap() ? parent.entries[i].value.end : parent.items[i].end; };
    if (count == 1 && !parent.flow)
        return replaceNode(parent, slot, parent.isMap() ? YamlNode::map() : YamlNode::sequence(), expected);
    if (parent.flow) {
        if (index + 1 < count)
            return splice(begin(index), begin(index + 1), {}, expected);
        return splice(index > 0 ? end(index - 1) : begin(index), end(index), {}, expected);
    }
    const std::size_t start = lineStart(begin(index));
    if (m_text.find_first_not_of(" ", start) != begin(index)) // shares its line with the dash of the item it is in
        return splice(begin(index), begin(index + 1), {}, expected);
    const std::size_t next = m_text.find('\n', end(index));
    return splice(start, next == std::string::npos ? m_text.size() : next + 1, {}, expected);
}

Status YamlDocument::set(std::string_view path, const std::string& scalar)
{
    return set(path, YamlNode::scalar(scalar));
}

Status YamlDocument::set(std::string_view path, const YamlNode& value)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    YamlNode expected = root();
    auto target = walk(expected, steps.value());
    if (!target)
        return target.error();
    auto source = walk(root(), steps.value());
    const WalkOf<const YamlNode>& at = source.value();
    if (at.shared)
        return refusal(*at.node, "this value is shared through an anchor and its aliases; change it as text");
    if (!m_editable)
        return refusal(root(), "this file is written in a way that cannot be edited here; change it as text");
    setInTree(target.value(), steps.value(), value);

    if (at.depth < steps.value().size() && at.node->isMap())
        return createEntry(*at.node, steps.value()[at.depth], nested(steps.value(), at.depth + 1, value), at.inFlow, expected);
    if (at.depth < steps.value().size() && at.node->isSequence())
        return createItem(*at.node, at.node->items.size(), nested(steps.value(), at.depth + 1, value), at.inFlow, expected);
    Slot slot{.isRoot = !at.parent, .inFlow = at.inFlow};
    if (at.parent && at.parent->isMap()) {
        const YamlEntry& entry = at.parent->entries[at.index];
        slot.needsColon = entry.colon == entry.keyEnd && (entry.colon >= m_text.size() || m_text[entry.colon] != ':');
        slot.holderEnd = entry.colon + (slot.needsColon ? 0 : 1);
    } else if (at.parent) {
        slot.holderEnd = at.node->marker + 1;
    }
    return replaceNode(*at.node, slot, nested(steps.value(), at.depth, value), expected);
}

Status YamlDocument::insert(std::string_view path, const YamlNode& value)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    const YamlPath above(steps.value().begin(), steps.value().end() - 1);
    YamlNode expected = root();
    auto target = walk(expected, above);
    if (!target)
        return target.error();
    const auto index = itemNumber(steps.value().back());
    const bool found = target.value().depth == above.size() && target.value().node->isSequence();
    if (!found && index == 0)
        return set(path, value); // creates the list
    if (!found || !index || *index > target.value().node->items.size())
        return pathError(steps.value(), steps.value().size(), "there is no such place in a list");
    if (target.value().shared)
        return refusal(*target.value().node, "this value is shared through an anchor and its aliases; change it as text");
    if (!m_editable)
        return refusal(root(), "this file is written in a way that cannot be edited here; change it as text");
    const YamlNode& sequence = *walk(root(), above).value().node;
    auto& items = target.value().node->items;
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), value);
    return createItem(sequence, *index, value, target.value().inFlow, expected);
}

Status YamlDocument::remove(std::string_view path)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    YamlNode expected = root();
    auto target = walk(expected, steps.value());
    if (!target)
        return target.error();
    if (target.value().depth < steps.value().size())
        return pathError(steps.value(), steps.value().size(), "there is nothing to remove");
    if (target.value().parent->shared || target.value().shared)
        return refusal(*target.value().node, "this value is shared through an anchor and its aliases; change it as text");
    if (!m_editable)
        return refusal(root(), "this file is written in a way that cannot be edited here; change it as text");

    const std::size_t index = target.value().index;
    YamlNode& parent = *target.value().parent;
    if (parent.isMap())
        parent.entries.erase(parent.entries.begin() + static_cast<std::ptrdiff_t>(index));
    else
        parent.items.erase(parent.items.begin() + static_cast<std::ptrdiff_t>(index));

    const YamlPath above(steps.value().begin(), steps.value().end() - 1);
    const WalkOf<const YamlNode> holder = walk(root(), above).value();
    Slot slot{.isRoot = !holder.parent, .inFlow = holder.inFlow};
    if (holder.parent)
        slot.holderEnd = holder.parent->isMap() ? holder.parent->entries[holder.index].colon + 1 : holder.node->marker + 1;
    return removeChild(*holder.node, index, slot, expected);
}

YamlNode& YamlDocument::ownRoot()
{
    if (m_root.use_count() > 1)
        m_root = std::make_shared<YamlNode>(*m_root);
    else
        std::atomic_thread_fence(std::memory_order_acquire); // What another thread read of it before it let go was read before.
    return *m_root;
}

Status YamlDocument::overlay(std::string_view path, const std::string& value, const std::string& origin)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    YamlNode node = YamlNode::scalar(value);
    if (!value.empty() && (value.front() == '[' || value.front() == '{')) {
        auto fragment = parse(value, origin);
        if (!fragment)
            return fragment.error();
        node = fragment.value().root();
    }
    auto target = walk(ownRoot(), steps.value());
    if (!target)
        return target.error();
    setInTree(target.value(), steps.value(), node, origin);
    m_editable = false; // the offsets of the tree no longer cover it
    return {};
}

Status YamlDocument::overlay(std::string_view path, const YamlNode& value)
{
    const auto steps = parseYamlPath(path);
    if (!steps)
        return steps.error();
    auto target = walk(ownRoot(), steps.value());
    if (!target)
        return target.error();
    setInTree(target.value(), steps.value(), value);
    m_editable = false;
    return {};
}

} // namespace fabricscope
