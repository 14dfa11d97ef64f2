#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <set>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Who sends to whom in a run.
struct GroupTraffic {
    /// More messages than this, each kind counted once for every rank, are not looked at.
    static constexpr std::int64_t kMostSends = std::int64_t{1} << 26;

    /// Of every kind of message (collective, phase, step, slot; or task): by rank whom it sends to; -1: it sends none. Kinds with the same entries are listed once.
    std::vector<std::vector<std::int32_t>> targets;
    /// Kinds of messages from task to task: indices into `targets`, ascending.
    std::set<std::size_t> taskKinds;
    /// Of the receives of every such kind: by rank from whom; -1: it has none.
    std::vector<std::vector<std::int32_t>> sources;
    /// By rank: ranks with the same number have the same tasks, but for whom they send to and receive from, are in groups that do the same, and send and receive
    /// messages of the same kinds and sizes.
    std::vector<std::int32_t> roles;
    /// Of every family with collectives: by rank its group; -1: it has none.
    std::vector<std::vector<std::int32_t>> groups;
    /// Radices in which the number of a rank gives its places along the axes of the groups, fastest first. Their product is the number of ranks.
    std::vector<std::int32_t> axes;

    /// By hash of its entries: kinds of that hash.
    std::unordered_map<std::size_t, std::vector<std::size_t>> kindsByHash;

    /// Index of the kind with these entries, new where there is none.
    std::size_t addKind(std::vector<std::int32_t> kind);
    /// Ranks with different entries play different roles from now on.
    void splitRoles(const std::vector<std::int32_t>& entries);
};

/// The traffic of a scenario. Unsupported: an operation that is not a phase of a template over the whole of its group, shared remote memory, receives that must
/// be posted first, more than kMostSends. Throws StopRequested. O(tasks of all graphs + collectives of all groups + messages of a step, all ranks).
Result<GroupTraffic> groupTraffic(const Scenario& scenario, const std::stop_token& stop);

} // namespace fabricscope
