#pragma once

#include "core/transform/modelparts.h"
#include "core/transform/stepsearch.h"
#include "core/transform/transformed.h"

#include <string>

namespace fabricscope::cli {

/// Both programs as lists of kernels with layouts and times, the steps between them, and what they bring.
/// `search`: null, or the search that found the schedule. `part`: null, or the part of a step that the program is.
std::string transformedText(const transform::Transformed& made, const transform::StepSearch* search, const transform::PartOfStep* part = nullptr);
/// The same as JSON (manual: json). `warnings`: what reading the file noticed.
std::string transformedJson(const transform::Transformed& made, const Diagnostics& warnings, const transform::StepSearch* search, const transform::PartOfStep* part = nullptr);

} // namespace fabricscope::cli
