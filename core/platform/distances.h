#pragma once

#include "core/platform/explicitgraph.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace fabricscope {

/// Which NPUs pass on what is not for them. Switches always do, memories never.
enum class Forwarding : std::uint8_t {
    All,    ///< Every NPU.
    Direct  ///< Between two NPUs only, over links without a switch: inside of a host of direct links, or anywhere where there are no switches.
};

/// Links left to one destination, from every node. Plain value.
class Distances {
public:
    static constexpr std::int32_t kFar = INT32_MAX;

    /// `open`: the links that may be used. O(nodes + links).
    Distances(const ExplicitGraph& graph, NodeId destination, Forwarding forwarding, const std::function<bool(LinkId)>& open);

    /// From a node where a message starts, or that passes it on; kFar: no way.
    std::int32_t from(NodeId node, bool passing) const
    {
        return passing && !m_passing.empty() ? m_passing[static_cast<std::size_t>(node)] : m_starting[static_cast<std::size_t>(node)];
    }
    /// Does the link, open, lead from its first node one link closer? `passing`: that node passes the message on.
    bool leadsCloser(const ExplicitGraph& graph, LinkId link, bool passing) const;
    std::size_t bytes() const { return (m_starting.size() + m_passing.size()) * sizeof(std::int32_t); }

private:
    NodeId m_destination;
    std::vector<std::int32_t> m_starting;
    std::vector<std::int32_t> m_passing; ///< Forwarding::Direct: of NPUs, their next node being an NPU; of switches as m_starting. Else empty.
};

} // namespace fabricscope
