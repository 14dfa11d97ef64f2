#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricscope {

/// Forms of files, other than designs, that describe a fabric.
enum class FabricKind : std::uint8_t {
    AstraSim,   ///< Network file of ASTRA-sim's analytical back ends.
    InfraGraph, ///< YAML or JSON.
    Nccl,       ///< Topology dump of NCCL or RCCL, XML.
    Ns3,        ///< Physical topology of ASTRA-sim's and SimAI's ns-3 runs, or the configuration that names one.
    Htsim,      ///< Fat tree of HTSim (.topo).
};

/// One row per kind: `key` in `platform.kind`, `name` behind a file's name, `text` in messages.
struct FabricKindRow {
    FabricKind kind;
    std::string_view key;
    std::string_view name;
    std::string_view text;
};

constexpr std::array<FabricKindRow, 5> kFabricKinds{{
    {FabricKind::AstraSim, "astra-sim", "ASTRA-sim", "an ASTRA-sim network file"},
    {FabricKind::InfraGraph, "infragraph", "InfraGraph", "an InfraGraph document"},
    {FabricKind::Nccl, "nccl", "NCCL", "a topology dump of NCCL"},
    {FabricKind::Ns3, "ns-3", "ns-3", "a topology file of ns-3"},
    {FabricKind::Htsim, "htsim", "HTSim", "a topology file of HTSim"},
}};

const FabricKindRow& fabricKindRow(FabricKind kind);

/// "astra-sim, infragraph, nccl, ns-3 or htsim".
std::string_view fabricKindKeys();

/// The kind of a file by how it begins; nothing when it looks like none (designs are none). O(length of `head`).
std::optional<FabricKind> fabricKindOf(std::string_view head);

} // namespace fabricscope
