#include "core/synthesis/arborescence.h"

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
        while (seenFrom[static_cast<std::size_t>(v)] == kNone && chosen[static_cast<std::size_t>(v)] != kNone) {
            seenFrom[static_cast<std::size_t>(v)] = start;
            v = arcs[static_cast<std::size_t>(chosen[static_cast<std::size_t>(v)])].from;
        }
        if (seenFrom[static_cast<std::size_t>(v)] != start || cycleOf[static_cast<std::size_t>(v)] != kNone)
            continue;
        for (std::int32_t u = v; cycleOf[static_cast<std::size_t>(u)] == kNone; u = arcs[static_cast<std::size_t>(chosen[static_cast<std::size_t>(u)])].from)
            cycleOf[static_cast<std::size_t>(u)] = cycles;
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
        std::int32_t& best = chosen[static_cast<std::size_t>(arc.to)];
        if (best == kNone || arc.cost < arcs[static_cast<std::size_t>(best)].cost)
            best = static_cast<std::int32_t>(i);
    }
    for (std::int32_t v = 0; v < vertices; ++v) {
        if (v != root && chosen[static_cast<std::size_t>(v)] == kNone)
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
        shrunk[static_cast<std::size_t>(v)] = cycleOf[static_cast<std::size_t>(v)] != kNone ? cycleOf[static_cast<std::size_t>(v)] : count++;
    std::vector<CostArc> inner;
    std::vector<std::int32_t> original;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        CostArc arc{shrunk[static_cast<std::size_t>(arcs[i].from)], shrunk[static_cast<std::size_t>(arcs[i].to)], arcs[i].cost};
        if (arc.from == arc.to)
            continue;
        if (cycleOf[static_cast<std::size_t>(arcs[i].to)] != kNone)
            arc.cost -= arcs[static_cast<std::size_t>(chosen[static_cast<std::size_t>(arcs[i].to)])].cost;
        inner.push_back(arc);
        original.push_back(static_cast<std::int32_t>(i));
    }
    const std::vector<std::int32_t> entering = leastArborescence(count, shrunk[static_cast<std::size_t>(root)], inner);
    if (entering.empty())
        return {};
    for (const std::int32_t arc : entering) {
        if (arc == kNone)
            continue;
        const std::int32_t i = original[static_cast<std::size_t>(arc)];
        chosen[static_cast<std::size_t>(arcs[static_cast<std::size_t>(i)].to)] = i;
    }
    return chosen;
}

std::vector<std::int32_t> leastSpanningTree(std::int32_t vertices, std::span<const CostArc> edges)
{
    std::vector<std::int32_t> order(edges.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return edges[static_cast<std::size_t>(a)].cost < edges[static_cast<std::size_t>(b)].cost; });
    std::vector<std::int32_t> part(static_cast<std::size_t>(vertices));
    std::iota(part.begin(), part.end(), 0);
    const auto find = [&](std::int32_t v) {
        while (part[static_cast<std::size_t>(v)] != v) {
            std::int32_t& up = part[static_cast<std::size_t>(v)];
            up = part[static_cast<std::size_t>(up)];
            v = up;
        }
        return v;
    };
    std::vector<std::int32_t> tree;
    for (const std::int32_t edge : order) {
        const std::int32_t a = find(edges[static_cast<std::size_t>(edge)].from);
        const std::int32_t b = find(edges[static_cast<std::size_t>(edge)].to);
        if (a == b)
            continue;
        part[static_cast<std::size_t>(a)] = b;
        tree.push_back(edge);
    }
    if (static_cast<std::int32_t>(tree.size()) + 1 != vertices)
        return {};
    return tree;
}

} // namespace fabricscope
