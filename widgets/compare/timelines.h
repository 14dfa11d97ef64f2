#pragma once

#include "core/insight/designset.h"
#include "core/record/timelinesource.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/lanepainter.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace fabricscope {

/// A run as the comparison shows it.
struct ComparedTimeline {
    QString name;
    SimTime finish;
    bool complete = true;
    TimelineSourcePtr source; ///< Null: only its name and time are shown.
};

/// The slowest ranks of up to four runs below each other on one time axis, each with its time and what it differs from the baseline.
/// W and S zoom at the middle, A and D pan, Ctrl+0 shows all, as on the timeline.
class ComparedTimelines : public QWidget
{
    Q_OBJECT
public:
    explicit ComparedTimelines(QWidget* parent = nullptr);

    /// \pre baseline is one of them, or there are none
    void setRuns(std::vector<ComparedTimeline> runs, std::size_t baseline);
    TimeRange visibleRange() const { return m_geometry.visible; }
    /// x of a time of any run, in widget coordinates: one axis.
    double xOf(SimTime time) const { return m_geometry.xOf(time.ps); }
    /// Where a run is drawn, its name included.
    QRect runRect(std::size_t run) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {m_theme.scaled(320), sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Lane {
        ComparedTimeline run;
        std::unique_ptr<TimelineRows> rows; ///< The painter keeps where it is.
        TimelinePainter painter;
        int height = 0;                     ///< Of the rows shown: those of the slowest ranks.
    };

    void setTheme(const Theme& theme);
    void layOut();
    int headHeight() const { return m_theme.scaled(24); }
    int rulerHeight() const { return m_theme.scaled(24); }
    int labelWidth() const { return m_theme.scaled(188); }
    TimelineScene sceneOf(const Lane& lane) const;
    void paintHead(QPainter& painter, std::size_t run) const;
    void paintDifference(QPainter& painter, std::size_t run) const;

    std::vector<Lane> m_lanes;
    std::size_t m_baseline = 0;
    TimelineGeometry m_geometry;
    TimelinePainter m_ruler;
    Theme m_theme;
};

} // namespace fabricscope
