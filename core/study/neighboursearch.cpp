#include "core/study/designsearch.h"
#include "core/study/paretofront.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kStarts = 8; ///< Drawn at once.

class NeighbourSearch : public DesignSearch {
public:
    NeighbourSearch(SearchGrid grid, std::uint64_t seed) : m_grid(std::move(grid)), m_unseen(m_grid, seed) {}

    std::vector<std::int64_t> ask() override
    {
        std::vector<std::int64_t> numbers;
        // The last that came beats most of the others' neighbours.
        for (auto member = m_best.rbegin(); member != m_best.rend(); ++member) {
            if (std::exchange(member->known, true))
                continue;
            addNeighbours(member->answer.number, numbers);
            if (!numbers.empty())
                return numbers;
        }
        m_best.clear();
        m_unseen.addDrawn(kStarts, numbers);
        return numbers;
    }

    void tell(const std::vector<SearchAnswer>& answers) override
    {
        for (const SearchAnswer& answer : answers) {
            if (!answer.feasible || std::any_of(m_best.begin(), m_best.end(), [&](const NeighbourMember& member) { return beats(member.answer.values, answer.values); }))
                continue;
            std::erase_if(m_best, [&](const NeighbourMember& member) { return beats(answer.values, member.answer.values); });
            m_best.push_back({answer, false});
        }
    }

private:
    struct NeighbourMember {
        SearchAnswer answer;
        bool known = false; ///< Its neighbours have been asked for.
    };

    /// Of one parameter what is 1, 2, 4 and so on away where values have an order, else all others.
    void addNeighbours(std::int64_t number, std::vector<std::int64_t>& numbers)
    {
        const std::vector<std::int64_t> places = m_grid.placesOf(number);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const SearchGrid::Dimension& dimension = m_grid.dimensions[i];
            for (std::int64_t step = 1; step < dimension.size; step = dimension.ordered ? 2 * step : step + 1) {
                for (const std::int64_t place : {places[i] - step, places[i] + step}) {
                    std::vector<std::int64_t> beside = places;
                    beside[i] = place;
                    if (place >= 0 && place < dimension.size && m_unseen.take(m_grid.numberOf(beside)))
                        numbers.push_back(m_grid.numberOf(beside));
                }
            }
        }
    }

    SearchGrid m_grid;
    UnseenDesigns m_unseen;
    std::vector<NeighbourMember> m_best; ///< Since the last start; none beats another.
};

} // namespace

std::unique_ptr<DesignSearch> makeNeighbourSearch(SearchGrid grid, std::uint64_t seed)
{
    return std::make_unique<NeighbourSearch>(std::move(grid), seed);
}

} // namespace fabricscope
