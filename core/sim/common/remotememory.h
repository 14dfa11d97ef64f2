#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope {

/// A hierarchical pool of remote memory (MemoryPool), after the one of the ASTRA-sim 2.0 paper: memory groups behind out-of-node switches, behind the
/// in-node switches of every node. Node v holds the NPUs v * npusPerNode and up.
///
/// Resources, each with the number w (manual: models 3), durations ceil(bytes * 10^12 / rate), latencies at least 1 ps:
///
/// | resource          | striped                             | home (group g = NPU mod G, switch g mod W, in-node switch (g mod W) mod K) |
/// |-------------------|-------------------------------------|----------------------------------------------------------------------------|
/// | groups            | one, rate G * bandwidth             | one per group, its bandwidth                                               |
/// | ports to a node   | one per node and way, W * bandwidth | one per switch, node and way, its bandwidth                                |
/// | ports to an NPU   | one per NPU and way, K * bandwidth  | one per switch, NPU and way, its bandwidth                                 |
///
/// Striped data lies in equal parts in all groups, so that every access uses all devices of a kind alike and they are as good as one.
/// A load crosses groups, port to the node, port to the NPU; a store the ports of the other way and then the groups, which serve loads and stores together.
/// Both are cut into pieces. The first resource serves round robin, one piece of every access a turn, in the order in which they came (rule 1); the others are
/// transit (rule 2): on arrival of the head w := max(w, head) + D, tail := max(w, tail) + L, head := head + L; transit before own at equal time. The duration of
/// piece j is D(bytes up to j) - D(bytes up to j-1). Heads that arrive at one resource at the same instant: the earlier access first, then the earlier piece.
/// Unloaded an access of x bytes takes  sum(L) + max over the three of D(x).  An access of 0 bytes takes no time.
///
/// Gathering: a load for several NPUs reads the memory once; the out-of-node switches copy every piece to each node with such an NPU, the in-node
/// switches to each NPU: one D at the groups, one at the port of every node, one at the port of every NPU.
///
/// `ideal`: no resource is ever busy.
class RemotePool {
public:
    /// \pre checkMemoryPool() is content with it.
    RemotePool(const RemoteMemory& memory, std::int64_t pieceBytes, bool ideal);

    /// Something to be told to the pool at `time`, as take(object, detail).
    struct Later {
        std::int64_t time;
        std::int32_t object;
        std::uint32_t detail;
    };
    /// The access with this tag has reached the target with this index.
    struct Done {
        std::int64_t tag;
        std::int32_t target;
    };

    /// Begins an access of npu; bytes > 0. Targets: who gets what is loaded; of a store npu itself.
    void begin(std::int64_t now, bool store, NodeId npu, std::int64_t bytes, std::vector<NodeId> targets, std::int64_t tag);
    /// Takes what is due now. True: an access has reached a target, `done` says which.
    bool take(std::int32_t object, std::uint32_t detail, Done& done);
    /// Once at the end of every instant in which begin() or take() was called.
    void serve(std::int64_t now);
    bool hasWork() const { return !m_dirty.empty(); }
    /// What serve() and begin() want to be told later; all later than now. The caller clears it.
    std::vector<Later>& later() { return m_later; }

private:
    enum Detail : std::uint32_t { Wake, Head, End };
    enum Kind : std::int64_t { Groups, NodeDown, NodeUp, NpuDown, NpuUp };
    struct Access {
        std::int64_t bytes = 0;
        std::int64_t tag = 0;
        std::int64_t sequence = 0;
        std::int64_t pieces = 0;
        std::int64_t next = 0;            ///< Piece the first resource serves next.
        std::int64_t left = 0;            ///< Ends that have not been told.
        std::vector<NodeId> targets;
        std::vector<NodeId> nodes;        ///< Distinct nodes of the targets, ascending.
        std::vector<std::pair<std::int32_t, std::int32_t>> targetsOfNode; ///< Index into nodes, index into targets; ascending.
        std::int32_t group = 0;
        bool store = false;
        NodeId npu = 0;
    };
    /// A piece on its way to a transit resource.
    struct Flight {
        std::int64_t tail = 0;
        std::int64_t piece = 0;
        std::int32_t access = 0;
        std::int32_t stage = 0;  ///< 1 or 2.
        std::int32_t server = 0;
        std::int32_t place = 0;  ///< Stage 1 of a load: index of the node; stage 2: of the target.
    };
    struct Server {
        std::int64_t committed = 0; ///< w.
        std::int64_t wakeAt = -1;
        std::int64_t rate = 0;
        std::int64_t latency = 1;
        std::deque<std::int32_t> turn; ///< Accesses that have pieces to send from here.
        std::vector<std::int32_t> heads;
        bool dirty = false;
    };
    struct Ending {
        std::int32_t access;
        std::int32_t target;
    };

    std::int32_t server(Kind kind, std::int32_t group, std::int32_t place);
    std::int64_t bytesUpTo(const Access& access, std::int64_t pieces) const { return pieces >= access.pieces ? access.bytes : pieces * m_pieceBytes; }
    std::int64_t durationAt(const Server& at, const Access& access, std::int64_t piece) const;
    void touch(std::int32_t number);
    void serveHeads(std::int32_t number, std::int64_t now);
    void cross(const Flight& flight, std::int64_t tail, std::int64_t head);
    void pick(std::int32_t number, std::int64_t now);
    void fly(const Flight& flight, std::int64_t head);
    void end(Ending ending, std::int64_t time);
    std::int32_t nodeOf(NodeId npu) const { return npu / m_npusPerNode; }

    MemoryPool m_pool;
    std::int32_t m_npusPerNode;
    std::int64_t m_pieceBytes;
    bool m_ideal;
    bool m_home;
    std::vector<Access> m_accesses;
    std::vector<std::int32_t> m_freeAccesses;
    std::vector<Flight> m_flights;
    std::vector<std::int32_t> m_freeFlights;
    std::vector<Ending> m_ends;
    std::vector<std::int32_t> m_freeEnds;
    std::vector<Server> m_servers;
    std::unordered_map<std::int64_t, std::int32_t> m_serverOf; ///< Only looked up, never walked.
    std::vector<std::int32_t> m_dirty;
    std::vector<Later> m_later;
    std::int64_t m_sequence = 0;
};

} // namespace fabricscope
