#include "core/bounds/bounds.h"

#include "core/base/stop.h"
#include "core/bounds/boundgraph.h"
#include "core/bounds/groupbox.h"
#include "core/platform/offload.h"
#include "core/platform/router.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

/// Larger graphs are not searched for their narrowest cuts: seconds.
constexpr std::int64_t kMaxLinks = 20'000;

/// Throws StopRequested.
CollectiveBound wholeBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes, std::int32_t root,
                           BoundScope scope, const std::stop_token& stop, std::int64_t maxWork, std::span<const BoundLevel> levels)
{
    assert(members.size() >= 2 && root >= 0 && static_cast<std::size_t>(root) < members.size());
    const auto count = static_cast<std::int64_t>(members.size());
    CutCollector cuts(op, count, bytes);
    if (op == CollectiveOp::Barrier || op == CollectiveOp::Custom || cuts.shard() <= 0)
        return CollectiveBound{};
    const bool reduces = hasOffload(platform.spec());

    GroupBox box;
    if (!platform.isExplicit()) {
        box = groupBox(platform, members, scope);
        considerBox(platform, box, members, op, root, reduces, cuts);
        const NpuSpec& npu = platform.spec().npu;
        const bool limited = std::ranges::any_of(box.axes, [&](const GroupBox::Axis& axis) { return platform.dimensions()[axis.dimension].crossbar.has_value(); });
        if (box.full && box.alike && !npu.injection && !npu.ejection && !limited) {
            cuts.bound().exact = op != CollectiveOp::AllToAll;
            return cuts.bound();
        }
    }
    const std::int64_t searched = std::min(kMaxLinks, maxWork / count);
    const bool isExplicit = platform.isExplicit();
    if (const auto graph = boundGraph(platform, isExplicit ? nullptr : &box, members, isExplicit ? kMaxGraphLinks : searched, stop))
        considerGraph(*graph, op, root, reduces, static_cast<std::int64_t>(graph->flow.arcs.size()) <= searched, levels, cuts, stop);
    checkStop(stop);
    return cuts.bound();
}

} // namespace

Result<CollectiveBound> collectiveBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes,
                                        std::int32_t root, BoundScope scope, const std::stop_token& stop, std::int64_t maxWork, std::span<const BoundLevel> levels)
{
    return untilStopped([&]() -> Result<CollectiveBound> { return wholeBound(platform, members, op, bytes, root, scope, stop, maxWork, levels); });
}

Result<CollectiveBound> collectiveBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes,
                                        std::int32_t root, const std::stop_token& stop)
{
    return collectiveBound(platform, members, op, bytes, root, BoundScope::Platform, stop);
}

std::string boundShape(const Platform& platform, std::span<const NodeId> members, BoundScope scope)
{
    std::string shape;
    if (!platform.isExplicit()) {
        const GroupBox box = groupBox(platform, members, scope);
        if (box.full && box.alike) {
            for (const GroupBox::Axis& axis : box.axes)
                shape += std::to_string(axis.dimension) + ':' + std::to_string(axis.extent) + ' ';
            return shape;
        }
    }
    for (const NodeId npu : members)
        shape += std::to_string(npu) + ',';
    return shape;
}

} // namespace fabricscope
