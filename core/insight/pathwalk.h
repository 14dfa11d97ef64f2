#pragma once

#include "core/insight/criticalpath.h"
#include "core/insight/pathtasks.h"

#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Goes from the end of a task back to the start of the run, from cause to cause; each step leaves a piece without a gap behind it. Whatever it does not
/// find exactly it takes from the latest that ended before, so it always comes to the start. In pathwalk.cpp (tasks), messagewalk.cpp (messages).
class PathWalk {
public:
    PathWalk(const Scenario& scenario, const RunRecord& record, const MessageLog& log, const std::stop_token& stop);

    std::vector<PathPiece> walk(const PathEnd& end); ///< In the order of time.

private:
    enum class At : std::uint8_t { Start, TaskEnd, Arrival, Departure };
    /// Something that ended at m_at.
    struct Cursor {
        At at = At::Start;
        std::int32_t rank = 0;
        TaskIndex task = -1;
        std::uint32_t message = 0;
    };
    /// What a message needs on its way, alone.
    struct Way {
        std::vector<LinkId> links;
        std::int64_t latency = 0;
        std::int64_t own = 0;             ///< Over the first link.
        std::int64_t slowest = 0;         ///< Over the slowest, budgets among them.
        LinkId slowLink = -1;
        PathParameter limit = PathParameter::LinkRate; ///< Of the slowest.
    };

    // Tasks.
    Cursor taskEnd(std::int32_t rank, TaskIndex task);
    Cursor computed(std::int32_t rank, TaskIndex task, std::int64_t issue);
    Cursor accessed(std::int32_t rank, TaskIndex task, std::int64_t issue);
    Cursor communicated(std::int32_t rank, TaskIndex task, std::int64_t issue);
    std::optional<Cursor> pairAlone(std::int32_t rank, TaskIndex task, std::int64_t issue);
    Cursor asAWhole(std::int32_t rank, TaskIndex task, std::int64_t issue);
    Cursor beforeTask(std::int32_t rank, TaskIndex task);
    Cursor latestBefore(std::int32_t rank, TaskIndex task, PathCause cause);
    std::optional<TaskIndex> unitHolder(std::int32_t rank, TaskIndex task);

    // Messages.
    std::optional<Cursor> findMessage(std::int32_t rank, TaskIndex task) const;
    Cursor messageDone(std::uint32_t number, bool left);
    std::optional<Cursor> lateMember(std::uint32_t number, const Way& way);
    std::optional<Cursor> acrossWay(std::uint32_t number, const Way& way);
    void takeLatency(std::uint32_t number, const Way& way);
    Cursor queued(std::uint32_t number, const Way& way, bool delivered);
    Cursor beforeMessage(std::uint32_t number);
    Cursor fromSwitch(std::uint32_t number);
    std::int32_t ownerOf(const MessageRecord& message) const { return rankOf(isRank(message.source) ? message.source : message.target); }
    std::optional<Cursor> readyBecause(std::uint32_t number, const MessageRecord& message, TaskIndex task, std::int64_t ps);
    std::optional<Cursor> arrivalOf(const MessageRecord& message, std::int64_t ps) const;
    std::optional<Cursor> partnerReady(const MessageRecord& message, TaskIndex task, std::int64_t ps);
    Cursor latestCause(const MessageRecord& message, TaskIndex task);
    /// Of a collective on a rank, ps.
    struct Beginning {
        std::int64_t issue = 0;
        std::int64_t launch = 0;
        std::int64_t ramp = 0;
        ResourceClass rule = -1; ///< That says them; -1: none.
        bool ownLaunch = false;  ///< It says another launch than the design.
        std::int64_t end() const { return issue + launch + ramp; }
    };
    Beginning beginningOf(std::int64_t instance, std::int32_t rank, TaskIndex task) const;
    /// A collective from its begin back to its issue.
    void takeBeginning(const Beginning& beginning, PathPiece piece);
    std::int64_t reductionOf(const MessageRecord& message) const;
    std::int64_t wireBytes(const MessageRecord& message) const;
    const Way& wayOf(const MessageRecord& message);
    std::optional<std::uint32_t> heldBy(std::span<const std::uint32_t> messages, std::uint32_t number, LinkId link, bool left);
    void noteHolder(std::uint32_t number, std::uint32_t holder, PathPiece& piece);
    LinkId busiestBehind(const Way& way) const;
    std::int32_t ranks() const { return m_scenario.structure->workload->rankCount; }
    bool isRank(std::int32_t rank) const { return rank >= 0 && rank < ranks(); }
    std::int64_t occupancy(LinkId link, std::int64_t bytes) const { return m_scenario.costs->occupancy(m_scenario.structure->classOf(link), bytes); }
    PathMessage nameOf(const MessageRecord& message) const;
    PathPiece pieceOf(std::uint32_t number, PathCause cause, PathParameter parameter, LinkId link);
    TaskIndex taskOfMessage(const MessageRecord& message);

    /// Adds the piece from `begin` to m_at, if it takes any time; m_at is `begin` then.
    void take(std::int64_t begin, PathPiece piece);
    PathPiece waitedFor(const PathPiece& piece) const;
    /// The message waits from now on for what `holder` did, until it was ready; of one collective that is no waiting.
    void waitFrom(std::uint32_t number, std::uint32_t holder);
    /// take() of at most `ps` and not before `least`.
    void takeUpTo(std::int64_t ps, std::int64_t least, const PathPiece& piece);
    /// False: it has been there at this instant.
    bool enter(const Cursor& cursor);
    bool isOpen(const Cursor& cursor) const { return !m_entered.contains(keyOf(cursor)); }
    static std::tuple<At, std::int32_t, std::int64_t> keyOf(const Cursor& cursor);
    std::int32_t rankOf(std::int32_t rank) const { return m_log.isFolded() ? 0 : rank; }

    const Scenario& m_scenario;
    const RunRecord& m_record;
    const MessageLog& m_log;
    const std::stop_token& m_stop;
    PathTasks m_tasks;
    std::unordered_map<LinkId, std::int64_t> m_busy; ///< Of links on the record.
    std::vector<PathPiece> m_pieces;                 ///< Last first.
    std::int64_t m_at = 0;
    std::set<std::tuple<At, std::int32_t, std::int64_t>> m_entered; ///< At m_at.
    /// Who waited, from `fromPs` on, for what is being walked.
    struct Waiter {
        std::int64_t fromPs = INT64_MAX;
        std::int32_t rank = -1;
        TaskIndex task = -1;
        PathMessage message{};
    };
    Waiter m_waiter;
    Way m_way;
    std::tuple<std::int32_t, std::int32_t, std::int64_t> m_wayKey{-1, -1, -1};
};

} // namespace fabricscope
