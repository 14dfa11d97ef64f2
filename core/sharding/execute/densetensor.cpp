#include "core/sharding/execute/densetensor.h"

#include <algorithm>

namespace fabricscope {

std::vector<std::int64_t> rowMajorStrides(const TensorShape& shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d > 1; --d)
        strides[d - 2] = strides[d - 1] * shape[d - 1];
    return strides;
}

Odometer::Odometer(const TensorShape& shape, std::vector<std::vector<std::int64_t>> strides, std::vector<std::int64_t> starts)
    : m_shape(shape), m_strides(std::move(strides)), m_places(std::move(starts)), m_index(shape.size(), 0)
{
    m_places.resize(m_strides.size(), 0);
    m_done = std::ranges::any_of(shape, [](std::int64_t size) { return size < 1; });
}

void Odometer::next()
{
    for (std::size_t d = m_shape.size(); d > 0; --d) {
        const std::size_t dim = d - 1;
        ++m_index[dim];
        for (std::size_t t = 0; t < m_strides.size(); ++t)
            m_places[t] += m_strides[t][dim];
        if (m_index[dim] < m_shape[dim])
            return;
        for (std::size_t t = 0; t < m_strides.size(); ++t)
            m_places[t] -= m_strides[t][dim] * m_shape[dim];
        m_index[dim] = 0;
    }
    m_done = true;
}

} // namespace fabricscope
