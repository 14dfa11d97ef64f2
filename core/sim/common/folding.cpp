#include "core/sim/common/folding.h"

#include "core/base/index.h"

namespace fabricscope {

/// By copy of the link or NPU: the port by which the copy of the message comes to it.
std::vector<std::int32_t> Folding::portsAt(const Platform& platform, const Stop& stop) const
{
    std::vector<std::int32_t> ports(at(copies));
    for (const std::int32_t number : copiesOfWay[at(stop.way)]) {
        const Way& way = ways[at(number)];
        const auto taken = linksOf(way);
        const bool ends = stop.hop == way.hops;
        const std::int32_t place = ends ? copyOfNode[at(way.target)] : copyOfLink[at(taken[at(stop.hop)])];
        ports[at(place)] = stop.hop == 0 ? Platform::kOwnInjection : platform.inputPort(taken[at(stop.hop - 1)], ends ? -1 : taken[at(stop.hop)]);
    }
    return ports;
}

std::optional<int> Folding::comparePorts(const Platform& platform, const Stop& a, const Stop& b) const
{
    if (a == b)
        return 0;
    if (copiesOfWay[at(a.way)].empty() || copiesOfWay[at(b.way)].empty())
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
