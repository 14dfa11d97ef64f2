#pragma once

#include "core/sharding/partition/partitionedprogram.h"

#include <span>
#include <string_view>

namespace fabricscope::test {

/// A mistake a partitioner could make, put into the program it made.
struct ShardDefect {
    std::string_view name;
    /// Changes every place of the program it can be made in; false: there is none.
    bool (*apply)(PartitionedProgram& program);
};

/// The seeded defects, counted from 1 in FABRICSCOPE_DEFECT.
std::span<const ShardDefect> shardDefects();

} // namespace fabricscope::test
