#pragma once

#include "core/record/timelinesource.h"
#include "widgets/timeline/selection.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// All intervals of a run whose task has a name that contains a text, in order of time; of equal times in order of tracks. Immutable; memory
/// 4 bytes per match. No widget.
class TimelineMatches {
public:
    TimelineMatches() = default;
    /// Looks at every interval: O(intervals x length of names), so beside the window. Upper and lower case of ASCII letters are the same; an empty
    /// text matches nothing. `workload`: that of the source. Told to stop: throws StopRequested (stop.h).
    static TimelineMatches find(TimelineSourcePtr source, WorkloadPtr workload, std::string_view text, const std::stop_token& stop = {});

    std::int64_t count() const { return m_count; }
    /// Behind or before an interval, which need not be a match; from the last on to the first, and from the first to the last. Nothing: no match.
    /// O(tracks x log matches).
    std::optional<TimelineSelection> next(const TimelineSelection& from) const;
    std::optional<TimelineSelection> previous(const TimelineSelection& from) const;
    /// The first that begins at or after an instant, else the first of all.
    std::optional<TimelineSelection> from(std::int64_t ps) const;
    /// "12th of count()"; 0: not a match.
    std::int64_t numberOf(const TimelineSelection& match) const;

private:
    struct Key; ///< Place in the order.
    Key keyOf(const TimelineSelection& at) const;
    std::size_t before(std::size_t track, const Key& key) const; ///< Matches of the track that lie before a place.
    std::optional<TimelineSelection> firstNotBefore(const Key& key) const;

    TimelineSourcePtr m_source;
    std::vector<std::vector<std::int32_t>> m_ofTrack; ///< Ascending.
    std::int64_t m_count = 0;
};

/// A name of tasks, and the first interval of it in the order of tracks.
struct NamedTask {
    std::string name;
    TimelineSelection first;
    friend bool operator==(const NamedTask&, const NamedTask&) = default;
};
/// The first `most` different names that contain a text, as TimelineMatches::find() compares it, among `budget` intervals: of a run with more the first of every
/// track. Fast enough for every letter that is typed.
std::vector<NamedTask> namedTasks(const TimelineSource& source, const Workload& workload, std::string_view text, std::size_t most, std::int64_t budget = 200'000);

/// The graph whose tasks the intervals of a class show; null: the class has no rank.
const RankGraph* graphOfClass(const TimelineSource& source, const Workload& workload, std::int32_t rankClass);

} // namespace fabricscope
