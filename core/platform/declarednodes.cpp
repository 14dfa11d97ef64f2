#include "core/platform/declarednodes.h"

#include "core/base/index.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

std::vector<std::int32_t> gridOf(const FabricFamily& family, const FamilyValues& values)
{
    if (&family == &hypercubeFamily())
        return std::vector<std::int32_t>(at(static_cast<std::int32_t>(values.one(0))), 2);
    const std::array grids{&ringFamily(), &torusFamily(), &meshFamily(), &tpuV4Family(), &hyperxFamily()};
    if (std::find(grids.begin(), grids.end(), &family) == grids.end())
        return {};
    return {values.list(0).begin(), values.list(0).end()};
}

/// Switches of a group of a dragonfly, by tier from below; both zero: it is none.
std::array<std::int32_t, 2> switchesOfGroup(const FabricFamily& family, const FamilyValues& values)
{
    if (&family == &dragonflyFamily())
        return {static_cast<std::int32_t>(values.one(1)), 0};
    if (&family == &dragonflyPlusFamily())
        return {static_cast<std::int32_t>(values.one(1)), static_cast<std::int32_t>(values.one(2))};
    return {0, 0};
}

} // namespace

DeclaredNodes DeclaredNodes::of(const PlatformSpec& spec)
{
    DeclaredNodes out;
    if (spec.nodes.empty() || !spec.generated.form)
        return out;
    const Result<Fabric> made = fabricOfForm(*spec.generated.form);
    if (!made || made.value().nodes() != static_cast<std::int64_t>(spec.nodes.size()))
        return out;
    const Fabric& fabric = made.value();
    const FabricFamily& family = *fabric.spec().family;
    const FamilyValues& values = fabric.spec().values;
    const FabricHost* const host = fabric.spec().host.get();
    const auto nodes = static_cast<NodeId>(fabric.nodes());
    const auto npus = static_cast<NodeId>(fabric.npus());
    const NodeId firstSwitch = npus + (host ? npus / host->npus * host->switches : 0); // Behind those of hosts.

    out.sizes = gridOf(family, values);
    out.firstOfGrid = &family == &hyperxFamily() ? firstSwitch : 0;

    if (const auto [lower, upper] = switchesOfGroup(family, values); lower > 0) {
        const auto npusOfGroup = static_cast<std::int32_t>(values.one(0)) * lower;
        out.groups = npus / npusOfGroup;
        for (NodeId node = 0; node < nodes; ++node) {
            const NodeId place = node - firstSwitch;
            const NodeId above = place - out.groups * lower;
            out.group.push_back(node < npus ? node / npusOfGroup : place < 0 ? -1 : above < 0 ? place / lower : above / upper);
        }
    }
    if (const int rails = keyOf(family, "rails"); rails >= 0) {
        out.rails = static_cast<std::int32_t>(values.one(at(rails)));
        for (NodeId node = 0; node < nodes; ++node)
            out.host.push_back(node < npus ? node / out.rails : node < firstSwitch ? (node - npus) / host->switches : -1);
    }
    return out;
}

std::int32_t DeclaredNodes::axisBetween(NodeId a, NodeId b) const
{
    std::int32_t of = -1;
    a -= firstOfGrid;
    b -= firstOfGrid;
    for (std::size_t axis = 0; axis < sizes.size() && a >= 0 && b >= 0; ++axis) {
        if (a % sizes[axis] != b % sizes[axis]) {
            if (of >= 0)
                return -1;
            of = static_cast<std::int32_t>(axis);
        }
        a /= sizes[axis];
        b /= sizes[axis];
    }
    // What is left differs where one of them is behind the grid.
    return a == 0 && b == 0 ? of : -1;
}

} // namespace fabricscope
