#pragma once

#include "core/base/result.h"
#include "core/record/runrecord.h"
#include "core/workload/exportedtraces.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// The tasks of a run as Chakra traces with their times. \pre the record has task times; both outlive it.
ExportedTraces timedTraces(const RunRecord& record, const Workload& workload);

/// Writes PREFIX.0.et, PREFIX.1.et, ... and, where collectives have groups, PREFIX.json: all of them or, without `files` too, none. Gives what the traces do not keep.
/// Errors: NotWritable, Cancelled, InvalidInput (too many tasks).
Result<Diagnostics> writeTimedTraces(const std::string& prefix, const RunRecord& record, const Workload& workload, OutputFiles* files = nullptr, const std::stop_token& stop = {});

} // namespace fabricscope
