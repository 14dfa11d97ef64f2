#include "core/platform/npulinks.h"

#include "core/base/index.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

void FastestLinks::keep(std::vector<LinkId>& links, std::size_t begin)
{
    if (links.size() - begin < 2 || !m_platform.isExplicit())
        return;
    const auto first = links.begin() + static_cast<std::ptrdiff_t>(begin);
    m_best.clear();
    for (auto link = first; link != links.end(); ++link)
        m_best.push_back(listedRate(*link));
    if (std::adjacent_find(m_best.begin(), m_best.end(), std::not_equal_to<>()) == m_best.end())
        return;
    std::sort(m_best.begin(), m_best.end(), std::greater<>());
    std::size_t used = 1;
    for (std::size_t count = 2; count <= m_best.size(); ++count) {
        // In real numbers: rates are at most 2^63, and a tie of more than that is none.
        if (static_cast<double>(m_best[count - 1]) * static_cast<double>(count) >= static_cast<double>(m_best[used - 1]) * static_cast<double>(used))
            used = count;
    }
    const std::int64_t least = m_best[used - 1];
    links.erase(std::remove_if(first, links.end(), [&](LinkId link) { return listedRate(link) < least; }), links.end());
}

std::int64_t FastestLinks::listedRate(LinkId link)
{
    if (m_rates.empty()) {
        for (const LinkList::Figures& figures : m_platform.spec().links.figures())
            m_rates.push_back(toBandwidth(figures.bandwidth).bytesPerSecond);
    }
    return m_rates[m_platform.spec().links.figuresOf(at(link))];
}

} // namespace fabricscope
