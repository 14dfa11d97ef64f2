#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// A stretch of simulated time, [beginPs, endPs).
struct TimeRange {
    std::int64_t beginPs = 0;
    std::int64_t endPs = 0;

    std::int64_t spanPs() const { return endPs - beginPs; }
    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// A label of the ruler.
struct TimelineTick {
    std::int64_t timePs = 0;
    bool major = true;
};

/// Where time lies in pixels. No widget, no painter. Zooming never passes one picosecond per pixel nor leaves the run.
struct TimelineGeometry {
    TimeRange run{0, 1};     ///< What can be shown.
    TimeRange visible{0, 1}; ///< What is shown; inside `run`.
    double left = 0;         ///< x of visible.beginPs.
    double width = 1;        ///< Pixels of the visible range, at least 1.

    double psPerPixel() const { return static_cast<double>(visible.spanPs()) / width; }
    double xOf(std::int64_t timePs) const;
    std::int64_t timeAt(double x) const; ///< Clamped to the visible range.

    /// The range moved and cut so that it lies in the run and keeps at least one picosecond per pixel.
    TimeRange clamped(TimeRange range) const;
    /// Zoomed by `factor` (> 1: closer), the time under `x` staying where it is as far as the run allows.
    TimeRange zoomed(double factor, double x) const;
    /// Moved by a share of the visible range; positive: later.
    TimeRange panned(double share) const;
    /// The range in the middle, taking `share` of the width.
    TimeRange fitted(TimeRange range, double share) const;
    TimeRange centred(std::int64_t timePs) const;

    /// Distance of ruler labels: 1, 2 or 5 times a power of ten, at least `pixels` apart.
    std::int64_t tickStep(double pixels) const;
    /// Labels at multiples of the step, and minor ones at halves.
    std::vector<TimelineTick> ticks(std::int64_t stepPs) const;
};

} // namespace fabricscope
