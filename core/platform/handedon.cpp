#include "core/platform/handedon.h"

#include "core/base/index.h"

namespace fabricscope {

bool appendHandedOn(const ExplicitGraph& graph, NodeId from, NodeId to, const std::function<bool(LinkId)>& open, std::vector<LinkId>& links)
{
    constexpr std::int32_t kFar = INT32_MAX;
    std::vector<std::int32_t> left(at(graph.nodeCount()), kFar);
    left[at(to)] = 0;
    std::vector<NodeId> queue{to};
    for (std::size_t head = 0; head < queue.size() && left[at(from)] == kFar; ++head) {
        const NodeId node = queue[head];
        if (node != to && graph.kind(node) == NodeKind::Memory)
            continue;
        for (const LinkId link : graph.incoming(node)) {
            const NodeId before = graph.from(link);
            if (left[at(before)] != kFar || !open(link))
                continue;
            left[at(before)] = left[at(node)] + 1;
            queue.push_back(before);
        }
    }
    if (left[at(from)] == kFar)
        return false;
    for (NodeId node = from; node != to; node = graph.to(links.back())) {
        for (const LinkId link : graph.outgoing(node)) {
            const NodeId next = graph.to(link);
            if (left[at(next)] != left[at(node)] - 1 || !open(link) || (next != to && graph.kind(next) == NodeKind::Memory))
                continue;
            links.push_back(link);
            break;
        }
    }
    return true;
}

} // namespace fabricscope
