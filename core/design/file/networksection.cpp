#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"

#include <charconv>

namespace fabricscope {

namespace {

constexpr std::int64_t kMaxFraction = 1'000'000;
constexpr std::int32_t kMaxSlots = 1 << 20;

constexpr KeyTable<JitterShape, 4> kJitterShapes{
    {{"uniform", JitterShape::Uniform}, {"normal", JitterShape::Normal}, {"lognormal", JitterShape::Lognormal}, {"exponential", JitterShape::Exponential}}};
constexpr KeyTable<bool, 2> kDrawnPer{{{"stream", false}, {"message", true}}};
constexpr KeyTable<bool, 2> kTransfers{{{"put", false}, {"get", true}}};

bool isPreset(std::string_view name)
{
    return name == "Simple" || name == "LL" || name == "LL128";
}

/// Only a policy of these looks at the field.
SectionField<RoutingConfig> ofPolicy(RoutePolicy policy, SectionField<RoutingConfig> field)
{
    field.read = [policy, key = field.key, read = std::move(field.read)](const MapReader& map, RoutingConfig& config) {
        read(map, config);
        if (map.has(key) && config.policy != policy)
            map.error(key, "only the policy " + std::string(keyOf(kRoutePolicies, policy)) + " knows this", "no \"" + key + '"');
    };
    return field;
}

using Way = RoutingConfig::Way;

const SectionFields<Way>& wayFields()
{
    /// Either of the two is written: links where there are some.
    const auto names = [](const char* key, std::vector<std::string> Way::* member, bool links) {
        return SectionField<Way>{key, "",
                                 [key, member](const MapReader& map, Way& way) {
                                     for (const auto& [item, field] : map.list(key)) {
                                         if (auto name = readText(map.context(), *item, field))
                                             (way.*member).push_back(std::move(*name));
                                     }
                                 },
                                 [key, member, links](MapBuilder& map, const Way& way, const Writing&) {
                                     if (links == way.links.empty())
                                         return;
                                     YamlNode list = YamlNode::sequence();
                                     for (const std::string& name : way.*member)
                                         list.items.push_back(YamlNode::scalar(name));
                                     map.add(key, std::move(list));
                                 },
                                 [](const Way&, const auto&) {}, {}};
    };
    static const SectionFields<Way> fields{required(saidText("from", &Way::from, "")), required(saidText("to", &Way::to, "")), names("via", &Way::via, false), names("links", &Way::links, true)};
    return fields;
}

const SectionFields<RoutingConfig::Next>& nextFields()
{
    using Next = RoutingConfig::Next;
    static const SectionFields<Next> fields{required(saidText("to", &Next::to, "")), required(saidText("link", &Next::link, ""))};
    return fields;
}

const SectionFields<JitterConfig>& drawnFields()
{
    using Config = JitterConfig;
    static const SectionFields<Config> fields{
        required(saidWord("distribution", &Config::shape, kJitterShapes, "")),
        {"deviation", "",
         [](const MapReader& map, Config& config) {
             map.required("deviation");
             config.deviation = map.number("deviation", 0).value_or(0);
         },
         [](MapBuilder& map, const Config& config, const Writing&) {
             if (config.shape != JitterShape::None)
                 map.add("deviation", decimal(config.deviation));
         },
         [](const Config& config, const auto& tell) {
             const double largest = largestDeviation(config.shape);
             if (config.shape != JitterShape::None && !(config.deviation <= largest))
                 tell("deviation", "with this deviation some factors are negative", "at most " + std::to_string(largest));
         },
         {}},
    };
    return fields;
}

/// A time or size that may be absent, from `least` to `most` picoseconds or bytes. \param wrong what is said of another, behind the value
SectionField<ProtocolConfig> rangedQuantity(const char* key, std::optional<Quantity> ProtocolConfig::* member, Measure measure, std::int64_t least, std::int64_t most, const char* wrong,
                                            const char* expected)
{
    return checked(givenQuantity(key, member, measure, ""), [=](const ProtocolConfig& config, const auto& tell) {
        if (!(config.*member))
            return;
        const Quantity& given = *(config.*member);
        const std::int64_t value = measure == Measure::Time ? toSimTime(given).ps : toBytes(given).value;
        if (value < least || value > most)
            tell(key, '"' + given.text() + "\" is " + wrong, expected);
    });
}

} // namespace

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
         [](MapBuilder& map, const Config& config, const Writing&) {
             if (!config.preset.empty())
                 map.add("preset", config.preset);
         },
         [](const Config&, const auto&) {}, {}},
        givenQuantity("min_size", &Config::minSize, Measure::Size, "of messages"),
        givenQuantity("max_size", &Config::maxSize, Measure::Size, ""),
        givenWhole("dimension", &Config::dimension, 0, static_cast<std::int32_t>(kMaxNpus), "the highest a message crosses"),
        rangedQuantity("latency", &Config::latency, Measure::Time, INT64_MIN, kPsPerSecond, "too long", "at most 1 s"),
        givenFraction("efficiency", &Config::efficiency, ""),
        givenWhole("slots", &Config::slotCount, 0, kMaxSlots, ""),
        rangedQuantity("slot_size", &Config::slotSize, Measure::Size, 1024, INT64_MAX, "not possible", "at least 1024 B"),
        givenWord("transfer", &Config::get, kTransfers, ""),
        givenFlag("signal", &Config::signal, ""),
        givenFlag("handshake", &Config::handshake, ""),
        rangedQuantity("control_size", &Config::controlSize, Measure::Size, 1, 65536, "not possible", "1 B to 64 KiB"),
    };
    return fields;
}

const SectionFields<FaultConfig>& faultFields()
{
    using Config = FaultConfig;
    static const SectionFields<Config> fields{
        written(saidText("link", &Config::link, ""),
                [](MapBuilder& map, const Config& config, const Writing&) {
                    if (config.npu < 0)
                        map.add("link", config.link);
                }),
        wholeField("npu", &Config::npu, 0, static_cast<std::int32_t>(kMaxNpus) - 1, "all links of one NPU"),
        required(quantityField("at", &Config::at, Measure::Time, "")),
        givenQuantity("until", &Config::until, Measure::Time, ""),
        flagField("failed", &Config::failed, ""),
        givenQuantity("bandwidth", &Config::bandwidth, Measure::Bandwidth, "of the link"),
        givenFraction("factor", &Config::factor, ""),
    };
    return fields;
}

const SectionFields<RoutingConfig>& routingFields()
{
    using Config = RoutingConfig;
    static const SectionFields<Config> fields{
        required(saidWord("policy", &Config::policy, kRoutePolicies, "")),
        ofPolicy(RoutePolicy::Ecmp, wordField("per", &Config::perMessage, kDrawnPer, "stream or message")),
        ofPolicy(RoutePolicy::DimensionOrder, wholesField("order", &Config::order, 0, kMaxNpus, "")),
        ofPolicy(RoutePolicy::Table, listField("routes", &Config::routes, wayFields, "",
                                               [](FieldContext& context, const YamlNode& node, const std::string& path, const Way&) {
                                                   if ((node.find("via") != nullptr) == (node.find("links") != nullptr))
                                                       context.error(node, path, "the way is not clear", "via: [nodes between] or links: [names of links]");
                                               })),
        ofPolicy(RoutePolicy::Table, listField("next_hops", &Config::nextHops, nextFields, "")),
    };
    return fields;
}

const SectionFields<NetworkConfig>& jitterFields()
{
    using Config = NetworkConfig;
    static const SectionFields<Config> fields{
        partField("compute", &Config::compute, drawnFields, ""),
        partField("latency", &Config::latency, drawnFields, "of links, per message"),
        partField("occupancy", &Config::occupancy, drawnFields, ""),
    };
    return fields;
}

const SectionFields<NetworkConfig>& networkFields()
{
    using Config = NetworkConfig;
    static const SectionFields<Config> fields{
        written(seedField("seed", &Config::seed, "of whatever is drawn"),
                [](MapBuilder& map, const Config& config, const Writing&) {
                    if (config.seed != 0)
                        map.add("seed", std::to_string(config.seed));
                }),
        written(quantityField("launch", &Config::launch, Measure::Time, "from the issue of a collective to its begin, whatever its steps"),
                [](MapBuilder& map, const Config& config, const Writing&) {
                    if (config.launch.value != 0) // Hashes of designs without one stay.
                        map.add("launch", config.launch);
                }),
        givenPart("routing", &Config::routing, routingFields, ""),
        {"protocol", "for all",
         [](const MapReader& map, Config& config) {
             if (const YamlNode* node = map.node("protocol"))
                 config.protocols.push_back(readProtocol(map.context(), *node, map.field("protocol")));
         },
         [](MapBuilder&, const Config&, const Writing&) {}, [](const Config&, const auto&) {}, {}},
        {"protocols", "the first that fits",
         [](const MapReader& map, Config& config) {
             if (map.has("protocol") && map.has("protocols"))
                 map.error("protocols", "both \"protocol\" and \"protocols\" are given", "one of them");
             for (const auto& [item, field] : map.list("protocols"))
                 config.protocols.push_back(readProtocol(map.context(), *item, field));
         },
         [](MapBuilder& map, const Config& config, const Writing& how) { map.addFilled("protocols", listTree(protocolFields(), config.protocols, how)); },
         [](const Config&, const auto&) {}, {}},
        listField("faults", &Config::faults, faultFields, "links that change during the run",
                  [](FieldContext& context, const YamlNode& node, const std::string& path, const FaultConfig& fault) {
                      const auto has = [&node](std::string_view key) { return node.find(key) != nullptr; };
                      if (has("link") == has("npu"))
                          context.error(node, path, "it is not clear what is struck", "link: the name of a link, or npu: a number");
                      if (int{fault.failed} + int{has("bandwidth")} + int{has("factor")} != 1)
                          context.error(node, path, "it is not clear what happens", "one of failed: true, bandwidth and factor");
                  }),
        {"jitter", "factors of mean 1 and this deviation", {}, {}, {}, jitterFields()},
    };
    return fields;
}

std::string_view jitterKey(JitterShape shape)
{
    const std::string_view word = keyOf(kJitterShapes, shape);
    return word.empty() ? "none" : word;
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
    NetworkConfig config = reading.design.network ? *reading.design.network : NetworkConfig{}; // What a preset brings.
    readFields(reading.fields, node, "network", networkFields(), config);
    reading.design.network.reset();
    if (!(config == NetworkConfig{}))
        reading.design.network = std::make_shared<const NetworkConfig>(std::move(config));
}

YamlNode networkTree(const Design& design, DesignForm form)
{
    return design.network ? fieldsTree(networkFields(), *design.network, {form}) : YamlNode::map();
}

} // namespace fabricscope
