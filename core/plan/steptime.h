#pragma once

#include "core/plan/alikeplaces.h"
#include "core/plan/analysis.h"
#include "core/plan/pipeline/timing.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// How long a step takes, estimated (manual: plans 7): the work between two collectives of a layer as one task, as it is simulated, collectives of layers between them, then the order of the pipeline.
/// `rows`: as of allCommunications(). Errors: those of pipelineTimes(). O(operations + kinds x ops + classes of places x rows).
Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu);

/// Pipelines of one order that have been run: plans that differ in what no pipeline knows run the same.
class PipelineMemo {
public:
    struct Entry {
        std::vector<StageTicks> stages;
        std::int64_t latency = 0;
        PlanTimes times; ///< Without operations.
    };
    const PlanTimes* find(const std::vector<StageTicks>& stages, std::int64_t latency) const;
    void add(const std::vector<StageTicks>& stages, std::int64_t latency, const PlanTimes& times) { m_entries.push_back({stages, latency, times}); }

private:
    std::vector<Entry> m_entries;
};
/// stepTimes() without the times of single operations. `memo`: of these orders alone.
Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu, PipelineMemo& memo);

/// stepTimes() of a plan with times of its own. Errors: also those of timedStages().
Result<PlanTimes> givenTimes(const PlanLayout& layout, const PipelineOrders& orders, const PlanNpu& npu);

// What a step is summed up from, for those who bound it.

/// Seconds of one micro-batch in a part of a model, or in a stage, on one rank.
struct WorkSeconds {
    double forward = 0;
    double backward = 0; ///< Gradient of the input, and what is computed again.
    double weight = 0;
    double full = 0;     ///< Both gradients as one pass, which is no longer than one after the other.
    double ringForward = 0;  ///< Of `forward`: blocks of attention behind which keys and values go round the ring ...
    double ringBackward = 0; ///< ... and of `full`.
    double all() const { return forward + backward + weight; }
};
/// With a backward pass that is as short as it can be: no schedule takes less.
std::vector<WorkSeconds> leastSeconds(std::vector<WorkSeconds> parts);

/// Without communication, by part (SpreadModel::part()). O(kinds x ops).
std::vector<WorkSeconds> partSeconds(const SpreadModel& spread, const PlanNpu& npu);
/// By stage. Where the schedule does not split the backward pass, `backward` and `weight` are `full` together. O(stages x kinds).
std::vector<WorkSeconds> stageSeconds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts);
/// What the places of a pipeline compute in a step on average, without a collective and without waiting. `parts`: of partSeconds(); of leastSeconds(): no step takes less, whatever the schedule. O(stages x kinds).
double computingSeconds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts);
/// Of the update of parameters, of the rank that holds most. O(places).
double optimizerSeconds(const SpreadModel& spread, const PlanNpu& npu);

/// What of a step a communication makes longer.
enum class StepShare : std::uint8_t {
    Latency,  ///< A message along the pipeline.
    Forward,  ///< Passes of the stages of its place.
    Backward,
    RingForward,  ///< Hidden behind the blocks of attention of the stages of its place.
    RingBackward,
    Data,     ///< Hidden behind the backward pass of the last micro-batch; with ZeRO 2, where every micro-batch has its own, of all.
    Units,    ///< Hidden behind all passes.
    After     ///< Nothing hides it.
};
StepShare stepShareOf(const PlanLayout& layout, const PlanCommunication& row);

/// Has the schedule passes forward and back as one operation, in which the one computes while the other sends?
bool hasPairs(PipelineSchedule schedule);

/// What of the messages round the ring of the context group nothing hides: the first block needs none. `computing`: all blocks.
double exposedRing(const PlanLayout& layout, double sent, double computing);

/// What one place sends in a step, in seconds, by what it makes longer.
struct SentSeconds {
    double forward = 0;
    double backward = 0;
    double forwardOfAll = 0;  ///< Of `forward`, if all places of the pipeline that have work at a time did it at once.
    double backwardOfAll = 0;
    double ringForward = 0;
    double ringBackward = 0;
    double data = 0;
    double lastData = 0; ///< Of `data`, the shortest one: the last bucket has nothing to hide behind.
    double units = 0;
    double after = 0;
    double latency = 0;  ///< Of the longest message along the pipeline.
    friend bool operator==(const SentSeconds&, const SentSeconds&) = default;

    /// `each`: seconds of one of `count`; `ofAll`: with other places at it, too.
    void add(StepShare share, double each, double count, double ofAll);
};

/// The share of the places of a pipeline that have work at the same time at most.
double busyPlaces(const PlanLayout& layout);

/// Makes the passes of a stage longer by what its place sends; `passes`: of the place in a step. Links that places share are not free sooner than for all of them.
void addSent(WorkSeconds& stage, const PlanLayout& layout, const SentSeconds& sent, double passes);

/// What of collectives of gradients and parameters nothing hides, of one place. `backward`: of one micro-batch in its stages; `busy`: of all passes.
double exposedSeconds(const PlanLayout& layout, const SentSeconds& sent, double backward, double busy);

} // namespace fabricscope
