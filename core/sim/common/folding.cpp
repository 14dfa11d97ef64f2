#include "core/sim/common/folding.h"

#include "core/base/index.h"

namespace fabricscope {

/// By copy of the link or NPU: the port by which the copy of the message comes to it.
std::vector<std::int32_t> Folding::portsAt(const Platform& platform, const Stop& stop) const
{
    std::vector<std::int32_t> ports(at(copies));
    const Way& first = ways[at(stop.way)];
    const bool ends = stop.hop == first.hops;
    std::vector<LinkId> way;
    for (std::int32_t number = 0; number < copies; ++number) {
        const NodeId target = copiedWay(first.kind, first.rank, number, way);
        const std::int32_t place = ends ? copyOfNode[at(target)] : copyOfLink[at(way[at(stop.hop)])];
        ports[at(place)] = stop.hop == 0 ? Platform::kOwnInjection : platform.inputPort(way[at(stop.hop - 1)], ends ? -1 : way[at(stop.hop)]);
    }
    return ports;
}

NodeId Folding::copiedWay(std::int32_t kind, std::int32_t rank, std::int32_t number, std::vector<LinkId>& way) const
{
    const std::int32_t copy = copyOf(rank, number);
    const NodeId target = nodeOf(targets[at(kind)][at(copy)]);
    way.clear();
    route(nodeOf(copy), target, way);
    return target;
}

std::optional<int> Folding::comparePorts(const Platform& platform, const Stop& a, const Stop& b) const
{
    if (a == b)
        return 0;
    if (!ways[at(a.way)].sameCopies || !ways[at(b.way)].sameCopies)
        return std::nullopt;
    const auto [known, added] = m_compared.try_emplace({a, b});
    if (!added)
        return known->second;
    const std::vector<std::int32_t> first = portsAt(platform, a);
    const std::vector<std::int32_t> second = portsAt(platform, b);
    const auto order = [&](std::size_t copy) { return first[copy] < second[copy] ? -1 : (first[copy] > second[copy] ? 1 : 0); };
    known->second = order(0);
    for (std::size_t copy = 1; copy < first.size() && known->second; ++copy) {
        if (order(copy) != *known->second)
            known->second = std::nullopt;
    }
    return known->second;
}

} // namespace fabricscope
