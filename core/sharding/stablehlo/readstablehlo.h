#pragma once

#include "core/sharding/shardproblem.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// Is this the text of an MLIR module (its first word, behind comments, is `module`, `func.func`, `sdy.mesh`, `#loc` or another alias)? O(comments).
bool isStableHloText(std::string_view text);

/// Reads a StableHLO program with shardings of Shardy or GSPMD (manual: sharding 11) as a problem: function `main`, or the first one, with all calls inlined; tensors are named as in the text ("%arg0").
/// `overrides`: mesh.AXIS and options.KEY of --set, as readShardText() takes them. Errors name file, line and column: broken text, ops, types and attributes that are not read, shardings
/// that do not fit; Cancelled. O(text log lines + ops made), at most OpGraph::kMaxOps.
Result<ShardProblem> readStableHloText(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides = {}, const std::stop_token& stop = {});

/// What `shard` reads: StableHLO by its content, else a `shard:` file.
Result<ShardProblem> readShardInput(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides = {}, const std::stop_token& stop = {});

} // namespace fabricscope
