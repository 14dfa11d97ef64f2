#pragma once

#include "core/cost/goodput.h"
#include "core/cost/hardwarebill.h"

#include <optional>

namespace fabricscope {

/// What checkpoints and failures leave of the time of a design.
struct Checkpointing {
    FailureTimes times;
    double interval = 0; ///< Seconds of useful time: of the design, else the best.
    double share = 1;    ///< Goodput.
    Diagnostics warnings{};
};

/// Nothing: the design does not say how long a checkpoint takes.
std::optional<Checkpointing> checkpointing(const HardwareBill& bill, const CostConfig* costs);

} // namespace fabricscope
