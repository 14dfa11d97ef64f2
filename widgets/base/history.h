#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace fabricscope {

/// What was shown one after the other, to go back and forth. A new one takes the place of those that were gone back from. No clock.
template <class T>
class History {
public:
    static constexpr std::size_t kMost = 200; ///< Kept; the oldest go.

    const T& current() const { return m_all[m_at]; }
    /// Forgets all but this one.
    void start(T first)
    {
        m_all.assign(1, std::move(first));
        m_at = 0;
    }
    /// The current one again is no step. False: it was.
    bool visit(T next)
    {
        if (next == current())
            return false;
        m_all.resize(m_at + 1);
        m_all.push_back(std::move(next));
        if (m_all.size() > kMost)
            m_all.erase(m_all.begin());
        m_at = m_all.size() - 1;
        return true;
    }
    /// The current one is this now. What was gone back from is forgotten.
    void replace(T current)
    {
        m_all.resize(m_at + 1);
        m_all[m_at] = std::move(current);
    }
    bool canBack() const { return m_at > 0; }
    bool canForward() const { return m_at + 1 < m_all.size(); }
    /// \pre canBack(), canForward().
    const T& back()
    {
        assert(canBack());
        return m_all[--m_at];
    }
    const T& forward()
    {
        assert(canForward());
        return m_all[++m_at];
    }

private:
    std::vector<T> m_all{T{}};
    std::size_t m_at = 0;
};

} // namespace fabricscope
