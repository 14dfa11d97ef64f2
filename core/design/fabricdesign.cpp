#include "core/design/fabricdesign.h"

#include "core/platform/fabric/platformof.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/switchdimensions.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fabricscope {

Result<Design> designOfFabric(const FabricForm& form, bool nodes, const std::stop_token& stop)
{
    const Result<Fabric> fabric = fabricOfForm(form);
    if (!fabric)
        return fabric.error();
    Result<PlatformSpec> platform = nodes ? platformOfFabric(fabric.value(), FabricWriting::Nodes, stop) : platformOfForm(form, stop);
    if (!platform)
        return std::move(platform).error();
    Design design;
    design.name = std::string(fabric.value().spec().family->title);
    design.platform = std::make_shared<const PlatformSpec>(std::move(platform).value());
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, Quantity{64, "MiB", Measure::Size}});
    return design;
}

namespace {

constexpr HostLimits kWholePlatform{kMaxNpus, std::int64_t{1} << 20};

/// Rings of one rate, too large to write out: the generated torus, whose figures are arithmetic.
std::optional<FabricSpec> torusOf(const PlatformSpec& spec)
{
    FabricSpec torus;
    torus.family = &torusFamily();
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : spec.dimensions) {
        if (dimension.shape != Shape::Ring || !(dimension.bandwidth == spec.dimensions.front().bandwidth) || dimension.bandwidthIsPerNpu)
            return std::nullopt;
        sizes.push_back(dimension.size);
    }
    std::int64_t npus = 1;
    for (const std::int64_t size : sizes)
        npus = std::min(npus * size, 2 * kMaxNpus);
    if (sizes.empty() || npus > kMaxNpus || npus * static_cast<std::int64_t>(sizes.size()) <= kWholePlatform.cables)
        return std::nullopt;
    torus.values.set(0, std::move(sizes));
    torus.levels.push_back({{}, 0, spec.dimensions.front().bandwidth, spec.dimensions.front().latency});
    return torus;
}

} // namespace

Result<Fabric> fabricOfPlatform(const PlatformSpec& spec)
{
    if (spec.generated.form)
        return fabricOfForm(*spec.generated.form);
    PlatformSpec plain = spec;
    plain.linkOverrides.clear();
    plain.npuOverrides.clear();
    if (auto torus = torusOf(plain))
        return Fabric::create(*std::move(torus));
    Result<FabricHost> host = hostOf(plain, kWholePlatform);
    if (!host)
        return std::move(host).error();
    FabricSpec alone;
    alone.family = &aloneFamily();
    alone.values.set(0, {host.value().npus});
    // Routes cross dimensions by NPUs. Those of nodes and links pass NPUs that may pass on, over links between NPUs.
    bool forwards = false;
    for (std::size_t node = 0; node < spec.nodes.size(); ++node)
        forwards = forwards || (spec.nodes.kind(node) == NodeKind::Npu && spec.nodes.forwards(node));
    host.value().forwards = host.value().forwards && forwards;
    alone.values.set(1, {spec.nodes.empty() ? 1 : 0});
    if (auto noClos = switchDimensionsWarning(spec))
        alone.warnings.push_back(*std::move(noClos));
    alone.host = std::make_shared<const FabricHost>(std::move(host).value());
    return Fabric::create(std::move(alone));
}

PlatformSpec withoutMemories(const PlatformSpec& spec)
{
    if (spec.nodes.count(NodeKind::Memory) == 0)
        return spec;
    PlatformSpec rest = spec;
    rest.nodes.clear();
    rest.links.clear();
    rest.linkOverrides.clear();
    rest.npuOverrides.clear();
    std::vector<NodeId> numbers;
    for (std::size_t node = 0; node < spec.nodes.size(); ++node) {
        const bool stays = spec.nodes.kind(node) != NodeKind::Memory;
        numbers.push_back(stays ? static_cast<NodeId>(rest.nodes.size()) : -1);
        if (stays)
            rest.nodes.push_back(spec.nodes[node]);
    }
    for (ExplicitLink link : spec.links) {
        link.from = numbers[static_cast<std::size_t>(link.from)];
        link.to = numbers[static_cast<std::size_t>(link.to)];
        if (link.from >= 0 && link.to >= 0)
            rest.links.push_back(link);
    }
    return rest;
}

} // namespace fabricscope
