#include "core/base/kendall.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fabricscope {

namespace {

using Pairs = std::vector<std::pair<double, double>>;

/// Pairs of places with equal keys in a row that is in order. All are whole numbers below 2^53.
template <class Equal>
double pairsWithin(const Pairs& sorted, Equal equal)
{
    double sum = 0;
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() && equal(sorted[begin], sorted[end]))
            ++end;
        const auto count = static_cast<double>(end - begin);
        sum += count * (count - 1) / 2;
    }
    return sum;
}

/// Puts a part in the order of its seconds; how many pairs stood the wrong way round.
double inversions(Pairs& pairs, Pairs& room, std::size_t begin, std::size_t end)
{
    if (end - begin < 2)
        return 0;
    const std::size_t middle = begin + (end - begin) / 2;
    double sum = inversions(pairs, room, begin, middle) + inversions(pairs, room, middle, end);
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t at = begin; at < end; ++at) {
        const bool fromRight = left == middle || (right < end && pairs[right].second < pairs[left].second);
        if (fromRight)
            sum += static_cast<double>(middle - left);
        room[at] = fromRight ? pairs[right++] : pairs[left++];
    }
    std::copy(room.begin() + static_cast<std::ptrdiff_t>(begin), room.begin() + static_cast<std::ptrdiff_t>(end), pairs.begin() + static_cast<std::ptrdiff_t>(begin));
    return sum;
}

} // namespace

std::optional<double> kendallTau(const std::vector<std::pair<double, double>>& pairs)
{
    // W. R. Knight, 1966: in the order of the firsts, pairs that are turned round are what sorting by the seconds moves past each other.
    Pairs sorted = pairs;
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<double>(sorted.size());
    const double all = count * (count - 1) / 2;
    const double tiedFirst = pairsWithin(sorted, [](const auto& a, const auto& b) { return a.first == b.first; });
    const double tiedBoth = pairsWithin(sorted, [](const auto& a, const auto& b) { return a == b; });
    Pairs room(sorted.size());
    const double turned = inversions(sorted, room, 0, sorted.size());
    const double tiedSecond = pairsWithin(sorted, [](const auto& a, const auto& b) { return a.second == b.second; });
    const double untiedFirst = all - tiedFirst;
    const double untiedSecond = all - tiedSecond;
    const double order = all - tiedFirst - tiedSecond + tiedBoth - 2 * turned;
    return untiedFirst > 0 && untiedSecond > 0 ? std::optional(order / std::sqrt(untiedFirst * untiedSecond)) : std::nullopt;
}

} // namespace fabricscope
