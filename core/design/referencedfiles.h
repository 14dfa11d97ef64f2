#pragma once

#include "core/base/files/outputcheck.h"
#include "core/design/design.h"

#include <vector>

namespace fabricscope {

/// NamedFile::name of the programs among referencedFiles().
inline constexpr const char* kProgramOfDesign = "a program of the design";

/// Every file that running the design reads: its own, those its sections name (platform, system, remote memory, groups, programs, scripts) and its traces, as
/// opened and called by what they are. For checkOutputs().
std::vector<NamedFile> referencedFiles(const Design& design);

} // namespace fabricscope
