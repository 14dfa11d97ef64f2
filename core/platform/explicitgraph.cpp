#include "core/platform/explicitgraph.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// Tables beyond this many bytes are recomputed for each route instead of kept.
constexpr std::size_t kCacheBytes = std::size_t{512} << 20;

/// Link numbers sorted by one of their ends, as begin/entries lists; inside a node in the order listed.
void groupByNode(std::size_t nodes, std::span<const NodeId> ends, std::vector<std::int32_t>& begin, std::vector<std::int32_t>& entries)
{
    begin.assign(nodes + 1, 0);
    for (const NodeId node : ends)
        ++begin[at(node) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    entries.resize(ends.size());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t link = 0; link < ends.size(); ++link)
        entries[at(next[at(ends[link])]++)] = static_cast<std::int32_t>(link);
}

/// Position of a link in a list that rises.
std::int32_t placeIn(std::span<const std::int32_t> links, LinkId link)
{
    return static_cast<std::int32_t>(std::lower_bound(links.begin(), links.end(), link) - links.begin());
}

} // namespace

ExplicitGraph::ExplicitGraph(const NodeList& nodes, const LinkList& links)
    : m_listed(links)
    , m_from(m_listed.from())
    , m_to(m_listed.to())
    , m_next(nodes.size())
{
    m_kinds.reserve(nodes.size());
    for (std::size_t node = 0; node < nodes.size(); ++node)
        m_kinds.push_back(nodes.kind(node));
    if (!nodes.allForward()) {
        for (std::size_t node = 0; node < nodes.size(); ++node)
            m_ends.push_back(!nodes.forwards(node) && m_kinds[node] == NodeKind::Npu);
    }
    group();
}

ExplicitGraph::ExplicitGraph(std::vector<NodeKind> kinds, std::vector<NodeId> from, std::vector<NodeId> to)
    : m_kinds(std::move(kinds))
    , m_ownFrom(std::move(from))
    , m_ownTo(std::move(to))
    , m_from(m_ownFrom)
    , m_to(m_ownTo)
    , m_next(m_kinds.size())
{
    group();
}

void ExplicitGraph::group()
{
    groupByNode(m_kinds.size(), m_from, m_outBegin, m_out);
    groupByNode(m_kinds.size(), m_to, m_inBegin, m_in);
}

ExplicitGraph::~ExplicitGraph()
{
    for (const auto& table : m_next)
        delete table.load();
}

std::span<const std::int32_t> ExplicitGraph::outgoing(NodeId node) const
{
    return std::span(m_out).subspan(at(m_outBegin[at(node)]), at(m_outBegin[at(node) + 1] - m_outBegin[at(node)]));
}

std::span<const std::int32_t> ExplicitGraph::incoming(NodeId node) const
{
    return std::span(m_in).subspan(at(m_inBegin[at(node)]), at(m_inBegin[at(node) + 1] - m_inBegin[at(node)]));
}

std::int32_t ExplicitGraph::inputPort(LinkId link) const
{
    return placeIn(incoming(to(link)), link);
}

std::int32_t ExplicitGraph::outputPort(LinkId link) const
{
    return placeIn(outgoing(from(link)), link);
}

std::int32_t ExplicitGraph::parallelNumber(LinkId link) const
{
    const auto beside = outgoing(from(link));
    return 1 + static_cast<std::int32_t>(std::count_if(beside.begin(), beside.end(), [&](std::int32_t other) { return other < link && to(other) == to(link); }));
}

void ExplicitGraph::remove(std::vector<bool> links, std::vector<bool> nodes)
{
    for (std::size_t link = 0; link < links.size(); ++link)
        links[link] = links[link] || nodes[at(m_from[link])] || nodes[at(m_to[link])];
    m_goneLinks = std::move(links);
    m_goneNodes = std::move(nodes);
}

NodeId ExplicitGraph::firstUnreached(NodeId from, bool forward, std::int32_t npus) const
{
    std::vector<bool> seen(m_kinds.size(), false);
    std::vector<NodeId> queue{from};
    seen[at(from)] = true;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const NodeId node = queue[head];
        if (node != from && endsRoutes(node))
            continue;
        for (const std::int32_t link : forward ? outgoing(node) : incoming(node)) {
            const NodeId other = forward ? to(link) : this->from(link);
            if (isGone(link) || seen[at(other)] || m_kinds[at(other)] == NodeKind::Memory)
                continue;
            seen[at(other)] = true;
            queue.push_back(other);
        }
    }
    for (NodeId npu = 0; npu < npus; ++npu) {
        if (!seen[at(npu)] && (m_goneNodes.empty() || !m_goneNodes[at(npu)]))
            return npu;
    }
    return -1;
}

std::pair<NodeId, NodeId> ExplicitGraph::unreachablePair(std::int32_t npus, const std::stop_token& stop) const
{
    const auto isLeft = [&](NodeId npu) { return m_goneNodes.empty() || !m_goneNodes[at(npu)]; };
    NodeId first = 0;
    while (first + 1 < npus && !isLeft(first))
        ++first;
    for (const bool forward : {true, false}) {
        if (const NodeId other = firstUnreached(first, forward, npus); other >= 0)
            return forward ? std::pair{first, other} : std::pair{other, first};
    }
    // Everything is connected when one node that passes on reaches all and all reach it.
    if (!endsRoutes(first))
        return {0, 0};
    for (const std::int32_t link : outgoing(first)) {
        checkStop(stop);
        if (!isGone(link) && !endsRoutes(to(link)) && firstUnreached(to(link), true, npus) < 0 && firstUnreached(to(link), false, npus) < 0)
            return {0, 0};
    }
    for (NodeId npu = first + 1; npu < npus; ++npu) {
        checkStop(stop);
        if (!isLeft(npu))
            continue;
        if (const NodeId other = firstUnreached(npu, true, npus); other >= 0)
            return {npu, other};
    }
    return {0, 0};
}

std::unique_ptr<const ExplicitGraph::NextLinks> ExplicitGraph::computeNext(NodeId dst) const
{
    constexpr std::int32_t kFar = INT32_MAX;
    std::vector<std::int32_t> distance(m_kinds.size(), kFar);
    std::vector<NodeId> queue{dst};
    distance[at(dst)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const NodeId node = queue[head];
        if (node != dst && endsRoutes(node))
            continue;
        for (const std::int32_t link : incoming(node)) {
            const NodeId before = from(link);
            if (isGone(link) || distance[at(before)] != kFar)
                continue;
            distance[at(before)] = distance[at(node)] + 1;
            queue.push_back(before);
        }
    }
    auto next = std::make_unique<NextLinks>(m_kinds.size(), -1);
    for (std::size_t node = 0; node < m_kinds.size(); ++node) {
        if (distance[node] == kFar || distance[node] == 0)
            continue;
        for (const std::int32_t link : outgoing(static_cast<NodeId>(node))) {
            const NodeId after = to(link);
            const bool forwards = !isGone(link) && (after == dst || !endsRoutes(after));
            if (forwards && distance[at(after)] == distance[node] - 1) {
                (*next)[node] = link;
                break;
            }
        }
    }
    return next;
}

bool ExplicitGraph::route(NodeId src, NodeId dst, std::vector<LinkId>& links) const
{
    const NextLinks* next = m_next[at(dst)].load(std::memory_order_acquire);
    std::unique_ptr<const NextLinks> temporary;
    if (!next) {
        temporary = computeNext(dst);
        next = temporary.get();
        const std::size_t tables = m_cachedTables.fetch_add(1) + 1;
        if (tables * (m_kinds.size() * sizeof(std::int32_t)) <= kCacheBytes) {
            const NextLinks* expected = nullptr;
            if (m_next[at(dst)].compare_exchange_strong(expected, next, std::memory_order_acq_rel))
                temporary.release();
        } else {
            m_cachedTables.fetch_sub(1);
        }
    }
    if (src != dst && (*next)[at(src)] < 0)
        return false;
    for (NodeId node = src; node != dst; node = to(links.back()))
        links.push_back((*next)[at(node)]);
    return true;
}

} // namespace fabricscope
