#pragma once

#include "core/insight/messagelog.h"
#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What a stretch of a critical path went by for.
enum class PathCause : std::uint8_t {
    Start,         ///< Nothing had begun on the rank.
    Compute,
    Slowed,        ///< A computation beyond what it takes alone: collectives beside it, or a draw.
    Host,
    RemoteMemory,
    Endpoint,      ///< Endpoint delay before a message.
    Protocol,      ///< Before a message could leave: latency, control messages and slots of its protocol.
    Launch,        ///< From the issue of a collective to its begin: network.launch, or what its rule says.
    Ramp,          ///< What a rule adds to that by the size of the collective.
    Latency,
    Serialisation, ///< Bytes over the slowest link, budget or crossbar of the way.
    Reduction,     ///< What it adds behind the arrival.
    Waiting,       ///< For a link or a reducer that others had taken, a place in a window, a partner that was not there.
    Turn,          ///< A task or message that could begin: its unit, or its group, did something else.
    Transfer,      ///< A collective, or a message, whose own messages are not followed.
    Idle           ///< The rank is done, the run is not.
};
constexpr std::size_t kPathCauses = 16;

/// "compute", "waiting", ...: the words of results.
std::string_view pathCauseKey(PathCause cause);

/// Which number of the design decides how long it takes.
enum class PathParameter : std::uint8_t {
    None,          ///< None: it follows from the order of things.
    ComputeTime,   ///< Durations that the workload gives.
    Peak,
    MemoryRate,    ///< Of computations (roofline).
    LinkRate,      ///< With the resource class.
    LinkLatency,
    Injection,
    Ejection,
    ReducerRate,
    EndpointDelay,
    RemoteMemory,
    Launch,        ///< Of collectives, by the rule in `resource`; -1: network.launch.
    Ramp           ///< Of the rule in `resource`.
};

/// Which message of its collective, or between two tasks, a piece is about.
struct PathMessage {
    std::int32_t source = -1; ///< -1: none.
    std::int32_t target = -1;
    std::int32_t chunk = -1;  ///< Of a collective, as phase and step; -1: between two tasks.
    std::int32_t phase = -1;
    std::int32_t step = -1;
    friend bool operator==(const PathMessage&, const PathMessage&) = default;
};

/// A stretch of time and what it was spent on. Pieces of a path touch one another.
struct PathPiece {
    std::int64_t beginPs = 0;
    std::int64_t endPs = 0;
    PathCause cause = PathCause::Start;
    PathParameter parameter = PathParameter::None;
    ResourceClass resource = -1;   ///< Of a parameter of links, or the number of a rule.
    std::int32_t rank = 0;         ///< Whose task it is; of a message its sender.
    TaskIndex task = -1;           ///< On that rank; -1: none.
    std::int32_t peer = -1;        ///< Receiver of a message; -1: it is none.
    LinkId link = -1;
    std::int32_t holderRank = -1;  ///< Waiting: whose task had taken what was waited for; -1: not one task alone.
    TaskIndex holderTask = -1;
    PathMessage message{};         ///< Whose it is; of a waiting piece the one that waits.

    std::int64_t ps() const { return endPs - beginPs; }
};

/// A chain of causes back from one instant to another, without a gap: durations of its pieces add up to `toPs - fromPs` exactly.
struct CriticalPath {
    std::int64_t fromPs = 0;
    std::int64_t toPs = 0;
    std::vector<PathPiece> pieces;   ///< In the order of time.
    bool messages = false;           ///< Single messages were followed.
    bool folded = false;             ///< Rank 0 stands for all.
};

/// The task of a rank that ended last, the lowest rank of several; the run ends with it. Nothing: no task has ended.
struct PathEnd {
    std::int32_t rank = 0;
    TaskIndex task = 0;
    std::int64_t ps = 0;
    std::optional<std::uint32_t> message{}; ///< Number in the log: the path begins with its delivery instead of the end of the task.
};
std::optional<PathEnd> lastTask(const Scenario& scenario, const RunRecord& record);
std::optional<PathEnd> lastTaskOf(const Scenario& scenario, const RunRecord& record, std::int32_t rank);

/// Why the task ended, or the message was delivered, when it did: from the end of it back to the start of the run. Where several causes end at one instant the lowest task, or the
/// first message, is taken. `log`: messages of the run; empty: collectives count as a whole, from the last member that began to the end.
/// Told to stop: throws StopRequested (stop.h). O(pieces * log messages), and the tasks of ranks it comes to.
/// \pre the record has task times
CriticalPath criticalPath(const Scenario& scenario, const RunRecord& record, const MessageLog& log, const PathEnd& end, const std::stop_token& stop = {});

/// The part of it inside of [fromPs, toPs].
CriticalPath cutPath(CriticalPath path, std::int64_t fromPs, std::int64_t toPs);

} // namespace fabricscope
