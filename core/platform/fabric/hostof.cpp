#include "core/platform/fabric/hostof.h"

#include "core/base/index.h"

#include <map>

namespace fabricscope {

namespace {

Error hostError(std::string message, std::string expected)
{
    return invalidInput(std::move(message), {}, std::move(expected));
}

/// Cables with the next free ports at both ends.
class HostWiring {
public:
    explicit HostWiring(FabricHost& host) : m_host(host) {}
    void join(std::int32_t a, std::int32_t b, const Quantity& bandwidth, const Quantity& latency)
    {
        m_ports.resize(at(std::max({a, b, static_cast<std::int32_t>(m_ports.size()) - 1})) + 1);
        const PortRef lower{a, m_ports[at(a)]++};
        m_host.cables.push_back({lower, {b, m_ports[at(b)]++}, bandwidth, latency});
    }

private:
    FabricHost& m_host;
    std::vector<std::int32_t> m_ports;
};

Quantity rateOfLink(const Dimension& dimension)
{
    Quantity rate = dimension.bandwidth;
    if (dimension.bandwidthIsPerNpu && dimension.linksPerNpu() > 1)
        rate.value /= dimension.linksPerNpu();
    return rate;
}

void writeOut(const std::vector<Dimension>& dimensions, FabricHost& host)
{
    HostWiring wiring(host);
    std::int32_t stride = 1;
    for (const Dimension& d : dimensions) {
        const Quantity rate = rateOfLink(d);
        for (std::int32_t line = 0; line < host.npus; ++line) {
            if (line / stride % d.size != 0 || d.size < 2)
                continue; // Not the first of its line.
            const std::int32_t centre = host.npus + host.switches;
            if (d.shape == Shape::Switch && d.offload)
                host.offloads.emplace(host.switches, *d.offload);
            if (d.shape == Shape::Switch && d.crossbar)
                host.crossbars.emplace(host.switches, *d.crossbar);
            if (d.shape == Shape::Switch)
                ++host.switches;
            for (std::int32_t i = 0; i < d.size; ++i) {
                const std::int32_t npu = line + i * stride;
                if (d.shape == Shape::Switch)
                    wiring.join(npu, centre, rate, d.latency);
                else if (d.shape == Shape::Ring && (d.size > 2 || i == 0))
                    wiring.join(npu, line + (i + 1) % d.size * stride, rate, d.latency);
                for (std::int32_t other = i + 1; d.shape == Shape::FullyConnected && other < d.size; ++other)
                    wiring.join(npu, line + other * stride, rate, d.latency);
            }
        }
        stride *= d.size;
    }
}

/// Of what writeOut() would write. \pre npus <= kMaxNpus.
std::int64_t cablesOf(const std::vector<Dimension>& dimensions, std::int64_t npus)
{
    std::int64_t cables = 0;
    for (const Dimension& d : dimensions) {
        const std::int64_t size = std::max<std::int64_t>(d.size, 1);
        cables += d.shape == Shape::FullyConnected ? npus * (size - 1) / 2 : npus;
    }
    return cables;
}

/// Links of a graph in pairs, one each way and alike.
Status pairUp(const PlatformSpec& spec, FabricHost& host)
{
    HostWiring wiring(host);
    std::map<std::pair<NodeId, NodeId>, std::vector<ExplicitLink>> open;
    for (const ExplicitLink& link : spec.links) {
        std::vector<ExplicitLink>& back = open[{link.to, link.from}];
        if (back.empty()) {
            open[{link.from, link.to}].push_back(link);
            continue;
        }
        const ExplicitLink first = back.front();
        if (!(first.bandwidth == link.bandwidth) || !(first.latency == link.latency))
            return hostError("links between the same nodes differ by direction", "a host with equal links both ways");
        wiring.join(std::min(first.from, first.to), std::max(first.from, first.to), link.bandwidth, link.latency);
        back.erase(back.begin());
    }
    for (const auto& [ends, links] : open) {
        if (!links.empty())
            return hostError("a link has no other way", "a host with links both ways");
    }
    return {};
}

} // namespace

Result<FabricHost> hostOf(const PlatformSpec& given, const HostLimits& limits)
{
    PlatformSpec spec = given;
    const Result<Platform> platform = Platform::create(spec);
    if (!platform)
        return platform.error();
    if (platform.value().npuCount() > limits.npus)
        return hostError("a host of " + std::to_string(platform.value().npuCount()) + " NPUs", "at most " + std::to_string(limits.npus));
    const auto cables = spec.nodes.empty() ? cablesOf(spec.dimensions, platform.value().npuCount()) : static_cast<std::int64_t>(spec.links.size() / 2);
    if (cables > limits.cables)
        return hostError("a host of " + std::to_string(cables) + " cables", "at most " + std::to_string(limits.cables));
    if (!spec.linkOverrides.empty() || !spec.npuOverrides.empty())
        return hostError("a host with overrides", "a host as built");
    FabricHost host;
    host.name = spec.name;
    host.npus = platform.value().npuCount();
    host.npu = spec.npu;
    host.axes = spec.generated.axes;
    if (spec.nodes.empty()) {
        writeOut(spec.dimensions, host);
        host.axes.clear();
        for (std::size_t d = 0; d < spec.dimensions.size(); ++d)
            host.axes.push_back({"dimension " + std::to_string(d), spec.dimensions[d].size});
    } else {
        for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
            if (spec.nodes.kind(i) == NodeKind::Memory || (spec.nodes.kind(i) == NodeKind::Npu) != (i < at(host.npus)))
                return hostError("a host with memories, or with NPUs behind its switches", "NPUs, then switches");
        }
        host.switches = static_cast<std::int32_t>(spec.nodes.size()) - host.npus;
        for (const auto& [node, offload] : spec.nodes.offloads())
            host.offloads.emplace(static_cast<std::int32_t>(node) - host.npus, offload);
        for (const auto& [node, rate] : spec.nodes.crossbars())
            host.crossbars.emplace(static_cast<std::int32_t>(node) - host.npus, rate);
        if (Status status = pairUp(spec, host); !status)
            return std::move(status).error();
    }
    const auto passesOn = [&](std::int32_t npu) { return spec.nodes.empty() || spec.nodes.forwards(at(npu)); };
    for (const FabricHost::Cable& cable : host.cables)
        host.forwards = host.forwards || (cable.upper.node < host.npus && (passesOn(cable.lower.node) || passesOn(cable.upper.node)));
    return host;
}

} // namespace fabricscope
