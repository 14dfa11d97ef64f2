#include "core/platform/groupways.h"

#include "core/base/index.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kNone = INT32_MAX;

} // namespace

GroupWays::GroupWays(const ExplicitGraph& graph, const DeclaredNodes& declared)
    : m_graph(graph)
    , m_declared(declared)
    , m_members(at(declared.groups))
    , m_place(at(graph.nodeCount()), 0)
{
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (groupOf(node) < 0)
            continue;
        std::vector<NodeId>& members = m_members[at(groupOf(node))];
        m_place[at(node)] = members.size();
        members.push_back(node);
    }
}

bool GroupWays::enters(LinkId link, std::int32_t group) const
{
    const NodeId to = m_graph.to(link);
    return groupOf(to) == group && m_graph.kind(to) == NodeKind::Switch;
}

const std::vector<std::int32_t>& GroupWays::left(std::int32_t own, std::int32_t group, const Open& open)
{
    const auto [entry, added] = m_left.try_emplace({own, group});
    std::vector<std::int32_t>& left = entry->second;
    if (!added)
        return left;
    const std::vector<NodeId>& members = m_members[at(own)];
    left.assign(members.size(), kNone);
    std::vector<NodeId> queue;
    for (const NodeId node : members) {
        for (const std::int32_t link : m_graph.outgoing(node)) {
            if (m_graph.kind(node) == NodeKind::Switch && open(link) && enters(link, group)) {
                left[m_place[at(node)]] = 1;
                queue.push_back(node);
                break;
            }
        }
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const std::int32_t link : m_graph.incoming(queue[head])) {
            const NodeId before = m_graph.from(link);
            if (!open(link) || groupOf(before) != own || left[m_place[at(before)]] != kNone)
                continue;
            left[m_place[at(before)]] = left[m_place[at(queue[head])]] + 1;
            if (m_graph.kind(before) == NodeKind::Switch)
                queue.push_back(before);
        }
    }
    return left;
}

void GroupWays::choices(NodeId node, std::int32_t group, const Open& open, std::vector<LinkId>& links)
{
    const std::int32_t own = groupOf(node);
    if (own < 0 || own == group)
        return;
    const std::vector<std::int32_t>& left = this->left(own, group, open);
    const std::int32_t here = left[m_place[at(node)]];
    for (const std::int32_t link : m_graph.outgoing(node)) {
        const NodeId next = m_graph.to(link);
        const bool closer = here == 1 ? enters(link, group) : here != kNone && groupOf(next) == own && m_graph.kind(next) == NodeKind::Switch && left[m_place[at(next)]] == here - 1;
        if (closer && open(link))
            links.push_back(link);
    }
}

bool GroupWays::append(NodeId& node, std::int32_t group, const Open& open, std::vector<LinkId>& links)
{
    const std::size_t begin = links.size();
    std::vector<LinkId> found;
    NodeId here = node;
    while (groupOf(here) != group) {
        found.clear();
        choices(here, group, open, found);
        if (found.empty()) {
            links.resize(begin);
            return false;
        }
        links.push_back(found.front());
        here = m_graph.to(found.front());
    }
    node = here;
    return true;
}

} // namespace fabricscope
