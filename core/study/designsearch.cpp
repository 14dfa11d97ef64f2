#include "core/study/designsearch.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"

#include <algorithm>

namespace fabricscope {

std::int64_t SearchGrid::count() const
{
    std::int64_t count = 1;
    for (const Dimension& dimension : dimensions)
        count *= dimension.size;
    return count;
}

std::vector<std::int64_t> SearchGrid::placesOf(std::int64_t number) const
{
    std::vector<std::int64_t> places(dimensions.size());
    for (std::size_t i = dimensions.size(); i-- > 0; number /= dimensions[i].size)
        places[i] = number % dimensions[i].size;
    return places;
}

std::int64_t SearchGrid::numberOf(const std::vector<std::int64_t>& places) const
{
    std::int64_t number = 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
        number = number * dimensions[i].size + places[i];
    return number;
}

std::uint64_t UnseenDesigns::draw()
{
    return seededHash(m_seed, {m_draws++});
}

std::int64_t UnseenDesigns::below(std::int64_t end)
{
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(end));
}

void UnseenDesigns::addDrawn(std::int64_t count, std::vector<std::int64_t>& numbers)
{
    constexpr int kDraws = 32; // A grid that is nearly seen is gone through in order.
    for (std::int64_t i = 0; i < count && static_cast<std::int64_t>(m_seen.size()) < m_count; ++i) {
        std::int64_t number = below(m_count);
        for (int tries = 1; tries < kDraws && m_seen.contains(number); ++tries)
            number = below(m_count);
        if (m_seen.contains(number)) {
            while (m_seen.contains(m_next))
                ++m_next;
            number = m_next;
        }
        m_seen.insert(number);
        numbers.push_back(number);
    }
}

} // namespace fabricscope
