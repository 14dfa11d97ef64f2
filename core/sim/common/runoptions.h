#pragma once

#include "core/base/units.h"
#include "core/record/messagerecord.h"
#include "core/record/recordbuilder.h"

#include <cstdint>
#include <functional>
#include <span>

namespace fabricscope {

/// How a run is computed; the answer is the same. Auto takes the fastest that applies: symmetry where all NPUs do the same (symmetricrun.h,
/// and one rank for all under astra-*), else events. A forced engine that does not apply is an error that says why.
enum class EngineChoice : std::uint8_t { Auto, Memo, Symmetry, Sweep, Events };

/// How far a run is; published a few times a second at most.
struct Progress {
    double share = 0;         ///< 0..1, of tasks finished.
    std::int64_t events = 0;
    SimTime simulated;
};

struct RunOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::uint64_t seed = 0;
    bool taskTimes = true;                           ///< Keep TaskTimes.
    bool busyOverTime = true;                        ///< Keep DimensionUse::busy; false: totals only.
    bool messageDigest = false;                      ///< Compute RunRecord::messages (costs time).
    std::int64_t memoryLimit = 0;                    ///< Bytes; 0: none. Over it: ErrorCode::MemoryLimit.
    RecordOptions record;                            ///< What runs that people see have in addition.
    std::function<void(const Progress&)> progress;   ///< Any thread; may be empty.
    /// What there is so far (RunRecord::cutAt is set), about once in 0.5 s of wall time, less often when making it is expensive, and
    /// once more before a cancelled run returns. Called on the thread of the run; may be empty.
    std::function<void(RunRecord)> partial;
    /// Every finished message, in no defined order; tests and stepping. May be empty. Auto then follows every message up to
    /// kMostRanksForMessages ranks; the symmetry engine tells of the messages rank 0 sends.
    std::function<void(const MessageRecord&)> message;
    /// The ways of the message that `message` is called with next; needs that, and keeps to the event engine. Not called for messages without a way:
    /// those of a node to itself and those of switches.
    std::function<void(std::span<const TakenWay>)> ways;
};

} // namespace fabricscope
