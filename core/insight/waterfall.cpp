#include "core/insight/waterfall.h"

#include "core/base/stop.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

namespace fabricscope {

namespace {

/// Finish of a design; nothing where it cannot be run, or never ends. Errors: Cancelled, MemoryLimit, Internal.
Result<std::optional<SimTime>> finishOf(LoadedDesign loaded, const WaterfallOptions& options, const std::stop_token& stop)
{
    RunDesignOptions run;
    run.engine = options.engine;
    run.seed = options.seed;
    run.threads = options.threads;
    run.memoryLimit = options.memoryLimit;
    run.taskTimes = false;
    auto result = runDesign(std::make_shared<const Design>(std::move(loaded.design)), loaded.diagnostics, run, stop);
    if (result)
        return result.value()->record().complete ? std::optional<SimTime>(result.value()->record().finish) : std::nullopt;
    const ErrorCode code = result.error().code;
    if (code == ErrorCode::Cancelled || code == ErrorCode::MemoryLimit || code == ErrorCode::Internal)
        return std::move(result).error();
    return std::optional<SimTime>();
}

} // namespace

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
    Waterfall result{a.finish, b.finish, {}};
    return untilStopped([&]() -> Result<Waterfall> {
        const int runs = std::max(static_cast<int>(order.size()) - 1, 0);
        SimTime at = a.finish;
        for (std::size_t i = 0; i < order.size(); ++i) {
            WaterfallItem item{order[i], at, b.finish, true};
            if (i + 1 < order.size()) {
                auto finish = finishOf(changes.applied(std::span(order).first(i + 1), stop), options, stop);
                if (!finish)
                    return std::move(finish).error();
                item.apart = finish.value().has_value();
                item.to = finish.value().value_or(at);
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
