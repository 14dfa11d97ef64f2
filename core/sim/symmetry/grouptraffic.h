#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Who sends to whom in the collectives of a run.
struct GroupTraffic {
    /// More messages than this, each kind counted once for every rank, are not looked at.
    static constexpr std::int64_t kMostSends = std::int64_t{1} << 26;

    /// Of every kind of message (collective, phase, step, slot): by rank whom it sends to; -1: it sends none. Kinds with the same entries are listed once.
    std::vector<std::vector<std::int32_t>> targets;
    /// By rank: ranks with the same number send and receive messages of the same kinds and sizes.
    std::vector<std::int32_t> roles;
    /// Of every family with collectives: by rank its group.
    std::vector<std::vector<std::int32_t>> groups;
    /// Radices in which the number of a rank gives its places along the axes of the collectives, fastest first. Their product is the number of ranks.
    std::vector<std::int32_t> axes;
};

/// The traffic of the collectives of a scenario. Unsupported: an operation that is not a phase of a template over the whole of its group, parts that do not
/// cut into equal blocks, groups that differ, more than kMostSends. Throws StopRequested. O(messages of a step, all ranks).
/// \pre ranksAlike()
Result<GroupTraffic> groupTraffic(const Scenario& scenario, const std::stop_token& stop);

} // namespace fabricscope
