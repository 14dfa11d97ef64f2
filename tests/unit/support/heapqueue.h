#pragma once

#include "core/sim/events/eventqueue.h"

namespace fabricscope {

/// 4-ary heap: the simple reference.
class HeapQueue {
public:
    bool empty() const { return m_heap.empty(); }
    std::size_t size() const { return m_heap.size(); }

    void push(const Event& event)
    {
        assert(event.time > m_now);
        std::size_t hole = m_heap.size();
        m_heap.push_back(event);
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / 4;
            if (m_heap[parent].time <= event.time)
                break;
            m_heap[hole] = m_heap[parent];
            hole = parent;
        }
        m_heap[hole] = event;
    }

    /// \pre !empty(). Appends to `batch`; returns the instant. O(log n) per event.
    std::int64_t takeInstant(std::vector<Event>& batch)
    {
        const std::int64_t time = m_heap.front().time;
        assert(time > m_now);
        m_now = time;
        while (!m_heap.empty() && m_heap.front().time == time) {
            batch.push_back(m_heap.front());
            pop();
        }
        return time;
    }

    void copy(std::vector<Event>& events) const { events.insert(events.end(), m_heap.begin(), m_heap.end()); }
    void restart(std::int64_t now)
    {
        m_heap.clear();
        m_now = now;
    }

private:
    void pop()
    {
        const Event last = m_heap.back();
        m_heap.pop_back();
        const std::size_t count = m_heap.size();
        if (count == 0)
            return;
        std::size_t hole = 0;
        for (;;) {
            const std::size_t first = 4 * hole + 1;
            if (first >= count)
                break;
            std::size_t best = first;
            const std::size_t end = first + 4 < count ? first + 4 : count;
            for (std::size_t child = first + 1; child < end; ++child) {
                if (m_heap[child].time < m_heap[best].time)
                    best = child;
            }
            if (m_heap[best].time >= last.time)
                break;
            m_heap[hole] = m_heap[best];
            hole = best;
        }
        m_heap[hole] = last;
    }

    std::vector<Event> m_heap;
    std::int64_t m_now = -1;
};

} // namespace fabricscope
