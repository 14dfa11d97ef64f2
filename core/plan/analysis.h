#pragma once

#include "core/base/fraction.h"
#include "core/base/rankset.h"
#include "core/model/kernelterms.h"
#include "core/model/modelspec.h"
#include "core/plan/layout.h"
#include "core/plan/pipeline/timing.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

enum class PlanPhase : std::uint8_t { Forward, Backward, Optimizer };
inline constexpr KeyTable<PlanPhase, 3> kPlanPhases{{{"forward", PlanPhase::Forward}, {"backward", PlanPhase::Backward}, {"optimizer", PlanPhase::Optimizer}}};

/// Collectives, or messages to a neighbour, that are alike (manual: plans 5).
struct PlanCommunication {
    enum class Kind : std::uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Send };
    Kind kind = Kind::AllReduce;
    PlanGroup group;           ///< Whose ranks take part; of sends the ring or row they go along.
    std::int64_t groupSize = 1;
    WideCount count = 0;       ///< Per rank and step.
    std::int64_t bytes = 0;    ///< Of one: the tensor of an all-reduce, the gathered one, the one that is scattered, the local buffer of an all-to-all, the message.
    PlanPhase phase = PlanPhase::Forward;
    std::string cause;
    RankSet ranks;             ///< Who takes part in so many.
    PlanGroup apart = {};      ///< Along it groups like this one do the same at other times: places of the pipeline. Without axes: all groups at once.

    /// Bytes a rank sends for all of them, on a ring: all-reduce 2 (n-1)/n, all-gather, reduce-scatter and all-to-all (n-1)/n of `bytes` each; rounded down once. In sends.cpp.
    WideCount sentPerRank() const;
};
inline constexpr KeyTable<PlanCommunication::Kind, 5> kPlanCommunications{{{"all_reduce", PlanCommunication::Kind::AllReduce},
                                                                           {"all_gather", PlanCommunication::Kind::AllGather},
                                                                           {"reduce_scatter", PlanCommunication::Kind::ReduceScatter},
                                                                           {"all_to_all", PlanCommunication::Kind::AllToAll},
                                                                           {"send", PlanCommunication::Kind::Send}}};

/// Bytes of one rank at the worst moment of a step, of ranks that are alike (manual: plans 6).
struct PlanMemory {
    RankSet ranks;
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t activations = 0; ///< Saved by layers, of all micro-batches in flight.
    std::int64_t buffers = 0;     ///< Masks of the embedding, logits, a layer computed again, gathered parameters and inputs, and what the framework takes.
    std::int64_t kvCache = 0;
    std::int64_t peak() const { return parameters + gradients + optimizer + activations + buffers + kvCache; }
};

struct PlanStage {
    std::int64_t stage = 0;   ///< Place along the pipeline.
    RankSet ranks;
    std::int64_t layers = 0;
    std::int64_t inFlight = 0; ///< Peak of micro-batches; of chunks where a rank holds several.
};

/// What an NPU can do; absent: unknown.
struct PlanNpu {
    std::optional<double> peak;            ///< FLOP/s.
    std::optional<double> memoryBandwidth; ///< Bytes/s.
    std::optional<std::int64_t> memory;    ///< Bytes.
    /// Seconds of an op of that name with so many operations and bytes on one NPU; empty: the larger of operations / peak and bytes / memoryBandwidth.
    std::function<double(const std::string& name, double operations, double bytes)> seconds;
    std::optional<NpuKernels> kernels; ///< Ops are kernels: `seconds` is not used.
    /// Seconds of one of these, alone on the platform; empty: communication takes no time.
    std::function<double(const PlanCommunication& communication)> communication;
    /// Seconds that one of these keeps the links of an NPU busy, by dimension of the platform; empty: links are never shared.
    std::function<std::vector<double>(const PlanCommunication& communication)> links;
};

/// Operations of a pipeline at most whose times are kept one by one.
constexpr std::int64_t kMostShownOperations = std::int64_t{1} << 20;

struct PlanTimes {
    double step = 0;        ///< Seconds of a step.
    double pipeline = 0;    ///< Of that, from the first forward to the last backward pass.
    double exposedData = 0; ///< Collectives of gradients and parameters that nothing hides.
    double optimizer = 0;
    double bubbleShare = 0; ///< What ranks wait for each other in the pipeline, as a share of the step, on average.
    /// When each operation runs, in picoseconds; null: more than kMostShownOperations, or times beyond what picoseconds can add up.
    std::shared_ptr<const PipelineTimes> operations = nullptr;
};

/// Latency of inference with one size of the batch, estimated (manual: plans 10).
struct ServedBatch {
    std::int64_t batch = 1;             ///< Sequences of a replica at once.
    std::optional<double> firstToken;   ///< Seconds to the first token; absent: the peak of the NPU is not known.
    std::optional<double> perToken;     ///< Seconds from one token to the next, the mean; absent also where there is one token.
    std::optional<double> tokensPerSecond; ///< Of all replicas, prompts included.
    std::int64_t peak = 0;              ///< Bytes of the fullest rank.
    std::optional<double> perUser() const { return perToken && *perToken > 0 ? std::optional(1 / *perToken) : std::nullopt; }
};

struct PlanAnalysis {
    WideCount stepFlops = 0;  ///< Of matrix products, by all ranks in a step, what is done again and what several ranks do included.
    WideCount modelFlops = 0; ///< Of the model: forward and twice that.
    std::optional<PlanTimes> times; ///< Absent: the peak of the NPU is not known, and the plan has no times.
    std::optional<double> mfu, hfu; ///< Share of the peak of all NPUs that modelFlops and stepFlops are in that time.
    std::optional<double> tokensPerSecond;
    std::vector<PlanMemory> memory;
    std::vector<PlanCommunication> communications;
    std::vector<PlanStage> stages;
    std::vector<ServedBatch> batches; ///< Inference: that of the plan first, then 1, 2, 4, ... to the largest that fits the memory; else empty.
    std::shared_ptr<const PipelineOrders> orders; ///< What every place of the pipeline does, one after the other; never null.
    Diagnostics findings;     ///< Too little memory: rule "memory", severity Error.
};

/// What every rank holds, sends and computes in one training step, without simulating it (manual: plans). `model`: null where the plan has times of its own; memory, FLOPs and
/// communications are empty then. In analyse.cpp. Errors: those of layoutOf() and modelLayers(). O(ranks / 64 + layers + kinds x ops + operations of the pipeline).
Result<PlanAnalysis> analysePlan(const ModelSpec* model, const PlanSpec& plan, std::int64_t ranks, const PlanNpu& npu);

} // namespace fabricscope
