#include "core/platform/unequalgroups.h"

#include <algorithm>
#include <string_view>

namespace fabricscope {

namespace {

Error refusal(const char* field, std::string message, std::string expected)
{
    Place place;
    place.field = std::string("platform.dimensions") + field;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

std::int64_t cablesInside(Shape shape, std::int64_t size)
{
    if (size < 2)
        return 0;
    return shape == Shape::FullyConnected ? size * (size - 1) / 2 : shape == Shape::Ring && size == 2 ? 1 : size;
}

/// Rate of one link where `npu_bandwidth` is shared by the links an NPU has in a group of this size.
Quantity linkRate(Dimension dimension, std::int32_t size)
{
    dimension.size = size;
    const std::int32_t links = dimension.linksPerNpu();
    if (!dimension.bandwidthIsPerNpu || links < 2)
        return dimension.bandwidth;
    Quantity out = dimension.bandwidth;
    out.value /= links;
    return out;
}

Status check(const UnequalGroups& groups)
{
    if (groups.sizes.empty())
        return refusal("[0].sizes", "no group", "the number of NPUs of each group, such as [4, 6]");
    std::int64_t npus = 0;
    std::int64_t links = 0;
    for (std::size_t i = 0; i < groups.sizes.size(); ++i) {
        const std::int64_t size = groups.sizes[i];
        if (size < 1 || size > kMaxNpus)
            return refusal("[0].sizes", "a group of " + std::to_string(size) + " NPUs", "1 to 1048576");
        npus += size;
        links += 2 * cablesInside(groups.inside.shape, size) + (groups.join ? 2 * size : 0);
        if (npus > kMaxNpus || links > kMaxUnequalLinks)
            return refusal("[0].sizes", npus > kMaxNpus ? "more than 1048576 NPUs" : "more than " + std::to_string(kMaxUnequalLinks) + " links", "smaller groups");
    }
    if (!groups.join)
        return groups.sizes.size() > 1 ? Status(refusal("", "nothing joins the " + std::to_string(groups.sizes.size()) + " groups", "a second dimension: the switch that joins all NPUs")) : Status();
    if (groups.join->shape != Shape::Switch)
        return refusal("[1].shape", "groups of different size cannot be joined by a " + std::string(shapeName(groups.join->shape)) + ": not every NPU has a partner in every group", "switch, which joins all NPUs");
    if (groups.join->size != static_cast<std::int32_t>(groups.sizes.size()))
        return refusal("[1].size", "the switch joins " + std::to_string(groups.join->size) + " groups, but there are " + std::to_string(groups.sizes.size()), std::to_string(groups.sizes.size()));
    return {};
}

} // namespace

bool isUnequalGroups(const PlatformSpec& spec)
{
    const auto fits = [](const ExplicitNode& node) {
        if (node.kind == NodeKind::Switch && node.name == "switch")
            return true;
        const std::size_t dot = node.name.find('.');
        if (!node.name.starts_with("group") || dot == std::string::npos)
            return false;
        const std::string_view place = std::string_view(node.name).substr(dot + 1);
        return node.kind == NodeKind::Switch ? place == "switch" : node.kind == NodeKind::Npu && place.starts_with("npu");
    };
    return !spec.nodes.empty() && std::all_of(spec.nodes.begin(), spec.nodes.end(), fits);
}

Result<PlatformSpec> expandUnequalGroups(const UnequalGroups& groups)
{
    if (Status status = check(groups); !status)
        return std::move(status).error();
    PlatformSpec spec;
    std::vector<NodeId> first;
    for (std::size_t group = 0; group < groups.sizes.size(); ++group) {
        first.push_back(static_cast<NodeId>(spec.nodes.size()));
        for (std::int32_t i = 0; i < groups.sizes[group]; ++i)
            spec.nodes.push_back({"group" + std::to_string(group) + ".npu" + std::to_string(i), NodeKind::Npu, {}});
    }
    const auto npus = static_cast<NodeId>(spec.nodes.size());
    const auto join = [&spec](NodeId a, NodeId b, const Quantity& bandwidth, const Quantity& latency) {
        spec.links.push_back({a, b, bandwidth, latency});
        spec.links.push_back({b, a, bandwidth, latency});
    };
    for (std::size_t group = 0; group < groups.sizes.size(); ++group) {
        const std::int32_t size = groups.sizes[group];
        if (size < 2)
            continue;
        const Quantity rate = linkRate(groups.inside, size);
        const NodeId begin = first[group];
        NodeId centre = 0;
        if (groups.inside.shape == Shape::Switch) {
            centre = static_cast<NodeId>(spec.nodes.size());
            spec.nodes.push_back({"group" + std::to_string(group) + ".switch", NodeKind::Switch, groups.inside.offload, true, groups.inside.crossbar});
        }
        for (std::int32_t i = 0; i < size; ++i) {
            if (groups.inside.shape == Shape::Switch)
                join(begin + i, centre, rate, groups.inside.latency);
            else if (groups.inside.shape == Shape::Ring && (size > 2 || i == 0))
                join(begin + i, begin + (i + 1) % size, rate, groups.inside.latency);
            for (std::int32_t other = i + 1; groups.inside.shape == Shape::FullyConnected && other < size; ++other)
                join(begin + i, begin + other, rate, groups.inside.latency);
        }
    }
    if (groups.join) {
        const auto centre = static_cast<NodeId>(spec.nodes.size());
        spec.nodes.push_back({"switch", NodeKind::Switch, groups.join->offload, true, groups.join->crossbar});
        for (NodeId npu = 0; npu < npus; ++npu)
            join(npu, centre, groups.join->bandwidth, groups.join->latency);
    }
    return spec;
}

} // namespace fabricscope
