#include "core/draw/platformheat.h"

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
        }
    }
    std::sort(heat.m_listed.begin(), heat.m_listed.end());
    for (std::size_t i = 0; i < dimensions; ++i)
        heat.m_dimension.push_back(links[i] > 0 ? std::max(0.0, busy[i] / links[i] / finish) : 0.0);
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

double PlatformHeat::link(LinkId link, int dim) const
{
    if (!m_dense.empty())
        return link >= 0 && static_cast<std::size_t>(link) < m_dense.size() ? static_cast<double>(m_dense[static_cast<std::size_t>(link)]) : 0.0;
    if (!m_listed.empty()) {
        const auto found = std::lower_bound(m_listed.begin(), m_listed.end(), link, [](const auto& entry, LinkId value) { return entry.first < value; });
        if (found != m_listed.end() && found->first == link)
            return found->second;
    }
    return dimension(dim);
}

} // namespace fabricscope
