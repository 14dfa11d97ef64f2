#pragma once

#include "core/scenario/lowering.h"
#include "core/scenario/programlibrary.h"

#include <optional>

namespace fabricscope {

/// What a native all-reduce, reduce-scatter or all-gather runs on a group whose levels have blocks of different size (manual: collectives 5.6): a program of operations.
/// Nothing: the group has no such levels, or `setting` asks for what goes along one level: another collective, a window, trees, switches that reduce. Then, and where the
/// program would be too large, planCollective() is asked. Errors: a list of algorithms that has one per level but others than ring, direct, halving_doubling; Cancelled.
Result<std::optional<PlannedCollective>> planUneven(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op,
                                                    std::int64_t bytes, const CollectiveSetting& setting, ProgramLibrary& library);

} // namespace fabricscope
