#pragma once

#include "core/model/graph/opgraph.h"

#include <cstddef>
#include <cstdint>

namespace fabricscope::test {

/// Number of an element, last dim fastest.
inline std::size_t flatPlace(const TensorShape& shape, const TensorShape& index)
{
    std::int64_t place = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        place = place * shape[d] + index[d];
    return static_cast<std::size_t>(place);
}

/// Where the element of that number is.
inline TensorShape indexOf(const TensorShape& shape, std::int64_t place)
{
    TensorShape index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; place /= shape[d])
        index[d] = place % shape[d];
    return index;
}

} // namespace fabricscope::test
