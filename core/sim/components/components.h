#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

// The driver of `links` and `ideal` that cuts a run into components (manual: engines 4).
//
// A component is one collective of one group whose links, reducers and budgets nobody else uses from its first work on each of them to the
// last. What happens inside depends on nothing outside but the entries of the members, and the outside sees nothing of it but
// their exits. So the event engine walks the tasks of all ranks with collectives as black boxes (events::Boxes): when the last member
// has entered, the collective is answered as a whole, and the exits go back as events. Exits of collectives that move data come after
// the last entry, because every member waits for something of every other; an answer in which they do not is refused.
// That boxes do not meet is proved link by link: first work of the later one not before the end of the last work of the earlier one.
// Messages that belong to no box run in the same engine; they must not use a link or NPU that a box uses in the meantime.
//
// A box is answered by what occurred before (memo.h), else by the sweep (sweptcomponent.h), else by the event engine alone with it
// (runcomponent.h).

/// How the driver works.
struct ComponentOptions {
    bool memo = true;           ///< Use answers again.
    bool sweep = true;          ///< Let the sweep answer where it follows the collective.
    bool strict = false;        ///< Collectives that meet others are an error; false: they run message by message beside the boxes.
    std::int64_t memoBytes = std::int64_t{256} << 20; ///< Answers kept take at most about this much memory.
};

/// Runs the scenario. The record is that of simulateEvents() in every field but `events` and `engines`, which names the shares of messages
/// answered by memo, symmetry, sweep and events.
/// Errors: Cancelled, MemoryLimit, InvalidInput as simulateEvents(); Unsupported when it cannot be cut, naming the collectives in the way.
/// \pre links or ideal, nothing that needsEvents()
Result<RunRecord> simulateComponents(const Scenario& scenario, const RunOptions& options, const ComponentOptions& components, std::stop_token stop);

/// Is it worth trying: does a collective of one kind (operation, size, members, chunks) occur again? At most O(collectives log kinds).
bool componentsPay(const Scenario& scenario);

/// simulateComponents() when it pays, nobody asks for every message, and the scenario can be cut; absent: the event engine has to do it.
/// With EngineChoice::Memo always, strictly, and the reason comes back as an error instead.
std::optional<Result<RunRecord>> tryComponents(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);

} // namespace fabricscope
