#include "core/platform/offload.h"

#include "core/base/index.h"

#include <algorithm>
#include <set>
#include <vector>

namespace fabricscope {

namespace {

Error unsupported(std::string message, std::string expected)
{
    return Error{ErrorCode::Unsupported, std::move(message), {}, std::move(expected)};
}

Result<OffloadSwitch> ofDimension(const Platform& platform, std::span<const NodeId> members)
{
    std::int32_t found = -1;
    for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
        const std::int32_t first = platform.coordinate(members.front(), d);
        const bool differs = std::any_of(members.begin(), members.end(), [&](NodeId node) { return platform.coordinate(node, d) != first; });
        if (differs && found >= 0)
            return unsupported("in_network: the members of a group that is no product of coordinates share no switch", "another algorithm for this group");
        if (differs)
            found = static_cast<std::int32_t>(d);
    }
    const Dimension& dimension = platform.dimensions()[at(found)];
    const std::string name = "dimension " + std::to_string(found);
    if (dimension.shape != Shape::Switch)
        return unsupported("in_network: " + name + " is a " + std::string(shapeName(dimension.shape)) + ", not a switch", "another algorithm for this dimension");
    if (!dimension.offload)
        return unsupported("in_network: the switches of " + name + " neither reduce nor copy", "in_network: {reduction: 400 GB/s} in that dimension");
    return OffloadSwitch{found, platform.withCoordinate(members.front(), static_cast<std::size_t>(found), 0)};
}

LinkId firstLink(const Platform& platform, NodeId from, NodeId to)
{
    const LinkList& links = platform.spec().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (links.from(i) == from && links.to(i) == to && !platform.isRemoved(static_cast<LinkId>(i)))
            return static_cast<LinkId>(i);
    }
    return -1;
}

Result<OffloadSwitch> ofGraph(const Platform& platform, std::span<const NodeId> members)
{
    const PlatformSpec& spec = platform.spec();
    const auto offloads = [&](NodeId node) { return spec.nodes.offload(static_cast<std::size_t>(node)) != nullptr; };
    std::set<std::pair<NodeId, NodeId>> joined;
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        const NodeId from = spec.links.from(i);
        const NodeId to = spec.links.to(i);
        if ((offloads(from) || offloads(to)) && !platform.isRemoved(static_cast<LinkId>(i)))
            joined.emplace(from, to);
    }
    for (std::size_t node = 0; node < spec.nodes.size(); ++node) {
        const auto number = static_cast<NodeId>(node);
        if (offloads(number) && std::all_of(members.begin(), members.end(), [&](NodeId npu) { return joined.contains({npu, number}) && joined.contains({number, npu}); }))
            return OffloadSwitch{-1, number};
    }
    return unsupported("in_network: no switch that reduces or copies has links from and to all members of the group", "in_network: {reduction: 400 GB/s} at such a switch");
}

} // namespace

Result<OffloadSwitch> offloadSwitchOf(const Platform& platform, std::span<const NodeId> members)
{
    return platform.isExplicit() ? ofGraph(platform, members) : ofDimension(platform, members);
}

const SwitchOffload& offloadOf(const Platform& platform, const OffloadSwitch& which)
{
    if (which.dimension >= 0)
        return *platform.dimensions()[at(which.dimension)].offload;
    return *platform.spec().nodes.offload(static_cast<std::size_t>(which.node));
}

LinkId linkToSwitch(const Platform& platform, const OffloadSwitch& which, NodeId npu)
{
    if (which.dimension >= 0)
        return *platform.ringLink(static_cast<std::size_t>(which.dimension), npu, RingDirection::Plus);
    return firstLink(platform, npu, which.node);
}

LinkId linkFromSwitch(const Platform& platform, const OffloadSwitch& which, NodeId npu)
{
    if (which.dimension >= 0)
        return *platform.ringLink(static_cast<std::size_t>(which.dimension), npu, RingDirection::Minus);
    return firstLink(platform, which.node, npu);
}

bool hasOffload(const PlatformSpec& spec)
{
    const auto offloads = [](const Dimension& dimension) { return dimension.offload.has_value(); };
    return std::any_of(spec.dimensions.begin(), spec.dimensions.end(), offloads) || !spec.nodes.offloads().empty();
}

} // namespace fabricscope
