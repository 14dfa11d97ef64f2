#pragma once

#include "core/plan/layout.h"

namespace fabricscope {

/// What of a model cannot be divided as the plan says. \pre sizes and layers of the layout are known. In dividechecks.cpp.
Status checkDivisions(const ModelSpec& model, const PlanLayout& layout);

} // namespace fabricscope
