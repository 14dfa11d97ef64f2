#pragma once

#include "core/base/error.h"
#include "core/base/index.h"
#include "core/base/units.h"
#include "core/design/model.h"
#include "core/formats/astra/systemsettings.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "core/program/program.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// How the positions of a program map to the ranks of one communicator group.
/// Either rank = base + sum of coordinate * stride over the program's axes, or a list.
struct GroupLayout {
    std::int64_t base = 0;
    std::vector<std::int32_t> extents;  ///< As TemplateBody::axes.
    std::vector<std::int64_t> strides;  ///< Rank differences; used while `list` is empty.
    std::vector<std::int32_t> list;     ///< Rank at each position.
    std::vector<std::string> levels{};  ///< On a graph with levels: what each axis joins, "host", "unit", "all". Else empty.

    std::int32_t size() const;
    std::int32_t rankAt(std::int32_t position) const;
    std::int32_t positionOf(std::int32_t rank) const; ///< -1: not a member. O(axes), or O(size) for lists: call once per entry.
};

/// A collective to be run by one group: hash-consed program, its size, who runs it.
struct CollectiveInstance {
    FamilyId family = 0;
    std::int64_t group = 0;
    std::int32_t sequence = 0;      ///< Number of the collective inside its group, in static order; breaks ties of issue order.
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t bytes = 0;         ///< Large side S.
    std::int32_t stream = 0;        ///< One per communicator group; smaller than Structure::streamCount.
    std::int32_t layout = 0;        ///< Index into Structure::layouts.
    ProgramPtr program;             ///< Null: done at once (group of one, size 0).
    std::int64_t replayPs = -1;     ///< >= 0: takes this long and uses no network (broadcast of a trace), see Params.
    std::int32_t priority = 0;      ///< First field of the tie rule: lower first. With explicit order that of the task, negated.
    std::int32_t rule = -1;         ///< Of collectives.rules that decided, where it has terms (NetworkParams::ofRules); else -1.
};

/// How collectives of one task class find their instance: ordinal of every task inside its group, or -1.
using Ordinals = std::shared_ptr<const std::vector<std::int32_t>>;

/// Resource class 0..dimensions-1: the links of that dimension; then links of an explicit graph, by their figures; then one per overridden link.
using ResourceClass = std::int32_t;

/// Everything that does not depend on a rate or latency. Immutable and shared between scenarios of a sweep.
struct Structure {
    Platform platform;
    Placement placement;
    WorkloadPtr workload;
    std::vector<GroupLayout> layouts;
    std::vector<CollectiveInstance> instances;
    std::int32_t streamCount = 0;
    /// First instance of (family, group): instanceBase[family][group]; ordinals count from there.
    std::vector<std::vector<std::int32_t>> instanceBase;
    std::vector<Ordinals> ordinalsOfRank; ///< Per rank, shared; one entry: all ranks alike.


    /// Instance of a collective task; -1 when it has none.
    std::int32_t instanceOf(std::int32_t rank, TaskIndex task) const;
    ResourceClass classOf(LinkId link) const; ///< O(1) without overrides, else O(log overrides).
    std::vector<LinkId> classedLinks;         ///< Overridden links, ascending; class = dimensions + figureClasses + index.
    /// Explicit graphs: classes of links that are not overridden, by LinkList::figuresOf(). 0: classedLinks are all its links.
    std::int32_t figureClasses = 0;
};

using StructurePtr = std::shared_ptr<const Structure>;

/// One number of the model, for the list "assumed values" and for sensitivities.
struct Parameter {
    std::string name;    ///< "dimension 0 bandwidth".
    std::string value;   ///< With unit.
    std::string source;  ///< "design.yaml:6", "preset hgx-h100-8", "default".
    bool assumed = false;
};

struct NetworkParams; // networkparams.h
struct ComputeParams; // computeparams.h
struct TaskScheduling; // taskscheduling.h
struct AccuracyConfig; // core/design/accuracyconfig.h
struct OffloadRates;   // offloadrates.h

/// Every rate, latency and delay; one value per resource class or rank class. Plain value.
struct Params {
    std::vector<Bandwidth> linkRate;      ///< By ResourceClass.
    std::vector<SimTime> linkLatency;     ///< By ResourceClass.
    std::optional<Bandwidth> reducerRate; ///< M; absent: reductions cost nothing.
    std::optional<Bandwidth> injection;   ///< Budgets (manual: models 3.4); absent: none.
    std::optional<Bandwidth> ejection;
    /// Switches with a crossbar limit (manual: models 3.4): nodes of a graph, or dimensions, of which each switch has it. Ascending; empty: none, or the model
    /// has no such thing.
    std::vector<std::pair<std::int32_t, Bandwidth>> crossbars;
    SimTime endpointDelay;                ///< o.
    std::int64_t pieceBytes = 256 * 1024; ///< Q.
    bool rendezvous = false;
    bool roofline = false;
    bool replayOnly = false;              ///< Every task takes its recorded duration.
    std::optional<ComputeRate> peak;
    std::optional<Bandwidth> memoryRate;  ///< Roofline.
    RemoteMemory remoteMemory;
    std::shared_ptr<const NetworkParams> network;     ///< Absent: no routing, protocol, jitter or faults of its own.
    std::shared_ptr<const ComputeParams> compute;     ///< Absent: no efficiency tables, live bytes, slow-down.
    std::shared_ptr<const TaskScheduling> scheduling; ///< Absent: one computation at a time, groups in issue order.
    std::shared_ptr<const OffloadRates> offload;      ///< Absent: no switch reduces or copies.
    std::vector<Parameter> list;          ///< For people.
};

/// All rounding, once: occupancy and latency per resource class. Replacing it is all a slider does.
class CostTable {
public:
    CostTable() = default;
    explicit CostTable(const Params& params);

    /// D(bytes) = ceil(bytes * 10^12 / rate) of a link class. 0 for 0 bytes.
    std::int64_t occupancy(ResourceClass resource, std::int64_t bytes) const { return m_links[at(resource)].of(bytes); }
    std::int64_t latency(ResourceClass resource) const { return m_latency[at(resource)]; }
    /// D(bytes) of the reducer for one of k incoming buffers: ceil(bytes (k+2) 10^12 / (k M)); 0 when M is unknown.
    std::int64_t reduction(std::int64_t bytes, std::int32_t k) const;
    std::int64_t injection(std::int64_t bytes) const { return m_injection.of(bytes); } ///< 0 without a budget.
    std::int64_t ejection(std::int64_t bytes) const { return m_ejection.of(bytes); }
    std::int64_t crossbar(std::size_t entry, std::int64_t bytes) const { return m_crossbars[entry].of(bytes); } ///< By entry of Params::crossbars.
    bool hasReducer() const { return m_reducer > 0; }
    bool hasInjection() const { return m_injection.isGiven(); }
    bool hasEjection() const { return m_ejection.isGiven(); }

private:
    /// ceil(bytes * 10^12 / rate). The fraction is reduced once: of round rates what is left is a product, of others mostly a division of 64 bits.
    class Rate {
    public:
        explicit Rate(std::int64_t bytesPerSecond = 0); ///< 0: takes no time.
        bool isGiven() const { return m_rate > 0; }
        std::int64_t of(std::int64_t bytes) const
        {
            if (bytes > m_narrow)
                return mulDivCeil(bytes, kPsPerSecond, m_rate);
            const std::int64_t product = bytes * m_ps;
            return m_bytes == 1 ? product : (product + m_bytes - 1) / m_bytes;
        }

    private:
        std::int64_t m_rate;
        std::int64_t m_ps = 0;    ///< m_ps / m_bytes: the reduced fraction.
        std::int64_t m_bytes = 1;
        std::int64_t m_narrow = INT64_MAX; ///< Up to so many bytes 64 bits are enough.
    };
    std::vector<Rate> m_links;
    std::vector<std::int64_t> m_latency;
    Rate m_injection;
    Rate m_ejection;
    std::vector<Rate> m_crossbars;
    std::int64_t m_reducer = 0;
};

/// One program that `algorithm: auto` looked at.
struct CandidateTime {
    std::string name;           ///< "ring x direct", "swing", "mine.xml".
    std::int64_t timePs = -1;   ///< Of the collective alone, at time 0; -1: not simulated.
    std::string reason;         ///< Why it was not simulated; or what its time is of, where it is not the size itself.

    bool isEstimate() const { return timePs >= 0 && !reason.empty(); }
};

/// What `algorithm: auto` decided for the collectives of one kind.
struct CollectiveChoice {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::string group;          ///< Name of the family; empty: all ranks.
    std::int32_t ranks = 0;
    std::int64_t bytes = 0;     ///< Large side.
    std::vector<CandidateTime> candidates; ///< Fastest first, then those without a time.
    std::string chosen;         ///< Name of the candidate that runs.
};

/// A design made ready to run. Immutable; copies are cheap.
struct Scenario {
    Model model = Model::Links;
    std::string version;                        ///< Of its rules, as the design names them; empty: currentVersion(model).
    StructurePtr structure;
    std::shared_ptr<const Params> params;
    std::shared_ptr<const CostTable> costs;
    std::shared_ptr<const AstraSystem> astra;   ///< Only for astra-*.
    std::vector<std::pair<std::string, ProgramPtr>> customPrograms; ///< astra-*: by path prefix as written in the system file.
    std::vector<CollectiveChoice> choices;      ///< Where the design says `algorithm: auto`.
    std::shared_ptr<const AccuracyConfig> accuracy; ///< Of the fabric, as the design says it; absent: nobody measured.
    Diagnostics diagnostics;                    ///< Assumptions and warnings made on the way.
};

using ScenarioPtr = std::shared_ptr<const Scenario>;

} // namespace fabricscope
