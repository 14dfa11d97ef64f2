#pragma once

#include "core/sharding/partition/partition.h"

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

/// Shardings, collectives, bytes and conflicts as a table.
std::string shardText(const ShardPlan& plan, const std::optional<ShardProof>& proof);

/// The same as JSON (manual: json).
std::string shardJson(const ShardPlan& plan, const std::optional<ShardProof>& proof, const std::stop_token& stop);

} // namespace fabricscope::cli
