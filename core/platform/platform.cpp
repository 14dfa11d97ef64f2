#include "core/platform/platform.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/platform/platformcheck.h"
#include "core/platform/platformderived.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

std::string nodeName(const PlatformSpec& spec, NodeId node)
{
    const std::string name = spec.nodes.name(static_cast<std::size_t>(node));
    return name.empty() ? "node" + std::to_string(node) : name;
}

template <typename T, typename Convert>
auto converted(const std::optional<T>& value, Convert convert)
{
    return value ? std::optional(convert(*value)) : std::nullopt;
}

SimTime atLeastOnePs(const Quantity& latency)
{
    return std::max(toSimTime(latency), SimTime{1});
}

/// The first `links` and `npus` of the overrides' removals, on the graph.
void remove(const PlatformSpec& spec, std::size_t links, std::size_t npus, ExplicitGraph& graph)
{
    std::vector<bool> goneLinks(spec.links.size(), false);
    std::vector<bool> goneNodes(spec.nodes.size(), false);
    for (std::size_t i = 0; i < links; ++i)
        goneLinks[at(spec.linkOverrides[i].link)] = spec.linkOverrides[i].removed;
    for (std::size_t i = 0; i < npus; ++i)
        goneNodes[at(spec.npuOverrides[i].node)] = spec.npuOverrides[i].removed;
    graph.remove(std::move(goneLinks), std::move(goneNodes));
}

/// \pre the overrides were checked, and everything is connected without them.
Status removeFromGraph(const PlatformSpec& spec, std::int32_t npuCount, ExplicitGraph& graph, const std::stop_token& stop)
{
    const std::size_t links = spec.linkOverrides.size();
    const std::size_t all = links + spec.npuOverrides.size();
    const auto cut = [&](std::size_t overrides) {
        checkStop(stop);
        remove(spec, std::min(overrides, links), overrides > links ? overrides - links : 0, graph);
        return graph.unreachablePair(npuCount, stop);
    };
    if (const auto [from, to] = cut(all); from == to)
        return {};
    // Bisected: with this many overrides everything is connected, with that many it is not.
    std::size_t fine = 0;
    std::size_t broken = all;
    while (broken - fine > 1) {
        const std::size_t middle = fine + (broken - fine) / 2;
        const auto [from, to] = cut(middle);
        (from == to ? fine : broken) = middle;
    }
    const auto [from, to] = cut(broken);
    Place place;
    std::string what;
    if (broken <= links) {
        const LinkId link = spec.linkOverrides[broken - 1].link;
        const std::int32_t number = graph.parallelNumber(link);
        what = nodeName(spec, graph.from(link)) + '>' + nodeName(spec, graph.to(link)) + (number > 1 ? '#' + std::to_string(number) : std::string{});
        place.field = "platform.link_overrides[" + std::to_string(broken - 1) + "].removed";
    } else {
        what = nodeName(spec, spec.npuOverrides[broken - links - 1].node);
        place.field = "platform.npu_overrides[" + std::to_string(broken - links - 1) + "].removed";
    }
    return invalidInput(nodeName(spec, from) + " has no way to " + nodeName(spec, to) + " once " + what + " is removed", place,
                        "a way between all NPUs that are left");
}

} // namespace

const Platform::Derived::LinkChange* Platform::Derived::change(LinkId link) const
{
    const auto found = std::lower_bound(linkChanges.begin(), linkChanges.end(), link, [](const LinkChange& c, LinkId id) { return c.link < id; });
    return found != linkChanges.end() && found->link == link ? &*found : nullptr;
}

const Platform::Derived::NpuChange* Platform::Derived::npuChange(NodeId npu) const
{
    const auto found = std::lower_bound(npuChanges.begin(), npuChanges.end(), npu, [](const NpuChange& c, NodeId id) { return c.node < id; });
    return found != npuChanges.end() && found->node == npu ? &*found : nullptr;
}

std::size_t Platform::Derived::axisOf(LinkId link) const
{
    std::size_t i = axes.size() - 1;
    while (i > 0 && axes[i].firstLink > link)
        --i;
    return i;
}

Result<Platform> Platform::create(PlatformSpec spec, const std::stop_token& stop)
{
    try {
        return createOrStop(std::move(spec), stop);
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

Result<Platform> Platform::createOrStop(PlatformSpec spec, const std::stop_token& stop)
{
    if (auto status = checkPlatform(spec, stop); !status)
        return std::move(status).error();

    Platform platform;
    auto derived = std::make_shared<Derived>();
    if (spec.nodes.empty()) {
        std::int64_t npus = 1;
        for (const Dimension& dimension : spec.dimensions) {
            platform.m_strides.push_back(npus);
            npus *= dimension.size;
        }
        std::int32_t firstInput = 0;
        for (const Dimension& dimension : spec.dimensions) {
            const std::int32_t ports = dimension.shape == Shape::Switch && dimension.size > 1 ? 2 : dimension.linksPerNpu();
            derived->axes.push_back({dimension.shape, dimension.size, ports, platform.m_linkCount, firstInput, dimension.linkBandwidth(),
                                     dimension.linkLatency()});
            platform.m_linkCount += npus * ports;
            firstInput += dimension.size;
        }
        platform.m_npuCount = static_cast<std::int32_t>(npus);
    } else {
        platform.m_npuCount = static_cast<std::int32_t>(spec.nodes.count(NodeKind::Npu));
        platform.m_linkCount = static_cast<LinkId>(spec.links.size());
        checkStop(stop);
        derived->graph = std::make_shared<ExplicitGraph>(spec.nodes, spec.links);
        for (const LinkList::Figures& figures : spec.links.figures()) {
            checkStop(stop);
            derived->rates.push_back(toBandwidth(figures.bandwidth));
            derived->latencies.push_back(atLeastOnePs(figures.latency));
        }
        const auto [from, to] = derived->graph->unreachablePair(platform.m_npuCount, stop);
        if (from != to) {
            Place place;
            place.field = "platform.links";
            return invalidInput("no route from " + nodeName(spec, from) + " to " + nodeName(spec, to), place, "links that connect all NPUs");
        }
    }

    if (auto status = checkOverrides(spec, platform.m_npuCount, platform.m_linkCount, stop); !status)
        return std::move(status).error();
    checkStop(stop);
    for (const LinkOverride& change : spec.linkOverrides)
        derived->linkChanges.push_back({change.link, converted(change.bandwidth, toBandwidth), converted(change.latency, atLeastOnePs)});
    for (const NpuOverride& change : spec.npuOverrides) {
        derived->npuChanges.push_back(
            {change.node, change.speed, converted(change.peak, toComputeRate), converted(change.memoryBandwidth, toBandwidth)});
    }
    for (const LinkOverride& change : spec.linkOverrides) {
        if (change.removed)
            derived->removedLinks.push_back(change.link);
    }
    for (const NpuOverride& change : spec.npuOverrides) {
        if (change.removed)
            derived->removedNpus.push_back(change.node);
    }
    std::sort(derived->removedLinks.begin(), derived->removedLinks.end());
    std::sort(derived->removedNpus.begin(), derived->removedNpus.end());
    platform.m_hasRemovals = !derived->removedLinks.empty() || !derived->removedNpus.empty();
    platform.m_remainingNpus = platform.m_npuCount - static_cast<std::int32_t>(derived->removedNpus.size());
    std::sort(derived->linkChanges.begin(), derived->linkChanges.end(), [](const auto& a, const auto& b) { return a.link < b.link; });
    std::sort(derived->npuChanges.begin(), derived->npuChanges.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
    derived->memory = converted(spec.npu.memoryBandwidth, toBandwidth);
    derived->peak = converted(spec.npu.peak, toComputeRate);

    if (derived->graph && platform.m_hasRemovals) {
        if (auto status = removeFromGraph(spec, platform.m_npuCount, *derived->graph, stop); !status)
            return std::move(status).error();
    }

    platform.m_spec = std::make_shared<const PlatformSpec>(std::move(spec));
    platform.m_derived = std::move(derived);
    if (platform.m_hasRemovals && !platform.isExplicit()) {
        if (auto status = platform.checkRemovals(stop); !status)
            return std::move(status).error();
    }
    return platform;
}

std::shared_ptr<const ExplicitGraph> Platform::graph() const
{
    return m_derived->graph;
}

std::int32_t Platform::coordinate(NodeId npu, std::size_t dimension) const
{
    return static_cast<std::int32_t>(npu / m_strides[dimension] % m_derived->axes[dimension].size);
}

NodeId Platform::withCoordinate(NodeId npu, std::size_t dimension, std::int32_t coordinate) const
{
    return static_cast<NodeId>(npu + (coordinate - this->coordinate(npu, dimension)) * m_strides[dimension]);
}

LinkInfo Platform::linkInfo(LinkId link) const
{
    assert(link >= 0 && link < m_linkCount);
    LinkInfo info;
    if (m_derived->graph) {
        const ExplicitGraph& graph = *m_derived->graph;
        info.from = graph.from(link);
        info.to = graph.to(link);
        info.owner = info.from;
        info.port = graph.outputPort(link);
        return info;
    }
    const std::size_t dimension = m_derived->axisOf(link);
    const Derived::Axis& axis = m_derived->axes[dimension];
    const LinkId local = link - axis.firstLink;
    info.dimension = static_cast<std::int32_t>(dimension);
    info.owner = static_cast<NodeId>(local / axis.ports);
    info.port = static_cast<std::int32_t>(local % axis.ports);
    if (axis.shape == Shape::Switch) {
        (info.port == 0 ? info.from : info.to) = info.owner;
        return info;
    }
    std::int32_t ahead = info.port + 1;
    if (axis.shape == Shape::Ring && info.port == 1)
        ahead = axis.size - 1;
    info.from = info.owner;
    info.to = withCoordinate(info.owner, dimension, (coordinate(info.owner, dimension) + ahead) % axis.size);
    return info;
}

Bandwidth Platform::bandwidth(LinkId link) const
{
    assert(link >= 0 && link < m_linkCount);
    if (const auto* change = m_derived->change(link); change && change->rate)
        return *change->rate;
    return m_derived->graph ? m_derived->rates[m_spec->links.figuresOf(static_cast<std::size_t>(link))] : m_derived->axes[m_derived->axisOf(link)].rate;
}

SimTime Platform::latency(LinkId link) const
{
    assert(link >= 0 && link < m_linkCount);
    if (const auto* change = m_derived->change(link); change && change->latency)
        return *change->latency;
    return m_derived->graph ? m_derived->latencies[m_spec->links.figuresOf(static_cast<std::size_t>(link))] : m_derived->axes[m_derived->axisOf(link)].latency;
}

Bandwidth Platform::rateOf(std::size_t figures) const
{
    return m_derived->rates[figures];
}

SimTime Platform::latencyOf(std::size_t figures) const
{
    return m_derived->latencies[figures];
}

std::string Platform::linkName(LinkId link) const
{
    const LinkInfo info = linkInfo(link);
    if (info.dimension < 0) {
        const std::int32_t number = m_derived->graph->parallelNumber(link);
        return nodeName(*m_spec, info.from) + '>' + nodeName(*m_spec, info.to) + (number > 1 ? '#' + std::to_string(number) : std::string{});
    }
    const auto end = [](NodeId node) { return node < 0 ? std::string("switch") : std::to_string(node); };
    return 'd' + std::to_string(info.dimension) + ' ' + end(info.from) + '>' + end(info.to);
}

std::optional<Bandwidth> Platform::memoryBandwidth(NodeId npu) const
{
    if (const auto* change = m_derived->npuChange(npu); change && change->memory)
        return change->memory;
    return m_derived->memory;
}

std::optional<ComputeRate> Platform::peak(NodeId npu) const
{
    if (const auto* change = m_derived->npuChange(npu); change && change->peak)
        return change->peak;
    return m_derived->peak;
}

double Platform::speed(NodeId npu) const
{
    const auto* change = m_derived->npuChange(npu);
    return change ? change->speed.value_or(1.0) : 1.0;
}

} // namespace fabricscope
