#pragma once

#include "core/base/result.h"
#include "core/program/program.h"
#include "core/trace/traceset.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// Makes a program of a collective algorithm given as a graph per algorithm rank (manual: formats 3.5): operations in ascending node id,
/// SEND and RECV with the tag as connection, COMP with its duration (1 ns when 0); the step is tie_order (programtraces.h), else local_time_step. Messages are absolute bytes (comm_size), or chunks
/// (msg_chunk_cnt of total_chunk_cnt, bytes -1). Refuses other node types, faulty dependencies, absent peers, sends and receives that do not pair up.
/// Told to stop, as the others here: Cancelled.
Result<ProgramPtr> customProgramFromTraces(const TraceSet& traces, CollectiveOp op = CollectiveOp::Custom, const std::stop_token& stop = {});

/// Reads PATH.0.et .. PATH.(ranks-1).et; ranks 0: as many as there are.
Result<ProgramPtr> readCustomProgram(const std::string& path, std::int64_t ranks = 0, CollectiveOp op = CollectiveOp::Custom, const std::stop_token& stop = {});

/// The program a graph was made of (programtraces.h in core/programio), with places, lanes, fused groups and conditions; of any other graph
/// customProgramFromTraces. What runs the graph itself, as ASTRA-sim does, takes the two functions above.
Result<ProgramPtr> programFromTraces(const TraceSet& traces, CollectiveOp op = CollectiveOp::Custom, const std::stop_token& stop = {});
Result<ProgramPtr> readGraphProgram(const std::string& path, std::int64_t ranks = 0, CollectiveOp op = CollectiveOp::Custom, const std::stop_token& stop = {});

} // namespace fabricscope
