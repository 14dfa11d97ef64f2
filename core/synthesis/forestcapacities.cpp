#include "core/synthesis/forestcapacities.h"

#include <numeric>

namespace fabricscope {

using Flow = MaxFlow<std::int64_t>;

ForestCapacities::ForestCapacities(std::int32_t vertices, std::int32_t ranks, std::vector<std::int64_t> demand)
    : m_vertices(vertices)
    , m_ranks(ranks)
    , m_demand(std::move(demand))
    , m_allDemand(std::accumulate(m_demand.begin(), m_demand.end(), std::int64_t{0}))
    , m_capacity(static_cast<std::size_t>(vertices) * static_cast<std::size_t>(vertices), 0)
{
}

std::int32_t ForestCapacities::addTo(Flow& flow) const
{
    for (std::int32_t from = 0; from < m_vertices; ++from) {
        for (std::int32_t to = 0; to < m_vertices; ++to) {
            if (from != to && at(from, to) > 0)
                flow.addArc(from, to, at(from, to));
        }
    }
    const std::int32_t first = flow.arcs();
    for (std::int32_t rank = 0; rank < m_ranks; ++rank)
        flow.addArc(m_vertices, rank, demand(rank));
    return first;
}

bool ForestCapacities::isPossible(const std::stop_token& stop) const
{
    Flow flow(m_vertices + 1);
    const std::int32_t firstDemand = addTo(flow);
    for (std::int32_t rank = 0; rank < m_ranks && !stop.stop_requested(); ++rank) {
        if (flow.run(m_vertices, rank, m_allDemand) < m_allDemand)
            return false;
        // What reaches one rank in full can start from it: cuts in front of it are seen to.
        flow.setCapacity(firstDemand + rank, m_allDemand);
    }
    return !stop.stop_requested();
}

} // namespace fabricscope
