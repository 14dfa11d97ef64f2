#include "core/draw/platformheat.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

PlatformHeat PlatformHeat::fromRecord(const Platform& platform, const RunRecord& record)
{
    PlatformHeat heat;
    const double finish = static_cast<double>(std::max<std::int64_t>(record.finish.ps, 1));
    const std::size_t dimensions = std::max<std::size_t>(platform.dimensions().size(), 1);
    std::vector<double> busy(dimensions, 0);
    std::vector<double> links(dimensions, 0);
    for (std::size_t i = 0; i < std::min(record.dimensions.size(), dimensions); ++i) {
        busy[i] = static_cast<double>(record.dimensions[i].busyPs);
        links[i] = static_cast<double>(record.dimensions[i].links);
    }
    // What is listed link by link is taken out of the mean of the others, unless it has a dimension use of its own.
    std::vector<bool> own(record.links.size(), false);
    std::vector<double> allBusy = busy;
    std::vector<double> allLinks = links;
    const std::int64_t certain = record.allLinks || record.links.empty() ? -1 : record.links.back().busyPs;
    heat.m_certain = certain < 0 ? -1 : static_cast<double>(certain) / finish;
    const std::size_t odd = record.dimensions.size() > dimensions ? record.dimensions.size() - dimensions : 0;
    for (std::size_t i = 0; i < record.links.size(); ++i) {
        const LinkUse& use = record.links[i];
        if (use.link < 0 || use.link >= platform.linkCount())
            continue;
        heat.m_listed.emplace_back(use.link, static_cast<double>(use.busyPs) / finish);
        const auto& overrides = platform.spec().linkOverrides;
        own[i] = odd > 0 && std::any_of(overrides.begin(), overrides.end(), [&](const LinkOverride& entry) { return entry.link == use.link; });
        const auto dimension = static_cast<std::size_t>(std::max(platform.linkInfo(use.link).dimension, 0));
        if (!own[i]) {
            busy[dimension] -= static_cast<double>(use.busyPs);
            links[dimension] -= 1;
            if (use.busyPs > certain) {
                allBusy[dimension] -= static_cast<double>(use.busyPs);
                allLinks[dimension] -= 1;
            }
        }
    }
    std::sort(heat.m_listed.begin(), heat.m_listed.end());
    for (std::size_t i = 0; i < dimensions; ++i) {
        heat.m_dimension.push_back(links[i] > 0 ? std::max(0.0, busy[i] / links[i] / finish) : 0.0);
        heat.m_all.push_back(allLinks[i] > 0 ? std::max(0.0, allBusy[i] / allLinks[i] / finish) : 0.0);
    }
    return heat;
}

PlatformHeat PlatformHeat::inWindow(const LinksOverTime& links, const LinksOverTime::Window& window)
{
    PlatformHeat heat;
    heat.m_isMean = true;
    for (std::size_t d = 0; d < links.dimensions(); ++d)
        heat.m_all.push_back(links.share(d, window));
    heat.m_listed.reserve(links.carriers().size());
    for (const LinksOverTime::Carrier& carrier : links.carriers())
        heat.m_listed.emplace_back(carrier.link, heat.m_all[carrier.dimension]);
    if (links.knowsCarriers())
        heat.m_all.assign(heat.m_all.size(), 0);
    heat.m_dimension = heat.m_all;
    return heat;
}

PlatformHeat PlatformHeat::ofLinks(std::vector<float> shares)
{
    PlatformHeat heat;
    heat.m_dense = std::move(shares);
    return heat;
}

double PlatformHeat::dimension(int dimension) const
{
    const auto index = static_cast<std::size_t>(std::max(dimension, 0));
    return index < m_dimension.size() ? m_dimension[index] : 0.0;
}

double PlatformHeat::groupLink(LinkId id, std::size_t dimension) const
{
    if (!m_dense.empty())
        return link(id, static_cast<int>(dimension));
    const auto found = std::lower_bound(m_listed.begin(), m_listed.end(), id, [](const auto& entry, LinkId value) { return entry.first < value; });
    if (found != m_listed.end() && found->first == id && found->second > m_certain)
        return found->second;
    return dimension < m_all.size() ? m_all[dimension] : 0.0;
}

PlatformHeat::Group PlatformHeat::group(const Platform& platform, NodeId first, std::int64_t nodes, int dimension) const
{
    Group group;
    if (empty() || platform.isExplicit())
        return group;
    const std::int64_t samples = std::clamp<std::int64_t>(nodes, 1, 4);
    for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
        const bool inside = nodes > 1 ? platform.stride(d) < nodes && platform.dimensions()[d].size > 1 : static_cast<int>(d) == std::max(dimension, 0);
        if (!inside)
            continue;
        double sum = 0;
        int count = 0;
        for (std::int64_t i = 0; i < samples; ++i) {
            const auto npu = static_cast<NodeId>(std::min<std::int64_t>(first + nodes * i / samples, platform.npuCount() - 1));
            std::optional<LinkId> before;
            for (const RingDirection way : {RingDirection::Plus, RingDirection::Minus}) {
                const std::optional<LinkId> link = platform.ringLink(d, npu, way);
                if (!link || link == before)
                    continue;
                before = link;
                const double share = groupLink(*link, d);
                sum += share;
                ++count;
                group.most = std::max(group.most, share);
            }
        }
        if (count > 0)
            group.mean = std::max(group.mean, sum / count);
    }
    return group;
}

double PlatformHeat::link(LinkId link, int dim) const
{
    if (!m_dense.empty())
        return link >= 0 && static_cast<std::size_t>(link) < m_dense.size() ? static_cast<double>(m_dense[at(link)]) : 0.0;
    if (!m_listed.empty()) {
        const auto found = std::lower_bound(m_listed.begin(), m_listed.end(), link, [](const auto& entry, LinkId value) { return entry.first < value; });
        if (found != m_listed.end() && found->first == link)
            return found->second;
    }
    return dimension(dim);
}

} // namespace fabricscope
