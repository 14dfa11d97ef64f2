#include "widgets/timeline/criticalsteps.h"

#include "core/base/index.h"
#include "widgets/timeline/taskflow.h"

namespace fabricscope {

std::vector<PathStep> stepsOfPath(const TimelineSource& source, const CriticalPath& path)
{
    std::vector<PathStep> steps;
    for (const PathPiece& piece : path.pieces) {
        if (steps.empty() || steps.back().rank != piece.rank || steps.back().task != piece.task) {
            PathStep& step = steps.emplace_back();
            step.beginPs = piece.beginPs;
            step.rank = piece.rank;
            step.task = piece.task;
        }
        steps.back().endPs = piece.endPs;
        steps.back().waitingPs += piece.cause == PathCause::Waiting ? piece.ps() : 0;
    }
    for (PathStep& step : steps) {
        const std::int32_t rankClass = source.classOf(step.rank);
        if (rankClass < 0 || step.task < 0)
            continue;
        step.place = intervalOfTask(source, rankClass, step.task);
        if (step.place)
            step.activity = source.interval(step.place->track, step.place->index).activity;
    }
    return steps;
}

std::array<std::int64_t, kActivityCount> activitiesOf(const std::vector<PathStep>& steps)
{
    std::array<std::int64_t, kActivityCount> sums{};
    for (const PathStep& step : steps) {
        sums[at(step.activity)] += step.ps() - step.waitingPs;
        sums[at(Activity::Waiting)] += step.waitingPs;
    }
    return sums;
}

} // namespace fabricscope
