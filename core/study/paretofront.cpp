#include "core/study/paretofront.h"

#include "core/base/stop.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

std::vector<std::size_t> paretoFront(const std::vector<std::vector<double>>& rows, const std::stop_token& stop)
{
    if (rows.empty() || rows.front().empty())
        return {};
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // What is better than a row comes before it.
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] != rows[b] ? rows[a] < rows[b] : a < b; });
    const auto isBeaten = [&](std::size_t by, std::size_t row) {
        bool worse = false;
        for (std::size_t column = 0; column < rows[row].size(); ++column) {
            if (rows[by][column] > rows[row][column])
                return false;
            worse = worse || rows[by][column] < rows[row][column];
        }
        return worse;
    };
    const bool few = rows.front().size() <= 2;
    std::vector<std::size_t> front;
    for (const std::size_t row : order) {
        checkStop(stop);
        // With two columns the last of the front has the least in the second.
        const bool beaten = few ? !front.empty() && isBeaten(front.back(), row) : std::any_of(front.begin(), front.end(), [&](std::size_t by) { return isBeaten(by, row); });
        if (!beaten)
            front.push_back(row);
    }
    std::sort(front.begin(), front.end());
    return front;
}

} // namespace fabricscope
