#pragma once

#include "core/base/result.h"
#include "core/trace/traceset.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Fills RankGraph::tensors from the attributes `inputs` and `outputs` of the nodes: lists of name, size in bytes, name, size, ... (manual: formats 3.3,
/// ASTRA-sim's track-local-mem). A tensor is there from the issue of the first node that lists it as output to the end of the last node that lists it at all;
/// one that no node puts out from the start of the run; one that no node takes in stays. Size 0 is skipped; of different sizes of one name the largest counts.
/// `nodeOfTask`: position in the file of every task. Reads every node of the rank again: only where memory is wanted.
/// Errors: NotReadable; InvalidInput for lists that are no pairs of name and size, with file, rank and node.
/// Told to stop: throws StopRequested (stop.h).
Status addTraceTensors(const TraceSet& traces, std::int64_t rank, const std::vector<std::uint32_t>& nodeOfTask, RankGraph& graph,
                       const std::stop_token& stop);

} // namespace fabricscope
