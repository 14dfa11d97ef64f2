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
void groupByNode(std::size_t nodes, const std::vector<NodeId>& ends, std::vector<std::int32_t>& begin, std::vector<std::int32_t>& entries,
                 std::vector<std::int32_t>& ports)
{
    begin.assign(nodes + 1, 0);
    for (const NodeId node : ends)
        ++begin[at(node) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    entries.resize(ends.size());
    ports.resize(ends.size());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t link = 0; link < ends.size(); ++link) {
        const std::size_t node = at(ends[link]);
        ports[link] = next[node] - begin[node];
        entries[at(next[node]++)] = static_cast<std::int32_t>(link);
    }
}

template <typename Row, typename Field>
std::vector<Field> columnOf(const std::vector<Row>& rows, Field Row::*field)
{
    std::vector<Field> column;
    column.reserve(rows.size());
    for (const Row& row : rows)
        column.push_back(row.*field);
    return column;
}

} // namespace

ExplicitGraph::ExplicitGraph(const std::vector<ExplicitNode>& nodes, const std::vector<ExplicitLink>& links)
    : ExplicitGraph(columnOf(nodes, &ExplicitNode::kind), columnOf(links, &ExplicitLink::from), columnOf(links, &ExplicitLink::to))
{
    if (std::all_of(nodes.begin(), nodes.end(), [](const ExplicitNode& node) { return node.forwards; }))
        return;
    for (const ExplicitNode& node : nodes)
        m_ends.push_back(!node.forwards && node.kind == NodeKind::Npu);
}

ExplicitGraph::ExplicitGraph(std::vector<NodeKind> kinds, std::vector<NodeId> from, std::vector<NodeId> to)
    : m_kinds(std::move(kinds))
    , m_from(std::move(from))
    , m_to(std::move(to))
    , m_next(m_kinds.size())
{
    groupByNode(m_kinds.size(), m_from, m_outBegin, m_out, m_outputPort);
    m_parallel.resize(m_from.size());
    std::vector<std::int32_t> seen(m_kinds.size(), 0); // By the other end; of one node's links at a time.
    for (NodeId node = 0; node < nodeCount(); ++node) {
        for (const std::int32_t link : outgoing(node))
            m_parallel[at(link)] = ++seen[at(m_to[at(link)])];
        for (const std::int32_t link : outgoing(node))
            seen[at(m_to[at(link)])] = 0;
    }
    groupByNode(m_kinds.size(), m_to, m_inBegin, m_in, m_inputPort);
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

void putNpusFirst(PlatformSpec& spec)
{
    std::vector<NodeId> order(spec.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end(), [&](NodeId node) { return spec.nodes[at(node)].kind == NodeKind::Npu; });
    std::vector<NodeId> number(order.size());
    std::vector<ExplicitNode> nodes;
    for (std::size_t i = 0; i < order.size(); ++i) {
        number[at(order[i])] = static_cast<NodeId>(i);
        nodes.push_back(std::move(spec.nodes[at(order[i])]));
    }
    spec.nodes = std::move(nodes);
    // Numbers outside the graph stay as they are for Platform::create to refuse.
    const auto renumber = [&](NodeId& node) {
        if (node >= 0 && at(node) < number.size())
            node = number[at(node)];
    };
    for (ExplicitLink& link : spec.links) {
        renumber(link.from);
        renumber(link.to);
    }
    for (NpuOverride& change : spec.npuOverrides)
        renumber(change.node);
}

} // namespace fabricscope
