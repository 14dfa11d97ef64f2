#include "core/sim/sweep/linktotals.h"

#include <algorithm>

namespace fabricscope::sweep {

namespace {

bool busier(const LinkUse& a, const LinkUse& b)
{
    return a.busyPs != b.busyPs ? a.busyPs > b.busyPs : a.link < b.link;
}

void keepBusiest(std::vector<LinkUse>& links, std::size_t count)
{
    if (links.size() <= count)
        return;
    std::nth_element(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count), links.end(), busier);
    links.resize(count);
}

} // namespace

LinkTotals::LinkTotals(const Platform& platform, const SweepOptions& options)
    : m_platform(platform)
    , m_options(options)
    , m_keepsAll(options.mostLinks >= SIZE_MAX / 4)
    , m_dimensions(platform.isExplicit() ? 1 : platform.dimensions().size())
{
}

void LinkTotals::add(LinkId link, std::int64_t messages, std::int64_t bytes, std::int64_t busy)
{
    DimensionUse& use = m_dimensions[m_platform.isExplicit() ? 0 : static_cast<std::size_t>(m_platform.linkInfo(link).dimension)];
    use.messages += messages;
    use.bytes += bytes;
    use.busyPs += busy;
    use.peakLinkPs = std::max(use.peakLinkPs, busy);
    ++m_used;
    if (!m_options.links)
        return;
    m_links.push_back({link, messages, bytes, busy});
    if (!m_keepsAll && m_links.size() >= 2 * m_options.mostLinks + 2)
        keepBusiest(m_links, m_options.mostLinks);
}

void LinkTotals::moveTo(CollectiveOutcome& outcome)
{
    if (m_keepsAll) {
        std::sort(m_links.begin(), m_links.end(), [](const LinkUse& a, const LinkUse& b) { return a.link < b.link; });
    } else {
        keepBusiest(m_links, m_options.mostLinks);
        std::sort(m_links.begin(), m_links.end(), busier);
    }
    outcome.links = std::move(m_links);
    outcome.usedLinks = m_used;
    outcome.dimensions = std::move(m_dimensions);
}

} // namespace fabricscope::sweep
