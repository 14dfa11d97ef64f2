#include "core/sim/components/components.h"

#include "core/sim/components/disjointruns.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/outcome/runresult.h"

#include <tuple>

namespace fabricscope {

namespace {

/// Every try finds at least one more kind of collective that meets another; after this many the event engine is quicker. One by one a try finds most of them.
constexpr int kMostTries = 4;
constexpr int kMostSingleTries = 8;

/// One try. Unsupported with `apart` grown: collectives of those met others.
Result<RunRecord> attempt(const Scenario& scenario, const RunOptions& options, const ComponentOptions& components, events::Apart& apart, const std::stop_token& stop)
{
    RunOptions own = options;
    const events::ComponentBoxes* boxesOfPartial = nullptr;
    if (options.partial) {
        own.partial = [&](RunRecord record) {
            if (boxesOfPartial->hasMet())
                return;
            boxesOfPartial->addBusyTo(record);
            options.partial(std::move(record));
        };
    }
    events::Engine engine(scenario, own);
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    events::ComponentBoxes boxes(engine, components, apart, stop);
    boxesOfPartial = &boxes;
    engine.answerBy(boxes);
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();
    if (boxes.hasMet())
        return Error{ErrorCode::Unsupported, "collectives meet others", {}, "the engine auto or events"};
    if (engine.tasks.left() > 0)
        return Error{ErrorCode::Unsupported, "the ranks cannot finish, and only the event engine looks for the reason", {}, "the engine auto or events"};
    boxes.finish();
    Result<RunRecord> record = events::recordOf(engine, false, stop);
    if (!record)
        return record;
    record.value().engines = boxes.shares(engine.network.messages());
    record.value().events += boxes.events();
    return record;
}

/// Tries as long as they find more that is to go message by message; the last answer.
Result<RunRecord> attempts(const Scenario& scenario, const RunOptions& options, const ComponentOptions& components, events::Apart& apart, int most, const std::stop_token& stop)
{
    for (int tries = 1;; ++tries) {
        const std::size_t before = apart.kinds.size() + apart.instances.size();
        Result<RunRecord> record = attempt(scenario, options, components, apart, stop);
        if (record || record.error().code != ErrorCode::Unsupported || apart.kinds.size() + apart.instances.size() <= before || tries == most)
            return record;
    }
}

} // namespace

Result<RunRecord> simulateComponents(const Scenario& scenario, const RunOptions& options, const ComponentOptions& components, std::stop_token stop)
{
    RunOptions own = options;
    double share = 0;
    SimTime shown{-1};
    if (options.progress) { // Another try begins anew, what was told does not.
        own.progress = [&](Progress now) {
            now.share = share = std::max(share, now.share);
            options.progress(now);
        };
    }
    if (options.partial) {
        own.partial = [&](RunRecord record) {
            if (*record.cutAt < shown)
                return;
            shown = *record.cutAt;
            options.partial(std::move(record));
        };
    }
    events::Apart apart;
    Result<RunRecord> first = attempts(scenario, own, components, apart, 1, stop);
    if (first || first.error().code != ErrorCode::Unsupported || components.strict || apart.kinds.empty())
        return first;
    // Some meet others: one by one most of them are answered as wholes all the same.
    if (components.memo) {
        events::Apart single;
        single.single = true;
        Result<RunRecord> record = attempts(scenario, own, components, single, kMostSingleTries, stop);
        if (record || record.error().code != ErrorCode::Unsupported)
            return record;
    }
    return attempts(scenario, own, components, apart, kMostTries - 1, stop);
}

bool componentsPay(const Scenario& scenario)
{
    std::set<std::tuple<CollectiveOp, std::int64_t, std::int32_t, std::int32_t>> seen;
    for (const CollectiveInstance& instance : scenario.structure->instances) {
        if (!instance.program || instance.replayPs >= 0)
            continue;
        if (!seen.emplace(instance.op, instance.bytes, instance.program->ranks, instance.program->chunks).second)
            return true;
    }
    return false;
}

std::optional<Result<RunRecord>> tryComponents(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    ComponentOptions components;
    components.strict = options.engine == EngineChoice::Memo;
    if (options.memoryLimit > 0)
        components.memoBytes = std::min(components.memoBytes, options.memoryLimit / 4);
    if (!components.strict && (options.message || options.messageDigest || !componentsPay(scenario)))
        return std::nullopt;
    Result<RunRecord> record = simulateComponents(scenario, options, components, stop);
    const bool another = !record && record.error().code != ErrorCode::Cancelled && record.error().code != ErrorCode::MemoryLimit;
    if (another && !components.strict)
        return std::nullopt; // Errors of the input come from the event engine, which sees all of it.
    return record;
}

} // namespace fabricscope
