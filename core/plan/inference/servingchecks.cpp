#include "core/plan/inference/servingchecks.h"

#include "core/plan/lower/planworkload.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// What belongs to training, or is not known of inference.
Status checkNoTraining(const PlanLayout& layout)
{
    const PipelineSchedule schedule = layout.pipeline.schedule;
    if (layout.pipelineSize > 1 && schedule != PipelineSchedule::OneForwardOneBackward && schedule != PipelineSchedule::GPipe)
        return planError("pipeline.schedule", std::string(keyOf(kPipelineSchedules, schedule)) + " orders backward passes, and inference has none", "1f1b or gpipe");
    if (layout.contextSize > 1)
        return planError("context.axis", "sequences are not split over ranks in inference", "an axis of 1");
    if (layout.data.zero != 0)
        return planError("data.zero", "inference has no states of an optimizer to split", "zero: 0");
    if (layout.tensor.sequenceParallel)
        return planError("tensor.sequence_parallel", "a step of one token is not split over the sequence", "sequence_parallel: false");
    if (layout.recompute != Recompute::None)
        return planError("recompute", "inference has no backward pass that computes again", "recompute: none");
    return {};
}

/// Every pass is worked out, and has a task for every layer at least. \pre the tokens of the prompt are known
Status checkPasses(const ModelSpec& model, const PlanLayout& layout)
{
    const InferencePlan& inference = *layout.inference;
    const std::int64_t chunks = inference.chunk > 0 ? (inference.prompt - 1) / inference.chunk + 1 : 1;
    const std::int64_t steps = inference.decodeSteps > 0 ? inference.decodeSteps : inference.output - 1;
    const std::int64_t most = std::min(kMostInferencePasses, kMaxPlanTasks / model.transformer.layers / layout.microBatches);
    if (chunks + steps <= most)
        return {};
    const bool isPrompt = chunks > steps;
    return planError(isPrompt ? "inference.chunk" : "inference.output", "a prompt of " + std::to_string(chunks) + " chunks and " + std::to_string(steps) + " steps of decoding are too many passes",
                     "at most " + std::to_string(most) + " passes together: " + (isPrompt ? "larger chunks" : "decode_steps, which simulates some of the steps"));
}

/// Ranks that prefill for others.
Status checkPools(const PlanLayout& layout)
{
    const std::int64_t prefill = layout.inference->prefillReplicas;
    if (prefill == 0)
        return {};
    const std::int64_t all = layout.dataSize;
    if (prefill >= all || (all - prefill) % prefill != 0)
        return planError("inference.prefill_replicas", std::to_string(prefill) + " of " + std::to_string(all) + " replicas along \"" + layout.data.axis + "\" cannot prefill for the others",
                         all > 1 ? nearestDivisors(all, prefill, all / 2) + ", so that each has as many others" : "no prefill_replicas, or a larger data axis");
    // Experts inside data: both pools have whole groups.
    const bool inside = layout.expertSize > 1 && layout.replicas == layout.dataSize;
    if (inside && prefill % layout.expertSize != 0)
        return planError("inference.prefill_replicas", std::to_string(prefill) + " replicas, and " + std::to_string(layout.expertSize) + " next to each other share experts", "a multiple of " + std::to_string(layout.expertSize));
    return {};
}

} // namespace

Status checkInference(const ModelSpec* model, PlanLayout& layout)
{
    InferencePlan& inference = *layout.inference;
    if (!model || model->family != ComputeFamily::Transformer || !model->transformer.causal || model->transformer.head != HeadKind::LanguageModel)
        return planError("inference", "only transformers that predict the next token generate text", "a model of that kind, or no section inference");
    if (Status status = checkNoTraining(layout); !status)
        return status;
    for (std::int64_t rank = 0; rank < layout.grid.ranks(); ++rank) {
        if (layout.grid.placeOf(rank) != rank)
            return planError("mesh.device_order", "inference does not know a device order", "no device_order");
    }
    if (inference.prompt == 0)
        inference.prompt = model->transformer.seq;
    if (inference.decodeSteps > 0 && inference.decodeSteps > inference.output - 1)
        return planError("inference.decode_steps", std::to_string(inference.decodeSteps) + " steps of decoding for " + std::to_string(inference.output) + " tokens, of which the prompt gives the first",
                         inference.output > 1 ? "at most " + std::to_string(inference.output - 1) : "no decode_steps");
    if (Status status = checkPasses(*model, layout); !status)
        return status;
    return checkPools(layout);
}

} // namespace fabricscope
