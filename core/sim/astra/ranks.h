#pragma once

#include "core/base/digest.h"
#include "core/record/recordbuilder.h"
#include "core/sim/astra/collectivequeue.h"
#include "core/sim/astra/localmemory.h"
#include "core/sim/common/runoptions.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// The workload layer (manual: astra 7 and 8): which task of which rank is issued when, and what it takes.
class AstraRanks final : public AstraCollectiveOwner {
public:
    struct Setup {
        const Workload& workload;
        const AstraSystem& system;
        const RemoteMemory& memory;
        std::int32_t npus;
        std::size_t dimensions;
        bool manyTransfers = false; ///< See AstraVariant.
        bool endsWhenLeft = false;
        std::int64_t leastNs = 1;   ///< Of recorded durations.
        AstraMemory::Pace pace{};
    };
    AstraRanks(const Setup& setup, AstraQueue& queue, AstraPost& post);

    /// Looked at where many ranks are gone through; once set, start() and nudge() end with the error Cancelled.
    void setStop(std::stop_token stop) { m_stop = std::move(stop); }
    /// Allocates the state of all ranks.
    void prepare();
    static std::int64_t estimate(const Workload& workload, std::int32_t npus);
    void setCollectives(AstraCollectives& collectives) { m_collectives = &collectives; }

    /// Issues what every rank can do at time 0, in rank order.
    void start();
    /// Once nothing happens any more: lets ranks go on that only lack another walk over their ready tasks. True if one did.
    bool nudge();

    void taskEnd(std::int32_t rank, TaskIndex task);
    void memoryEnd(std::int32_t rank, TaskIndex task, std::uint32_t server);
    void collectiveEnded(std::int32_t rank, TaskIndex task) override { taskEnd(rank, task); }

    const std::optional<Error>& error() const { return m_error; }
    std::int64_t tasksDone() const { return m_tasksDone; }
    std::int64_t tasksTotal() const { return m_tasksTotal; }
    std::int32_t rankCount() const { return m_npus; }
    bool complete() const { return static_cast<std::int32_t>(m_finishOrder.size()) == m_npus; }

    /// Adds classes and finish order; returns the fingerprint. Rank 0 may stand for all ranks of dimensions of these sizes. With `cut` the
    /// run goes on, and there is no fingerprint. Without, call it once: times turn into ps. Errors: Cancelled.
    Result<Digest> report(RecordBuilder& builder, bool taskTimes, const std::vector<std::int32_t>* symmetric, bool cut) const;
    /// One wait per unfinished rank, a ring first where there is one.
    std::vector<Wait> waits() const;
    Diagnostics takeDiagnostics() { return std::move(m_diagnostics); }

private:
    /// Behind them, with manyTransfers, one per group family: collectives of a group run one after the other.
    enum Slot : std::uint8_t { Host, Compute, Communication, Unlimited, kSlots };
    enum class Type : std::uint8_t { Host, Compute, Communication, Memory, None };
    struct Later {
        bool operator()(TaskIndex left, TaskIndex right) const { return left > right; }
    };
    using Ready = std::priority_queue<TaskIndex, std::vector<TaskIndex>, Later>;

    /// Tasks that wait for a task, shared by ranks with the same graph.
    struct Followers {
        std::vector<std::uint32_t> begin;
        std::vector<TaskIndex> tasks;
    };
    /// Union of intervals that come in time order.
    struct Union {
        std::int64_t open = 0;
        std::int64_t since = 0;
        std::int64_t total = 0;
    };
    struct Rank {
        const RankGraph* graph = nullptr;
        const Followers* followers = nullptr;
        std::vector<std::uint32_t> missing;  ///< Dependencies not met, per task.
        std::shared_ptr<TaskTimes> times;    ///< In ns until reported.
        std::vector<Ready> ready;            ///< Per slot.
        std::vector<TaskIndex> fresh;        ///< Ready since the present walk began.
        std::vector<std::uint8_t> slotBusy;
        bool walking = false;
        bool finished = false;
        std::int32_t ongoing = 0;
        std::int32_t left = 0;
        std::int64_t finish = 0;
        std::int64_t computeSum = 0;         ///< GPU durations, as exposed communication counts them.
        Union use[4];                        ///< By Type.
        double boundNs = 0;                  ///< Sums of the roofline figures.
        double computeNs = 0;
        double memoryNs = 0;
        double intensityNs = 0;
        std::int64_t countedNs = 0;
    };
    struct Duration {
        std::int64_t ns = 0;
        bool skipped = false; ///< Ends inside the issue call.
    };

    std::size_t slotOf(const RankGraph& graph, TaskIndex task) const;
    Type typeOf(const RankGraph& graph, TaskIndex task) const;
    void walk(std::int32_t rank);
    void issue(std::int32_t rank, TaskIndex task);
    bool begin(std::int32_t rank, TaskIndex task); ///< False: ended at once.
    bool beginCollective(std::int32_t rank, TaskIndex task);
    Duration computeDuration(Rank& state, std::int32_t rank, TaskIndex task);
    std::int64_t replayNs(const RankGraph& graph, TaskIndex task) const;
    void end(std::int32_t rank, TaskIndex task);
    void settle(std::int32_t rank);
    void fail(Error error, std::int32_t rank, TaskIndex task);
    void warn(const char* rule, const std::string& message, std::int32_t rank, TaskIndex task);
    Place placeOf(std::int32_t rank, TaskIndex task) const;

    // report.cpp
    Wait waitOf(std::int32_t rank) const;
    std::string taskText(std::int32_t rank, TaskIndex task) const;
    std::string doingText(std::int32_t rank) const;
    TaskIndex blockingTask(const Rank& state) const;

    RankTimes timesOf(const Rank& state, bool cut) const;
    std::vector<std::int32_t> finishOrder(const std::vector<std::int32_t>* symmetric) const;
    bool stopped();

    const Workload& m_workload;
    const AstraSystem& m_system;
    std::int32_t m_npus;
    std::size_t m_dimensions;
    bool m_manyTransfers;
    bool m_endsWhenLeft;
    std::int64_t m_leastNs;
    std::size_t m_slots = kSlots;
    std::stop_token m_stop;
    AstraQueue& m_queue;
    AstraPost& m_post;
    AstraMemory m_memory;
    AstraCollectives* m_collectives = nullptr;
    std::vector<Rank> m_ranks;
    std::vector<Followers> m_followers; ///< Per graph.
    std::vector<std::int32_t> m_finishOrder;
    std::int32_t m_finishShift = 0;     ///< Where rank 0 stands for all: how their order had moved.
    std::int64_t m_tasksDone = 0;
    std::int64_t m_tasksTotal = 0;
    std::optional<Error> m_error;
    Diagnostics m_diagnostics;
};

} // namespace fabricscope
