#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace fabricscope {

/// The designs of a grid by their number: the first dimension varies slowest.
struct SearchGrid {
    struct Dimension {
        std::int64_t size = 1;
        bool ordered = true; ///< Neighbours are alike: numbers, not words.
    };
    std::vector<Dimension> dimensions;

    std::int64_t count() const; ///< \pre fits into 63 bits
    std::vector<std::int64_t> placesOf(std::int64_t number) const;
    std::int64_t numberOf(const std::vector<std::int64_t>& places) const;
};

/// What came out of a design.
struct SearchAnswer {
    std::int64_t number = 0;
    std::vector<double> values; ///< Less is better.
    bool feasible = true;       ///< Else it is behind all that are; `values` are not looked at.
};

/// Says which designs to look at. Depends on the seed and the answers alone, so neither on threads nor on what is known already.
class DesignSearch {
public:
    virtual ~DesignSearch() = default;
    /// Some designs, none that was asked for before; none: all have been. \pre all that was asked for is answered
    virtual std::vector<std::int64_t> ask() = 0;
    /// In the order of ask().
    virtual void tell(const std::vector<SearchAnswer>& answers) = 0;
};

/// NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002) on whole numbers: tournaments by front and room, parameters from either parent or between both, steps of 1, 2, 3 and on with
/// 1/2, 1/4, 1/8 and on. Designs that were asked for are not asked for again; where no new one is found, others are drawn, so that a small grid is seen whole. In geneticsearch.cpp.
/// \pre population > 1
std::unique_ptr<DesignSearch> makeGeneticSearch(SearchGrid grid, std::uint64_t seed, std::int64_t population);

/// Pareto local search (Paquete, Chiarandini, Stützle 2004): all designs one step away from one that no other beats, until there is none whose neighbours are not known; then
/// again from others that are drawn. In neighboursearch.cpp.
std::unique_ptr<DesignSearch> makeNeighbourSearch(SearchGrid grid, std::uint64_t seed);

/// Designs that have not been asked for, drawn from a seed.
class UnseenDesigns {
public:
    UnseenDesigns(const SearchGrid& grid, std::uint64_t seed) : m_count(grid.count()), m_seed(seed) {}

    std::uint64_t draw();                       ///< 64 bits.
    std::int64_t below(std::int64_t end);       ///< \pre end > 0
    /// True: it was not seen before.
    bool take(std::int64_t number) { return m_seen.insert(number).second; }
    /// Appends up to `count` that were not seen before, fewer where there are no more.
    void addDrawn(std::int64_t count, std::vector<std::int64_t>& numbers);

private:
    std::int64_t m_count;
    std::uint64_t m_seed;
    std::int64_t m_draws = 0;
    std::int64_t m_next = 0; ///< All before it have been seen.
    std::unordered_set<std::int64_t> m_seen;
};

} // namespace fabricscope
