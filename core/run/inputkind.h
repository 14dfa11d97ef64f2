#pragma once

#include "core/formats/fabrickind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// What a file is, told by how it begins; the name only tells what no content can (the rank of a trace).
enum class InputKind : std::uint8_t {
    Unknown,
    Design,        ///< YAML of ours.
    SavedRun,      ///< JSON of ours.
    AstraNetwork,
    AstraSystem,
    AstraMemory,
    CommGroups,
    InfraGraph,    ///< YAML or JSON: an infrastructure, a combined document or a device.
    NcclTopology,  ///< XML as NCCL_TOPO_DUMP_FILE has it.
    Ns3Topology,   ///< Text of nodes and links, or the configuration that names it.
    HtsimTopology, ///< Text of the tiers of a fat tree.
    LogicalTopology, ///< JSON beside an ns-3 run: known, but no fabric.
    PytorchTrace,  ///< JSON of PyTorch's execution graph observer: known, but no Chakra trace.
    EventTrace,    ///< JSON of events for Perfetto or Chrome, as profilers and our own exports write it: known, but nothing to simulate.
    Trace,         ///< Chakra, binary or JSON, of one rank.
    ShardFile,     ///< YAML of ours with a section `shard`, as the next with theirs.
    TransformFile,
    PlaceFile,
    StudyFile,
    CaseFile,
    ModelFile,
    CheckpointConfig, ///< config.json of a checkpoint.
    StableHlo,     ///< MLIR text.
    LayerTable,    ///< Workload text of ASTRA-sim 1.0, AICB and SimAI.
    GoalSchedule,  ///< Text of LogGOPSim.
    TopologyText,  ///< "Ring(4)_Switch(8)".
};

/// For messages: "an ASTRA-sim network file".
std::string_view inputKindText(InputKind kind);

/// Kind of a file by its name (without folder) and its first bytes; damaged files are told by what is left, so that their reader can say
/// what is wrong. O(length of `head`).
InputKind inputKindOf(std::string_view name, std::string_view head);

/// The form of a file that describes a fabric; nothing for other kinds.
std::optional<FabricKind> fabricKindOf(InputKind kind);

/// A trace's file name taken apart: PREFIX.RANK.et, PREFIX.RANK.et.gz or PREFIX.RANK.json.
struct TraceName {
    std::string prefix;
    std::int64_t rank = 0;
};
std::optional<TraceName> traceNameOf(std::string_view name);

} // namespace fabricscope
