#pragma once

#include "core/base/result.h"
#include "core/record/runrecord.h"
#include "core/report/runjson.h"
#include "core/workload/taskgraph.h"

#include <stop_token>
#include <string>

namespace fabricscope {

class OutputFiles;

/// The tasks of a run as a trace for Perfetto or chrome://tracing: one process per class of ranks (its first rank is the number)
/// or per rank, one thread per slot (compute, communication, memory, host; more where tasks overlap). A flow from each send to its receive; of a class its first
/// rank sends. Counters, as a process of their own: how busy each dimension is over time, and live bytes of memory. Times in us, exact to the ps.
/// Told to stop: throws StopRequested (stop.h). \pre the record has task times.
std::string timelineTrace(const RunRecord& record, const Workload& workload, RankRows rows, const std::stop_token& stop = {});

/// The same as a table: ranks, kind, node, name, issue_ns, end_ns, bytes.
std::string timelineCsv(const RunRecord& record, const Workload& workload, RankRows rows, const std::stop_token& stop = {});

/// Writes one or the other, as the ending of the name says: .csv, else .json; `files` as for writeOutputFile(). Errors: NotWritable, Usage (another ending), Cancelled.
Status writeTimeline(const std::string& path, const RunRecord& record, const Workload& workload, RankRows rows, OutputFiles* files = nullptr,
                     const std::stop_token& stop = {});

/// The ending `path` must have; an empty Status when it is one of them.
Status checkTimelineName(const std::string& path);

} // namespace fabricscope
