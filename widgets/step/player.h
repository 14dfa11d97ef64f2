#pragma once

#include "core/base/index.h"
#include "core/step/collectivereplay.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

class StepRoutes;

/// Where somebody stands in a collective: replay, chunk, time, step and the move that is looked at. The views of a collective share one.
///
/// Stepping goes to the time at which a step begins; where a later step begins earlier (trees), to the latest begin so far, so that
/// going forward never goes back in time. Behind the last step lies the end, when everything has arrived.
class StepPlayer : public QObject
{
    Q_OBJECT
public:
    explicit StepPlayer(QObject* parent = nullptr);
    ~StepPlayer() override;

    /// Another collective; null: none. Starts at chunk 0, first step, slowest move of it selected.
    void setReplay(CollectiveReplayPtr replay);
    const CollectiveReplayPtr& replay() const { return m_replay; }
    /// Routes and progress of the moves. Null without a replay.
    StepRoutes* routes() const { return m_routes.get(); }
    /// Null without a replay.
    const ReplayCursor* cursor() const { return m_cursor ? &*m_cursor : nullptr; }

    int chunk() const { return m_chunk; }
    /// Keeps the step as far as the chunk has it.
    void setChunk(int chunk);

    std::span<const ReplayStep> steps() const;
    int stepCount() const { return static_cast<int>(steps().size()); }
    int step() const { return m_step; } ///< -1: no step.
    const ReplayStep* currentStep() const;

    qint64 timePs() const { return m_time; }
    qint64 beginPs() const { return m_begin; }  ///< Of the chunk.
    qint64 endPs() const { return m_end; }      ///< Of the chunk.
    /// Shown times count from the first move of the collective.
    qint64 originPs() const { return m_origin; }
    bool isPlaying() const { return m_timer.isActive(); }
    double speed() const { return m_speed; }    ///< Simulated ps per second of wall time.
    void setSpeed(double psPerSecond);
    void setStopAtSteps(bool on) { m_stopAtSteps = on; }
    /// Speeds worth offering for this chunk, ascending, 1-2.5-5 steps; the third shows it in 10 to 25 s.
    std::vector<double> speeds() const;

    /// What the timer does: goes on by this much wall time. Stops at the end, or at a step when asked to.
    void advance(double seconds);

    /// Index into moves(), -1: none.
    qint64 selectedMove() const { return m_move; }

public slots:
    void setTime(qint64 ps);
    void setStep(int step);
    void first();
    void back();
    void forward();
    void last();
    void play();
    void pause();
    void togglePlay();
    void selectMove(qint64 move);

signals:
    /// Another replay or chunk; everything may have changed.
    void replayChanged();
    void stepChanged(int step);
    void timeChanged(qint64 ps);
    void playingChanged(bool playing);
    void selectionChanged(qint64 move);

private:
    void loadChunk();
    void moveTo(qint64 ps, int step);
    qint64 slowestMove(int step) const;
    /// Time at which a step is entered.
    qint64 stepTime(int step) const { return m_stepTimes[at(step)]; }

    CollectiveReplayPtr m_replay;
    std::unique_ptr<StepRoutes> m_routes;
    std::optional<ReplayCursor> m_cursor;
    std::vector<qint64> m_stepTimes;
    int m_chunk = 0;
    int m_step = -1;
    qint64 m_time = 0;
    qint64 m_begin = 0;
    qint64 m_end = 0;
    qint64 m_origin = 0;
    qint64 m_move = -1;
    double m_speed = 1e6;
    double m_rest = 0; ///< Part of a picosecond not gone yet.
    bool m_stopAtSteps = false;
    QTimer m_timer;
    QElapsedTimer m_clock;
};

} // namespace fabricscope
