#include "core/formats/infragraph/exporter.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/platform/switchdimensions.h"

#include <algorithm>
#include <array>
#include <map>

namespace fabricscope {

namespace {

InfraBandwidth bandwidthOf(Bandwidth rate, bool bits)
{
    InfraBandwidth out;
    out.unit = bits && rate.bytesPerSecond <= INT64_MAX / 8 ? InfraBandwidth::Unit::GigabitsPerSecond : InfraBandwidth::Unit::GigabytesPerSecond;
    out.text = shortDecimal(out.unit == InfraBandwidth::Unit::GigabitsPerSecond ? rate.bytesPerSecond * 8 : rate.bytesPerSecond, 9);
    out.value = std::stod(out.text);
    return out;
}

InfraLatency latencyOf(SimTime latency)
{
    InfraLatency out;
    out.text = shortDecimal(latency.ps, 3);
    out.value = std::stod(out.text);
    return out;
}

class Exporter {
public:
    Exporter(const PlatformSpec& spec, const Platform& platform, Diagnostics& diagnostics, const std::stop_token& stop)
        : m_stop(stop)
        , m_spec(spec)
        , m_platform(platform)
        , m_diagnostics(diagnostics)
    {
    }

    InfraDocument run()
    {
        listNodes();
        pairLinks();
        makeDevices();
        makeRules();
        annotate();
        m_out.name = cleanName(m_spec.name);
        m_out.description = m_spec.name;
        if (m_spec.npu.peak || m_spec.npu.memoryBandwidth || m_spec.npu.memory || m_spec.npu.injection || m_spec.npu.ejection || !m_spec.npuOverrides.empty())
            m_diagnostics.push_back(warning("infragraph-export", "InfraGraph has no place for the figures of NPUs (peak, memory, budgets, speeds): left out"));
        if (!m_spec.nodes.crossbars().empty() || std::ranges::any_of(m_spec.dimensions, [](const Dimension& dimension) { return dimension.crossbar.has_value(); }))
            m_diagnostics.push_back(warning("infragraph-export", "InfraGraph has no place for the crossbar limits of switches: left out"));
        return std::move(m_out);
    }

private:
    struct Node {
        NodeKind kind = NodeKind::Npu;
        std::string name;           // empty: follows from the instance
        std::int32_t ports = 0;
        std::int32_t device = 0;    // = instance
        std::int32_t copy = 0;
    };
    struct Cable {
        std::int32_t a = 0;
        std::int32_t b = 0;
        Bandwidth bandwidth;
        SimTime latency;
        bool bits = false;
    };
    struct End {
        std::int32_t device = 0;
        std::int64_t copy = 0;
        std::int64_t port = 0;
    };

    static std::string cleanName(const std::string& name)
    {
        std::string out;
        for (const char c : name) {
            const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ' ' || c == '(' || c == ')';
            out += plain ? c : '_';
        }
        return out;
    }

    void listNodes()
    {
        for (const ExplicitNode& node : m_spec.nodes)
            m_nodes.push_back({node.kind, node.name, 0, 0, 0});
        if (m_platform.isExplicit())
            return;
        m_nodes.resize(at(m_platform.npuCount()));
    }

    /// The switch of a line of a dimension; made when first asked for.
    std::int32_t switchOf(const LinkInfo& info)
    {
        const auto dimension = at(info.dimension);
        const NodeId line = m_platform.withCoordinate(info.owner, dimension, 0);
        const auto [found, added] = m_switches.try_emplace({info.dimension, line}, static_cast<std::int32_t>(m_nodes.size()));
        if (added)
            m_nodes.push_back({NodeKind::Switch, {}, 0, 0, 0});
        return found->second;
    }

    /// Two directed links of opposite ways are one cable; the k-th one way belongs to the k-th the other way.
    void pairLinks()
    {
        std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> open; // cables of (from, to) that wait for their way back
        std::int64_t uneven = 0;
        for (LinkId link = 0; link < m_platform.linkCount(); ++link) {
            checkStop(m_stop);
            if (m_platform.isRemoved(link))
                continue;
            const LinkInfo info = m_platform.linkInfo(link);
            const std::int32_t from = info.from >= 0 ? info.from : switchOf(info);
            const std::int32_t to = info.to >= 0 ? info.to : switchOf(info);
            const Bandwidth rate = m_platform.bandwidth(link);
            const SimTime latency = m_platform.latency(link);
            auto& waiting = open[{to, from}];
            if (waiting.empty()) {
                open[{from, to}].push_back(m_cables.size());
                m_cables.push_back({from, to, rate, latency, isBits(link, info)});
                continue;
            }
            Cable& cable = m_cables[waiting.front()];
            waiting.erase(waiting.begin());
            if (cable.bandwidth != rate || cable.latency != latency)
                ++uneven;
            cable.bandwidth = std::min(cable.bandwidth, rate);
            cable.latency = std::max(cable.latency, latency);
        }
        std::int64_t oneWay = 0;
        for (const auto& [ends, waiting] : open)
            oneWay += static_cast<std::int64_t>(waiting.size());
        if (uneven > 0)
            m_diagnostics.push_back(warning("infragraph-export", std::to_string(uneven) + (uneven == 1 ? " pair of links differs" : " pairs of links differ") + " by direction: both ways get the slower figures"));
        if (oneWay > 0)
            m_diagnostics.push_back(warning("infragraph-export", std::to_string(oneWay) + (oneWay == 1 ? " link has" : " links have") + " no way back: written as a link both ways"));
        for (const Cable& cable : m_cables) {
            ++m_nodes[at(cable.a)].ports;
            ++m_nodes[at(cable.b)].ports;
        }
    }

    bool isBits(LinkId link, const LinkInfo& info) const
    {
        const UnitText unit = info.dimension < 0 ? m_spec.links[at(link)].bandwidth.unit : m_spec.dimensions[at(info.dimension)].bandwidth.unit;
        return unit.text().find('b') != std::string::npos;
    }

    void makeDevices()
    {
        constexpr const char* kBoxes[] = {"npu", "switch", "memory"};
        constexpr const char* kParts[] = {"xpu", "asic", "memory"};
        constexpr InfraChoice kChoices[] = {InfraChoice::Xpu, InfraChoice::Switch, InfraChoice::Memory};
        std::map<NodeKind, std::map<std::int32_t, std::int32_t>> classes; // kind, ports: device
        for (const Node& node : m_nodes)
            classes[node.kind].emplace(node.ports, 0);
        for (auto& [kind, byPorts] : classes) {
            const auto index = static_cast<std::size_t>(kind);
            for (auto& [ports, device] : byPorts) {
                device = static_cast<std::int32_t>(m_out.devices.size());
                InfraDevice box;
                box.name = byPorts.size() == 1 ? kBoxes[index] : std::string(kBoxes[index]) + '_' + std::to_string(ports);
                InfraComponent part;
                part.name = kParts[index];
                part.count = 1;
                part.choice = kChoices[index];
                box.components.push_back(part);
                if (ports > 0) {
                    InfraComponent port;
                    port.name = "port";
                    port.count = ports;
                    port.choice = InfraChoice::Port;
                    box.components.push_back(port);
                    InfraLink internal;
                    internal.name = "internal";
                    internal.description = "inside the box, no bound";
                    box.links.push_back(internal);
                    InfraRule rule;
                    rule.ep1.component = part.name;
                    rule.ep2.component = port.name;
                    rule.scheme = InfraScheme::ManyToMany;
                    rule.link = internal.name;
                    box.rules.push_back(rule);
                }
                InfraInstance instance;
                instance.name = instance.device = box.name;
                m_out.instances.push_back(instance);
                m_out.devices.push_back(std::move(box));
            }
        }
        for (Node& node : m_nodes) {
            node.device = classes[node.kind][node.ports];
            node.copy = m_out.instances[at(node.device)].count++;
            node.ports = 0;
        }
    }

    std::string linkOf(const Cable& cable)
    {
        const auto [found, added] = m_links.try_emplace({cable.bandwidth.bytesPerSecond, cable.latency.ps}, "link_" + std::to_string(m_links.size()));
        if (added) {
            InfraLink link;
            link.name = found->second;
            link.bandwidth = bandwidthOf(cable.bandwidth, cable.bits);
            link.latency = latencyOf(cable.latency);
            m_out.links.push_back(std::move(link));
        }
        return found->second;
    }

    /// A run of cables that one rule in slices describes.
    struct Run {
        std::string link;
        std::array<End, 2> first;
        std::array<std::array<std::int64_t, 2>, 2> step{}; // by end: of copy, of port
        std::int64_t length = 0;
    };

    static bool even(const std::array<std::int64_t, 2>& step) { return (step[0] > 0 && step[1] == 0) || (step[0] == 0 && step[1] > 0); }

    static bool extend(Run& run, const std::string& link, const std::array<End, 2>& ends)
    {
        if (run.length == 0 || run.link != link || run.first[0].device != ends[0].device || run.first[1].device != ends[1].device)
            return false;
        auto step = run.step;
        for (std::size_t i = 0; i < 2; ++i) {
            const std::int64_t copies = ends[i].copy - run.first[i].copy;
            const std::int64_t ports = ends[i].port - run.first[i].port;
            if (run.length == 1)
                step[i] = {copies, ports};
            if (!even(step[i]) || copies != step[i][0] * run.length || ports != step[i][1] * run.length)
                return false;
        }
        run.step = step;
        ++run.length;
        return true;
    }

    static std::string slice(const char* name, std::int64_t first, std::int64_t step, std::int64_t length)
    {
        std::string out = std::string(name) + '[' + std::to_string(first);
        if (length > 1 && step > 0) {
            out += ':' + std::to_string(first + (length - 1) * step + 1);
            if (step > 1)
                out += ':' + std::to_string(step);
        }
        return out + ']';
    }

    void finish(Run& run)
    {
        if (run.length == 0)
            return;
        InfraRule rule;
        rule.scheme = InfraScheme::OneToOne;
        rule.link = run.link;
        for (std::size_t i = 0; i < 2; ++i) {
            InfraEndpoint& end = i == 0 ? rule.ep1 : rule.ep2;
            end.prefix = slice(m_out.instances[at(run.first[i].device)].name.c_str(), run.first[i].copy, run.step[i][0], run.length);
            end.component = slice("port", run.first[i].port, run.step[i][1], run.length);
        }
        m_out.rules.push_back(std::move(rule));
    }

    void makeRules()
    {
        Run run;
        for (const Cable& cable : m_cables) {
            checkStop(m_stop);
            std::array<End, 2> ends;
            for (std::size_t i = 0; i < 2; ++i) {
                Node& node = m_nodes[at(i == 0 ? cable.a : cable.b)];
                ends[i] = {node.device, node.copy, node.ports++};
            }
            const std::string link = linkOf(cable);
            if (extend(run, link, ends))
                continue;
            finish(run);
            run = Run{link, ends, {}, 1};
        }
        finish(run);
    }

    void annotate()
    {
        std::int64_t rank = 0;
        const bool ranks = std::count_if(m_out.devices.begin(), m_out.devices.end(), [](const InfraDevice& device) { return device.components[0].choice == InfraChoice::Xpu; }) > 1;
        for (const Node& node : m_nodes) {
            checkStop(m_stop);
            InfraAnnotation annotation;
            if (node.kind == NodeKind::Npu && ranks)
                annotation.attributes.push_back({"rank", std::to_string(rank)});
            rank += node.kind == NodeKind::Npu ? 1 : 0;
            if (!node.name.empty())
                annotation.attributes.push_back({"fabricscope_name", node.name});
            if (annotation.attributes.empty())
                continue;
            const InfraDevice& device = m_out.devices[at(node.device)];
            annotation.first = device.name + '.' + std::to_string(node.copy) + '.' + device.components[0].name + ".0";
            m_out.nodeAnnotations.push_back(std::move(annotation));
        }
        for (const InfraDevice& device : m_out.devices) {
            if (device.components[0].choice == InfraChoice::Memory)
                continue;
            InfraAnnotation annotation;
            annotation.first = device.name;
            annotation.attributes.push_back({"device_type", device.components[0].choice == InfraChoice::Xpu ? "host" : "switch"});
            m_out.nodeAnnotations.push_back(std::move(annotation));
        }
    }

    const std::stop_token& m_stop;
    const PlatformSpec& m_spec;
    const Platform& m_platform;
    Diagnostics& m_diagnostics;
    InfraDocument m_out;
    std::vector<Node> m_nodes;
    std::vector<Cable> m_cables;
    std::map<std::pair<std::int32_t, NodeId>, std::int32_t> m_switches;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> m_links;
};

} // namespace

Result<InfraDocument> infraGraphOf(const PlatformSpec& spec, Diagnostics& diagnostics, const std::stop_token& stop)
{
    const auto platform = Platform::create(spec, stop);
    if (!platform)
        return platform.error();
    if (platform.value().remainingNpus() != platform.value().npuCount())
        return Error{ErrorCode::Unsupported, "InfraGraph cannot say that NPUs are removed", {}, "a platform without removed NPUs"};
    if (platform.value().linkCount() > kMaxInfraElements / 2)
        return Error{ErrorCode::Unsupported, std::to_string(platform.value().linkCount()) + " links are too many for an InfraGraph document", {}, "at most " + std::to_string(kMaxInfraElements / 2)};
    if (auto noClos = switchDimensionsWarning(spec))
        diagnostics.push_back(*std::move(noClos));
    return untilStopped([&]() -> Result<InfraDocument> { return Exporter(spec, platform.value(), diagnostics, stop).run(); });
}

} // namespace fabricscope
