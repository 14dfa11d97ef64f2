#include "core/hierarchy/products.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope {

namespace {

/// How the NPUs of one line are joined.
enum class Joined { Ring, Line, Full, Switch };

struct Axis {
    Joined joined = Joined::Ring;
    NodeId size = 1;
    NodeId stride = 1;
};

class Product {
public:
    explicit Product(const LevelGraph& graph) : m_graph(graph) {}

    /// Axes from this stride on that make the graph a product; false: there are none.
    bool find(NodeId stride)
    {
        if (stride == m_graph.npus())
            return isWhole();
        for (const Axis& axis : axesFrom(stride)) {
            m_axes.push_back(axis);
            if (find(stride * axis.size))
                return true;
            m_axes.pop_back();
        }
        return false;
    }
    const std::vector<Axis>& axes() const { return m_axes; }

private:
    /// What NPU 0 may be the first of.
    std::vector<Axis> axesFrom(NodeId stride) const
    {
        std::vector<Axis> out;
        const auto fits = [&](NodeId size) { return size > 1 && m_graph.npus() / stride % size == 0; };
        if (m_graph.joins(0, stride)) {
            for (const LevelGraph::Link& link : m_graph.outgoing(0)) {
                const NodeId size = link.to / stride + 1;
                if (!m_graph.isNpu(link.to) || link.to % stride != 0 || !fits(size))
                    continue;
                out.push_back({Joined::Ring, size, stride});
                if (size > 3)
                    out.push_back({Joined::Full, size, stride});
            }
            if (const NodeId size = lineFrom(stride); size > 2 && fits(size) && !m_graph.joins(0, (size - 1) * stride))
                out.push_back({Joined::Line, size, stride});
        }
        for (const LevelGraph::Link& link : m_graph.outgoing(0)) {
            if (m_graph.isNpu(link.to) || !m_graph.joins(link.to, stride))
                continue;
            const auto size = static_cast<NodeId>(m_graph.outgoing(link.to).size());
            if (fits(size))
                out.push_back({Joined::Switch, size, stride});
        }
        return out;
    }

    /// How many NPUs stand behind each other from the first on.
    NodeId lineFrom(NodeId stride) const
    {
        NodeId size = 1;
        while ((size + 1) * stride <= m_graph.npus() && m_graph.joins((size - 1) * stride, size * stride))
            ++size;
        return size;
    }

    /// Links and nodes are those of the axes, none more, and links of an axis alike.
    bool isWhole() const { return hasLinks() && std::all_of(m_axes.begin(), m_axes.end(), [&](const Axis& axis) { return isAlike(axis); }); }

    /// More than three quarters of the links along an axis have one rate: a cube mesh, with single and double links, is no product. In a line all have: a slow one in
    /// the middle parts it into hosts.
    bool isAlike(const Axis& axis) const
    {
        std::map<std::int64_t, std::int64_t> links; // by rate
        std::int64_t all = 0;
        for (NodeId npu = 0; npu < m_graph.npus(); ++npu) {
            checkStop(m_graph.stop());
            const NodeId own = npu / axis.stride % axis.size;
            const NodeId first = npu - own * axis.stride;
            const NodeId centre = axis.joined == Joined::Switch ? switchOf(first, axis) : -1;
            for (const LevelGraph::Link& link : m_graph.outgoing(npu)) {
                const bool along = m_graph.isNpu(link.to) ? axis.joined != Joined::Switch && (link.to - first) % axis.stride == 0 && (link.to - first) / axis.stride < axis.size && link.to >= first
                                                          : link.to == centre;
                if (along) {
                    ++links[link.rate];
                    ++all;
                }
            }
        }
        if (axis.joined == Joined::Line)
            return links.size() == 1;
        return std::any_of(links.begin(), links.end(), [&](const auto& one) { return 4 * one.second > 3 * all; });
    }

    bool hasLinks() const
    {
        std::set<NodeId> switches;
        for (NodeId npu = 0; npu < m_graph.npus(); ++npu) {
            checkStop(m_graph.stop());
            std::vector<NodeId> expected;
            std::vector<NodeId> found;
            for (const LevelGraph::Link& link : m_graph.outgoing(npu)) {
                if (m_graph.isNpu(link.to))
                    found.push_back(link.to);
            }
            std::size_t links = found.size();
            for (const Axis& axis : m_axes) {
                const NodeId own = npu / axis.stride % axis.size;
                const NodeId first = npu - own * axis.stride;
                if (axis.joined == Joined::Switch) {
                    const NodeId centre = switchOf(first, axis);
                    if (centre < 0 || !m_graph.joins(npu, centre) || !m_graph.joins(centre, npu))
                        return false;
                    switches.insert(centre);
                    ++links;
                } else if (axis.joined == Joined::Full) {
                    for (NodeId other = 0; other < axis.size; ++other) {
                        if (other != own)
                            expected.push_back(first + other * axis.stride);
                    }
                } else if (axis.joined == Joined::Line) {
                    if (own > 0)
                        expected.push_back(npu - axis.stride);
                    if (own + 1 < axis.size)
                        expected.push_back(npu + axis.stride);
                } else {
                    expected.push_back(first + (own + 1) % axis.size * axis.stride);
                    if (axis.size > 2)
                        expected.push_back(first + (own + axis.size - 1) % axis.size * axis.stride);
                }
            }
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            if (expected != found || links != m_graph.outgoing(npu).size())
                return false;
        }
        return static_cast<NodeId>(switches.size()) == m_graph.nodes() - m_graph.npus();
    }

    /// The switch of the line that starts at an NPU: it has no other neighbours; -1: there is none.
    NodeId switchOf(NodeId first, const Axis& axis) const
    {
        for (const LevelGraph::Link& link : m_graph.outgoing(first)) {
            if (m_graph.isNpu(link.to) || m_graph.outgoing(link.to).size() != at(axis.size))
                continue;
            bool all = true;
            for (NodeId i = 0; all && i < axis.size; ++i)
                all = m_graph.joins(link.to, first + i * axis.stride);
            if (all)
                return link.to;
        }
        return -1;
    }

    const LevelGraph& m_graph;
    std::vector<Axis> m_axes;
};

} // namespace

ProductAxes productAxes(const LevelGraph& graph)
{
    ProductAxes out;
    Product product(graph);
    if (graph.npus() < 2 || !product.find(1))
        return out;
    for (const Axis& axis : product.axes()) {
        out.axes.push_back({"dimension " + std::to_string(out.axes.size()), axis.size});
        out.open = out.open || axis.joined == Joined::Line;
    }
    return out;
}

} // namespace fabricscope
