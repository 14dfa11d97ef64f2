#include "core/sim/events/linkintervals.h"

#include "core/sim/events/engine.h"

#include <optional>

namespace fabricscope {

Status tellLinkIntervals(const Scenario& scenario, std::uint64_t seed, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop)
{
    std::vector<events::BusyInterval> intervals;
    std::optional<events::Engine> engine;
    const auto handOver = [&] {
        for (const events::BusyInterval& interval : intervals) {
            if (interval.begin < interval.end) // A link begins with an interval of nothing.
                tell(engine->routes.linkIds()[at(interval.link)], interval.begin, interval.end, interval.busy);
        }
        intervals.clear();
    };
    RunOptions options;
    options.seed = seed;
    options.taskTimes = false;
    options.memoryLimit = memoryLimit;
    options.message = [&](const MessageRecord&) { handOver(); }; // So that they need no memory; and with a listener every message is followed.
    engine.emplace(scenario, options);
    engine->network.keepIntervals(intervals);
    if (Status status = engine->build(stop); !status)
        return status;
    if (Status status = engine->run(stop); !status)
        return status;
    engine->network.endIntervals();
    handOver();
    return {};
}

} // namespace fabricscope
