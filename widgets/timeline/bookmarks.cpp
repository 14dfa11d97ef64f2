#include "widgets/timeline/bookmarks.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

void TimelineBookmarks::set(std::vector<std::int64_t> all)
{
    m_all = std::move(all);
    std::erase_if(m_all, [](std::int64_t ps) { return ps < 0; });
    std::sort(m_all.begin(), m_all.end());
    m_all.erase(std::unique(m_all.begin(), m_all.end()), m_all.end());
    m_all.resize(std::min(m_all.size(), kMost));
}

void TimelineBookmarks::toggle(std::int64_t ps, std::int64_t reachPs)
{
    const auto right = std::lower_bound(m_all.begin(), m_all.end(), ps);
    auto nearest = right;
    if (right != m_all.begin() && (right == m_all.end() || ps - *(right - 1) < *right - ps))
        nearest = right - 1;
    if (nearest != m_all.end() && std::max(*nearest - ps, ps - *nearest) <= reachPs)
        m_all.erase(nearest);
    else if (ps >= 0 && m_all.size() < kMost)
        m_all.insert(right, ps);
}

std::optional<std::int64_t> TimelineBookmarks::after(std::int64_t ps) const
{
    if (m_all.empty())
        return std::nullopt;
    const auto next = std::upper_bound(m_all.begin(), m_all.end(), ps);
    return next == m_all.end() ? m_all.front() : *next;
}

std::optional<std::int64_t> TimelineBookmarks::before(std::int64_t ps) const
{
    if (m_all.empty())
        return std::nullopt;
    const auto here = std::lower_bound(m_all.begin(), m_all.end(), ps);
    return here == m_all.begin() ? m_all.back() : *(here - 1);
}

} // namespace fabricscope
