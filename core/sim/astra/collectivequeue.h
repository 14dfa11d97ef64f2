#pragma once

#include "core/sim/astra/phaseplan.h"
#include "core/sim/astra/postqueue.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope {

/// Told when a rank has finished its part of a collective.
class AstraCollectiveOwner {
public:
    virtual void collectiveEnded(std::int32_t rank, TaskIndex task) = 0;

protected:
    ~AstraCollectiveOwner() = default;
};

/// What a rank asks for when it reaches a collective.
struct AstraEntry {
    std::int32_t rank = 0;
    TaskIndex task = 0;
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t bytes = 0; ///< The large side.
    FamilyId family = 0;
    std::uint64_t node = 0; ///< Id in the trace.
    bool involvedGiven = false;
    std::uint32_t involved = 0;
};

/// All running collectives: chunks, queues and step machines (manual: astra 5, 6 and 9). Why one does not go on: hang.cpp.
/// State is flat: one record per (chunk, member), one counter per mailbox; nothing is allocated per message.
class AstraCollectives {
public:
    struct Setup {
        const AstraSystem& system;
        const Workload& workload;
        const std::vector<std::pair<std::string, ProgramPtr>>& customPrograms;
        std::int32_t npus;
        bool symmetric = false; ///< Rank 0 stands for all; only ring algorithms inside a dimension.
        bool noHandling = false; ///< See AstraVariant, also the next.
        bool separateQueues = false;
        bool ownPlaces = false;
        bool bundledRings = false;
        bool wholeShares = false;
        bool endsWhenLeft = false;
    };
    AstraCollectives(const Setup& setup, AstraQueue& queue, AstraNetwork& network, AstraPost& post, AstraCollectiveOwner& owner);

    enum class Entered : std::uint8_t { Running, Done };
    /// A rank enters a collective. Done: it takes no time. Errors: what planAstra refuses, a custom program that does not fit,
    /// MemoryLimit.
    Result<Entered> enter(const AstraEntry& entry);

    // Events.
    void deliver(std::uint32_t instance, std::uint32_t record, std::uint32_t box);
    void received(std::uint32_t instance, std::uint32_t record);
    void prepared(std::uint32_t instance, std::uint32_t record);
    void reduce(std::uint32_t instance, std::uint32_t record, std::uint32_t message);
    void treeHandled(std::uint32_t instance, std::uint32_t record, bool reduces);
    void memberLeft(std::uint32_t instance, std::uint32_t position) { memberDone(instance, static_cast<std::int32_t>(position)); }
    void treeReduced(std::uint32_t instance, std::uint32_t record);
    void customDone(std::uint32_t instance, std::uint32_t member, std::uint32_t operation);

    void setMemoryLimit(std::int64_t bytes) { m_memoryLimit = bytes; }
    std::int64_t memory() const { return m_memory; }
    Diagnostics takeDiagnostics() { return std::move(m_diagnostics); }
    /// How much of running collectives is done beyond the members that have finished, in members: grows with every message, and what
    /// a finished member gives up its task counts. O(collectives).
    double membersUnderWay() const;

    /// Why a rank's collective does not end, once nothing happens any more.
    struct Standstill {
        std::string reason;
        std::vector<std::int32_t> onRanks;
        bool tellWhere = false; ///< What the first of those ranks does instead belongs to the reason.
    };
    Standstill explain(std::int32_t rank, TaskIndex task) const;

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kManyBox = 0x80000000U;

    /// The part of one member in one chunk: where it is and the step machine (manual: astra 6.1).
    struct Record {
        std::int32_t position = 0;
        std::int32_t phase = 0;
        std::int32_t index = 0;     ///< In the phase's dimension.
        std::int32_t prepared = 0;
        std::int32_t sent = 0;
        std::int32_t received = 0;
        std::int32_t tokens = 0;
        std::int32_t free = 0;
        std::int32_t charged = 0;
        std::uint32_t nextInstance = kNone; ///< In a queue.
        std::uint32_t nextRecord = kNone;
        bool flag = false;
        bool backwards = false;
        bool running = false;
    };

    struct Custom {
        ProgramPtr program;
        std::vector<std::int32_t> missing;         ///< Dependencies of every operation that are not met.
        std::vector<std::vector<std::uint32_t>> dependents;
        std::vector<std::int32_t> left;            ///< Operations per file.
        std::vector<std::size_t> file;             ///< Of every position.
    };

    struct Instance {
        std::shared_ptr<const AstraPlan> plan;
        std::unique_ptr<Custom> custom;
        const std::vector<std::int64_t>* ranks = nullptr; ///< By position; null: position is rank.
        std::vector<std::int64_t> ownRanks;        ///< Where the family has no list.
        FamilyId family = 0;
        std::int64_t group = 0;
        std::int32_t ordinal = 0;
        std::uint32_t number = 0;                  ///< Running, for tags.
        std::int32_t members = 0;
        std::int32_t membersLeft = 0;
        std::vector<Record> records;               ///< chunk * members + position.
        std::vector<std::int32_t> boxes;           ///< Arrived minus posted.
        std::vector<std::int8_t> manyBoxes;
        std::vector<std::int32_t> chunksLeft;      ///< Per member; -1: not entered.
        std::vector<TaskIndex> tasks;              ///< Per member.
        std::vector<std::int64_t> leftNs;          ///< Per member: when its last message has left; only with endsWhenLeft.
        std::vector<std::uint32_t> queueBase;      ///< Per member and phase; empty with one queue.
        std::vector<std::uint8_t> secondTree;      ///< Per chunk, phase by phase bits.
        std::vector<std::pair<std::int32_t, std::string>> mismatches; ///< Position and what differs.
        std::int64_t bytes = 0;
        std::int64_t accounted = 0;                ///< Memory.
        std::int64_t delivered = 0;                ///< Messages.
        bool alive = false;

        std::int32_t rankOf(std::int32_t position) const
        {
            return ranks ? static_cast<std::int32_t>((*ranks)[static_cast<std::size_t>(position)]) : position;
        }
    };

    struct RankQueue {
        std::uint32_t headInstance = kNone;
        std::uint32_t headRecord = kNone;
        std::uint32_t tailInstance = kNone;
        std::uint32_t tailRecord = kNone;
        std::int32_t running = 0;
    };
    struct Counters {
        std::uint32_t all = 0;
        std::uint32_t first = 0;
        std::uint32_t second = 0;
    };
    struct Group {
        std::int32_t position = -1;
        std::int64_t number = 0;
        std::int32_t members = 0;
        bool whole = false;
    };

    // collectivequeue.cpp
    Result<std::uint32_t> instanceFor(const AstraEntry& entry, const Group& group, std::int32_t ordinal);
    Result<std::shared_ptr<const AstraPlan>> planFor(const AstraEntry& entry, const Group& group);
    std::string customPrefix(const AstraEntry& entry, const Group& group);
    Status allocate(Instance& instance);
    void retire(std::uint32_t instance);
    void start(std::uint32_t instance, std::int32_t position);
    std::size_t queueIndex(const Instance& instance, const Record& record, const AstraPhase& phase, std::int32_t rank) const;
    void enqueue(std::size_t queue, std::uint32_t instance, std::uint32_t record);
    void startNext(std::size_t queue);
    void endPhase(std::uint32_t instance, std::uint32_t record);
    void memberDone(std::uint32_t instance, std::int32_t position);

    // phasesteps.cpp
    void startPhase(std::uint32_t instance, std::uint32_t record);
    void prepare(std::uint32_t instance, Record& record, std::uint32_t at, const Instance& in, const AstraPhase& phase);
    bool trySend(std::uint32_t instance, std::uint32_t at, Instance& in, Record& record, const AstraPhase& phase);
    void transmit(std::uint32_t instance, std::uint32_t at, Instance& in, Record& record, const AstraPhase& phase, std::int32_t toIndex,
                  std::uint32_t toBox, std::int32_t fromIndex, std::uint32_t fromBox, std::size_t table);
    void sendTo(std::uint32_t instance, std::uint32_t at, Instance& in, const Record& record, const AstraPhase& phase, std::int32_t toIndex,
                std::uint32_t toBox, std::size_t table);
    void expectFrom(std::uint32_t instance, std::uint32_t at, Instance& in, const Record& record, const AstraPhase& phase,
                    std::int32_t fromIndex, std::uint32_t fromBox, std::size_t table);
    void startTree(std::uint32_t instance, std::uint32_t at);
    AstraTreeNode treeNode(const Instance& in, std::uint32_t at, const Record& record) const;

    // customcollectives.cpp
    Status prepareCustom(Instance& instance, const std::string& prefix) const;
    void startCustom(std::uint32_t instance, std::int32_t position);
    void issueCustom(std::uint32_t instance, std::int32_t position, std::vector<std::uint32_t> operations);

    const AstraSystem& m_system;
    const Workload& m_workload;
    const std::vector<std::pair<std::string, ProgramPtr>>& m_customPrograms;
    std::int32_t m_npus;
    bool m_symmetric;
    bool m_noHandling;
    bool m_splitAllReduce;
    bool m_separateQueues;
    bool m_ownPlaces;
    bool m_bundledRings;
    bool m_wholeShares;
    bool m_endsWhenLeft;
    AstraQueue& m_queue;
    AstraNetwork& m_network;
    AstraPost& m_post;
    AstraCollectiveOwner& m_owner;

    std::size_t m_axes = 1;          ///< Logical dimensions.
    std::uint32_t m_queues = 1;      ///< Q.
    std::int32_t m_running = 1;      ///< Chunks a queue runs at once.
    std::vector<RankQueue> m_rankQueues;
    std::vector<Counters> m_counters; ///< Per rank and dimension, only with several queues.

    std::vector<std::unique_ptr<Instance>> m_instances;
    std::vector<std::uint32_t> m_freeInstances;
    std::map<std::tuple<FamilyId, std::int64_t, std::int32_t>, std::uint32_t> m_live;
    std::vector<std::vector<std::pair<FamilyId, std::int32_t>>> m_ordinals; ///< Per rank: collectives entered per family.
    std::map<std::tuple<int, std::int64_t, std::int32_t, std::int64_t>, std::shared_ptr<const AstraPlan>> m_plans;
    std::map<std::tuple<FamilyId, std::int64_t, int>, std::string> m_groupCustom; ///< First choice of a group is kept.
    std::map<std::pair<int, std::int32_t>, std::uint32_t> m_treeTurns; ///< Per collective and dimension.
    std::uint32_t m_nextNumber = 0;
    std::int64_t m_memoryLimit = 0;
    std::int64_t m_memory = 0;
    Diagnostics m_diagnostics;
};

} // namespace fabricscope
