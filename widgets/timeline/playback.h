#pragma once

#include "widgets/timeline/geometry.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <span>

namespace fabricscope {

class TimelineView;

/// Moves the time cursor of a timeline through what it has on show, in ten seconds at speed 1, and stops at the end. Who moves the cursor meanwhile, or the
/// range, is followed; who takes it away stops it.
class TimelinePlayback : public QObject
{
    Q_OBJECT
public:
    static constexpr double kSeconds = 10; ///< For the range on show, at speed 1.

    /// The view outlives it.
    explicit TimelinePlayback(TimelineView* view, QObject* parent = nullptr);

    bool isPlaying() const { return m_timer.isActive(); }
    double speed() const { return m_speed; }
    /// \pre speed > 0
    void setSpeed(double speed) { m_speed = speed; }
    /// Speeds worth offering, ascending: 0.25 to 4.
    static std::span<const double> speeds();
    /// What it goes through: what is on show, of the run. Empty (end <= begin) without a run, or with nothing of it on show.
    TimeRange range() const;
    /// What the timer does: goes on by so much wall time. O(1).
    void advance(double seconds);

public slots:
    /// From the cursor; from the begin where there is none, it is at the end or not on show.
    void play();
    void pause();
    void togglePlay();
    /// Pauses, and moves the cursor by a hundredth of what is on show.
    void back();
    void forward();

signals:
    void playingChanged(bool playing);

private:
    void step(int hundredths);

    TimelineView* m_view;
    double m_speed = 1;
    double m_rest = 0; ///< Part of a picosecond not gone yet.
    QTimer m_timer;
    QElapsedTimer m_clock;
};

} // namespace fabricscope
