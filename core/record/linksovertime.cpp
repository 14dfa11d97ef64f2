#include "core/record/linksovertime.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fabricscope {

LinksOverTime::LinksOverTime(const Platform& platform, const RunRecord& record) : m_knowsCarriers(record.allLinks), m_end(record.cutAt.value_or(record.finish).ps)
{
    const std::size_t dimensions = std::max<std::size_t>(platform.dimensions().size(), 1);
    m_links.assign(dimensions, 0);
    if (m_knowsCarriers) {
        for (const LinkUse& link : record.links) {
            if (link.link < 0 || link.link >= platform.linkCount())
                continue;
            const auto dimension = static_cast<std::size_t>(std::max(platform.linkInfo(link.link).dimension, 0));
            m_carriers.push_back({link.link, dimension});
            ++m_links[dimension];
        }
        std::sort(m_carriers.begin(), m_carriers.end(), [](const Carrier& a, const Carrier& b) { return a.link < b.link; });
    }
    bool busy = false;
    for (std::size_t d = 0; d < dimensions; ++d) {
        const DimensionUse none{};
        const DimensionUse& from = d < record.dimensions.size() ? record.dimensions[d] : none;
        if (!m_knowsCarriers)
            m_links[d] = from.links;
        m_lanes.emplace_back(from.busy, std::max<std::int64_t>(from.links, 1));
        busy = busy || from.busyPs > 0;
        m_followed = m_followed || from.busy.total() > 0;
        if (from.busy.total() > 0)
            m_width = std::max(m_width, from.busy.bucketPs());
    }
    m_followed = m_followed || !busy; // Where there is nothing to follow all are idle.
    // Traffic may end long before the run.
    while ((m_end - 1) / m_width >= static_cast<std::int64_t>(BusyPyramid::kBuckets))
        m_width *= 2;
}

std::optional<LinksOverTime::Window> LinksOverTime::windowAt(SimTime time) const
{
    if (!m_followed || m_end <= 0 || time.ps < 0 || time.ps > m_end)
        return std::nullopt;
    const std::int64_t begin = std::min(time.ps, m_end - 1) / m_width * m_width;
    return Window{begin, m_end - begin > m_width ? begin + m_width : m_end};
}

LinksOverTime::Use LinksOverTime::use(std::size_t dimension, const Window& window) const
{
    assert(dimension < m_lanes.size());
    // The last bucket reaches beyond the end of the run; what it has is all from before.
    const std::int64_t end = window.endPs >= m_end ? std::numeric_limits<std::int64_t>::max() : window.endPs;
    return {m_lanes[dimension].busy(window.beginPs, end), m_links[dimension]};
}

double LinksOverTime::share(std::size_t dimension, const Window& window) const
{
    const auto [busyPs, links] = use(dimension, window);
    if (links <= 0 || window.endPs <= window.beginPs)
        return 0;
    return std::clamp(static_cast<double>(busyPs) / (static_cast<double>(links) * static_cast<double>(window.endPs - window.beginPs)), 0.0, 1.0);
}

} // namespace fabricscope
