#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"

#include <charconv>

namespace fabricscope {

namespace {

constexpr std::int64_t kMaxFraction = 1'000'000;
constexpr std::int32_t kMaxSlots = 1 << 20;

std::vector<std::string> readNames(FieldContext& context, const MapReader& map, std::string_view key)
{
    std::vector<std::string> names;
    for (const auto& [item, field] : map.list(key)) {
        if (auto name = readText(context, *item, field))
            names.push_back(std::move(*name));
    }
    return names;
}

RoutingConfig readRouting(FieldContext& context, const YamlNode& node)
{
    RoutingConfig routing;
    MapReader map(context, node, "network.routing", {"policy", "per", "order", "routes", "next_hops"});
    map.required("policy");
    routing.policy = map.choice<RoutePolicy>("policy", {kRoutePolicies.begin(), kRoutePolicies.end()}).value_or(RoutePolicy::Shortest);
    routing.perMessage = map.choice<bool>("per", {{"stream", false}, {"message", true}}).value_or(false);
    for (const auto& [item, field] : map.list("order"))
        routing.order.push_back(static_cast<std::int32_t>(readInteger(context, *item, field, 0, kMaxNpus).value_or(0)));
    for (const auto& [item, field] : map.list("routes")) {
        MapReader reader(context, *item, field, {"from", "to", "via", "links"});
        RoutingConfig::Way way;
        reader.required("from");
        reader.required("to");
        way.from = reader.text("from").value_or("");
        way.to = reader.text("to").value_or("");
        way.via = readNames(context, reader, "via");
        way.links = readNames(context, reader, "links");
        if (item->isMap() && reader.has("via") == reader.has("links"))
            context.error(*item, field, "the way is not clear", "via: [nodes between] or links: [names of links]");
        routing.routes.push_back(std::move(way));
    }
    for (const auto& [item, field] : map.list("next_hops")) {
        MapReader reader(context, *item, field, {"to", "link"});
        reader.required("to");
        reader.required("link");
        routing.nextHops.push_back({reader.text("to").value_or(""), reader.text("link").value_or("")});
    }
    const auto belongs = [&](std::string_view key, RoutePolicy policy) {
        if (map.has(key) && routing.policy != policy)
            map.error(key, "only the policy " + std::string(keyOf(kRoutePolicies, policy)) + " knows this", "no \"" + std::string(key) + "\"");
    };
    belongs("per", RoutePolicy::Ecmp);
    belongs("order", RoutePolicy::DimensionOrder);
    belongs("routes", RoutePolicy::Table);
    belongs("next_hops", RoutePolicy::Table);
    return routing;
}

constexpr KeyTable<bool, 2> kTransfers{{{"put", false}, {"get", true}}};

bool isPreset(std::string_view name)
{
    return name == "Simple" || name == "LL" || name == "LL128";
}

ProtocolConfig readProtocol(FieldContext& context, const YamlNode& node, const std::string& field)
{
    ProtocolConfig protocol;
    if (node.isScalar()) {
        protocol.preset = node.text;
        if (!isPreset(node.text))
            context.error(node, field, "unknown protocol \"" + node.text + "\"", "Simple, LL, LL128, or a mapping");
        return protocol;
    }
    readFields(context, node, field, protocolFields(), protocol);
    return protocol;
}

FaultConfig readFault(FieldContext& context, const YamlNode& node, const std::string& field)
{
    FaultConfig fault;
    readFields(context, node, field, faultFields(), fault);
    const auto has = [&node](std::string_view key) { return node.find(key) != nullptr; };
    if (node.isMap() && has("link") == has("npu"))
        context.error(node, field, "it is not clear what is struck", "link: the name of a link, or npu: a number");
    if (node.isMap() && int{fault.failed} + int{has("bandwidth")} + int{has("factor")} != 1)
        context.error(node, field, "it is not clear what happens", "one of failed: true, bandwidth and factor");
    return fault;
}

JitterConfig readJitter(FieldContext& context, const MapReader& jitter, std::string_view key)
{
    JitterConfig config;
    const YamlNode* node = jitter.node(key);
    if (!node)
        return config;
    MapReader map(context, *node, jitter.field(key), {"distribution", "deviation"});
    map.required("distribution");
    map.required("deviation");
    std::vector<std::pair<std::string_view, JitterShape>> shapes;
    for (const JitterShape shape : {JitterShape::Uniform, JitterShape::Normal, JitterShape::Lognormal, JitterShape::Exponential})
        shapes.emplace_back(jitterKey(shape), shape);
    config.shape = map.choice<JitterShape>("distribution", shapes).value_or(JitterShape::None);
    config.deviation = map.number("deviation", 0).value_or(0);
    return config;
}

} // namespace

const SectionFields<ProtocolConfig>& protocolFields()
{
    using Config = ProtocolConfig;
    static const SectionFields<Config> fields{
        {"preset", "Simple, LL, LL128",
         [](const MapReader& map, Config& config) {
             config.preset = map.text("preset").value_or("");
             if (!config.preset.empty() && !isPreset(config.preset))
                 map.error("preset", "unknown protocol \"" + config.preset + "\"", "Simple, LL or LL128");
         },
         [](MapBuilder& map, const Config& config) {
             if (!config.preset.empty())
                 map.add("preset", config.preset);
         },
         [](const Config&, const auto&) {}, {}},
        givenQuantity("min_size", &Config::minSize, Measure::Size, "of messages"),
        givenQuantity("max_size", &Config::maxSize, Measure::Size, ""),
        givenWhole("dimension", &Config::dimension, 0, static_cast<std::int32_t>(kMaxNpus), "the highest a message crosses"),
        givenQuantity("latency", &Config::latency, Measure::Time, ""),
        givenFraction("efficiency", &Config::efficiency, ""),
        givenWhole("slots", &Config::slotCount, 0, kMaxSlots, ""),
        givenQuantity("slot_size", &Config::slotSize, Measure::Size, ""),
        givenWord("transfer", &Config::get, kTransfers, ""),
        givenFlag("signal", &Config::signal, ""),
        givenFlag("handshake", &Config::handshake, ""),
        givenQuantity("control_size", &Config::controlSize, Measure::Size, ""),
    };
    return fields;
}

const SectionFields<FaultConfig>& faultFields()
{
    using Config = FaultConfig;
    static const SectionFields<Config> fields{
        {"link", "",
         [](const MapReader& map, Config& config) { config.link = map.text("link").value_or(""); },
         [](MapBuilder& map, const Config& config) {
             if (config.npu < 0)
                 map.add("link", config.link);
         },
         [](const Config&, const auto&) {}, {}},
        wholeField("npu", &Config::npu, 0, static_cast<std::int32_t>(kMaxNpus) - 1, "all links of one NPU"),
        {"at", "",
         [](const MapReader& map, Config& config) {
             map.required("at");
             config.at = map.quantity("at", Measure::Time).value_or(config.at);
         },
         [](MapBuilder& map, const Config& config) { map.add("at", config.at); },
         [](const Config&, const auto&) {}, {}},
        givenQuantity("until", &Config::until, Measure::Time, ""),
        flagField("failed", &Config::failed, ""),
        givenQuantity("bandwidth", &Config::bandwidth, Measure::Bandwidth, "of the link"),
        givenFraction("factor", &Config::factor, ""),
    };
    return fields;
}

std::string_view jitterKey(JitterShape shape)
{
    switch (shape) {
    case JitterShape::Uniform:
        return "uniform";
    case JitterShape::Normal:
        return "normal";
    case JitterShape::Lognormal:
        return "lognormal";
    case JitterShape::Exponential:
        return "exponential";
    case JitterShape::None:
        break;
    }
    return "none";
}

std::optional<std::pair<std::int64_t, std::int64_t>> parseFraction(std::string_view text)
{
    const auto whole = [](std::string_view part) -> std::optional<std::int64_t> {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (part.empty() || error != std::errc{} || end != part.data() + part.size() || value < 1 || value > kMaxFraction)
            return std::nullopt;
        return value;
    };
    const std::size_t slash = text.find('/');
    const auto above = whole(text.substr(0, slash));
    const auto below = slash == std::string_view::npos ? std::optional<std::int64_t>(1) : whole(text.substr(slash + 1));
    if (!above || !below)
        return std::nullopt;
    return std::pair{*above, *below};
}

void readNetworkSection(DesignReading& reading, const YamlNode& node)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "network", {"seed", "routing", "protocol", "protocols", "faults", "jitter"});
    NetworkConfig config;
    config.seed = static_cast<std::uint64_t>(map.integer("seed", 0, INT64_MAX).value_or(0));
    if (const YamlNode* routing = map.node("routing"))
        config.routing = readRouting(context, *routing);
    if (const YamlNode* protocol = map.node("protocol"))
        config.protocols.push_back(readProtocol(context, *protocol, map.field("protocol")));
    if (map.has("protocol") && map.has("protocols"))
        map.error("protocols", "both \"protocol\" and \"protocols\" are given", "one of them");
    for (const auto& [item, field] : map.list("protocols"))
        config.protocols.push_back(readProtocol(context, *item, field));
    for (const auto& [item, field] : map.list("faults"))
        config.faults.push_back(readFault(context, *item, field));
    if (const YamlNode* jitter = map.node("jitter")) {
        MapReader reader(context, *jitter, "network.jitter", {"compute", "latency", "occupancy"});
        config.compute = readJitter(context, reader, "compute");
        config.latency = readJitter(context, reader, "latency");
        config.occupancy = readJitter(context, reader, "occupancy");
    }
    if (!(config == NetworkConfig{}))
        reading.design.network = std::make_shared<const NetworkConfig>(std::move(config));
}

} // namespace fabricscope
