#pragma once

#include "core/base/error.h"
#include "core/trace/commgroups.h"
#include "core/trace/traceset.h"

#include <stop_token>

namespace fabricscope {

struct LintOptions {
    CtrlDeps ctrlDeps = CtrlDeps::Auto;
    std::int64_t rankCount = 0;       ///< Ranks of the machine; 0: as many as there are traces.
    std::int64_t bytesPerElement = 1; ///< As the run will have it; only for the advice about element counts.
    std::stop_token stop = {};        ///< Looked at for every node; then StopRequested (stop.h) is thrown.
};

/// Everything that is wrong or strange in a workload: one finding per kind with a count and the first places; errors are what a run refuses
/// or cannot finish. Besides what a run checks (nodecheck.h): messages without partner (unpaired-send, unpaired-recv, message-size), collectives that
/// members do not issue alike (collective-count, collective-size), rings of waits across ranks (collective-order, message-order), sizes in
/// elements (element-counts-not-bytes), no-durations, comp-without-work, group-of-one, group-name-not-number, rank-count.
/// O(nodes + dependencies), plus sorting of messages.
Diagnostics lintTraces(const TraceSet& traces, const CommGroups& groups, const LintOptions& options = {});

} // namespace fabricscope
