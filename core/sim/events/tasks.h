#pragma once

#include "core/base/index.h"
#include "core/sim/common/folding.h"
#include "core/sim/common/slowdown.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/outcome/halt.h"
#include "core/sim/events/memorypools.h"
#include "core/sim/events/setting.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricscope::events {

class Engine;

/// Where a task stands in its input, for errors.
Place placeOfTask(std::int32_t rank, const RankGraph& graph, TaskIndex task);

/// Tasks of all ranks: which of them are ready, which unit of an NPU works on which, when each was issued and has ended; remote memory; and which
/// send of a pair of ranks belongs to which receive. Owns all of that. In tasks.cpp, pairs.cpp (sends and receives) and remotewaits.cpp (pools of
/// remote memory, computation beside collectives).
///
/// Calls that come in: the events TaskEnd and Remote; end() when a collective or a message of a task is done; leftSource() and delivered() from
/// messages point to point; collectivesUnderWay(). Calls that go out: issue() of Collectives; of Network send() and deliverHere() of a message,
/// wayBetween(), setReducerRate(). A task that becomes ready inside an instant waits until Engine::settle() lets the kind of work it is go on.
class Tasks {
public:
    Tasks(const Setting& given, Agenda& agenda, Halt& halt, Engine& engine)
        : m_given(given), m_agenda(agenda), m_halt(halt), m_engine(engine)
    {
    }

    /// Prepares tasks and channels; `bytesBeside`: memory that is as certain to be needed. Errors: memory limit, memory tasks without a remote
    /// memory. Throws StopRequested.
    Status build(std::int64_t bytesBeside, const std::stop_token& stop);
    /// By rank, > 0: task 0 of the rank ends then, and is its only first task. Before start().
    void startAt(const std::vector<std::int64_t>* startsPs) { m_startsPs = startsPs; }
    /// Some ranks stand for all. Before build().
    void fold(const Folding& folding) { m_folding = &folding; }
    void start();

    void end(std::int32_t rank, TaskIndex task);
    /// The event TaskEnd: like end(), unless the end of the computation has been moved; of a collective the end of its launch.
    void timeIsUp(std::int32_t rank, TaskIndex task);
    void remoteEvent(const Event& event);
    /// The rank has entered (1) or left (-1) a collective.
    void collectivesUnderWay(std::int32_t rank, std::int32_t by)
    {
        if (m_slowdown)
            slow(rank, by);
    }
    /// Message `number` of a channel has left its sender, or is at its receiver.
    void leftSource(std::int32_t channel, std::int32_t number);
    void delivered(std::int32_t channel, std::int32_t number);

    // Work of the present instant, one kind each: is there any, and do it.
    bool hasReady() const { return !m_readyTasks.empty(); }
    void settleReady(); ///< One task.
    bool hasPairs() const { return !m_newPairs.empty(); }
    void settlePairs();
    bool hasUnits() const { return !m_dirtyRanks.empty(); }
    bool settleUnits();
    bool hasRequests() const { return !m_memoryRequests.empty(); }
    void settleMemory();
    bool hasRemote() const { return m_remote && m_remote->pool.hasWork(); }
    void serveRemote();

    std::int64_t count() const { return m_count; }
    std::int64_t left() const { return m_left; } ///< Those that have not ended.
    std::int32_t left(std::int32_t rank) const { return m_ranks[at(rank)].left; }
    std::int64_t lastEvent(std::int32_t rank) const { return m_ranks[at(rank)].lastEvent; }
    std::span<const std::int64_t> issues(std::int32_t rank) const { return ofRank(m_issuePs, rank); } ///< By task, ps; -1: not yet.
    std::span<const std::int64_t> ends(std::int32_t rank) const { return ofRank(m_endPs, rank); }     ///< Likewise.
    std::int32_t waitsFor(std::int32_t rank, TaskIndex task) const { return m_waitsFor[cell(rank, task)]; } ///< Tasks before it that have not ended.
    /// Ranks that a gather of remote memory waits for, ascending.
    std::vector<std::int32_t> missing(std::int32_t rank, TaskIndex task) const { return m_remote ? m_remote->missing(rank, task) : std::vector<std::int32_t>(); }
    std::int32_t channelCount() const { return static_cast<std::int32_t>(m_channels.size()); }
    TaskIndex sender(std::int32_t channel, std::int32_t number) const { return pairOf(channel, number).send; }
    /// First field of the tie rule of a message, ascending. \pre explicit order
    std::int32_t priority(std::int32_t channel, std::int32_t number) const;
    std::int64_t bytes() const;

private:
    enum class Slot : std::uint8_t { Compute, Host, Memory, Communication };
    static constexpr std::size_t kSlots = 4;

    /// What only the class of identical ranks knows about its tasks.
    struct GraphIndex {
        std::vector<std::uint32_t> nextBegin; ///< size()+1 entries into `next`.
        std::vector<TaskIndex> next;          ///< Tasks that depend on this one.
    };
    struct RankState {
        std::unique_ptr<std::array<std::vector<TaskIndex>, kSlots>> ready; ///< Heaps, next task first; null: no task has waited for a unit.
        std::int32_t busy[kSlots] = {};       ///< Units in use.
        bool dirty = false;
        std::int64_t lastEvent = 0;
        std::int64_t firstTask = 0;           ///< Of this rank in the per-task columns.
        TaskIndex left = 0;                   ///< Tasks that have not ended.
    };
    struct RankTask {
        std::int32_t rank;
        TaskIndex task;
    };
    /// A send and the receive it belongs to, as far as they have been issued.
    struct Pair {
        std::int64_t sendBytes = -1;
        std::int64_t receiveBytes = -1;
        std::int64_t sendIssue = 0;
        std::int64_t receiveIssue = 0;
        TaskIndex send = -1;
        TaskIndex receive = -1;
        bool delivered = false;
    };
    /// Point-to-point messages of one (source, target, tag).
    struct Channel {
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::int32_t receiver = 0; ///< Whose task gets it: the target, or who stands for it (folding.h).
        std::uint32_t tag = 0;
        std::int32_t stream = 0;
        std::int32_t route = -1;
        std::int32_t sends = 0;
        std::int32_t receives = 0;
        std::vector<Pair> pairs;
    };
    using ChannelsByEnds = std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::int32_t>; ///< (source, target, tag): index into m_channels.

    static GraphIndex indexOf(const RankGraph& graph, const std::stop_token& stop);
    void launch(std::int32_t rank, TaskIndex task);
    std::int64_t launchOf(std::int32_t rank, TaskIndex task) const;
    Status addTasks(std::int32_t rank, ChannelsByEnds& known, const std::stop_token& stop);
    Status addToChannel(std::int32_t rank, TaskIndex task, ChannelsByEnds& known);
    void numberStreams(const ChannelsByEnds& known);
    void makeMachine();

    std::size_t cell(std::int32_t rank, TaskIndex task) const { return static_cast<std::size_t>(m_ranks[at(rank)].firstTask + task); }
    std::span<const std::int64_t> ofRank(const std::vector<std::int64_t>& column, std::int32_t rank) const
    {
        return {column.data() + cell(rank, 0), static_cast<std::size_t>(m_given.workload.graph(rank).size())};
    }
    const Pair& pairOf(std::int32_t channel, std::int32_t number) const
    {
        return m_channels[at(channel)].pairs[at(number)];
    }

    /// Does a free slot take task a before task b of the rank?
    bool goesFirst(std::int32_t rank, TaskIndex a, TaskIndex b) const;
    std::int32_t unitsOf(Slot slot) const;
    void toSlot(std::int32_t rank, TaskIndex task, Slot slot);
    void touch(std::int32_t rank);
    void ready(std::int32_t rank, TaskIndex task);
    bool pick(std::int32_t rank, Slot slot);
    std::int64_t drawn(std::int64_t duration, std::int32_t rank, TaskIndex task) const;
    std::int64_t remoteDuration(std::int64_t bytes) const;

    std::int32_t channelOf(std::int32_t rank, TaskIndex task) const;
    void sendTask(std::int32_t rank, TaskIndex task);
    void receiveTask(std::int32_t rank, TaskIndex task);
    bool agree(std::int32_t channel, std::int32_t number);
    void sendPair(std::int32_t channel, std::int32_t number);

    void startRemote(std::int32_t rank, TaskIndex task);
    void announceRemote();
    void startSlowed(std::int32_t rank, TaskIndex task);
    void slowReducer(std::int32_t rank);
    void slow(std::int32_t rank, std::int32_t by);
    bool isMoved(std::int32_t rank, TaskIndex task);

    const Setting m_given;
    Agenda& m_agenda;
    Halt& m_halt;
    Engine& m_engine;
    const std::vector<std::int64_t>* m_startsPs = nullptr;
    const Folding* m_folding = nullptr;

    std::int64_t m_count = 0;
    std::int64_t m_left = 0;
    std::vector<RankState> m_ranks;
    std::vector<GraphIndex> m_graphs;
    // Per task of every rank, see RankState::firstTask.
    std::vector<std::int32_t> m_waitsFor;
    std::vector<std::int64_t> m_issuePs;
    std::vector<std::int64_t> m_endPs;
    std::vector<std::int64_t> m_readyPs;      ///< Only for orders by readiness.

    std::vector<Channel> m_channels;
    std::vector<std::vector<std::pair<TaskIndex, std::int32_t>>> m_channelOfTask; ///< Per rank, by task; empty: nobody sends.

    std::vector<std::int64_t> m_memoryFree;   ///< Per shared remote memory.
    std::unique_ptr<RemoteTasks> m_remote;    ///< Hierarchical pool only.
    std::unique_ptr<Slowdown> m_slowdown;     ///< Null: collectives take nothing from computation.

    // Work of the current instant.
    std::vector<RankTask> m_readyTasks;
    std::vector<RankTask> m_newPairs;
    std::vector<RankTask> m_memoryRequests;
    std::vector<std::int32_t> m_dirtyRanks;
};

} // namespace fabricscope::events
