#pragma once

#include "core/base/stop.h"
#include "core/base/result.h"
#include "core/sharding/execute/densetensor.h"

namespace fabricscope {

/// What one execution may take.
struct ExecutionLimits {
    std::int64_t elements = std::int64_t{1} << 20;  ///< Of one tensor.
    std::int64_t memory = std::int64_t{1} << 28;    ///< Elements of all tensors, on all devices (4 bytes each).
    std::int64_t steps = std::int64_t{1} << 33;     ///< Products and other elementary steps, of all ops on all devices.
};

/// Refuses a graph that is too large to be run, naming tensor or op and the limit. O(graph).
Status checkRunnable(const OpGraph& graph, const ExecutionLimits& limits = {});

/// An input of the graph, by name, seed and type alone (inputElement()).
DenseTensor inputOf(const GraphTensor& tensor, std::uint64_t seed);

/// All tensors of a graph, run whole: by OpGraph::tensors. Inputs and parameters come from inputOf(). Knows nothing of meshes. Errors: too large (checkRunnable()), an op whose
/// operands do not fit (Internal), Cancelled. O(steps of the ops).
Result<std::vector<DenseTensor>> runWhole(const OpGraph& graph, std::uint64_t seed, const std::stop_token& stop = {}, const ExecutionLimits& limits = {});

} // namespace fabricscope
