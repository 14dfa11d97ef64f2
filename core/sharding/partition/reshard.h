#pragma once

#include "core/sharding/partition/partitionedprogram.h"

#include <vector>

namespace fabricscope {

/// One step from a layout to another; fields as those of ProgramStep.
struct ReshardMove {
    StepKind kind = StepKind::Slice;
    AxisList axes;
    std::int32_t dim = 0;
    std::int32_t toDim = 0;
    Layout after;
    std::int64_t bytes = 0;
    std::int64_t sent = 0;
    std::optional<RunnerUp> runnerUp; ///< Without the name of the tensor.
};

/// Steps from one layout of a tensor to another (manual: sharding 5): unreduced axes first (reduce-scatter where the other layout cuts a dim by them, else all-reduce), then slices,
/// collective permutes, all-to-alls in order and out of order, all-gathers; where parts of uneven dims do not line up a dim is gathered whole and cut again.
/// Unreduced axes of `to` must be unreduced in `from` too. Ring bytes. Empty: the layouts are the same. O(dims^2 * axes) steps.
std::vector<ReshardMove> reshardMoves(const TensorShape& shape, std::int64_t elementBytes, const Layout& from, const Layout& to);

/// Sum of what a device sends.
std::int64_t sentBy(const std::vector<ReshardMove>& moves);

} // namespace fabricscope
