#pragma once

#include "core/draw/drawing.h"
#include "core/record/timelinesource.h"

#include <string>
#include <vector>

namespace fabricscope {

struct TimelineFigureOptions {
    double width = 720;
    std::size_t classes = 4; ///< Rank classes drawn, the slowest first.
    int dimensions = 64;     ///< Of the platform; busy tracks with a higher number are of single links.
};

/// Time of a run as rows: per rank class compute, communication and memory, then the busy share of every dimension. One column is one
/// pixel, so the size of the picture does not depend on the number of tasks. \pre the source has at least one class with tracks.
Drawing timelineFigure(const TimelineSource& source, const TimelineFigureOptions& options = {});

/// Squares with names for the kinds of activity that occur, one line high.
Drawing activityLegend(const TimelineSource& source, const TimelineFigureOptions& options = {});

/// The same for the kinds that are named. `title`: for people who do not see it.
Drawing activityKeys(const std::vector<Activity>& activities, std::string title);

/// "All-reduce".
std::string activityText(Activity activity);

} // namespace fabricscope
