#include "core/design/fabricdesign.h"

#include "core/platform/fabric/platformof.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>

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

Result<Fabric> fabricOfPlatform(const PlatformSpec& spec)
{
    if (spec.generated.form)
        return fabricOfForm(*spec.generated.form);
    PlatformSpec plain = spec;
    plain.linkOverrides.clear();
    plain.npuOverrides.clear();
    Result<FabricHost> host = hostOf(plain);
    if (!host)
        return std::move(host).error();
    FabricSpec alone;
    alone.family = &aloneFamily();
    alone.values.set(0, {host.value().npus});
    // Routes cross dimensions by NPUs. Those of nodes and links pass NPUs that may pass on, over links between NPUs.
    const auto forwards = [](const ExplicitNode& node) { return node.kind == NodeKind::Npu && node.forwards; };
    host.value().forwards = host.value().forwards && std::any_of(spec.nodes.begin(), spec.nodes.end(), forwards);
    alone.values.set(1, {spec.nodes.empty() ? 1 : 0});
    alone.host = std::make_shared<const FabricHost>(std::move(host).value());
    return Fabric::create(std::move(alone));
}

} // namespace fabricscope
