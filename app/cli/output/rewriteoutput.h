#pragma once

#include "core/transform/partinstep.h"
#include "core/transform/stepsearch.h"
#include "core/transform/transformed.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

/// The step that a program is a part of.
struct StepOfPart {
    transform::ModelPart kind = transform::ModelPart::Optimizer;
    transform::PartOfStep part;
    std::optional<transform::StepTimes> times; ///< Absent: not simulated.
    std::string reason;                        ///< Why not.
};

/// Both programs as lists of kernels with layouts and times, the steps between them, and what they bring.
/// `search`: null, or the search that found the schedule. `step`: null, or the step that the program is a part of.
std::string transformedText(const transform::Transformed& made, const transform::StepSearch* search, const StepOfPart* step = nullptr);
/// The same as JSON (manual: json). `warnings`: what reading the file noticed.
std::string transformedJson(const transform::Transformed& made, const Diagnostics& warnings, const transform::StepSearch* search, const StepOfPart* step = nullptr);

} // namespace fabricscope::cli
