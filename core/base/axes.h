#pragma once

#include "core/base/index.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricscope {

// Members of a group are counted along its axes: member = sum of coordinate * stride over the axes, axis 0 fastest. Extents are above 0, and so is
// what their product may be: the range of the number that counts.

/// Members between neighbours along `axis`: the product of the extents of the axes before it.
template <class Whole = std::int32_t>
Whole strideOf(const std::vector<std::int32_t>& extents, std::int64_t axis)
{
    Whole stride = 1;
    for (std::int64_t lower = 0; lower < axis; ++lower)
        stride *= extents[at(lower)];
    return stride;
}

/// The same of every axis; `first`: that of axis 0.
template <class Whole = std::int32_t>
std::vector<Whole> stridesOf(const std::vector<std::int32_t>& extents, Whole first = 1)
{
    std::vector<Whole> strides;
    strides.reserve(extents.size());
    for (const std::int32_t extent : extents) {
        strides.push_back(first);
        first *= extent;
    }
    return strides;
}

/// The coordinates of a member, one per axis, into `out`, which keeps its memory.
inline void coordinatesOf(std::int32_t member, const std::vector<std::int32_t>& extents, std::vector<std::int32_t>& out)
{
    out.clear();
    for (const std::int32_t extent : extents) {
        out.push_back(member % extent);
        member /= extent;
    }
}

/// The member that `b` lies from `a` as from member 0: coordinates add up, round about their axes.
inline std::int32_t movedAlong(std::int32_t a, std::int32_t b, const std::vector<std::int32_t>& extents)
{
    std::int32_t sum = 0;
    std::int32_t stride = 1;
    for (const std::int32_t extent : extents) {
        sum += (a % extent + b % extent) % extent * stride;
        a /= extent;
        b /= extent;
        stride *= extent;
    }
    return sum;
}

} // namespace fabricscope
