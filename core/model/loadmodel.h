#pragma once

#include "core/model/checkpointconfig.h"

#include <stop_token>

namespace fabricscope {

/// A model from the text of a file: config.json of a checkpoint (a name that ends with .json, or text that begins with "{"), a model file of ours, or a
/// design with `workload: {model: ...}`. Errors carry file, line and field. `predictLayers` as readCheckpointConfig().
Result<CheckpointModel> loadModelText(std::string text, const std::string& file, bool predictLayers = false, const std::stop_token& stop = {});

} // namespace fabricscope
