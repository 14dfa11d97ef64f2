#include "core/bounds/groupbox.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Least latency of a link of the dimension, with overrides.
std::int64_t leastLinkLatency(const Platform& platform, std::size_t dimension)
{
    std::int64_t least = platform.dimensions()[dimension].linkLatency().ps;
    for (const LinkOverride& change : platform.spec().linkOverrides) {
        if (!change.removed && platform.linkInfo(change.link).dimension == static_cast<std::int32_t>(dimension))
            least = std::min(least, platform.latency(change.link).ps);
    }
    return least;
}

GroupBox::Axis makeAxis(const Platform& platform, std::size_t dimension, std::vector<std::int32_t> used)
{
    const Dimension& described = platform.dimensions()[dimension];
    GroupBox::Axis axis;
    axis.dimension = dimension;
    axis.shape = described.shape;
    axis.extent = described.size;
    if (described.shape != Shape::Ring && static_cast<std::int32_t>(used.size()) < described.size) {
        axis.extent = static_cast<std::int32_t>(used.size());
        axis.coordinates = std::move(used);
    }
    axis.linkRate = described.linkBandwidth().bytesPerSecond;
    const std::int64_t links = axis.shape == Shape::FullyConnected ? axis.extent - 1 : described.linksPerNpu();
    axis.npuRate = static_cast<std::int64_t>(std::min<WideFlow>(WideFlow{axis.linkRate} * links, std::int64_t{1} << 62)); // CutLinks::kMostRate
    axis.hopLatencyPs = leastLinkLatency(platform, dimension) * (axis.shape == Shape::Switch ? 2 : 1);
    return axis;
}

} // namespace

bool GroupBox::Axis::has(std::int32_t coordinate) const
{
    return coordinates.empty() || std::binary_search(coordinates.begin(), coordinates.end(), coordinate);
}

std::int64_t GroupBox::Axis::latencyPs(std::int32_t a, std::int32_t b, std::int32_t size) const
{
    if (a == b)
        return 0;
    if (shape != Shape::Ring)
        return hopLatencyPs;
    const std::int32_t ahead = a < b ? b - a : a - b;
    return hopLatencyPs * std::min(ahead, size - ahead);
}

bool GroupBox::hasNpu(const Platform& platform, NodeId npu) const
{
    for (const Axis& axis : axes) {
        if (!axis.has(platform.coordinate(npu, axis.dimension)))
            return false;
    }
    return std::all_of(fixed.begin(), fixed.end(), [&](const auto& each) { return platform.coordinate(npu, each.first) == each.second; });
}

GroupBox groupBox(const Platform& platform, std::span<const NodeId> members, BoundScope scope)
{
    GroupBox box;
    box.alike = platform.spec().linkOverrides.empty() && !platform.hasRemovals();
    const bool all = static_cast<std::int64_t>(members.size()) == platform.npuCount();
    for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
        const std::int32_t size = platform.dimensions()[d].size;
        std::vector<std::int32_t> used;
        if (!all && scope == BoundScope::Routes) {
            std::vector<bool> seen(static_cast<std::size_t>(size), false);
            for (const NodeId npu : members)
                seen[at(platform.coordinate(npu, d))] = true;
            for (std::int32_t i = 0; i < size; ++i) {
                if (seen[at(i)])
                    used.push_back(i);
            }
            if (used.size() < 2) {
                if (!used.empty())
                    box.fixed.emplace_back(d, used.front());
                continue;
            }
        } else if (size < 2) {
            continue;
        } else {
            used.resize(static_cast<std::size_t>(size));
        }
        box.axes.push_back(makeAxis(platform, d, std::move(used)));
        box.positions *= box.axes.back().extent;
    }
    box.full = box.positions == static_cast<std::int64_t>(members.size());
    return box;
}

} // namespace fabricscope
