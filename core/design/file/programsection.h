#pragma once

#include "core/design/design.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectiontree.h"

#include <array>
#include <string_view>
#include <vector>

namespace fabricscope {

/// The keys that name programs, in `collectives.default` and in rules.
inline constexpr std::array<std::string_view, 8> kProgramKeys{"algorithm", "radix", "program", "script", "parameters", "synthesis", "candidates", "slots"};

/// What a map says of algorithms and programs.
struct ProgramFields {
    bool given = false;                      ///< One of algorithm, program, script, synthesis.
    std::vector<AlgorithmChoice> algorithms; ///< Empty: the standard ones.
    ProgramChoice choice;
    bool slotsGiven = false;
};
ProgramFields readProgramFields(FieldContext& context, const MapReader& map);

/// Writes them back into a map. `canonical`: as the design hash reads it.
void writeProgramFields(MapBuilder& map, const std::vector<AlgorithmChoice>& algorithms, const ProgramChoice& choice, bool canonical);

} // namespace fabricscope
