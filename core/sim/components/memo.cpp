#include "core/sim/components/memo.h"

#include <cassert>

namespace fabricscope::events {

Memo::Kept& Memo::keep(const Digest& key, CollectiveAnswerPtr answer, const std::function<void(const Kept&)>& forgotten)
{
    assert(!m_kept.contains(key));
    const std::int64_t bytes = answer->bytes();
    while (!m_order.empty() && m_bytes + bytes > m_mostBytes) {
        const auto oldest = m_kept.find(m_order.front());
        m_order.pop_front();
        m_bytes -= oldest->second.answer->bytes();
        forgotten(oldest->second);
        m_kept.erase(oldest);
    }
    m_order.push_back(key);
    m_bytes += bytes;
    Kept& kept = m_kept[key];
    kept.answer = std::move(answer);
    return kept;
}

void Memo::forEach(const std::function<void(const Kept&)>& see) const
{
    for (const Digest& key : m_order)
        see(m_kept.at(key));
}

} // namespace fabricscope::events
