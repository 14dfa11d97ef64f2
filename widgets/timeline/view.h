#pragma once

#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/bookmarks.h"
#include "widgets/timeline/lanepainter.h"
#include "widgets/timeline/rows.h"
#include "widgets/timeline/zoomhistory.h"

#include <QAbstractScrollArea>
#include <QImage>

#include <memory>
#include <optional>

namespace fabricscope {

/// Time of a run: a row per rank class and kind of activity, then dimensions. Zooms, pans, selects intervals and ranges.
///
/// Ctrl+wheel zooms at the pointer, the wheel scrolls rows, Shift+wheel pans. W/S zoom, A/D pan, Ctrl+0 fits; `.` and `,` go along the
/// track, Up and Down to the next row, F centres and then fits the selection, Space opens or closes its group, Esc clears.
/// A drag on the ruler or with Shift selects a range, a click on it puts the time cursor there; Left and Right move that by a hundredth of what is on
/// show, Home and End to its ends. Backspace and Shift+Backspace go back and forth between ranges of time shown before.
/// A click on a label makes its row the one that commands on rows act on; so does a selection in it, and Ctrl+Up and Ctrl+Down.
/// What keys and commands do is in navigation.cpp.
class TimelineView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    /// Another run; the visible range stays when the new run has the same number of classes, else the run is fitted.
    /// `workload`: that of the run, for what intervals wait for; null: arrows and jumps find nothing.
    void setSource(TimelineSourcePtr source, WorkloadPtr workload = nullptr);
    const TimelineSourcePtr& source() const { return m_scene.source; }
    /// The run before, drawn as a ghost; null: none.
    void setPrevious(TimelineSourcePtr previous);
    /// A word on the whole picture, left of the ruler, also where it is exported; empty: none.
    void setNote(const QString& note);

    TimeRange visibleRange() const { return m_scene.geometry.visible; }
    void setVisibleRange(TimeRange range); ///< A step of the zoom history, as fitRun() is.
    void fitRun();
    /// Brings a time into the middle; where the whole run is on show, also nearer, to an eighth of it. A step of the zoom history.
    void goToTime(std::int64_t ps);
    const TimelineGeometry& timeGeometry() const { return m_scene.geometry; }
    const TimelineRows& rows() const { return m_rows; }
    void setGroupOpen(int group, bool open);
    /// Bar of a track in viewport coordinates; empty when it is not shown.
    QRectF trackRect(std::size_t track) const;

    const std::optional<TimelineSelection>& selection() const { return m_selection; }
    void setSelection(std::optional<TimelineSelection> selection);
    void clearRange();
    /// An instant of the run that other views show; kept until it is taken away (Esc) or lies outside of another run.
    std::optional<std::int64_t> timeCursor() const { return m_scene.timeCursor; }
    /// Within the run. Nothing without a run.
    void setTimeCursor(std::optional<std::int64_t> ps);
    /// By so many hundredths of the visible range, within it; without a cursor to its begin, backwards to its end.
    void stepTimeCursor(int hundredths);
    /// Selects an interval and brings it on show: its group is opened, its row no longer hidden, the filter given up if it keeps it away.
    void reveal(const TimelineSelection& selection);
    /// What the selection waited for and what waited for it; empty without one.
    const TimelineFlow& flow() const { return m_flow; }
    /// The critical path of the run on show, drawn over it; null: none. Another run takes it away.
    void setCriticalPath(std::shared_ptr<const std::vector<PathStep>> steps);
    const std::shared_ptr<const std::vector<PathStep>>& criticalPath() const { return m_scene.path; }
    /// The step that was gone to last; nothing: none yet.
    std::optional<std::size_t> pathStep() const { return m_pathStep; }
    /// Selects what shows a step, and brings it on show.
    void goToPathStep(std::size_t step);
    /// Arrows on show; none while they are switched off.
    std::vector<FlowArrow> arrows() const;

    const TimelineArrangement& arrangement() const { return m_rows.arrangement(); }
    void setArrangement(const TimelineArrangement& arrangement);
    void setFilter(const QString& filter);
    /// Key of the row that commands on rows act on; empty: none.
    const QString& currentRow() const { return m_scene.currentRow; }
    void setCurrentRow(const QString& key);
    const std::vector<std::int64_t>& bookmarks() const { return m_scene.bookmarks; }
    void setBookmarks(std::vector<std::int64_t> bookmarks);

public slots:
    // Of the current row, or its group where it is a header; without one nothing happens.
    void togglePin();
    void hideRow();
    void moveRowUp();
    void moveRowDown();
    void showAllRows();
    void zoomBack();
    void zoomForward();
    /// To what the selection had to wait for last, to what waited for it first, to the other end of its message.
    void goToPredecessor();
    void goToSuccessor();
    void goToPartner();
    void setArrowsShown(bool shown);
    /// Along the critical path, from the first step at or after what is on show; to its ends.
    void nextPathStep();
    void previousPathStep();
    /// At the pointer, else where the selection begins, else in the middle.
    void toggleBookmark();
    void nextBookmark();
    void previousBookmark();

public:
    /// Draws the whole view as it stands on any device (image, SVG, printer).
    void paintOn(QPainter& painter, double devicePixelRatio);
    QSize sizeHint() const override { return {900, 320}; }
    QSize minimumSizeHint() const override { return {320, 120}; }

signals:
    void selectionChanged();
    void rangeSelected(const TimeRange& range, const TimelineSums& sums);
    void rangeCleared();
    void timeCursorChanged();
    /// Time under the pointer; negative: the pointer has left.
    void pointerMoved(qint64 ps);
    /// A bookmark was gone to: its time, where no pointer is.
    void bookmarkReached(qint64 ps);
    /// A step of the critical path was gone to.
    void pathStepReached(qint64 step);
    void arrangementChanged();
    void bookmarksChanged();
    /// What is to be shown does not answer the filter: it was taken away.
    void filterGivenUp();

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
    void visitRange(TimeRange range, TimelineZoomHistory::Act act = TimelineZoomHistory::Act::Single);
    bool zoomByKey(int key);
    bool walkByKey(int key);
    void centreSelection();
    void stepRow(int step);
    std::optional<std::size_t> firstPathStepOnShow() const;
    void moveRow(int by);
    void arrange(TimelineArrangement arrangement);
    void readFlow();
    void goToBookmark(std::optional<std::int64_t> ps);
    std::int64_t bookmarkPlace() const;
    std::optional<TimelineSelection> hitTest(const QPointF& position) const;
    void selectNext(int step);
    void selectRow(int step);
    void showSelection();
    void showRow(int index);
    void updateRange(std::int64_t from, std::int64_t to);
    QString tooltipAt(const QPointF& position) const;
    int rowAtPosition(const QPointF& position) const;

    TimelineScene m_scene;
    WorkloadPtr m_workload;
    TimelineRows m_rows;
    TimelinePainter m_painter;
    QImage m_layer;
    bool m_layerValid = false;
    std::optional<TimelineSelection> m_selection;
    TimelineFlow m_flow;
    bool m_arrowsShown = true;
    std::optional<std::size_t> m_pathStep;
    TimelineZoomHistory m_zooms;
    TimelineBookmarks m_bookmarks;
    std::optional<std::int64_t> m_atBookmark; ///< Where the crosshair was brought.
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
