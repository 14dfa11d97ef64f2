#pragma once

#include "core/base/keytable.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/design/design.h"
#include "core/transform/tensorfile.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope::transform {

/// What can be cut out of a step of training (manual: transform 2.2).
enum class ModelPart : std::uint8_t {
    Optimizer,        ///< All-reduce of the gradients and the optimizer, over the ranks with the same parameters.
    Attention,        ///< Output projection of attention, all-reduce, bias, dropout and residual, over the ranks of tensor parallelism.
    Mlp,              ///< The same of the feed-forward part.
    PipelineBoundary, ///< All-reduce, bias, dropout and residual of a layer, and the message to the next stage.
};
inline constexpr KeyTable<ModelPart, 4> kModelParts{{{"optimizer", ModelPart::Optimizer}, {"attention", ModelPart::Attention}, {"mlp", ModelPart::Mlp}, {"pipeline_boundary", ModelPart::PipelineBoundary}}};

/// A part of a design's step as a program of its own.
struct PartOfStep {
    std::string text;       ///< As a file of `transform`, with the schedule that is published for such a part.
    TransformFile file;     ///< The same read.
    std::int64_t count = 1; ///< How often it is on the way through a step.
    std::optional<SimTime> step;    ///< Of the whole step, as the estimate of the plan has it (manual: plans 7); absent: not known.
    std::optional<SimTime> instead; ///< What of the step the part takes the place of, where that is not the program as written: exposed gradients and optimizer.
};

/// Cuts a part out of the step of a design with a model and a plan: sizes of the model, ranks and dimensions of the group. Errors: a workload that is no plan of a transformer, a
/// platform that is no list of dimensions, a part the plan has not or has split already, those of layoutOf(), analyseDesign() and readTransformText().
Result<PartOfStep> partOfStep(const Design& design, ModelPart part, const std::stop_token& stop = {});

/// The step with the part as `after` makes it: what it takes the place of goes, and `count` times what is there now comes. Never below 0.
std::optional<SimTime> stepWith(const PartOfStep& part, SimTime before, SimTime after);

} // namespace fabricscope::transform
