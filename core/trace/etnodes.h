#pragma once

#include "core/base/result.h"
#include "core/trace/ranktrace.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// All nodes of a trace with everything their file says, in file order. The file at `path` (packed or not) is read once more; of other forms than
/// today's binary one, what the columns hold. \pre the trace was read from it. Told to stop: Cancelled.
Result<std::vector<EtNode>> readAllNodes(const RankTrace& trace, const std::string& path, const std::stop_token& stop = {});

} // namespace fabricscope
