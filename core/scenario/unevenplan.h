#pragma once

#include "core/scenario/lowering.h"
#include "core/scenario/programlibrary.h"

#include <optional>

namespace fabricscope {

/// planUneven() found a program, or why planCollective() is to be asked.
struct UnevenPlan {
    std::optional<PlannedCollective> planned;
    std::string whyFlat; ///< For people; empty: the group has no levels of different size.
};

/// What a native all-reduce, reduce-scatter or all-gather runs on a group whose levels have blocks of different size (manual: collectives 5.6): a program of operations.
/// One level stays where the setting asks for what levels cannot do (a window, trees, switches that reduce), where the program would be too large, and unless it is
/// faster than a ring over all members by a quarter, as the fullest links and the latencies of steps are estimated, or the setting lists an algorithm per level.
/// Errors: such a list with others than ring, direct, halving_doubling; Cancelled.
Result<UnevenPlan> planUneven(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op, std::int64_t bytes,
                              const CollectiveSetting& setting, ProgramLibrary& library);

} // namespace fabricscope
