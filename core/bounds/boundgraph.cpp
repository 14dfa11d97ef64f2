#include "core/bounds/boundgraph.h"

#include "core/base/stop.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fabricscope {

namespace {

class GraphBuilder {
public:
    GraphBuilder(const Platform& platform, const GroupBox* box, std::span<const NodeId> members, const std::stop_token& stop);

    bool addLinks(std::int64_t maxLinks);
    BoundGraph take();

private:
    bool addDimensions(std::int64_t maxLinks);
    void addLink(LinkId link);
    void addCrossbars();
    void addBudgets();
    std::int32_t vertexOf(NodeId node);
    std::int32_t switchOf(const LinkInfo& info);

    const Platform& m_platform;
    const GroupBox* m_box;
    const std::stop_token& m_stop;
    NodeId m_first;
    BoundGraph m_graph;
    std::unordered_map<std::int64_t, std::int32_t> m_vertices; ///< By node; by (dimension, line) after them.
    std::vector<std::pair<std::int32_t, std::int32_t>> m_switches; ///< Of dimensions: the dimension and the vertex.
};

GraphBuilder::GraphBuilder(const Platform& platform, const GroupBox* box, std::span<const NodeId> members, const std::stop_token& stop)
    : m_platform(platform), m_box(box), m_stop(stop), m_first(members.front())
{
    for (const NodeId npu : members) {
        checkStop(stop);
        m_graph.flow.compute.push_back(vertexOf(npu));
        m_graph.names.push_back(platform.isExplicit() ? platform.spec().nodes.name(static_cast<std::size_t>(npu)) : "NPU " + std::to_string(npu));
    }
}

std::int32_t GraphBuilder::vertexOf(NodeId node)
{
    const auto [entry, isNew] = m_vertices.try_emplace(node, m_graph.flow.vertices);
    m_graph.flow.vertices += isNew ? 1 : 0;
    return entry->second;
}

std::int32_t GraphBuilder::switchOf(const LinkInfo& info)
{
    const auto dimension = static_cast<std::size_t>(info.dimension);
    const NodeId first = m_platform.withCoordinate(info.owner, dimension, 0);
    const std::int64_t key = (std::int64_t{info.dimension} + 1) * kMaxNpus * 2 + first;
    const auto [entry, isNew] = m_vertices.try_emplace(key, m_graph.flow.vertices);
    m_graph.flow.vertices += isNew ? 1 : 0;
    if (isNew)
        m_switches.emplace_back(info.dimension, entry->second);
    return entry->second;
}

void GraphBuilder::addLink(LinkId link)
{
    checkStop(m_stop);
    if (m_platform.isRemoved(link))
        return;
    const LinkInfo info = m_platform.linkInfo(link);
    FlowGraph::Arc arc;
    arc.from = info.from >= 0 ? vertexOf(info.from) : switchOf(info);
    arc.to = info.to >= 0 ? vertexOf(info.to) : switchOf(info);
    arc.rate = m_platform.bandwidth(link).bytesPerSecond;
    arc.latencyPs = m_platform.latency(link).ps;
    m_graph.flow.arcs.push_back(arc);
}

bool GraphBuilder::addDimensions(std::int64_t maxLinks)
{
    std::int64_t links = 0;
    for (const GroupBox::Axis& axis : m_box->axes)
        links += m_box->positions * (axis.shape == Shape::Switch ? 2 : m_platform.dimensions()[axis.dimension].linksPerNpu());
    if (links > maxLinks)
        return false;
    // The NPUs of the box: dimensions without an axis keep the coordinate of the members.
    std::vector<NodeId> npus{m_first};
    for (const GroupBox::Axis& axis : m_box->axes) {
        std::vector<NodeId> more;
        const std::int32_t size = m_platform.dimensions()[axis.dimension].size;
        for (const NodeId npu : npus) {
            checkStop(m_stop);
            for (std::int32_t i = 0; i < size; ++i) {
                if (axis.has(i))
                    more.push_back(m_platform.withCoordinate(npu, axis.dimension, i));
            }
        }
        npus = std::move(more);
    }
    std::sort(npus.begin(), npus.end());

    LinkId base = 0;
    std::size_t next = 0;
    for (std::size_t d = 0; d < m_platform.dimensions().size(); ++d) {
        const Dimension& dimension = m_platform.dimensions()[d];
        const std::int64_t ports = dimension.size < 2 ? 0 : dimension.shape == Shape::Switch ? 2 : dimension.linksPerNpu();
        if (next < m_box->axes.size() && m_box->axes[next].dimension == d) {
            ++next;
            for (const NodeId npu : npus) {
                checkStop(m_stop);
                for (std::int64_t port = 0; port < ports; ++port) {
                    const LinkInfo info = m_platform.linkInfo(base + npu * ports + port);
                    if (info.to < 0 || m_box->hasNpu(m_platform, info.to))
                        addLink(base + npu * ports + port);
                }
            }
        }
        base += ports * m_platform.npuCount();
    }
    return true;
}

bool GraphBuilder::addLinks(std::int64_t maxLinks)
{
    if (m_box != nullptr)
        return addDimensions(maxLinks);
    if (m_platform.linkCount() > maxLinks)
        return false;
    const auto& nodes = m_platform.spec().nodes;
    const auto isMemory = [&](NodeId node) { return nodes.kind(static_cast<std::size_t>(node)) == NodeKind::Memory; };
    for (LinkId link = 0; link < m_platform.linkCount(); ++link) {
        checkStop(m_stop);
        const LinkInfo info = m_platform.linkInfo(link);
        if (!isMemory(info.from) && !isMemory(info.to)) // memories do not forward
            addLink(link);
    }
    return true;
}

/// A switch with a crossbar limit becomes two vertices, where links arrive and where they leave. One that also sums or copies stays as it is: what it does
/// itself does not count.
void GraphBuilder::addCrossbars()
{
    FlowGraph& flow = m_graph.flow;
    std::unordered_map<std::int32_t, std::int32_t> leave; // By the vertex where links arrive.
    for (const auto& [node, rate] : m_platform.spec().nodes.crossbars()) {
        const auto found = m_vertices.find(static_cast<NodeId>(node));
        if (found == m_vertices.end() || m_platform.spec().nodes.offload(node) != nullptr)
            continue;
        leave.emplace(found->second, flow.vertices);
        flow.arcs.push_back({found->second, flow.vertices++, toBandwidth(rate).bytesPerSecond, 0});
    }
    for (const auto& [dimension, vertex] : m_switches) {
        const Dimension& given = m_platform.dimensions()[static_cast<std::size_t>(dimension)];
        if (!given.crossbar || given.offload)
            continue;
        leave.emplace(vertex, flow.vertices);
        flow.arcs.push_back({vertex, flow.vertices++, toBandwidth(*given.crossbar).bytesPerSecond, 0});
    }
    if (leave.empty())
        return;
    for (std::size_t link = 0; link + leave.size() < flow.arcs.size(); ++link) {
        checkStop(m_stop);
        if (const auto found = leave.find(flow.arcs[link].from); found != leave.end())
            flow.arcs[link].from = found->second;
    }
}

void GraphBuilder::addBudgets()
{
    FlowGraph& flow = m_graph.flow;
    const NpuSpec& npu = m_platform.spec().npu;
    if (!npu.injection && !npu.ejection)
        return;
    std::int64_t all = 0;
    for (const FlowGraph::Arc& arc : flow.arcs)
        all += arc.rate;
    for (std::int32_t& vertex : flow.compute) {
        const std::int32_t core = flow.vertices++;
        flow.arcs.push_back({core, vertex, npu.injection ? toBandwidth(*npu.injection).bytesPerSecond : all, 0});
        flow.arcs.push_back({vertex, core, npu.ejection ? toBandwidth(*npu.ejection).bytesPerSecond : all, 0});
        vertex = core;
    }
}

BoundGraph GraphBuilder::take()
{
    FlowGraph& flow = m_graph.flow;
    addCrossbars();
    addBudgets();
    flow.mergeParallel(m_stop);
    return std::move(m_graph);
}

} // namespace

std::optional<BoundGraph> boundGraph(const Platform& platform, const GroupBox* box, std::span<const NodeId> members, std::int64_t maxLinks,
                                     const std::stop_token& stop)
{
    GraphBuilder builder(platform, box, members, stop);
    if (!builder.addLinks(maxLinks))
        return std::nullopt;
    BoundGraph graph = builder.take();
    if (!graph.flow.fitsRates())
        return std::nullopt;
    return graph;
}

} // namespace fabricscope
