#include "core/synthesis/arborescence.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int32_t kNone = -1;

/// Cycles among the chosen arcs: by vertex the number of its cycle, -1 where it is on none.
std::int32_t findCycles(std::int32_t vertices, std::span<const std::int32_t> chosen, std::span<const CostArc> arcs, std::vector<std::int32_t>& cycleOf)
{
    cycleOf.assign(static_cast<std::size_t>(vertices), kNone);
    std::vector<std::int32_t> seenFrom(static_cast<std::size_t>(vertices), kNone);
    std::int32_t cycles = 0;
    for (std::int32_t start = 0; start < vertices; ++start) {
        std::int32_t v = start;
        while (seenFrom[at(v)] == kNone && chosen[at(v)] != kNone) {
            seenFrom[at(v)] = start;
            v = arcs[at(chosen[at(v)])].from;
        }
        if (seenFrom[at(v)] != start || cycleOf[at(v)] != kNone)
            continue;
        for (std::int32_t u = v; cycleOf[at(u)] == kNone; u = arcs[at(chosen[at(u)])].from)
            cycleOf[at(u)] = cycles;
        ++cycles;
    }
    return cycles;
}

} // namespace

std::vector<std::int32_t> leastArborescence(std::int32_t vertices, std::int32_t root, std::span<const CostArc> arcs)
{
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(vertices), kNone);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const CostArc& arc = arcs[i];
        if (arc.to == root || arc.from == arc.to)
            continue;
        std::int32_t& best = chosen[at(arc.to)];
        if (best == kNone || arc.cost < arcs[at(best)].cost)
            best = static_cast<std::int32_t>(i);
    }
    for (std::int32_t v = 0; v < vertices; ++v) {
        if (v != root && chosen[at(v)] == kNone)
            return {};
    }
    std::vector<std::int32_t> cycleOf;
    const std::int32_t cycles = findCycles(vertices, chosen, arcs, cycleOf);
    if (cycles == 0)
        return chosen;

    // Every cycle becomes a vertex; an arc into it costs what it costs more than the arc of the cycle it replaces.
    std::vector<std::int32_t> shrunk(static_cast<std::size_t>(vertices));
    std::int32_t count = cycles;
    for (std::int32_t v = 0; v < vertices; ++v)
        shrunk[at(v)] = cycleOf[at(v)] != kNone ? cycleOf[at(v)] : count++;
    std::vector<CostArc> inner;
    std::vector<std::int32_t> original;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        CostArc arc{shrunk[at(arcs[i].from)], shrunk[at(arcs[i].to)], arcs[i].cost};
        if (arc.from == arc.to)
            continue;
        if (cycleOf[at(arcs[i].to)] != kNone)
            arc.cost -= arcs[at(chosen[at(arcs[i].to)])].cost;
        inner.push_back(arc);
        original.push_back(static_cast<std::int32_t>(i));
    }
    const std::vector<std::int32_t> entering = leastArborescence(count, shrunk[at(root)], inner);
    if (entering.empty())
        return {};
    for (const std::int32_t arc : entering) {
        if (arc == kNone)
            continue;
        const std::int32_t i = original[at(arc)];
        chosen[at(arcs[at(i)].to)] = i;
    }
    return chosen;
}

std::vector<std::int32_t> leastSpanningTree(std::int32_t vertices, std::span<const CostArc> edges)
{
    std::vector<std::int32_t> order(edges.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return edges[at(a)].cost < edges[at(b)].cost; });
    std::vector<std::int32_t> part(static_cast<std::size_t>(vertices));
    std::iota(part.begin(), part.end(), 0);
    const auto find = [&](std::int32_t v) {
        while (part[at(v)] != v) {
            std::int32_t& up = part[at(v)];
            up = part[at(up)];
            v = up;
        }
        return v;
    };
    std::vector<std::int32_t> tree;
    for (const std::int32_t edge : order) {
        const std::int32_t a = find(edges[at(edge)].from);
        const std::int32_t b = find(edges[at(edge)].to);
        if (a == b)
            continue;
        part[at(a)] = b;
        tree.push_back(edge);
    }
    if (static_cast<std::int32_t>(tree.size()) + 1 != vertices)
        return {};
    return tree;
}

} // namespace fabricscope
