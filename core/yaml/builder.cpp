#include "core/yaml/builder.h"

#include "core/base/stop.h"
#include "core/base/showntext.h"

#include <algorithm>
#include <iterator>
#include <yaml-cpp/mark.h>

namespace fabricscope {

namespace {

YamlRefusal refusal(std::string message, const YAML::Mark& mark, std::string expected = {})
{
    return {std::move(message), mark.line + 1, mark.column + 1, std::move(expected)};
}

YamlRefusal tooDeep(const YAML::Mark& mark)
{
    return refusal("nested too deeply", mark, "at most " + std::to_string(YamlDocument::kMaxDepth) + " levels");
}

void setPlace(YamlNode& node, const YAML::Mark& mark)
{
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    node.begin = static_cast<std::size_t>(std::max(mark.pos, 0));
}

void markShared(YamlNode& node, int depth, const YAML::Mark& mark)
{
    if (depth > YamlDocument::kMaxDepth)
        throw tooDeep(mark);
    node.shared = true;
    for (YamlNode& item : node.items)
        markShared(item, depth + 1, mark);
    for (YamlEntry& entry : node.entries)
        markShared(entry.value, depth + 1, mark);
}

/// Of a short text: none.
std::size_t heapBytes(const std::string& text)
{
    constexpr std::size_t kInside = 15;
    constexpr std::size_t kBlock = 32;
    return text.size() <= kInside ? 0 : text.size() + kBlock;
}

/// Moves the last children of the stack into a vector of their number.
template <typename T>
std::vector<T> takeLast(std::deque<T>& stack, std::size_t first, YamlCost& cost)
{
    const std::size_t bytes = (stack.size() - first) * sizeof(T);
    cost.add(bytes);
    std::vector<T> out(std::make_move_iterator(stack.begin() + static_cast<std::ptrdiff_t>(first)), std::make_move_iterator(stack.end()));
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    cost.release(bytes);
    return out;
}

/// What an entry of Frame::keys takes.
constexpr std::size_t kKeyBytes = 64;

} // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark)
{
    if (++m_documents > 1)
        throw refusal("a second document starts here", mark, "one document per file");
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    add(make(YamlNode::Kind::Null, mark, anchor));
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value)
{
    YamlNode node = make(YamlNode::Kind::Scalar, mark, anchor);
    m_cost.add(heapBytes(value));
    m_text += heapBytes(value);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    m_cost.tokensTaken(mark.line + 1);
    const auto found = m_anchors.find(anchor);
    if (found == m_anchors.end())
        throw refusal("the alias refers to a value that is not complete yet", mark);
    const Anchor& target = found->second;
    m_expanded += target.nodes;
    if (m_expanded > YamlDocument::kMaxAliasNodes)
        throw refusal("aliases expand to more than " + std::to_string(YamlDocument::kMaxAliasNodes) + " values", mark);
    m_cost.add(target.text + (target.nodes - 1) * sizeof(YamlEntry));
    aliased.insert(anchor);
    YamlNode node = target.value ? *target.value : at(target.path);
    markShared(node, 1 + static_cast<int>(m_open.size()), mark);
    setPlace(node, mark);
    node.anchor = 0;
    m_nodes += target.nodes - 1;
    m_text += target.text;
    add(std::move(node));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value style)
{
    open(make(YamlNode::Kind::Sequence, mark, anchor), mark, style);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value style)
{
    open(make(YamlNode::Kind::Map, mark, anchor), mark, style);
}

YamlNode YamlBuilder::make(YamlNode::Kind kind, const YAML::Mark& mark, std::size_t anchor)
{
    checkStop(m_stop);
    m_cost.tokensTaken(mark.line + 1);
    YamlNode node;
    node.kind = kind;
    node.anchor = anchor;
    setPlace(node, mark);
    return node;
}

void YamlBuilder::open(YamlNode node, const YAML::Mark& mark, YAML::EmitterStyle::value style)
{
    if (m_open.size() >= static_cast<std::size_t>(YamlDocument::kMaxDepth))
        throw tooDeep(mark);
    if (!m_open.empty() && m_open.back().node.isMap() && !m_open.back().haveKey)
        throw refusal(kKeyNotPlain, mark);
    node.flow = style == YAML::EmitterStyle::Flow;
    Frame frame;
    frame.node = std::move(node);
    frame.firstItem = m_items.size();
    frame.firstEntry = m_entries.size();
    frame.firstNode = m_nodes;
    frame.firstText = m_text;
    m_open.push_back(std::move(frame));
}

void YamlBuilder::close()
{
    Frame frame = std::move(m_open.back());
    m_open.pop_back();
    m_cost.release(frame.keys.size() * kKeyBytes);
    frame.keys.clear();
    frame.node.items = takeLast(m_items, frame.firstItem, m_cost);
    frame.node.entries = takeLast(m_entries, frame.firstEntry, m_cost);
    if (frame.node.anchor != 0) {
        remember(frame.node);
        m_anchors[frame.node.anchor].nodes = m_nodes - frame.firstNode + 1;
        m_anchors[frame.node.anchor].text = m_text - frame.firstText;
    }
    add(std::move(frame.node));
}

void YamlBuilder::remember(const YamlNode& node)
{
    constexpr std::size_t kAnchorBytes = 256; // Here and in yaml-cpp.
    m_cost.add(kAnchorBytes + sizeof(std::uint32_t) * m_open.size());
    Anchor anchor;
    if (node.isScalar() || node.isNull()) {
        m_cost.add(sizeof(YamlNode) + heapBytes(node.text));
        anchor.value = std::make_unique<YamlNode>(node);
        anchor.text = heapBytes(node.text);
    } else {
        std::transform(m_open.begin(), m_open.end(), std::back_inserter(anchor.path), [](const Frame& frame) { return frame.children; });
    }
    m_anchors[node.anchor] = std::move(anchor);
}

const YamlNode& YamlBuilder::at(const std::vector<std::uint32_t>& path) const
{
    // The way leads through collections that are still open, then through one that waits for its parent, then through a complete tree.
    std::size_t level = 0;
    while (path[level] == m_open[level].children)
        ++level;
    const Frame& frame = m_open[level];
    const YamlNode* node = frame.node.isSequence() ? &m_items[frame.firstItem + path[level]] : &m_entries[frame.firstEntry + path[level]].value;
    for (++level; level < path.size(); ++level)
        node = node->isSequence() ? &node->items[path[level]] : &node->entries[path[level]].value;
    return *node;
}

void YamlBuilder::add(YamlNode node)
{
    ++m_nodes;
    if (node.anchor != 0 && (node.isScalar() || node.isNull()))
        remember(node);
    if (m_open.empty()) {
        root = std::move(node);
        return;
    }
    Frame& frame = m_open.back();
    if (frame.node.isSequence()) {
        m_cost.add(sizeof(YamlNode));
        m_items.push_back(std::move(node));
        ++frame.children;
    } else if (!frame.haveKey) {
        addKey(frame, std::move(node));
    } else {
        m_cost.add(sizeof(YamlEntry) + kKeyBytes);
        frame.entry.value = std::move(node);
        m_entries.push_back(std::move(frame.entry));
        frame.keys.insert(m_entries.back().key);
        frame.haveKey = false;
        ++frame.children;
    }
}

void YamlBuilder::addKey(Frame& frame, YamlNode node)
{
    const auto refuse = [&](std::string message) { return YamlRefusal{std::move(message), node.line, node.column, {}}; };
    if (!node.isScalar())
        throw refuse(kKeyNotPlain);
    if (frame.keys.contains(node.text))
        throw refuse("the key " + quotedText(node.text) + " appears twice");
    frame.entry = {};
    frame.entry.key = std::move(node.text);
    frame.entry.line = node.line;
    frame.entry.column = node.column;
    frame.entry.keyBegin = node.begin;
    frame.haveKey = true;
}

} // namespace fabricscope
