#pragma once

#include "core/transform/transformed.h"

#include <string>

namespace fabricscope::cli {

/// Both programs as lists of kernels with layouts and times, the steps between them, and what they bring.
std::string transformedText(const transform::Transformed& made);
/// The same as JSON (manual: json). `warnings`: what reading the file noticed.
std::string transformedJson(const transform::Transformed& made, const Diagnostics& warnings);

} // namespace fabricscope::cli
