#include "core/bounds/maxflow.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

std::size_t at(std::int32_t number)
{
    return static_cast<std::size_t>(number);
}

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
    m_to.push_back(to);
    m_to.push_back(from);
    m_capacity.push_back(capacity);
    m_capacity.push_back(0);
    m_indexed = false;
    return arcs() - 1;
}

template <typename Flow>
void MaxFlow<Flow>::index()
{
    m_begin.assign(at(m_vertices) + 1, 0);
    for (std::size_t half = 0; half < m_to.size(); ++half)
        ++m_begin[at(m_to[half ^ 1]) + 1];
    for (std::size_t vertex = 0; vertex < at(m_vertices); ++vertex)
        m_begin[vertex + 1] += m_begin[vertex];
    m_next.assign(m_begin.begin(), m_begin.end() - 1);
    m_halves.resize(m_to.size());
    for (std::size_t half = 0; half < m_to.size(); ++half)
        m_halves[at(m_next[at(m_to[half ^ 1])]++)] = static_cast<std::int32_t>(half);
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
            const std::int32_t half = m_halves[at(i)];
            const std::int32_t before = m_to[at(half)];
            if (m_distance[at(before)] < 0 && m_residual[at(half ^ 1)] > 0) {
                m_distance[at(before)] = further;
                if (before == source)
                    return true; // vertices farther off are on no shortest path
                m_queue.push_back(before);
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
                least = std::min(least, m_residual[at(half)]);
            std::size_t keep = path.size();
            for (std::size_t i = path.size(); i-- > 0;) {
                const std::int32_t half = path[i];
                m_residual[at(half)] -= least;
                m_residual[at(half ^ 1)] += least;
                if (m_residual[at(half)] == 0)
                    keep = i;
            }
            total += least;
            if (total == limit || stop.stop_requested())
                return total;
            vertex = m_to[at(path[keep] ^ 1)];
            path.resize(keep);
            continue;
        }
        std::int32_t& i = m_next[at(vertex)];
        const std::int32_t end = m_begin[at(vertex) + 1];
        const std::int32_t wanted = m_distance[at(vertex)] - 1;
        while (i < end && (m_distance[at(m_to[at(m_halves[at(i)])])] != wanted || m_residual[at(m_halves[at(i)])] == 0))
            ++i;
        if (i < end) {
            path.push_back(m_halves[at(i)]);
            vertex = m_to[at(m_halves[at(i)])];
        } else if (path.empty()) {
            return total;
        } else {
            vertex = m_to[at(path.back() ^ 1)];
            path.pop_back();
            ++m_next[at(vertex)];
        }
    }
}

template <typename Flow>
Flow MaxFlow<Flow>::run(std::int32_t source, std::int32_t sink, Flow limit, const std::stop_token& stop)
{
    assert(source != sink);
    if (!m_indexed)
        index();
    m_residual = m_capacity;
    Flow total = 0;
    while (total < limit && layer(source, sink) && !stop.stop_requested())
        total += block(source, sink, limit - total, stop);
    return total;
}

template class MaxFlow<std::int64_t>;
template class MaxFlow<WideFlow>;

} // namespace fabricscope
