#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

// What both ways to let ranks stand for others ask of them: symmetricrun.h (dimensions), graphrun.h (graphs).

/// Unsupported: "not all NPUs do the same: " and why.
Error noSymmetry(std::string why, Place place = {});

/// Is the platform made of dimensions, with rank r on NPU r of all of it, and no link or NPU with figures of its own? Unsupported, naming what is not.
Status npusAlike(const Scenario& scenario, const std::stop_token& stop);

/// Have all ranks the same tasks, with their collectives in the same order? Unsupported, naming the first that does not. Throws StopRequested, as all below.
Status ranksAlike(const Scenario& scenario, const std::stop_token& stop);

/// Does no task of the rank queue for a remote memory with those of others? Unsupported, naming the first that does.
Status memoryApart(const Scenario& scenario, std::int32_t rank, const std::stop_token& stop);

/// Does every task concern its rank alone, or its group? Unsupported: messages between two ranks, shared remote memory. \pre ranksAlike()
Status tasksAlike(const Scenario& scenario, const std::stop_token& stop);

/// Tasks of rank 0 that are collectives of groups of the family, by ordinal. Unsupported: only some ranks are in its groups.
Result<std::vector<TaskIndex>> collectivesOf(const Scenario& scenario, std::size_t family, const std::stop_token& stop);

/// Do two programs the same? Templates that are equal; else a program is its own only.
bool runTheSame(const Program& a, const Program& b);

/// Do two groups the same with these instances?
bool doTheSame(const CollectiveInstance& a, const CollectiveInstance& b);

} // namespace fabricscope
