#include "core/run/savedresult.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/design/file/readdesign.h"
#include "core/planner/placeddesign.h"
#include "core/report/placedfigures.h"
#include "core/report/planfigures.h"

namespace fabricscope {

namespace {

/// Every class must belong to a rank of the workload and have as many tasks.
bool fits(const RunRecord& record, const Workload& workload)
{
    if (record.rankCount != workload.rankCount)
        return false;
    for (const RankClass& rankClass : record.classes) {
        if (rankClass.ranks.empty() || rankClass.ranks.intervals().back().last >= workload.rankCount)
            return false;
        const std::int64_t rank = rankClass.ranks.intervals().front().first;
        const auto tasks = static_cast<std::size_t>(workload.graph(static_cast<std::int32_t>(rank)).size());
        if (rankClass.tasks && (rankClass.tasks->issuePs.size() != tasks || rankClass.tasks->endPs.size() != tasks))
            return false;
    }
    return true;
}

bool hasTaskTimes(const RunRecord& record)
{
    for (const RankClass& rankClass : record.classes)
        if (!rankClass.tasks)
            return false;
    return !record.classes.empty();
}

Result<RunResultPtr> madeReady(SavedRun saved, int threads, const std::stop_token& stop)
{
    const std::string& file = saved.summary.designFile;
    if (saved.summary.designText.empty())
        return invalidInput("this run carries no design", {}, "a run saved with its design");
    Result<LoadedDesign> loaded = readDesignText(saved.summary.designText, file, {}, stop);
    if (!loaded)
        return std::move(loaded).error();
    auto design = std::make_shared<Design>(std::move(loaded.value().design));
    design->model.model = saved.summary.record->model;
    design->model.version = saved.summary.record->version;
    Result<PreparedDesign> prepared = prepareToRun(*design, threads, stop);
    if (!prepared)
        return std::move(prepared).error();

    auto result = std::make_shared<RunResult>();
    result->design = design;
    result->scenario = prepared.value().scenario;
    const WorkloadPtr& workload = result->scenario->structure->workload;
    if (!fits(*saved.summary.record, *workload))
        return invalidInput("this run does not fit its design; a file that the design names has changed since", {}, "the files it was run with");
    if (hasTaskTimes(*saved.summary.record)) {
        TimelineSource::Options options;
        options.stop = stop;
        result->timeline = TimelineSource::create(saved.summary.record, workload, options);
    }
    if (!saved.summary.plan) { // Of a version that did not keep them.
        if (std::optional<PlanFigures> figures = planFigures(*design, *result->scenario, *saved.summary.record, stop))
            saved.summary.plan = std::make_shared<const PlanFigures>(std::move(*figures));
    }
    result->summary = std::move(saved.summary);
    if (prepared.value().placement && result->summary.record->complete)
        result->summary.plan = placedFigures(*prepared.value().placement);
    result->cost = std::move(saved.cost);
    return RunResultPtr(result);
}

} // namespace

Result<RunResultPtr> resultOfSavedRun(SavedRun saved, int threads, const std::stop_token& stop)
{
    return catchOutOfMemory([&] { return untilStopped([&] { return madeReady(std::move(saved), threads, stop); }); });
}

} // namespace fabricscope
