#pragma once

#include "widgets/base/history.h"
#include "widgets/timeline/geometry.h"

namespace fabricscope {

/// The ranges of time a view has shown, to go back and forth between. What one hand does without letting go is one step. No widget, no clock.
class TimelineZoomHistory {
public:
    /// A single act is a step of its own; acts of one kind that follow each other at once (turns of the wheel, a drag) are one together.
    enum class Act { Single, Wheel, Drag };
    static constexpr std::size_t kMost = History<TimeRange>::kMost; ///< Steps kept; the oldest go.

    /// Forgets all: another run is on show from here on.
    void start(TimeRange range);
    /// `range` is shown now. What was gone back from is forgotten. The same range again is no step.
    void visit(TimeRange range, Act act = Act::Single);
    /// The drag or the turning is over: the next of its kind is a step of its own.
    void endAct() { m_last = Act::Single; }

    bool canBack() const { return m_ranges.canBack(); }
    bool canForward() const { return m_ranges.canForward(); }
    /// \pre canBack(), canForward().
    TimeRange back();
    TimeRange forward();

private:
    History<TimeRange> m_ranges;
    Act m_last = Act::Single;
};

} // namespace fabricscope
