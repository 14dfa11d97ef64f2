#pragma once

#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/geometry.h"
#include "widgets/timeline/rows.h"

#include <QHash>
#include <QPointF>
#include <QRect>
#include <QStaticText>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace fabricscope {

/// An interval of a track.
struct TimelineSelection {
    std::size_t track = 0;
    std::int32_t index = 0;
    friend bool operator==(const TimelineSelection&, const TimelineSelection&) = default;
};

/// Everything a picture of the timeline depends on.
struct TimelineScene {
    TimelineSourcePtr source;
    TimelineSourcePtr previous; ///< Ghost of the run before; may be null.
    Theme theme;
    TimelineGeometry geometry;
    const TimelineRows* rows = nullptr;
    int scroll = 0;             ///< Rows hidden above.
    int ruler = 22;             ///< Height of the ruler.
    int label = 188;            ///< Width of the label column.
    QSize size;
    QString note;               ///< Left of the ruler.
};

/// Plot area: right of the labels, below the ruler.
QRectF plotRect(const TimelineScene& scene);

/// Draws rows and ruler; on any paint device. Keeps bucket queries of the last range, so painting again costs no queries.
class TimelinePainter {
public:
    /// Labels, ruler, grid, rows: all that does not follow the pointer or selection.
    void paint(QPainter& painter, const TimelineScene& scene, double devicePixelRatio);
    /// Selection frame, range, crosshair; the last two are in marks.cpp.
    void paintSelection(QPainter& painter, const TimelineScene& scene, const TimelineSelection& selection) const;
    void paintRange(QPainter& painter, const TimelineScene& scene, TimeRange range, const TimelineSums& sums) const;
    void paintCrosshair(QPainter& painter, const TimelineScene& scene, double x) const;

    /// Bar of a row in widget coordinates (empty for headers).
    static QRectF barRect(const TimelineScene& scene, const TimelineRow& row);
    /// Forget cached queries (another source).
    void clear() { m_buckets.clear(); }

private:
    const std::vector<TimelineBucket>& buckets(const TimelineScene& scene, const TimelineSourcePtr& source, std::size_t track);
    void paintRuler(QPainter& painter, const TimelineScene& scene);
    void paintRow(QPainter& painter, const TimelineScene& scene, const TimelineRow& row);
    void paintLabel(QPainter& painter, const TimelineScene& scene, const TimelineRow& row);
    void paintIntervals(QPainter& painter, const TimelineScene& scene, std::size_t track, const QRectF& bar, bool labels);
    void paintBox(QPainter& painter, const TimelineScene& scene, const TimelineInterval& interval, std::size_t track, std::int32_t index,
                  const QRectF& bar, bool labels);
    void paintBusy(QPainter& painter, const TimelineScene& scene, const TimelineRow& row, const QRectF& bar);
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
