#pragma once

#include "core/platform/platform.h"

#include <string>
#include <vector>

// Fabrics written out as nodes and links, ports in order, for tests of ways. Independent of every generator of the program.
namespace fabricscope::test {

/// Nodes get numbers in the order they are added, and ports in the order of cables: NPUs first.
class GraphBuilder {
public:
    NodeId add(NodeKind kind)
    {
        m_spec.nodes.push_back({(kind == NodeKind::Npu ? "n" : "s") + std::to_string(m_spec.nodes.size()), kind});
        return static_cast<NodeId>(m_spec.nodes.size() - 1);
    }
    std::vector<NodeId> add(NodeKind kind, int count)
    {
        std::vector<NodeId> nodes;
        for (int i = 0; i < count; ++i)
            nodes.push_back(add(kind));
        return nodes;
    }
    void cable(NodeId a, NodeId b)
    {
        m_spec.links.push_back({a, b, {50, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
        m_spec.links.push_back({b, a, {50, "GB/s", Measure::Bandwidth}, {500, "ns", Measure::Time}});
    }
    PlatformSpec take() { return std::move(m_spec); }

private:
    PlatformSpec m_spec;
};

/// `leaves` of `down` NPUs and `up` cables each to `spines`; spines divide up, port j goes to spine j / (up / spines).
inline PlatformSpec leafSpine(int leaves, int down, int spines, int up)
{
    GraphBuilder graph;
    const auto npus = graph.add(NodeKind::Npu, leaves * down);
    const auto leaf = graph.add(NodeKind::Switch, leaves);
    const auto spine = graph.add(NodeKind::Switch, spines);
    for (int l = 0; l < leaves; ++l) {
        for (int i = 0; i < down; ++i)
            graph.cable(npus[static_cast<std::size_t>(l * down + i)], leaf[static_cast<std::size_t>(l)]);
        for (int j = 0; j < up; ++j)
            graph.cable(leaf[static_cast<std::size_t>(l)], spine[static_cast<std::size_t>(j / (up / spines))]);
    }
    return graph.take();
}

/// Al-Fares: k pods of k/2 edges and k/2 aggregates, (k/2)^2 cores, k/2 NPUs an edge; aggregate a's up-port j leads to core a k/2 + j.
inline PlatformSpec fatTree(int k)
{
    GraphBuilder graph;
    const int half = k / 2;
    const auto npus = graph.add(NodeKind::Npu, k * half * half);
    const auto edge = graph.add(NodeKind::Switch, k * half);
    const auto aggregate = graph.add(NodeKind::Switch, k * half);
    const auto core = graph.add(NodeKind::Switch, half * half);
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    for (int e = 0; e < k * half; ++e) {
        for (int i = 0; i < half; ++i)
            graph.cable(npus[at(e * half + i)], edge[at(e)]);
    }
    for (int e = 0; e < k * half; ++e) {
        for (int a = 0; a < half; ++a)
            graph.cable(edge[at(e)], aggregate[at(e / half * half + a)]);
    }
    for (int a = 0; a < k * half; ++a) {
        for (int j = 0; j < half; ++j)
            graph.cable(aggregate[at(a)], core[at(a % half * half + j)]);
    }
    return graph.take();
}

/// Rail-optimised pod, joined: hosts of `rails` NPUs under one switch, a leaf for each unit and rail, `up` cables of a leaf to `spines`.
inline PlatformSpec railPod(int units, int hosts, int rails, int spines, int up)
{
    GraphBuilder graph;
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const auto npus = graph.add(NodeKind::Npu, units * hosts * rails);
    const auto inside = graph.add(NodeKind::Switch, units * hosts);
    const auto leaf = graph.add(NodeKind::Switch, units * rails);
    const auto spine = graph.add(NodeKind::Switch, spines);
    for (int host = 0; host < units * hosts; ++host) {
        for (int rail = 0; rail < rails; ++rail) {
            graph.cable(npus[at(host * rails + rail)], inside[at(host)]);
            graph.cable(npus[at(host * rails + rail)], leaf[at(host / hosts * rails + rail)]);
        }
    }
    for (int l = 0; l < units * rails; ++l) {
        for (int j = 0; j < up; ++j)
            graph.cable(leaf[at(l)], spine[at(j / (up / spines))]);
    }
    return graph.take();
}

} // namespace fabricscope::test
