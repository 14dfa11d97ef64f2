#pragma once

#include "core/run/simulateshard.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope::cli {

/// An input that was made smaller to be run.
struct ReducedInput {
    std::string tensor;
    TensorShape before;
    TensorShape run;
};

/// What `--run` found.
struct ShardProof {
    bool equal = false;
    std::vector<ReducedInput> reduced; ///< Empty: run as given.
};

/// What a command found of a file; what was not asked for is absent.
struct ShardAnswer {
    const ShardProblem* problem = nullptr;
    const ShardPlan* plan = nullptr;
    std::optional<ShardProof> proof;
    std::optional<ShardTimes> times;
    std::vector<ShardRemoval> removals;
};

/// Shardings, collectives, bytes, conflicts and times as a table.
std::string shardText(const ShardAnswer& answer);

/// The same as JSON (manual: json).
std::string shardJson(const ShardAnswer& answer, const std::stop_token& stop);

} // namespace fabricscope::cli
