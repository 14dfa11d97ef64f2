#pragma once

#include "core/workload/groups.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Do the ranks of a workload fit together: is every message sent and received with one size, and do the members of a group call the same
/// collectives? Sums of hashes tell in O(tasks) without keeping a task; what exactly is wrong is for the linter to say. What differs only in order (messages
/// of one pair and tag, collectives of a group) counts as fitting. \pre every family but that of all ranks is one group.
class MemberCheck {
public:
    /// Takes in the tasks of one rank. \pre each rank once.
    void add(std::int32_t rank, const RankGraph& graph);
    /// A rank whose tasks are those of `like`, without messages and in no group but that of all ranks.
    void addLike(std::int32_t rank, std::int32_t like);

    bool messagesFit() const { return m_messages == 0; }
    /// \pre every rank was added.
    bool collectivesFit(std::span<const GroupFamily> families) const;

private:
    /// What the members of one family call.
    struct Calls {
        std::uint64_t sum = 0;    ///< Of the first member that was added.
        std::int64_t members = 0; ///< That call anything.
        bool equal = true;
    };
    void note(std::size_t family, std::uint64_t sum);

    std::uint64_t m_messages = 0;
    std::vector<Calls> m_calls;          ///< By family.
    std::vector<std::uint64_t> m_world;  ///< By rank: sum of its calls among all ranks.
};

} // namespace fabricscope
