#pragma once

#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/lanepainter.h"
#include "widgets/timeline/rows.h"

#include <QAbstractScrollArea>
#include <QImage>

#include <optional>

namespace fabricscope {

/// Time of a run: a row per rank class and kind of activity, then dimensions. Zooms, pans, selects intervals and ranges.
///
/// Ctrl+wheel zooms at the pointer, the wheel scrolls rows, Shift+wheel pans. W/S zoom, A/D pan, Ctrl+0 fits; `.` and `,` go along the
/// track, Up and Down to the next row, F centres and then fits the selection, Space opens or closes its group, Esc clears.
/// A drag on the ruler or with Shift selects a range.
class TimelineView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    /// Another run; the visible range stays when the new run has the same number of classes, else the run is fitted.
    void setSource(TimelineSourcePtr source);
    const TimelineSourcePtr& source() const { return m_scene.source; }
    /// The run before, drawn as a ghost; null: none.
    void setPrevious(TimelineSourcePtr previous);
    /// A word on the whole picture, left of the ruler, also where it is exported; empty: none.
    void setNote(const QString& note);

    TimeRange visibleRange() const { return m_scene.geometry.visible; }
    void setVisibleRange(TimeRange range);
    void fitRun();
    const TimelineGeometry& timeGeometry() const { return m_scene.geometry; }
    const TimelineRows& rows() const { return m_rows; }
    void setGroupOpen(int group, bool open);
    /// Bar of a track in viewport coordinates; empty when it is not shown.
    QRectF trackRect(std::size_t track) const;

    const std::optional<TimelineSelection>& selection() const { return m_selection; }
    void setSelection(std::optional<TimelineSelection> selection);
    void clearRange();

    /// Draws the whole view as it stands on any device (image, SVG, printer).
    void paintOn(QPainter& painter, double devicePixelRatio);
    QSize sizeHint() const override { return {900, 320}; }
    QSize minimumSizeHint() const override { return {320, 120}; }

signals:
    void selectionChanged();
    void rangeSelected(const TimeRange& range, const TimelineSums& sums);
    void rangeCleared();
    /// Time under the pointer; negative: the pointer has left.
    void pointerMoved(qint64 ps);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void setTheme(const Theme& theme);

    enum class Drag { None, Pan, Range, Labels };

    void layoutGeometry();
    void relayoutRows();
    void redraw(); ///< Content changed: the layer is drawn again.
    void showRange(TimeRange range);
    std::optional<TimelineSelection> hitTest(const QPointF& position) const;
    void selectNext(int step);
    void selectRow(int step);
    void showSelection();
    void updateRange(std::int64_t from, std::int64_t to);
    QString tooltipAt(const QPointF& position) const;
    int rowAtPosition(const QPointF& position) const;

    TimelineScene m_scene;
    TimelineRows m_rows;
    TimelinePainter m_painter;
    QImage m_layer;
    bool m_layerValid = false;
    std::optional<TimelineSelection> m_selection;
    std::optional<TimeRange> m_range;
    TimelineSums m_rangeSums;
    std::optional<double> m_pointer; ///< x of the crosshair.
    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    std::int64_t m_dragTime = 0;
    int m_dragRow = -1;
    TimeRange m_dragVisible;
    bool m_keyboardFocus = false;
};

} // namespace fabricscope

Q_DECLARE_METATYPE(fabricscope::TimeRange)
Q_DECLARE_METATYPE(fabricscope::TimelineSums)
