#pragma once

#include "core/plan/layout.h"

namespace fabricscope {

/// Chunks of a prompt and simulated steps at most; more are refused.
constexpr std::int64_t kMostInferencePasses = 4096;

/// What inference cannot be; fills in the tokens of the prompt. Errors name the field and what can be (manual: plans 10). \pre layout.inference, and the batch is known. O(ranks).
Status checkInference(const ModelSpec* model, PlanLayout& layout);

} // namespace fabricscope
