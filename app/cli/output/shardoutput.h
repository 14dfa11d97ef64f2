#pragma once

#include "core/sharding/partition/partition.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope::cli {

/// Shardings, collectives, bytes and conflicts as a table.
std::string shardText(const ShardPlan& plan, const std::optional<bool>& equal);

/// The same as JSON (manual: json).
std::string shardJson(const ShardPlan& plan, const std::optional<bool>& equal, const std::stop_token& stop);

} // namespace fabricscope::cli
