#include "core/base/stop.h"
#include "core/design/file/sectionfields.h"
#include "core/design/linknames.h"
#include "core/design/modelversions.h"
#include "core/design/networkconfig.h"
#include "core/design/sectionchecks.h"
#include "core/hierarchy/findrails.h"
#include "core/platform/balancedways.h"
#include "core/platform/declarednodes.h"
#include "core/platform/routetable.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace fabricscope {

namespace {

Error problem(const Design& design, const std::string& field, std::string message, std::string expected = {}, ErrorCode code = ErrorCode::InvalidInput)
{
    return {code, std::move(message), design.place(field), std::move(expected)};
}

/// Numbers of names.
class Names {
public:
    explicit Names(const Platform& platform) : m_platform(platform)
    {
        if (!platform.isExplicit())
            return;
        const auto& nodes = platform.spec().nodes;
        for (std::size_t node = 0; node < nodes.size(); ++node)
            m_nodes.emplace(nodes.name(node), static_cast<NodeId>(node));
        for (LinkId link = 0; link < platform.linkCount(); ++link)
            m_links.emplace(platform.linkName(link), link);
    }

    std::optional<LinkId> link(const std::string& name) const
    {
        if (!m_platform.isExplicit())
            return findLink(m_platform, name);
        auto found = m_links.find(name);
        if (found == m_links.end() && name.ends_with("#1"))
            found = m_links.find(name.substr(0, name.size() - 2));
        return found == m_links.end() ? std::nullopt : std::optional(found->second);
    }

    std::optional<NodeId> node(const std::string& name) const
    {
        if (m_platform.isExplicit()) {
            const auto found = m_nodes.find(name);
            return found == m_nodes.end() ? std::nullopt : std::optional(found->second);
        }
        NodeId number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (name.empty() || error != std::errc{} || end != name.data() + name.size() || number < 0 || number >= m_platform.npuCount())
            return std::nullopt;
        return number;
    }

    std::string nodesExpected() const { return m_platform.isExplicit() ? "the name of an entry of platform.nodes" : "the number of an NPU"; }
    std::string linksExpected() const { return m_platform.isExplicit() ? "the names of two nodes, like gpu0>nvswitch, or gpu0>nvswitch#2 for the second of several links" : "a dimension and its two ends, like \"d0 3>4\" or \"d1 5>switch\""; }

private:
    const Platform& m_platform;
    std::map<std::string, NodeId> m_nodes;
    std::map<std::string, LinkId> m_links;
};

/// Links of a listed way; an error without a place.
Result<std::vector<LinkId>> linksOfWay(const RoutingConfig::Way& way, NodeId from, NodeId to, const Names& names, const ExplicitGraph& graph)
{
    std::vector<LinkId> links;
    for (const std::string& name : way.links) {
        const auto link = names.link(name);
        if (!link)
            return invalidInput("there is no link \"" + name + "\"", {}, names.linksExpected());
        links.push_back(*link);
    }
    if (!links.empty())
        return links;
    NodeId at = from;
    const auto step = [&](NodeId next) {
        for (const std::int32_t link : graph.outgoing(at)) {
            if (graph.to(link) != next || graph.isGone(link))
                continue;
            links.push_back(link);
            at = next;
            return true;
        }
        return false;
    };
    for (const std::string& name : way.via) {
        const auto next = names.node(name);
        if (!next)
            return invalidInput("there is no node \"" + name + "\"", {}, names.nodesExpected());
        if (!step(*next))
            return invalidInput("there is no link to \"" + name + "\" from the node before it", {}, "neighbours");
    }
    if (!step(to))
        return invalidInput("there is no link from the last node of the way to its end", {}, "neighbours");
    return links;
}

Result<RoutingRules> resolveTable(const Design& design, const Platform& platform, RoutingRules rules)
{
    const RoutingConfig& config = *design.network->routing;
    const Names names(platform);
    const auto graph = makeFabricGraph(platform);
    const auto npu = [&](const std::string& name) -> std::optional<NodeId> {
        const auto node = names.node(name);
        return node && *node < platform.npuCount() && !platform.isNpuRemoved(*node) ? node : std::nullopt;
    };
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RoutingConfig::Way& way = config.routes[i];
        const std::string field = "network.routing.routes[" + std::to_string(i) + "]";
        const auto from = npu(way.from);
        const auto to = npu(way.to);
        if (!from || !to)
            return problem(design, field + (from ? ".to" : ".from"), "there is no NPU \"" + (from ? way.to : way.from) + "\"", names.nodesExpected());
        if (*from == *to)
            return problem(design, field + ".to", "the way begins and ends at \"" + way.to + "\"", "two NPUs");
        auto links = linksOfWay(way, *from, *to, names, *graph);
        if (!links)
            return problem(design, field, links.error().message, links.error().expected);
        RoutingRules alone;
        alone.routes.emplace(std::pair{*from, *to}, std::move(links).value());
        if (Status status = checkTable(platform, *graph, alone); !status)
            return problem(design, field, status.error().message, status.error().expected);
        rules.routes.merge(alone.routes);
        if (!alone.routes.empty())
            return problem(design, field, "a second way from \"" + way.from + "\" to \"" + way.to + "\"", "one way for each pair");
    }
    for (std::size_t i = 0; i < config.nextHops.size(); ++i) {
        const RoutingConfig::Next& hop = config.nextHops[i];
        const std::string field = "network.routing.next_hops[" + std::to_string(i) + "]";
        const auto to = npu(hop.to);
        if (!to)
            return problem(design, field + ".to", "there is no NPU \"" + hop.to + "\"", names.nodesExpected());
        const auto link = names.link(hop.link);
        if (!link)
            return problem(design, field + ".link", "there is no link \"" + hop.link + "\"", names.linksExpected());
        if (graph->from(*link) == *to)
            return problem(design, field + ".link", "the link leads away from its destination \"" + hop.to + "\"", "a link of another node");
        if (!rules.next.emplace(std::pair{graph->from(*link), *to}, *link).second)
            return problem(design, field, "a second next link of the same node to \"" + hop.to + "\"", "one for each node and destination");
    }
    if (Status status = checkTable(platform, *graph, rules); !status)
        return problem(design, "network.routing.next_hops", status.error().message, status.error().expected);
    return rules;
}

/// What else there is: "shortest, ecmp, .. or table".
std::string otherPolicies(RoutePolicy policy, bool withoutQueues)
{
    std::string text;
    for (const RoutePolicyRow& row : kRoutePolicyRows) {
        if (row.policy != policy && !(withoutQueues && row.queues) && row.policy != RoutePolicy::RailAware && row.policy != RoutePolicy::DimensionOrder && row.policy != RoutePolicy::Table)
            text += std::string(row.word) + ", ";
    }
    return text.substr(0, text.size() - 2) + " or table";
}

} // namespace

void checkProtocol(const Design& design, const ProtocolConfig& protocol, const std::string& field, const std::optional<Platform>& platform, Diagnostics& found)
{
    const auto add = [&](const std::string& key, std::string message, std::string expected) {
        found.push_back(finding("network-protocol", problem(design, field + key, std::move(message), std::move(expected))));
    };
    checkFields<ProtocolConfig>(protocolFields(), protocol,
                                [&](const std::string& key, std::string message, std::string expected) { add('.' + key, std::move(message), std::move(expected)); });
    if (protocol.minSize && protocol.maxSize && toBytes(*protocol.minSize) > toBytes(*protocol.maxSize))
        add(".min_size", "no size is at least " + protocol.minSize->text() + " and at most " + protocol.maxSize->text(), "a range of sizes");
    if (protocol.preset.empty() && protocol.slotCount.value_or(0) > 0 && !protocol.slotSize)
        add(".slots", "slots without a size", "slot_size");
    if (protocol.slotSize && protocol.preset.empty() && protocol.slotCount.value_or(0) == 0)
        add(".slot_size", "a slot size without slots", "slots");
    if (protocol.controlSize && !protocol.get.value_or(false) && !protocol.signal.value_or(false) && !protocol.handshake.value_or(false))
        add(".control_size", "there are no control messages", "transfer: get, signal or handshake");
    if (protocol.get.value_or(false) && protocol.signal.value_or(false))
        add(".signal", "who gets data needs no signal", "signal with transfer: put");
    if (protocol.dimension && platform && (platform->isExplicit() || static_cast<std::size_t>(*protocol.dimension) >= platform->dimensions().size()))
        add(".dimension", "there is no dimension " + std::to_string(*protocol.dimension), platform->isExplicit() ? "a platform of dimensions" : "0 to " + std::to_string(platform->dimensions().size() - 1));
}

double largestDeviation(JitterShape shape)
{
    switch (shape) {
    case JitterShape::Uniform:
        return 0.577;
    case JitterShape::Normal: // Cut off at three deviations.
        return 1.0 / 3;
    case JitterShape::Lognormal:
        return 10;
    case JitterShape::Exponential:
        return 1;
    case JitterShape::None:
        break;
    }
    return 0;
}

Result<RoutingRules> resolveRouting(const Design& design, const Platform& platform)
{
    const RoutingConfig& config = *design.network->routing;
    RoutingRules rules;
    rules.policy = config.policy;
    rules.version = BalancedWays::rulesFor(platform, rulesNumber(versionUsed(design.model.model, design.model.version)));
    rules.perMessage = config.perMessage;
    rules.order = config.order;
    const auto refused = [&](std::string message) {
        return problem(design, "network.routing.policy", std::move(message), otherPolicies(config.policy, design.model.model == Model::Flow), ErrorCode::Unsupported);
    };
    if (rowOf(config.policy).queues && design.model.model == Model::Flow)
        return refused(std::string(rowOf(config.policy).word) + " chooses by the queues of links, and model flow has none: it shares links among all at once");
    if (config.policy == RoutePolicy::DimensionOrder) {
        const std::size_t axes = platform.isExplicit() ? DeclaredNodes::of(platform.spec()).sizes.size() : platform.dimensions().size();
        if (axes == 0)
            return refused("a platform of nodes and links has no dimensions, unless it was generated as a ring, mesh, torus, hypercube, tpu_v4 or hyperx");
        if (!platform.isExplicit() && platform.hasRemovals())
            return refused("the order of dimensions is not free where links or NPUs are removed");
        std::vector<std::int32_t> sorted = rules.order;
        std::sort(sorted.begin(), sorted.end());
        bool complete = sorted.empty() || sorted.size() == axes;
        for (std::size_t i = 0; i < sorted.size(); ++i)
            complete = complete && sorted[i] == static_cast<std::int32_t>(i);
        if (!complete)
            return problem(design, "network.routing.order", "not an order of the dimensions", "every number from 0 to " + std::to_string(axes - 1) + " once");
        if (!platform.isExplicit())
            return rules;
    }
    if (config.policy == RoutePolicy::RailAware) {
        std::optional<Rails> rails = platform.isExplicit() ? findRails(platform) : std::nullopt;
        if (!rails)
            return refused("nothing says which NPUs are a host and on which rail each is: the platform was not generated as rails, and no faster links join hosts of equal size in which every NPU has one nearest NPU of each other host");
        rules.rails = std::make_shared<const Rails>(*std::move(rails));
    }
    if (config.policy != RoutePolicy::Shortest && platform.linkCount() > mostGraphLinks(platform))
        return problem(design, "network.routing.policy", "the platform has " + std::to_string(platform.linkCount()) + " links", "at most " + std::to_string(mostGraphLinks(platform)) + " links with this policy", ErrorCode::Unsupported);
    if (config.policy == RoutePolicy::Table)
        return resolveTable(design, platform, std::move(rules));
    return rules;
}

Result<std::vector<LinkFault>> resolveFaults(const Design& design, const Platform& platform)
{
    std::vector<LinkFault> faults;
    const auto& given = design.network->faults;
    const Names names(platform);
    std::shared_ptr<const ExplicitGraph> graph;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const FaultConfig& fault = given[i];
        const std::string field = "network.faults[" + std::to_string(i) + "]";
        LinkFault entry;
        entry.fault = i;
        entry.at = toSimTime(fault.at);
        if (fault.until)
            entry.until = toSimTime(*fault.until);
        if (entry.until && *entry.until <= entry.at)
            return problem(design, field + ".until", "the fault ends before it begins", "a time after " + fault.at.text());
        if ((fault.failed || fault.npu >= 0) && platform.linkCount() > mostGraphLinks(platform))
            return problem(design, field, "the platform has " + std::to_string(platform.linkCount()) + " links", "at most " + std::to_string(mostGraphLinks(platform)) + " links where links fail", ErrorCode::Unsupported);
        std::vector<LinkId> links;
        if (fault.npu >= 0) {
            if (fault.npu >= platform.npuCount() || platform.isNpuRemoved(fault.npu))
                return problem(design, field + ".npu", "there is no NPU " + std::to_string(fault.npu), "0 to " + std::to_string(platform.npuCount() - 1));
            if (!graph)
                graph = makeFabricGraph(platform);
            for (const auto& list : {graph->outgoing(fault.npu), graph->incoming(fault.npu)})
                std::copy_if(list.begin(), list.end(), std::back_inserter(links), [&](std::int32_t link) { return !graph->isGone(link); });
        } else {
            const auto link = names.link(fault.link);
            if (!link || platform.isRemoved(*link))
                return problem(design, field + ".link", "there is no link \"" + fault.link + "\"", names.linksExpected());
            links.push_back(*link);
        }
        for (const LinkId link : links) {
            entry.link = link;
            if (fault.factor) {
                __extension__ using Wide = __int128;
                const Wide rate = platform.bandwidth(link).bytesPerSecond;
                entry.rate = std::max<std::int64_t>(1, static_cast<std::int64_t>(rate * fault.factor->first / fault.factor->second));
            } else if (fault.bandwidth) {
                entry.rate = toBandwidth(*fault.bandwidth).bytesPerSecond;
                if (entry.rate < 1)
                    return problem(design, field + ".bandwidth", "a link without bandwidth", "a rate, or failed: true");
            }
            faults.push_back(entry);
        }
    }
    std::map<LinkId, std::vector<const LinkFault*>> rates;
    for (const LinkFault& fault : faults) {
        if (fault.rate == 0)
            continue;
        for (const LinkFault* other : rates[fault.link]) {
            if ((!other->until || *other->until > fault.at) && (!fault.until || *fault.until > other->at))
                return problem(design, "network.faults[" + std::to_string(fault.fault) + "]", "the link " + platform.linkName(fault.link) + " has another rate at the same time", "one change of rate at a time");
        }
        rates[fault.link].push_back(&fault);
    }
    return faults;
}

namespace {

/// What older rules do not know of switches that reduce and copy.
void checkOffloads(const Design& design, Diagnostics& found)
{
    const std::string version = versionUsed(design.model.model, design.model.version);
    if (!design.platform || !traitsOf(design.model.model).switchesReduce || rulesNumber(version) >= kLibraryRules)
        return;
    const auto check = [&](const SwitchOffload& offload, const std::string& list, std::size_t number) {
        const std::string field = list + '[' + std::to_string(number) + "].in_network";
        for (const auto& [set, key] : {std::pair(offload.shares, ".shares"), {offload.efficiency.has_value(), ".efficiency"}}) {
            if (set)
                found.push_back(finding("network-offload", problem(design, field + key, "the rules of " + version + " know no " + (key + 1) + " of a switch",
                                                                   versionList(design.model.model, kLibraryRules) + ", or no version", ErrorCode::Unsupported)));
        }
    };
    const PlatformSpec& spec = *design.platform;
    for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
        if (spec.dimensions[d].offload)
            check(*spec.dimensions[d].offload, "platform.dimensions", d);
    }
    for (const auto& [node, offload] : spec.nodes.offloads())
        check(offload, "platform.nodes", node);
}

} // namespace

Diagnostics validateNetwork(const Design& design, const std::stop_token& stop)
{
    Diagnostics found;
    checkOffloads(design, found);
    if (!design.network)
        return found;
    const NetworkConfig& network = *design.network;
    std::optional<Platform> platform;
    if (design.platform) {
        if (auto created = Platform::create(*design.platform, stop))
            platform = std::move(created).value();
        checkStop(stop);
    }
    if (platform && network.routing) {
        if (auto rules = resolveRouting(design, *platform); !rules)
            found.push_back(finding("network-routing", rules.error()));
    }
    if (platform && !network.faults.empty()) {
        if (auto faults = resolveFaults(design, *platform); !faults)
            found.push_back(finding("network-faults", faults.error()));
    }
    constexpr std::size_t kMostProtocols = 100;
    if (network.protocols.size() > kMostProtocols)
        found.push_back(finding("network-protocol", problem(design, "network.protocols", std::to_string(network.protocols.size()) + " rules", "at most " + std::to_string(kMostProtocols))));
    const bool single = design.places && design.places->contains("network.protocol");
    for (std::size_t i = 0; i < network.protocols.size(); ++i)
        checkProtocol(design, network.protocols[i], single ? "network.protocol" : "network.protocols[" + std::to_string(i) + "]", platform, found);
    checkFields<NetworkConfig>(jitterFields(), network, [&](const std::string& key, std::string message, std::string expected) {
        found.push_back(finding("network-jitter", problem(design, "network.jitter." + key, std::move(message), std::move(expected))));
    });
    return found;
}

} // namespace fabricscope
