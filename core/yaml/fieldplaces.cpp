#include "core/yaml/fieldplaces.h"

#include <charconv>

namespace fabricscope {

namespace {

/// Of a field below `node`: the deepest node on the way that is there, and how many bytes of the path lead to it.
struct Reached {
    const YamlNode* node;
    std::size_t bytes = 0;
};

/// The item that "[3]..." at the start of `rest` names, and the bytes of its number; null: there is none.
Reached itemStep(const YamlNode& list, std::string_view rest)
{
    std::size_t index = 0;
    const char* const last = rest.data() + rest.size();
    const auto [end, problem] = std::from_chars(rest.data() + 1, last, index);
    if (problem != std::errc{} || end == last || *end != ']' || index >= list.items.size())
        return {nullptr};
    return {&list.items[index], static_cast<std::size_t>(end + 1 - rest.data())};
}

/// The entry whose key starts `rest`. A key may itself have dots: the longest that fits.
Reached keyStep(const YamlNode& map, std::string_view rest)
{
    Reached best{nullptr};
    for (const YamlEntry& entry : map.entries) {
        const std::size_t size = entry.key.size();
        const bool ends = rest.size() == size || (rest.size() > size && (rest[size] == '.' || rest[size] == '['));
        if (ends && (!best.node || size > best.bytes) && rest.starts_with(entry.key))
            best = {&entry.value, size};
    }
    return best;
}

Reached reach(const YamlNode& root, std::string_view field)
{
    Reached at{&root};
    while (at.bytes < field.size()) {
        const std::string_view rest = field.substr(at.bytes);
        Reached step{nullptr};
        if (rest.front() == '[' && at.node->isSequence()) {
            step = itemStep(*at.node, rest);
        } else if (at.node->isMap()) {
            const std::size_t dot = at.bytes > 0 && rest.front() == '.' ? 1 : 0;
            step = keyStep(*at.node, rest.substr(dot));
            step.bytes += dot;
        }
        if (!step.node)
            break;
        at = {step.node, at.bytes + step.bytes};
    }
    return at;
}

} // namespace

std::optional<Place> FieldPlaces::find(std::string_view field) const
{
    const Reached at = reach(*m_root, field);
    if (at.bytes < field.size())
        return std::nullopt;
    return placeOfNode(*at.node, m_file);
}

const YamlNode* FieldPlaces::section(std::string_view key) const
{
    const YamlEntry* const entry = m_root->isMap() ? m_root->find(key) : nullptr;
    return entry && !entry->value.isNull() ? &entry->value : nullptr;
}

Place FieldPlaces::nearest(const std::string& field) const
{
    const Reached at = reach(*m_root, field);
    if (at.bytes > 0 || field.empty())
        return placeOfNode(*at.node, m_file, field);
    Place nowhere;
    nowhere.field = field;
    return nowhere;
}

} // namespace fabricscope
