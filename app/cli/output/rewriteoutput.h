#pragma once

#include "core/transform/stepsearch.h"
#include "core/transform/transformed.h"

#include <string>

namespace fabricscope::cli {

/// Both programs as lists of kernels with layouts and times, the steps between them, and what they bring.
/// `search`: null, or the search that found the schedule.
std::string transformedText(const transform::Transformed& made, const transform::StepSearch* search);
/// The same as JSON (manual: json). `warnings`: what reading the file noticed.
std::string transformedJson(const transform::Transformed& made, const Diagnostics& warnings, const transform::StepSearch* search);

} // namespace fabricscope::cli
