#include "core/platform/distances.h"

#include "core/base/index.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

Distances::Distances(const ExplicitGraph& graph, NodeId destination, Forwarding forwarding, const std::function<bool(LinkId)>& open)
    : m_destination(destination)
    , m_starting(at(graph.nodeCount()), kFar)
{
    if (forwarding == Forwarding::UpDown) {
        findUpDown(graph, open);
        return;
    }
    const bool direct = forwarding == Forwarding::Direct;
    if (direct)
        m_passing.assign(m_starting.size(), kFar);
    const auto isNpu = [&graph](NodeId node) { return graph.kind(node) == NodeKind::Npu; };
    m_starting[at(destination)] = 0;
    if (direct)
        m_passing[at(destination)] = 0;
    // Nodes that may pass messages on, nearest first; an NPU under Direct with its distance over another NPU.
    std::vector<NodeId> queue{destination};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const NodeId node = queue[head];
        if (node != destination && graph.endsRoutes(node))
            continue;
        const std::int32_t next = (direct ? m_passing[at(node)] : m_starting[at(node)]) + 1;
        for (const std::int32_t link : graph.incoming(node)) {
            const NodeId before = graph.from(link);
            if (!open(link) || (direct && node != destination && isNpu(node) && !isNpu(before)))
                continue;
            const bool first = m_starting[at(before)] == kFar;
            if (first)
                m_starting[at(before)] = next;
            if (!direct) {
                if (first)
                    queue.push_back(before);
            } else if (m_passing[at(before)] == kFar && (!isNpu(before) || isNpu(node))) {
                m_passing[at(before)] = next;
                queue.push_back(before);
            }
        }
    }
}

std::int64_t Distances::findNear(const ExplicitGraph& graph, NodeId destination, NodeId from)
{
    m_destination = destination;
    m_starting.resize(at(graph.nodeCount()), kFar);
    m_passing.resize(m_starting.size(), kFar);
    for (const NodeId node : m_near)
        m_starting[at(node)] = m_passing[at(node)] = kFar;
    m_near.assign(1, destination);
    m_starting[at(destination)] = m_passing[at(destination)] = 0;
    std::int64_t looked = 0;
    // Of m_near those that pass messages on, nearest first. When `from` has a distance all that are nearer have theirs.
    std::vector<NodeId> queue{destination};
    for (std::size_t head = 0; head < queue.size() && m_starting[at(from)] == kFar; ++head) {
        const NodeId node = queue[head];
        if (node != destination && graph.endsRoutes(node))
            continue;
        const bool npu = graph.kind(node) == NodeKind::Npu;
        const std::int32_t next = m_passing[at(node)] + 1;
        for (const std::int32_t link : graph.incoming(node)) {
            ++looked;
            const NodeId before = graph.from(link);
            const bool npuBefore = graph.kind(before) == NodeKind::Npu;
            if (graph.isGone(link) || (node != destination && npu && !npuBefore))
                continue;
            if (m_starting[at(before)] == kFar) {
                m_starting[at(before)] = next;
                m_near.push_back(before);
            }
            if (m_passing[at(before)] == kFar && (!npuBefore || npu)) {
                m_passing[at(before)] = next;
                queue.push_back(before);
            }
        }
    }
    return looked;
}

void Distances::findOverSwitches(const ExplicitGraph& graph, NodeId destination, NodeId from, SwitchRows& rows)
{
    m_destination = destination;
    m_source = from;
    m_shared = &rows;
    m_only = nullptr;
    m_rows.clear();
    for (const std::int32_t link : graph.incoming(destination)) {
        const NodeId last = graph.from(link);
        // One of several links from the same switch is enough.
        const auto isLast = [last](const SwitchRows::Row& known) { return known.last() == last; };
        if (graph.kind(last) == NodeKind::Switch && !graph.isGone(link) && std::none_of(m_rows.begin(), m_rows.end(), isLast))
            m_rows.push_back(rows.to(graph, last));
    }
    m_sourceLeft = kFar;
    for (const std::int32_t link : graph.outgoing(from)) {
        const NodeId next = graph.to(link);
        if (graph.kind(next) != NodeKind::Switch || graph.isGone(link))
            continue;
        for (const SwitchRows::Row& row : m_rows) {
            const std::int32_t left = row.from(next);
            if (left == kFar || left + 2 > m_sourceLeft)
                continue;
            // On a shortest way what is left over another last switch stays more.
            m_only = left + 2 < m_sourceLeft || m_only == &row ? &row : nullptr;
            m_sourceLeft = left + 2;
        }
    }
}

std::int32_t Distances::fromRows(NodeId node, bool passing) const
{
    if (node == m_destination)
        return 0;
    if (node == m_source)
        return passing ? kFar : m_sourceLeft;
    std::int32_t left = kFar;
    if (m_rows.empty() || node < m_rows.front().first)
        return left; // No NPU passes on.
    for (const SwitchRows::Row& row : m_rows)
        left = std::min(left, row.from(node));
    return left == kFar ? kFar : left + 1;
}

Distances::Candidates Distances::candidates(const ExplicitGraph& graph, NodeId node, bool passing) const
{
    if (m_only && node != m_source && node != m_only->last()) {
        const std::int32_t place = m_only->placeOf(node);
        return place < 0 ? Candidates{m_shared->closer(graph, m_only->anchor(), node), true} : Candidates{graph.incoming(m_only->chain[at(place - 1)]), false};
    }
    const auto outgoing = graph.outgoing(node);
    // What is left is one link; those of a node are listed by their numbers, whichever way they go.
    if (const auto incoming = graph.incoming(m_destination); incoming.size() < outgoing.size() && from(node, passing) == 1)
        return {incoming, false};
    return {outgoing, false};
}

bool Distances::goesDown(const ExplicitGraph& graph, LinkId link) const
{
    const NodeId before = graph.from(link);
    const NodeId after = graph.to(link);
    const std::int32_t fall = m_levels[at(before)] - m_levels[at(after)];
    return fall != 0 ? fall > 0 : after > before;
}

void Distances::findUpDown(const ExplicitGraph& graph, const std::function<bool(LinkId)>& open)
{
    m_levels.assign(m_starting.size(), kFar);
    std::vector<NodeId> queue;
    m_npusPass = true;
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        m_npusPass = m_npusPass && graph.kind(node) != NodeKind::Switch;
        if (graph.kind(node) != NodeKind::Npu)
            continue;
        m_levels[at(node)] = 0;
        queue.push_back(node);
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const std::int32_t link : graph.incoming(queue[head])) {
            if (std::int32_t& level = m_levels[at(graph.from(link))]; level == kFar) {
                level = m_levels[at(queue[head])] + 1;
                queue.push_back(graph.from(link));
            }
        }
    }
    m_passing.assign(m_starting.size(), kFar);
    m_starting[at(m_destination)] = 0;
    m_passing[at(m_destination)] = 0;
    // Nodes with what is left from there to the destination, nearest first: going down only, or up first.
    std::vector<std::pair<NodeId, bool>> states{{m_destination, true}, {m_destination, false}};
    for (std::size_t head = 0; head < states.size(); ++head) {
        const auto [node, down] = states[head];
        if (node != m_destination && (graph.endsRoutes(node) || (graph.kind(node) == NodeKind::Npu && !m_npusPass)))
            continue;
        const std::int32_t next = from(node, down) + 1;
        for (const std::int32_t link : graph.incoming(node)) {
            // A way that only goes down from here may have come down or up to here; one that goes up from here has only come up.
            if (!open(link) || goesDown(graph, link) != down)
                continue;
            const NodeId before = graph.from(link);
            if (down && m_passing[at(before)] == kFar) {
                m_passing[at(before)] = next;
                states.emplace_back(before, true);
            }
            if (m_starting[at(before)] == kFar) {
                m_starting[at(before)] = next;
                states.emplace_back(before, false);
            }
        }
    }
}

bool Distances::leadsCloser(const ExplicitGraph& graph, LinkId link, bool passing) const
{
    const NodeId node = graph.from(link);
    const NodeId after = graph.to(link);
    const std::int32_t left = from(node, passing);
    if (after == m_destination)
        return left == 1 && (m_levels.empty() || !passing || goesDown(graph, link));
    if (graph.endsRoutes(after) || left == kFar)
        return false;
    if (!m_levels.empty()) {
        const bool down = goesDown(graph, link);
        return (down || !passing) && (m_npusPass || graph.kind(after) == NodeKind::Switch) && from(after, down) == left - 1;
    }
    if (m_passing.empty() && m_source < 0)
        return from(after, true) == left - 1;
    const bool npuNext = graph.kind(after) == NodeKind::Npu;
    const bool npuHere = graph.kind(node) == NodeKind::Npu;
    // A switch hands nothing to an NPU that would pass it on, and an NPU passes on to NPUs only.
    if (npuNext != npuHere && (npuNext || passing))
        return false;
    return from(after, true) == left - 1;
}

} // namespace fabricscope
