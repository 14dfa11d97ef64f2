#include "app/desktop/resulthistory.h"

namespace fabricscope {

void ResultHistory::add(RunResultPtr result, const QString& change)
{
    m_part.reset();
    // Running the same design again changes nothing that could be compared.
    const bool same = m_current && m_current->summary.designHash == result->summary.designHash;
    if (!same) {
        m_before = m_current;
        m_since = m_baseline ? QString() : change;
    }
    m_current = std::move(result);
}

void ResultHistory::pin(bool on)
{
    m_baseline = on ? m_current : nullptr;
    m_since.clear();
}

} // namespace fabricscope
