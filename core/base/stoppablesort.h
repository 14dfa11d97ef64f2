#pragma once

#include "core/base/stop.h"

#include <algorithm>
#include <cstddef>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Sorts like std::stable_sort, but looks at the stop token every few milliseconds. False: stopped, the order is undefined.
template <typename T, typename Less>
bool stoppableSort(typename std::vector<T>::iterator begin, typename std::vector<T>::iterator end, const Less& less, const std::stop_token& stop)
{
    constexpr std::size_t kRun = std::size_t{1} << 14;
    const auto count = static_cast<std::size_t>(end - begin);
    const auto at = [begin, count](std::size_t index) { return begin + static_cast<std::ptrdiff_t>(std::min(index, count)); };
    for (std::size_t first = 0; first < count; first += kRun) {
        if (stop.stop_requested())
            return false;
        std::stable_sort(at(first), at(first + kRun), less);
    }
    std::vector<T> merged;
    for (std::size_t width = kRun; width < count; width *= 2) {
        for (std::size_t first = 0; first + width < count; first += 2 * width) {
            if (stop.stop_requested())
                return false;
            const auto middle = at(first + width);
            if (!less(*middle, *(middle - 1)))
                continue; // The two runs are in order as they are.
            merged.resize(static_cast<std::size_t>(at(first + 2 * width) - at(first)));
            std::merge(at(first), middle, middle, at(first + 2 * width), merged.begin(), less);
            std::copy(merged.begin(), merged.end(), at(first));
        }
    }
    return true;
}

/// The same for a whole list. Throws StopRequested.
template <typename T, typename Less>
void sortUntilStopped(std::vector<T>& list, const Less& less, const std::stop_token& stop)
{
    if (!stoppableSort<T>(list.begin(), list.end(), less, stop))
        throw StopRequested{};
}

} // namespace fabricscope
