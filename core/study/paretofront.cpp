#include "core/study/paretofront.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

using FrontRows = std::vector<std::vector<double>>;

/// Two or three columns and the number of the row: sorted, they stand beside each other in memory.
struct FewColumns {
    double first = 0;
    double second = 0;
    double third = 0;
    std::size_t row = 0;
};

/// What is better than a row comes before it.
std::vector<std::size_t> lexicographic(const FrontRows& rows)
{
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] != rows[b] ? rows[a] < rows[b] : a < b; });
    return order;
}

/// A staircase over the second and the third column of what came before: to more of the second belongs less of the third.
class Stairs {
public:
    /// Is something there that is no more in both?
    bool covers(double second, double third) const
    {
        const auto above = m_least.upper_bound(second);
        return above != m_least.begin() && std::prev(above)->second <= third;
    }
    /// \pre nothing covers it
    void add(double second, double third)
    {
        auto next = m_least.insert_or_assign(second, third).first;
        for (++next; next != m_least.end() && next->second >= third;)
            next = m_least.erase(next);
    }

private:
    std::map<double, double> m_least;
};

std::vector<std::size_t> frontOfFew(const FrontRows& rows, const std::stop_token& stop)
{
    const std::size_t columns = rows.front().size();
    std::vector<FewColumns> sorted;
    sorted.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        sorted.push_back({rows[i][0], columns > 1 ? rows[i][1] : 0, columns > 2 ? rows[i][2] : 0, i});
    const auto key = [](const FewColumns& of) { return std::tuple(of.first, of.second, of.third); };
    std::sort(sorted.begin(), sorted.end(), [key](const FewColumns& a, const FewColumns& b) { return key(a) < key(b); });
    Stairs stairs;
    std::vector<std::size_t> front;
    const FewColumns* last = nullptr; // Of the front: equal rows stand side by side.
    for (const FewColumns& of : sorted) {
        checkStop(stop);
        const bool again = last && key(*last) == key(of);
        if (!again && stairs.covers(of.second, of.third))
            continue;
        if (!again)
            stairs.add(of.second, of.third);
        last = &of;
        front.push_back(of.row);
    }
    return front;
}

/// By index, of the rows of one front.
void addRoom(const FrontRows& rows, const std::vector<std::size_t>& front, std::vector<double>& room)
{
    std::vector<std::size_t> order = front;
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
        const auto valueOf = [&](std::size_t i) { return rows[order[i]][column]; };
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::pair(rows[a][column], a) < std::pair(rows[b][column], b); });
        const double span = valueOf(order.size() - 1) - valueOf(0);
        room[order.front()] = std::numeric_limits<double>::infinity();
        room[order.back()] = std::numeric_limits<double>::infinity();
        if (!(span > 0) || !std::isfinite(span))
            continue;
        for (std::size_t i = 1; i + 1 < order.size(); ++i)
            room[order[i]] += (valueOf(i + 1) - valueOf(i - 1)) / span;
    }
}

} // namespace

bool beats(std::span<const double> by, std::span<const double> row)
{
    bool better = false;
    for (std::size_t column = 0; column < row.size(); ++column) {
        if (by[column] > row[column])
            return false;
        better = better || by[column] < row[column];
    }
    return better;
}

std::vector<std::size_t> paretoFront(const std::vector<std::vector<double>>& rows, const std::stop_token& stop)
{
    if (rows.empty() || rows.front().empty())
        return {};
    std::vector<std::size_t> front;
    if (rows.front().size() <= 3) {
        front = frontOfFew(rows, stop);
    } else {
        for (const std::size_t row : lexicographic(rows)) {
            checkStop(stop);
            if (std::none_of(front.begin(), front.end(), [&](std::size_t by) { return beats(rows[by], rows[row]); }))
                front.push_back(row);
        }
    }
    std::sort(front.begin(), front.end());
    return front;
}

std::vector<std::int32_t> frontRanks(const std::vector<std::vector<double>>& rows, const std::stop_token& stop)
{
    std::vector<std::int32_t> ranks(rows.size(), 0);
    if (rows.empty() || rows.front().empty())
        return ranks;
    // With two columns the last of a front has the least in the second.
    const bool few = rows.front().size() <= 2;
    std::vector<std::vector<std::size_t>> fronts;
    for (const std::size_t row : lexicographic(rows)) {
        checkStop(stop);
        const auto hasBetter = [&](const std::vector<std::size_t>& front) {
            return few ? beats(rows[front.back()], rows[row]) : std::any_of(front.rbegin(), front.rend(), [&](std::size_t by) { return beats(rows[by], rows[row]); });
        };
        // What a front beats is beaten by those before it too.
        auto own = std::partition_point(fronts.begin(), fronts.end(), hasBetter);
        if (own == fronts.end())
            own = fronts.insert(own, std::vector<std::size_t>());
        ranks[row] = static_cast<std::int32_t>(own - fronts.begin());
        own->push_back(row);
    }
    return ranks;
}

std::vector<std::size_t> rankedRows(const std::vector<std::vector<double>>& rows, const std::stop_token& stop)
{
    const std::vector<std::int32_t> ranks = frontRanks(rows, stop);
    std::vector<std::vector<std::size_t>> fronts;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        fronts.resize(std::max(fronts.size(), at(ranks[row]) + 1));
        fronts[at(ranks[row])].push_back(row);
    }
    std::vector<double> room(rows.size(), 0);
    std::vector<std::size_t> out;
    for (std::vector<std::size_t>& front : fronts) {
        checkStop(stop);
        addRoom(rows, front, room);
        std::sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) { return room[a] != room[b] ? room[a] > room[b] : a < b; });
        out.insert(out.end(), front.begin(), front.end());
    }
    return out;
}

} // namespace fabricscope
