#include "core/platform/platformcheck.h"

#include "core/base/stop.h"

#include <cmath>
#include <set>
#include <unordered_set>

namespace fabricscope {

namespace {

// More dimensions than this are a mistake: 2^20 NPUs have at most 20 dimensions of size 2.
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kMaxNodes = std::size_t{1} << 21;
constexpr std::size_t kMaxLinks = std::size_t{1} << 26;
constexpr std::int64_t kMaxLatencyPs = 100 * kPsPerSecond;

std::string indexed(const std::string& list, std::size_t index)
{
    return list + '[' + std::to_string(index) + ']';
}

Error fieldError(const std::string& field, std::string message, std::string expected)
{
    Place place;
    place.field = field;
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

Status checkPositive(const Quantity& quantity, Measure measure, const std::string& field, const char* what)
{
    if (quantity.measure != measure || quantity.unit.empty())
        return fieldError(field, std::string("no ") + what, std::string("a ") + what);
    if (!(quantity.value > 0) || std::isinf(quantity.value))
        return fieldError(field, quantity.text() + " is not a usable " + what, "a finite value above 0");
    return {};
}

Status checkOptional(const std::optional<Quantity>& quantity, Measure measure, const std::string& field, const char* what)
{
    return quantity ? checkPositive(*quantity, measure, field, what) : Status{};
}

Status checkLatency(const Quantity& quantity, const std::string& field)
{
    if (quantity.measure != Measure::Time || quantity.unit.empty())
        return fieldError(field, "no latency", "a time such as 500 ns");
    if (!(quantity.value >= 0) || toSimTime(quantity).ps > kMaxLatencyPs)
        return fieldError(field, quantity.text() + " is not a usable latency", "0 s to 100 s");
    return {};
}

Status checkCrossbar(const std::optional<Quantity>& rate, bool isSwitch, const std::string& field)
{
    if (rate && !isSwitch)
        return fieldError(field, "only switches have a crossbar", "a switch, or no crossbar");
    return checkOptional(rate, Measure::Bandwidth, field, "bandwidth");
}

Status checkOffload(const std::optional<SwitchOffload>& offload, bool isSwitch, const std::string& field)
{
    if (!offload)
        return {};
    if (!isSwitch)
        return fieldError(field, "only switches reduce and copy in the network", "a switch, or no in_network");
    if (auto status = checkOptional(offload->reduction, Measure::Bandwidth, field + ".reduction", "bandwidth"); !status)
        return status;
    if (auto status = checkOptional(offload->multicast, Measure::Bandwidth, field + ".multicast", "bandwidth"); !status)
        return status;
    if (auto status = checkOptional(offload->buffer, Measure::Size, field + ".buffer", "size"); !status)
        return status;
    if (offload->buffer && offload->buffer->base() < static_cast<double>(kMinOffloadBuffer))
        return fieldError(field + ".buffer", offload->buffer->text() + " is too small a buffer", "at least 4 KiB");
    return checkLatency(offload->latency, field + ".latency");
}

Status checkDimensions(const PlatformSpec& spec, const std::stop_token&)
{
    if (spec.dimensions.size() > kMaxDimensions)
        return fieldError("platform.dimensions", std::to_string(spec.dimensions.size()) + " dimensions", "at most 64");
    std::int64_t npus = 1;
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        const Dimension& dimension = spec.dimensions[i];
        const std::string field = indexed("platform.dimensions", i);
        if (dimension.size < 1 || dimension.size > kMaxNpus)
            return fieldError(field + ".size", "size " + std::to_string(dimension.size), "1 to 1048576");
        npus *= dimension.size;
        if (npus > kMaxNpus)
            return fieldError(field + ".size", "the platform has more than 1048576 NPUs", "at most 1048576 as the product of all sizes");
        const char* key = dimension.bandwidthIsPerNpu ? ".npu_bandwidth" : ".bandwidth";
        if (auto status = checkPositive(dimension.bandwidth, Measure::Bandwidth, field + key, "bandwidth"); !status)
            return status;
        if (auto status = checkLatency(dimension.latency, field + ".latency"); !status)
            return status;
        if (auto status = checkOffload(dimension.offload, dimension.shape == Shape::Switch, field + ".in_network"); !status)
            return status;
        if (auto status = checkCrossbar(dimension.crossbar, dimension.shape == Shape::Switch, field + ".crossbar"); !status)
            return status;
    }
    return {};
}

Status checkNodes(const PlatformSpec& spec, const std::stop_token& stop)
{
    if (spec.nodes.empty())
        return {};
    if (spec.nodes.size() > kMaxNodes)
        return fieldError("platform.nodes", std::to_string(spec.nodes.size()) + " nodes", "at most 2097152");
    // Generators give names that differ.
    const bool named = !spec.nodes.hasGeneratedNames();
    std::unordered_set<std::string> names;
    if (named)
        names.reserve(spec.nodes.size());
    std::int64_t npus = 0;
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        checkStop(stop);
        if (spec.nodes.kind(i) == NodeKind::Npu && npus++ != static_cast<std::int64_t>(i))
            return fieldError(indexed("platform.nodes", i), "an NPU after a switch or memory", "all NPUs first");
        if (const std::string name = named ? spec.nodes.name(i) : std::string(); !name.empty() && !names.insert(name).second)
            return fieldError(indexed("platform.nodes", i) + ".name", "\"" + name + "\" is the name of two nodes", "different names");
        if (const SwitchOffload* const offload = spec.nodes.offload(i)) {
            if (auto status = checkOffload(*offload, spec.nodes.kind(i) == NodeKind::Switch, indexed("platform.nodes", i) + ".in_network"); !status)
                return status;
        }
    }
    for (const auto& [node, rate] : spec.nodes.crossbars()) {
        if (auto status = checkCrossbar(rate, spec.nodes.kind(node) == NodeKind::Switch, indexed("platform.nodes", node) + ".crossbar"); !status)
            return status;
    }
    if (npus == 0)
        return fieldError("platform.nodes", "no NPU", "at least one node that is an NPU");
    if (npus > kMaxNpus)
        return fieldError("platform.nodes", std::to_string(npus) + " NPUs", "at most 1048576");
    return {};
}

Status checkLinks(const PlatformSpec& spec, const std::stop_token& stop)
{
    if (spec.links.size() > kMaxLinks)
        return fieldError("platform.links", std::to_string(spec.links.size()) + " links", "at most 67108864");
    const auto nodes = static_cast<NodeId>(spec.nodes.size());
    std::vector<bool> seen(spec.links.figures().size(), false); // Figures that are right.
    const auto check = [&](std::size_t link, const std::string& field) -> Status {
        const NodeId from = spec.links.from(link);
        const NodeId to = spec.links.to(link);
        for (const auto& [end, key] : {std::pair{from, ".from"}, std::pair{to, ".to"}}) {
            if (end < 0 || end >= nodes)
                return fieldError(field + key, "node " + std::to_string(end) + " does not exist", "0 to " + std::to_string(nodes - 1));
        }
        if (from == to)
            return fieldError(field + ".to", "the link ends at the node where it starts", "another node");
        const std::uint32_t kind = spec.links.figuresOf(link);
        if (seen[kind])
            return {};
        const LinkList::Figures& figures = spec.links.figures()[kind];
        if (auto status = checkPositive(figures.bandwidth, Measure::Bandwidth, field + ".bandwidth", "bandwidth"); !status)
            return status;
        if (auto status = checkLatency(figures.latency, field + ".latency"); !status)
            return status;
        seen[kind] = true;
        return {};
    };
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        checkStop(stop);
        if (!check(i, {})) // The name of the field takes longer than the check.
            return check(i, indexed("platform.links", i));
    }
    return {};
}

Status checkNpu(const NpuSpec& npu)
{
    struct Row {
        const std::optional<Quantity>& value;
        Measure measure;
        const char* field;
        const char* what;
    };
    const Row rows[] = {{npu.peak, Measure::ComputeRate, "platform.npu.peak", "compute rate"},
                        {npu.memoryBandwidth, Measure::Bandwidth, "platform.npu.memory_bandwidth", "bandwidth"},
                        {npu.memory, Measure::Size, "platform.npu.memory", "size"},
                        {npu.injection, Measure::Bandwidth, "platform.npu.injection", "bandwidth"},
                        {npu.ejection, Measure::Bandwidth, "platform.npu.ejection", "bandwidth"}};
    for (const Row& row : rows) {
        if (auto status = checkOptional(row.value, row.measure, row.field, row.what); !status)
            return status;
    }
    return {};
}

} // namespace

Status checkPlatform(const PlatformSpec& spec, const std::stop_token& stop)
{
    if (spec.dimensions.empty() && spec.nodes.empty())
        return fieldError("platform", "the platform is empty", "dimensions, or nodes and links");
    if (!spec.dimensions.empty() && !spec.nodes.empty())
        return fieldError("platform.nodes", "the platform has both dimensions and nodes", "one of the two");
    if (spec.nodes.empty() && !spec.links.empty())
        return fieldError("platform.links", "links without nodes", "nodes that the links join");
    for (const auto check : {checkDimensions, checkNodes, checkLinks}) {
        if (auto status = check(spec, stop); !status)
            return status;
    }
    return checkNpu(spec.npu);
}

Status checkOverrides(const PlatformSpec& spec, std::int32_t npus, LinkId links, const std::stop_token& stop)
{
    std::set<LinkId> seenLinks;
    for (std::size_t i = 0; i < spec.linkOverrides.size(); ++i) {
        checkStop(stop);
        const LinkOverride& change = spec.linkOverrides[i];
        const std::string field = indexed("platform.link_overrides", i);
        if (change.link < 0 || change.link >= links) {
            return fieldError(field + ".link", "link " + std::to_string(change.link) + " does not exist",
                              links == 0 ? "none: the platform has no links" : "0 to " + std::to_string(links - 1));
        }
        if (!seenLinks.insert(change.link).second)
            return fieldError(field + ".link", "link " + std::to_string(change.link) + " is listed twice", "each link once");
        if (auto status = checkOptional(change.bandwidth, Measure::Bandwidth, field + ".bandwidth", "bandwidth"); !status)
            return status;
        if (change.latency) {
            if (auto status = checkLatency(*change.latency, field + ".latency"); !status)
                return status;
        }
    }
    std::set<NodeId> seenNpus;
    std::int64_t removed = 0;
    for (std::size_t i = 0; i < spec.npuOverrides.size(); ++i) {
        checkStop(stop);
        const NpuOverride& change = spec.npuOverrides[i];
        const std::string field = indexed("platform.npu_overrides", i);
        if (change.node < 0 || change.node >= npus)
            return fieldError(field + ".node", "NPU " + std::to_string(change.node) + " does not exist", "0 to " + std::to_string(npus - 1));
        if (!seenNpus.insert(change.node).second)
            return fieldError(field + ".node", "NPU " + std::to_string(change.node) + " is listed twice", "each NPU once");
        removed += change.removed ? 1 : 0;
        if (removed == npus)
            return fieldError(field + ".removed", "no NPU is left once NPU " + std::to_string(change.node) + " is removed", "at least one NPU");
        if (change.speed && (!(*change.speed > 0) || std::isinf(*change.speed)))
            return fieldError(field + ".speed", "not a usable speed", "a finite factor above 0");
        if (auto status = checkOptional(change.peak, Measure::ComputeRate, field + ".peak", "compute rate"); !status)
            return status;
        if (auto status = checkOptional(change.memoryBandwidth, Measure::Bandwidth, field + ".memory_bandwidth", "bandwidth"); !status)
            return status;
        if (auto status = checkOptional(change.memory, Measure::Size, field + ".memory", "size"); !status)
            return status;
    }
    return {};
}

} // namespace fabricscope
