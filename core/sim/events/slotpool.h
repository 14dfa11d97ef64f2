#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <vector>

namespace fabricscope::events {

/// Objects by number with a free list; the last one given back is the next one taken, so the working set stays in the cache.
/// take() may move the objects: hold numbers, not references.
template <typename T>
class Pool {
public:
    std::int32_t take()
    {
        if (m_free.empty()) {
            m_items.emplace_back();
            return static_cast<std::int32_t>(m_items.size() - 1);
        }
        const std::int32_t item = m_free.back();
        m_free.pop_back();
        return item;
    }
    void give(std::int32_t item) { m_free.push_back(item); }
    T& operator[](std::int32_t item) { return m_items[at(item)]; }
    const T& operator[](std::int32_t item) const { return m_items[at(item)]; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(m_items.capacity() * sizeof(T) + m_free.capacity() * sizeof(std::int32_t)); }
    std::size_t capacity() const { return m_items.size(); } ///< Numbers given out so far are smaller.
    std::size_t used() const { return m_items.size() - m_free.size(); }

private:
    std::vector<T> m_items;
    std::vector<std::int32_t> m_free;
};

} // namespace fabricscope::events
