#include "core/platform/distances.h"

#include "core/base/index.h"

namespace fabricscope {

Distances::Distances(const ExplicitGraph& graph, NodeId destination, Forwarding forwarding, const std::function<bool(LinkId)>& open)
    : m_destination(destination)
    , m_starting(at(graph.nodeCount()), kFar)
{
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
        if (node != destination && graph.kind(node) == NodeKind::Memory)
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

bool Distances::leadsCloser(const ExplicitGraph& graph, LinkId link, bool passing) const
{
    const NodeId node = graph.from(link);
    const NodeId after = graph.to(link);
    const std::int32_t left = from(node, passing);
    if (after == m_destination)
        return left == 1;
    if (graph.kind(after) == NodeKind::Memory || left == kFar)
        return false;
    if (m_passing.empty())
        return from(after, true) == left - 1;
    const bool npuNext = graph.kind(after) == NodeKind::Npu;
    const bool npuHere = graph.kind(node) == NodeKind::Npu;
    // A switch hands nothing to an NPU that would pass it on, and an NPU passes on to NPUs only.
    if (npuNext != npuHere && (npuNext || passing))
        return false;
    return from(after, true) == left - 1;
}

} // namespace fabricscope
