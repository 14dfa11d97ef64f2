#include "core/formats/fabrickind.h"

#include "core/base/index.h"
#include "core/base/outerkeys.h"
#include "core/formats/packet/htsimtopology.h"
#include "core/formats/packet/ns3topology.h"
#include "core/formats/xmlroot.h"

namespace fabricscope {

const FabricKindRow& fabricKindRow(FabricKind kind)
{
    return kFabricKinds[at(kind)];
}

std::string_view fabricKindKeys()
{
    return "astra-sim, infragraph, nccl, ns-3 or htsim";
}

std::optional<FabricKind> fabricKindOf(std::string_view head)
{
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return std::nullopt;
    if (head[first] == '<')
        return xmlRootName(head) == "system" ? std::optional(FabricKind::Nccl) : std::nullopt;
    const std::vector<OuterKey> keys = outerKeys(head);
    if (hasAny(keys, {"fabricscope", "fabricscope_run"}))
        return std::nullopt;
    if (hasAny(keys, {"topology", "npus_count"}))
        return FabricKind::AstraSim;
    if (hasAny(keys, {"infrastructure", "devices", "instances", "components", "inventory"}))
        return FabricKind::InfraGraph;
    if (looksLikeNs3Topology(head))
        return FabricKind::Ns3;
    if (looksLikeHtsimTopology(head))
        return FabricKind::Htsim;
    return std::nullopt;
}

} // namespace fabricscope
