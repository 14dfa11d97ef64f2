#include "core/plan/lower/timedstages.h"

#include "core/base/index.h"

namespace fabricscope {

namespace {

constexpr double kMostSeconds = 9e6; // the range of SimTime

Result<std::int64_t> ticksOf(const Quantity& time, std::size_t stage, const char* key)
{
    if (time.measure == Measure::Time && time.base() >= 0 && time.base() <= kMostSeconds)
        return toSimTime(time).ps;
    Place place;
    place.field = "workload.plan.pipeline.times[" + std::to_string(stage) + "]." + key;
    return invalidInput("\"" + time.text() + "\" is not possible here", std::move(place), "a time of at most 100 days");
}

Result<StageTicks> wholeStage(const PipelinePlan& pipeline, std::size_t stage)
{
    const StageTimes& given = pipeline.times[stage];
    StageTicks ticks;
    const auto read = [&](const Quantity& time, const char* key, std::int64_t& into) -> Status {
        auto value = ticksOf(time, stage, key);
        if (!value)
            return std::move(value).error();
        into = value.value();
        return {};
    };
    Status status = read(given.forward, "forward", ticks.forward);
    if (status)
        status = read(given.backward, "backward", ticks.backward);
    if (status && given.weight)
        status = read(*given.weight, "weight", ticks.weight);
    if (status && given.together)
        status = read(*given.together, "together", ticks.pair);
    if (!status)
        return std::move(status).error();
    if (!given.weight && splitsBackward(pipeline.schedule)) {
        ticks.weight = ticks.backward / 2;
        ticks.backward -= ticks.weight;
    }
    return ticks;
}

} // namespace

bool splitsBackward(PipelineSchedule schedule)
{
    return schedule != PipelineSchedule::GPipe && schedule != PipelineSchedule::OneForwardOneBackward && schedule != PipelineSchedule::Interleaved;
}

Result<std::vector<StageTicks>> timedStages(const PipelinePlan& pipeline, const PipelineShape& shape)
{
    const std::size_t given = pipeline.times.size();
    if (given != 1 && given != at(shape.ranks)) {
        Place place;
        place.field = "workload.plan.pipeline.times";
        return invalidInput("times of " + std::to_string(given) + " stages for a pipeline of " + std::to_string(shape.ranks) + " ranks", std::move(place),
                            std::to_string(shape.ranks) + " entries, or one for all stages");
    }
    // Dualpipe's two directions are two copies of the model: each holds whole stages.
    const std::int32_t parts = shape.schedule == PipelineSchedule::DualPipe ? 1 : shape.stagesPerRank();
    std::vector<StageTicks> stages;
    for (std::int32_t stage = 0; stage < shape.stages(); ++stage) {
        auto whole = wholeStage(pipeline, given == 1 ? 0 : at(shape.rankOf(stage)));
        if (!whole)
            return std::move(whole).error();
        stages.push_back(chunkTicks(whole.value(), shape.chunkOf(stage) % parts, parts));
    }
    return stages;
}

} // namespace fabricscope
