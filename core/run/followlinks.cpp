#include "core/run/followlinks.h"

#include "core/base/outofmemory.h"
#include "core/sim/astra/systemrun.h"
#include "core/sim/events/linkintervals.h"

#include <algorithm>

namespace fabricscope {

bool canFollowLinks(const RunResult& result)
{
    const RunRecord& record = result.record();
    if (record.model == Model::AstraUnaware || !record.complete || record.cutAt || !record.allLinks || record.finish.ps <= 0 || record.links.size() > LinkSeries::kMaxLinks)
        return false;
    std::int64_t crossings = 0;
    for (const LinkUse& link : record.links)
        crossings += std::min(link.messages, kMostCrossings);
    return crossings <= kMostCrossings && result.scenario->structure->workload->taskCount() <= kMostCrossings;
}

Result<LinkSeriesPtr> followLinks(const RunResult& result, std::stop_token stop)
{
    const auto window = LinksOverTime(result.scenario->structure->platform, result.record()).windowAt(SimTime{0});
    if (!window)
        return std::make_shared<const LinkSeries>(); // Nothing is ever busy.
    return catchOutOfMemory([&]() -> Result<LinkSeriesPtr> {
        auto series = std::make_shared<LinkSeries>(window->endPs, result.record().finish.ps);
        const auto add = [&series, end = result.record().finish.ps](LinkId link, std::int64_t from, std::int64_t to, std::int64_t busy) {
            // What the last message leaves behind is after the end.
            if (to <= end)
                series->add(link, from, to, busy);
            else if (from < end)
                series->add(link, from, end, std::min(busy, end - from));
        };
        const bool astra = result.record().model == Model::AstraAware;
        Status status = astra ? tellAstraLinkIntervals(*result.scenario, 0, add, std::move(stop)) : tellLinkIntervals(*result.scenario, result.summary.seed, 0, add, std::move(stop));
        if (!status)
            return std::move(status).error();
        series->share();
        return LinkSeriesPtr(std::move(series));
    });
}

} // namespace fabricscope
