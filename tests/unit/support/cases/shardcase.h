#pragma once

#include "core/sharding/shardproblem.h"

#include <functional>

namespace fabricscope::test {

/// What drawn problems are made of.
struct ShardCaseOptions {
    int mostOps = 5;
    std::optional<GraphOpKind> kind; ///< The first op, where it can be made.
    bool backward = true;       ///< May ask for gradients.
    bool focused = false;       ///< Two or three axes of few sizes, and most tensors cut by one or two of them: what meets the rarer reshards.
};

/// A random problem: graph over the whole op table, mesh of 1 to 3 axes of 2 to 8 devices, annotations with sub-axes, closed and replicated dims, priorities, partial inputs,
/// wanted layouts, options. Sizes often do not divide. At most 2,000 elements a tensor and 32 devices. Depends on the seed alone.
ShardProblem drawnShard(std::uint64_t seed, const ShardCaseOptions& options = {});

/// The file that readShardText() reads as this problem.
std::string shardText(const ShardProblem& problem);

/// The problem with these ops alone, their inputs and what is said of what is left.
ShardProblem withOps(const ShardProblem& problem, const std::vector<char>& kept);

/// Drops ops, annotations, wanted layouts, options and axes as long as it fails.
ShardProblem shrunkShard(ShardProblem problem, const std::function<bool(const ShardProblem&)>& fails);

} // namespace fabricscope::test
