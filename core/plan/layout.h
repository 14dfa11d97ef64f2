#pragma once

#include "core/model/modelspec.h"
#include "core/plan/pipeline/orders.h"
#include "core/plan/rankgrid.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// What a plan means on so many ranks: every default filled in, every size known (manual: plans 2).
struct PlanLayout {
    PlanGrid grid;

    DataPlan data;         ///< As they apply; of an axis that the mesh has not, the degree is 1.
    TensorPlan tensor;
    PipelinePlan pipeline;
    ExpertPlan expert;
    ContextPlan context;
    Recompute recompute = Recompute::None;
    std::optional<InferencePlan> inference; ///< With the number of tokens of the prompt; absent: training.

    std::int64_t dataSize = 1; ///< Along the axis of data, experts inside it included.
    std::int64_t tensorSize = 1;
    std::int64_t pipelineSize = 1;
    std::int64_t expertSize = 1;
    std::int64_t contextSize = 1;
    std::int64_t replicas = 1;  ///< Parts of the batch: data, and an axis of experts of its own.
    std::int32_t pipelineAxis = -1;
    std::int32_t dataAxis = -1;

    PipelineShape shape;                    ///< One rank, or interleaved with one chunk: 1f1b.
    std::int32_t chunks = 1;                ///< Stages on a rank (of each direction with dualpipe: 1, and two directions).
    std::vector<std::int64_t> stageLayers;  ///< Of each stage, in the order of the model; pipelineSize x chunks of them.
    std::int64_t microBatch = 1;            ///< Sequences of one; 1 without a model.
    std::int64_t microBatches = 1;          ///< Per step and replica.

    PlanGroup tensorGroup, contextGroup, pipelineGroup;
    PlanGroup expertGroup;       ///< Ranks that share the experts.
    PlanGroup denseGroup;        ///< Ranks with the same parameters outside of experts: data x experts x context.
    PlanGroup denseShard;        ///< Of these, those that share one set of ZeRO states ...
    PlanGroup denseCopies;       ///< ... and those across.
    PlanGroup expertDataGroup;   ///< Ranks with the same experts.
    PlanGroup expertShard, expertCopies;

    std::int64_t stages() const { return static_cast<std::int64_t>(stageLayers.size()); }
    /// Coordinate along the pipeline of the rank that runs a stage (with dualpipe: of the direction that enters at rank 0). \pre 0 <= stage < stages().
    std::int64_t rankOfStage(std::int64_t stage) const { return shape.rankOf(static_cast<std::int32_t>(stage)); }
    /// Micro-batches that pass a stage in one direction, which are those a rank gives it.
    std::int64_t microBatchesOfStage() const { return shape.perDirection(); }
    /// Stages of the rank at a coordinate, of every chunk; with dualpipe of both directions: {r, p - 1 - r}, the smaller first.
    std::vector<std::int64_t> stagesOfRank(std::int64_t coordinate) const;
    bool isDual() const { return pipeline.schedule == PipelineSchedule::DualPipe && pipelineSize > 1; }
    /// Layers before a stage.
    std::int64_t firstLayer(std::int64_t stage) const;
};

/// The plan of a model on `ranks` ranks. `model`: null where the plan has times of its own. Refuses what cannot be, naming the field and the nearest plan that can:
/// mesh and ranks that differ, axes that nothing or two things use, sizes that do not divide heads, KV heads, widths, experts, sequence or batch, more stages than
/// layers, schedules with too few or odd micro-batches (manual: plans 3). O(axes + stages), with a device order O(ranks).
Result<PlanLayout> layoutOf(const ModelSpec* model, const PlanSpec& plan, std::int64_t ranks);

/// An error about a field of the plan; `key` below "workload.plan": "tensor.axis".
Error planError(const std::string& key, std::string message, std::string expected = {});

} // namespace fabricscope
