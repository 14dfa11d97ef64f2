#include "core/design/edits/textsplices.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Does a splice inside of it change what an alias elsewhere says?
bool isShared(const YamlDocument& yaml, const YamlPath& path)
{
    for (std::size_t steps = 0; steps <= path.size(); ++steps) {
        const YamlNode* node = yaml.find(YamlPath(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps)));
        if (node && node->shared)
            return true;
    }
    return false;
}

} // namespace

std::span<const YamlNode> itemsAt(const YamlDocument& yaml, const YamlPath& list)
{
    const YamlNode* node = yaml.find(list);
    return node && node->isSequence() ? std::span<const YamlNode>(node->items) : std::span<const YamlNode>();
}

YamlPath itemOf(const YamlPath& list, std::size_t number)
{
    YamlPath path = list;
    path.push_back(std::to_string(number));
    return path;
}

std::string textOf(const YamlNode& map, std::string_view key)
{
    const YamlEntry* entry = map.isMap() ? map.find(key) : nullptr;
    return entry && entry->value.isScalar() ? entry->value.text : std::string();
}

std::pair<std::string, std::string> linkEnds(const YamlNode& link)
{
    const YamlEntry* const between = link.isMap() ? link.find("between") : nullptr;
    if (between && between->value.isSequence() && between->value.items.size() == 2)
        return {between->value.items[0].text, between->value.items[1].text};
    return {textOf(link, "from"), textOf(link, "to")};
}

std::size_t TextSplices::lineStart(std::size_t offset) const
{
    const std::size_t before = offset == 0 ? std::string::npos : m_yaml.text().rfind('\n', offset - 1);
    return before == std::string::npos ? 0 : before + 1;
}

std::size_t TextSplices::lineEnd(std::size_t offset) const
{
    const std::string& text = m_yaml.text();
    std::size_t end = std::min(text.find('\n', offset), text.size());
    return end > offset && text[end - 1] == '\r' ? end - 1 : end;
}

std::string TextSplices::newline() const
{
    return m_yaml.text().find("\r\n") == std::string::npos ? "\n" : "\r\n";
}

std::string TextSplices::indentOf(std::size_t offset) const
{
    const std::string indent = m_yaml.text().substr(lineStart(offset), offset - lineStart(offset));
    return indent.find_first_not_of(' ') == std::string::npos ? indent : std::string(indent.size(), ' ');
}

YamlNode* TextSplices::expected(const YamlPath& path)
{
    YamlNode* node = &m_expected;
    for (const std::string& step : path) {
        if (node->isMap()) {
            YamlEntry* entry = node->find(step);
            node = entry ? &entry->value : nullptr;
        } else {
            const std::size_t number = std::stoul(step);
            node = node->isSequence() && number < node->items.size() ? &node->items[number] : nullptr;
        }
        if (!node)
            return nullptr;
    }
    return node;
}

bool TextSplices::canSetKey(const YamlPath& path, const std::string& key) const
{
    const YamlNode* map = m_yaml.find(path);
    if (!map || !map->isMap() || map->entries.empty() || isShared(m_yaml, path))
        return false;
    const YamlEntry* entry = map->find(key);
    return !entry || (!entry->value.shared && (entry->value.isNull() ? m_yaml.text()[entry->colon] == ':' : entry->value.isScalar() || entry->value.flow));
}

void TextSplices::setKey(const YamlPath& path, const std::string& key, const YamlNode& value)
{
    const YamlNode* map = m_yaml.find(path);
    YamlNode* changed = expected(path);
    if (!changed || !canSetKey(path, key)) {
        m_possible = false;
        return;
    }
    if (const YamlEntry* entry = map->find(key)) {
        const YamlNode& old = entry->value;
        if (old.isNull() && old.begin >= old.end)
            splice(entry->colon + 1, entry->colon + 1, ' ' + renderYaml(value, true));
        else
            splice(old.begin, old.end, renderYaml(value, true));
        changed->find(key)->value = value;
        return;
    }
    const YamlEntry& last = map->entries.back();
    const std::string pair = renderYaml(YamlNode::scalar(key), true) + ": " + renderYaml(value, true);
    if (map->flow)
        splice(last.value.end, last.value.end, ", " + pair);
    else
        splice(lineEnd(last.value.end), lineEnd(last.value.end), newline() + indentOf(map->entries.front().keyBegin) + pair);
    changed->add(key, value);
}

void TextSplices::setScalar(const YamlPath& path, const std::string& value)
{
    const YamlNode* old = m_yaml.find(path);
    YamlNode* changed = expected(path);
    if (!old || !changed || !old->isScalar() || isShared(m_yaml, path)) {
        m_possible = false;
        return;
    }
    *changed = YamlNode::scalar(value);
    splice(old->begin, old->end, renderYaml(*changed, true));
}

void TextSplices::addItems(const YamlPath& path, std::size_t index, std::span<const YamlNode> items)
{
    if (items.empty())
        return;
    const YamlPath above(path.begin(), path.end() - 1);
    const YamlNode* parent = m_yaml.find(above);
    YamlNode* changedParent = expected(above);
    if (!parent || !changedParent || !parent->isMap() || parent->entries.empty() || isShared(m_yaml, path)) {
        m_possible = false;
        return;
    }
    YamlNode* changed = expected(path);
    const YamlEntry* entry = parent->find(path.back());
    std::string lines;
    const auto eachLine = [&](const std::string& indent) {
        for (const YamlNode& item : items)
            lines += newline() + indent + "- " + renderYaml(item, false);
    };
    if (!entry || !entry->value.isSequence() || entry->value.items.empty()) {
        if (entry && (m_yaml.text()[entry->colon] != ':' || (!entry->value.isNull() && !entry->value.isSequence()))) {
            m_possible = false;
            return;
        }
        YamlNode made = YamlNode::sequence({items.begin(), items.end()});
        made.flow = true;
        if (parent->flow && entry && entry->value.isSequence()) {
            const std::string list = renderYaml(made, true);
            splice(entry->value.valueBegin + 1, entry->value.valueBegin + 1, list.substr(1, list.size() - 2));
            *changed = std::move(made);
            return;
        }
        if (parent->flow)
            return setKey(above, path.back(), made);
        const std::string indent = indentOf(parent->entries.front().keyBegin);
        eachLine(indent + "  ");
        if (entry) {
            splice(entry->colon + 1, std::max(entry->colon + 1, entry->value.end), lines);
        } else {
            const std::size_t end = lineEnd(parent->entries.back().value.end);
            splice(end, end, newline() + indent + path.back() + ":" + lines);
            YamlEntry added;
            added.key = path.back();
            changedParent->entries.push_back(std::move(added));
            changed = &changedParent->entries.back().value;
        }
        *changed = std::move(made);
        return;
    }
    const YamlNode& list = entry->value;
    index = std::min(index, list.items.size());
    if (list.flow) {
        for (const YamlNode& item : items)
            lines += index > 0 ? ", " + renderYaml(item, true) : renderYaml(item, true) + ", ";
        const std::size_t at = index > 0 ? list.items[index - 1].end : list.items.front().begin;
        splice(at, at, lines);
    } else if (index > 0) {
        eachLine(indentOf(list.items.front().marker));
        const std::size_t at = lineEnd(list.items[index - 1].end);
        splice(at, at, lines);
    } else {
        const std::size_t at = list.items.front().marker;
        for (const YamlNode& item : items)
            lines += "- " + renderYaml(item, false) + newline() + indentOf(at);
        splice(at, at, lines);
    }
    changed->items.insert(changed->items.begin() + static_cast<std::ptrdiff_t>(index), items.begin(), items.end());
}

void TextSplices::removeItems(const YamlPath& path, std::span<const std::size_t> numbers)
{
    if (numbers.empty())
        return;
    const YamlPath above(path.begin(), path.end() - 1);
    const YamlNode* parent = m_yaml.find(above);
    const YamlEntry* entry = parent && parent->isMap() ? parent->find(path.back()) : nullptr;
    if (!entry || !entry->value.isSequence() || numbers.back() >= entry->value.items.size() || isShared(m_yaml, path)) {
        m_possible = false;
        return;
    }
    const YamlNode& list = entry->value;
    m_removals.push_back({path, {numbers.begin(), numbers.end()}});
    if (numbers.size() == list.items.size()) {
        if (list.flow)
            return splice(list.valueBegin, list.end, "[]");
        splice(entry->colon + 1, entry->colon + 1, " []"); // Remarks on its line and below stay, as the lines of the items go one by one.
    }
    const std::string& text = m_yaml.text();
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        const std::size_t first = numbers[i];
        const std::size_t behind = numbers[last] + 1;
        i = last + 1;
        if (list.flow) {
            if (behind < list.items.size())
                splice(list.items[first].begin, list.items[behind].begin, {});
            else
                splice(list.items[first - 1].end, list.items[behind - 1].end, {});
            continue;
        }
        for (std::size_t k = first; k < behind; ++k) { // Line by line: comments between them stay.
            const std::size_t begin = lineStart(list.items[k].marker);
            const std::size_t end = lineEnd(list.items[k].end);
            const std::size_t broken = text.find('\n', end);
            if (broken != std::string::npos) {
                splice(begin, broken + 1, {});
                continue;
            }
            // The last line has no break: the one before it goes, and with it what was just taken out there.
            std::size_t from = begin;
            while (!m_splices.empty() && m_splices.back().end == from && m_splices.back().begin < from && m_splices.back().text.empty()) {
                from = m_splices.back().begin;
                m_splices.pop_back();
            }
            from -= from > 0 ? 1 : 0;
            splice(from > 0 && text[from - 1] == '\r' ? from - 1 : from, text.size(), {});
        }
    }
}

Status TextSplices::commit(YamlDocument& yaml)
{
    const Error refusal{ErrorCode::Unsupported, "this place is written in a way that cannot be edited here; change it as text", m_yaml.place(m_yaml.root()), {}};
    if (!m_possible)
        return refusal;
    for (const Removal& removal : m_removals) {
        YamlNode* list = expected(removal.path);
        std::vector<YamlNode> kept;
        for (std::size_t i = 0; i < list->items.size(); ++i) {
            if (!std::binary_search(removal.numbers.begin(), removal.numbers.end(), i))
                kept.push_back(std::move(list->items[i]));
        }
        list->items = std::move(kept);
    }
    std::stable_sort(m_splices.begin(), m_splices.end(), [](const Splice& a, const Splice& b) { return a.begin < b.begin; });
    std::string text;
    std::size_t done = 0;
    for (const Splice& each : m_splices) {
        if (each.begin < done)
            return refusal;
        text.append(m_yaml.text(), done, each.begin - done);
        text += each.text;
        done = each.end;
    }
    text.append(m_yaml.text(), done);
    auto edited = YamlDocument::parse(std::move(text), m_yaml.file());
    if (!edited || !sameContent(edited.value().root(), m_expected))
        return refusal;
    yaml = std::move(edited).value();
    return {};
}

} // namespace fabricscope
