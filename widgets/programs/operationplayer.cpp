#include "widgets/programs/operationplayer.h"

#include <algorithm>

namespace fabricscope {

void ProgramPlayer::setReplay(ProgramReplayPtr replay)
{
    const bool atEnd = !m_replay || m_step == steps() - 1;
    m_replay = std::move(replay);
    m_marked.clear();
    m_cursor.reset();
    if (m_replay)
        m_cursor.emplace(m_replay);
    // One who looks at the end, as at first, stays there while the program grows.
    m_step = atEnd ? steps() - 1 : std::min(m_step, steps() - 1);
    follow();
    emit replayChanged();
    emit stepChanged();
}

void ProgramPlayer::setStep(int step)
{
    step = std::clamp(step, -1, steps() - 1);
    if (!m_replay || step == m_step)
        return;
    m_step = step;
    follow();
    emit stepChanged();
}

void ProgramPlayer::follow()
{
    m_changed.clear();
    if (!m_replay)
        return;
    if (m_step < 0) {
        m_cursor->seek(0);
        return;
    }
    m_cursor->seek(m_replay->endOf(m_step - 1));
    m_cursor->seek(m_replay->endOf(m_step), &m_changed);
    std::sort(m_changed.begin(), m_changed.end());
    m_changed.erase(std::unique(m_changed.begin(), m_changed.end()), m_changed.end());
}

void ProgramPlayer::mark(std::vector<std::uint32_t> operations)
{
    std::sort(operations.begin(), operations.end());
    if (operations == m_marked)
        return;
    m_marked = std::move(operations);
    emit marksChanged();
}

bool ProgramPlayer::isMarked(std::uint32_t operation) const
{
    return std::binary_search(m_marked.begin(), m_marked.end(), operation);
}

} // namespace fabricscope
