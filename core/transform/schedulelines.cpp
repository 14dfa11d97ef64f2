// Writing a schedule back into its file, so that comments and what somebody lined up by hand stay.
#include "core/transform/scheduleedits.h"

#include "core/yaml/tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fabricscope::transform {

namespace {

constexpr const char* kScheduleKey = "transform.schedule";
/// Every splice reads the document again: beyond this many bytes the list is written as a whole.
constexpr std::size_t kMostSplicedBytes = std::size_t{64} << 20;

std::string itemWords(const YamlNode& item)
{
    const auto step = parseStep(item.text);
    return step ? step.value().text() : item.text;
}

YamlNode listOf(const Schedule& schedule)
{
    YamlNode list = YamlNode::sequence();
    for (const ScheduleStep& step : schedule)
        list.items.push_back(YamlNode::scalar(step.text()));
    return list;
}

/// The lines of a block list: those of an item end with its comment and begin with the comments above it. Those above the first item speak of all.
struct ItemLines {
    std::string above; ///< Comments and empty lines.
    std::string own;
};

struct BlockLines {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string indent;
    std::vector<ItemLines> items;
};

std::optional<BlockLines> blockLines(const std::string& text, const YamlNode& list)
{
    BlockLines lines;
    std::size_t from = 0;
    for (const YamlNode& item : list.items) {
        const std::size_t before = item.marker == 0 ? std::string::npos : text.rfind('\n', item.marker - 1);
        const std::size_t start = before == std::string::npos ? 0 : before + 1;
        if (text.find_first_not_of(' ', start) != item.marker || (!lines.items.empty() && start < from))
            return std::nullopt; // Shares its line with something else.
        if (lines.items.empty()) {
            lines.begin = from = start;
            lines.indent.assign(item.marker - start, ' ');
        }
        const std::size_t last = text.find('\n', item.end);
        const std::size_t next = last == std::string::npos ? text.size() : last + 1;
        lines.items.push_back({text.substr(from, start - from), text.substr(start, next - start)});
        from = next;
    }
    lines.end = from;
    return lines;
}

/// For every step of `schedule` the item that has it, each at most once.
std::vector<std::optional<std::size_t>> itemsOfSteps(const YamlNode& list, const Schedule& schedule)
{
    std::map<std::string, std::vector<std::size_t>> places;
    for (std::size_t i = list.items.size(); i-- > 0;)
        places[itemWords(list.items[i])].push_back(i);
    std::vector<std::optional<std::size_t>> found(schedule.size());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto place = places.find(schedule[i].text());
        if (place == places.end() || place->second.empty())
            continue;
        found[i] = place->second.back();
        place->second.pop_back();
    }
    return found;
}

/// The text with the lines of a block list in their new order; nothing where it is written in a way that does not allow that.
std::optional<std::string> withBlockLines(const YamlDocument& document, const YamlNode& list, const Schedule& schedule)
{
    const std::string& text = document.text();
    auto lines = blockLines(text, list);
    if (!lines)
        return std::nullopt;
    const auto items = itemsOfSteps(list, schedule);
    std::vector<bool> kept(list.items.size(), false);
    for (const auto& item : items) {
        if (item)
            kept[*item] = true;
    }
    // What stands above a step that goes may speak of those behind it.
    std::string above;
    for (std::size_t i = 0; i < lines->items.size(); ++i) {
        above += lines->items[i].above;
        if (kept[i])
            lines->items[i].above = std::exchange(above, {});
    }
    if (schedule.empty()) {
        const YamlEntry* const entry = document.find("transform")->find("schedule");
        const std::size_t colon = entry->colon + 1;
        return text.substr(0, colon) + " []" + text.substr(colon, lines->begin - colon) + above + text.substr(lines->end);
    }
    const std::size_t first = text.find('\n');
    const std::string newline = first != std::string::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
    std::string made;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (items[i])
            made += lines->items[*items[i]].above + lines->items[*items[i]].own;
        else
            made += lines->indent + "- " + renderYaml(YamlNode::scalar(schedule[i].text()), false);
        if (!made.ends_with('\n'))
            made += newline;
    }
    return text.substr(0, lines->begin) + made + above + text.substr(lines->end);
}

/// The same tree with the new list, or it is not what was wanted.
bool isAsWanted(const YamlDocument& document, const std::string& text, const Schedule& schedule)
{
    const auto made = YamlDocument::parse(text, document.file());
    if (!made)
        return false;
    YamlNode before = document.root();
    YamlNode after = made.value().root();
    YamlNode* lists[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        YamlEntry* const section = (i == 0 ? before : after).find("transform");
        YamlEntry* const entry = section ? section->value.find("schedule") : nullptr;
        if (!entry)
            return false;
        lists[i] = &entry->value;
    }
    if (lists[1]->items.size() != schedule.size())
        return false;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (itemWords(lists[1]->items[i]) != schedule[i].text())
            return false;
    }
    *lists[0] = *lists[1];
    return sameContent(before, after);
}

/// The items between what is the same at both ends, one by one.
Status setItems(YamlDocument& document, const YamlNode& list, const Schedule& schedule)
{
    std::vector<std::string> old;
    for (const YamlNode& item : list.items)
        old.push_back(itemWords(item));
    const std::size_t most = std::min(old.size(), schedule.size());
    std::size_t front = 0;
    while (front < most && old[front] == schedule[front].text())
        ++front;
    std::size_t back = 0;
    while (back < most - front && old[old.size() - 1 - back] == schedule[schedule.size() - 1 - back].text())
        ++back;
    const std::size_t changed = std::max(old.size(), schedule.size()) - front - back;
    if (changed > kMostSplicedBytes / std::max<std::size_t>(document.text().size(), 1))
        return document.set(kScheduleKey, listOf(schedule));
    const auto path = [](std::size_t i) { return std::string(kScheduleKey) + '[' + std::to_string(i) + ']'; };
    for (std::size_t i = front; i < front + changed; ++i) {
        Status status;
        if (i >= old.size() - back)
            status = document.insert(path(i), YamlNode::scalar(schedule[i].text()));
        else if (i < schedule.size() - back)
            status = document.set(path(i), schedule[i].text());
        else
            status = document.remove(path(schedule.size() - back));
        if (!status)
            return status;
    }
    return {};
}

} // namespace

Result<std::string> withScheduleText(const std::string& text, const std::string& file, const Schedule& schedule)
{
    auto document = YamlDocument::parse(text, file);
    if (!document)
        return document.error();
    const YamlNode* const list = document.value().find(kScheduleKey);
    const bool listed = list && list->isSequence() && !list->shared && !list->items.empty();
    if (listed && !list->flow && list->begin == list->valueBegin) {
        if (auto made = withBlockLines(document.value(), *list, schedule); made && isAsWanted(document.value(), *made, schedule))
            return *std::move(made);
    }
    if (listed && list->flow) {
        YamlDocument edited = document.value();
        if (setItems(edited, YamlNode(*list), schedule))
            return edited.text();
    }
    if (Status status = document.value().set(kScheduleKey, listOf(schedule)); !status)
        return status.error();
    return document.value().text();
}

} // namespace fabricscope::transform
