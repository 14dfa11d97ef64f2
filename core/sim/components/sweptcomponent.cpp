#include "core/sim/components/sweptcomponent.h"

#include "core/base/index.h"
#include "core/sim/components/runcomponent.h"
#include "core/sim/sweep/sweep.h"

#include <algorithm>
#include <tuple>

namespace fabricscope::events {

bool sweepsAlone(const EngineState& state, const Run& run)
{
    // With blocks of a multiple of 32 bytes every piece has at least 32, which take at least 1 ps up to 32 B/ps.
    constexpr std::int64_t kGrain = 32;
    const std::int64_t blocks = std::int64_t{run.plan->program->chunks} * run.plan->cells;
    const bool coarse = run.def->bytes % (blocks * kGrain) == 0 && state.pieceBytes % kGrain == 0;
    const std::int64_t fastest = kPsPerSecond * (coarse ? kGrain : 1);
    const auto isFast = [&](std::int64_t bytesPerSecond) { return bytesPerSecond > fastest; };
    if (run.plan->operations || std::any_of(state.params.linkRate.begin(), state.params.linkRate.end(), [&](Bandwidth rate) { return isFast(rate.bytesPerSecond); }))
        return false;
    for (const NodeId node : run.plan->nodes) {
        if (isFast(state.network.endpoints()[at(node)].reducerRate))
            return false;
    }
    return bool(sweepApplies(state.scenario, run.instance));
}

Result<CollectiveAnswerPtr> sweepAnswer(const EngineState& state, const Run& run, const GroupPlaces& places, std::span<const std::int64_t> entries,
                                        bool records, bool busy, const std::stop_token& stop)
{
    auto answer = std::make_shared<CollectiveAnswer>();
    std::unordered_map<LinkId, std::int32_t> placeOf;
    for (std::size_t place = 0; place < places.links.size(); ++place)
        placeOf.emplace(state.routes.linkIds()[at(places.links[place])], static_cast<std::int32_t>(place));
    std::vector<std::pair<std::int64_t, std::int64_t>> spans(places.links.size(), {INT64_MAX, 0}); // First and last work.
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> intervals(state.network.busy().size());

    SweepOptions options;
    if (state.options.memoryLimit > 0)
        options.memoryLimit = state.options.memoryLimit;
    if (records) {
        options.message = [&](MessageRecord record) {
            record.source = run.plan->positionOf(record.source);
            record.target = run.plan->positionOf(record.target);
            answer->records.push_back(record);
        };
    }
    options.linkEnd = [&](LinkId link, std::int32_t position, std::int64_t end) { // Nobody sends before entering.
        auto& span = spans[at(placeOf.at(link))];
        span = {std::min(span.first, entries[at(position)]), std::max(span.second, end)};
    };
    if (busy) {
        options.busy = [&](LinkId link, std::int64_t begin, std::int64_t end) {
            const auto place = static_cast<std::size_t>(placeOf.at(link));
            intervals[at(state.network.links()[at(places.links[place])].dimension)].emplace_back(begin, end);
        };
    }
    Result<std::optional<CollectiveOutcome>> made = sweepCollective(state.scenario, run.instance, entries, options, stop);
    if (!made)
        return made.error();
    if (!made.value())
        return CollectiveAnswerPtr();
    CollectiveOutcome& outcome = *made.value();
    answer->by = AnsweredBy::Sweep;
    answer->exits = std::move(outcome.exitPs);
    answer->messages = answer->events = answer->pieces = outcome.messages;
    answer->refusal = refusalOf(entries, answer->exits);
    for (const LinkUse& use : outcome.links) {
        CollectiveAnswer::LinkWork work;
        work.place = placeOf.at(use.link);
        work.messages = use.messages;
        work.bytes = use.bytes;
        work.busy = use.busyPs;
        std::tie(work.first, work.end) = spans[at(work.place)];
        answer->links.push_back(work);
    }
    std::sort(answer->links.begin(), answer->links.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    const bool reduces = std::any_of(run.plan->phases.begin(), run.plan->phases.end(), [](const PhasePlan& phase) { return phase.reduceBuffers > 0; });
    for (std::int32_t position = 0; reduces && position < run.size; ++position) {
        const auto i = static_cast<std::size_t>(position);
        CollectiveAnswer::EndpointWork work;
        work.position = position;
        work.firstIn = entries[i]; // A rank reduces into its own part, and is not done before.
        work.endIn = answer->exits[i];
        work.endOut = -1;          // The sweep knows no budgets.
        if (state.network.endpoints()[at(run.plan->nodes[i])].reducerRate > 0)
            answer->endpoints.push_back(work);
    }
    for (auto& dimension : intervals)
        answer->busy.push_back(BusySteps::of(dimension));
    return CollectiveAnswerPtr(std::move(answer));
}

} // namespace fabricscope::events
