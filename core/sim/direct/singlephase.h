#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

// The driver of `links` for a run in which nothing moves but one direct all-to-all or all-gather between NPUs that pass nothing on, where every way is
// known before the first message leaves: the event engine walks the tasks of all ranks, and the collective is answered as a whole (events::Boxes)
// by PhaseTraffic (phasetraffic.h).

/// May it follow the run, as far as model, parameters and structure tell? Unsupported, with the reason. O(instances).
Status followsOnePhase(const Scenario& scenario);

/// Runs the scenario. The record is that of simulateEvents() in every field but `events` and `engines`, which names it "direct". Partial records show
/// nothing of the collective before its end.
/// Errors: Cancelled, MemoryLimit, InvalidInput as simulateEvents(); Unsupported when something else sends a message, a member would be
/// done before the last one enters, a message begins on a link that another one passes, or something takes no time.
/// \pre followsOnePhase(), and no RunOptions::ways
Result<RunRecord> simulateOnePhase(const Scenario& scenario, const RunOptions& options, std::stop_token stop);

/// simulateOnePhase() of so many messages that it pays; absent: the event engine has to do it.
std::optional<Result<RunRecord>> tryOnePhase(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);

} // namespace fabricscope
