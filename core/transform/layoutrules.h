#pragma once

#include "core/base/result.h"
#include "core/transform/tensorprogram.h"

#include <string>

namespace fabricscope::transform {

/// Infers shape, element type, layout and group of every stage (manual: transform 2). Norms and whole-tensor reductions over a slice become partial, and a scalar
/// all-reduce NAME.ar behind each makes them whole: what read NAME reads NAME.ar. Every stage must only read tensors and stages above it.
/// Errors at the stage's place: op, operand, layout found and layout expected; `broken` (may be null): the name of that stage. O(stages * operands).
Status inferLayouts(TensorProgram& program, std::string* broken = nullptr);

} // namespace fabricscope::transform
