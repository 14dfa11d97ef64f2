#pragma once

#include "core/plan/lower/taskwriter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// One task of the work of a stage; the pieces of a pass follow each other.
struct WorkPiece {
    enum class Kind : std::uint8_t {
        Compute,
        Collective, ///< The next piece waits for it.
    };
    Kind kind = Kind::Compute;
    std::string name;
    TaskWriter::Cost cost;                     ///< Compute.
    CollectiveOp op = CollectiveOp::AllReduce; ///< Collective.
    std::int64_t bytes = 0;                    ///< Collective: the large side.
    FamilyId family = 0;
};

/// What a stage does for one micro-batch.
struct StageWork {
    std::vector<WorkPiece> forward;
    std::vector<WorkPiece> backward; ///< Gradient of the input.
    std::vector<WorkPiece> weight;   ///< Gradient of the weights.
    std::vector<WorkPiece> full;     ///< Both, where the schedule does not split them.
    std::int64_t pairPs = -1;        ///< A forward pass with a full backward pass as one task of this length; -1: as their own tasks, side by side.
    std::int64_t sendBytes = 0;      ///< To the next stage, and as much to the one before.
};

} // namespace fabricscope
