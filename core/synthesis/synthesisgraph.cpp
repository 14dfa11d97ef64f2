#include "core/synthesis/synthesisgraph.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace fabricscope {

namespace {

constexpr LinkId kMostLinks = LinkId{1} << 20;

Status checkMembers(const Platform& platform, std::span<const NodeId> members)
{
    if (platform.linkCount() > kMostLinks)
        return Error{ErrorCode::Unsupported, "the platform has " + std::to_string(platform.linkCount()) + " links",
                     {}, "at most " + std::to_string(kMostLinks) + " for synthesis"};
    if (members.size() < 2)
        return invalidInput("a group of " + std::to_string(members.size()) + " has nothing to exchange", {}, "at least 2 members");
    std::vector<bool> seen(at(platform.npuCount()));
    for (const NodeId member : members) {
        if (member < 0 || member >= platform.npuCount())
            return invalidInput("member " + std::to_string(member) + " is no NPU of the platform", {}, "0 to " + std::to_string(platform.npuCount() - 1));
        if (platform.isNpuRemoved(member))
            return invalidInput("member " + std::to_string(member) + " is removed from the platform");
        if (seen[at(member)])
            return invalidInput("member " + std::to_string(member) + " is named twice");
        seen[at(member)] = true;
    }
    return {};
}

/// Numbers the vertices: members, other NPUs, switches in the order they are met.
class Vertices {
public:
    Vertices(const Platform& platform, std::span<const NodeId> members)
        : m_platform(platform)
        , m_ofNode(at(platform.npuCount()), -1)
    {
        for (const NodeId member : members)
            m_ofNode[at(member)] = m_count++;
        for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
            if (m_ofNode[at(npu)] < 0 && !platform.isNpuRemoved(npu))
                m_ofNode[at(npu)] = m_count++;
        }
    }

    /// The vertex at an end of a link; `node` is -1 for the switch of a Switch dimension. Absent: a memory.
    std::optional<std::int32_t> of(const LinkInfo& info, NodeId node)
    {
        if (node < 0) {
            const auto dimension = at(info.dimension);
            return named({info.dimension, m_platform.withCoordinate(info.owner, dimension, 0)});
        }
        if (node < m_platform.npuCount())
            return m_ofNode[at(node)];
        if (m_platform.spec().nodes.kind(at(node)) == NodeKind::Memory)
            return std::nullopt;
        return named({-1, node});
    }
    std::int32_t count() const { return m_count; }

private:
    std::int32_t named(std::pair<std::int32_t, NodeId> key)
    {
        const auto [place, isNew] = m_switches.try_emplace(key, m_count);
        m_count += isNew ? 1 : 0;
        return place->second;
    }

    const Platform& m_platform;
    std::vector<std::int32_t> m_ofNode;
    std::map<std::pair<std::int32_t, NodeId>, std::int32_t> m_switches; ///< By (dimension, first NPU of the line), or (-1, node).
    std::int32_t m_count = 0;
};

/// Ways through switches from each rank to the ranks it has no link to.
class Unwinding {
public:
    explicit Unwinding(const SynthesisGraph& graph)
        : m_graph(graph)
        , m_out(at(graph.vertices))
        , m_in(at(graph.vertices))
        , m_uses(graph.links.size(), 0)
    {
        for (std::size_t link = 0; link < graph.links.size(); ++link) {
            m_out[at(graph.links[link].from)].push_back(link);
            m_in[at(graph.links[link].to)].push_back(link);
        }
    }

    SynthesisGraph run()
    {
        SynthesisGraph out;
        out.ranks = m_graph.ranks;
        out.vertices = m_graph.ranks;
        std::vector<std::vector<std::size_t>> ways;
        for (std::int32_t rank = 0; rank < m_graph.ranks; ++rank)
            findWays(rank, ways);
        for (const SynthesisGraph::Link& link : m_graph.links) {
            if (isRank(link.from) && isRank(link.to))
                out.links.push_back(link);
        }
        for (const std::vector<std::size_t>& way : ways)
            out.links.push_back(joined(way));
        return out;
    }

private:
    bool isRank(std::int32_t vertex) const { return vertex < m_graph.ranks; }

    /// Fewest links from `source` through switches only; of equal ways the one whose links are least used for their rate so far, so that
    /// parallel links share the load.
    void findWays(std::int32_t source, std::vector<std::vector<std::size_t>>& ways)
    {
        std::vector<std::int32_t> distance(at(m_graph.vertices), -1);
        std::vector<std::int32_t> queue{source};
        distance[at(source)] = 0;
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const std::int32_t vertex = queue[head];
            if (vertex != source && isRank(vertex))
                continue;
            for (const std::size_t link : m_out[at(vertex)]) {
                const std::int32_t next = m_graph.links[link].to;
                if (distance[at(next)] < 0) {
                    distance[at(next)] = distance[at(vertex)] + 1;
                    queue.push_back(next);
                }
            }
        }
        for (std::int32_t target = 0; target < m_graph.ranks; ++target) {
            if (distance[at(target)] < 2)
                continue;
            std::vector<std::size_t> way;
            for (std::int32_t vertex = target; vertex != source; vertex = m_graph.links[way.back()].from)
                way.push_back(lastLink(vertex, source, distance));
            std::reverse(way.begin(), way.end());
            for (const std::size_t link : way)
                ++m_uses[link];
            ways.push_back(std::move(way));
        }
    }

    std::size_t lastLink(std::int32_t vertex, std::int32_t source, const std::vector<std::int32_t>& distance) const
    {
        std::optional<std::size_t> best;
        const auto load = [&](std::size_t link) {
            return static_cast<double>(m_uses[link] + 1) / static_cast<double>(m_graph.links[link].bytesPerSecond);
        };
        for (const std::size_t link : m_in[at(vertex)]) {
            const std::int32_t from = m_graph.links[link].from;
            const bool passes = from == source || !isRank(from);
            if (passes && distance[at(from)] >= 0 && distance[at(from)] + 1 == distance[at(vertex)] && (!best || load(link) < load(*best)))
                best = link;
        }
        return *best;
    }

    SynthesisGraph::Link joined(const std::vector<std::size_t>& way) const
    {
        SynthesisGraph::Link out;
        out.from = m_graph.links[way.front()].from;
        out.to = m_graph.links[way.back()].to;
        out.bytesPerSecond = INT64_MAX;
        for (const std::size_t link : way) {
            const SynthesisGraph::Link& part = m_graph.links[link];
            out.bytesPerSecond = std::min(out.bytesPerSecond, std::max<std::int64_t>(1, part.bytesPerSecond / m_uses[link]));
            out.latencyPs += part.latencyPs;
            out.route.insert(out.route.end(), part.route.begin(), part.route.end());
        }
        return out;
    }

    const SynthesisGraph& m_graph;
    std::vector<std::vector<std::size_t>> m_out;
    std::vector<std::vector<std::size_t>> m_in;
    std::vector<std::int64_t> m_uses; ///< Ways over each link.
};

} // namespace

Result<SynthesisGraph> synthesisGraph(const Platform& platform, std::span<const NodeId> members)
{
    if (Status status = checkMembers(platform, members); !status)
        return std::move(status).error();
    SynthesisGraph graph;
    graph.ranks = static_cast<std::int32_t>(members.size());
    Vertices vertices(platform, members);
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        if (platform.isRemoved(link))
            continue;
        const LinkInfo info = platform.linkInfo(link);
        const std::optional<std::int32_t> from = vertices.of(info, info.from);
        const std::optional<std::int32_t> to = vertices.of(info, info.to);
        if (from && to)
            graph.links.push_back({*from, *to, platform.bandwidth(link).bytesPerSecond, platform.latency(link).ps, {link}});
    }
    graph.vertices = vertices.count();
    return graph;
}

SynthesisGraph reversed(const SynthesisGraph& graph)
{
    SynthesisGraph out = graph;
    for (SynthesisGraph::Link& link : out.links)
        std::swap(link.from, link.to);
    return out;
}

SynthesisGraph unwound(const SynthesisGraph& graph)
{
    return Unwinding(graph).run();
}

} // namespace fabricscope
