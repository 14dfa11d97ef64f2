#include "core/hierarchy/levelgraph.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/bounds/maxflow.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace fabricscope {

LevelGraph::LevelGraph(const Platform& platform, std::stop_token stop)
    : m_stop(std::move(stop))
    , m_npus(platform.npuCount())
    , m_nodes(static_cast<NodeId>(platform.spec().nodes.size()))
{
    const NodeList& nodes = platform.spec().nodes;
    const LinkList& links = platform.spec().links;
    const bool memories = nodes.count(NodeKind::Memory) > 0;
    m_links.reserve(links.size());
    for (NodeId npu = 0; npu < m_npus; ++npu)
        m_forwards.push_back(nodes.forwards(at(npu)) && !platform.isNpuRemoved(npu));
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        checkStop(m_stop);
        const NodeId from = links.from(at(link));
        const NodeId to = links.to(at(link));
        const bool memory = memories && (nodes.kind(at(from)) == NodeKind::Memory || nodes.kind(at(to)) == NodeKind::Memory);
        if (!memory && !platform.isRemoved(link))
            m_links.push_back({from, to, platform.bandwidth(link).bytesPerSecond});
    }
    const auto byStart = [](const Link& a, const Link& b) { return a.from < b.from; };
    if (!std::is_sorted(m_links.begin(), m_links.end(), byStart)) // Generators list them so, and sorting takes as much memory again.
        std::stable_sort(m_links.begin(), m_links.end(), byStart);
    m_begin.assign(at(m_nodes) + 1, 0);
    for (const Link& link : m_links) {
        ++m_begin[at(link.from) + 1];
        if (!isNpu(link.from) && isNpu(link.to))
            m_toNpus.push_back(link);
    }
    for (std::size_t node = 0; node < at(m_nodes); ++node)
        m_begin[node + 1] += m_begin[node];
    std::stable_sort(m_toNpus.begin(), m_toNpus.end(), [](const Link& a, const Link& b) { return a.to < b.to; });
    m_toBegin.assign(at(m_npus) + 1, 0);
    for (const Link& link : m_toNpus)
        ++m_toBegin[at(link.to) + 1];
    for (std::size_t npu = 0; npu < at(m_npus); ++npu)
        m_toBegin[npu + 1] += m_toBegin[npu];
    joinSwitches();
}

std::vector<std::int32_t> LevelGraph::byRate() const
{
    std::vector<std::int32_t> links(m_links.size());
    std::iota(links.begin(), links.end(), 0);
    std::stable_sort(links.begin(), links.end(), [&](std::int32_t a, std::int32_t b) { return m_links[at(a)].rate > m_links[at(b)].rate; });
    return links;
}

LevelGraph::~LevelGraph() = default;

bool LevelGraph::hasTiers() const
{
    std::vector<std::int32_t> tier(at(m_nodes), -1);
    std::vector<NodeId> queue(at(m_npus));
    std::iota(queue.begin(), queue.end(), 0);
    for (const NodeId npu : queue)
        tier[at(npu)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        checkStop(m_stop);
        for (const Link& link : outgoing(queue[head])) {
            if (tier[at(link.to)] < 0) {
                tier[at(link.to)] = tier[at(queue[head])] + 1;
                queue.push_back(link.to);
            }
        }
    }
    if (!std::ranges::all_of(m_links, [&](const Link& link) { return tier[at(link.from)] < 0 || tier[at(link.from)] != tier[at(link.to)]; }))
        return false;
    // Nodes with whether they were come down to.
    std::vector<std::array<bool, 2>> seen(at(m_nodes));
    NodeId first = 0; // NPUs that are removed have no links
    while (first + 1 < m_npus && outgoing(first).empty())
        ++first;
    std::vector<std::pair<NodeId, bool>> states{{first, false}};
    seen[at(first)][0] = true;
    for (std::size_t head = 0; head < states.size(); ++head) {
        checkStop(m_stop);
        const auto [node, down] = states[head];
        if (head > 0 && isNpu(node))
            continue;
        for (const Link& link : outgoing(node)) {
            const bool goesDown = tier[at(link.to)] < tier[at(node)];
            if ((down && !goesDown) || seen[at(link.to)][goesDown ? 1 : 0])
                continue;
            seen[at(link.to)][goesDown ? 1 : 0] = true;
            states.emplace_back(link.to, goesDown);
        }
    }
    for (NodeId npu = 0; npu < m_npus; ++npu) {
        if (npu != first && !seen[at(npu)][1] && !outgoing(npu).empty())
            return false;
    }
    return true;
}

const LevelDistances& LevelGraph::distances(std::int64_t below) const
{
    const std::scoped_lock lock(m_mutex);
    std::unique_ptr<const LevelDistances>& entry = m_distances[below];
    if (!entry)
        entry = std::make_unique<const LevelDistances>(*this, below);
    return *entry;
}

void LevelGraph::joinSwitches()
{
    for (const Link& link : m_links) {
        if (!isNpu(link.from) && !isNpu(link.to))
            m_switches.push_back(link);
    }
    std::sort(m_switches.begin(), m_switches.end(), [](const Link& a, const Link& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_switches.size(); ++i) {
        if (kept > 0 && m_switches[kept - 1].from == m_switches[i].from && m_switches[kept - 1].to == m_switches[i].to)
            m_switches[kept - 1].rate += m_switches[i].rate;
        else
            m_switches[kept++] = m_switches[i];
    }
    m_switches.resize(kept);
}

std::span<const LevelGraph::Link> LevelGraph::outgoing(NodeId node) const
{
    return std::span(m_links).subspan(at(m_begin[at(node)]), at(m_begin[at(node) + 1] - m_begin[at(node)]));
}

bool LevelGraph::joins(NodeId from, NodeId to) const
{
    const auto links = outgoing(from);
    return std::any_of(links.begin(), links.end(), [to](const Link& link) { return link.to == to; });
}

std::optional<Shape> LevelGraph::shapeOf(std::span<const NodeId> line) const
{
    const std::size_t n = line.size();
    if (n < 2)
        return std::nullopt;
    bool ring = true; // or a line that is not closed: what goes round it goes back along it
    for (std::size_t i = 0; i + 1 < n && ring; ++i)
        ring = joins(line[i], line[i + 1]) && joins(line[i + 1], line[i]);
    bool full = ring && n > 3;
    for (std::size_t i = 0; i < n && full; ++i) {
        for (std::size_t other = 0; other < n && full; ++other)
            full = i == other || joins(line[i], line[other]);
    }
    if (ring)
        return full ? Shape::FullyConnected : Shape::Ring;
    for (const Link& link : outgoing(line[0])) {
        if (isNpu(link.to))
            continue;
        if (std::all_of(line.begin(), line.end(), [&](NodeId npu) { return joins(link.to, npu) && joins(npu, link.to); }))
            return Shape::Switch;
    }
    return std::nullopt;
}

std::int64_t LevelGraph::cut(std::span<const NodeId> block, std::span<const NodeId> rest) const
{
    constexpr std::int32_t kSource = 0;
    constexpr std::int32_t kSink = 1;
    const auto vertex = [&](NodeId node) { return node - m_npus + 2; };
    std::vector<bool> wanted(at(m_npus), false);
    for (const NodeId npu : rest)
        wanted[at(npu)] = true;
    std::vector<std::int64_t> out(at(m_nodes - m_npus), 0); // by switch: from the block, and to the others
    std::vector<std::int64_t> in = out;
    std::int64_t direct = 0;
    for (const NodeId npu : block) {
        checkStop(m_stop);
        for (const Link& link : outgoing(npu)) {
            if (!isNpu(link.to))
                out[at(link.to - m_npus)] += link.rate;
            else if (wanted[at(link.to)])
                direct += link.rate;
        }
    }
    for (const NodeId npu : rest) {
        for (std::int32_t i = m_toBegin[at(npu)]; i < m_toBegin[at(npu) + 1]; ++i)
            in[at(m_toNpus[at(i)].from - m_npus)] += m_toNpus[at(i)].rate;
    }
    MaxFlow<std::int64_t> flow(m_nodes - m_npus + 2);
    for (NodeId node = m_npus; node < m_nodes; ++node) {
        if (out[at(node - m_npus)] > 0)
            flow.addArc(kSource, vertex(node), out[at(node - m_npus)]);
        if (in[at(node - m_npus)] > 0)
            flow.addArc(vertex(node), kSink, in[at(node - m_npus)]);
    }
    for (const Link& link : m_switches)
        flow.addArc(vertex(link.from), vertex(link.to), link.rate);
    return direct + flow.run(kSource, kSink);
}

LevelDistances::LevelDistances(const LevelGraph& graph, std::int64_t below)
    : m_graph(graph)
{
    findNeighbours(graph, below);
    m_passed.assign(at(graph.nodes()), false);
    std::map<std::vector<End>, std::int32_t> known;
    for (NodeId npu = 0; npu < graph.npus(); ++npu) {
        checkStop(graph.stop());
        std::vector<End> ends = endsOf(npu);
        if (!ends.empty()) {
            const auto [entry, isNew] = known.try_emplace(ends, classes());
            m_class.push_back(entry->second);
            if (!isNew)
                continue;
        } else {
            m_class.push_back(classes());
        }
        m_ends.push_back(std::move(ends));
        m_first.push_back(npu);
    }
}

void LevelDistances::findNeighbours(const LevelGraph& graph, std::int64_t below)
{
    m_begin.push_back(0);
    for (NodeId node = 0; node < graph.nodes(); ++node) {
        checkStop(graph.stop());
        const std::size_t first = m_next.size();
        for (const LevelGraph::Link& link : graph.outgoing(node)) {
            if (link.rate < below)
                m_next.push_back(link.to);
        }
        std::sort(m_next.begin() + static_cast<std::ptrdiff_t>(first), m_next.end());
        m_next.erase(std::unique(m_next.begin() + static_cast<std::ptrdiff_t>(first), m_next.end()), m_next.end());
        m_begin.push_back(static_cast<std::int32_t>(m_next.size()));
    }
}

std::span<const NodeId> LevelDistances::neighbours(NodeId node) const
{
    return std::span(m_next).subspan(at(m_begin[at(node)]), at(m_begin[at(node) + 1] - m_begin[at(node)]));
}

std::vector<LevelDistances::End> LevelDistances::endsOf(NodeId npu)
{
    std::vector<End> ends;
    for (NodeId node : neighbours(npu)) {
        if (m_graph.isNpu(node))
            return {};
        End end{node, 1};
        NodeId before = npu;
        // Network cards that are nodes of their own, say: NPU - card - leaf.
        for (auto two = neighbours(end.node); two.size() == 2; two = neighbours(end.node)) {
            const NodeId other = two[0] == before ? two[1] : two[0];
            if (m_graph.isNpu(other) || (two[0] != before && two[1] != before) || m_passed[at(end.node)])
                break;
            m_passed[at(end.node)] = true;
            before = end.node;
            end = {other, end.length + 1};
        }
        ends.push_back(end);
    }
    std::sort(ends.begin(), ends.end());
    return ends;
}

std::vector<std::int32_t> LevelDistances::from(std::int32_t cls) const
{
    std::vector<std::int32_t> distance(at(m_graph.nodes()), kFar);
    std::vector<std::vector<std::pair<NodeId, bool>>> waves(2); // by distance: nodes, and whether it is an NPU that passes on
    const auto reach = [&](NodeId node, std::int32_t length, bool passes) {
        if (waves.size() <= at(length))
            waves.resize(at(length) + 1);
        waves[at(length)].push_back({node, passes});
    };
    const NodeId first = m_first[at(cls)];
    if (m_ends[at(cls)].empty()) {
        for (const NodeId next : neighbours(first))
            reach(next, 1, m_graph.isNpu(next));
    }
    for (const End& end : m_ends[at(cls)])
        reach(end.node, end.length, false);
    std::vector<bool> spread(at(m_graph.nodes()), false);
    for (std::size_t length = 1; length < waves.size(); ++length) {
        checkStop(m_graph.stop());
        for (std::size_t i = 0; i < waves[length].size(); ++i) {
            const auto [node, passes] = waves[length][i];
            distance[at(node)] = std::min(distance[at(node)], static_cast<std::int32_t>(length));
            if (spread[at(node)] || (m_graph.isNpu(node) && !(passes && m_graph.forwards(node))))
                continue;
            spread[at(node)] = true;
            for (const NodeId next : neighbours(node)) {
                // An NPU that hangs at switches is reached by way of them below; one that passes on hands over to NPUs only.
                const bool isNpu = m_graph.isNpu(next);
                if (isNpu ? m_ends[at(classOf(next))].empty() : !m_graph.isNpu(node) && !m_passed[at(next)]) {
                    if (isNpu ? !spread[at(next)] : distance[at(next)] == kFar)
                        reach(next, static_cast<std::int32_t>(length) + 1, isNpu && m_graph.isNpu(node));
                }
            }
        }
    }
    std::vector<std::int32_t> out(at(classes()), kFar);
    for (std::int32_t other = 0; other < classes(); ++other) {
        if (m_ends[at(other)].empty())
            out[at(other)] = distance[at(m_first[at(other)])];
        for (const End& end : m_ends[at(other)]) {
            if (distance[at(end.node)] != kFar)
                out[at(other)] = std::min(out[at(other)], distance[at(end.node)] + end.length);
        }
    }
    return out;
}

} // namespace fabricscope
