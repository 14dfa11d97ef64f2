#pragma once

#include "core/sharding/shardproblem.h"

namespace fabricscope {

/// `workload.shard` of a design: an op graph over a mesh of all its ranks, instead of a model and a plan (manual: sharding 8). Immutable once read.
struct PlanGraph {
    std::string file;     ///< As written; relative to the folder of the design. Empty: the section is in the design.
    YamlNode section;     ///< As read, here or in the file.
    ShardProblem problem;
};

} // namespace fabricscope
