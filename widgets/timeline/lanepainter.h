#pragma once

#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/criticalsteps.h"
#include "widgets/timeline/geometry.h"
#include "widgets/timeline/rows.h"
#include "widgets/timeline/selection.h"
#include "widgets/timeline/taskflow.h"

#include <QCoreApplication>
#include <QHash>
#include <QPointF>
#include <QRect>
#include <QStaticText>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace fabricscope {

/// Everything a picture of the timeline depends on.
struct TimelineScene {
    TimelineSourcePtr source;
    TimelineSourcePtr previous; ///< Ghost of the run before; may be null.
    Theme theme;
    TimelineGeometry geometry;
    const TimelineRows* rows = nullptr;
    int scroll = 0;             ///< Pixels of rows hidden above.
    QString currentRow;         ///< Key of the row that commands act on; its label is marked.
    std::vector<std::int64_t> bookmarks; ///< Instants, marked on the ruler.
    std::optional<std::int64_t> timeCursor; ///< The instant that other views show.
    std::shared_ptr<const std::vector<PathStep>> path; ///< The critical path; null: it is not shown.
    int ruler = 22;             ///< Height of the ruler.
    int label = 188;            ///< Width of the label column.
    QSize size;
    QString note;               ///< Left of the ruler.

    /// Pinned rows stay when others scroll, unless they would leave no room for them.
    int pinned() const;
    /// y of a row.
    double topOf(const TimelineRow& row) const;
    /// Where a row that is at this y lies among the rows; below 0: on the ruler.
    int rowsY(double y) const;
};

/// Plot area: right of the labels, below the ruler.
QRectF plotRect(const TimelineScene& scene);

/// The row that shows a track, or stands for it while its group is collapsed; null: none. In marks.cpp.
const TimelineRow* rowShowing(const TimelineScene& scene, std::size_t track);

/// An arrow from the end of an interval to the begin of one that waited for it.
struct FlowArrow {
    QPointF from;
    QPointF to;
    bool message = false; ///< Of a send and its receive; else a dependency.
};
constexpr std::size_t kMostArrows = 64; ///< To the selection and from it, each: of more, those that matter most.

/// Arrows of a selection, between the bars of rows that are shown; a track in a collapsed group has its end at the group. In marks.cpp.
std::vector<FlowArrow> flowArrows(const TimelineScene& scene, const TimelineSelection& selection, const TimelineFlow& flow);

/// Draws rows and ruler; on any paint device. Keeps bucket queries of the last range, so painting again costs no queries.
class TimelinePainter {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::TimelinePainter)
public:
    /// Labels, ruler, grid, rows: all that does not follow the pointer or selection.
    void paint(QPainter& painter, const TimelineScene& scene, double devicePixelRatio);
    /// Frames and lines of the critical path, and a veil over all else; without one nothing. Does not follow the pointer either. In pathmarks.cpp.
    void paintPath(QPainter& painter, const TimelineScene& scene) const;
    /// Selection frame, arrows, range, crosshair; all but the first in marks.cpp. Ruler and labels are in rowlabels.cpp.
    void paintSelection(QPainter& painter, const TimelineScene& scene, const TimelineSelection& selection) const;
    void paintFlow(QPainter& painter, const TimelineScene& scene, const std::vector<FlowArrow>& arrows) const;
    void paintRange(QPainter& painter, const TimelineScene& scene, TimeRange range, const TimelineSums& sums) const;
    /// The instant of the cursor, if there is one and it is on show.
    void paintTimeCursor(QPainter& painter, const TimelineScene& scene) const;
    void paintCrosshair(QPainter& painter, const TimelineScene& scene, double x) const;

    /// Bar of a row in widget coordinates (empty for headers).
    static QRectF barRect(const TimelineScene& scene, const TimelineRow& row);
    /// Forget cached queries (another source).
    void clear() { m_buckets.clear(); }

private:
    const std::vector<TimelineBucket>& buckets(const TimelineScene& scene, const TimelineSourcePtr& source, std::size_t track);
    void paintRuler(QPainter& painter, const TimelineScene& scene);
    void paintRow(QPainter& painter, const TimelineScene& scene, const TimelineRow& row);
    /// Rows [first, end) as far as they begin within the picture.
    void paintRows(QPainter& painter, const TimelineScene& scene, std::size_t first, std::size_t end);
    void paintFinish(QPainter& painter, const TimelineScene& scene);
    void paintBookmarks(QPainter& painter, const TimelineScene& scene) const;
    void paintLabel(QPainter& painter, const TimelineScene& scene, const TimelineRow& row);
    void paintIntervals(QPainter& painter, const TimelineScene& scene, std::size_t track, const QRectF& bar, bool labels);
    void paintBox(QPainter& painter, const TimelineScene& scene, const TimelineInterval& interval, std::size_t track, std::int32_t index,
                  const QRectF& bar, bool labels);
    void paintBusy(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar);
    /// In memorylane.cpp.
    void paintLive(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar);
    void paintExposed(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar);
    void paintGhost(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar);
    void paintLine(QPainter& painter, const TimelineScene& scene, const TimelineSourcePtr& source, std::size_t track, double y, const QColor& color);
    void drawText(QPainter& painter, double x, double middle, const QString& text);

    double m_ratio = 1;
    TimeRange m_range;
    int m_pixels = 0;
    const void* m_source = nullptr;
    std::vector<std::pair<std::pair<const void*, std::size_t>, std::vector<TimelineBucket>>> m_buckets;
    int m_smooth = 0; ///< Antialiased shapes drawn so far; past a limit shapes are plain.
    QHash<QString, std::pair<QStaticText, double>> m_texts;
    QFont m_textFont;
};

} // namespace fabricscope
