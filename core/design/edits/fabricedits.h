#pragma once

#include "core/platform/fabric/fabric.h"
#include "core/platform/fabric/fabricform.h"
#include "core/yaml/tree.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// A generated fabric as levels of switches over parts, with the counts a user changes. Numbers of levels are from below, 0 first.
struct FabricLevels {
    struct Level {
        std::string name;          ///< Of its switches: "leaf".
        std::int64_t switches = 0; ///< In all.
        std::int64_t down = 0;     ///< Ports of one that lead down,
        std::int64_t up = 0;       ///< and up; 0 at the top.
        std::int64_t radix = 0;    ///< Ports it has; 0: as many as it takes.
        std::int64_t count = 1;    ///< How many of what is below one of its units joins.
    };
    std::string part;              ///< What stands at the places: "npu", "hgx-h100".
    std::int64_t parts = 0;        ///< In all,
    std::int64_t npus = 0;         ///< with so many NPUs together.
    std::vector<Level> levels;
};

/// None where the fabric has no levels: a family with its numbers (torus, dragonfly).
std::optional<FabricLevels> fabricLevels(const FabricForm& form, const Fabric& fabric);
/// Of what the text says, in a line (`platform.topology`) or as `platform.fabric`; none where it says neither, or has errors there. Neither makes cables nor reads
/// the rest of the design: at every step of a drag.
std::optional<FabricLevels> fabricLevels(const YamlDocument& yaml);

/// The fabric in one line: as the text has it, or for a list of levels the line that says the same, with the same names of switches; lengths of cables are left out, which
/// nothing depends on. None where the text is neither, has errors there, or says what no line can: a blueprint, other names, figures of cables inside groups.
std::optional<std::string> fabricLine(const YamlDocument& yaml);

namespace edits {

// Splices of the line or of the levels, which must be a fabric afterwards. Errors: those of the fabric, with the nearest valid value; Unsupported, where the
// text is neither.

/// How many of what is below a unit of this level joins, from 1 on.
Status setLevelCount(YamlDocument& yaml, std::size_t level, std::int64_t count);
/// Cables down to cables up of the switches of a level. \pre it is not the highest
Status setOversubscription(YamlDocument& yaml, std::size_t level, Ratio ratio);
/// What stands at the places below the lowest level: a preset, `npu`, or a topology in one line; how many there are stays.
Status setLevelPart(YamlDocument& yaml, const std::string& part);
/// A level of switches over all others, which joins two of what there is.
Status addLevel(YamlDocument& yaml);
/// Takes the highest level away. \pre there are two
Status removeLevel(YamlDocument& yaml);

} // namespace edits

} // namespace fabricscope
