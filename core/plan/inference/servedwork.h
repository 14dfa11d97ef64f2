#pragma once

#include "core/base/result.h"
#include "core/model/kernelterms.h"
#include "core/plan/spreadmodel.h"
#include "core/workload/taskgraph.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// A pass of one micro-batch through the model.
struct InferencePass {
    PassShape shape;
    std::int64_t token = 0; ///< Number of the token that comes out, 1 the first; 0: an earlier chunk of the prompt.
    bool isDecode() const { return shape.mode == PassMode::Decode; }
};

/// Passes of a layout in their order: chunks of the prompt, then the steps of decoding that are simulated. The k-th step of all sees prompt + k tokens. \pre layout.inference. In servedpasses.cpp, as the next two
std::vector<InferencePass> inferencePasses(const PlanLayout& layout);

/// The model in one pass. Where KV heads are copied (fewer than ranks) a rank reads whole heads. Errors: those of spreadModel().
Result<SpreadModel> spreadPass(const ModelSpec& model, const PlanLayout& layout, const InferencePass& pass);

/// Bytes of keys and values of `tokens` tokens of one micro-batch that a rank at a place of the pipeline keeps: its layers, within windows; KV heads divided over the tensor
/// group, copied beyond them, the latent on every rank. O(kinds).
std::int64_t cacheBytesOf(const SpreadModel& spread, std::int64_t place, std::int64_t tokens);

/// Messages between the pools that prefill and decode have tags from here on.
constexpr std::uint32_t kFirstTransferTag = std::uint32_t{1} << 30;

/// Names of the tasks of no time at whose end a token is there: "token 1" is the first.
inline std::string tokenTaskName(std::int64_t token)
{
    return "token " + std::to_string(token);
}

/// Inference as task graphs (manual: plans 10). `source`: for people. `kernels`: what times the ops; null: operations and bytes do. Errors: those of spreadModel(), more than kMaxPlanTasks tasks; told to stop: throws StopRequested.
/// O(passes x (kinds x ops + layers) + tasks).
Result<WorkloadPtr> lowerInference(const ModelSpec& model, const PlanLayout& layout, std::string source, const std::stop_token& stop, const NpuKernels* kernels = nullptr);

} // namespace fabricscope
