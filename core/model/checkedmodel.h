#pragma once

#include "core/model/modelspec.h"

#include <optional>
#include <string>

namespace fabricscope {

/// What does not fit together in a model, and the key of our files it is about ("transformer.kv_heads").
struct ModelProblem {
    std::string key;
    std::string message;
    std::string expected;
};

/// Sizes of a model that have been read one by one, checked together. Nothing: the model can be computed with. O(size).
std::optional<ModelProblem> problemOf(const ModelSpec& model);

} // namespace fabricscope
