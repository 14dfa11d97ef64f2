#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/record/timelinesource.h"
#include "core/report/runsummary.h"
#include "core/sim/simulate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace fabricscope {

/// A run of a design with everything a view or a report needs. Immutable once published; shared between threads.
struct RunResult {
    std::int64_t number = 0;               ///< Of the job that made it; newer jobs carry higher numbers.
    std::shared_ptr<const Design> design;  ///< As it was run.
    ScenarioPtr scenario;
    RunSummary summary;                    ///< Its record is never null.
    RunCost cost;
    TimelineSourcePtr timeline;            ///< Null when task times were not kept.

    const RunRecord& record() const { return *summary.record; }
    /// Simulated only up to RunRecord::cutAt, because the run still goes on or was cancelled.
    bool isPartial() const { return summary.record->cutAt.has_value(); }
};

using RunResultPtr = std::shared_ptr<const RunResult>;

/// How far a job is, for people.
struct RunProgress {
    enum class Stage : std::uint8_t { Preparing, Simulating };
    Stage stage = Stage::Preparing;
    double share = 0;           ///< 0..1.
    std::int64_t events = 0;
    double eventsPerSecond = 0; ///< Mean of the run so far; wall time.
    double secondsLeft = -1;    ///< Estimate from the share; negative: too early to say.
    SimTime simulated;
};

/// A design made ready to run.
struct PreparedRun {
    ScenarioPtr scenario;                         ///< Null: not yet.
    std::shared_ptr<const PlanFigures> placement; ///< Of a plan with `placement: hap`; else null.
};

/// What a run was made of, to run its design once more.
PreparedRun preparedOf(const RunSummary& summary, ScenarioPtr scenario);

struct RunDesignOptions {
    std::int64_t number = 0;
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    int threads = 1;
    std::int64_t memoryLimit = 0;                        ///< Bytes; 0: none.
    bool taskTimes = true;                               ///< Keep the times of every task and how busy links are over time, for the timeline.
    bool timeline = true;                                ///< With them: make RunResult::timeline, which shows them.
    /// RunOptions::message of the run. Auto then lets the engine symmetry tell of rank 0 where it follows the design. May be empty.
    std::function<void(const MessageRecord&)> message{};
    std::int64_t mostMessages = INT64_MAX;               ///< Of a run that is expected to have more nothing is told: `message` would cost more than the run.
    std::function<void()> messagesAgain{};               ///< What `message` was told so far does not count: another engine begins. With `message`.
    std::function<void(const RunProgress&)> progress;    ///< On the thread of the run, a few times a second. May be empty.
    std::function<void(RunResultPtr)> partial;           ///< The same: what there is so far. May be empty.
    PreparedRun prepared{};                              ///< By a run of this design before: nothing is prepared again, nor a placement searched.
};

/// Checks, prepares and simulates a design and makes what views need of it. A pure function of the design but for RunResult::cost.
/// `noticed`: what reading the design reported; the result carries it.
/// Errors: what validate() and prepare() find, those of simulate(), and MemoryLimit when memory runs out: nothing is
/// thrown then (see core/base/outofmemory.h), and all that the run held is released. A cancelled run has handed out its last part by `partial`.
Result<RunResultPtr> runDesign(std::shared_ptr<const Design> design, const Diagnostics& noticed, const RunDesignOptions& options,
                               std::stop_token stop = {});

} // namespace fabricscope
