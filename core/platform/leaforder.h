#pragma once

#include "core/platform/networkcards.h"
#include "core/platform/explicitgraph.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Places of NPUs in the order of leaves, which the policy `balanced` chooses by. Plain value; `graph` must outlive it.
class LeafOrder {
public:
    /// An NPU with several own cards is counted at the first of them only, so that NPUs side by side have places side by side. O(nodes + links).
    LeafOrder(const ExplicitGraph& graph, const Cards& cards);

    /// Place of an NPU: that of the last switch before it on ways from `from` (a switch that both have, else the first that leads to other switches, else
    /// the first), then its place among the NPUs there. Without a switch its number. O(links of the NPU and of `from`).
    std::uint64_t placeOf(NodeId npu, NodeId from) const;

private:
    const ExplicitGraph& m_graph;
    std::vector<std::int64_t> m_begin; ///< By switch: NPUs at switches of its kind before it.
    std::vector<bool> m_upper;         ///< By switch: leads to other switches.
    std::vector<std::int32_t> m_place; ///< By link from a switch to an NPU: NPUs of the switch before that one.
};

} // namespace fabricscope
