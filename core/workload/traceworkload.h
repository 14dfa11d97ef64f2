#pragma once

#include "core/base/result.h"
#include "core/trace/commgroups.h"
#include "core/trace/traceset.h"
#include "core/workload/taskgraph.h"

#include <stop_token>

namespace fabricscope {

struct TraceWorkloadOptions {
    CtrlDeps ctrlDeps = CtrlDeps::Auto;
    std::int64_t bytesPerElement = 1; ///< Factor on comm_size and tensor_size, at least 1.
    std::int64_t rankCount = 0;       ///< Ranks of the machine; 0: as many as there are traces.
    bool tensors = false;             ///< Read what nodes hold in memory too (tracetensors.h); takes a second pass.
    bool astraRules = false;          ///< Surplus rank files are a warning, as ASTRA-sim ignores them; else an error.
    std::stop_token stop = {};        ///< Looked at for every node; then the error is Cancelled.
};

struct TraceWorkloadResult {
    WorkloadPtr workload;
    Diagnostics diagnostics; ///< Warnings and notes, one per kind.
};

/// Makes task graphs of traces: sizes become bytes of the large side, groups become families ([0] all ranks, then one listed family per group
/// used, named by its id), communication nodes of the host become host work, ranks with equal tasks share one graph.
/// Errors name rank and node: unusable nodes, faulty dependencies, groups, sizes above 2^56 bytes. O(nodes log nodes + dependencies).
Result<TraceWorkloadResult> workloadFromTraces(const TraceSet& traces, const CommGroups& groups, const TraceWorkloadOptions& options = {});

} // namespace fabricscope
