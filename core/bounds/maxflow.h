#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace fabricscope {

__extension__ using WideFlow = __int128;

/// Maximum flow in a directed graph with integer capacities, and a minimum cut (Dinitz 1970: blocking flows along shortest paths).
/// O(vertices^2 * arcs) at worst, far less on networks of NPUs and switches. One object may be asked for many pairs; not for several threads.
///
///     MaxFlow<std::int64_t> flow(3);
///     flow.addArc(0, 1, 5);
///     flow.addArc(1, 2, 3);
///     flow.run(0, 2);        // 3
///     flow.onSourceSide(1);  // true: the arc 1 > 2 is the cut
template <typename Flow>
class MaxFlow {
public:
    /// A capacity that never binds. The capacities that leave the source (or those that enter the sink) must add up to less.
    static constexpr Flow kUnlimited = static_cast<Flow>((Flow{1} << (sizeof(Flow) * 8 - 4)));

    explicit MaxFlow(std::int32_t vertices);

    std::int32_t vertices() const { return m_vertices; }
    std::int32_t arcs() const { return static_cast<std::int32_t>(m_from.size()); }
    /// Number of the new arc, 0, 1, ... Loops and capacity 0 are allowed and carry nothing.
    /// \pre different or equal vertices of the graph, 0 <= capacity <= kUnlimited.
    std::int32_t addArc(std::int32_t from, std::int32_t to, Flow capacity);
    void setCapacity(std::int32_t arc, Flow capacity) { m_capacity[at(arc)] = capacity; }
    Flow capacity(std::int32_t arc) const { return m_capacity[at(arc)]; }

    /// The largest flow from `source` to `sink`, from an empty network; no more than `limit`, at which it stops. When `stop` is requested
    /// it ends early with what it has: ask the token. \pre source != sink.
    Flow run(std::int32_t source, std::int32_t sink, Flow limit = kUnlimited, const std::stop_token& stop = {});
    /// Of the last run().
    Flow flow(std::int32_t arc) const
    {
        return m_halves[at(m_halves[at(m_halfOf[at(arc)])].reverse)].left;
    }
    /// Side of a minimum cut, the one with the fewest vertices at the sink. \pre the last run() stayed below its limit.
    bool onSourceSide(std::int32_t vertex) const { return m_distance[at(vertex)] < 0; }

private:
    void index();
    /// Distances to the sink over arcs with capacity left; false when the source is cut off.
    bool layer(std::int32_t source, std::int32_t sink);
    Flow block(std::int32_t source, std::int32_t sink, Flow limit, const std::stop_token& stop);

    /// An arc, or the way back over it: at the vertex it leaves.
    struct Half {
        std::int32_t to = 0;
        std::int32_t reverse = 0; ///< Index of the other half.
        Flow left = 0;            ///< Capacity that is not used.
    };
    std::int32_t m_vertices = 0;
    std::vector<std::int32_t> m_from; // by arc
    std::vector<std::int32_t> m_to;
    std::vector<Flow> m_capacity;
    std::vector<std::int32_t> m_halfOf;
    std::vector<std::int32_t> m_begin; // halves of vertex v: m_halves[m_begin[v]..m_begin[v + 1])
    std::vector<Half> m_halves;
    std::vector<std::int32_t> m_next;
    std::vector<std::int32_t> m_distance;
    std::vector<std::int32_t> m_queue; // of vertices; also the path of halves
    bool m_indexed = false;
};

extern template class MaxFlow<std::int64_t>;
extern template class MaxFlow<WideFlow>;

} // namespace fabricscope
