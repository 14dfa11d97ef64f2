#pragma once

#include "core/base/result.h"
#include "core/transform/programtimes.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// Something that a kernel of a program does, as a task of a graph; the next one waits for it.
struct PartTask {
    std::string name;               ///< Of its stage.
    bool communicates = false;
    bool message = false;           ///< Communication: no collective, but sent to the next group.
    CollectiveOp op = CollectiveOp::AllReduce; ///< Collective.
    std::int64_t bytes = 0;         ///< Collective: the large side; message: what a rank sends.
    SimTime time;                   ///< Computation.
    bool inBuckets = false;         ///< Takes the partial sums as they come, or what was made of those that came.
};

/// The kernels of a program one after the other, as tasks that take as long together as the program when nothing else uses the links. What a kernel or a chain hides behind its
/// communication is no task; computation that stands out is. Error: a send.
Result<std::vector<PartTask>> partTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm);

} // namespace fabricscope::transform
