#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

struct MeshAxis {
    std::string name;
    std::int64_t size = 1;
};

/// Devices as a box of named axes. A *position* is the row-major index of coordinates in the box (last axis fastest); the device at position q is deviceOrder[q], or q.
struct Mesh {
    static constexpr std::int64_t kMaxDevices = std::int64_t{1} << 24;

    std::vector<MeshAxis> axes;
    std::vector<std::int32_t> deviceOrder; ///< Empty: row-major.

    std::int64_t devices() const;
    /// Coordinate of a position along an axis. O(axes).
    std::int64_t coordinate(std::int64_t position, std::int32_t axis) const;
    std::int32_t deviceAt(std::int64_t position) const { return deviceOrder.empty() ? static_cast<std::int32_t>(position) : deviceOrder[static_cast<std::size_t>(position)]; }
};

/// A whole axis, or a sub-axis "x:(pre)size": an axis of size n is seen as (pre, size, n / (pre * size)), row-major, and this is the middle one.
struct AxisPart {
    std::int32_t axis = 0;
    std::int64_t pre = 1;
    std::int64_t size = 1;
    friend bool operator==(const AxisPart&, const AxisPart&) = default;
};

/// Axes major to minor.
using AxisList = std::vector<AxisPart>;

AxisPart wholeAxis(const Mesh& mesh, std::int32_t axis);
/// Can the two not stand beside each other? Not only where they share coordinates: x:(1)2 and x:(3)2 of an axis of 6 see it as (2, 3) and as (3, 2).
bool overlap(const AxisPart& a, const AxisPart& b);
bool overlap(const AxisList& list, const AxisPart& part);
bool overlap(const AxisList& a, const AxisList& b);
/// Number of combinations. \pre parts of one mesh, none overlapping: at most its devices.
std::int64_t shardsOf(const AxisList& list);
/// Index of a position among them (mixed radix, first part most significant). O(parts * axes).
std::int64_t shardIndex(const Mesh& mesh, const AxisList& list, std::int64_t position);
/// Adjacent sub-axes of one axis joined ("x:(1)2, x:(2)2" of an axis of 4 is "x").
AxisList joined(const AxisList& list);
/// The longest list both begin with; sub-axes are split where needed.
AxisList commonPrefix(const AxisList& a, const AxisList& b);
bool isPrefix(const AxisList& prefix, const AxisList& list);
/// What follows. \pre isPrefix(prefix, list)
AxisList withoutPrefix(const AxisList& list, const AxisList& prefix);
/// Major part of a list with exactly `shards` combinations, splitting an axis where needed; none when the sizes do not divide.
Result<AxisList> majorPart(const AxisList& list, std::int64_t shards);
/// The list without everything of `taken`; what is left of a cut axis stays.
AxisList without(const AxisList& list, const AxisList& taken);
/// `part` less what it shares with `other`: up to two parts; all of it where the two cannot be told apart.
AxisList cutOut(const AxisPart& part, const AxisPart& other);
AxisList appended(AxisList list, const AxisList& more);

std::string axisText(const Mesh& mesh, const AxisPart& part);          ///< "x", "x:(1)2".
std::string axesText(const Mesh& mesh, const AxisList& list);          ///< "x, y".

} // namespace fabricscope
