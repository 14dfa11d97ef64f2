#include "widgets/timeline/playback.h"

#include "widgets/timeline/view.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kPlaybackFrameMs = 20;
constexpr std::array kPlaybackSpeeds{0.25, 0.5, 1.0, 2.0, 4.0};

} // namespace

TimelinePlayback::TimelinePlayback(TimelineView* view, QObject* parent) : QObject(parent), m_view(view)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kPlaybackFrameMs);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        const auto passed = static_cast<double>(m_clock.nsecsElapsed()) / 1e9;
        m_clock.start();
        advance(passed);
    });
    connect(view, &TimelineView::timeCursorChanged, this, [this] {
        if (!m_view->timeCursor())
            pause();
    });
}

std::span<const double> TimelinePlayback::speeds()
{
    return kPlaybackSpeeds;
}

TimeRange TimelinePlayback::range() const
{
    if (!m_view->source())
        return {};
    // The picture may be longer than the run, for the one before.
    const TimeRange visible = m_view->visibleRange();
    return {visible.beginPs, std::min(visible.endPs, m_view->source()->finish().ps)};
}

void TimelinePlayback::advance(double seconds)
{
    const TimeRange through = range();
    if (through.spanPs() <= 0 || !m_view->timeCursor())
        return pause();
    const double way = std::min(seconds * m_speed * static_cast<double>(through.spanPs()) / kSeconds + m_rest, static_cast<double>(through.spanPs()));
    const auto whole = static_cast<std::int64_t>(way);
    m_rest = way - static_cast<double>(whole);
    const std::int64_t at = std::clamp(*m_view->timeCursor(), through.beginPs, through.endPs);
    const std::int64_t next = whole >= through.endPs - at ? through.endPs : at + whole;
    m_view->setTimeCursor(next);
    if (next == through.endPs)
        pause();
}

void TimelinePlayback::play()
{
    const TimeRange through = range();
    if (isPlaying() || through.spanPs() <= 0)
        return;
    const std::optional<std::int64_t> at = m_view->timeCursor();
    if (!at || *at < through.beginPs || *at >= through.endPs)
        m_view->setTimeCursor(through.beginPs);
    m_rest = 0;
    m_clock.start();
    m_timer.start();
    emit playingChanged(true);
}

void TimelinePlayback::pause()
{
    if (!isPlaying())
        return;
    m_timer.stop();
    emit playingChanged(false);
}

void TimelinePlayback::togglePlay()
{
    isPlaying() ? pause() : play();
}

void TimelinePlayback::step(int hundredths)
{
    pause();
    if (range().spanPs() > 0)
        m_view->stepTimeCursor(hundredths);
}

void TimelinePlayback::back()
{
    step(-1);
}

void TimelinePlayback::forward()
{
    step(1);
}

} // namespace fabricscope
