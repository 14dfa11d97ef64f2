#pragma once

#include "core/base/result.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// One operation of a schedule in GOAL, the form of LogGOPSim and of what drives HTSim by it (T. Hoefler, C. Siebert, A. Lumsdaine: Group Operation
/// Assembly Language, ICPP 2009).
struct GoalOp {
    enum class Kind : std::uint8_t { Calc, Send, Receive };
    Kind kind = Kind::Calc;
    std::int32_t cpu = 0;  ///< Operations of one of these take turns.
    std::int64_t size = 0; ///< Calc: ns; else bytes.
    std::int32_t peer = 0; ///< Send, receive: the other rank.
    std::uint32_t tag = 0;
    int line = 0;          ///< In the file; 0: from nowhere.
};

/// `op` waits for `needed`, by their numbers in the rank.
struct GoalNeed {
    std::uint32_t op = 0;
    std::uint32_t needed = 0;
    bool start = false; ///< For its begin ("irequires"), not its end.
};

struct GoalRank {
    std::vector<GoalOp> ops;
    std::vector<GoalNeed> needs;
    std::vector<std::string> labels; ///< Names for people: by operation, or empty, as those without one: l1, l2, ...
};

struct GoalSchedule {
    std::vector<GoalRank> ranks;
};

inline constexpr std::int64_t kMostGoalOps = 100'000'000; ///< Of all ranks.

/// Does a text begin as a schedule in GOAL, behind comments: with num_ranks and a number? O(comments).
bool isGoalSchedule(std::string_view head);

/// As a text that LogGOPSim's txt2bin reads. Told to stop: throws StopRequested (stop.h). O(schedule).
std::string goalText(const GoalSchedule& schedule, const std::stop_token& stop = {});

/// The tasks of a schedule (manual: formats 9): calc on cpu 0 is the NPU's, on others the host's; a send or receive takes what the network takes; who waits for
/// a begin waits for what that waits for. `file` names it in errors and notes. Errors, with the line: operations that wait for each other; Cancelled. O(schedule log schedule).
Result<WorkloadPtr> workloadOfGoal(const GoalSchedule& schedule, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
