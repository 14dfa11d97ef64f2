#include "core/bounds/blockcuts.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/bounds/maxflow.h"

#include <limits>
#include <numeric>

namespace fabricscope {

BlockCuts::BlockCuts(const FlowGraph& graph, const std::stop_token& stop)
    : m_graph(graph)
    , m_stop(stop)
    , m_begin(at(graph.vertices) + 1, 0)
    , m_arcs(graph.arcs.size())
    , m_local(at(graph.vertices), 0)
{
    for (const FlowGraph::Arc& arc : graph.arcs) {
        checkStop(stop);
        ++m_begin[at(arc.from) + 1];
    }
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    std::vector<std::int32_t> next(m_begin.begin(), m_begin.end() - 1);
    for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
        checkStop(stop);
        m_arcs[at(next[at(graph.arcs[i].from)]++)] = static_cast<std::int32_t>(i);
    }
}

std::span<const std::int32_t> BlockCuts::arcsOf(std::int32_t vertex) const
{
    return std::span(m_arcs).subspan(at(m_begin[at(vertex)]), at(m_begin[at(vertex) + 1] - m_begin[at(vertex)]));
}

void BlockCuts::divide(std::span<const std::int32_t> blockOf)
{
    m_block.assign(at(m_graph.vertices), kNobody);
    m_length.assign(at(m_graph.vertices), -1);
    std::vector<std::int32_t> queue;
    for (std::size_t member = 0; member < m_graph.compute.size(); ++member) {
        const std::int32_t vertex = m_graph.compute[member];
        m_block[at(vertex)] = blockOf[member];
        m_length[at(vertex)] = 0;
        queue.push_back(vertex);
    }
    // What is nearer has left the queue before it, so its block is known for good.
    for (std::size_t head = 0; head < queue.size(); ++head) {
        checkStop(m_stop);
        const std::int32_t vertex = queue[head];
        for (const std::int32_t arc : arcsOf(vertex)) {
            const std::int32_t to = m_graph.arcs[at(arc)].to;
            if (m_length[at(to)] < 0) {
                m_length[at(to)] = m_length[at(vertex)] + 1;
                m_block[at(to)] = m_block[at(vertex)];
                queue.push_back(to);
            } else if (m_length[at(to)] == m_length[at(vertex)] + 1 && m_block[at(to)] != m_block[at(vertex)]) {
                m_block[at(to)] = kShared;
            }
        }
    }
}

CutLinks BlockCuts::cutOf(std::span<const std::int32_t> vertices, std::span<const std::int64_t> before, std::span<const std::int64_t> behind)
{
    // The members are one vertex of the flow, all that is not of the block another.
    constexpr std::int32_t kMembers = 0;
    constexpr std::int32_t kRest = 1;
    std::int32_t count = 2;
    for (const std::int32_t vertex : vertices)
        m_local[at(vertex)] = m_length[at(vertex)] == 0 ? kMembers : count++;
    MaxFlow<std::int64_t> flow(count);
    if (count > 2) {
        for (const std::int32_t vertex : vertices) {
            checkStop(m_stop);
            const std::int32_t from = m_local[at(vertex)];
            for (const std::int32_t i : arcsOf(vertex)) {
                const FlowGraph::Arc& arc = m_graph.arcs[at(i)];
                const std::int32_t to = m_block[at(arc.to)] == m_block[at(vertex)] ? m_local[at(arc.to)] : kRest;
                if (to != from && to != kMembers && !(from == kMembers && to == kRest)) // what leaves members for good is in every cut
                    flow.addArc(from, to, arc.rate);
            }
        }
        flow.run(kMembers, kRest, MaxFlow<std::int64_t>::kUnlimited, m_stop);
        checkStop(m_stop);
    }
    const auto isInside = [&](std::int32_t vertex) { return m_length[at(vertex)] == 0 || flow.onSourceSide(m_local[at(vertex)]); };
    const auto known = [](std::int64_t latency) { return latency == std::numeric_limits<std::int64_t>::max() ? 0 : latency; };
    CutLinks links;
    for (const std::int32_t vertex : vertices) {
        checkStop(m_stop);
        if (!isInside(vertex))
            continue;
        for (const std::int32_t i : arcsOf(vertex)) {
            const FlowGraph::Arc& arc = m_graph.arcs[at(i)];
            if (m_block[at(arc.to)] != m_block[at(vertex)] || !isInside(arc.to))
                links.add(arc.rate, arc.latencyPs + known(before[at(arc.from)]) + known(behind[at(arc.to)]));
        }
    }
    return links;
}

std::vector<CutLinks> BlockCuts::leaving(std::span<const std::int32_t> blockOf, std::int32_t blocks, std::span<const std::int64_t> before, std::span<const std::int64_t> behind)
{
    divide(blockOf);
    std::vector<std::int32_t> begin(at(blocks) + 1, 0);
    for (const std::int32_t block : m_block) {
        if (block >= 0)
            ++begin[at(block) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    std::vector<std::int32_t> vertices(at(begin.back()));
    for (std::int32_t vertex = 0; vertex < m_graph.vertices; ++vertex) {
        checkStop(m_stop);
        if (m_block[at(vertex)] >= 0)
            vertices[at(next[at(m_block[at(vertex)])]++)] = vertex;
    }
    std::vector<CutLinks> links;
    links.reserve(at(blocks));
    for (std::int32_t block = 0; block < blocks; ++block)
        links.push_back(cutOf(std::span(vertices).subspan(at(begin[at(block)]), at(begin[at(block) + 1] - begin[at(block)])), before, behind));
    return links;
}

} // namespace fabricscope
