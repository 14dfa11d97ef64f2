#pragma once

#include "core/record/timelinesource.h"

#include <QString>

#include <optional>
#include <set>
#include <vector>

namespace fabricscope {

/// One row of the timeline: where it is and which tracks it shows.
struct TimelineRow {
    enum class Kind { ClassHeader, ClassCollapsed, Track, BusyHeader, Busy };
    Kind kind = Kind::Track;
    int top = 0;       ///< From the first row.
    int height = 0;
    int bar = 0;       ///< Height of the bar inside.
    int rankClass = -1;
    std::vector<std::size_t> tracks;         ///< Drawn in this order, one over the other.
    std::optional<std::size_t> exposedTrack; ///< Waiting of the class, as a line under the row.
    QString label;
    QString detail;    ///< At the right of the label column.

    bool isHeader() const { return kind == Kind::ClassHeader || kind == Kind::ClassCollapsed || kind == Kind::BusyHeader; }
};

/// Rows of a source: rank classes, slowest first, then dimensions. Classes and the dimensions open and collapse. No widget, no painter.
class TimelineRows {
public:
    static constexpr int kBusyGroup = -1; ///< Stands for the group of busy tracks where a class is asked for.

    /// Shows a source; the slowest class is open, and the busy tracks.
    void setSource(TimelineSourcePtr source);
    /// Factor on all heights, for larger fonts.
    void setScale(double scale);
    bool isOpen(int group) const { return m_open.contains(group); }
    void setOpen(int group, bool open);

    const std::vector<TimelineRow>& rows() const { return m_rows; }
    int totalHeight() const { return m_rows.empty() ? 0 : m_rows.back().top + m_rows.back().height; }
    int rowAt(int y) const;                  ///< -1: none. O(log rows).
    int rowOfTrack(std::size_t track) const; ///< -1: in a collapsed group.
    /// Tracks a range selection sums over: of a row's class, or all busy ones.
    std::vector<std::size_t> groupTracks(int row) const;

private:
    void rebuild();
    void addClass(int rankClass);
    void addBusy();
    TimelineRow& add(TimelineRow::Kind kind, int height, int bar);

    TimelineSourcePtr m_source;
    double m_scale = 1;
    std::set<int> m_open;
    std::vector<int> m_order; ///< Classes, slowest first.
    std::vector<TimelineRow> m_rows;
};

/// "NPU 5, 37, 69, 101", "NPU 0–7", "112 others".
QString rankClassName(const TimelineSource& source, int rankClass);

} // namespace fabricscope
