#pragma once

#include "core/base/keytable.h"
#include "core/base/quantity.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

// How a model is spread over ranks, as a design file says it under `workload.plan` (manual: plans 1). Plain values; what can be is decided by
// layoutOf() (layout.h). Errors about a plan name its field ("workload.plan.tensor.axis"); the design knows the place of a field in its file.

/// The logical grid of ranks.
struct PlanMesh {
    enum class Order : std::uint8_t {
        RowMajor,    ///< The last axis changes fastest: neighbours along it are neighbouring ranks.
        ColumnMajor, ///< The first axis changes fastest.
        Listed       ///< As `slowestFirst` says.
    };
    std::vector<std::string> axes;         ///< Distinct names.
    std::vector<std::int64_t> shape;       ///< Size of each axis, 1 or more; the product is the number of ranks.
    Order order = Order::RowMajor;
    std::vector<std::string> slowestFirst; ///< Listed: every axis once, the fastest last; else empty.
    std::vector<std::int64_t> deviceOrder; ///< Position in the grid -> rank, a permutation; empty: position p is rank p.
    friend bool operator==(const PlanMesh&, const PlanMesh&) = default;
};

/// Copies of the model that share the batch.
struct DataPlan {
    std::string axis = "dp";
    std::int32_t zero = 0;        ///< ZeRO stage: 0 plain; 1 optimizer, 2 gradients too, 3 parameters too (FSDP), each split over the axis.
    double bucketMb = 25;         ///< Gradients of one collective, in 10^6 B; above 0.
    bool overlap = true;          ///< Gradient collectives run beside the backward pass.
    std::int32_t unit = 1;        ///< ZeRO-3: layers gathered together, 1 or more.
    std::int32_t prefetch = 1;    ///< ZeRO-3: units gathered ahead of the one that computes, 0 or more.
    bool reshard = true;          ///< ZeRO-3: parameters are dropped after the forward pass and gathered again for the backward pass.
    std::int64_t shard = 0;       ///< ZeRO: ranks along the axis that share one set of states (hybrid shard), copies across; 0: all.
    friend bool operator==(const DataPlan&, const DataPlan&) = default;
};

/// Matrices of a layer split over ranks.
struct TensorPlan {
    std::string axis = "tp";
    bool sequenceParallel = false;
    bool vocabularyParallel = true; ///< False: embedding and logits are whole on every rank.
    friend bool operator==(const TensorPlan&, const TensorPlan&) = default;
};

enum class PipelineSchedule : std::uint8_t { GPipe, OneForwardOneBackward, Interleaved, ZeroBubbleH1, ZeroBubbleH2, ZeroBubbleV, DualPipe, DualPipeV };

inline constexpr KeyTable<PipelineSchedule, 8> kPipelineSchedules{{{"gpipe", PipelineSchedule::GPipe},
                                                                   {"1f1b", PipelineSchedule::OneForwardOneBackward},
                                                                   {"interleaved", PipelineSchedule::Interleaved},
                                                                   {"zb_h1", PipelineSchedule::ZeroBubbleH1},
                                                                   {"zb_h2", PipelineSchedule::ZeroBubbleH2},
                                                                   {"zb_v", PipelineSchedule::ZeroBubbleV},
                                                                   {"dualpipe", PipelineSchedule::DualPipe},
                                                                   {"dualpipe_v", PipelineSchedule::DualPipeV}}};

/// Times of one stage for one micro-batch, the whole stage: chunks take their share of it.
struct StageTimes {
    Quantity forward{0, "s", Measure::Time};
    Quantity backward{0, "s", Measure::Time}; ///< Gradient of the input and, without `weight`, of the weights, too.
    std::optional<Quantity> weight;           ///< Gradient of the weights alone; absent: half of `backward` where a schedule splits it.
    std::optional<Quantity> together;         ///< DualPipe: a forward and a backward as one overlapped operation; absent: their sum.
    friend bool operator==(const StageTimes&, const StageTimes&) = default;
};

/// Layers split over ranks, one stage after another.
struct PipelinePlan {
    std::string axis = "pp";
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    std::int32_t virtualStages = 1;          ///< Chunks of layers per rank (interleaved); zb_v and dualpipe_v always have two.
    std::optional<std::int64_t> microBatches; ///< Per step and replica; absent: global_batch / (data * micro_batch) of the model.
    std::optional<Quantity> send;            ///< Bytes per boundary and micro-batch, without a model.
    std::vector<StageTimes> times;           ///< One per rank of the axis, without a model; empty: from the model.
    std::vector<std::int64_t> layers;        ///< Layers of each stage (axis * chunks of them, in the order of the model); empty: as even as can be, the first ones one more.
    friend bool operator==(const PipelinePlan&, const PipelinePlan&) = default;
};

/// Experts split over ranks that share the batch.
struct ExpertPlan {
    enum class Dispatch : std::uint8_t {
        Capacity, ///< Every expert has room for capacity_factor * top_k * tokens / experts tokens; buffers are padded to it.
        Dropless  ///< Exactly top_k * tokens rows.
    };
    std::string axis = "ep";     ///< An axis of the mesh, or, with `degree`, ranks next to each other along `inside`.
    std::string inside = "dp";   ///< The axis of data it belongs to.
    std::int64_t degree = 0;     ///< Where `axis` is no axis of the mesh: ranks that share the experts; 0: all of `inside`.
    Dispatch dispatch = Dispatch::Capacity;
    double imbalance = 1;        ///< Dropless: load of the fullest rank over the mean, 1 or more; an input, no prediction.
    friend bool operator==(const ExpertPlan&, const ExpertPlan&) = default;
};

/// Sequences split over ranks.
struct ContextPlan {
    enum class Kind : std::uint8_t { Ring, Ulysses };
    std::string axis = "cp";
    Kind kind = Kind::Ring;
    friend bool operator==(const ContextPlan&, const ContextPlan&) = default;
};

enum class Recompute : std::uint8_t {
    None,
    Selective, ///< The core of attention (scores, softmax, dropout, weighted sum).
    Full       ///< Whole layers; only their inputs are kept.
};

inline constexpr KeyTable<Recompute, 3> kRecomputes{{{"none", Recompute::None}, {"selective", Recompute::Selective}, {"full", Recompute::Full}}};

/// Generating text instead of training: a prompt goes through, then one token after another (manual: plans 10).
struct InferencePlan {
    std::int64_t batch = 1;           ///< Sequences of a replica at once; divided by the micro-batches of the pipeline (here usually 1).
    std::int64_t prompt = 0;          ///< Tokens of each; 0: `seq` of the model.
    std::int64_t output = 16;         ///< New tokens of each; the first comes out of the prompt.
    std::int64_t chunk = 0;           ///< Tokens of a prompt that go through at once; 0: all.
    std::int64_t decodeSteps = 0;     ///< Steps that are simulated, at evenly spread lengths; 0: all, output - 1.
    std::int64_t prefillReplicas = 0; ///< The first replicas along data, which only prefill, and send keys and values to the others; 0: everybody does both.
    friend bool operator==(const InferencePlan&, const InferencePlan&) = default;
};

/// Who decides which rank does what.
enum class PlanPlacement : std::uint8_t {
    Mesh, ///< The sections of the plan, over its mesh.
    Hap   ///< The search for ranks of different speed (manual: placement 8); there are no other sections.
};
inline constexpr KeyTable<PlanPlacement, 2> kPlanPlacements{{{"mesh", PlanPlacement::Mesh}, {"hap", PlanPlacement::Hap}}};

struct PlanGraph; // plangraph.h

/// `workload.plan` of a design, or `workload.shard`.
struct PlanSpec {
    std::shared_ptr<const PlanGraph> graph; ///< Present: nothing below says anything, and there is no model.
    PlanPlacement placement = PlanPlacement::Mesh;
    PlanMesh mesh; ///< Empty with Hap.
    std::optional<DataPlan> data;          ///< Absent: as its default values, where the mesh has an axis "dp"; likewise the others with "tp", ...
    std::optional<TensorPlan> tensor;
    std::optional<PipelinePlan> pipeline;
    std::optional<ExpertPlan> expert;
    std::optional<ContextPlan> context;
    std::optional<InferencePlan> inference; ///< Absent: a step of training.
    Recompute recompute = Recompute::None;
    Quantity framework{1, "GiB", Measure::Size}; ///< Memory of every NPU that libraries take for themselves.
    friend bool operator==(const PlanSpec&, const PlanSpec&) = default;
};

} // namespace fabricscope
