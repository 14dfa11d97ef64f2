#include "core/design/file/sectionfields.h"
#include "core/base/decimal.h"
#include "core/design/networkconfig.h"

namespace fabricscope {

namespace {

YamlNode names(const std::vector<std::string>& list)
{
    YamlNode node = YamlNode::sequence();
    for (const std::string& name : list)
        node.items.push_back(YamlNode::scalar(name));
    return node;
}

YamlNode routingTree(const RoutingConfig& routing)
{
    MapBuilder map;
    map.add("policy", std::string(keyOf(kRoutePolicies, routing.policy)));
    if (routing.perMessage)
        map.add("per", "message");
    YamlNode order = YamlNode::sequence();
    for (const std::int32_t dimension : routing.order)
        order.items.push_back(YamlNode::scalar(std::to_string(dimension)));
    map.addFilled("order", std::move(order));
    YamlNode routes = YamlNode::sequence();
    for (const RoutingConfig::Way& way : routing.routes) {
        MapBuilder entry;
        entry.add("from", way.from).add("to", way.to);
        if (way.links.empty())
            entry.add("via", names(way.via));
        else
            entry.add("links", names(way.links));
        routes.items.push_back(entry.take());
    }
    map.addFilled("routes", std::move(routes));
    YamlNode next = YamlNode::sequence();
    for (const RoutingConfig::Next& hop : routing.nextHops)
        next.items.push_back(MapBuilder().add("to", hop.to).add("link", hop.link).take());
    return map.addFilled("next_hops", std::move(next)).take();
}

} // namespace

YamlNode networkTree(const Design& design, DesignForm)
{
    MapBuilder map;
    if (!design.network)
        return map.take();
    const NetworkConfig& network = *design.network;
    if (network.seed != 0)
        map.add("seed", std::to_string(network.seed));
    if (network.routing)
        map.add("routing", routingTree(*network.routing));
    YamlNode protocols = YamlNode::sequence();
    for (const ProtocolConfig& protocol : network.protocols)
        protocols.items.push_back(fieldsTree(protocolFields(), protocol));
    map.addFilled("protocols", std::move(protocols));
    YamlNode faults = YamlNode::sequence();
    for (const FaultConfig& fault : network.faults)
        faults.items.push_back(fieldsTree(faultFields(), fault));
    map.addFilled("faults", std::move(faults));
    MapBuilder jitter;
    for (const auto& [key, config] : {std::pair{"compute", network.compute}, {"latency", network.latency}, {"occupancy", network.occupancy}}) {
        if (config.shape != JitterShape::None)
            jitter.add(key, MapBuilder().add("distribution", std::string(jitterKey(config.shape))).add("deviation", decimal(config.deviation)).take());
    }
    return map.addFilled("jitter", jitter.take()).take();
}

} // namespace fabricscope
