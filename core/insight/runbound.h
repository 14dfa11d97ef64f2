#pragma once

#include "core/run/rundesign.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// The least time of a whole run, whatever its links and NPUs do first.
struct RunBound {
    std::int64_t ps = 0;
    std::string binds; ///< "the tasks of rank 3 one after the other", "the computations of rank 3".
};

/// The longest chain of tasks over all ranks, each taking at least what it takes alone: computations, messages from send to receive, accesses to remote memory, and
/// collectives whose members begin and end together their bound (core/bounds; others nothing); and all computations of one NPU. That of the record where it is more.
/// Nothing where rates are drawn or change, under astra-*, and of more than 2^21 tasks. Told to stop: throws StopRequested. O(tasks log tasks).
/// \pre the record has task times
std::optional<RunBound> runBound(const RunResult& run, const std::stop_token& stop = {});

} // namespace fabricscope
