// Which links a message crosses, and at which port it arrives: manual: models 2 and 3.
#include "core/platform/platform.h"
#include "core/platform/platformderived.h"

#include <cassert>

namespace fabricscope {

namespace {

std::int32_t wrapped(std::int32_t value, std::int32_t size)
{
    return value < 0 ? value + size : value;
}

} // namespace

std::optional<LinkId> Platform::ringLink(std::size_t dimension, NodeId npu, RingDirection direction) const
{
    if (m_derived->graph || dimension >= m_derived->axes.size())
        return std::nullopt;
    const Derived::Axis& axis = m_derived->axes[dimension];
    if (axis.ports == 0)
        return std::nullopt;
    // The last port of an NPU is its link towards -1, or its down-link; Ring(2) has one link for both ways.
    const std::int32_t port = direction == RingDirection::Minus ? axis.ports - 1 : 0;
    return axis.firstLink + LinkId{npu} * axis.ports + port;
}

void Platform::route(NodeId src, NodeId dst, std::vector<LinkId>& links, RingDirection rings) const
{
    if (m_derived->graph) {
        const bool found = m_derived->graph->route(src, dst, links);
        assert(found && "create() checked that NPUs reach each other");
        static_cast<void>(found);
        return;
    }
    assert(src >= 0 && src < m_npuCount && dst >= 0 && dst < m_npuCount);
    if (m_hasRemovals)
        return routeAround(src, dst, links, rings);
    NodeId at = src;
    for (std::size_t d = 0; d < m_derived->axes.size() && at != dst; ++d) {
        const Derived::Axis& axis = m_derived->axes[d];
        const std::int32_t target = coordinate(dst, d);
        const std::int32_t ahead = wrapped(target - coordinate(at, d), axis.size);
        if (ahead == 0)
            continue;
        const auto link = [&](NodeId owner, std::int32_t port) { return axis.firstLink + LinkId{owner} * axis.ports + port; };
        const NodeId next = withCoordinate(at, d, target);
        switch (axis.shape) {
        case Shape::FullyConnected:
            links.push_back(link(at, ahead - 1));
            break;
        case Shape::Switch:
            links.push_back(link(at, 0));
            links.push_back(link(next, 1));
            break;
        case Shape::Ring: {
            const bool plus = rings == RingDirection::Plus || (rings == RingDirection::Shorter && ahead <= axis.size - ahead);
            const std::int32_t step = plus ? 1 : axis.size - 1;
            const std::int32_t port = plus || axis.ports == 1 ? 0 : 1;
            for (NodeId hop = at; hop != next;) {
                links.push_back(link(hop, port));
                hop = withCoordinate(hop, d, (coordinate(hop, d) + step) % axis.size);
            }
            break;
        }
        }
        at = next;
    }
}

std::int32_t Platform::inputPort(LinkId previous, LinkId next) const
{
    if (previous < 0)
        return kOwnInjection;
    if (m_derived->graph)
        return m_derived->graph->inputPort(previous);
    const std::size_t dimension = m_derived->axisOf(previous);
    const Derived::Axis& axis = m_derived->axes[dimension];
    const LinkInfo info = linkInfo(previous);
    std::int32_t relative = 0;
    if (info.to >= 0) {
        // Behind the port of a down-link is the switch, the only neighbour there.
        if (info.from >= 0)
            relative = wrapped(coordinate(info.from, dimension) - coordinate(info.to, dimension), axis.size);
    } else if (next >= 0) {
        // At the switch, positions count from the NPU below the port that the piece wants to leave by.
        relative = wrapped(coordinate(info.from, dimension) - coordinate(linkInfo(next).owner, dimension), axis.size);
    }
    return axis.firstInput + relative;
}

} // namespace fabricscope
