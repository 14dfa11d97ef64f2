#pragma once

#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// One in-network collective of one group on a Switch(n), all groups disjoint: a straight-line evaluation of innetwork.h that shares nothing
/// with the engine. It has no events: up-links depend on nobody, then the pieces meet at the switch, then every down-link is gone through.
struct SwitchModel {
    enum class Op : std::uint8_t { AllReduce, ReduceScatter, AllGather, Broadcast };
    struct Group {
        Op op = Op::AllReduce;
        std::vector<int> members;  ///< Ports, by position.
        std::int64_t bytes = 0;
        int chunks = 1;
    };
    // All by port; bytes/s and ps.
    std::vector<std::int64_t> upRate, upLatency, downRate, downLatency;
    std::vector<std::int64_t> entry;   ///< When the rank enters.
    std::int64_t reduction = 0;
    std::int64_t multicast = 0;        ///< 0: no limit.
    std::int64_t latency = 1;
    std::int64_t endpointDelay = 0;
    std::int64_t pieceBytes = 256 * 1024;
    bool ideal = false;
    std::vector<Group> groups;

    struct Answer {
        std::vector<std::int64_t> done;      ///< By port: when the rank is done; its entry where it is in no group.
        std::vector<std::int64_t> upBytes;
        std::vector<std::int64_t> downBytes;
    };
    Answer answer() const;
};

} // namespace fabricscope::test
