#pragma once

#include "core/base/jsontext.h"
#include "core/model/modelspec.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A model read from a checkpoint's config.json, and what of it a user should know.
struct CheckpointModel {
    ModelSpec model;
    Diagnostics notes; ///< Fields that are not understood and do not seem to change sizes, defaults that were taken.
};

/// Reads a Hugging Face config.json as it is (manual: workload 6). An architecture that is not in checkpointArchitectures() is named and refused; so is a
/// field that is not understood and looks as if it changed sizes. `predictLayers`: layers that predict further tokens (num_nextn_predict_layers) count.
Result<CheckpointModel> readCheckpointConfig(const JsonDocument& document, bool predictLayers = false);

/// Names of `architectures` that are read, in alphabetical order, without "ForCausalLM".
std::vector<std::string_view> checkpointArchitectures();

} // namespace fabricscope
