#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope::events {

/// Things by numbered windows of time: a ring for those that are near, a heap for the others. Windows are taken in ascending order.
template <typename T>
class TimeWindows {
public:
    /// \param near how many windows from the present one are in the ring. \pre a power of two, at least 64
    explicit TimeWindows(std::size_t near) : m_ring(near), m_used(near / 64, 0), m_usedWords((near / 64 + 63) / 64, 0) { assert(std::has_single_bit(near) && near >= 64); }

    /// O(1) amortised when near, else O(log far). \pre window > the last one taken
    void put(std::int64_t window, const T& item)
    {
        assert(window > m_now);
        if (window - m_now >= static_cast<std::int64_t>(m_ring.size())) {
            m_far.push_back({window, item});
            std::push_heap(m_far.begin(), m_far.end(), later);
            return;
        }
        const std::size_t place = placeOf(window);
        std::vector<T>& items = m_ring[place];
        if (items.capacity() == 0 && !m_spare.empty()) {
            items.swap(m_spare.back());
            m_spare.pop_back();
        }
        items.push_back(item);
        m_used[place / 64] |= std::uint64_t{1} << place % 64;
        m_usedWords[place / 4096] |= std::uint64_t{1} << place / 64 % 64;
    }

    /// The earliest window that has something; INT64_MAX: none has. O(ring / 4096).
    std::int64_t next() const
    {
        const std::int64_t far = m_far.empty() ? INT64_MAX : m_far.front().window;
        const std::size_t begin = placeOf(m_now + 1);
        const auto at = [&](std::size_t place) { return std::min(far, m_now + 1 + static_cast<std::int64_t>((place - begin) & (m_ring.size() - 1))); };
        if (const std::uint64_t bits = m_used[begin / 64] & ~std::uint64_t{0} << begin % 64; bits != 0)
            return at(begin / 64 * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        // The words behind, and those before up to the first one, whose lower bits are the last windows of the ring.
        const std::size_t word = (begin / 64 + 1) % m_used.size();
        for (std::size_t step = 0; step <= m_usedWords.size(); ++step) {
            const std::size_t many = (word / 64 + step) % m_usedWords.size();
            const std::uint64_t words = m_usedWords[many] & (step == 0 ? ~std::uint64_t{0} << word % 64 : ~std::uint64_t{0});
            if (words == 0)
                continue;
            const std::size_t found = many * 64 + static_cast<std::size_t>(std::countr_zero(words));
            return at(found * 64 + static_cast<std::size_t>(std::countr_zero(m_used[found])));
        }
        return far;
    }

    /// Goes on to that window; `items` gets what is in it, in no defined order. \pre later than the last one taken, and none before it has anything
    void take(std::int64_t window, std::vector<T>& items)
    {
        assert(window > m_now && window <= next());
        items.clear();
        if (window - m_now < static_cast<std::int64_t>(m_ring.size())) {
            const std::size_t place = placeOf(window);
            if (items.capacity() > 0)
                m_spare.push_back(std::move(items)); // So that no window keeps the memory of its busiest time.
            items = std::move(m_ring[place]);
            m_ring[place] = {};
            m_used[place / 64] &= ~(std::uint64_t{1} << place % 64);
            if (m_used[place / 64] == 0)
                m_usedWords[place / 4096] &= ~(std::uint64_t{1} << place / 64 % 64);
        }
        m_now = window;
        while (!m_far.empty() && m_far.front().window == window) {
            std::pop_heap(m_far.begin(), m_far.end(), later);
            items.push_back(m_far.back().item);
            m_far.pop_back();
        }
    }

    /// Goes on to a window without taking anything. \pre nothing is in it or before it
    void skipTo(std::int64_t window)
    {
        assert(window < next());
        m_now = std::max(m_now, window);
    }

    /// Of what is kept, and of what is kept ready for more. O(ring).
    std::int64_t bytes() const
    {
        std::size_t items = 0;
        for (const auto* const all : {&m_ring, &m_spare}) {
            for (const std::vector<T>& one : *all)
                items += one.capacity();
        }
        return static_cast<std::int64_t>(items * sizeof(T) + m_far.capacity() * sizeof(Far) + m_ring.size() * sizeof(std::vector<T>));
    }

private:
    struct Far {
        std::int64_t window;
        T item;
    };
    static bool later(const Far& a, const Far& b) { return a.window > b.window; }
    std::size_t placeOf(std::int64_t window) const { return static_cast<std::size_t>(window) & (m_ring.size() - 1); }

    std::vector<std::vector<T>> m_ring;
    std::vector<std::uint64_t> m_used;      ///< One bit a window of the ring.
    std::vector<std::uint64_t> m_usedWords; ///< One bit a word of m_used: it is not 0.
    std::vector<std::vector<T>> m_spare;
    std::vector<Far> m_far;
    std::int64_t m_now = -1;
};

} // namespace fabricscope::events
