#pragma once

#include "core/base/result.h"
#include "core/transform/parttasks.h"

#include <cstdint>
#include <vector>

namespace fabricscope::transform {

/// A task of a program that sends from one group to the next.
struct BoundaryTask {
    PartTask part;
    bool beside = false; ///< Computation: no work of the processors, only a time that passes.
    bool behind = false; ///< In the group that receives.
    std::vector<std::int32_t> after; ///< Numbers of tasks of the list, all before it; of a message, behind it: its arrival. None: it begins with the part.
};

/// The kernels of a program with one send as tasks of two groups. Kernels of an overlap are whole tasks: each begins when the first chunk of the one before is there, and ends a chunk
/// behind its end, so that a chain takes as long as scheduleChain() says when nothing else uses the links. Messages of a chain are three: the first chunk, the last one, and what is between.
/// Error: something runs in the group that receives before the message is there.
Result<std::vector<BoundaryTask>> boundaryTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm);

} // namespace fabricscope::transform
