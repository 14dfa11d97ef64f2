#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace fabricscope::events {

struct Run;
struct Message;

/// A collective that is answered as a whole looks to the event engine like a black box: entries of all members in, exits out.
/// Implemented by the driver of components.h; the engine asks when the last member has entered.
class Boxes {
public:
    virtual ~Boxes() = default;

    /// Is the collective answered as a whole? Asked once, when its first member issues it. \pre the run has a plan.
    virtual bool takes(const Run& run) = 0;
    /// All members that are simulated have entered. Is it to go message by message after all? Only where they have all entered now.
    virtual bool leaves(const Run& run) { return (void)run, false; }
    /// All members have entered, the last one now. In: Member::lastLeft is the entry of each; out: its exit, later than now.
    /// Errors: Unsupported when the collective cannot be answered apart from all else; those of a run.
    virtual Status answer(Run& run) = 0;
    /// A message of something that is not answered as a whole becomes ready, and later is delivered.
    /// Errors: Unsupported when it meets the traffic of a box.
    virtual Status begin(const Message& message) = 0;
    virtual void end(const Message& message) = 0;
};

/// A link was busy without a pause, or under `flow` at one rate; times in ps.
struct BusyInterval {
    std::int32_t link = 0; ///< As Routes numbers them.
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t busy = 0; ///< Of that time: what it did at its full rate.
};

} // namespace fabricscope::events
