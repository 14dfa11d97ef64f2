#include "core/scenario/networkparams.h"

#include "core/design/modelversions.h"
#include "core/scenario/streampairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

/// Latency: the time NCCL itself reckons per step of a ring over NVLink. Efficiency: LL carries 4 bytes of flag with 4 of data, LL128
/// 8 with 120. Slots: a connection has 8 steps; a message takes 4 of them with Simple and one with LL and LL128. Slot sizes: NCCL's
/// default buffers (4 MiB, 512 KiB, 4.8 MB) divided by the messages in flight.
struct Preset {
    const char* name;
    std::int64_t latencyPs;
    std::int64_t payload;
    std::int64_t wire;
    std::int32_t slotCount;
    std::int64_t slotBytes;
};
constexpr Preset kPresets[] = {
    {"Simple", 3'400'000, 1, 1, 2, 2 << 20},
    {"LL", 600'000, 4, 8, 8, 64 << 10},
    {"LL128", 1'900'000, 120, 128, 8, 614'400},
};
constexpr std::int64_t kControlBytes = 64;

std::string protocolText(const ProtocolParams& protocol)
{
    std::string text = protocol.name;
    if (protocol.minBytes > 0)
        text += ", from " + showBytes({protocol.minBytes});
    if (protocol.maxBytes < INT64_MAX)
        text += ", up to " + showBytes({protocol.maxBytes});
    if (protocol.dimension >= 0)
        text += ", dimension " + std::to_string(protocol.dimension);
    text += ": " + showTime(protocol.latency) + " per message, " + std::to_string(protocol.payload) + "/" + std::to_string(protocol.wire) + " of the bytes are payload";
    if (protocol.slotCount > 0)
        text += ", " + std::to_string(protocol.slotCount) + " slots of " + showBytes({protocol.slotBytes});
    if (protocol.controls > 0)
        text += ", " + std::to_string(protocol.controls) + (protocol.controls == 1 ? " control message before the data" : " control messages before the data");
    if (protocol.signal)
        text += ", a signal behind the data";
    return text;
}

std::string jitterText(const JitterConfig& config)
{
    return std::string(jitterKey(config.shape)) + ", deviation " + Quantity{config.deviation, "", Measure::Count}.text();
}

using List = std::function<void(std::string name, std::string value)>;

/// Terms of the rules of collectives, their protocols behind those chosen by size. Nothing where no rule has any.
void addRules(const std::vector<CollectiveRule>& rules, NetworkParams& network, const List& list)
{
    const CollectiveTerms none;
    if (std::all_of(rules.begin(), rules.end(), [&](const CollectiveRule& rule) { return rule.terms == none; }))
        return;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const CollectiveTerms& terms = rules[i].terms;
        const std::string name = "rule " + std::to_string(i + 1) + " of collectives, ";
        RuleParams& rule = network.ofRules.emplace_back();
        rule.launch = terms.launch ? toSimTime(*terms.launch) : network.launch;
        if (terms.launch)
            list(name + "launch", terms.launch->text());
        if (terms.ramp) {
            rule.ramp = toSimTime(*terms.ramp);
            rule.rampBytes = terms.rampSize ? toBytes(*terms.rampSize).value : 0;
            list(name + "ramp", terms.ramp->text() + (terms.rampSize ? ", half of it at " + terms.rampSize->text() : std::string()));
        }
        if (terms.protocol) {
            rule.protocol = static_cast<std::int32_t>(network.protocols.size());
            ++network.ruleProtocols;
            network.protocols.push_back(protocolParams(*terms.protocol));
            list(name + "protocol", protocolText(network.protocols.back()));
        }
    }
}

/// Names of the parts a design sets.
std::vector<std::string> partsOf(const NetworkConfig& network, const std::vector<CollectiveRule>& rules)
{
    std::vector<std::string> parts;
    if (std::any_of(rules.begin(), rules.end(), [](const CollectiveRule& rule) { return rule.terms != CollectiveTerms{}; }))
        parts.push_back("launch, ramp and protocol of collectives.rules");
    if (network.launch.value > 0)
        parts.push_back("network.launch");
    if (network.routing)
        parts.push_back("network.routing");
    if (!network.protocols.empty())
        parts.push_back("network.protocols");
    if (!network.faults.empty())
        parts.push_back("network.faults");
    for (const auto& [key, jitter] : {std::pair{"compute", network.compute}, {"latency", network.latency}, {"occupancy", network.occupancy}}) {
        if (jitter.shape != JitterShape::None)
            parts.push_back(std::string("network.jitter.") + key);
    }
    return parts;
}

} // namespace

SimTime NetworkParams::launchOf(const CollectiveInstance& instance) const
{
    const RuleParams* const rule = ruleOf(instance);
    return rule ? rule->launch : launch;
}

SimTime NetworkParams::rampOf(const CollectiveInstance& instance) const
{
    const RuleParams* const rule = ruleOf(instance);
    if (!rule || rule->ramp.ps == 0 || instance.bytes == 0)
        return {};
    return rule->rampBytes == 0 ? rule->ramp : SimTime{mulDivCeil(instance.bytes, rule->ramp.ps, instance.bytes + rule->rampBytes)};
}

bool NetworkParams::launches() const
{
    return launch.ps > 0 || std::any_of(ofRules.begin(), ofRules.end(), [](const RuleParams& rule) { return rule.launch.ps > 0 || rule.ramp.ps > 0; });
}

ProtocolParams protocolParams(const ProtocolConfig& config)
{
    ProtocolParams protocol;
    protocol.name = config.preset.empty() ? "custom" : config.preset;
    for (const Preset& preset : kPresets) {
        if (config.preset == preset.name) {
            protocol.latency = SimTime{preset.latencyPs};
            protocol.payload = preset.payload;
            protocol.wire = preset.wire;
            protocol.slotCount = preset.slotCount;
            protocol.slotBytes = preset.slotBytes;
        }
    }
    if (config.minSize)
        protocol.minBytes = toBytes(*config.minSize).value;
    if (config.maxSize)
        protocol.maxBytes = toBytes(*config.maxSize).value;
    protocol.dimension = config.dimension.value_or(-1);
    if (config.latency)
        protocol.latency = toSimTime(*config.latency);
    if (config.efficiency)
        std::tie(protocol.payload, protocol.wire) = *config.efficiency;
    protocol.slotCount = config.slotCount.value_or(protocol.slotCount);
    if (config.slotSize)
        protocol.slotBytes = toBytes(*config.slotSize).value;
    protocol.controls = config.handshake.value_or(false) ? 2 : (config.get.value_or(false) ? 1 : 0);
    protocol.signal = config.signal.value_or(false);
    if (protocol.controls > 0 || protocol.signal)
        protocol.controlBytes = config.controlSize ? toBytes(*config.controlSize).value : kControlBytes;
    return protocol;
}

std::vector<LinkChange> linkChanges(const std::vector<LinkFault>& faults, const Structure& structure, Params& params)
{
    std::vector<LinkChange> changes;
    std::map<std::pair<ResourceClass, std::int64_t>, ResourceClass> classes; // By old class and new rate.
    for (const LinkFault& fault : faults) {
        const ResourceClass own = structure.classOf(fault.link);
        const auto add = [&](SimTime at, LinkChange::Kind kind, ResourceClass resource) {
            changes.push_back({at, kind, fault.link, resource, params.linkRate[static_cast<std::size_t>(resource)].bytesPerSecond});
        };
        if (fault.rate == 0) {
            add(fault.at, LinkChange::Kind::Failed, own);
            if (fault.until)
                add(*fault.until, LinkChange::Kind::Repaired, own);
            continue;
        }
        const auto [entry, added] = classes.emplace(std::pair{own, fault.rate}, static_cast<ResourceClass>(params.linkRate.size()));
        if (added) {
            const SimTime latency = params.linkLatency[static_cast<std::size_t>(own)];
            params.linkRate.push_back({fault.rate});
            params.linkLatency.push_back(latency);
        }
        add(fault.at, LinkChange::Kind::Rate, entry->second);
        if (fault.until)
            add(*fault.until, LinkChange::Kind::Restored, own);
    }
    std::sort(changes.begin(), changes.end(), [](const LinkChange& a, const LinkChange& b) {
        return std::tuple(a.at, a.kind, a.link, a.rate) < std::tuple(b.at, b.kind, b.link, b.rate);
    });
    return changes;
}

std::shared_ptr<const NetworkParams> makeNetworkParams(const Design& design, const Structure& structure, Params& params, Diagnostics& diagnostics)
{
    const ModelTraits& model = traitsOf(design.model.model);
    const std::string version = versionUsed(model.model, design.model.version);
    const RoutingConfig* const written = design.network && design.network->routing ? &*design.network->routing : nullptr;
    // Written out, the default stays what it is: engines that know no other ways may take it.
    const bool evenly = model.networkRules && BalancedWays::rulesFor(structure.platform, rulesNumber(version)) >= 2 && (!written || written->policy == RoutePolicy::Balanced)
                        && structure.platform.linkCount() <= mostGraphLinks(structure.platform);
    const bool terms = std::any_of(design.collectives.rules.begin(), design.collectives.rules.end(), [](const CollectiveRule& rule) { return rule.terms != CollectiveTerms{}; });
    if (!design.network && !evenly && !terms)
        return nullptr;
    const NetworkConfig config = design.network ? *design.network : NetworkConfig{};
    const auto unused = [&](const std::string& part, const std::string& why) { diagnostics.push_back(warning("unused-network", part + " is not used: " + why)); };
    if (!model.networkRules) {
        for (const std::string& part : partsOf(config, design.collectives.rules))
            unused(part, "the models of ASTRA-sim have no such thing");
        return nullptr;
    }
    const std::string source = design.file.empty() ? "given" : design.file;
    const auto list = [&](std::string name, std::string value) { params.list.push_back({std::move(name), std::move(value), source, false}); };

    NetworkParams network;
    network.seed = config.seed;
    bool any = false;
    if (config.launch.value > 0) {
        network.launch = toSimTime(config.launch);
        list("launch of a collective", config.launch.text());
        any = true;
    }
    if (config.routing) {
        auto rules = resolveRouting(design, structure.platform);
        if (rules) { // What cannot be resolved has been refused by validate().
            list("routing", std::string(rowOf(config.routing->policy).title) + (config.routing->perMessage ? ", per message" : ""));
            const bool usual = (rules.value().policy == RoutePolicy::Shortest && rules.value().version < 2)
                               || evenly || (rules.value().policy == RoutePolicy::DimensionOrder && !structure.platform.isExplicit() && std::is_sorted(rules.value().order.begin(), rules.value().order.end()));
            if (!usual) {
                network.routing = std::move(rules).value();
                any = true;
            }
        }
    }
    if (evenly && !written)
        params.list.push_back({"routing", std::string(rowOf(RoutePolicy::Balanced).title), "default of " + version, true});
    for (std::size_t i = 0; i < config.protocols.size(); ++i) {
        network.protocols.push_back(protocolParams(config.protocols[i]));
        list(config.protocols.size() == 1 ? "protocol" : "protocol, rule " + std::to_string(i + 1), protocolText(network.protocols.back()));
        any = true;
    }
    addRules(design.collectives.rules, network, list);
    any = any || !network.ofRules.empty();
    if (model.model == Model::Ideal && std::any_of(network.protocols.begin(), network.protocols.end(), [](const ProtocolParams& protocol) { return protocol.slotCount > 0; }))
        unused("the number of slots of network.protocols", "under ideal nothing is ever occupied");
    if (!config.faults.empty() && !model.changingLinks) {
        unused("network.faults", "the flow model has links of constant rate");
    } else if (!config.faults.empty()) {
        if (auto faults = resolveFaults(design, structure.platform)) {
            network.changes = linkChanges(faults.value(), structure, params);
            network.failures = std::any_of(faults.value().begin(), faults.value().end(), [](const LinkFault& fault) { return fault.rate == 0; });
            list("faults", std::to_string(config.faults.size()));
            any = true;
        }
    }
    for (const auto& [key, jitter, table, linkOnly] : {std::tuple("compute jitter", &config.compute, &network.compute, false),
                                                       {"latency jitter", &config.latency, &network.latency, true},
                                                       {"occupancy jitter", &config.occupancy, &network.occupancy, true}}) {
        if (jitter->shape == JitterShape::None)
            continue;
        if (linkOnly && !model.changingLinks) {
            unused(std::string("network.jitter, ") + key, "the flow model shares links of constant rate and latency");
            continue;
        }
        *table = JitterTable(*jitter);
        list(key, jitterText(*jitter));
        any = any || !table->empty();
    }
    if (evenly && (any || streamsMeet(*structure.workload))) {
        network.routing = BalancedWays::rules();
        any = true;
    } else if (evenly) {
        network.ways = std::make_shared<const BalancedWays>(structure.platform);
        return std::make_shared<const NetworkParams>(std::move(network));
    }
    if (network.draws())
        list("seed of the network", std::to_string(config.seed));
    if (network.failures || (network.routing && (network.routing->policy != RoutePolicy::DimensionOrder || structure.platform.isExplicit())))
        network.graph = makeFabricGraph(structure.platform);
    if (!any)
        return nullptr;
    const bool overtakes = network.failures || !network.latency.empty() || !network.occupancy.empty() || (network.routing && rowOf(network.routing->policy).overtakes);
    const auto windowed = [](const CollectiveInstance& instance) { return instance.program && instance.program->window > 0; };
    if (overtakes && std::any_of(structure.instances.begin(), structure.instances.end(), windowed)) {
        diagnostics.push_back(warning("window-order", "chunks may overtake each other here, and with a window of chunks ranks that let in different chunks "
                                                      "may wait for each other for ever: a window of 0 has no such waits"));
    }
    return std::make_shared<const NetworkParams>(std::move(network));
}

} // namespace fabricscope
