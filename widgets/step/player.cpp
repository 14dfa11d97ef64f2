#include "widgets/step/player.h"

#include "core/base/index.h"

#include "widgets/step/moveroutes.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {
constexpr int kFrameMs = 20;

/// The n-th of 1, 2.5, 5, 10, 25, ...
double niceNumber(int n)
{
    static constexpr double kMantissa[] = {1, 2.5, 5};
    const int decade = n >= 0 ? n / 3 : (n - 2) / 3;
    return kMantissa[n - 3 * decade] * std::pow(10.0, decade);
}
} // namespace

StepPlayer::StepPlayer(QObject* parent) : QObject(parent)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { advance(static_cast<double>(m_clock.nsecsElapsed()) / 1e9); });
}

StepPlayer::~StepPlayer() = default;

void StepPlayer::setReplay(CollectiveReplayPtr replay)
{
    pause();
    m_replay = std::move(replay);
    m_routes = m_replay ? std::make_unique<StepRoutes>(m_replay) : nullptr;
    m_chunk = 0;
    m_step = -1;
    loadChunk();
    const std::vector<double> offered = speeds();
    if (!offered.empty())
        m_speed = offered[std::min<std::size_t>(2, offered.size() - 1)];
    emit replayChanged();
}

void StepPlayer::setChunk(int chunk)
{
    if (!m_replay || chunk < 0 || chunk >= m_replay->chunks() || chunk == m_chunk)
        return;
    pause();
    const int step = m_step;
    m_chunk = chunk;
    loadChunk();
    if (step > 0 && !m_stepTimes.empty()) {
        m_step = std::min(step, stepCount() - 1);
        m_time = stepTime(m_step);
        m_cursor->setTime(m_time);
        m_move = slowestMove(m_step);
    }
    emit replayChanged();
}

void StepPlayer::loadChunk()
{
    m_stepTimes.clear();
    m_cursor.reset();
    m_begin = m_end = m_origin = m_time = 0;
    m_step = -1;
    m_move = -1;
    if (!m_replay)
        return;
    m_cursor.emplace(m_replay, m_chunk);
    m_origin = m_replay->beginPs();
    m_begin = m_end = m_origin;
    const std::span<const ReplayStep> all = steps();
    if (all.empty())
        return;
    m_begin = m_end = all.front().beginPs;
    for (const ReplayStep& step : all) {
        m_begin = std::min<qint64>(m_begin, step.beginPs);
        m_end = std::max<qint64>(m_end, step.endPs);
    }
    qint64 latest = m_begin;
    for (const ReplayStep& step : all) {
        latest = std::max<qint64>(latest, step.beginPs);
        m_stepTimes.push_back(latest);
    }
    m_step = 0;
    m_time = stepTime(0);
    m_cursor->setTime(m_time);
    m_move = slowestMove(0);
}

std::span<const ReplayStep> StepPlayer::steps() const
{
    return m_replay ? m_replay->steps(m_chunk) : std::span<const ReplayStep>();
}

const ReplayStep* StepPlayer::currentStep() const
{
    return m_step < 0 ? nullptr : &steps()[at(m_step)];
}

qint64 StepPlayer::slowestMove(int step) const
{
    if (step < 0 || step >= stepCount())
        return -1;
    const ReplayStep& of = steps()[at(step)];
    qint64 found = -1;
    qint64 longest = -1;
    for (std::uint32_t i = of.firstMove; i < of.firstMove + of.moveCount; ++i) {
        const ReplayMove& move = m_replay->moves()[i];
        if (move.donePs - move.readyPs > longest) {
            longest = move.donePs - move.readyPs;
            found = i;
        }
    }
    return found;
}

void StepPlayer::moveTo(qint64 ps, int step)
{
    if (!m_cursor)
        return;
    const bool newTime = ps != m_time;
    const bool newStep = step != m_step;
    m_time = ps;
    m_step = step;
    m_rest = 0;
    if (newTime)
        m_cursor->setTime(ps);
    if (newStep) {
        const ReplayStep* now = currentStep();
        const bool selectedHere = now && m_move >= now->firstMove && m_move < qint64{now->firstMove} + now->moveCount;
        emit stepChanged(m_step);
        if (!selectedHere)
            selectMove(slowestMove(m_step));
    }
    if (newTime)
        emit timeChanged(m_time);
}

void StepPlayer::setTime(qint64 ps)
{
    if (m_stepTimes.empty())
        return;
    const qint64 time = std::clamp(ps, m_begin, m_end);
    const auto after = std::upper_bound(m_stepTimes.begin(), m_stepTimes.end(), time);
    moveTo(time, std::max(0, static_cast<int>(after - m_stepTimes.begin()) - 1));
}

void StepPlayer::setStep(int step)
{
    if (step >= 0 && step < stepCount())
        moveTo(stepTime(step), step);
}

void StepPlayer::first()
{
    pause();
    setStep(0);
}

void StepPlayer::back()
{
    pause();
    if (m_step < 0)
        return;
    setStep(m_time > stepTime(m_step) ? m_step : std::max(0, m_step - 1));
}

void StepPlayer::forward()
{
    pause();
    if (m_step + 1 < stepCount())
        setStep(m_step + 1);
    else
        last();
}

void StepPlayer::last()
{
    pause();
    if (stepCount() > 0)
        moveTo(m_end, stepCount() - 1);
}

void StepPlayer::play()
{
    if (isPlaying() || m_stepTimes.empty())
        return;
    if (m_time >= m_end)
        setStep(0);
    m_clock.start();
    m_timer.start();
    emit playingChanged(true);
}

void StepPlayer::pause()
{
    if (!isPlaying())
        return;
    m_timer.stop();
    emit playingChanged(false);
}

void StepPlayer::togglePlay()
{
    if (isPlaying())
        pause();
    else
        play();
}

void StepPlayer::setSpeed(double psPerSecond)
{
    m_speed = std::max(1.0, psPerSecond);
}

std::vector<double> StepPlayer::speeds() const
{
    const double span = static_cast<double>(m_end - m_begin);
    if (span <= 0)
        return {};
    int best = 0;
    while (niceNumber(best) * 25 < span)
        ++best;
    std::vector<double> result;
    for (int n = best - 2; n <= best + 3; ++n)
        result.push_back(niceNumber(n));
    return result;
}

void StepPlayer::advance(double seconds)
{
    m_clock.restart();
    const double exact = m_speed * seconds + m_rest;
    const double whole = std::floor(exact);
    qint64 target = m_time + static_cast<qint64>(std::min(whole, static_cast<double>(m_end - m_time)));
    bool stop = target >= m_end;
    if (m_stopAtSteps && m_step + 1 < stepCount() && target >= stepTime(m_step + 1)) {
        // One step at a time, also where several begin at once.
        moveTo(stepTime(m_step + 1), m_step + 1);
        pause();
        return;
    }
    setTime(target);
    m_rest = exact - whole;
    if (stop)
        pause();
}

void StepPlayer::selectMove(qint64 move)
{
    if (!m_replay || move >= static_cast<qint64>(m_replay->moves().size()))
        move = -1;
    if (move == m_move)
        return;
    m_move = move;
    emit selectionChanged(m_move);
}

} // namespace fabricscope
