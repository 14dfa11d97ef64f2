#include "core/platform/fabric/platformof.h"

#include "core/base/index.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <set>
#include <utility>

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
    if (spec.family == &switchFamily() && spec.values.one(1, 1) == 1 && !fabric.crossbar(fabric.tiers().front()))
        add(Shape::Switch, spec.values.one(0));
    return out;
}

/// One way of a cable, from a port of a node that is known.
struct Way {
    std::int32_t port = 0;
    NodeId to = 0;
    std::uint32_t kind = 0; ///< LinkList::figuresOf()
};

/// Do the words before the numbers tell tiers and NPUs apart? Then all names differ: a family gives those of one tier different ones.
bool namesDiffer(const Fabric& fabric)
{
    std::set<std::string> words{"npu", "gpu"};
    return std::all_of(fabric.tiers().begin(), fabric.tiers().end(), [&](const FabricTier& tier) {
        const bool plain = !tier.name.empty() && tier.name.find('.') == std::string::npos && (tier.name.back() < '0' || tier.name.back() > '9');
        return plain && words.insert(tier.name).second;
    });
}

template <typename Value>
std::optional<Value> valueAt(const std::map<std::int32_t, Value>& values, std::int32_t number)
{
    const auto found = values.find(number);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// Of a switch by its number, tier by tier.
std::optional<Quantity> crossbarAt(const Fabric& fabric, std::int64_t place)
{
    for (const FabricTier& tier : fabric.tiers()) {
        if (place < tier.count)
            return fabric.crossbar(tier);
        place -= tier.count;
    }
    return std::nullopt;
}

NodeList nodesOf(const Fabric& fabric, const std::stop_token& stop)
{
    const FabricHost* const host = fabric.spec().host.get();
    const std::int64_t inHosts = host ? fabric.npus() / host->npus * host->switches : 0;
    const bool limited = std::ranges::any_of(fabric.tiers(), [&](const FabricTier& tier) { return fabric.crossbar(tier).has_value(); });
    const bool alike = !limited && (!host || (host->offloads.empty() && host->crossbars.empty()));
    if (alike && namesDiffer(fabric)) {
        // Of its own: the cables of the other are not kept for the sake of names.
        const Result<Fabric> again = Fabric::create(fabric.spec());
        assert(again);
        return NodeList::generated(fabric.npus(), fabric.switches(), fabric.npusForward(), [names = again.value()](NodeId node) { return names.name(node); });
    }
    NodeList nodes;
    nodes.reserve(at(static_cast<NodeId>(fabric.nodes())));
    for (NodeId node = 0; node < fabric.nodes(); ++node) {
        checkStop(stop);
        const bool npu = node < fabric.npus();
        ExplicitNode made{fabric.name(node), npu ? NodeKind::Npu : NodeKind::Switch, {}, !npu || fabric.npusForward()};
        if (const std::int64_t place = node - fabric.npus(); place >= 0 && place < inHosts) {
            const auto number = static_cast<std::int32_t>(place % host->switches);
            made.offload = valueAt(host->offloads, number);
            made.crossbar = valueAt(host->crossbars, number);
        } else if (!npu) {
            made.crossbar = crossbarAt(fabric, place);
        }
        nodes.push_back(std::move(made));
    }
    return nodes;
}

void writeOut(const Fabric& fabric, PlatformSpec& out, const std::stop_token& stop)
{
    out.nodes = nodesOf(fabric, stop);
    const std::vector<FabricCable>& cables = fabric.cables(stop);
    out.links.reserve(2 * cables.size());
    // Cables of one kind are alike, but for those inside hosts, which are as those of the first.
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> kinds;
    std::vector<std::int32_t> begin(at(static_cast<NodeId>(fabric.nodes())) + 1, 0);
    for (const FabricCable& cable : cables) {
        checkStop(stop);
        ++begin[at(cable.lower.node) + 1];
        ++begin[at(cable.upper.node) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    std::vector<Way> ways(2 * cables.size());
    for (const FabricCable& cable : cables) {
        checkStop(stop);
        const auto [entry, added] = kinds.try_emplace({cable.kind, cable.inHost}, 0);
        if (added)
            entry->second = out.links.kindOf({fabric.bandwidth(cable), fabric.latency(cable)});
        ways[at(next[at(cable.lower.node)]++)] = {cable.lower.port, cable.upper.node, entry->second};
        ways[at(next[at(cable.upper.node)]++)] = {cable.upper.port, cable.lower.node, entry->second};
    }
    // Routes choose among the links of a node in the order listed: that of its ports.
    const auto byPort = [](const Way& a, const Way& b) { return a.port < b.port; };
    for (NodeId node = 0; node < fabric.nodes(); ++node) {
        checkStop(stop);
        const auto first = ways.begin() + begin[at(node)];
        const auto last = ways.begin() + begin[at(node) + 1];
        if (!std::is_sorted(first, last, byPort))
            std::sort(first, last, byPort);
        for (auto way = first; way != last; ++way)
            out.links.add(node, way->to, way->kind);
    }
}

/// The same as a text; may be empty.
std::string assumedText(const AssumedFigures& assumed)
{
    if (!assumed.bandwidth && !assumed.latency)
        return {};
    return (assumed.bandwidth ? assumed.bandwidth->text() : std::string()) + (assumed.bandwidth && assumed.latency ? " and " : "") + (assumed.latency ? assumed.latency->text() : std::string())
        + " assumed for cables that are given none";
}

Result<PlatformSpec> written(const Fabric& fabric, FabricWriting writing, const std::stop_token& stop)
{
    PlatformSpec out;
    if (const FabricHost* const host = fabric.spec().host.get())
        out.npu = host->npu;
    out.source = assumedText(assumedFigures(fabric));
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

AssumedFigures assumedFigures(const Fabric& fabric)
{
    const std::vector<FabricLevel>& levels = fabric.spec().levels;
    const FabricCable cable{{}, {}, static_cast<std::int32_t>(fabric.spec().host && !fabric.spec().host->cables.empty() ? 1 : 0), -1};
    AssumedFigures out;
    if (levels.empty() || !levels.front().bandwidth)
        out.bandwidth = fabric.bandwidth(cable);
    if (levels.empty() || !levels.front().latency)
        out.latency = fabric.latency(cable);
    return out;
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
