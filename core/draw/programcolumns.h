#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Which message an operation is an end of, and in which column of a picture it stands.
struct ProgramColumns {
    static constexpr std::uint32_t kNone = UINT32_MAX;

    std::vector<std::uint32_t> partner;  ///< Of a send its receive and back, by operation; kNone: not a message, or left over.
    std::vector<std::int32_t> column;    ///< By operation; both ends of a message have the same, local work that of the message after it.
    std::int32_t columns = 0;
    bool asPlanned = false;              ///< The columns are the program's own steps. Else the first in which everything waited for is done.
    std::uint32_t stuck = 0;             ///< Operations that can never start; they stand in the last column.
};

/// The program's steps are taken where both ends of every message have the same and nothing waits for a later one. Else an operation stands
/// behind what it waits for: dependencies, its lane, its message. Sends and receives pair up in order (ExplicitBody). O(operations + depends),
/// memory the same. \pre an explicit body.
ProgramColumns programColumns(const Program& program);

} // namespace fabricscope
