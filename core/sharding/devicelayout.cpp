#include "core/sharding/devicelayout.h"

namespace fabricscope {

TensorShape localShape(const TensorShape& shape, const Layout& layout)
{
    TensorShape local = shape;
    for (std::size_t d = 0; d < shape.size() && d < layout.dims.size(); ++d)
        local[d] = partSize(shape[d], shardsOf(layout.dims[d]));
    return local;
}

AxisList axesOf(const Layout& layout)
{
    AxisList all = layout.unreduced;
    for (const AxisList& dim : layout.dims)
        all.insert(all.end(), dim.begin(), dim.end());
    return all;
}

std::string layoutText(const Mesh& mesh, const Layout& layout)
{
    std::string text = "[";
    for (std::size_t d = 0; d < layout.dims.size(); ++d) {
        const AxisList& list = layout.dims[d];
        text += d ? ", " : "";
        text += list.empty() ? "-" : list.size() == 1 ? axisText(mesh, list[0]) : "(" + axesText(mesh, list) + ")";
    }
    text += "]";
    return layout.unreduced.empty() ? text : text + " unreduced " + axesText(mesh, layout.unreduced);
}

} // namespace fabricscope
