#include "core/base/index.h"
#include "core/synthesis/linearprogram.h"
#include "core/synthesis/treepacking.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace fabricscope {

namespace {

/// All directed Hamiltonian rings as lists of arcs, by depth-first search from rank 0.
class RingSearch {
public:
    explicit RingSearch(const TreeGraph& graph)
        : m_graph(graph)
        , m_arcsFrom(static_cast<std::size_t>(graph.ranks))
        , m_seen(static_cast<std::size_t>(graph.ranks), false)
    {
        for (std::size_t i = 0; i < graph.arcs.size(); ++i)
            m_arcsFrom[at(graph.arcs[i].from)].push_back(static_cast<std::int32_t>(i));
        m_seen[0] = true;
        visit(0);
    }
    const std::vector<std::vector<std::int32_t>>& rings() const { return m_rings; }

private:
    void visit(std::int32_t rank)
    {
        for (const std::int32_t number : m_arcsFrom[at(rank)]) {
            const std::int32_t next = m_graph.arcs[at(number)].to;
            m_path.push_back(number);
            if (next == 0 && m_path.size() == static_cast<std::size_t>(m_graph.ranks)) {
                m_rings.push_back(m_path);
            } else if (!m_seen[at(next)]) {
                m_seen[at(next)] = true;
                visit(next);
                m_seen[at(next)] = false;
            }
            m_path.pop_back();
        }
    }

    const TreeGraph& m_graph;
    std::vector<std::vector<std::int32_t>> m_arcsFrom;
    std::vector<bool> m_seen;
    std::vector<std::int32_t> m_path;
    std::vector<std::vector<std::int32_t>> m_rings;
};

} // namespace

std::int64_t packRings(const TreeGraph& graph)
{
    assert(graph.ranks >= 2 && graph.ranks <= 10);
    const RingSearch search(graph);
    std::vector<double> limits;
    for (const TreeGraph::Arc& arc : graph.arcs)
        limits.push_back(static_cast<double>(arc.capacity));
    LinearProgram program(limits);
    for (const std::vector<std::int32_t>& ring : search.rings()) {
        LinearProgram::Column column{1, -1, true, {}};
        for (const std::int32_t arc : ring)
            column.entries.emplace_back(arc, 1.0);
        program.add(std::move(column));
    }
    const LinearProgram::Solution solution = program.maximise(200'000);
    return solution.found ? std::llround(solution.value) : 0;
}

} // namespace fabricscope
