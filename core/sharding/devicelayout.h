#pragma once

#include "core/model/graph/opgraph.h"
#include "core/sharding/mesh.h"

namespace fabricscope {

/// How a tensor lies on the devices of a mesh. A dim of size N with a list of axes of P combinations is cut into parts of c = ceil(N / P): the device whose
/// shardIndex() is i holds elements [i * c, min((i + 1) * c, N)), maybe none. Axes that stand nowhere replicate. No axis overlaps another of the same layout.
struct Layout {
    std::vector<AxisList> dims; ///< Joined.
    AxisList unreduced;         ///< The whole is the sum (or `reduce`) over these; kept joined.
    ReduceKind reduce = ReduceKind::Sum; ///< Sum, Max, Min or Product.
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// ceil(N / P) per dim: what a device holds with its padding.
TensorShape localShape(const TensorShape& shape, const Layout& layout);
/// All axes a layout uses.
AxisList axesOf(const Layout& layout);
/// "[x, -, y] unreduced z".
std::string layoutText(const Mesh& mesh, const Layout& layout);
constexpr std::int64_t partSize(std::int64_t size, std::int64_t shards)
{
    return (size + shards - 1) / shards;
}
/// Do the parts of `more` shards, a multiple of `fewer`, lie within those of `fewer` as if cut again? Always when sizes divide.
constexpr bool partsAlign(std::int64_t size, std::int64_t fewer, std::int64_t more)
{
    return fewer == 1 || partSize(size, fewer) == partSize(size, more) * (more / fewer);
}

} // namespace fabricscope
