#include "core/base/index.h"
#include "core/study/designsearch.h"
#include "core/study/paretofront.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fabricscope {

namespace {

class GeneticSearch : public DesignSearch {
public:
    GeneticSearch(SearchGrid grid, std::uint64_t seed, std::int64_t population) : m_grid(std::move(grid)), m_unseen(m_grid, seed), m_population(population) {}

    std::vector<std::int64_t> ask() override
    {
        std::vector<std::int64_t> numbers;
        constexpr std::int64_t kTries = 8; // For each child: most of those of parents that are alike have been seen.
        for (std::int64_t i = 0; !m_parents.empty() && i < kTries * m_population && std::ssize(numbers) < m_population; ++i) {
            const std::int64_t child = m_grid.numberOf(changed(crossed(chosen(), chosen())));
            if (m_unseen.take(child))
                numbers.push_back(child);
        }
        m_unseen.addDrawn(m_population - std::ssize(numbers), numbers);
        return numbers;
    }

    void tell(const std::vector<SearchAnswer>& answers) override
    {
        m_parents.insert(m_parents.end(), answers.begin(), answers.end());
        std::vector<SearchAnswer> infeasible;
        std::vector<SearchAnswer> feasible;
        for (SearchAnswer& answer : m_parents)
            (answer.feasible ? feasible : infeasible).push_back(std::move(answer));
        std::vector<std::vector<double>> rows;
        for (const SearchAnswer& answer : feasible)
            rows.push_back(answer.values);
        m_parents.clear();
        for (const std::size_t row : rankedRows(rows))
            m_parents.push_back(std::move(feasible[row]));
        m_parents.insert(m_parents.end(), infeasible.begin(), infeasible.end());
        m_parents.resize(std::min(m_parents.size(), at(m_population)));
    }

private:
    using Places = std::vector<std::int64_t>;

    /// The better of two; parents stand by rank.
    Places chosen()
    {
        const std::int64_t first = m_unseen.below(std::ssize(m_parents));
        const std::int64_t second = m_unseen.below(std::ssize(m_parents));
        return m_grid.placesOf(m_parents[at(std::min(first, second))].number);
    }

    Places crossed(const Places& one, const Places& other)
    {
        constexpr std::uint64_t kCopies = 10; // One in ten.
        Places child = one;
        if (m_unseen.draw() % kCopies == 0)
            return child;
        for (std::size_t i = 0; i < child.size(); ++i) {
            const std::uint64_t how = m_unseen.draw() % 4;
            if (how == 0 && m_grid.dimensions[i].ordered)
                child[i] = std::min(one[i], other[i]) + m_unseen.below(std::max(one[i], other[i]) - std::min(one[i], other[i]) + 1);
            else if (how % 2 == 1)
                child[i] = other[i];
        }
        return child;
    }

    /// One parameter on average.
    Places changed(Places places)
    {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::int64_t size = m_grid.dimensions[i].size;
            if (m_unseen.below(std::ssize(places)) != 0 || size < 2)
                continue;
            const std::uint64_t how = m_unseen.draw();
            if (m_grid.dimensions[i].ordered && how % 4 != 0) {
                const std::int64_t step = 1 + std::countr_one(how >> 3);
                places[i] = std::clamp<std::int64_t>(places[i] + (how & 4 ? step : -step), 0, size - 1);
            } else {
                places[i] = (places[i] + 1 + m_unseen.below(size - 1)) % size;
            }
        }
        return places;
    }

    SearchGrid m_grid;
    UnseenDesigns m_unseen;
    std::int64_t m_population;
    std::vector<SearchAnswer> m_parents; ///< The best first.
};

} // namespace

std::unique_ptr<DesignSearch> makeGeneticSearch(SearchGrid grid, std::uint64_t seed, std::int64_t population)
{
    return std::make_unique<GeneticSearch>(std::move(grid), seed, population);
}

} // namespace fabricscope
