#include "core/platform/switchrows.h"

#include "core/base/index.h"

#include <algorithm>
#include <utility>

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

NodeId SwitchRows::onlyBefore(const ExplicitGraph& graph, NodeId node, std::span<const NodeId> chain)
{
    NodeId only = -1;
    for (const std::int32_t link : graph.incoming(node)) {
        const NodeId before = graph.from(link);
        if (before == only || graph.kind(before) != NodeKind::Switch || graph.isGone(link) || std::find(chain.begin(), chain.end(), before) != chain.end())
            continue;
        if (only >= 0)
            return -1;
        only = before;
    }
    return only;
}

SwitchRows::Row SwitchRows::to(const ExplicitGraph& graph, NodeId last)
{
    m_known.resize(at(graph.nodeCount() - first(graph)));
    Known& known = of(last);
    if (known.links < 0) {
        known.chain[0] = last;
        known.links = 0;
        while (at(known.links) + 1 < known.chain.size()) {
            const NodeId before = onlyBefore(graph, known.chain[at(known.links)], std::span(known.chain).first(at(known.links) + 1));
            if (before < 0)
                break;
            known.chain[at(++known.links)] = before;
        }
    }
    const NodeId anchor = known.chain[at(known.links)];
    if (!std::exchange(of(anchor).searched, true))
        search(graph, anchor);
    Row row{known.chain, known.links, m_first, {}};
    if (const std::int32_t shared = of(anchor).shared; shared >= 0)
        row.left = m_shared[at(shared)].left;
    return row;
}

void SwitchRows::join(const ExplicitGraph& graph)
{
    m_beforeBegin.assign(m_known.size() + 1, 0);
    std::vector<NodeId> seenFor(m_known.size(), -1);
    for (std::size_t number = 0; number < m_known.size(); ++number) {
        const auto node = static_cast<NodeId>(static_cast<std::int64_t>(number) + m_first);
        if (graph.kind(node) == NodeKind::Switch) {
            for (const std::int32_t link : graph.incoming(node)) {
                const NodeId before = graph.from(link);
                if (graph.kind(before) == NodeKind::Switch && !graph.isGone(link) && std::exchange(seenFor[at(before - m_first)], node) != node)
                    m_before.push_back(before);
            }
        }
        m_beforeBegin[number + 1] = static_cast<std::int32_t>(m_before.size());
    }
    m_bytes += m_beforeBegin.size() * sizeof(std::int32_t) + m_before.size() * sizeof(NodeId);
}

void SwitchRows::search(const ExplicitGraph& graph, NodeId anchor)
{
    if (m_beforeBegin.empty())
        join(graph);
    const auto number = at(anchor - m_first);
    std::vector<NodeId> before(m_before.begin() + m_beforeBegin[number], m_before.begin() + m_beforeBegin[number + 1]);
    if (before.empty())
        return;
    std::sort(before.begin(), before.end());
    const auto [entry, added] = m_sharedBy.try_emplace(std::move(before), static_cast<std::int32_t>(m_shared.size()));
    of(anchor).shared = entry->second;
    if (added)
        searchFrom(entry->first, m_shared.emplace_back().left);
}

void SwitchRows::searchFrom(std::span<const NodeId> before, std::vector<std::int32_t>& left)
{
    left.assign(m_known.size(), kFar);
    m_bytes += before.size_bytes() + left.size() * sizeof(std::int32_t);
    for (const NodeId node : before)
        left[at(node - m_first)] = 1;
    m_queue.assign(before.begin(), before.end());
    for (std::size_t head = 0; head < m_queue.size(); ++head) {
        const auto number = at(m_queue[head] - m_first);
        for (std::int32_t i = m_beforeBegin[number]; i < m_beforeBegin[number + 1]; ++i) {
            std::int32_t& known = left[at(m_before[at(i)] - m_first)];
            if (known != kFar)
                continue;
            known = left[number] + 1;
            m_queue.push_back(m_before[at(i)]);
        }
    }
}

std::int32_t SwitchRows::Row::placeOf(NodeId node) const
{
    for (std::int32_t place = 0; place <= links; ++place) {
        if (chain[at(place)] == node)
            return place;
    }
    return -1;
}

std::int32_t SwitchRows::Row::from(NodeId node) const
{
    // In the chain it is as far as its place.
    if (const std::int32_t place = placeOf(node); place >= 0 || left.empty())
        return place >= 0 ? place : kFar;
    const std::int32_t rest = left[at(node - first)];
    return rest == kFar ? kFar : rest + links;
}

std::span<const std::int32_t> SwitchRows::linksTo(const ExplicitGraph& graph, NodeId anchor, NodeId node)
{
    std::vector<std::int32_t>& last = of(anchor).last;
    if (last.empty()) {
        for (const std::int32_t link : graph.incoming(anchor)) {
            if (graph.kind(graph.from(link)) == NodeKind::Switch && !graph.isGone(link))
                last.push_back(link);
        }
        std::stable_sort(last.begin(), last.end(), [&](std::int32_t a, std::int32_t b) { return graph.from(a) < graph.from(b); });
        m_bytes += last.size() * sizeof(std::int32_t);
    }
    const auto begin = std::partition_point(last.begin(), last.end(), [&](std::int32_t link) { return graph.from(link) < node; });
    const auto end = std::partition_point(begin, last.end(), [&](std::int32_t link) { return graph.from(link) == node; });
    return {begin, end};
}

std::span<const std::int32_t> SwitchRows::closer(const ExplicitGraph& graph, NodeId anchor, NodeId node)
{
    Shared& row = m_shared[at(of(anchor).shared)];
    const std::int32_t left = row.left[at(node - m_first)];
    if (left == 1)
        return linksTo(graph, anchor, node);
    if (row.begin.empty()) {
        row.begin.assign(row.left.size(), -1);
        m_bytes += row.begin.size() * sizeof(std::int32_t);
    }
    std::int32_t& begin = row.begin[at(node - m_first)];
    if (begin < 0) {
        begin = static_cast<std::int32_t>(row.closer.size());
        row.closer.push_back(0);
        for (const std::int32_t link : graph.outgoing(node)) {
            const NodeId next = graph.to(link);
            if (graph.kind(next) == NodeKind::Switch && !graph.isGone(link) && row.left[at(next - m_first)] == left - 1)
                row.closer.push_back(link);
        }
        row.closer[at(begin)] = static_cast<std::int32_t>(row.closer.size()) - begin - 1;
        m_bytes += (row.closer.size() - at(begin)) * sizeof(std::int32_t);
    }
    return std::span(row.closer).subspan(at(begin) + 1, at(row.closer[at(begin)]));
}

void SwitchRows::forget()
{
    m_known.clear();
    m_sharedBy.clear();
    m_shared.clear();
    m_beforeBegin.clear();
    m_before.clear();
    m_bytes = 0;
}

} // namespace fabricscope
