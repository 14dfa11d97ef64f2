#include "core/design/file/overridesection.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/file/sectionfields.h"
#include "core/design/linknames.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Links that names with "*" may mean in all.
constexpr std::size_t kMostOverrides = std::size_t{1} << 20;

/// Which end of a link of a graph is no node.
std::string unknownEnd(const Platform& platform, std::string_view name)
{
    const std::size_t arrow = name.find('>');
    if (!platform.isExplicit() || arrow == std::string_view::npos)
        return {};
    const std::string first = nearestNode(platform, name.substr(0, arrow - (arrow > 0 && name[arrow - 1] == '<' ? 1 : 0)));
    return first.empty() ? nearestNode(platform, name.substr(arrow + 1, name.find('#', arrow) - arrow - 1)) : first;
}

/// What is changed, while it is read: names of links and nodes need the fabric.
struct OverridesReading {
    DesignReading& whole;
    PlatformSpec& spec;
    std::vector<std::pair<const YamlNode*, std::string>> npus{}; ///< Entries with their fields.
    std::optional<Platform> platform{};
};

/// An NPU is named by its number, or as a node of a graph.
bool hasName(const YamlNode& item)
{
    const YamlEntry* const npu = item.isMap() ? item.find("npu") : nullptr;
    return npu && npu->value.isScalar() && npu->value.text.find_first_not_of("-0123456789") != std::string::npos;
}

void readLinks(const MapReader& map, OverridesReading& reading)
{
    PlatformSpec& spec = reading.spec;
    const std::optional<Platform>& platform = reading.platform;
    for (const auto& [item, field] : map.list("links")) {
        const MapReader reader(map.context(), *item, field, keysOf(linkOverrideFields()));
        NamedLinkChange named;
        readFields(reader, linkOverrideFields(), named);
        std::vector<LinkId> links{0};
        if (named.link && platform) {
            links = findLinks(*platform, *named.link);
            if (links.empty())
                reader.error("link", "there is no link \"" + *named.link + "\"" + unknownEnd(*platform, *named.link),
                             platform->isExplicit() ? "the names of two nodes, like gpu0>nvswitch, or gpu0>nvswitch#2 for the second of several links" : "a dimension and its two ends, like \"d0 3>4\" or \"d1 5>switch\"");
        }
        for (const LinkId link : links) {
            checkStop(reading.whole.stop);
            if (spec.linkOverrides.size() > kMostOverrides) {
                reader.error("link", "more than " + std::to_string(kMostOverrides) + " links are changed", "fewer");
                reading.npus.clear();
                return;
            }
            spec.linkOverrides.push_back(named.change);
            spec.linkOverrides.back().link = link;
        }
    }
}

void readNpus(const MapReader& map, OverridesReading& reading)
{
    FieldContext& context = map.context();
    const std::optional<Platform>& platform = reading.platform;
    std::vector<NpuOverride>& changes = reading.spec.npuOverrides;
    for (const auto& [item, field] : reading.npus) {
        if (!platform || !platform->isExplicit() || !hasName(*item)) {
            readFields(context, *item, field, npuOverrideFields(), changes.emplace_back());
            continue;
        }
        // By numbers, as all else reads them.
        YamlNode numbered = *item;
        const auto key = std::find_if(numbered.entries.begin(), numbered.entries.end(), [](const YamlEntry& entry) { return entry.key == "npu"; });
        const std::string name = key->value.text;
        const std::vector<NodeId> found = findNpus(*platform, name);
        if (found.empty())
            context.error(key->value, field + ".npu", "there is no NPU " + quotedText(name) + nearestNode(*platform, name), "the name of an NPU, or its number");
        key->value.text = std::to_string(found.empty() ? 0 : found.front());
        NpuOverride change;
        readFields(context, numbered, field, npuOverrideFields(), change);
        for (const NodeId npu : found) {
            changes.push_back(change);
            changes.back().node = npu;
        }
    }
}

void writeLinks(MapBuilder& map, const PlatformSpec& spec, const Writing& how)
{
    if (spec.linkOverrides.empty())
        return;
    YamlNode links = YamlNode::sequence();
    PlatformSpec plain = spec;
    plain.linkOverrides.clear();
    plain.npuOverrides.clear();
    const auto platform = Platform::create(std::move(plain), how.stop);
    for (const LinkOverride& change : spec.linkOverrides) {
        checkStop(how.stop);
        const bool known = platform && change.link >= 0 && change.link < platform.value().linkCount();
        const NamedLinkChange named{known ? overrideName(platform.value(), change.link) : "link " + std::to_string(change.link), change};
        links.items.push_back(fieldsTree(linkOverrideFields(), named));
    }
    map.add("links", std::move(links));
}

const SectionFields<OverridesReading, PlatformSpec>& overrideFields()
{
    const auto changesField = [](const char* key, void (*read)(const MapReader&, OverridesReading&), void (*write)(MapBuilder&, const PlatformSpec&, const Writing&)) {
        return SectionField<OverridesReading, PlatformSpec>{key, "", read, write, [](const PlatformSpec&, const auto&) {}, {}};
    };
    static const SectionFields<OverridesReading, PlatformSpec> fields{
        changesField("links", readLinks, writeLinks),
        changesField("npus", readNpus, [](MapBuilder& map, const PlatformSpec& spec, const Writing& how) { map.addFilled("npus", listTree(npuOverrideFields(), spec.npuOverrides, how)); }),
    };
    return fields;
}

} // namespace

const SectionFields<NamedLinkChange>& linkOverrideFields()
{
    using Config = NamedLinkChange;
    static const SectionFields<Config> fields{
        required(givenField("link", &Config::link, "", [](const MapReader& map, const char* key) { return map.text(key); }, [](const std::string& name) { return name; })),
        ofPart(&Config::change, givenQuantity("bandwidth", &LinkOverride::bandwidth, Measure::Bandwidth, "")),
        ofPart(&Config::change, givenQuantity("latency", &LinkOverride::latency, Measure::Time, "")),
        ofPart(&Config::change, flagField("removed", &LinkOverride::removed, "messages take another way; true, or false as usual")),
    };
    return fields;
}

void readOverrides(DesignReading& reading, const YamlNode& node, PlatformSpec& spec)
{
    const MapReader map(reading.fields, node, "platform.overrides", keysOf(overrideFields()));
    OverridesReading overrides{reading, spec, map.list("npus")};
    const bool named = !spec.nodes.empty() && std::any_of(overrides.npus.begin(), overrides.npus.end(), [](const auto& item) { return hasName(*item.first); });
    if ((map.has("links") || named) && !reading.fields.hasErrors()) {
        auto created = Platform::create(spec, reading.stop);
        if (created)
            overrides.platform = std::move(created).value();
        else
            reading.report(node, "platform", created.error());
    }
    readFields(map, overrideFields(), overrides);
}

YamlNode overridesTree(const PlatformSpec& spec, const std::stop_token& stop)
{
    return fieldsTree(overrideFields(), spec, {DesignForm::File, stop});
}

} // namespace fabricscope
