#pragma once

#include "core/study/designspace.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace fabricscope {

/// A design of a study as a design file of its own, named after the study and its number; comments of the base are not kept. Relative paths in it start at the folder of
/// the base. In pointtext.cpp. Errors: those of reading the design; Cancelled. \pre 0 <= number < designCount()
Result<std::string> pointText(const StudySpec& space, std::int64_t number, const std::stop_token& stop = {});

} // namespace fabricscope
