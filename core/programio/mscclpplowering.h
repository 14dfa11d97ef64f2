#pragma once

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/programbuilder.h"
#include "core/programio/mscclppplan.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace fabricscope {

/// Makes operations of an execution plan. What the plan leaves to flags, semaphores and barriers becomes messages, signals and dependencies:
///
/// * Packets are messages: a Send where they are written, a Receive on a lane of their own at the other rank (one lane per thread block that
///   sends there), and whoever reads the packets waits for that Receive. Of a store by a switch, a Signal to every member instead.
/// * A read of the memory of rank p is a Signal to p (the request), a Wait and a Send on a lane of its own at p, and a Receive, or a ReceiveReduce,
///   where the plan reads.
/// * Stores go through memory, not through a channel: a Put belongs to the next signal to its peer that comes after it, in its thread block or, over
///   barriers and semaphores, in another.
/// * The thread blocks of a rank are followed one operation at a time, for barriers, semaphores and packets of their own rank; what they wait
///   for is a dependency.
class MscclppLowering {
public:
    /// Both must outlive it.
    MscclppLowering(const MscclppPlan& plan, const std::stop_token& stop);

    /// Errors name the operation that is stuck, or that is not supported. Told to stop: throws StopRequested (stop.h). O(operations log operations).
    Result<ProgramPtr> run();

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kLater = UINT32_MAX - 1; ///< Writer of a packet: an operation of the rank that has not been followed yet.

    struct Row {
        ProgramBuilder::Row row;
        std::vector<std::uint32_t> after; ///< Rows of the same rank.
        std::uint32_t block = kNone;      ///< Position of the thread block, and of the operation in it; kNone: of none.
        std::uint32_t op = kNone;
        bool tells = false;               ///< Signal: of a channel of the plan.
        bool seeks = false;               ///< Put: its connection is that of the signal behind it.
        std::int32_t port = -1;           ///< Number of the port channel that is used; -1: none.
        std::uint32_t signal = kNone;     ///< Put: that signal.
        std::vector<std::uint32_t> told;  ///< SwitchMulticast: the signals that tell its members.
    };
    /// What has come for whom: signals and waits of a channel in one direction.
    using Stream = std::tuple<std::int32_t, std::int32_t, PlanChannelKind, std::int32_t, std::int32_t>; ///< (source, target, kind, team, number)
    struct Ends {
        std::vector<std::uint32_t> signals; ///< Rows of the source.
        std::vector<std::uint32_t> waits;   ///< Rows of the target.
    };
    /// A thread block while it is followed.
    struct Lane {
        std::uint32_t next = 0;
        std::uint32_t last = kNone;
        std::vector<std::uint32_t> follow; ///< Rows the next one comes after.
        bool entered = false;              ///< Stands at the barrier, and is counted there.
    };
    struct Semaphore {
        std::int64_t free = 0;                          ///< What is left of its first value.
        std::deque<std::vector<std::uint32_t>> tokens;  ///< Of each release: the rows before it.
        std::deque<std::uint32_t> releases;             ///< Their numbers, for Step.
        std::set<std::uint32_t> releasing;              ///< Thread blocks that do, at any time.
        std::set<std::uint32_t> acquiring;
        std::set<std::uint32_t> waiting;                ///< Those that stand there now.
    };
    /// What was done, in order, so that it can be gone back over.
    struct Step {
        enum class Kind : std::uint8_t { Row, Barrier, Release, Acquire };
        Kind kind = Kind::Row;
        std::uint32_t lane = 0;
        std::uint32_t what = 0; ///< Row; number of the barrier in m_meetings, of the release.
    };

    // Packets and numbers: mscclpppackets.cpp.
    void announcePackets();
    void announce(std::int32_t rank, std::uint32_t block, std::uint32_t op, const PlanPlace& target);
    bool hasRoomForPackets(std::int32_t rank);
    void markPackets(std::int32_t rank, const PlanPlace& place, std::uint32_t writer, std::int32_t from, std::uint32_t block, std::uint32_t op);
    std::int32_t linkOf(std::int32_t rank, std::uint32_t block, std::int32_t peer, bool reads);
    std::int32_t extraLane(std::int32_t rank, std::int32_t other, std::uint32_t block, bool reads);

    // Order: mscclpporder.cpp.
    void followRank(std::int32_t rank);
    bool step(std::uint32_t lane);
    bool mayAcquire(std::uint32_t lane, const PlanOp& op);
    bool takeDoubtful();
    void acquire(std::uint32_t lane, const PlanOp& op);
    void openBarrier(std::int32_t barrier, std::vector<std::uint32_t> members);
    bool packetsAreThere(const PlanOp& op, std::vector<std::uint32_t>& needs);
    std::vector<std::uint32_t> endsOf(const Lane& lane) const;
    void sayStuck();

    // Operations: mscclpplowering.cpp.
    void doOp(std::uint32_t lane, const PlanOp& op);
    void addReduce(std::uint32_t lane, const PlanOp& op);
    void addPut(std::uint32_t lane, const PlanPlace& source, const PlanPlace& target, const PlanChannel* channel, bool packets);
    void addLocal(std::uint32_t lane, OpKind kind, const PlanPlace& source, const PlanPlace& target);
    void addRead(std::uint32_t lane, const std::vector<PlanPlace>& sources);
    void addReceive(std::uint32_t lane, const PlanPlace& source, const PlanPlace* with, const PlanPlace& target);
    void addSwitch(std::uint32_t lane, OpKind kind, const PlanPlace& source, const PlanPlace& target);
    void addTold(std::uint32_t lane, const PlanPlace& target);
    void addMessage(std::uint32_t lane, OpKind kind, const PlanChannel& channel);
    std::uint32_t push(std::uint32_t lane, ProgramBuilder::Row row);
    std::int32_t chunkOf(const PlanPlace& place) const;
    ProgramBuilder::Row moved(OpKind kind, std::int32_t peer, const PlanPlace& sized, const PlanPlace& source, const PlanPlace& target) const;

    // Channels: mscclppchannels.cpp.
    void joinStreams();
    void joinMembers();
    bool isOrdered(std::int32_t rank, const std::vector<std::uint32_t>& rows, const char* what);
    bool comesBefore(std::int32_t rank, std::uint32_t first, std::uint32_t second);
    void findSignals(std::int32_t rank, const std::vector<Step>& steps);

    const PlanGpu& gpu(std::int32_t rank) const { return m_plan.gpus[at(rank)]; }
    std::vector<Row>& rows(std::int32_t rank) { return m_rows[at(rank)]; }
    bool look(std::int64_t count);
    void refuse(ErrorCode code, std::int32_t rank, std::uint32_t block, const PlanOp& op, std::string what, std::string expected = {});
    /// Asked by every loop, as it also looks whether to stop.
    bool good() const
    {
        checkStop(m_stop);
        return !m_error;
    }

    const MscclppPlan& m_plan;
    const std::stop_token& m_stop;
    std::int32_t m_ranks;
    std::optional<Error> m_error;
    std::vector<std::vector<Row>> m_rows;                    ///< By rank: arrivals of packets first.
    std::vector<std::vector<Row>> m_served;                  ///< By rank: answers to reads, behind all others.
    std::vector<std::vector<std::uint32_t>> m_packetWriters; ///< By rank and chunk of scratch: the row that brings the packets. Empty: no packets.
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> m_writtenAgain; ///< By rank and chunk of scratch: further writes by the rank itself.
    std::int64_t m_packetCells = 0;
    std::vector<std::int32_t> m_freeLane;                    ///< By rank.
    std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t, bool>, std::int32_t> m_extraLanes;
    std::map<std::tuple<std::int32_t, std::uint32_t, std::int32_t, bool>, std::int32_t> m_links;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> m_freeConnection; ///< By two ranks.
    std::int32_t m_firstFree = 0;
    std::map<Stream, Ends> m_streams;
    std::size_t m_dependencies = 0;     ///< That barriers make: of many thread blocks they multiply ...
    std::size_t m_mostDependencies = std::size_t{1} << 20; ///< ... and must stay in proportion to the plan: 128 for each operation besides.
    std::int64_t m_looks = 0; ///< Work that is not in proportion to the plan.

    // The rank that is followed.
    std::int32_t m_rank = 0;
    std::vector<Lane> m_lanes;
    std::vector<Semaphore> m_semaphores;
    std::map<std::int32_t, std::vector<std::uint32_t>> m_atBarrier;
    std::set<std::uint32_t> m_forPackets; ///< Thread blocks that wait for packets of their own rank.
    std::deque<std::uint32_t> m_ready;
    std::vector<Step> m_steps;
    std::vector<std::vector<std::uint32_t>> m_meetings;
    std::uint32_t m_releaseCount = 0;
};

} // namespace fabricscope
