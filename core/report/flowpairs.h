#pragma once

#include "core/record/runrecord.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <tuple>
#include <vector>

namespace fabricscope {

/// A send and the receive that it meets.
struct MessagePair {
    std::int32_t from = 0; ///< Rank of the send.
    TaskIndex send = 0;
    std::int32_t to = 0;
    TaskIndex receive = 0;
    friend bool operator==(const MessagePair&, const MessagePair&) = default;
};

/// Which send of a run meets which receive: the k-th that was issued of its source, target and tag the k-th, under astra-* of its size too (manual: astra 4).
/// Messages of a rank are put in order once, when they are first asked for.
class MessagePairs {
public:
    /// Both outlive it. \pre the record has task times
    MessagePairs(const RunRecord& record, const Workload& workload);

    /// Pairs of the sends of a rank, in the order of source, tag and issue; without those whose receive was never issued. Told to stop: throws StopRequested.
    std::vector<MessagePair> ofRank(std::int32_t rank, const std::stop_token& stop);

private:
    /// Peer, tag, and bytes where these count, else 0.
    using Lane = std::tuple<std::int32_t, std::uint32_t, std::int64_t>;
    using Lanes = std::map<Lane, std::vector<TaskIndex>>;

    Lanes lanesOf(std::int32_t rank, TaskKind kind, const std::stop_token& stop) const;
    const TaskTimes* timesOf(std::int32_t rank) const;

    const RunRecord& m_record;
    const Workload& m_workload;
    bool m_sizesMatch;
    std::vector<std::int32_t> m_classOfRank; ///< -1: none.
    std::map<std::int32_t, Lanes> m_receives;
};

} // namespace fabricscope
