#include "core/insight/waterfallmean.h"

#include "core/base/stop.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace fabricscope {

namespace {

/// Changes that are made, a bit each.
using MadeChanges = std::uint32_t;

static_assert(DesignChanges::kMost < 32);

MadeChanges withChange(MadeChanges made, std::size_t change)
{
    return made | MadeChanges{1} << change;
}

/// Sums of times of the length of a run over many orders: more than 64 bits hold.
__extension__ using WideSum = __int128;

/// The time of each design that stands between two changes of some order. Nothing: it has none.
using TimesBetween = std::map<MadeChanges, std::optional<SimTime>>;

TimesBetween designsBetween(const std::vector<std::vector<std::size_t>>& orders)
{
    TimesBetween times;
    for (const std::vector<std::size_t>& order : orders) {
        MadeChanges made = 0;
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            made = withChange(made, order[i]);
            times.emplace(made, std::nullopt);
        }
    }
    return times;
}

Status runAllBetween(TimesBetween& times, const DesignChanges& changes, const WaterfallOptions& options, const std::stop_token& stop)
{
    int done = 0;
    for (auto& [made, time] : times) {
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < changes.rows().size(); ++i) {
            if ((made >> i & 1) != 0)
                numbers.push_back(i);
        }
        const Result<DesignBetween> found = runBetween(changes, numbers, options, stop);
        if (!found)
            return found.error();
        time = found.value().finish;
        if (options.progress)
            options.progress(++done, static_cast<int>(times.size()));
    }
    return {};
}

/// What each change is worth, summed over the orders. A change after which there is no time counts with the next after which there is one.
std::vector<WideSum> sumsOver(const std::vector<std::vector<std::size_t>>& orders, const TimesBetween& times, SimTime a, SimTime b, std::size_t count)
{
    std::vector<WideSum> sums(count);
    for (const std::vector<std::size_t>& order : orders) {
        MadeChanges made = 0;
        SimTime at = a;
        for (std::size_t i = 0; i < order.size(); ++i) {
            made = withChange(made, order[i]);
            const std::optional<SimTime> then = i + 1 < order.size() ? times.at(made) : std::optional<SimTime>(b);
            if (!then)
                continue;
            sums[order[i]] += WideSum{then->ps} - at.ps;
            at = *then;
        }
    }
    return sums;
}

/// Whole picoseconds that add up to what the sums do, divided by the orders.
std::vector<std::int64_t> wholeMeans(const std::vector<WideSum>& sums, std::int64_t orders)
{
    std::vector<std::int64_t> means(sums.size());
    std::vector<std::int64_t> rests(sums.size());
    WideSum left = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        WideSum rest = sums[i] % orders;
        if (rest < 0)
            rest += orders;
        means[i] = static_cast<std::int64_t>((sums[i] - rest) / orders);
        rests[i] = static_cast<std::int64_t>(rest);
        left += rest;
    }
    std::vector<std::size_t> largest(sums.size());
    std::iota(largest.begin(), largest.end(), std::size_t{0});
    std::stable_sort(largest.begin(), largest.end(), [&](std::size_t x, std::size_t y) { return rests[x] > rests[y]; });
    for (std::size_t i = 0; i < static_cast<std::size_t>(left / orders); ++i)
        ++means[largest[i]];
    return means;
}

/// One after the other from A on.
void addItems(Waterfall& made, const std::vector<std::int64_t>& means, const std::vector<std::size_t>& order)
{
    SimTime at = made.a;
    for (const std::size_t change : order) {
        made.items.push_back({change, at, {at.ps + means[change]}, true});
        at = made.items.back().to;
    }
}

} // namespace

std::vector<std::vector<std::size_t>> ordersOfMean(std::size_t count)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> orders;
    if (count <= kAllOrders) {
        do {
            orders.push_back(order);
        } while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }
    for (std::size_t i = 0; i < count; ++i) {
        orders.push_back(order);
        orders.emplace_back(order.rbegin(), order.rend());
        std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    return orders;
}

int runsOfMean(std::size_t count)
{
    return static_cast<int>(designsBetween(ordersOfMean(count)).size());
}

Result<Waterfall> meanWaterfall(const DesignChanges& changes, const RunRecord& a, const RunRecord& b, std::vector<std::size_t> order, const WaterfallOptions& options,
                                const std::stop_token& stop)
{
    if (!a.complete || !b.complete)
        return Error{ErrorCode::Stuck, "a simulation that does not finish has no time to compare", {}, {}};
    const std::size_t count = changes.rows().size();
    assert(count <= DesignChanges::kMost);
    if (order.empty()) {
        order.resize(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
    }
    assert(order.size() == count);
    return untilStopped([&]() -> Result<Waterfall> {
        const std::vector<std::vector<std::size_t>> orders = ordersOfMean(count);
        TimesBetween times = designsBetween(orders);
        if (const Status ran = runAllBetween(times, changes, options, stop); !ran)
            return ran.error();
        const auto over = static_cast<std::int64_t>(orders.size());
        const std::vector<std::int64_t> means = wholeMeans(sumsOver(orders, times, a.finish, b.finish, count), over);
        Waterfall result{a.finish, b.finish, {}, {}};
        result.mean.orders = static_cast<int>(over);
        result.mean.all = count <= kAllOrders;
        result.mean.withoutTime = static_cast<int>(std::count_if(times.begin(), times.end(), [](const auto& time) { return !time.second; }));
        addItems(result, means, order);
        return result;
    });
}

Waterfall inOrder(const Waterfall& mean, const std::vector<std::size_t>& order)
{
    assert(mean.mean && order.size() == mean.items.size());
    std::vector<std::int64_t> means(mean.items.size());
    for (const WaterfallItem& item : mean.items)
        means[item.change] = item.delta().ps;
    Waterfall result{mean.a, mean.b, {}, mean.mean};
    addItems(result, means, order);
    return result;
}

} // namespace fabricscope
