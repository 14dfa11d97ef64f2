#include "core/run/inputkind.h"

#include "core/base/outerkeys.h"
#include "core/formats/fabrickind.h"
#include "core/platform/topologytext.h"
#include "core/report/runfile.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "core/workload/goalschedule.h"
#include "core/workload/layertable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

constexpr std::array<std::pair<InputKind, FabricKind>, 5> kFabricInputs{{
    {InputKind::AstraNetwork, FabricKind::AstraSim},
    {InputKind::InfraGraph, FabricKind::InfraGraph},
    {InputKind::NcclTopology, FabricKind::Nccl},
    {InputKind::Ns3Topology, FabricKind::Ns3},
    {InputKind::HtsimTopology, FabricKind::Htsim},
}};

/// Kinds that are told by their outermost keys.
InputKind byKeys(const std::vector<OuterKey>& keys)
{
    if (hasAny(keys, {"fabricscope_run"}))
        return InputKind::SavedRun;
    if (!hasAny(keys, {"platform", "workload"})) {
        if (hasAny(keys, {"shard"}))
            return InputKind::ShardFile;
        if (hasAny(keys, {"transform"}))
            return InputKind::TransformFile;
        if (hasAny(keys, {"place"}))
            return InputKind::PlaceFile;
        if (hasAny(keys, {"study"}))
            return InputKind::StudyFile;
        if (hasAny(keys, {"case"}))
            return InputKind::CaseFile;
        if (hasAny(keys, {"model"}) && !hasAny(keys, {"collectives", "network", "compute", "scheduling", "remote_memory"}))
            return InputKind::ModelFile;
    }
    if (hasAny(keys, {"fabricscope"}))
        return InputKind::Design;
    if (hasAny(keys, {"model_type", "architectures"}))
        return InputKind::CheckpointConfig;
    if (hasAny(keys, {"memory-type", "remote-mem-latency", "remote-mem-bw"}))
        return InputKind::AstraMemory;
    if (hasAny(keys, {"scheduling-policy", "endpoint-delay", "active-chunks-per-dimension", "preferred-dataset-splits", "all-reduce-implementation",
                      "all-gather-implementation", "reduce-scatter-implementation", "all-to-all-implementation", "collective-optimization", "local-mem-bw",
                      "peak-perf", "roofline-enabled"}))
        return InputKind::AstraSystem;
    if (hasAny(keys, {"logical-dims"}))
        return InputKind::LogicalTopology;
    if (hasAny(keys, {"nodes"}) && hasAny(keys, {"schema"}) && hasAny(keys, {"pid", "start_ts", "finish_ts"}))
        return InputKind::PytorchTrace;
    if (hasAny(keys, {"traceEvents"}))
        return InputKind::EventTrace;
    return InputKind::Unknown;
}

bool isText(std::string_view head)
{
    return std::none_of(head.begin(), head.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && kBlank.find(c) == std::string_view::npos; });
}

/// {"1": [0, 1], ...}: lists only.
InputKind groupsIn(std::string_view text)
{
    const std::vector<OuterKey> keys = bracedKeys(text);
    const bool lists = !keys.empty() && std::all_of(keys.begin(), keys.end(), [](const OuterKey& key) { return key.value == '[' || key.value == '\0'; });
    return lists ? InputKind::CommGroups : InputKind::Unknown;
}

} // namespace

std::string_view inputKindText(InputKind kind)
{
    switch (kind) {
    case InputKind::Design: return "a design";
    case InputKind::SavedRun: return "a saved run";
    case InputKind::AstraNetwork: return "an ASTRA-sim network file";
    case InputKind::AstraSystem: return "an ASTRA-sim system file";
    case InputKind::AstraMemory: return "an ASTRA-sim remote memory file";
    case InputKind::CommGroups: return "a file of communicator groups";
    case InputKind::InfraGraph: return "an InfraGraph document";
    case InputKind::NcclTopology: return "a topology dump of NCCL";
    case InputKind::Ns3Topology: return "a topology file of ns-3";
    case InputKind::HtsimTopology: return "a topology file of HTSim";
    case InputKind::LogicalTopology: return "the logical topology of an ns-3 run";
    case InputKind::PytorchTrace: return "a PyTorch execution trace";
    case InputKind::EventTrace: return "a trace of events for Perfetto or Chrome";
    case InputKind::Trace: return "a Chakra trace";
    case InputKind::ShardFile: return "a graph to shard, read by the command shard";
    case InputKind::TransformFile: return "a program to transform, read by the command transform";
    case InputKind::StudyFile: return "a study, read by the command study";
    case InputKind::CaseFile: return "a case study, read by the command case";
    case InputKind::PlaceFile: return "a graph to place, read by the command place";
    case InputKind::ModelFile: return "a model, read by the command model";
    case InputKind::CheckpointConfig: return "the config.json of a checkpoint, read by the command model";
    case InputKind::StableHlo: return "a StableHLO program, read by the command shard";
    case InputKind::LayerTable: return "a table of layers (SimAI, AICB, ASTRA-sim 1.0), read by the command convert";
    case InputKind::GoalSchedule: return "a schedule in GOAL";
    case InputKind::TopologyText: return "a topology";
    case InputKind::Unknown: break;
    }
    return "no file this program knows";
}

InputKind inputKindOf(std::string_view name, std::string_view head)
{
    const bool namedTrace = traceNameOf(name).has_value();
    if (!isText(head))
        return namedTrace || head.starts_with("\x1f\x8b") ? InputKind::Trace : InputKind::Unknown;
    const auto first = head.find_first_not_of(kBlank);
    const bool braces = first != std::string_view::npos && head[first] == '{';
    if (isStableHloText(head))
        return InputKind::StableHlo;
    if (isLayerTable(head))
        return InputKind::LayerTable;
    if (isGoalSchedule(head))
        return InputKind::GoalSchedule;
    InputKind kind = byKeys(outerKeys(head));
    if (kind == InputKind::Unknown) {
        const auto fabric = fabricKindOf(head);
        const auto row = std::find_if(kFabricInputs.begin(), kFabricInputs.end(), [&](const auto& entry) { return fabric == entry.second; });
        if (row != kFabricInputs.end())
            return row->first;
    }
    if (kind == InputKind::Unknown && braces)
        kind = groupsIn(head.substr(first));
    // A trace in JSON has lists as values too ("nodes", "attr"): there the name decides.
    if (namedTrace && (kind == InputKind::Unknown || kind == InputKind::CommGroups))
        return InputKind::Trace;
    if (kind == InputKind::Unknown && braces && looksLikeRunFile(head))
        kind = InputKind::SavedRun;
    if (kind == InputKind::Unknown && hasAny(lineKeys(head), {"platform", "workload", "steps"}))
        kind = InputKind::Design;
    if (kind == InputKind::Unknown && first != std::string_view::npos) {
        const std::string_view word = head.substr(first, head.find_first_of("(\r\n", first) - first);
        if (shapeFromText(word))
            kind = InputKind::TopologyText;
    }
    return kind;
}

std::optional<FabricKind> fabricKindOf(InputKind kind)
{
    const auto found = std::find_if(kFabricInputs.begin(), kFabricInputs.end(), [&](const auto& row) { return row.first == kind; });
    return found == kFabricInputs.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TraceName> traceNameOf(std::string_view name)
{
    for (const std::string_view ending : {".et", ".et.gz", ".json"}) {
        if (!name.ends_with(ending))
            continue;
        const std::string_view rest = name.substr(0, name.size() - ending.size());
        const std::size_t dot = rest.rfind('.');
        if (dot == std::string_view::npos || dot == 0)
            continue;
        const std::string_view digits = rest.substr(dot + 1);
        TraceName out{std::string(rest.substr(0, dot)), 0};
        const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out.rank);
        if (code == std::errc() && stop == digits.data() + digits.size() && digits[0] != '-' && (digits.size() == 1 || digits[0] != '0'))
            return out;
    }
    return std::nullopt;
}

} // namespace fabricscope
