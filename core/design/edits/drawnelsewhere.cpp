#include "core/design/edits/drawnelsewhere.h"

#include "core/design/edits/graphedits.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// The entries of two mappings in their order, but for those named `left`, of which at most one is there: `same` compares values of one key.
template <typename Same>
bool sameEntries(const YamlNode& a, const YamlNode& b, std::string_view left, const Same& same)
{
    if (!a.isMap() || !b.isMap())
        return false;
    auto one = a.entries.begin();
    auto other = b.entries.begin();
    for (;;) {
        one = std::find_if(one, a.entries.end(), [&](const YamlEntry& entry) { return entry.key != left; });
        other = std::find_if(other, b.entries.end(), [&](const YamlEntry& entry) { return entry.key != left; });
        if (one == a.entries.end() || other == b.entries.end())
            return one == a.entries.end() && other == b.entries.end();
        if (one->key != other->key || !same(*one, *other))
            return false;
        ++one;
        ++other;
    }
}

/// A place that no design may have is an error of its own, which goes or comes with it.
bool hasWrongPlace(const YamlNode& node)
{
    return node.isMap() && node.find("at") && !drawnPlace(node);
}

bool sameNodeButItsPlace(const YamlNode& before, const YamlNode& after)
{
    if (sameContent(before, after))
        return true;
    if (hasWrongPlace(before) || hasWrongPlace(after))
        return false;
    return sameEntries(before, after, "at", [](const YamlEntry& a, const YamlEntry& b) { return sameContent(a.value, b.value); });
}

bool sameNodesButTheirPlaces(const YamlNode& before, const YamlNode& after)
{
    return before.isSequence() && after.isSequence()
        && std::equal(before.items.begin(), before.items.end(), after.items.begin(), after.items.end(), sameNodeButItsPlace);
}

} // namespace

bool differOnlyInPlaces(const YamlNode& before, const YamlNode& after)
{
    constexpr std::string_view kNothing = "\n"; // No key has a line break.
    return sameEntries(before, after, kNothing, [&](const YamlEntry& a, const YamlEntry& b) {
        if (a.key != "platform")
            return sameContent(a.value, b.value);
        return sameEntries(a.value, b.value, kNothing, [](const YamlEntry& inA, const YamlEntry& inB) {
            return inA.key == "nodes" ? sameNodesButTheirPlaces(inA.value, inB.value) : sameContent(inA.value, inB.value);
        });
    });
}

} // namespace fabricscope
