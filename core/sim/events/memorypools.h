#pragma once

#include "core/scenario/scenario.h"
#include "core/sim/common/remotememory.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace fabricscope::events {

/// Loads and stores of ranks at a hierarchical pool, and the gathers among them.
///
/// The n-th gathered load of a rank in a group, in the order of its tasks, is the n-th of the other members. When a member issues it, its shard (block
/// `position` of the bytes, cut as chunks are) is read once and sent to all members; a member is done when it has issued it and all shards are there.
class RemoteTasks {
public:
    RemoteTasks(const Structure& structure, const RemoteMemory& memory, std::int64_t pieceBytes, bool ideal);

    struct RankTask {
        std::int32_t rank;
        TaskIndex task;
    };
    /// A rank issues a task; appends the tasks that end at once. Error: members of a gather name different sizes.
    std::optional<Error> start(std::int32_t rank, TaskIndex task, std::int64_t now, std::vector<RankTask>& ended);
    /// An access has reached a target; appends the task that ends.
    void done(const RemotePool::Done& done, std::vector<RankTask>& ended);
    /// Members of the gather that have not issued it, ascending; empty: it is no gather, or has all of them.
    std::vector<std::int32_t> missing(std::int32_t rank, TaskIndex task) const;

    RemotePool pool;

private:
    struct Member {
        TaskIndex task = -1;
        std::int32_t shards = 0;
        bool ended = false;
    };
    struct Gather {
        FamilyId family = 0;
        std::int64_t group = 0;
        std::int64_t bytes = 0;
        std::vector<Member> members; ///< By position.
        std::vector<NodeId> nodes;
    };
    using Key = std::tuple<FamilyId, std::int64_t, std::int32_t>; ///< Family, group, number in the group.

    Key keyOf(std::int32_t rank, TaskIndex task) const;
    std::int32_t rankOf(const Gather& gather, std::size_t position) const;
    void endIfDone(const Gather& gather, Member& member, std::size_t position, std::vector<RankTask>& ended) const;

    const Structure& m_structure;
    std::vector<std::map<TaskIndex, std::int32_t>> m_numbers; ///< By graph: numbers of its gathered loads in their family.
    std::map<Key, std::int32_t> m_known;
    std::vector<Gather> m_gathers;
};

} // namespace fabricscope::events
