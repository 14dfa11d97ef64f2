#pragma once

#include "core/platform/explicitgraph.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace fabricscope {

/// Links between switches, by the switch that a way ends at: what all NPUs behind it share. Where no link joins two NPUs and none passes on between switches, every
/// way from one NPU to another is a link to a switch, a way over switches, and a link from the last one. Belongs to one router; not for several threads.
class SwitchRows {
public:
    static constexpr std::int32_t kFar = INT32_MAX;

    /// Whether it holds for a graph. O(nodes + links).
    static bool appliesTo(const ExplicitGraph& graph);

    /// By node behind the NPUs that come first (first()): links from there to `last` over switches alone, all counted that are there; what is no switch or
    /// has no way: kFar.
    /// O(switches and their links) the first time a switch is asked for. The span holds until forget().
    std::span<const std::int32_t> to(const ExplicitGraph& graph, NodeId last);
    /// The first node that is no NPU. O(NPUs) once.
    NodeId first(const ExplicitGraph& graph);
    std::size_t bytes() const { return m_bytes; }
    void forget();

private:
    std::map<NodeId, std::vector<std::int32_t>> m_rows;
    std::vector<NodeId> m_queue;
    NodeId m_first = -1;
    std::size_t m_bytes = 0;
};

} // namespace fabricscope
