#include "core/sim/events/agenda.h"

#include <utility>

namespace fabricscope::events {

void Agenda::nextInstant()
{
    m_now = m_queue.takeInstant(m_round);
    m_handled += static_cast<std::int64_t>(m_round.size());
    m_repeated = false;
    if (m_shuffle != 0)
        shuffleRound();
}

void Agenda::nextRound()
{
    assert(!m_again.empty() && m_round.empty());
    m_handled += static_cast<std::int64_t>(m_again.size());
    m_round.swap(m_again);
    m_repeated = true;
    if (m_shuffle != 0)
        shuffleRound();
}

void Agenda::passTo(std::int64_t time)
{
    if (time > kClockEnd || time < m_now) {
        m_pastClock = true;
        return;
    }
    assert(m_queue.empty());
    m_now = time;
}

void Agenda::restart(std::int64_t now, std::span<const Event> events)
{
    m_now = now;
    m_queue.restart(now);
    for (const Event& event : events)
        m_queue.push(event);
}

void Agenda::shuffleRound()
{
    for (std::size_t left = m_round.size(); left > 1; --left) {
        m_shuffle ^= m_shuffle << 13; // xorshift
        m_shuffle ^= m_shuffle >> 7;
        m_shuffle ^= m_shuffle << 17;
        std::swap(m_round[left - 1], m_round[m_shuffle % left]);
    }
}

} // namespace fabricscope::events
