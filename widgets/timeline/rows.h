#pragma once

#include "core/record/timelinesource.h"
#include "widgets/timeline/arrangement.h"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace fabricscope {

/// One row of the timeline: where it is and which tracks it shows.
struct TimelineRow {
    enum class Kind { ClassHeader, ClassCollapsed, Track, BusyHeader, Busy, LiveHeader, Live };
    Kind kind = Kind::Track;
    int top = 0;       ///< From the first row.
    int height = 0;
    int bar = 0;       ///< Height of the bar inside.
    int rankClass = -1;
    int memoryClass = -1;                    ///< Of a Live row: the class of MemoryUse whose bytes it shows.
    std::vector<std::size_t> tracks;         ///< Drawn in this order, one over the other.
    std::optional<std::size_t> exposedTrack; ///< Waiting of the class, as a line under the row.
    QString label;
    QString detail;    ///< At the right of the label column.
    QString key;       ///< What it is known by in TimelineArrangement, the same in every run; further lanes have that of the first.
    bool open = false; ///< Of a header: its rows follow.
    bool pinned = false;

    bool isHeader() const { return kind == Kind::ClassHeader || kind == Kind::ClassCollapsed || kind == Kind::BusyHeader || kind == Kind::LiveHeader; }
};

/// Rows of a source: pinned ones, then rank classes, slowest first, then live memory, then dimensions, but as the arrangement wants them. Classes and the dimensions
/// open and collapse. With a filter only rows that answer it are there, and all of those. No widget, no painter.
class TimelineRows {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::TimelineRows)
public:
    static constexpr int kBusyGroup = -1; ///< Stands for the group of busy tracks where a class is asked for,
    static constexpr int kLiveGroup = -2; ///< and this for live bytes over time.

    /// Shows a source; the slowest class is open, and the busy tracks.
    void setSource(TimelineSourcePtr source);
    /// Has rows of live bytes over time too, where the run followed them. Before setSource().
    void showMemory() { m_showsMemory = true; }
    /// Factor on all heights, for larger fonts.
    void setScale(double scale);
    bool isOpen(int group) const { return m_open.contains(group); }
    void setOpen(int group, bool open);
    void setArrangement(TimelineArrangement arrangement);
    const TimelineArrangement& arrangement() const { return m_arrangement; }
    /// Fuzzy, of the group and the row together (fuzzyScore()); empty: none.
    void setFilter(const QString& filter);
    const QString& filter() const { return m_filter; }
    /// Moves a row or a group up (-1) or down (1) among those of its kind that are shown. False: there is no place.
    bool move(const QString& key, int by);
    /// Rows and groups of this run that are hidden.
    int hiddenCount() const;

    const std::vector<TimelineRow>& rows() const { return m_rows; }
    int totalHeight() const { return m_rows.empty() ? 0 : m_rows.back().top + m_rows.back().height; }
    int rowAt(int y) const;                  ///< -1: none. O(log rows).
    int rowOfTrack(std::size_t track) const; ///< -1: hidden, filtered out, or host work of a collapsed group.
    int rowOfKey(const QString& key) const;  ///< -1: not shown.
    QString keyOfTrack(std::size_t track) const; ///< Also of one that is not shown; empty: of waiting.
    QString keyOfGroup(int group) const;
    int pinnedHeight() const { return m_pinnedHeight; } ///< Of the pinned rows, which are the first.
    /// Tracks a range selection sums over: of a row's class, or all busy ones.
    std::vector<std::size_t> groupTracks(int row) const;

private:
    /// What is arranged as one: a track with the further lanes of what overlaps on it.
    struct Unit {
        QString key;
        QString label;
        QString detail;
        QString words; ///< What the filter is compared with.
        std::vector<std::size_t> tracks;
        bool busy = false;
        int memoryClass = -1;
    };
    struct Group {
        QString key;
        QString label;
        QString detail;
        int id = kBusyGroup; ///< A rank class, or kBusyGroup.
        std::vector<Unit> units;
        std::vector<std::size_t> waiting;
    };

    void readClass(int rankClass, std::int64_t bound); ///< `bound`: all ranks are below it.
    void readBusy();
    void readMemory(std::int64_t bound);
    void rebuild();
    void addGroup(const Group& group);
    void addUnit(const Group& group, const Unit& unit, bool pinned);
    void addExposed(const Group& group, std::size_t from);
    bool answers(const Unit& unit) const;
    bool isShown(const Unit& unit) const;
    std::vector<const Unit*> shownUnits(const Group& group) const;
    TimelineRow& add(TimelineRow::Kind kind, int height, int bar);

    TimelineSourcePtr m_source;
    double m_scale = 1;
    bool m_showsMemory = false;
    std::set<int> m_open;
    std::vector<int> m_order; ///< Classes, slowest first.
    std::vector<Group> m_groups; ///< In that order, then the busy tracks.
    TimelineArrangement m_arrangement;
    QString m_filter;
    std::vector<TimelineRow> m_rows;
    int m_pinnedHeight = 0;
};

/// "All 4 ranks" of the only class; else as ranksText() says them: "Rank 3", "Ranks 5, 37, 69, 101", "Ranks all but 5, 13, … 125".
QString rankClassName(const TimelineSource& source, int rankClass);

} // namespace fabricscope
