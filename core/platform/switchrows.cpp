#include "core/platform/switchrows.h"

#include "core/base/index.h"

namespace fabricscope {

NodeId SwitchRows::first(const ExplicitGraph& graph)
{
    if (m_first >= 0)
        return m_first;
    m_first = 0;
    while (m_first < graph.nodeCount() && graph.kind(m_first) == NodeKind::Npu)
        ++m_first;
    return m_first;
}

bool SwitchRows::appliesTo(const ExplicitGraph& graph)
{
    for (LinkId link = 0; link < graph.linkCount(); ++link) {
        if (graph.kind(graph.from(link)) == NodeKind::Npu && graph.kind(graph.to(link)) == NodeKind::Npu)
            return false;
    }
    return true;
}

std::span<const std::int32_t> SwitchRows::to(const ExplicitGraph& graph, NodeId last)
{
    const auto [entry, added] = m_rows.try_emplace(last);
    std::vector<std::int32_t>& left = entry->second;
    if (!added)
        return left;
    left.assign(at(graph.nodeCount() - first(graph)), kFar);
    m_bytes += left.size() * sizeof(std::int32_t);
    left[at(last - m_first)] = 0;
    m_queue.assign(1, last);
    for (std::size_t head = 0; head < m_queue.size(); ++head) {
        const NodeId node = m_queue[head];
        for (const std::int32_t link : graph.incoming(node)) {
            const NodeId before = graph.from(link);
            if (graph.kind(before) != NodeKind::Switch || left[at(before - m_first)] != kFar || graph.isGone(link))
                continue;
            left[at(before - m_first)] = left[at(node - m_first)] + 1;
            m_queue.push_back(before);
        }
    }
    return left;
}

void SwitchRows::forget()
{
    m_rows.clear();
    m_bytes = 0;
}

} // namespace fabricscope
