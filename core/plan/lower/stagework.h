#pragma once

#include "core/plan/lower/taskwriter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// One task, or a few, of the work of a stage; the pieces of a pass follow each other.
struct WorkPiece {
    enum class Kind : std::uint8_t {
        Compute,
        Collective, ///< The next piece waits for it.
        Ring        ///< Attention of own queries to keys and values that go round the ring: `ringSteps` + 1 blocks, each but the first behind a message.
    };
    Kind kind = Kind::Compute;
    std::string name;
    TaskWriter::Cost cost;                     ///< Compute; ring: of all blocks.
    double seconds = 0;                        ///< The same of kernels, not rounded; 0: it follows from `cost`.
    CollectiveOp op = CollectiveOp::AllReduce; ///< Collective.
    std::int64_t bytes = 0;                    ///< Collective: the large side; ring: of a message.
    FamilyId family = 0;
    std::int32_t ringSteps = 0;
    bool ringBackward = false;                 ///< Gradients go round, too.
    std::int32_t unit = -1;                    ///< Units of parameters that must be gathered before it (StageWork::units), ...
    std::int32_t unitCount = 0;                ///< ... so many from that one on.
    std::int64_t denseGradients = 0;           ///< Bytes of gradients that are there behind it, ...
    std::int64_t expertGradients = 0;          ///< ... of routed experts ...
    std::int64_t copyGradients = 0;            ///< ... and of a copy of a tied table that is a unit of its own.
};

/// What ZeRO-3 gathers together: bytes of the whole parameters of one rank.
struct ParameterUnit {
    std::int64_t dense = 0;
    std::int64_t experts = 0;
};

/// Picoseconds in which the host launches the passes of a stage, beside them.
struct StageLaunches {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    std::int64_t weight = 0;
    std::int64_t full = 0;
};

/// What a stage does for one micro-batch.
struct StageWork {
    std::vector<WorkPiece> forward;
    std::vector<WorkPiece> backward; ///< Gradient of the input.
    std::vector<WorkPiece> weight;   ///< Gradient of the weights.
    std::vector<WorkPiece> full;     ///< Both, where the schedule does not split them.
    StageLaunches launches;
    std::vector<ParameterUnit> units; ///< ZeRO-3 only.
    std::int64_t pairPs = -1;        ///< A forward pass with a full backward pass as one task of this length; -1: as their own tasks, side by side.
    std::int64_t sendBytes = 0;      ///< To the next stage, and as much to the one before.
};

/// Who sums gradients of parameters that ranks have in common, and who shares their states. A family of -1: nobody.
struct StateWork {
    FamilyId group = -1;            ///< All that have them.
    FamilyId shard = -1;            ///< Of these, those that share states ...
    FamilyId copies = -1;           ///< ... and those across.
    std::int64_t gradientBytes = 0; ///< Of one rank.
    std::int64_t copiedBytes = 0;   ///< Of one rank's share of the states.
    std::int64_t parameterBytes = 0;
};

/// What a rank does beside and behind the passes of its micro-batches.
struct StepWork {
    std::int32_t zero = 0;
    bool overlap = true;             ///< Gradient collectives run beside the backward pass; else behind it.
    bool gatherAgain = true;         ///< ZeRO-3: for the backward pass, too.
    std::int32_t prefetch = 1;       ///< ZeRO-3: units gathered ahead.
    std::int64_t bucket = INT64_MAX; ///< Bytes.
    StateWork dense;
    StateWork experts;
    std::vector<WorkPiece> sums;     ///< Collectives behind the last backward pass.
    std::optional<TaskWriter::Cost> optimizer;
};

} // namespace fabricscope
