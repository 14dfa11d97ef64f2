#include "core/sharding/mesh.h"

#include <algorithm>

namespace fabricscope {

std::int64_t Mesh::devices() const
{
    std::int64_t count = 1;
    for (const MeshAxis& axis : axes)
        count *= axis.size;
    return count;
}

std::int64_t Mesh::coordinate(std::int64_t position, std::int32_t axis) const
{
    for (std::size_t i = axes.size(); --i > static_cast<std::size_t>(axis);)
        position /= axes[i].size;
    return position % axes[static_cast<std::size_t>(axis)].size;
}

AxisPart wholeAxis(const Mesh& mesh, std::int32_t axis)
{
    return {axis, 1, mesh.axes[static_cast<std::size_t>(axis)].size};
}

bool overlap(const AxisPart& a, const AxisPart& b)
{
    return a.axis == b.axis && b.pre % (a.pre * a.size) != 0 && a.pre % (b.pre * b.size) != 0;
}

bool overlap(const AxisList& list, const AxisPart& part)
{
    return std::ranges::any_of(list, [&](const AxisPart& own) { return overlap(own, part); });
}

bool overlap(const AxisList& a, const AxisList& b)
{
    return std::ranges::any_of(a, [&](const AxisPart& part) { return overlap(b, part); });
}

std::int64_t shardsOf(const AxisList& list)
{
    std::int64_t count = 1;
    for (const AxisPart& part : list)
        count *= part.size;
    return count;
}

std::int64_t shardIndex(const Mesh& mesh, const AxisList& list, std::int64_t position)
{
    std::int64_t index = 0;
    for (const AxisPart& part : list) {
        const std::int64_t minor = mesh.axes[static_cast<std::size_t>(part.axis)].size / (part.pre * part.size);
        index = index * part.size + mesh.coordinate(position, part.axis) / minor % part.size;
    }
    return index;
}

AxisList joined(const AxisList& list)
{
    AxisList out;
    for (const AxisPart& part : list) {
        if (part.size == 1 && part.pre > 1)
            continue;
        if (!out.empty() && out.back().axis == part.axis && out.back().pre * out.back().size == part.pre)
            out.back().size *= part.size;
        else
            out.push_back(part);
    }
    return out;
}

AxisList commonPrefix(const AxisList& a, const AxisList& b)
{
    AxisList prefix;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i] == b[i]) {
            prefix.push_back(a[i]);
            continue;
        }
        const std::int64_t less = std::min(a[i].size, b[i].size);
        if (a[i].axis == b[i].axis && a[i].pre == b[i].pre && std::max(a[i].size, b[i].size) % less == 0)
            prefix.push_back({a[i].axis, a[i].pre, less});
        break;
    }
    return prefix;
}

bool isPrefix(const AxisList& prefix, const AxisList& list)
{
    return commonPrefix(prefix, list) == prefix;
}

AxisList withoutPrefix(const AxisList& list, const AxisList& prefix)
{
    AxisList rest(list.begin() + static_cast<std::ptrdiff_t>(prefix.size()), list.end());
    if (!prefix.empty() && list[prefix.size() - 1] != prefix.back()) {
        const AxisPart& whole = list[prefix.size() - 1];
        rest.insert(rest.begin(), {whole.axis, whole.pre * prefix.back().size, whole.size / prefix.back().size});
    }
    return rest;
}

Result<AxisList> majorPart(const AxisList& list, std::int64_t shards)
{
    AxisList major;
    for (const AxisPart& part : list) {
        if (shards == 1)
            break;
        if (shards % part.size == 0) {
            major.push_back(part);
            shards /= part.size;
        } else if (part.size % shards == 0) {
            major.push_back({part.axis, part.pre, shards});
            shards = 1;
        } else {
            break;
        }
    }
    if (shards != 1)
        return invalidInput("the axes do not divide");
    return major;
}

AxisList cutOut(const AxisPart& part, const AxisPart& other)
{
    if (!overlap(part, other))
        return {part};
    const std::int64_t end = part.pre * part.size;
    const std::int64_t first = std::max(part.pre, other.pre);
    const std::int64_t last = std::min(end, other.pre * other.size);
    if (first >= last || first % part.pre != 0 || first % other.pre != 0 || last % first != 0 || end % last != 0 || other.pre * other.size % last != 0)
        return {part}; // Such as x:(1)2 and x:(1)3 of an axis of 6.
    AxisList rest;
    if (first > part.pre)
        rest.push_back({part.axis, part.pre, first / part.pre});
    if (last < end)
        rest.push_back({part.axis, last, end / last});
    return rest;
}

AxisList without(const AxisList& list, const AxisList& taken)
{
    AxisList rest = list;
    for (const AxisPart& other : taken) {
        AxisList next;
        for (const AxisPart& part : rest) {
            const AxisList pieces = cutOut(part, other);
            next.insert(next.end(), pieces.begin(), pieces.end());
        }
        rest = std::move(next);
    }
    return rest;
}

AxisList appended(AxisList list, const AxisList& more)
{
    list.insert(list.end(), more.begin(), more.end());
    return joined(list);
}

std::string axisText(const Mesh& mesh, const AxisPart& part)
{
    const MeshAxis& axis = mesh.axes[static_cast<std::size_t>(part.axis)];
    if (part.pre == 1 && part.size == axis.size)
        return axis.name;
    return axis.name + ":(" + std::to_string(part.pre) + ")" + std::to_string(part.size);
}

std::string axesText(const Mesh& mesh, const AxisList& list)
{
    std::string text;
    for (const AxisPart& part : list)
        text += (text.empty() ? "" : ", ") + axisText(mesh, part);
    return text;
}

} // namespace fabricscope
