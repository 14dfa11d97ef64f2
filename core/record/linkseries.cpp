#include "core/record/linkseries.h"

#include "core/base/index.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace fabricscope {

LinkSeries::LinkSeries(std::int64_t widthPs, std::int64_t endPs) : m_width(widthPs), m_windows(endPs > 0 ? at((endPs - 1) / widthPs + 1) : 0)
{
    assert(widthPs > 0 && m_windows <= BusyPyramid::kBuckets);
}

void LinkSeries::add(LinkId link, std::int64_t beginPs, std::int64_t endPs, std::int64_t busyPs)
{
    assert(beginPs >= 0 && beginPs <= endPs && (endPs == beginPs || at((endPs - 1) / m_width) < m_windows));
    if (beginPs == endPs || busyPs == 0)
        return;
    const auto [found, isNew] = m_seriesOf.try_emplace(link, m_series.size());
    if (isNew)
        m_series.emplace_back(m_windows, 0);
    std::vector<std::int64_t>& series = m_series[found->second];
    __extension__ using Wide = __int128;
    const auto busyUntil = [&](std::int64_t ps) { return static_cast<std::int64_t>(Wide{ps - beginPs} * busyPs / (endPs - beginPs)); };
    std::int64_t counted = 0;
    for (std::int64_t window = beginPs / m_width; window <= (endPs - 1) / m_width; ++window) {
        const std::int64_t low = window * m_width;
        const std::int64_t until = busyUntil(endPs - low <= m_width ? endPs : low + m_width);
        series[at(window)] += until - counted;
        counted = until;
    }
}

void LinkSeries::share()
{
    std::map<std::vector<std::int64_t>, std::size_t> kinds;
    std::vector<std::size_t> kindOf;
    kindOf.reserve(m_series.size());
    for (std::vector<std::int64_t>& series : m_series)
        kindOf.push_back(kinds.try_emplace(std::move(series), kinds.size()).first->second);
    m_series.assign(kinds.size(), {});
    while (!kinds.empty()) {
        auto kind = kinds.extract(kinds.begin());
        m_series[kind.mapped()] = std::move(kind.key());
    }
    for (auto& [link, series] : m_seriesOf)
        series = kindOf[series];
}

std::span<const std::int64_t> LinkSeries::busyOf(LinkId link) const
{
    const auto found = m_seriesOf.find(link);
    return found != m_seriesOf.end() ? std::span<const std::int64_t>(m_series[found->second]) : std::span<const std::int64_t>();
}

std::vector<float> LinkSeries::shares(const LinksOverTime::Window& window, std::int64_t linkCount) const
{
    std::vector<float> shares(at(linkCount), 0);
    const auto number = at(window.beginPs / m_width);
    if (number >= m_windows || window.endPs <= window.beginPs)
        return shares;
    for (const auto& [link, series] : m_seriesOf) {
        const double busy = static_cast<double>(m_series[series][number]) / static_cast<double>(window.endPs - window.beginPs);
        if (link >= 0 && link < linkCount)
            shares[at(link)] = static_cast<float>(std::min(busy, 1.0));
    }
    return shares;
}

} // namespace fabricscope
