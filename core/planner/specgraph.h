#pragma once

#include "core/model/modelspec.h"
#include "core/planner/modelgraphs.h"

namespace fabricscope {

/// The forward graph of a transformer of designs and checkpoints for `batch` sequences of its usual length: products, norms, softmax and residuals; what only masks or
/// turns (dropout, causal masks, rotary positions) is left out. Activations and weights are of the model's type of parameters.
/// Errors: Unsupported (another family; experts, latent or sliding attention, parallel residuals and other parts that the graph does not have, by name).
Result<ModelGraph> graphOfModel(const ModelSpec& model, std::int64_t batch);

} // namespace fabricscope
