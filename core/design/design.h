#pragma once

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/design/model.h"
#include "core/design/protocolconfig.h"
#include "core/design/programsource.h"
#include "core/formats/astra/systemsettings.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "core/trace/schema.h"
#include "core/trace/schema.h"
#include "core/workload/taskgraph.h"
#include "core/yaml/fieldplaces.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fabricscope {

/// The collectives a design may name. The others occur only in traces, which say how long they take.
inline constexpr std::array kDesignCollectives{CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll,
                                               CollectiveOp::Broadcast};
bool isDesignCollective(CollectiveOp op);

/// What one axis of a group runs; `automatic` picks by shape: Ring ring, FullyConnected direct,
/// Switch halving_doubling (all-to-all: direct everywhere; broadcast on a switch: ring), and more from kBandwidthRules on (StandardRules).
struct AlgorithmChoice {
    bool automatic = true;
    Algorithm algorithm = Algorithm::Ring;
    std::int32_t window = 0; ///< Direct: messages in flight; 0: all.
    friend bool operator==(const AlgorithmChoice&, const AlgorithmChoice&) = default;
};

/// What `automatic` means along a dimension of this shape.
Algorithm automaticAlgorithm(Shape shape, CollectiveOp op);
/// The same for the astra-* models, whose halving-doubling needs a power of two: direct on other switches.
AstraAlgorithm automaticAstraAlgorithm(const Dimension& dimension, CollectiveOp op);

struct CollectiveSetting {
    std::vector<AlgorithmChoice> algorithms; ///< One per dimension; one entry: for all; empty: automatic.
    std::int32_t chunks = 4;                 ///< Of a program: parts of the data that it is run on one after another; usually 1.
    std::int32_t window = 0;                 ///< Chunks in a phase at once (manual: models 4); 0: all.
    ProgramChoice program{};                 ///< Programs instead of these algorithms.
    friend bool operator==(const CollectiveSetting&, const CollectiveSetting&) = default;
};

/// What a library takes for a collective beside its messages (manual: models 4.1). What is absent: as section `network` says.
struct CollectiveTerms {
    std::optional<Quantity> launch;         ///< From the issue to the begin; instead of network.launch.
    std::optional<Quantity> ramp;           ///< As much of it as S / (S + rampSize) is added to that, S the size of the collective.
    std::optional<Quantity> rampSize;       ///< Absent: all of the ramp, whatever S.
    std::optional<ProtocolConfig> protocol; ///< Of all its messages, whatever their sizes; instead of network.protocols.
    friend bool operator==(const CollectiveTerms&, const CollectiveTerms&) = default;
};

/// First matching rule wins; what a rule leaves out comes from the default. A rule whose program is for other sizes does not match.
struct CollectiveRule {
    std::optional<CollectiveOp> op;
    std::string group = "*";                 ///< Family name, or "*".
    std::optional<Quantity> minSize;         ///< Inclusive.
    std::optional<Quantity> maxSize;         ///< Inclusive.
    std::optional<std::int32_t> minRanks{};  ///< Of its group, inclusive.
    std::optional<std::int32_t> maxRanks{};  ///< Inclusive.
    std::optional<std::vector<AlgorithmChoice>> algorithms; ///< With a program: empty.
    std::optional<std::int32_t> chunks;
    std::optional<std::int32_t> window;
    std::vector<std::int64_t> nodes{};       ///< Numbers of collective nodes (traces) it is for; empty: all.
    ProgramChoice program{};                 ///< Counts where `algorithms` is given; its slots where they are not 0.
    CollectiveTerms terms{};                 ///< From physical/3 on.
    friend bool operator==(const CollectiveRule&, const CollectiveRule&) = default;
};

struct CollectiveConfig {
    CollectiveSetting defaults;
    std::vector<CollectiveRule> rules;
    // Only for astra-* (manual: astra 5).
    std::int64_t activeChunks = 1;
    std::int64_t queuesPerDimension = 1;
    bool localBandwidthAware = false;
    friend bool operator==(const CollectiveConfig&, const CollectiveConfig&) = default;
};

/// Chakra traces PREFIX.RANK.et.
struct TraceWorkload {
    std::string prefix;      ///< As written; relative to Design::folder.
    std::string commGroups;  ///< Group file; empty: none.
    CtrlDeps ctrlDeps = CtrlDeps::Auto;
    std::int32_t bytesPerElement = 1; ///< Factor on comm_size and tensor_size.
    friend bool operator==(const TraceWorkload&, const TraceWorkload&) = default;
};

/// One line of an inline pattern (manual: design 3).
struct Step {
    enum class Kind : std::uint8_t { Compute, Collective, Send, Receive, Load, Store, Repeat };
    Kind kind = Kind::Compute;
    std::string name;                   ///< Unique label for `after`; may be empty.
    /// Labels it waits for, each the latest run of that step on this rank before this one (so a step of a repeat may name a step
    /// below it: the round before); `afterGiven` false: the step before it.
    std::vector<std::string> after;
    bool afterGiven = false;
    RankSet ranks;                      ///< Who runs it; empty: all.
    std::optional<Quantity> duration;   ///< Compute.
    std::optional<Quantity> operations; ///< Compute.
    std::optional<Quantity> bytes;      ///< Compute, load, store: bytes moved. Collective: large side. Send, receive: message.
    CollectiveOp op = CollectiveOp::AllReduce;
    std::string group;                  ///< Family name; empty: all ranks. Load: the group that gathers; empty: a load of its own.
    std::optional<Quantity> output;     ///< Memory of the NPU it fills when it starts, until all steps that use it have ended.
    std::optional<Quantity> scratch;    ///< Memory of the NPU it needs while it runs.
    /// Labels whose output it uses, which it also waits for: of each the latest run that this step has not used yet, where it has used all
    /// the latest. Where no step uses the output of a label, the steps that wait for it directly do; where none does, it stays.
    std::vector<std::string> uses;
    std::string peer;                   ///< "+8", "-8", "3": other rank, relative or absolute.
    std::uint32_t tag = 0;
    std::int32_t priority = 0;          ///< Of its task; counts where `scheduling.order` is explicit, higher first.
    std::int32_t times = 1;             ///< Repeat.
    std::vector<Step> steps;            ///< Repeat.
    Place place;                        ///< In the file; not compared.
};

/// A family of groups of an inline pattern: along dimensions of the platform, by strides, or listed.
struct GroupSpec {
    std::string name;
    std::vector<std::int32_t> dimensions;            ///< Platform dimensions it spans.
    std::vector<GroupFamily::Axis> axes;
    std::vector<std::vector<std::int64_t>> lists;
    Place place;
};

struct StepsWorkload {
    std::vector<GroupSpec> groups;
    std::vector<Step> steps;
};

/// One collective by all ranks (the `collective` command).
struct SingleCollective {
    CollectiveOp op = CollectiveOp::AllReduce;
    Quantity size{0, "B", Measure::Size};
};

/// What one of several jobs runs; Design::jobs says where, in the same order. Ranks and groups are those of the job.
struct JobWorkload {
    std::variant<std::monostate, TraceWorkload, StepsWorkload, SingleCollective> runs;
};

/// Several jobs side by side on one platform.
struct JobsWorkload {
    std::vector<JobWorkload> jobs;
};

struct ModelSpec; // core/model
struct PlanSpec;  // core/plan

/// A model spread over all ranks by a plan.
struct PlannedWorkload {
    std::shared_ptr<const ModelSpec> model; ///< Absent: the plan says the times of its stages itself.
    std::shared_ptr<const PlanSpec> plan;   ///< Never absent.
};

using WorkloadSpec = std::variant<std::monostate, TraceWorkload, StepsWorkload, SingleCollective, JobsWorkload, PlannedWorkload>;

struct AccuracyConfig;   // accuracyconfig.h
struct NetworkConfig;    // networkconfig.h
struct ComputeConfig;    // computeconfig.h
struct SchedulingConfig; // schedulingconfig.h

struct ModelConfig {
    Model model = Model::Links;
    std::string version;             ///< As stored in the file; empty: current.
    Quantity endpointDelay{0, "ns", Measure::Time};
    bool rendezvous = false;
    bool roofline = true;            ///< Use operations and bytes when a task has no duration; `astra`: only as its file says.
};

/// What the user edits: a plain value. Parts that are large are immutable and shared, so copies are cheap.
struct Design {
    std::string name;
    std::string notes;
    std::string file;                ///< Where it was read from; empty: built in memory.
    std::string folder;              ///< Relative paths inside it start here; empty: the working directory.
    std::shared_ptr<const PlatformSpec> platform;
    std::string platformOrigin;      ///< "preset hgx-h100-8", "net.yml (ASTRA-sim)", ...; empty: written in the design.
    bool astraUnits = false;         ///< Platform figures came from an ASTRA-sim file ("50 GB/s" meant 50 GiB/s).
    std::vector<Placement::Job> jobs; ///< Empty: rank r on node r.
    std::shared_ptr<const WorkloadSpec> workload;
    CollectiveConfig collectives;
    std::shared_ptr<const AstraSystem> astra; ///< From an ASTRA-sim system file; absent: derived from `collectives` when needed.
    RemoteMemory remoteMemory;
    ModelConfig model;
    std::shared_ptr<const NetworkConfig> network;       ///< Routing, transfer protocol, jitter, faults; absent: the model's own rules.
    std::shared_ptr<const ComputeConfig> compute;       ///< Efficiency of operations, memory of the NPUs, slow-down; absent: none.
    std::shared_ptr<const AccuracyConfig> accuracy;     ///< How far off times on this fabric are; decides none of them. Absent: nobody measured.
    std::shared_ptr<const SchedulingConfig> scheduling; ///< Between dimensions, inside a dimension, of tasks; absent: baseline.
    std::vector<std::string> files;  ///< Every file read while reading the design, for the hash; as opened.
    std::shared_ptr<const FieldPlaces> places; ///< Where its fields stand in its file; absent: built in memory.

    /// Place of a field ("platform.dimensions[0].size"), with line where it is known.
    Place place(const std::string& field) const;
    /// A path written in the design as it is to be opened.
    std::string resolve(const std::string& path) const;
};

/// Every problem of the design with its place; empty: it can be simulated as far as can be said without reading traces.
/// Told to stop: throws StopRequested (stop.h). In validate.cpp.
Diagnostics validate(const Design& design, const std::stop_token& stop = {});

/// Digest of the canonical form plus the content of every referenced file (manual: design 7).
/// Told to stop: throws StopRequested (stop.h). In file/designhash.cpp, as writeDesign().
Digest designHash(const Design& design, const std::stop_token& stop = {});

/// A design and what was noticed while reading it.
struct LoadedDesign {
    Design design;
    Diagnostics diagnostics;
};

/// One `--set PATH=VALUE`, e.g. {"platform.dimensions.0.bandwidth", "100 GB/s"}.
struct FieldOverride {
    std::string path;
    std::string value;
};

/// Reads a design file (version 1). Unknown keys are errors naming line and column and the known keys. In file/reader.cpp, as the two below.
Result<LoadedDesign> readDesign(const std::string& path, const std::vector<FieldOverride>& overrides = {});
Result<LoadedDesign> readDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides = {});

/// Reads as much as can be read and reports everything found, errors too (for checking while typing). Without `readFiles` no file
/// is opened and a reference to one is an error. Told to stop: the error Cancelled is among what was found.
LoadedDesign inspectDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides = {}, bool readFiles = true, const std::stop_token& stop = {});

/// The design as YAML that reads back as the same design; for designs built in memory. Platform and remote memory are written out,
/// traces and the ASTRA-sim system file are named relative to Design::folder. Told to stop: throws StopRequested (stop.h).
std::string writeDesign(const Design& design, const std::stop_token& stop = {});

/// Loads or builds the workload of the design for `ranks` ranks. Errors name file, rank and node. In loadworkload.cpp.
struct LoadedWorkload {
    WorkloadPtr workload;
    Diagnostics diagnostics;
};
Result<LoadedWorkload> loadWorkload(const Design& design, const Platform& platform, int threads = 1);

} // namespace fabricscope
