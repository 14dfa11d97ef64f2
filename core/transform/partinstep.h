#pragma once

#include "core/base/result.h"
#include "core/transform/boundarytasks.h"
#include "core/transform/modelparts.h"
#include "core/transform/parttasks.h"
#include "core/transform/transformed.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace fabricscope::transform {

/// A whole step of training, simulated (manual: transform 2.2).
struct StepTimes {
    SimTime plan;      ///< As the plan has it.
    SimTime written;   ///< With the kernels of the program as written in the place of the part.
    SimTime scheduled; ///< With those that a schedule makes of it.
    std::int64_t places = 0; ///< Where the part is, of the rank with the most.
};

/// Simulates the step of a design three times: as it is, and with the program of `part` before and after. Ranks have so many elements as they hold. Errors: no place for the part, those of loading, preparing and simulating the design and of timing, a run that never ends.
/// \pre part is partOfStep(design, kind), with the timing that `made` has
/// In simulatestep.cpp.
Result<StepTimes> simulateStep(const Design& design, ModelPart kind, const PartOfStep& part, const TimingSetup& timing, const Transformed& made, const std::stop_token& stop = {});

/// Tasks of a program for so many elements.
using TasksOfElements = std::function<Result<std::vector<PartTask>>(std::int64_t elements)>;

/// A workload with a part replaced, and in how many places of a rank (the most).
struct ReplacedPart {
    WorkloadPtr workload;
    std::int64_t places = 0;
};

/// Collectives of gradients and the optimizer replaced by a program of N elements: what takes partial sums runs bucket by bucket where the collectives were, the rest where the optimizer was.
/// `gradientBytes`: of an element. Errors: those of `tasks`.
Result<ReplacedPart> withOptimizer(const Workload& workload, std::int64_t gradientBytes, const TasksOfElements& tasks);

/// What of a layer a block takes the place of: operations and bytes of a rank.
struct BlockWork {
    std::int64_t productOperations = 0;
    std::int64_t productBytes = 0;
    std::int64_t behindOperations = 0; ///< Bias, dropout, residual.
    std::int64_t behindBytes = 0;
};

/// Null: the layer has no such block.
using WorkOfLayer = std::function<const BlockWork*(std::int64_t layer)>;

/// The product, its all-reduce and what is behind it replaced by `tasks` in the forward passes: the sum number `sum` (from 0) of each layer that `workOf` knows.
ReplacedPart withBlock(const Workload& workload, std::int32_t sum, const WorkOfLayer& workOf, const std::vector<PartTask>& tasks);

/// The sum behind the last layer of a stage and the message of it replaced by `tasks`, at every boundary whose message waits for the sum of a layer that `workOf` knows; what stands behind
/// the sum goes.
/// In boundaryinstep.cpp.
ReplacedPart withBoundary(const Workload& workload, const WorkOfLayer& workOf, const std::vector<BoundaryTask>& tasks);

} // namespace fabricscope::transform
