#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

// Our own file of a program, template or explicit, without loss:
//
// {"fabricscope_program": 1, "name", "provenance", "op": "all_reduce", "ranks", "chunks", "window", "root", "protocol": "any", "in_place", "out_of_place",
//  "min_bytes", "max_bytes", "conditions": {"before": [[rank, "input", index, [[rank, index], ...]], ...], "after": [...]},
//  "template": {"axes", "phases": [{"kind", "algorithm", "axis", "window", "minus"}], "orders", "order_of_chunk", "chunk_weights"}
//  or "explicit": {one array per column of ExplicitBody, in its order: "rank_begin", "kind": ["send", ...], "peer", ..., "tags": [[phase, dimension, tree, instance], ...],
//                  "routes", "chunk_weights", "buffers": [[input, output, scratch], ...], "teams", "receive_slots"}}
//
// Keys with their usual value may be left out; others than these are errors. Sizes: 2^20 ranks, 2^31 - 1 operations, 2^30 chunks and offsets.

/// Deterministic; ends with a line break. O(program). Told to stop: throws StopRequested (stop.h).
std::string writeProgramJson(const Program& program, const std::stop_token& stop = {});

/// Errors name the file and the key ("explicit.peer[12]"): not JSON, unknown keys, numbers out of range, columns of different lengths,
/// peers, dependencies, routes and teams that are not there, fused operations without the one before them in their lane. Told to stop: Cancelled. O(text).
Result<ProgramPtr> parseProgramJson(std::string text, const std::string& file, const std::stop_token& stop = {});

} // namespace fabricscope
