#include "core/insight/waterfall.h"

#include "core/base/stop.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace fabricscope {

Result<DesignBetween> runBetween(const DesignChanges& changes, std::span<const std::size_t> numbers, const WaterfallOptions& options, const std::stop_token& stop)
{
    LoadedDesign loaded = changes.applied(numbers, stop);
    RunDesignOptions run;
    run.engine = options.engine;
    run.seed = options.seed;
    run.threads = options.threads;
    run.memoryLimit = options.memoryLimit;
    run.taskTimes = false;
    auto result = runDesign(std::make_shared<const Design>(std::move(loaded.design)), loaded.diagnostics, run, stop);
    if (result && result.value()->record().complete)
        return DesignBetween{result.value()->record().finish};
    if (result)
        return DesignBetween{std::nullopt, "it never ends"};
    const ErrorCode code = result.error().code;
    if (code == ErrorCode::Cancelled || code == ErrorCode::MemoryLimit || code == ErrorCode::Internal)
        return std::move(result).error();
    return DesignBetween{std::nullopt, result.error().text()};
}

std::vector<std::size_t> orderOf(const DesignChanges& changes, const std::vector<std::string>& fields)
{
    std::vector<std::size_t> order(changes.rows().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto place = [&](std::size_t row) { return std::find(fields.begin(), fields.end(), changes.rows()[row].field) - fields.begin(); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return place(x) < place(y); });
    return order;
}

WaterfallSpan spanOf(const Waterfall& waterfall)
{
    SimTime low = std::min(waterfall.a, waterfall.b);
    SimTime high = std::max(waterfall.a, waterfall.b);
    for (const WaterfallItem& item : waterfall.items) {
        low = std::min(low, item.to);
        high = std::max(high, item.to);
    }
    if (low.ps < 0)
        return {low, high};
    const std::int64_t span = high.ps - low.ps;
    constexpr std::int64_t kSmall = 3;
    return {span * kSmall < low.ps ? SimTime{low.ps - span / 2 - 1} : SimTime{}, high};
}

Result<Waterfall> waterfall(const DesignChanges& changes, const RunRecord& a, const RunRecord& b, std::vector<std::size_t> order, const WaterfallOptions& options,
                            const std::stop_token& stop)
{
    if (!a.complete || !b.complete)
        return Error{ErrorCode::Stuck, "a simulation that does not finish has no time to compare", {}, {}};
    if (order.empty()) {
        order.resize(changes.rows().size());
        std::iota(order.begin(), order.end(), std::size_t{0});
    }
    assert(order.size() == changes.rows().size());
    Waterfall result{a.finish, b.finish, {}, {}};
    return untilStopped([&]() -> Result<Waterfall> {
        const int runs = std::max(static_cast<int>(order.size()) - 1, 0);
        SimTime at = a.finish;
        for (std::size_t i = 0; i < order.size(); ++i) {
            WaterfallItem item{order[i], at, b.finish, true};
            if (i + 1 < order.size()) {
                auto outcome = runBetween(changes, std::span(order).first(i + 1), options, stop);
                if (!outcome)
                    return std::move(outcome).error();
                item.apart = outcome.value().finish.has_value();
                item.why = std::move(outcome.value().why);
                item.to = outcome.value().finish.value_or(at);
                if (options.progress)
                    options.progress(static_cast<int>(i) + 1, runs);
            }
            at = item.to;
            result.items.push_back(item);
        }
        return std::move(result);
    });
}

} // namespace fabricscope
