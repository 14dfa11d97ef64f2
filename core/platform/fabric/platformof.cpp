#include "core/platform/fabric/platformof.h"

#include "core/base/index.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Rings of the sizes of a family that is a product of them; empty: it is none.
std::vector<std::int64_t> ringsOf(const FabricFamily& family, const FamilyValues& values)
{
    if (&family == &hypercubeFamily())
        return std::vector<std::int64_t>(at(static_cast<std::int32_t>(values.one(0))), 2);
    if (&family != &ringFamily() && &family != &torusFamily())
        return {};
    const std::span<const std::int64_t> sizes = values.list(0);
    const std::size_t parallel = static_cast<std::size_t>(fabricscope::keyOf(family, "parallel"));
    if (values.one(parallel, 1) > 1 && std::find(sizes.begin(), sizes.end(), 2) != sizes.end())
        return {};
    if (&family == &torusFamily()) {
        for (std::size_t axis = 0; axis < sizes.size() && values.has(1); ++axis) {
            if (sizes[axis] > 2 && values.list(1)[std::min(axis, values.list(1).size() - 1)] == 0)
                return {};
        }
    }
    return {sizes.begin(), sizes.end()};
}

/// The same machine as dimensions; empty: it is none.
std::vector<Dimension> dimensionsOf(const Fabric& fabric)
{
    const FabricSpec& spec = fabric.spec();
    std::vector<Dimension> out;
    if (spec.host)
        return out;
    const FabricCable cable; // They are alike.
    const auto add = [&](Shape shape, std::int64_t size) {
        out.push_back({shape, static_cast<std::int32_t>(size), fabric.bandwidth(cable), false, fabric.latency(cable)});
    };
    for (const std::int64_t size : ringsOf(*spec.family, spec.values))
        add(Shape::Ring, size);
    if (spec.family == &fullFamily())
        add(Shape::FullyConnected, spec.values.one(0));
    if (spec.family == &switchFamily() && spec.values.one(1, 1) == 1)
        add(Shape::Switch, spec.values.one(0));
    return out;
}

/// One way of a cable.
struct Way {
    PortRef from;
    NodeId to = 0;
    const FabricCable* cable = nullptr;
};

void writeOut(const Fabric& fabric, PlatformSpec& out, const std::stop_token& stop)
{
    const std::vector<FabricCable>& cables = fabric.cables(stop);
    out.nodes.reserve(at(static_cast<NodeId>(fabric.nodes())));
    for (NodeId node = 0; node < fabric.nodes(); ++node) {
        checkStop(stop);
        const bool npu = node < fabric.npus();
        out.nodes.push_back({fabric.name(node), npu ? NodeKind::Npu : NodeKind::Switch, {}, !npu || fabric.npusForward()});
    }
    std::vector<Way> ways;
    ways.reserve(2 * cables.size());
    for (const FabricCable& cable : cables) {
        ways.push_back({cable.lower, cable.upper.node, &cable});
        ways.push_back({cable.upper, cable.lower.node, &cable});
    }
    checkStop(stop);
    // Routes choose among the links of a node in the order listed: that of its ports.
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.from < b.from; });
    out.links.reserve(ways.size());
    for (const Way& way : ways) {
        checkStop(stop);
        out.links.push_back({way.from.node, way.to, fabric.bandwidth(*way.cable), fabric.latency(*way.cable)});
    }
}

/// Which figures of the network nobody gave.
std::string assumedFigures(const Fabric& fabric)
{
    const std::vector<FabricLevel>& levels = fabric.spec().levels;
    const bool rate = levels.empty() || !levels.front().bandwidth;
    const bool time = levels.empty() || !levels.front().latency;
    const FabricCable cable{{}, {}, static_cast<std::int32_t>(fabric.spec().host && !fabric.spec().host->cables.empty() ? 1 : 0), -1};
    return rate || time ? (rate ? fabric.bandwidth(cable).text() : std::string()) + (rate && time ? " and " : "") + (time ? fabric.latency(cable).text() : std::string())
                              + " assumed for cables that are given none"
                        : std::string();
}

Result<PlatformSpec> written(const Fabric& fabric, FabricWriting writing, const std::stop_token& stop)
{
    PlatformSpec out;
    if (const FabricHost* const host = fabric.spec().host.get())
        out.npu = host->npu;
    out.source = assumedFigures(fabric);
    if (writing == FabricWriting::Shortest)
        out.dimensions = dimensionsOf(fabric);
    if (!out.dimensions.empty())
        return out;
    if (fabric.cableCount() > kMaxPlatformCables || !fabric.isWirable())
        return familyError(*fabric.spec().family, "", "a platform of " + std::to_string(fabric.cableCount()) + " cables", "at most " + std::to_string(kMaxPlatformCables));
    writeOut(fabric, out, stop);
    return out;
}

} // namespace

bool operator==(const FabricForm& a, const FabricForm& b)
{
    const bool alike = a.blueprint == b.blueprint || (a.blueprint && b.blueprint && *a.blueprint == *b.blueprint);
    return alike && a.part == b.part && a.times == b.times && a.joins == b.joins;
}

bool operator==(const GeneratedBy& a, const GeneratedBy& b)
{
    return a.form == b.form || (a.form && b.form && *a.form == *b.form);
}

Result<PlatformSpec> platformOfFabric(const Fabric& fabric, FabricWriting writing, const std::stop_token& stop)
{
    try {
        return written(fabric, writing, stop);
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

Result<PlatformSpec> platformOfForm(const FabricForm& form, const std::stop_token& stop)
{
    const Result<Fabric> fabric = fabricOfForm(form);
    if (!fabric)
        return fabric.error();
    Result<PlatformSpec> out = platformOfFabric(fabric.value(), FabricWriting::Shortest, stop);
    if (out)
        out.value().generated = {std::make_shared<const FabricForm>(normalForm(form)), fabric.value().axes()};
    return out;
}

} // namespace fabricscope
