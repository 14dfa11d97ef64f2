#pragma once

#include "core/sharding/execute/exactnumber.h"

#include <vector>

namespace fabricscope {

/// A tensor, or the part of one that a device holds, row-major.
struct DenseTensor {
    TensorShape shape;
    std::vector<Exact> values;

    DenseTensor() = default;
    explicit DenseTensor(TensorShape sizes, Exact fill = Exact()) : shape(std::move(sizes)), values(static_cast<std::size_t>(elementsOf(shape)), fill) {}
    friend bool operator==(const DenseTensor&, const DenseTensor&) = default;
};

/// Distance in elements of neighbours along every dim, row-major.
std::vector<std::int64_t> rowMajorStrides(const TensorShape& shape);

/// Goes through all indices of a shape in row-major order, with places in other tensors that move by strides of their own (0: repeated):
///     for (Odometer at(shape, {strides}); !at.done(); at.next()) use(at.place(0));
class Odometer {
public:
    /// `strides`: one list per followed tensor, an entry per dim; `starts`: the places of index 0 (left out: 0).
    explicit Odometer(const TensorShape& shape, std::vector<std::vector<std::int64_t>> strides, std::vector<std::int64_t> starts = {});

    bool done() const { return m_done; }
    void next();
    std::int64_t place(std::size_t tensor) const { return m_places[tensor]; }
    const std::vector<std::int64_t>& index() const { return m_index; }

private:
    const TensorShape m_shape;
    std::vector<std::vector<std::int64_t>> m_strides;
    std::vector<std::int64_t> m_places;
    std::vector<std::int64_t> m_index;
    bool m_done = false;
};

} // namespace fabricscope
