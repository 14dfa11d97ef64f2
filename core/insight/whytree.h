#pragma once

#include "core/insight/criticalpath.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A part of a time, and what that consists of. `ps` of the children add up to that of the node exactly; a leaf has none.
struct WhyNode {
    /// What a node stands for, from the outside in. What of a collective no message was under way for hangs on the collective as a kind.
    enum class Level : std::uint8_t { Subject, Task, Collective, Phase, Chunk, Message, Kind };

    Level level = Level::Subject;
    std::string name;      ///< "collective 0 (all_reduce gradients)", "phase 1 (all_gather, ring)", "chunk 3", "message 4>5, step 2", "latency of link d0 4>5".
    std::int64_t ps = 0;
    std::vector<WhyNode> children; ///< Longest first, of equals in the order of time.
};

/// "subject", "task", "collective", "phase", "chunk", "message", "kind": the words of results.
std::string_view whyLevelKey(WhyNode::Level level);

/// Why a path takes as long as it takes, recursively: tasks and collectives on it, a collective by phase, chunk and message, each of these by kind (manual: explain 2)
/// and resource. Told to stop: throws StopRequested. O(pieces log pieces).
WhyNode whyTree(const Scenario& scenario, const CriticalPath& path, std::string subject, const std::stop_token& stop = {});

} // namespace fabricscope
