#include "core/bounds/maxflow.h"

#include "core/base/index.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

constexpr std::int32_t kDeadEnd = -2;

} // namespace

template <typename Flow>
MaxFlow<Flow>::MaxFlow(std::int32_t vertices) : m_vertices(vertices)
{
    assert(vertices >= 0);
}

template <typename Flow>
std::int32_t MaxFlow<Flow>::addArc(std::int32_t from, std::int32_t to, Flow capacity)
{
    assert(from >= 0 && from < m_vertices && to >= 0 && to < m_vertices);
    assert(capacity >= 0 && capacity <= kUnlimited);
    m_from.push_back(from);
    m_to.push_back(to);
    m_capacity.push_back(capacity);
    m_indexed = false;
    return arcs() - 1;
}

template <typename Flow>
void MaxFlow<Flow>::index()
{
    const std::size_t count = m_from.size();
    m_begin.assign(at(m_vertices) + 1, 0);
    for (std::size_t arc = 0; arc < count; ++arc) {
        ++m_begin[at(m_from[arc]) + 1];
        ++m_begin[at(m_to[arc]) + 1];
    }
    for (std::size_t vertex = 0; vertex < at(m_vertices); ++vertex)
        m_begin[vertex + 1] += m_begin[vertex];
    m_next.assign(m_begin.begin(), m_begin.end() - 1);
    m_halves.resize(count * 2);
    m_halfOf.resize(count);
    for (std::size_t arc = 0; arc < count; ++arc) {
        const std::int32_t forward = m_next[at(m_from[arc])]++;
        const std::int32_t back = m_next[at(m_to[arc])]++;
        m_halfOf[arc] = forward;
        m_halves[at(forward)] = {m_to[arc], back, 0};
        m_halves[at(back)] = {m_from[arc], forward, 0};
    }
    m_indexed = true;
}

template <typename Flow>
bool MaxFlow<Flow>::layer(std::int32_t source, std::int32_t sink)
{
    m_distance.assign(at(m_vertices), -1);
    m_queue.clear();
    m_queue.push_back(sink);
    m_distance[at(sink)] = 0;
    for (std::size_t head = 0; head < m_queue.size(); ++head) {
        const std::int32_t vertex = m_queue[head];
        const std::int32_t further = m_distance[at(vertex)] + 1;
        for (std::int32_t i = m_begin[at(vertex)]; i < m_begin[at(vertex) + 1]; ++i) {
            const Half& half = m_halves[at(i)];
            if (m_distance[at(half.to)] < 0 && m_halves[at(half.reverse)].left > 0) {
                m_distance[at(half.to)] = further;
                if (half.to == source)
                    return true; // vertices farther off are on no shortest path
                m_queue.push_back(half.to);
            }
        }
    }
    return false;
}

template <typename Flow>
Flow MaxFlow<Flow>::block(std::int32_t source, std::int32_t sink, Flow limit, const std::stop_token& stop)
{
    std::copy(m_begin.begin(), m_begin.end() - 1, m_next.begin());
    std::vector<std::int32_t>& path = m_queue;
    path.clear();
    Flow total = 0;
    std::int32_t vertex = source;
    while (true) {
        if (vertex == sink) {
            Flow least = limit - total;
            for (const std::int32_t half : path)
                least = std::min(least, m_halves[at(half)].left);
            std::size_t keep = path.size();
            for (std::size_t i = path.size(); i-- > 0;) {
                Half& half = m_halves[at(path[i])];
                half.left -= least;
                m_halves[at(half.reverse)].left += least;
                if (half.left == 0)
                    keep = i;
            }
            total += least;
            if (total == limit || stop.stop_requested())
                return total;
            vertex = m_halves[at(m_halves[at(path[keep])].reverse)].to;
            path.resize(keep);
            continue;
        }
        std::int32_t i = m_next[at(vertex)];
        const std::int32_t end = m_begin[at(vertex) + 1];
        const std::int32_t wanted = m_distance[at(vertex)] - 1;
        while (i < end && (m_halves[at(i)].left == 0 || m_distance[at(m_halves[at(i)].to)] != wanted))
            ++i;
        m_next[at(vertex)] = i;
        if (i < end) {
            path.push_back(i);
            vertex = m_halves[at(i)].to;
        } else if (path.empty()) {
            return total;
        } else {
            m_distance[at(vertex)] = kDeadEnd;
            vertex = m_halves[at(m_halves[at(path.back())].reverse)].to;
            path.pop_back();
        }
    }
}

template <typename Flow>
Flow MaxFlow<Flow>::run(std::int32_t source, std::int32_t sink, Flow limit, const std::stop_token& stop)
{
    assert(source != sink);
    if (!m_indexed)
        index();
    for (std::size_t arc = 0; arc < m_from.size(); ++arc) {
        Half& half = m_halves[at(m_halfOf[arc])];
        half.left = m_capacity[arc];
        m_halves[at(half.reverse)].left = 0;
    }
    Flow total = 0;
    while (total < limit && layer(source, sink) && !stop.stop_requested())
        total += block(source, sink, limit - total, stop);
    return total;
}

template class MaxFlow<std::int64_t>;
template class MaxFlow<WideFlow>;

} // namespace fabricscope
