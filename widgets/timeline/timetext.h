#pragma once

#include "core/record/timelinesource.h"
#include "widgets/timeline/geometry.h"

#include <QString>
#include <QStringList>

#include <utility>
#include <vector>

namespace fabricscope {

/// A label and its value, as the details of an interval are listed everywhere.
using TextLine = std::pair<QString, QString>;

/// Title of an interval: its name, else its kind.
QString eventTitle(const TimelineEvent& event);
/// Kind, operation, start, duration, queued, bytes, group, peer, step: those that apply.
std::vector<TextLine> eventDetails(const TimelineEvent& event);
/// Title and details as a tooltip; at most six lines.
QString eventTooltip(const TimelineEvent& event);
/// What a pixel that merges several intervals says.
QString bucketTooltip(const TimelineBucket& bucket, double busyShare, SimTime width);
/// Lines of a range selection: duration, bytes, mean bandwidth, busy share per kind.
std::vector<TextLine> sumDetails(const TimelineSums& sums);

} // namespace fabricscope
