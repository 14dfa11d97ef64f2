#pragma once

#include "core/design/design.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"

#include <vector>

namespace fabricscope {

/// What `collectives.default` or a rule says of algorithms and programs.
struct ProgramFields {
    bool given = false;                      ///< One of algorithm, program, script, synthesis.
    std::vector<AlgorithmChoice> algorithms; ///< Empty: the standard ones.
    ProgramChoice choice;
    std::vector<ProgramSource> sources{};    ///< While it is read: of program, script and synthesis those that are there.
};
/// By programFields(), which looks at one key after the other, and what they are together.
ProgramFields readProgramFields(const MapReader& map);

} // namespace fabricscope
